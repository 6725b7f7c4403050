//! What is counted of a line.

use crate::characters::Character;
use crate::kinds::{ALPHABETIC, DIGIT, NUMERIC, PUNCTUATION, SPACE, UPPER};

/// A line and its counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Where it begins in the text.
    pub(super) start: usize,
    pub(super) is_ascii: bool,
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
}

impl Line<'_> {
    #[inline(always)]
    pub(super) fn new(text: &str, start: usize) -> Line<'_> {
        let mut line = Line {
            text,
            start,
            is_ascii: text.is_ascii(),
            ..Line::default()
        };
        if line.is_ascii {
            line.count_ascii();
        } else {
            let mut before = SPACE;
            for letter in text.chars() {
                let kinds = Character::get(letter).kinds;
                line.count(kinds, before);
                before = kinds;
            }
        }
        line
    }

    /// Counts the characters of a line of ASCII. Each count is a loop by itself, so that each looks at many bytes at once.
    #[inline(always)]
    fn count_ascii(&mut self) {
        let bytes = self.text.as_bytes();
        self.characters = bytes.len() as u32;
        self.alphabetic = count(bytes, u8::is_ascii_alphabetic);
        self.upper = count(bytes, u8::is_ascii_uppercase);
        self.numeric = count(bytes, u8::is_ascii_digit);
        self.digits = self.numeric;
        self.punctuation = count(bytes, is_punctuation);
        self.singular =
            self.characters - self.alphabetic - self.numeric - self.punctuation - count(bytes, is_space);
        let begins = bytes
            .windows(2)
            .filter(|pair| is_space(&pair[0]) & !is_space(&pair[1]))
            .count();
        let has_first = bytes.first().is_some_and(|byte| !is_space(byte));
        self.words = begins as u32 + u32::from(has_first);
    }

    /// Counts a character after another.
    #[inline]
    fn count(&mut self, kinds: u8, before: u8) {
        let is = |flags: u8| u32::from(kinds & flags != 0);
        self.characters += 1;
        self.alphabetic += is(ALPHABETIC);
        self.upper += is(UPPER);
        self.numeric += is(NUMERIC);
        self.digits += is(DIGIT);
        self.punctuation += is(PUNCTUATION);
        self.singular += 1 - is(ALPHABETIC | NUMERIC | PUNCTUATION | SPACE);
        self.words += u32::from(before & SPACE != 0 && kinds & SPACE == 0);
    }

    /// Whether it has nothing but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.words == 0
    }
}

/// How many of the bytes are of a kind. In blocks whose counts fit in a byte: then whole vectors are counted at once.
#[inline(always)]
fn count(bytes: &[u8], is: impl Fn(&u8) -> bool) -> u32 {
    let block = |block: &[u8]| block.iter().map(|byte| u8::from(is(byte))).sum::<u8>();
    bytes
        .chunks(usize::from(u8::MAX))
        .map(|bytes| u32::from(block(bytes)))
        .sum()
}

/// The white space of ASCII.
#[inline]
fn is_space(byte: &u8) -> bool {
    (*byte == b' ') | byte.wrapping_sub(b'\t').lt(&5)
}

/// The marks of ASCII that [`PUNCTUATION`] has.
#[inline]
fn is_punctuation(byte: &u8) -> bool {
    matches!(
        byte,
        b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'"' | b'(' | b')' | b'-'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::kinds;

    #[test]
    fn ascii_has_the_same_kinds() {
        for byte in 0..128_u8 {
            let kinds = kinds(char::from(byte));
            assert_eq!(is_space(&byte), kinds & SPACE != 0, "{byte}");
            assert_eq!(is_punctuation(&byte), kinds & PUNCTUATION != 0, "{byte}");
        }
    }
}
