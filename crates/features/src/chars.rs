//! What a character is: its class for the counts, and whether it belongs to a word.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};
use unicode_segmentation::UnicodeSegmentation;

/// A letter, or a mark that stands on one.
pub(crate) const LETTER: u8 = 1;
/// A digit or another numeral.
pub(crate) const DIGIT: u8 = 2;
/// Punctuation.
pub(crate) const PUNCTUATION: u8 = 3;
/// White space.
pub(crate) const WHITE: u8 = 4;
/// The bits that hold one of the classes above; zero is any other character.
pub(crate) const CLASS: u8 = 7;
/// Belongs to a word: a letter, a numeral or the underscore, but no mark.
pub(crate) const WORD: u8 = 8;
/// A lower-case letter.
pub(crate) const LOWER: u8 = 16;
/// Ends a sentence when white space, a closing mark or the end follows.
pub(crate) const STOP: u8 = 32;
/// Ends a sentence whatever follows.
pub(crate) const FULL_STOP: u8 = 64;
/// May stand between a sentence's end and the white space behind it.
pub(crate) const CLOSING: u8 = 128;

const PAGE_BITS: u32 = 8;
const PAGE_LEN: usize = 1 << PAGE_BITS;

/// A byte of properties for each character, in two stages: ASCII at once, the rest by pages of
/// 256 characters of which equal ones are kept once.
#[derive(Clone, Debug)]
pub(crate) struct CharTable {
    /// By byte; no properties for bytes that are not ASCII.
    ascii: [u8; 256],
    /// All ASCII letters are nothing but letters: none has to do with ends of sentences.
    pub(crate) plain: bool,
    /// Whether what [`words`] misses in scripts without spaces counts as words.
    pub(crate) unspaced: bool,
    pages: Vec<u16>,
    properties: Vec<[u8; PAGE_LEN]>,
}

static UNICODE: LazyLock<CharTable> = LazyLock::new(CharTable::unicode);

impl CharTable {
    /// The classes of Unicode, and the given characters as ends of sentences.
    pub(crate) fn new(stops: &str, full_stops: &str, closing: &str) -> CharTable {
        let mut table = UNICODE.clone();
        for (chars, property) in [(stops, STOP), (full_stops, FULL_STOP), (closing, CLOSING)] {
            chars.chars().for_each(|c| table.mark(c, property));
        }
        table
    }

    fn unicode() -> CharTable {
        let mut all = vec![0u8; char::MAX as usize + 1];
        for (class, property) in [
            (r"[\p{L}\p{M}]", LETTER),
            (r"\p{N}", DIGIT),
            (r"\p{P}", PUNCTUATION),
            (r"\s", WHITE),
            (r"[\p{L}\p{N}_]", WORD),
            (r"\p{Ll}", LOWER),
        ] {
            mark_class(&mut all, class, property);
        }
        CharTable::compress(&all)
    }

    /// Adds a property to a character, whose page may be another's too and is copied.
    fn mark(&mut self, c: char, property: u8) {
        let page = &mut self.pages[(c as usize) >> PAGE_BITS];
        let mut properties = self.properties[*page as usize];
        properties[c as usize % PAGE_LEN] |= property;
        *page = self.properties.len() as u16;
        self.properties.push(properties);
        if c.is_ascii() {
            self.ascii[c as usize] |= property;
            self.plain &= !c.is_ascii_alphabetic();
        }
    }

    fn compress(all: &[u8]) -> CharTable {
        let mut table = CharTable {
            ascii: [0; 256],
            plain: true,
            unspaced: false,
            pages: Vec::new(),
            properties: Vec::new(),
        };
        table.ascii[..128].copy_from_slice(&all[..128]);
        for page in all.as_chunks::<PAGE_LEN>().0 {
            let known = table.properties.iter().position(|other| other == page);
            let index = known.unwrap_or_else(|| {
                table.properties.push(*page);
                table.properties.len() - 1
            });
            table.pages.push(index as u16);
        }
        table
    }

    /// The properties of a character.
    #[inline]
    pub(crate) fn class(&self, c: char) -> u8 {
        if c.is_ascii() {
            return self.ascii[c as usize];
        }
        self.properties[self.pages[(c as usize) >> PAGE_BITS] as usize][c as usize % PAGE_LEN]
    }

    /// The properties of an ASCII character, none of another byte.
    #[inline]
    pub(crate) fn of_ascii(&self, byte: u8) -> u8 {
        self.ascii[usize::from(byte)]
    }
}

fn mark_class(all: &mut [u8], class: &str, property: u8) {
    let hir = regex_syntax::parse(class).expect("the class is written above");
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else {
        unreachable!("a bracketed class parses to a class of characters")
    };
    for range in class.ranges() {
        all[range.start() as usize..=range.end() as usize]
            .iter_mut()
            .for_each(|byte| *byte |= property);
    }
}

