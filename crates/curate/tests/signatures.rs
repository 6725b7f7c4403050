//! Which texts are equal, and what settings change.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use gleaner_curate::{ConfigError, Signature, SignatureConfig, Signer, similarity};

fn sign_with(config: SignatureConfig, text: &str) -> Signature {
    let mut signature = Signature::default();
    Signer::new(config).unwrap().sign(text, &mut signature);
    signature
}

fn sign(text: &str) -> Signature {
    sign_with(SignatureConfig::default(), text)
}

fn equal(left: &str, right: &str) -> bool {
    let (left, right) = (sign(left).digest, sign(right).digest);
    left.is_some() && left == right
}

fn words(text: &str) -> u32 {
    sign(text).words
}

#[test]
fn case_accents_punctuation_and_numbers_are_ignored() {
    assert!(equal("Café 1984!", "cafe 2024"));
    assert!(equal("cafe\u{301}", "caf\u{e9}"));
    assert!(equal("1,234.56 EUR", "7 eur"));
    assert!(equal("Don’t — stop...", "don't stop"));
    assert!(equal("ΟΔΟΣ", "οδός"));
    assert!(equal("ЁЛКА", "елка"));
    assert!(equal("soft\u{ad}ware", "software"));
    assert!(equal("İstanbul", "istanbul"));
    assert!(!equal("cafe a", "cafe b"));
    assert!(!equal("one word", "oneword"));
}

#[test]
fn characters_of_scripts_without_spaces_are_words() {
    assert_eq!(words("你好，世界。"), 4);
    assert!(equal("你好，世界。", "你好 世界"));
    assert_eq!(words("カタカナとひらがな"), 9);
    assert!(equal("が", "か\u{3099}"));
    assert!(!equal("が", "か"));
    // Thai: consonants with the marks above and below them.
    assert_eq!(words("ที่นี่"), 2);
    assert_eq!(words("สวัสดี"), 4);
    assert!(!equal("ที่", "ที"));
    assert_eq!(words("ພາສາ"), 4);
    assert_eq!(words("ភាសា"), 2);
    assert_eq!(words("한국어 문서"), 2);
    assert!(equal(
        "한국어",
        "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}"
    ));
}

#[test]
fn vowels_of_devanagari_stay() {
    assert_eq!(words("हिन्दी में"), 2);
    assert!(!equal("की", "के"));
    assert!(!equal("कल", "कुल"));
    assert!(equal("क़", "क\u{93c}"));
}

#[test]
fn points_are_ignored() {
    assert!(equal("كِتَابٌ جَدِيدٌ", "كتاب جديد"));
    assert!(equal("كتـــاب", "كتاب"));
    assert!(equal("שָׁלוֹם", "שלום"));
    assert!(equal("می\u{200c}روم", "میروم"));
    assert!(!equal("كتاب", "كتب"));
}

#[test]
fn short_texts_have_a_digest_only() {
    let short = sign("only four words here");
    assert!(short.digest.is_some());
    assert_eq!(short.words, 4);
    assert!(short.minima.is_empty());
    assert_eq!(short.band_keys().count(), 0);
    assert_eq!(similarity(&short.sketch, &short.sketch), 1.0);
    assert_eq!(
        similarity(&short.sketch, &sign("only four words there").sketch),
        0.0
    );
    assert_eq!(sign("these are five words now").minima.len(), 112);
}

#[test]
fn texts_without_words_have_nothing() {
    for text in ["", " \n", "?!… — \u{301} 😀", "\u{64b} ।"] {
        assert_eq!(sign(text), sign(""), "{text:?}");
        assert_eq!(sign(text).digest, None);
        assert_eq!(sign(text).words, 0);
    }
}

#[test]
fn a_signature_does_not_keep_the_one_before() {
    let mut signer = Signer::new(SignatureConfig::default()).unwrap();
    let mut signature = Signature::default();
    for text in [TEXT, "two words", "", TEXT] {
        signer.sign(text, &mut signature);
        assert_eq!(signature, sign(text));
    }
}

const TEXT: &str = "a text of ten different words for all the settings";

#[test]
fn settings_change_what_they_name() {
    let default = SignatureConfig::default();
    let text = sign(TEXT);
    let keys: Vec<u64> = text.band_keys().collect();
    assert_eq!((text.words, text.minima.len(), keys.len()), (10, 112, 14));

    // More bands begin with the same ones.
    let more = sign_with(SignatureConfig { bands: 20, ..default }, TEXT);
    assert_eq!(more.minima[..112], text.minima);
    assert_eq!(more.band_keys().take(14).collect::<Vec<_>>(), keys);
    assert_eq!(more.band_keys().count(), 20);

    // Other rows have the same minima in other bands.
    let rows = sign_with(
        SignatureConfig {
            bands: 28,
            rows: 4,
            ..default
        },
        TEXT,
    );
    assert_eq!(rows.minima, text.minima);
    assert!(rows.band_keys().all(|key| !keys.contains(&key)));

    // Other shingles have other minima.
    let shingle = sign_with(
        SignatureConfig {
            shingle: 4,
            ..default
        },
        TEXT,
    );
    assert_eq!(shingle.digest, text.digest);
    assert!(
        shingle
            .minima
            .iter()
            .zip(&text.minima)
            .all(|(left, right)| left != right)
    );
}

