//! Words that almost every text of a language has.

use std::collections::HashMap;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::tokens::Tokens;
use crate::language::{Language, short_code};

/// The list of Gopher (Rae et al. 2021, appendix A.1.1).
pub(super) static GOPHER: LazyLock<List> =
    LazyLock::new(|| List::new(&["the", "be", "to", "of", "and", "that", "have", "with"]));

/// A list of words, as hashes.
#[derive(Debug)]
pub(super) struct List(FxHashSet<u64>);

/// The lists of languages. Each is made when it is first needed.
#[derive(Debug, Default)]
pub(super) struct StopWords {
    lists: HashMap<String, Option<List>>,
}

impl List {
    fn new(words: &[&str]) -> List {
        List(words.iter().map(|word| xxh3_64(word.as_bytes())).collect())
    }

    /// How often words of the list occur.
    pub(super) fn count(&self, tokens: &Tokens) -> u32 {
        let in_list = tokens.distinct.iter().filter(|kind| self.0.contains(&kind.hash));
        in_list.map(|kind| kind.count).sum()
    }
}

impl StopWords {
    /// How often the stop words of a language occur; none if there is no list.
    pub(super) fn count(&mut self, language: &Language, tokens: &Tokens) -> Option<u32> {
        let iso = language.iso();
        if !self.lists.contains_key(iso) {
            let words = short_code(iso).and_then(stop_words::lookup);
            self.lists.insert(iso.to_owned(), words.map(List::new));
        }
        self.lists[iso].as_ref().map(|list| list.count(tokens))
    }
}