/// The words of a text: maximal runs of letters, numerals and underscores, as `\w+` is in
/// Python's `re`. In scripts without spaces (Chinese, Japanese, Thai) a run between two marks or
/// punctuation is one word; [`word_count`] counts those.
///
/// ```
/// let words: Vec<&str> = gleaner_features::words("Hello, snake_case x2. 你好，世界").collect();
/// assert_eq!(words, ["Hello", "snake_case", "x2", "你好", "世界"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let table: &'static CharTable = &UNICODE;
    text.split(|c| table.class(c) & WORD == 0)
        .filter(|word| !word.is_empty())
}

/// The number of [`words`] of a text; of a text with letters of a script without spaces, the number of the words of
/// UAX #29, in which each ideograph, each syllable of kana and each letter of Thai is one.
///
/// ```
/// assert_eq!(gleaner_features::word_count("Two words"), 2);
/// assert_eq!(gleaner_features::word_count("灯台までの道 2024"), 7);
/// ```
pub fn word_count(text: &str) -> u32 {
    let count = match unspaced_letters(text) {
        0 => words(text).count(),
        _ => text.unicode_words().count(),
    };
    count as u32
}

/// What [`words`] misses in scripts that are written without spaces, where a whole phrase is one
/// word: a word for every three characters of Thai, Lao, Burmese, Khmer, Chinese or Japanese.
///
/// ```
/// assert_eq!(gleaner_features::unspaced_words("Nothing here, říká"), 0);
/// assert_eq!(gleaner_features::unspaced_words("灯台までの道は二つある。"), 3);
/// ```
pub fn unspaced_words(text: &str) -> u32 {
    unspaced_letters(text) / 3
}

/// The number of letters of scripts that are written without spaces.
pub fn unspaced_letters(text: &str) -> u32 {
    // By the bytes of UTF-8, without decoding it: loops that are vectorised. Most texts have no byte that such a letter begins
    // with.
    let bytes = text.as_bytes();
    let may_begin = |byte: u8| (byte >= 0xe0) & (byte != 0xe2) & (byte <= 0xf0);
    if !bytes.iter().fold(false, |any, &byte| any | may_begin(byte)) {
        return 0;
    }
    let threes = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let threes = threes.zip(bytes.get(2..).unwrap_or_default());
    threes
        .map(|((&first, &second), &third)| u32::from(begins_unspaced(first, second, third)))
        .sum()
}

/// [`is_unspaced`] of a character, by its first three bytes; not of one that they are no beginning of.
fn begins_unspaced(first: u8, second: u8, third: u8) -> bool {
    let second_is = |from: u8, to: u8| (from..=to).contains(&second);
    let thai_and_lao = (first == 0xe0) & second_is(0xb8, 0xbb);
    let burmese = second_is(0x80, 0x81) | ((second == 0x82) & (third <= 0x9f));
    let burmese_and_khmer = (first == 0xe1) & (burmese | second_is(0x9e, 0x9f));
    let kana_and_first_han = (first == 0xe3) & (second_is(0x81, 0x83) | (second >= 0x90));
    let han = (0xe4..=0xe9).contains(&first);
    let rare_han = (first == 0xf0) & (second >= 0xa0);
    thai_and_lao | burmese_and_khmer | kana_and_first_han | han | rare_han
}

/// Whether a character is of a script whose words have no spaces between them.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_unicode() {
        let table = CharTable::new(".", "。", ")");
        assert_eq!(table.class('a'), LETTER | WORD | LOWER);
        assert_eq!(table.class('Ž'), LETTER | WORD);
        assert_eq!(table.class('5'), DIGIT | WORD);
        assert_eq!(table.class('.'), PUNCTUATION | STOP);
        assert_eq!(table.class('。'), PUNCTUATION | FULL_STOP);
        assert_eq!(table.class(')'), PUNCTUATION | CLOSING);
        assert_eq!(table.class('_'), PUNCTUATION | WORD);
        assert_eq!(table.class('\u{a0}'), WHITE);
        assert_eq!(table.class('\u{e31}'), LETTER);
        assert_eq!(table.class('€'), 0);
        assert_eq!(table.class('\u{10ffff}'), 0);
    }

    #[test]
    fn unspaced_characters_are_recognised_by_their_bytes() {
        for c in '\0'..=char::MAX {
            let text: String = [c; 3].into_iter().collect();
            assert_eq!(unspaced_words(&text), u32::from(is_unspaced(c)), "{:x}", c as u32);
        }
    }

    #[test]
    fn marks_part_words_as_in_python() {
        assert_eq!(words("ก\u{e31}ข").collect::<Vec<_>>(), ["ก", "ข"]);
        assert_eq!(words("").count(), 0);
    }
}
