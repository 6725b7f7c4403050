//! What a corpus is chosen by: facts about the texts of its documents. Nothing here decides whether a document is kept.
//!
//! | of a text | |
//! |---|---|
//! | languages and scripts | [`LanguageIdentifier`]; [`FastText`] for a model that a user brings |
//! | measures of quality, and verdicts of known rules | [`Measurer`]; [`gopher`], [`c4`], [`fineweb`], [`fineweb2`], [`dclm`] |
//! | personal data, with places and masks | [`personal_data`], [`mask_personal_data`] |
//! | passages of benchmarks | [`Benchmarks`], [`ContaminationSearch`] |
//! | signatures, for exact and near duplicates | [`Signer`] (below) |
//! | what of it is in other bytes | [`Windows`] |
//!
//! | of a URL | |
//! |---|---|
//! | lists of domains and URLs that it is on | [`UrlLists`] |
//! | what its robots.txt forbids | [`Robots`] |
//! | what the page and its site state about rights | [`rights`] |
//!
//! # Signatures
//!
//! In: texts. Out: for each text its [`Signature`]: a digest, equal for exact duplicates; [keys](Signature::band_keys), of
//! which near duplicates share one; and a [sketch](Signature::sketch), from which the [`similarity`] of two texts is
//! estimated, numbers included. This crate does not group texts by keys: that is work for a dataflow.
//!
//! # The idea
//!
//! *Words.* Case, accents, punctuation and numbers often differ between copies of a text. So a text becomes a sequence of
//! normalised words: what UAX #29 leaves together, in lower case, decomposed (NFD), without accents and points, without
//! punctuation, and with a 0 for each number. Marks that are vowels, as in Thai and Devanagari, stay. In scripts without
//! spaces between words (Han, kana, Thai, Lao, Khmer, Myanmar), each character with its marks is a word.
//!
//! *Shingles.* A text is the set of its shingles: all runs of five words. The similarity J of two texts is the Jaccard
//! similarity of these sets, that is the shingles of both divided by the shingles of either.
//!
//! *Minima* (MinHash: Broder 1997). Under a random permutation of all shingles, two texts have the same least shingle with
//! probability J. A signature has the minima of many permutations.
//!
//! *Bands* (Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, chapter 3). The minima are split into bands of some
//! rows, and each band gives a key. Texts share a key with probability 1 - (1 - J^rows)^bands. With the defaults that is
//!
//! | J | 0.5 | 0.6 | 0.7 | 0.75 | 0.8 | 0.85 | 0.9 |
//! |---|---|---|---|---|---|---|---|
//! | shares a key | 0.05 | 0.21 | 0.57 | 0.77 | 0.92 | 0.99 | 1.00 |
//!
//! The defaults are those of FineWeb (DataTrove). Words are normalised nearly as there, with two differences: vowel marks
//! stay, and punctuation inside a word is removed (*don't* is *dont*) instead of parting it.
//!
//! Signatures are the same on every machine. A new version of Unicode, in Rust or in the two crates that read words, can
//! change signatures of texts that have characters with changed properties.
//!
//! # The cost
//!
//! Most is for reading the words: on an x86-64 with AVX2 the 112 minima take a fifth. No text allocates once the memory of the
//! signer has grown to the largest text. A signature has 448 bytes of minima; its keys have 112 bytes, and its sketch has 120.
//!
//! ```
//! use gleaner_curate::{Signature, SignatureConfig, Signer, similarity};
//!
//! let mut signer = Signer::new(SignatureConfig::default())?;
//! let mut sign = |text: &str| {
//!     let mut signature = Signature::default();
//!     signer.sign(text, &mut signature);
//!     signature
//! };
//! let story = "The boat left the harbour at 7:30, with nine people and a dog on board. It passed the lighthouse \
//!     at noon, turned north behind the islands, and came back after nine days with a hold full of herring.";
//! let one = sign(story);
//!
//! // The same words are an exact duplicate.
//! assert_eq!(one.digest, sign(&story.to_uppercase().replace("7:30", "9:45")).digest);
//!
//! // A longer text with the same words is a near duplicate.
//! let longer = sign(&format!("{story} Read more"));
//! assert_ne!(one.digest, longer.digest);
//! assert!(one.band_keys().zip(longer.band_keys()).any(|(left, right)| left == right));
//! assert!(similarity(&one.sketch, &longer.sketch) > 0.8);
//! # Ok::<(), gleaner_curate::ConfigError>(())
//! ```

mod boundaries;
mod characters;

mod config;
mod contamination;
mod kinds;
mod language;
mod lists;
mod minima;
mod normal;
mod personal;
pub mod rights;
mod robots;
mod signals;
mod signature;
mod sketch;
mod windows;
mod words;

pub use config::{ConfigError, SignatureConfig};
pub use contamination::{BadBenchmark, Benchmarks, CONTAMINATION_WORDS, Contamination, ContaminationSearch};
pub use language::{FastText, FastTextError, Language, LanguageIdentifier, LanguageShare, Languages};
pub use lists::{BadUrlList, UrlLists};
pub use personal::{PersonalCounts, PersonalKind, PersonalSpan, mask_personal_data, personal_data};
pub use robots::{
    Agents, BadAgents, NewestRobots, Robots, RobotsRecord, Verdict, crawl_delay, robots_host,
    robots_sitemaps, robots_text,
};
pub use signals::{
    Allowed, C4Signals, LineRules, LineSignals, Measurer, RuleSet, Signals, Threshold, WdsSignals, c4, dclm,
    fineweb, fineweb_c4, fineweb2, gopher, kept_lines,
};
pub use signature::{Signature, Signer};
pub use sketch::similarity;
pub use windows::{Found, Places, Search, Strings, WINDOW, Windows};
