//! Texts of benchmarks in documents: runs of thirteen words that both have.
//!
//! In: the passages of benchmarks, by task; then documents. Out: for each document the places with a passage, how many of its
//! words are there, and the share of the passage that the document has.
//!
//! Words are compared in their normal form, as for [signatures](crate::Signer): case, accents, punctuation and figures do not
//! matter. Thirteen words in a row are what GPT-3 (Brown et al. 2020, appendix C) and others since take for a copy. Shorter passages,
//! such as most answers, occur everywhere, and are left out.
//!
//! # The cost
//!
//! Of a document, the hash of each run of words is looked up in a bit map with 16 bits for each run of the passages. Only runs that
//! are in the map are searched among those of the passages.

mod passages;

pub use passages::{BadBenchmark, Benchmarks};

use std::sync::Arc;

use crate::words::Words;

/// Runs of a document that count, one for each passage that has it: the first ones. It bounds what a page can take.
const MAX_HITS: usize = 1 << 18;

/// The words of a run.
pub const CONTAMINATION_WORDS: usize = 13;

/// A place of a document that a passage of a benchmark has, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Contamination<'a> {
    /// The name of the task.
    pub task: &'a str,
    /// The line of the task's file on which the passage begins, from 1.
    pub line: u32,
    /// The first byte of the place.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
    /// The words of the place.
    pub words: usize,
    /// Different runs of the passage that the whole document has, divided by all different runs of the passage.
    pub share: f64,
}

/// Searches documents. Its memory is kept from one document to the next.
///
/// ```
/// use std::sync::Arc;
///
/// use gleaner_curate::{Benchmarks, ContaminationSearch};
///
/// let passage = "Which boat left the harbour at seven in the morning with nine people and a dog on board?";
/// let benchmarks = Benchmarks::new([("harbours", passage)]);
/// let mut search = ContaminationSearch::new(Arc::new(benchmarks));
/// let text = "A quiz. Which boat left the harbour at SEVEN in the morning, with nine people and a dog on board? The ferry!";
/// let found = search.find(text);
/// assert_eq!((found[0].task, found[0].words, found[0].share), ("harbours", 18, 1.0));
/// assert!(text[found[0].start..found[0].end].starts_with("Which boat"));
/// ```
#[derive(Debug)]
pub struct ContaminationSearch {
    benchmarks: Arc<Benchmarks>,
    words: Words,
}

/// A run of a document that a passage has: the number of its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    passage: u32,
    word: usize,
    hash: u64,
}

impl ContaminationSearch {
    /// A search for the passages.
    pub fn new(benchmarks: Arc<Benchmarks>) -> ContaminationSearch {
        ContaminationSearch {
            benchmarks,
            words: Words::default(),
        }
    }

    /// The places of a document that passages have, by task, passage and place. In a document with more than 262,144 runs of
    /// passages the first ones count.
    pub fn find(&mut self, text: &str) -> Vec<Contamination<'_>> {
        self.words.read(text);
        let mut hits = Vec::new();
        for (word, hash) in runs(self.words.hashes()).enumerate() {
            let passages = self.benchmarks.passages_with(hash);
            hits.extend(passages.map(|passage| Hit { passage, word, hash }));
            if hits.len() >= MAX_HITS {
                hits.truncate(MAX_HITS);
                break;
            }
        }
        if hits.is_empty() {
            return Vec::new();
        }
        hits.sort_unstable();
        let places = word_places(text);
        let by_passage = hits.chunk_by(|one, other| one.passage == other.passage);
        by_passage.flat_map(|hits| self.places(hits, &places)).collect()
    }

    /// The places of a passage: runs that overlap or touch are one.
    fn places(&self, hits: &[Hit], places: &[(usize, usize)]) -> Vec<Contamination<'_>> {
        let passage = hits[0].passage;
        let (task, line, runs) = self.benchmarks.passage(passage);
        let mut hashes: Vec<u64> = hits.iter().map(|hit| hit.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let share = hashes.len() as f64 / f64::from(runs);
        let joined = hits.chunk_by(|one, next| next.word <= one.word + CONTAMINATION_WORDS);
        let place = |hits: &[Hit]| {
            let first = hits[0].word;
            let last = hits[hits.len() - 1].word + CONTAMINATION_WORDS - 1;
            Contamination {
                task,
                line,
                start: places[first].0,
                end: places[last].1,
                words: last + 1 - first,
                share,
            }
        };
        joined.map(place).collect()
    }
}

