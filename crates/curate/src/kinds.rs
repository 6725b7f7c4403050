//! What is counted of a character.

use unicode_normalization::char::is_combining_mark;

/// A letter: Unicode category L.
pub(crate) const LETTER: u8 = 1;
/// A letter, or a mark that is written with letters: category L or M.
pub(crate) const ALPHABETIC: u8 = 2;
/// A number: category N.
pub(crate) const NUMERIC: u8 = 4;
/// White space.
pub(crate) const SPACE: u8 = 8;
/// A capital letter.
pub(crate) const UPPER: u8 = 16;
/// Punctuation of sentences.
pub(crate) const PUNCTUATION: u8 = 32;
/// One of the characters that are no word by themselves for Gopher's rules in DataTrove.
pub(crate) const SYMBOL: u8 = 64;
/// A digit of ASCII.
pub(crate) const DIGIT: u8 = 128;

/// The kinds of a character, as flags.
pub(crate) fn kinds(letter: char) -> u8 {
    let is_mark = is_combining_mark(letter);
    let is_letter = letter.is_alphabetic() && !letter.is_numeric() && !is_mark && !is_circled(letter);
    let flags = [
        (is_letter, LETTER),
        (is_letter || is_mark, ALPHABETIC),
        (letter.is_numeric(), NUMERIC),
        (letter.is_whitespace(), SPACE),
        (letter.is_uppercase(), UPPER),
        (PUNCTUATION_MARKS.contains(letter), PUNCTUATION),
        (is_symbol(letter), SYMBOL),
        (letter.is_ascii_digit(), DIGIT),
    ];
    flags.iter().filter(|flag| flag.0).map(|flag| flag.1).sum()
}

/// Letters in circles and squares, which Unicode has as symbols that are alphabetic.
fn is_circled(letter: char) -> bool {
    matches!(letter, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f149}' | '\u{1f150}'..='\u{1f169}' | '\u{1f170}'..='\u{1f189}')
}

/// Marks that sentences have, in the scripts of the web: ends, pauses, quotes, brackets and dashes.
const PUNCTUATION_MARKS: &str =
    ".,;:!?'\"()-–—…‘’‚“”„«»‹›¿¡·、。「」『』《》〈〉，．：；！？（）،؛؟۔।॥։׃၊။។៕";

/// The punctuation that DataTrove's filter of Gopher's rules leaves out where it counts words: signs, and control characters.
fn is_symbol(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '!'..='/' | ':'..='@' | '['..='`' | '{'..='~' | '\u{7f}'..='\u{9f}')
        || "«´»–—“”„…∶━►、。《》「」【】！％（），．１：；？～’〈〉".contains(letter)
}
