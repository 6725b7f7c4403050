//! The measures by obvious second ways, and the verdicts of DataTrove's filters.

mod datatrove;
mod slow;

use proptest::collection::vec;
use proptest::prelude::*;

use super::c4::sentences;
use super::*;

fn english() -> Language {
    Language::new("eng", "Latn")
}

fn measure(text: &str) -> Signals {
    Measurer::default().measure(text, &english())
}

const WORDS: [&str; 44] = [
    "the",
    "of",
    "boat",
    "Harbour",
    "HERRING",
    "sea",
    "7",
    "1,024",
    "3.5",
    "don't",
    "naïve",
    "Straße",
    "x_1",
    "#",
    "...",
    "…",
    "•",
    "-",
    "—",
    "{",
    "[1]",
    "[edit]",
    "[citation needed]",
    "[x]",
    "lorem ipsum",
    "JavaScript",
    "privacy policy",
    "use cookies",
    "http://www.a.example/",
    "3 likes",
    "sign-in",
    "read more...",
    "items in cart",
    "港に",
    "灯台カーテン",
    "ท่าเรือ",
    "ⓐ",
    "①",
    "𝄞",
    "👩‍🚀",
    "🇩🇪",
    "e\u{301}",
    "\u{301}",
    "א\"א",
];

/// Texts that have what rules look for, and repeat themselves.
fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => (0..8_usize).prop_map(|word| WORDS[word].to_owned()),
        4 => (0..WORDS.len()).prop_map(|word| WORDS[word].to_owned()),
        1 => any::<char>().prop_map(String::from),
        1 => Just("long".repeat(300)),
    ];
    let separator = prop_oneof![10 => Just(" "), 1 => Just(""), 1 => Just("  "), 1 => Just("\u{a0}"), 2 => Just(". "), 1 => Just("! "), 1 => Just("。")];
    let line = vec((word, separator), 0..14).prop_map(|words| {
        words
            .into_iter()
            .map(|(word, space)| word + space)
            .collect::<String>()
    });
    let end = prop_oneof![8 => Just("\n"), 2 => Just("\n\n"), 2 => Just(".\n"), 1 => Just(".\"\n"), 1 => Just(" \n"), 1 => Just("...\n"), 1 => Just("\n\n\n")];
    let lines = vec((line, end), 0..10).prop_map(|lines| {
        lines
            .into_iter()
            .map(|(line, end)| line + end)
            .collect::<String>()
    });
    (lines, 1..4_usize, any::<bool>()).prop_map(|(text, times, is_cut)| {
        let text = text.repeat(times);
        if is_cut { text.trim_end().to_owned() } else { text }
    })
}

proptest! {
    #[test]
    fn measures_are_those_of_the_slow_way(text in texts(), other in texts()) {
        let mut measurer = Measurer::default();
        measurer.measure(&other, &english());
        let signals = measurer.measure(&text, &english());
        let slow = slow::signals(&text);
        prop_assert_eq!(signals, slow);
    }

    #[test]
    fn lines_that_c4_keeps_are_those_of_the_slow_way(text in texts()) {
        let lines: Vec<&str> = text.split('\n').collect();
        for (rules, needs_mark) in [(LineRules::C4, true), (LineRules::FineWeb, false)] {
            let (_, kept) = slow::c4(&lines, needs_mark);
            prop_assert_eq!(kept_lines(&text, rules), kept.join("\n"));
        }
    }

    #[test]
    fn lines_that_refinedweb_keeps_are_those_of_the_slow_way(text in texts()) {
        let is_kept = |line: &&str| slow::removed(&[*line]) == LineSignals::default();
        let kept: Vec<&str> = text.split('\n').filter(is_kept).collect();
        prop_assert_eq!(kept_lines(&text, LineRules::RefinedWeb), kept.join("\n"));
    }

    #[test]
    fn tokens_are_those_of_the_slow_way(text in "\\PC{0,40}|[a-z'\"א:.,_ 0-9カー\u{301}\u{200d}👩🇩]{0,30}") {
        let mut tokens = Tokens::default();
        tokens.clear(0);
        tokens.read(&text);
        let hashes: Vec<u64> = tokens.kinds.iter().map(|kind| tokens.distinct[*kind as usize].hash).collect();
        let slow = slow::tokens(&text);
        let expected: Vec<u64> = slow.iter().map(|token| xxhash_rust::xxh3::xxh3_64(token.as_bytes())).collect();
        prop_assert_eq!(hashes, expected, "{:?}", slow);
    }
}

