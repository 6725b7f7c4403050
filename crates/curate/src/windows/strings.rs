//! Strings that are searched as they are.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

use super::search::Places;

/// A set of strings, such as URLs.
#[derive(Clone, Debug)]
pub struct Strings {
    strings: Vec<String>,
    shared: Vec<bool>,
    automaton: AhoCorasick,
    longest: usize,
}

impl Strings {
    /// The strings, without empty ones.
    pub fn new<'a>(strings: impl IntoIterator<Item = &'a str>) -> Strings {
        let strings: BTreeSet<&str> = strings.into_iter().filter(|string| !string.is_empty()).collect();
        let strings: Vec<String> = strings.into_iter().map(str::to_owned).collect();
        Strings {
            automaton: AhoCorasick::new(&strings).expect("the strings have fewer than 2^31 bytes"),
            longest: strings.iter().map(String::len).max().unwrap_or_default(),
            shared: vec![false; strings.len()],
            strings,
        }
    }

    /// Takes out the strings that are in a text that stays.
    pub fn remove_shared(&mut self, text: &str) {
        let mut shared = Places::default();
        self.find(text.as_bytes(), &mut shared.strings);
        self.remove(&shared);
    }

    /// Takes out the strings that a search of texts that stay has found.
    pub fn remove(&mut self, shared: &Places) {
        for &string in &shared.strings {
            self.shared[string] = true;
        }
    }

    /// The strings that were taken out.
    pub fn shared(&self) -> impl Iterator<Item = &str> {
        (0..self.strings.len())
            .filter(|string| self.shared[*string])
            .map(|string| self.get(string))
    }

    /// The bytes of the longest.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    pub(super) fn get(&self, string: usize) -> &str {
        &self.strings[string]
    }

    /// Adds the places of the strings in bytes that are not shared.
    pub(super) fn find(&self, bytes: &[u8], found: &mut BTreeSet<usize>) {
        if self.strings.is_empty() {
            return;
        }
        let matches = self
            .automaton
            .find_overlapping_iter(bytes)
            .map(|found| found.pattern().as_usize());
        found.extend(matches.filter(|string| !self.shared[*string]));
    }
}
