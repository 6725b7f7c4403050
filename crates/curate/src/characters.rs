//! What each character does in a word, from a table.

use std::sync::OnceLock;

use unicode_normalization::char::canonical_combining_class;
use unicode_segmentation::UnicodeSegmentation;

use crate::kinds::kinds;
use crate::normal::{is_katakana, normal_form};

/// What a character does to the word it stands in, by the word boundaries of UAX #29.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Ends a word and is in none: white space, most punctuation, symbols without letters.
    Break,
    /// Letters of a word.
    Letter,
    /// Digits of a word.
    Digit,
    /// Joins letters and digits: `_`.
    Joiner,
    /// Belongs to the character before: combining marks and invisible signs.
    Mark,
    /// Joins two letters: `:`.
    BetweenLetters,
    /// Joins two digits: `,`.
    BetweenDigits,
    /// Joins two letters or two digits: `.` and `'`.
    Between,
    /// `"`, which joins Hebrew letters.
    Quote,
    /// A word by itself: Han, Hiragana, Thai and other scripts that are written without spaces.
    Alone,
    /// A word by itself, which `_` could follow.
    Katakana,
    /// An emoji: ends a word and is in none, unless an invisible sign joins it.
    Emoji,
    /// Anything that needs the rules in full.
    Other,
}

/// Maximum bytes of the normal form of a character in the table. Hangul syllables have 9.
pub(crate) const FORM: usize = 12;

/// A character in the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Character {
    /// The normal form of the character: the first `len` bytes.
    pub(crate) form: [u8; FORM],
    pub(crate) len: u8,
    pub(crate) class: Class,
    pub(crate) flags: u8,
    /// What is counted of it: the flags of [`kinds`].
    pub(crate) kinds: u8,
}

/// The normal form has a letter or digit: with such a character a word is a word.
pub(crate) const ALPHANUMERIC: u8 = 1;
/// The normal form is a digit: of two in a row, one is kept.
pub(crate) const DIGIT: u8 = 2;
/// The normal form begins with a mark that can change places with one before it.
pub(crate) const MARK_FIRST: u8 = 4;
/// The normal form ends with such a mark.
pub(crate) const MARK_LAST: u8 = 8;
/// The normal form of a word with this character cannot be put together character by character.
pub(crate) const WHOLE: u8 = 16;
/// A Hebrew letter.
pub(crate) const HEBREW: u8 = 32;

impl Character {
    /// A character, from the table. A row of the table is filled when its first character is needed.
    #[inline]
    pub(crate) fn get(letter: char) -> &'static Character {
        let number = letter as usize;
        &row(number / ROW)[number % ROW]
    }

    /// A character, computed: its class by trying how it joins others.
    fn new(letter: char) -> Character {
        let mut character = Character {
            form: [0; FORM],
            len: 0,
            class: class(letter),
            flags: 0,
            kinds: kinds(letter),
        };
        character.set_form(letter);
        if character.class == Class::Letter && is_one(&['א', '"', letter]) {
            character.flags |= HEBREW;
        }
        character
    }

    /// Sets the normal form and what is known of it.
    fn set_form(&mut self, letter: char) {
        let form: String = normal_form(letter.encode_utf8(&mut [0; 4])).collect();
        let Some(room) = self.form.get_mut(..form.len()) else {
            self.flags = WHOLE;
            return;
        };
        room.copy_from_slice(form.as_bytes());
        self.len = form.len() as u8;
        let is_mark = |letter: char| canonical_combining_class(letter) != 0;
        let flags = [
            (form.contains(char::is_alphanumeric), ALPHANUMERIC),
            (form == "0", DIGIT),
            (form.len() > 1 && form.contains('0'), WHOLE),
            (form.starts_with(is_mark), MARK_FIRST),
            (form.ends_with(is_mark), MARK_LAST),
        ];
        self.flags = flags.iter().filter(|flag| flag.0).map(|flag| flag.1).sum();
    }
}

/// The class of a character. The classes are not in any table that could be read: they follow from what the rules make of
/// the character between letters, digits and others.
fn class(letter: char) -> Class {
    let before = is_one(&['a', letter]);
    let after = is_one(&[letter, 'a']);
    let joins = |other: char| is_one(&[other, letter, other]);
    match letter {
        '"' => Class::Quote,
        // A letter that is also an emoji.
        _ if after && is_one(&['\u{200d}', letter]) => Class::Other,
        _ if after && is_one(&['a', '.', letter]) => Class::Letter,
        _ if after && is_one(&['0', '.', letter]) => Class::Digit,
        _ if before && after => Class::Joiner,
        _ if before => Class::Mark,
        _ if joins('a') && joins('0') => Class::Between,
        _ if joins('a') => Class::BetweenLetters,
        _ if joins('0') => Class::BetweenDigits,
        _ if is_katakana(letter) => Class::Katakana,
        _ if is_one(&['カ', letter]) => Class::Other,
        _ if is_one(&['\u{200d}', letter]) => Class::Emoji,
        _ if !letter.is_alphanumeric() => Class::Break,
        _ => Class::Alone,
    }
}

/// Whether the rules leave characters together.
fn is_one(letters: &[char]) -> bool {
    let mut bytes = [0; 12];
    let mut end = 0;
    for letter in letters {
        end += letter.encode_utf8(&mut bytes[end..]).len();
    }
    let text = std::str::from_utf8(&bytes[..end]).expect("letters are text");
    text.split_word_bounds().next() == Some(text)
}

/// Characters per row.
const ROW: usize = 256;

/// Number of rows.
const ROWS: usize = char::MAX as usize / ROW + 1;

/// A row of the table.
fn row(number: usize) -> &'static [Character; ROW] {
    static TABLE: [OnceLock<Box<[Character; ROW]>>; ROWS] = [const { OnceLock::new() }; ROWS];
    TABLE[number].get_or_init(|| fill(number))
}

/// Computes a row. Surrogates, which no text has, get the place of a space.
#[cold]
fn fill(number: usize) -> Box<[Character; ROW]> {
    let of = |at: usize| char::from_u32((number * ROW + at) as u32).unwrap_or(' ');
    Box::new(std::array::from_fn(|at| Character::new(of(at))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_the_standard() {
        let of = |letters: &str, class: Class| {
            for letter in letters.chars() {
                assert_eq!(Character::get(letter).class, class, "{letter:?}");
            }
        };
        of(" \n\t!?()-–…、。「」/@$€🇩\u{a0}", Class::Break);
        of("😀©", Class::Emoji);
        of("aZéßЯאعक가ªⅣᄀ々", Class::Letter);
        of("09٣०๓", Class::Digit);
        of("_‿", Class::Joiner);
        of("\u{301}\u{200d}\u{200c}\u{ad}ाัﾞ", Class::Mark);
        of(":·", Class::BetweenLetters);
        of(",;", Class::BetweenDigits);
        of(".'’", Class::Between);
        of("\"", Class::Quote);
        of("中あゝกລကក𠀀²", Class::Alone);
        of("カー", Class::Katakana);
        of("🅰゛", Class::Other);
    }
}
