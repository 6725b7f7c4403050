//! The words of a text, its digest and its minima, by an obvious second way.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use gleaner_curate::{Signature, SignatureConfig, Signer};
use gleaner_testing::split_mix;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The words of a text: segments of UAX #29, cut before each katakana, each in its normal form.
fn slow_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for segment in text.split_word_bounds() {
        let mut pieces = vec![String::new()];
        for letter in segment.chars() {
            if is_katakana(letter) {
                pieces.push(String::new());
            }
            pieces.last_mut().unwrap().push(letter);
        }
        words.extend(pieces.iter().map(|piece| slow_form(piece)));
    }
    words.retain(|word| word.chars().any(char::is_alphanumeric));
    words
}

fn is_katakana(letter: char) -> bool {
    // Word boundaries leave only katakana beside each other together, of what they do not leave beside a Latin letter.
    let is_one = |text: String| text.split_word_bounds().count() == 1;
    letter.is_alphanumeric() && is_one(format!("カ{letter}")) && !is_one(format!("a{letter}"))
}

/// Lower case, NFD, letters and marks, without the marks of some scripts, a 0 for each number.
fn slow_form(word: &str) -> String {
    let decomposed: String = word.chars().flat_map(char::to_lowercase).nfd().collect();
    let mut form = String::new();
    for letter in decomposed.chars() {
        let removed = matches!(letter as u32,
            0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5c7 | 0x610..=0x61a | 0x640 | 0x64b..=0x65f | 0x670
            | 0x6d6..=0x6dc | 0x6df..=0x6e4 | 0x6e7..=0x6e8 | 0x6ea..=0x6ed | 0x711 | 0x730..=0x74a
            | 0x898..=0x89f | 0x8ca..=0x8ff | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfb1e
            | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f | 0xe0100..=0xe01ef);
        match letter {
            _ if removed => {}
            _ if letter.is_numeric() => form.push('0'),
            'ς' => form.push('σ'),
            _ if letter.is_alphanumeric() || is_combining_mark(letter) => form.push(letter),
            _ => {}
        }
    }
    while form.contains("00") {
        form = form.replace("00", "0");
    }
    form
}

fn slow_digest(words: &[String]) -> Option<u128> {
    let joined: String = words.iter().flat_map(|word| [word, " "]).collect();
    (!words.is_empty()).then(|| xxh3_128(joined.as_bytes()))
}

/// The minima: for each permutation, the least of all shingles.
fn slow_minima(words: &[String], config: SignatureConfig) -> Vec<u32> {
    let hashes: Vec<[u8; 8]> = words
        .iter()
        .map(|word| xxh3_64(word.as_bytes()).to_le_bytes())
        .collect();
    let shingles: Vec<u32> = hashes
        .windows(config.shingle)
        .map(|words| xxh3_64(&words.concat()) as u32)
        .collect();
    let least = |constant: u64| {
        let permuted = |shingle: &u32| shingle.wrapping_mul(constant as u32 | 1) ^ (constant >> 32) as u32;
        shingles.iter().map(permuted).min()
    };
    (0..)
        .map(split_mix)
        .take(config.bands * config.rows)
        .filter_map(least)
        .collect()
}

fn check(text: &str, config: SignatureConfig) -> Result<(), TestCaseError> {
    let mut signer = Signer::new(config).unwrap();
    let mut signature = Signature::default();
    // The second text must not depend on the first.
    for text in ["one two three four five six 7 été", text] {
        signer.sign(text, &mut signature);
        let words = slow_words(text);
        prop_assert_eq!(
            signature.words as usize,
            words.len(),
            "{:?} of {:?}",
            &words,
            text
        );
        prop_assert_eq!(
            signature.digest,
            slow_digest(&words),
            "{:?} of {:?}",
            &words,
            text
        );
        prop_assert_eq!(&signature.minima, &slow_minima(&words, config));
    }
    Ok(())
}