/// The hashes of all runs of words: a rolling hash of the hashes of the words.
fn runs(words: &[[u8; 8]]) -> impl Iterator<Item = u64> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    const OUT: u64 = BASE.wrapping_pow(CONTAMINATION_WORDS as u32);
    let mut hash = 0_u64;
    let ins = words.iter().map(|word| u64::from_le_bytes(*word)).enumerate();
    ins.filter_map(move |(at, word)| {
        hash = hash.wrapping_mul(BASE).wrapping_add(word);
        if let Some(out) = at.checked_sub(CONTAMINATION_WORDS) {
            hash = hash.wrapping_sub(u64::from_le_bytes(words[out]).wrapping_mul(OUT));
        }
        (at + 1 >= CONTAMINATION_WORDS).then(|| crate::minima::mixed(hash))
    })
}

/// Where the words stand in the text. [`Words`] keeps no places: few documents need them.
#[cold]
fn word_places(text: &str) -> Vec<(usize, usize)> {
    use crate::normal::{is_katakana, normal_form};
    use unicode_segmentation::UnicodeSegmentation;
    let mut places = Vec::new();
    for (start, segment) in text.split_word_bound_indices() {
        let cuts = segment
            .char_indices()
            .filter(|(_, letter)| is_katakana(*letter))
            .map(|(at, _)| at);
        let mut begin = 0;
        for end in cuts.chain([segment.len()]) {
            if normal_form(&segment[begin..end]).any(char::is_alphanumeric) {
                places.push((start + begin, start + end));
            }
            begin = end;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn places_are_those_of_the_words() {
        let texts = [
            "",
            "One, two 3.5 – don't カタカナ 港に。",
            "e\u{301} \u{301} [\u{dd6} ﷺ א'",
            "a_b http://a.example/ 👩‍🚀 x",
        ];
        for text in texts {
            let mut words = Words::default();
            words.read(text);
            let places = word_places(text);
            assert_eq!(places.len(), words.hashes().len(), "{text}");
        }
    }

    /// All places where a run of the document equals a run of the passage.
    fn slow(passage: &str, text: &str) -> Vec<usize> {
        let words = |text: &str| -> Vec<String> {
            text.split(' ')
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let (passage, text) = (words(passage), words(text));
        let is_in = |run: &[String]| passage.windows(CONTAMINATION_WORDS).any(|other| other == run);
        text.windows(CONTAMINATION_WORDS)
            .enumerate()
            .filter(|(_, run)| is_in(run))
            .map(|(at, _)| at)
            .collect()
    }

    proptest! {
        #[test]
        fn runs_are_found_as_by_the_slow_way(passage in "([ab] ){0,30}", other in "([ab] ){0,20}", pieces in vec(("[abc]", 1..12_usize), 0..5)) {
            let text: String = pieces.iter().map(|(letter, times)| format!("{letter} ").repeat(*times)).collect::<String>() + &other + &passage;
            let benchmarks = Benchmarks::new([("one", passage.as_str()), ("two", other.as_str())]);
            let mut search = ContaminationSearch::new(Arc::new(benchmarks));
            let found = search.find(&text);
            for (task, passage) in [("one", &passage), ("two", &other)] {
                let runs = slow(passage, &text);
                let mut words = vec![false; text.len()];
                runs.iter().for_each(|at| words[*at..at + CONTAMINATION_WORDS].fill(true));
                let expected = words.iter().filter(|word| **word).count();
                let places: Vec<&Contamination<'_>> = found.iter().filter(|place| place.task == task).collect();
                prop_assert_eq!(places.iter().map(|place| place.words).sum::<usize>(), expected);
                for place in places {
                    let written = &text[place.start..place.end];
                    prop_assert_eq!(written.split(' ').count(), place.words);
                    prop_assert!(place.share > 0.0 && place.share <= 1.0);
                }
            }
        }
    }
}
