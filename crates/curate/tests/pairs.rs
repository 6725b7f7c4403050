//! Pairs of made documents: minima, bands and sketches follow the formulas.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use std::collections::hash_map::Entry;

use gleaner_curate::{Signature, SignatureConfig, Signer, similarity};
use gleaner_testing::Random;
use rustc_hash::{FxHashMap, FxHashSet};

/// Documents of a family: one, and changed copies of it.
const FAMILY: usize = 5;

const FAMILIES: usize = 4_000;

/// A word of Latin letters with a space, or a Han character.
fn word(random: &mut Random, spaced: bool) -> String {
    if !spaced {
        let number = 0x4e00 + random.below(0x5000) as u32;
        return char::from_u32(number).unwrap().to_string();
    }
    let length = 2 + random.below(7);
    let letters = (0..length).map(|_| char::from(b'a' + random.below(26) as u8));
    letters.chain([' ']).collect()
}

/// A copy of a document with `edits` words changed, added or removed, and sometimes a part of its end cut off.
fn changed(random: &mut Random, words: &[String], edits: usize, spaced: bool) -> Vec<String> {
    let mut words = words.to_vec();
    if random.below(4) == 0 {
        let cut = random.below(words.len() / 6);
        words.truncate(words.len() - cut);
    }
    for _ in 0..edits {
        let at = random.below(words.len());
        match random.below(4) {
            0 => words.insert(at, word(random, spaced)),
            1 => drop(words.remove(at)),
            _ => words[at] = word(random, spaced),
        }
    }
    words
}

/// A document with its words and what is computed of it.
struct Document {
    words: Vec<String>,
    signature: Signature,
}

/// Families of documents, one after the other.
fn documents() -> Vec<Document> {
    let mut random = Random::new(1);
    let mut signer = Signer::new(SignatureConfig::default()).unwrap();
    let mut documents = Vec::new();
    for family in 0..FAMILIES {
        let spaced = family % 2 == 0;
        let length = 60 + random.below(240);
        let first: Vec<String> = (0..length).map(|_| word(&mut random, spaced)).collect();
        for member in 0..FAMILY {
            let edits = random.below(1 + member * length / 32);
            let words = changed(&mut random, &first, edits, spaced);
            let mut signature = Signature::default();
            signer.sign(&words.concat(), &mut signature);
            assert_eq!(signature.words as usize, words.len());
            documents.push(Document { words, signature });
        }
    }
    documents
}

/// The Jaccard similarity of the shingles of two documents.
fn jaccard(left: &Document, right: &Document) -> f64 {
    let shingles = |document: &Document| -> FxHashSet<String> {
        document.words.windows(5).map(|words| words.join(" ")).collect()
    };
    let (left, right) = (shingles(left), shingles(right));
    let both = left.intersection(&right).count();
    both as f64 / (left.len() + right.len() - both) as f64
}

/// A pair of a family.
struct Pair {
    jaccard: f64,
    shares_key: bool,
    /// The part of equal minima.
    equal: f64,
    sketched: f64,
}

fn pair(left: &Document, right: &Document) -> Pair {
    let minima = left.signature.minima.iter().zip(&right.signature.minima);
    let equal = minima.filter(|(left, right)| left == right).count();
    let mut keys = left.signature.band_keys().zip(right.signature.band_keys());
    Pair {
        jaccard: jaccard(left, right),
        shares_key: keys.any(|(left, right)| left == right),
        equal: equal as f64 / 112.0,
        sketched: similarity(&left.signature.sketch, &right.signature.sketch).into(),
    }
}

fn pairs(documents: &[Document]) -> Vec<Pair> {
    let of_family = |family: &[Document]| -> Vec<Pair> {
        let places = (0..FAMILY).flat_map(|right| (0..right).map(move |left| (left, right)));
        places
            .map(|(left, right)| pair(&family[left], &family[right]))
            .collect()
    };
    documents.chunks(FAMILY).flat_map(of_family).collect()
}

/// The probability that a pair shares a key.
fn shares_key(jaccard: f64) -> f64 {
    1.0 - (1.0 - jaccard.powi(8)).powi(14)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        (sum, count) = (sum + value, count + 1);
    }
    sum / f64::from(count)
}

/// Pairs with a Jaccard similarity near a number.
fn near(pairs: &[Pair], jaccard: f64) -> Vec<&Pair> {
    let of = pairs.iter().filter(|pair| (pair.jaccard - jaccard).abs() < 0.05);
    of.collect()
}

#[test]
fn pairs_are_found_as_the_formulas_say() {
    let documents = documents();
    let pairs = pairs(&documents);
    for at in [0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
        let near = near(&pairs, at);
        recall(at, &near);
        estimates(at, &near);
    }
    precision(&pairs);
    strangers(&documents);
}

/// The part of pairs that share a key.
fn recall(at: f64, pairs: &[&Pair]) {
    let found = mean(pairs.iter().map(|pair| f64::from(u8::from(pair.shares_key))));
    let expected = mean(pairs.iter().map(|pair| shares_key(pair.jaccard)));
    assert!(pairs.len() > 2_000);
    assert!(
        (found - expected).abs() < 0.02,
        "near {at}: {found} of the pairs, not {expected}"
    );
}

/// The errors of the similarity by minima and by sketches.
fn estimates(at: f64, pairs: &[&Pair]) {
    let by_chance = 1.0 / 256.0;
    let of = |estimate: fn(&Pair) -> f64, chance: f64| {
        let errors = || pairs.iter().map(|pair| estimate(pair) - pair.jaccard);
        let variance = |pair: &&Pair| {
            let part = pair.jaccard + (1.0 - pair.jaccard) * chance;
            part * (1.0 - part) / 112.0 / (1.0 - chance).powi(2)
        };
        let deviation = mean(errors().map(|error| error * error)).sqrt();
        let expected = mean(pairs.iter().map(variance)).sqrt();
        let bias = mean(errors());
        assert!(bias.abs() < 0.003, "near {at}: mean error {bias}");
        assert!(
            (deviation / expected - 1.0).abs() < 0.06,
            "near {at}: deviation {deviation}, not {expected}"
        );
    };
    of(|pair| pair.equal, 0.0);
    of(|pair| pair.sketched, by_chance);
}

/// Of the pairs that share a key, few are less than half alike.
fn precision(pairs: &[Pair]) {
    let unlike = || pairs.iter().filter(|pair| pair.jaccard < 0.5);
    let found = unlike().filter(|pair| pair.shares_key).count() as f64;
    let expected: f64 = unlike().map(|pair| shares_key(pair.jaccard)).sum();
    assert!(
        (found - expected).abs() < 5.0 * expected.sqrt(),
        "{found} pairs, not {expected}"
    );
}

/// Documents of different families share no key.
fn strangers(documents: &[Document]) {
    let mut families: FxHashMap<u64, usize> = FxHashMap::default();
    for (place, document) in documents.iter().enumerate() {
        for key in document.signature.band_keys() {
            match families.entry(key) {
                Entry::Occupied(family) => assert_eq!(*family.get(), place / FAMILY),
                Entry::Vacant(free) => drop(free.insert(place / FAMILY)),
            }
        }
    }
}