/// No file of failures: a failure that matters becomes a case in tests/signatures.rs.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Characters that the rules of words treat in different ways, alone and beside each other.
const PIECES: [&str; 80] = [
    "a",
    "Word",
    "été",
    "e\u{301}",
    "\u{301}",
    "İ",
    "ΟΔΟΣ",
    "ς",
    "ﬁ",
    "Å",
    "0",
    "12",
    "٣",
    "²",
    "Ⅳ",
    "½",
    ".",
    ",",
    ":",
    ";",
    "'",
    "’",
    "\"",
    "_",
    "-",
    "…",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u{a0}",
    "\u{ad}",
    "\u{200d}",
    "\u{200c}",
    "\u{feff}",
    "\u{fe0f}",
    "中",
    "文",
    "々",
    "あ",
    "が",
    "か\u{3099}",
    "カ",
    "ガ",
    "ー",
    "ｶﾞ",
    "゛",
    "。",
    "、",
    "ไทย",
    "ที่",
    "ກ",
    "ကို",
    "ខ្មែរ",
    "हिन्दी",
    "क़",
    "क\u{93c}\u{94d}",
    "क\u{94d}\u{93c}",
    "\u{93c}",
    "\u{94d}",
    "עברית",
    "צה\"ל",
    "שָׁ",
    "א",
    "كِتَابٌ",
    "كتـاب",
    "آ",
    "한국어",
    "\u{1112}\u{1161}\u{11ab}",
    "ế",
    "й",
    "😀",
    "👨\u{200d}👩",
    "🅰",
    "🇩🇪",
    "1\u{fe0f}\u{20e3}",
    "𠀀",
    "\u{34f}",
    "\u{345}",
];

/// Characters between letters, digits, marks and signs.
#[test]
fn all_characters_are_read() {
    let config = SignatureConfig {
        shingle: 1,
        bands: 1,
        rows: 1,
    };
    let mut signer = Signer::new(config).unwrap();
    let mut signature = Signature::default();
    let most_scripts = '\0'..='\u{33ff}';
    for letter in most_scripts.chain(('\u{3400}'..=char::MAX).step_by(61)) {
        let c = letter;
        let text =
            format!("a{c}b {c}{c} 1{c}2 {c}\u{301}b 中{c}中 カ{c}_カ a.{c} 1,{c} a{c}.b א\"{c} \u{200d}{c}a");
        signer.sign(&text, &mut signature);
        let words = slow_words(&text);
        assert_eq!(signature.digest, slow_digest(&words), "{words:?} of {text:?}");
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn words_are_those_of_the_slow_way(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..14)) {
        check(&pieces.concat(), SignatureConfig { shingle: 2, bands: 1, rows: 1 })?;
    }

    #[test]
    fn any_characters_are_read(text in "\\PC{0,40}") {
        let mut signature = Signature::default();
        Signer::new(SignatureConfig::default()).unwrap().sign(&text, &mut signature);
        prop_assert_eq!(signature.digest.is_some(), signature.words > 0);
    }

    #[test]
    fn ascii_is_read(text in "[ -~\n]{0,60}") {
        check(&text, SignatureConfig { shingle: 2, bands: 1, rows: 1 })?;
    }

    #[test]
    fn digests_are_equal_as_words_are(
        left in prop::collection::vec(prop::sample::select(&PIECES[..6]), 0..4),
        right in prop::collection::vec(prop::sample::select(&PIECES[..6]), 0..4),
        between in prop::sample::select(&[" ", ", ", "\n", ""][..]),
    ) {
        let texts = [left.join(" "), right.join(between)];
        let words = texts.each_ref().map(|text| slow_words(text));
        let mut signer = Signer::new(SignatureConfig::default()).unwrap();
        let digests = texts.each_ref().map(|text| {
            let mut signature = Signature::default();
            signer.sign(text, &mut signature);
            signature.digest
        });
        prop_assert_eq!(digests[0] == digests[1], words[0] == words[1]);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn minima_are_those_of_the_slow_way(
        words in prop::collection::vec("[a-z]{1,3}", 0..1500),
        shingle in 1..=8usize,
        bands in 1..=15usize,
        rows in 1..=9usize,
    ) {
        check(&words.join(" "), SignatureConfig { shingle, bands, rows })?;
    }
}
