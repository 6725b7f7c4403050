//! The numbers and words of a text.

use std::borrow::Cow;

use super::digits::digit;
use super::eras::{FIRST, era, era_of_letter};
use super::months::month;

/// Texts are read this far: dates stand at the beginning of what is about them.
const MOST_BYTES: usize = 400;

/// Parts of a text that are looked at.
const MOST_PARTS: usize = 80;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A number, how many digits it has, and what stands behind it.
    Number(u32, usize, char),
    Month(u8),
    /// An era, by its first year: the number behind it counts its years.
    Era(u16),
    /// A letter that stands for an era in Japanese, before a number.
    EraLetter(u16),
    Word,
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let text = without_unseen(&text[..text.floor_char_boundary(MOST_BYTES)]);
    let mut rest = text.as_ref();
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= MOST_PARTS {
            break;
        }
        rest = if digit(first).is_some() {
            number(rest, &mut tokens)
        } else if let Some((first_year, year)) = era(rest) {
            tokens.push(Token::Era(first_year));
            match year.strip_prefix(FIRST) {
                Some(rest) => after_number(1, 1, rest, &mut tokens),
                None => number(year, &mut tokens),
            }
        } else if first.is_alphabetic() {
            word(rest, &mut tokens)
        } else {
            &rest[first.len_utf8()..]
        };
    }
    tokens
}

/// A text without characters that are not seen, such as the marks of direction in dates of Arabic and Hebrew.
fn without_unseen(text: &str) -> Cow<'_, str> {
    let is_unseen = |letter: char| {
        matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    match text.contains(is_unseen) {
        true => Cow::Owned(text.replace(is_unseen, "")),
        false => Cow::Borrowed(text),
    }
}

fn number<'t>(text: &'t str, tokens: &mut Vec<Token>) -> &'t str {
    let digits: Vec<u32> = text.chars().map_while(digit).take(9).collect();
    let length: usize = text.chars().take(digits.len()).map(char::len_utf8).sum();
    let value = digits.iter().fold(0, |sum, digit| sum * 10 + digit);
    after_number(value, digits.len(), &text[length..], tokens)
}

/// Takes a number with what follows it.
fn after_number<'t>(value: u32, digits: usize, rest: &'t str, tokens: &mut Vec<Token>) -> &'t str {
    // An ending as in 1st or 2nd belongs to the number, and so does a space before a separator.
    let ending = ["st", "nd", "rd", "th", "er", "º", "ª", "°", "."]
        .into_iter()
        .find(|end| starts_with(rest, end) && !rest[end.len()..].starts_with(char::is_alphabetic));
    let rest = ending
        .filter(|end| *end != ".")
        .map_or(rest, |end| &rest[end.len()..]);
    let after = rest.trim_start().chars().next().unwrap_or(' ');
    tokens.push(Token::Number(value, digits, after));
    rest.strip_prefix(PARTS).unwrap_or(rest)
}

/// What stands behind year, month and day in East Asia.
const PARTS: [char; 6] = ['年', '月', '日', '년', '월', '일'];

fn starts_with(text: &str, lower: &str) -> bool {
    text.get(..lower.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(lower))
}

fn word<'t>(text: &'t str, tokens: &mut Vec<Token>) -> &'t str {
    let is_word = |letter: char| letter.is_alphabetic() || is_mark(letter);
    // An era may follow a word without a space.
    let ends = |at: usize, letter: char| {
        !is_word(letter) || (at > 0 && letter > '\u{3000}' && era(&text[at..]).is_some())
    };
    let end = text
        .char_indices()
        .find(|&(at, letter)| ends(at, letter))
        .map_or(text.len(), |(at, _)| at);
    let (word, rest) = text.split_at(end);
    // Short names in Thai have a point inside.
    let pointed = rest.strip_prefix('.').and_then(|rest| rest.chars().next());
    if let Some(next) = pointed.filter(|&next| ('\u{e00}'..='\u{e7f}').contains(&next)) {
        let both = &text[..end + 1 + next.len_utf8()];
        if let Some(month) = month(both) {
            tokens.push(Token::Month(month));
            return &text[both.len()..];
        }
    }
    let is_before_number = || rest.chars().next().is_some_and(|next| digit(next).is_some());
    let token = match month(&word.to_lowercase()) {
        Some(month) => Token::Month(month),
        // The day's name in a date of East Asia and the T of ISO times are no words.
        None if word == "T" || is_part(word) => return rest,
        None => match era_of_letter(word).filter(|_| is_before_number()) {
            Some(first_year) => Token::EraLetter(first_year),
            None => Token::Word,
        },
    };
    tokens.push(token);
    rest
}

/// Whether a word is 年 or the like, with a space before it.
fn is_part(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|letter| PARTS.contains(&letter)) && letters.next().is_none()
}

/// Marks that stand on letters, in Arabic, Hindi, Thai and decomposed Latin.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{93c}'..='\u{94d}' | '\u{e31}'..='\u{e4e}')
}
