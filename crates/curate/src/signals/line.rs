//! What is counted of a line.

use crate::characters::Character;
use crate::kinds::{ALPHABETIC, DIGIT, NUMERIC, PUNCTUATION, SPACE, UPPER};

/// A line and its counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Where it begins in the text.
    pub(super) start: usize,
    pub(super) characters: u32,
    pub(super) alphabetic: u32,
    pub(super) upper: u32,
    pub(super) numeric: u32,
    pub(super) digits: u32,
    pub(super) punctuation: u32,
    /// Neither alphabetic nor numeric, punctuation or white space.
    pub(super) singular: u32,
    /// What white space separates.
    pub(super) words: u32,
    /// The characters of the longest of them.
    pub(super) longest_word: u32,
}

impl Line<'_> {
    pub(super) fn new(text: &str, start: usize) -> Line<'_> {
        let mut line = Line {
            text,
            start,
            ..Line::default()
        };
        let mut word = 0;
        for letter in text.chars() {
            word = line.count(Character::get(letter).kinds, word);
        }
        line
    }

    /// Counts a character, after a word of `word` characters. Returns the length of the word with it.
    #[inline]
    fn count(&mut self, kinds: u8, word: u32) -> u32 {
        let is = |flags: u8| u32::from(kinds & flags != 0);
        self.characters += 1;
        self.alphabetic += is(ALPHABETIC);
        self.upper += is(UPPER);
        self.numeric += is(NUMERIC);
        self.digits += is(DIGIT);
        self.punctuation += is(PUNCTUATION);
        self.singular += 1 - is(ALPHABETIC | NUMERIC | PUNCTUATION | SPACE);
        let word = (word + 1) * (1 - is(SPACE));
        self.words += u32::from(word == 1);
        self.longest_word = self.longest_word.max(word);
        word
    }

    /// Whether it has nothing but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.words == 0
    }
}