#[test]
fn sentences_end_with_marks() {
    for (text, count) in [
        ("", 0),
        ("No mark", 1),
        ("One. Two! Three? Four", 4),
        ("It weighs 3.5 kg. \"Really?\" he said.", 2),
        ("See www.a.example. then go on.", 1),
        ("Wait... What?! (Yes.)", 3),
        ("港に着いた。灯台が光った！静か", 3),
        ("...", 1),
    ] {
        assert_eq!(sentences(text), count, "{text}");
    }
}

#[test]
fn verdicts_name_the_first_rule_that_fails() {
    let sentence = |number: usize| {
        format!(
            "The boat number {number} went to the harbour of place {} and came back with herring.",
            number * 7
        )
    };
    let good: Vec<String> = (0..12).map(sentence).collect();
    let good = good.join("\n");
    let signals = measure(&good);
    assert_eq!(
        (c4(&signals), fineweb(&signals), dclm(&signals)),
        (None, None, None)
    );
    // The sentences are nearly the same.
    assert_eq!(gopher(&signals), Some("top_3_gram"));
    assert_eq!(gopher(&measure("Much ado")), Some("top_2_gram"));
    let few: String = (0..40).map(|number| format!("boat{number} ")).collect();
    assert_eq!(gopher(&measure(&few)), Some("words"));
    assert_eq!(fineweb(&measure("One\nTwo\nThree")), Some("punctuated_lines"));
    assert_eq!(fineweb(&measure("One.\nTwo.\nThree.")), Some("short_lines"));
    assert_eq!(c4(&measure("One. Two. Three.")), Some("sentences"));
    assert_eq!(
        c4(&measure("This is { code.\nThis is lorem ipsum.")),
        Some("has_curly_bracket")
    );
    assert_eq!(
        c4(&measure("This is lorem ipsum.\nThis is { code.")),
        Some("has_lorem_ipsum")
    );
    assert_eq!(
        c4(&measure("This is lorem ipsum\nThis is { code")),
        Some("sentences")
    );
    assert_eq!(
        fineweb_c4(&measure("This is lorem ipsum\nThis is { code")),
        Some("has_lorem_ipsum")
    );
    assert_eq!(
        dclm(&measure("READ THIS\n3 likes\nA line that stays")),
        Some("lines")
    );
    assert_eq!(fineweb2(&signals, &Language::undetermined()), Some("language"));
}

#[test]
fn a_text_without_words_has_measures() {
    for text in ["", "\n", "\n\n\n", " ", " \n ", "。"] {
        let signals = measure(text);
        assert!(signals.wds.score(1.0).is_finite());
        assert!(
            gopher(&signals).is_some() && c4(&signals).is_some() && fineweb(&signals).is_some(),
            "{text:?}"
        );
    }
}

#[test]
fn wds_prefers_running_text() {
    let sentence = "The boat left the harbour at seven, with nine people and a dog on board, and turned north behind the islands. ";
    let running = measure(&format!("{}\n{}", sentence.repeat(3), sentence.repeat(11)));
    let list = measure("#travel #boat #sea #harbour #herring #dog #island #north #people");
    assert!(running.wds.score(1.0) > 0.85, "{:?}", running.wds);
    assert_eq!(list.wds.score(1.0), 0.0);
    assert!(running.wds.score(0.5) < running.wds.score(1.0));
}