#[test]
fn bands_with_equal_minima_have_different_keys() {
    let mut text = sign(TEXT);
    text.minima.fill(7);
    let mut keys: Vec<u64> = text.band_keys().collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 14);
}

#[test]
fn signatures_are_the_same_on_every_machine() {
    let text = sign(TEXT);
    assert_eq!(text.digest, Some(219707203505308008281270569395101238308));
    assert_eq!(text.minima[..2], [766290643, 291030776]);
    assert_eq!(text.band_keys().next(), Some(11024088383224741684));
    assert_eq!(text.sketch[8..12], [30, 184, 50, 100]);
}

#[test]
fn settings_out_of_range_are_errors() {
    let default = SignatureConfig::default();
    let message = |config| Signer::new(config).map(drop).unwrap_err().to_string();
    assert_eq!(
        message(SignatureConfig {
            shingle: 65,
            ..default
        }),
        "shingle is 65: give a number from 1 to 64"
    );
    assert_eq!(
        message(SignatureConfig { rows: 0, ..default }),
        "rows is 0: give a number from 1 to 1024"
    );
    assert_eq!(
        message(SignatureConfig {
            bands: 129,
            ..default
        }),
        "129 bands of 8 rows are 1032 minima: give at most 1024 in all"
    );
    let huge = SignatureConfig {
        bands: usize::MAX,
        ..default
    };
    assert!(matches!(
        huge.check(),
        Err(ConfigError::OutOfRange { name: "bands", .. })
    ));
}

#[test]
fn settings_are_read_by_name() {
    let config: SignatureConfig = serde_json::from_str(r#"{"bands": 20}"#).unwrap();
    assert_eq!(
        config,
        SignatureConfig {
            bands: 20,
            ..SignatureConfig::default()
        }
    );
    assert!(serde_json::from_str::<SignatureConfig>(r#"{"band": 20}"#).is_err());
}

#[test]
fn sketches_of_different_lengths_are_not_similar() {
    let sketch = |words: u64, bytes: &[u8]| [&words.to_le_bytes(), bytes].concat();
    let known = sketch(7, &[1, 2]);
    assert_eq!(similarity(&known, &sketch(8, &[1, 2, 3])), 0.0);
    assert_eq!(similarity(&known, &sketch(8, &[3, 4])), 0.0);
    assert_eq!(similarity(&known, &sketch(7, &[1, 2])), 1.0);
    assert_eq!(similarity(&known, &[]), 0.0);
}

/// A text of 40 sentences, of which some have another number than in the text with none changed.
fn with_numbers(changed: usize) -> String {
    let sentence = |number: usize| {
        let (name, litres) = (letters(number), number * 7 + usize::from(number < changed));
        format!("the {name} barrel has {litres} litres of {name} cider. ")
    };
    (0..40).map(sentence).collect()
}

/// A word for a number.
fn letters(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + digit as u8);
    [letter(number / 7), letter(number % 7), 'o'].iter().collect()
}

#[test]
fn numbers_count_for_the_similarity_only() {
    let first = sign(&with_numbers(0));
    for changed in [1, 4, 10, 20, 40] {
        let other = sign(&with_numbers(changed));
        assert_eq!(other.digest, first.digest);
        assert_eq!(other.minima, first.minima);
        // Of the 9 shingles that begin in a sentence, 5 have its number; the last sentence has but 4 shingles.
        let all = 40.0 * 9.0 - 4.0;
        let expected = 1.0 - 5.0 * changed as f32 / all;
        let similarity = similarity(&first.sketch, &other.sketch);
        assert!(similarity < 1.0);
        assert!(
            (similarity - expected).abs() < 0.13,
            "{changed}: {similarity}, not {expected}"
        );
    }
    assert_eq!(
        similarity(&first.sketch, &sign(&with_numbers(0).to_uppercase()).sketch),
        1.0
    );
}

#[test]
fn short_texts_with_other_numbers_are_not_similar() {
    let [one, other] = ["page 4 of 9", "page 5 of 9"].map(sign);
    assert_eq!(one.digest, other.digest);
    assert_eq!(similarity(&one.sketch, &other.sketch), 0.0);
    assert_eq!(similarity(&one.sketch, &sign("Page 4 of 9!").sketch), 1.0);
}
