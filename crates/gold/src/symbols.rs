//! Words as numbers, equal for equal words.

use gleaner_features::words;
use rustc_hash::FxHashMap;

/// Gives each word that it meets a number, from zero on.
#[derive(Default)]
pub(crate) struct Symbols {
    known: FxHashMap<String, u32>,
}

impl Symbols {
    /// Appends the words of a text, lower-cased.
    pub(crate) fn read(&mut self, text: &str, out: &mut Vec<u32>) {
        for word in words(&text.to_lowercase()) {
            let next = self.known.len() as u32;
            let symbol = match self.known.get(word) {
                Some(&symbol) => symbol,
                None => *self.known.entry(word.to_owned()).or_insert(next),
            };
            out.push(symbol);
        }
    }

    /// How many words are known; their numbers are below it.
    pub(crate) fn count(&self) -> u32 {
        self.known.len() as u32
    }
}
