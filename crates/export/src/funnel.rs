//! What each step of a recipe leaves out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Examples of each step.
const EXAMPLES: usize = 10;

/// Documents and their words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Documents.
    pub documents: u64,
    /// Words.
    pub words: u64,
}

/// What a step leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunnelStep {
    /// What it is.
    pub name: String,
    /// What it left out.
    pub removed: Count,
    /// What it left out of each language.
    pub by_language: BTreeMap<String, Count>,
    /// URLs of documents that it left out: those with the least hashes, which are of all parts of the corpus.
    pub examples: Vec<String>,
}

/// What all steps leave out, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Funnel {
    /// The documents of the corpus.
    pub read: Count,
    /// The steps.
    pub steps: Vec<FunnelStep>,
    /// What is written.
    pub written: Count,
    /// What is written of each language.
    pub written_by_language: BTreeMap<String, Count>,
    /// Places with personal data that were masked, by kind.
    pub masked: BTreeMap<String, u64>,
}

impl Count {
    /// One document.
    pub(crate) fn document(words: u64) -> Count {
        Count { documents: 1, words }
    }

    fn add(&mut self, other: Count) {
        self.documents += other.documents;
        self.words += other.words;
    }
}

impl FunnelStep {
    fn add_example(&mut self, url: &str) {
        let key = |url: &str| xxh3_64(url.as_bytes());
        let own = key(url);
        let place = self.examples.partition_point(|there| key(there) <= own);
        if place < EXAMPLES {
            self.examples.truncate(EXAMPLES - 1);
            self.examples
                .insert(place.min(self.examples.len()), url.to_owned());
        }
    }
}

impl Funnel {
    /// One without pages.
    pub(crate) fn new(steps: impl IntoIterator<Item = String>) -> Funnel {
        let steps = steps.into_iter().map(|name| FunnelStep {
            name,
            ..FunnelStep::default()
        });
        Funnel {
            steps: steps.collect(),
            ..Funnel::default()
        }
    }

    /// Counts what a step left out: a document, or words of one.
    pub(crate) fn remove(&mut self, step: usize, count: Count, language: &str, url: &str) {
        let step = &mut self.steps[step];
        step.removed.add(count);
        add(&mut step.by_language, language, count);
        if count.documents > 0 {
            step.add_example(url);
        }
    }

    /// Counts a document that is written.
    pub(crate) fn write(&mut self, words: u64, language: &str) {
        let count = Count::document(words);
        self.written.add(count);
        add(&mut self.written_by_language, language, count);
    }

    pub(crate) fn read(&mut self, words: u64) {
        self.read.add(Count::document(words));
    }

    pub(crate) fn mask(&mut self, kind: &str, places: u64) {
        if places > 0 {
            *self.masked.entry(kind.to_owned()).or_default() += places;
        }
    }

    /// Adds the counts of the pages that come next.
    pub(crate) fn add(&mut self, next: Funnel) {
        self.read.add(next.read);
        for (step, next) in self.steps.iter_mut().zip(next.steps) {
            step.removed.add(next.removed);
            for (language, count) in next.by_language {
                add(&mut step.by_language, &language, count);
            }
            next.examples.iter().for_each(|url| step.add_example(url));
        }
        self.written.add(next.written);
        for (language, count) in next.written_by_language {
            add(&mut self.written_by_language, &language, count);
        }
        for (kind, places) in next.masked {
            self.mask(&kind, places);
        }
    }

    /// What is left after each step.
    pub fn left(&self) -> impl Iterator<Item = Count> {
        self.steps.iter().scan(self.read, |left, step| {
            left.documents -= step.removed.documents;
            left.words -= step.removed.words;
            Some(*left)
        })
    }
}

fn add(counts: &mut BTreeMap<String, Count>, language: &str, count: Count) {
    if count == Count::default() {
        return;
    }
    match counts.get_mut(language) {
        Some(there) => there.add(count),
        None => drop(counts.insert(language.to_owned(), count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the pieces, examples are those with the least hashes.
    #[test]
    fn examples_do_not_depend_on_the_pieces() {
        let urls: Vec<String> = (0..100)
            .map(|number| format!("http://a.example/{number}"))
            .collect();
        let mut least = urls.clone();
        least.sort_by_key(|url| xxh3_64(url.as_bytes()));
        for size in [1, 7, 100] {
            let mut funnel = Funnel::new(["all".to_owned()]);
            for piece in urls.chunks(size) {
                let mut next = Funnel::new(["all".to_owned()]);
                piece
                    .iter()
                    .for_each(|url| next.remove(0, Count::document(1), "eng", url));
                funnel.add(next);
            }
            assert_eq!(funnel.steps[0].examples, least[..EXAMPLES]);
            assert_eq!(funnel.steps[0].removed.documents, 100);
        }
    }
}
