//! Sites that were made to do harm: mining ends, nothing panics, and what is found stays small.

use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, without};

/// Mines some pages and applies what was found to them.
fn survives(name: &str, texts: &[String]) {
    let urls: Vec<String> = (0..texts.len())
        .map(|page| format!("http://a.example/{page}"))
        .collect();
    let pages: Vec<Page<'_>> = urls
        .iter()
        .zip(texts)
        .map(|(url, text)| Page { url, text })
        .collect();
    let miner = Miner::new(MineConfig::default()).expect("the default settings are right");
    let template = miner.mine("a.example", &pages);
    let tokens: u64 = template
        .expressions
        .iter()
        .map(|found| u64::from(found.tokens))
        .sum();
    assert!(tokens <= 1 << 20, "{name}: {tokens} tokens of expressions");
    let applier = Applier::new(&template, &miner.config().tokens).expect("mined with these settings");
    for text in texts.iter().take(5) {
        let left = without(text, &applier.removed(text, &CleanConfig::default()));
        assert!(left.len() <= 2 * text.len() + 1, "{name}");
    }
}

#[test]
fn text_that_repeats_itself() {
    survives("one token", &vec!["a ".repeat(40_000); 4]);
    survives("two tokens", &vec!["a b ".repeat(20_000); 4]);
    let lengths: Vec<String> = (0..100).map(|page| "a ".repeat(page * 50)).collect();
    survives("one token, other lengths", &lengths);
    let numbers: Vec<String> = (0..20).map(|page| "24 7/8 x $5 ".repeat(1000 + page)).collect();
    survives("tokens of several patterns", &numbers);
}

/// Every page lacks another token of one long template: as many strings as tokens, each long.
#[test]
fn templates_that_are_broken_everywhere() {
    let words: Vec<String> = (0..3000).map(|word| format!("w{word}")).collect();
    let page = |number: usize| {
        let mut words = words.clone();
        for change in 0..20 {
            words[(number * 37 + change * 151) % 3000] = format!("x{number}y{change}");
        }
        words.join(" ")
    };
    survives("broken everywhere", &(0..150).map(page).collect::<Vec<_>>());
}

#[test]
fn pages_of_nothing_and_of_anything() {
    survives("no page", &[]);
    survives("empty pages", &vec![String::new(); 20_000]);
    survives("white space", &vec![" \n\t\u{3000}".repeat(1000); 10]);
    survives("one long token", &vec!["a".repeat(1 << 20); 5]);
    survives(
        "control characters",
        &vec!["\0 \u{1b}[31m \u{202e} \u{feff} \\s+ ( [ (?:".repeat(50); 5],
    );
    let unequal: Vec<String> = (0..5)
        .map(|page| format!("{page}é\u{1f600}日本 ").repeat(20_000))
        .collect();
    survives("nothing in common", &unequal);
}

/// A line of a million characters, the template here and there: what is around a match is looked at
/// as far as it matters.
#[test]
fn a_line_without_end() {
    let line = |page: usize| {
        (0..50_000)
            .map(|word| format!("of the w{} ", word * (page + 7) % 70_001))
            .collect()
    };
    survives("a line", &(0..5).map(line).collect::<Vec<String>>());
}
