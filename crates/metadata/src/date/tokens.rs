//! The numbers and words of a text.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::counted::counts;
use super::digits::digit;
use super::eras::{FIRST, era, era_of_letter};
use super::months::{Meaning, meanings};

/// Texts are read this far: dates stand at the beginning of what is about them.
const MOST_BYTES: usize = 400;

/// Maximum parts examined per text.
const MOST_PARTS: usize = 80;

/// Maximum words per name of a month.
const MOST_WORDS: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A number, how many digits it has, and what stands behind it.
    Number(u32, usize, char),
    /// The name of a month, in lower case, with what it means in the languages that have it.
    Name(String, &'static [Meaning]),
    /// An era, by its first year: the number behind it counts its years.
    Era(u16),
    /// A letter that stands for an era in Japanese, before a number.
    EraLetter(u16),
    /// A word that stands within dates: `de`, `of`, `năm`.
    Filler,
    Word,
}

/// The parts of a text.
pub(super) struct Tokens<'t> {
    /// The text without what is not seen, up to where it is read.
    pub(super) text: Cow<'t, str>,
    pub(super) tokens: Vec<Token>,
    /// Where each stands in the text.
    pub(super) places: Vec<Range<usize>>,
}

impl Tokens<'_> {
    /// Whether what stands between a token and the next may stand within a date.
    pub(super) fn is_joined(&self, at: usize) -> bool {
        let (Some(own), Some(next)) = (self.places.get(at), self.places.get(at + 1)) else {
            return false;
        };
        let between = self.text.get(own.end..next.start).unwrap_or_default();
        let bare = between.trim();
        let is_light = bare.chars().all(|letter| LIGHT.contains(letter)) && bare.len() <= 4;
        is_light || (bare == between && matches!(bare, "-" | "‐" | "‑" | "–" | "−" | "/"))
    }

    /// Whether a number counts something, by what stands before it: `No. 3`, `第3号`.
    pub(super) fn is_counted(&self, at: usize) -> bool {
        counts(self.before(at))
    }

    /// Whether a number is the second of a version: `3.12`.
    pub(super) fn is_of_version(&self, at: usize) -> bool {
        let first = self.before(at).strip_suffix('.');
        first.is_some_and(|first| first.ends_with(|letter: char| letter.is_ascii_digit()))
    }

    fn before(&self, at: usize) -> &str {
        let start = self.places.get(at).map_or(0, |place| place.start);
        self.text.get(..start).unwrap_or_default()
    }
}

/// What may stand between the words of a date.
const LIGHT: &str = ".,،、'’´()";

/// Words without a meaning between the parts of a date.
static FILLERS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    "a aasta al an d da de del den der di do e eko er gada ik ko la m na nd ng of r rd roku roka st ta th the năm \
    ngày г год года р року ж жылғы του من عام سنة ພ ปี พ ศ ค วันที่ سال ה"
        .split_ascii_whitespace()
        .collect()
});

/// Words that make a month of the number behind them, in Vietnamese.
const MONTH_WORDS: [&str; 3] = ["tháng", "thg", "th"];

/// Whether a text has a number at all.
fn has_number(text: &str) -> bool {
    text.chars().any(|letter| match letter.is_ascii() {
        true => letter.is_ascii_digit(),
        false => digit(letter).is_some() || numeral(letter).is_some() || letter == FIRST,
    })
}

/// Cuts a text into its parts. A text without a number has none: it is no date.
pub(super) fn tokens(text: &str) -> Tokens<'_> {
    if !has_number(text) {
        return Tokens {
            text: Cow::Borrowed(text),
            tokens: Vec::new(),
            places: Vec::new(),
        };
    }
    let text = without_unseen(&text[..text.floor_char_boundary(MOST_BYTES)]);
    let text = match with_digits(&text) {
        Some(converted) => Cow::Owned(converted),
        None => text,
    };
    let mut found = Tokens {
        tokens: Vec::new(),
        places: Vec::new(),
        text: Cow::Borrowed(""),
    };
    let mut rest = text.as_ref();
    while let Some(first) = rest.chars().next() {
        if found.tokens.len() >= MOST_PARTS {
            break;
        }
        let start = text.len() - rest.len();
        let before = found.tokens.len();
        let tokens = &mut found.tokens;
        rest = if digit(first).is_some() {
            number(rest, tokens)
        } else if let Some((first_year, year)) = era(rest) {
            tokens.push(Token::Era(first_year));
            match year.strip_prefix(FIRST) {
                Some(rest) => after_number(1, 1, rest, tokens),
                None => number(year, tokens),
            }
        } else if first.is_alphabetic() {
            word(rest, tokens)
        } else {
            &rest[first.len_utf8()..]
        };
        let end = text.len() - rest.len();
        found
            .places
            .extend((before..found.tokens.len()).map(|_| start..end));
    }
    found.text = text;
    without_clocks(&mut found);
    found
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

/// The numerals of East Asia, by their values; ten is apart.
const NUMERALS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// The value of a numeral; 10 for ten.
fn numeral(letter: char) -> Option<usize> {
    match letter {
        '十' => Some(10),
        '零' => Some(0),
        letter => NUMERALS.iter().position(|&own| own == letter),
    }
}

/// A text with digits for the numerals of East Asia that stand before year, month and day; nothing where there are none.
fn with_digits(text: &str) -> Option<String> {
    if !text.contains(PARTS) || !text.contains(|letter| numeral(letter).is_some()) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut run: Vec<usize> = Vec::new();
    let mut start = 0;
    for (at, letter) in text.char_indices() {
        if let Some(value) = numeral(letter) {
            if run.is_empty() {
                start = at;
            }
            run.push(value);
            continue;
        }
        if !run.is_empty() {
            match PARTS.contains(&letter) {
                true => out.push_str(&digits_of(&run)),
                false => out.push_str(&text[start..at]),
            }
            run.clear();
        }
        out.push(letter);
    }
    if !run.is_empty() {
        out.push_str(&text[start..]);
    }
    Some(out)
}

/// 二〇二一 as 2021, 二十一 as 21.
fn digits_of(numerals: &[usize]) -> String {
    match numerals.iter().position(|&value| value == 10) {
        Some(ten) => {
            let tens = ten.checked_sub(1).map_or(1, |before| numerals[before]);
            let ones = numerals.get(ten + 1).copied().unwrap_or(0);
            (tens * 10 + ones).to_string()
        }
        None => numerals
            .iter()
            .map(|&value| char::from(b'0' + value as u8))
            .collect(),
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
const PARTS: [char; 8] = ['年', '月', '日', '号', '號', '년', '월', '일'];

fn starts_with(text: &str, lower: &str) -> bool {
    text.get(..lower.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(lower))
}

/// The end of the word that a text begins with.
fn word_end(text: &str) -> usize {
    let is_word = |letter: char| letter.is_alphabetic() || is_mark(letter);
    // An era may follow a word without a space.
    let ends = |at: usize, letter: char| {
        !is_word(letter) || (at > 0 && letter > '\u{3000}' && era(&text[at..]).is_some())
    };
    let end = text.char_indices().find(|&(at, letter)| ends(at, letter));
    end.map_or(text.len(), |(at, _)| at)
}

fn word<'t>(text: &'t str, tokens: &mut Vec<Token>) -> &'t str {
    let (word, rest) = text.split_at(word_end(text));
    if let Some((name, meanings, rest)) = month_name(text, word.len()) {
        tokens.push(Token::Name(name, meanings));
        return rest;
    }
    let next = rest.chars().next();
    let is_before_number = || next.is_some_and(|next| digit(next).is_some());
    let low = word.to_lowercase();
    if let Some((number, rest)) = numbered_month(&low, rest) {
        tokens.push(number);
        return rest;
    }
    // The day's name in a date of East Asia and the T of ISO times are no words.
    if word == "T" || is_part(word) {
        return rest;
    }
    let token = match era_of_letter(word).filter(|_| is_before_number()) {
        Some(first_year) => Token::EraLetter(first_year),
        None if FILLERS.contains(low.as_str()) => Token::Filler,
        None => Token::Word,
    };
    tokens.push(token);
    rest
}

/// The name of a month at the beginning of a text, of as many words as it may have, whose first ends at a place.
fn month_name(text: &str, first: usize) -> Option<(String, &'static [Meaning], &str)> {
    let mut ends = vec![first];
    while ends.len() < MOST_WORDS {
        let end = ends[ends.len() - 1];
        let Some(next) = text[end..]
            .strip_prefix(' ')
            .filter(|next| next.starts_with(char::is_alphabetic))
        else {
            break;
        };
        ends.push(end + 1 + word_end(next));
    }
    // Short names in Thai have a point inside.
    let pointed = text[first..]
        .strip_prefix('.')
        .and_then(|rest| rest.chars().next());
    if let Some(next) = pointed.filter(|&next| ('\u{e00}'..='\u{e7f}').contains(&next)) {
        ends.push(first + 1 + next.len_utf8());
    }
    ends.into_iter().rev().find_map(|end| {
        let name = text[..end].to_lowercase();
        let meanings = meanings(&name)?;
        Some((name, meanings, &text[end..]))
    })
}

/// `tháng 4` and `Th4` as the name of a month: that of its number.
fn numbered_month<'t>(word: &str, rest: &'t str) -> Option<(Token, &'t str)> {
    if !MONTH_WORDS.contains(&word) {
        return None;
    }
    let bare = if word == "th" {
        rest
    } else {
        rest.trim_start_matches([' ', '.'])
    };
    let length = bare.bytes().take_while(u8::is_ascii_digit).count();
    let number: usize = bare[..length].parse().ok().filter(|_| length <= 2)?;
    let name = VIETNAMESE.get(number.checked_sub(1)?)?;
    Some((Token::Name((*name).to_owned(), meanings(name)?), &bare[length..]))
}

/// The names that numbers stand for.
const VIETNAMESE: [&str; 12] = [
    "tháng một",
    "tháng hai",
    "tháng ba",
    "tháng tư",
    "tháng năm",
    "tháng sáu",
    "tháng bảy",
    "tháng tám",
    "tháng chín",
    "tháng mười",
    "tháng mười một",
    "tháng mười hai",
];

/// Whether a word is 年 or the like, with a space before it.
fn is_part(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|letter| PARTS.contains(&letter)) && letters.next().is_none()
}

/// Marks that stand on letters and are none, in Arabic, the scripts of India, Thai and decomposed Latin.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{e31}'..='\u{e4e}' | '\u{eb1}'..='\u{ece}' | '\u{17b4}'..='\u{17d3}')
        || (('\u{900}'..='\u{dff}').contains(&letter) && matches!(letter as u32 & 0x7f, 0x3c | 0x3e..=0x4d))
}

/// Leaves out times of day with their zones, which may stand within a date: `Aug 6 10:27:28 PDT 2007`.
fn without_clocks(found: &mut Tokens<'_>) {
    let mut at = 0;
    while at < found.tokens.len() {
        let length = clock(found, at);
        if length == 0 {
            at += 1;
            continue;
        }
        // What stands around it stands together.
        if let Some(before) = at.checked_sub(1) {
            found.places[before].end = found.places[at + length - 1].end;
        }
        found.tokens.drain(at..at + length);
        found.places.drain(at..at + length);
    }
}

/// How many tokens the time of day that begins at one has.
fn clock(found: &Tokens<'_>, at: usize) -> usize {
    let part = |at: usize| match found.tokens.get(at) {
        Some(&Token::Number(number, 1..=2, after)) if number < 60 => Some(after),
        _ => None,
    };
    let touches = |at: usize| {
        let next = found
            .places
            .get(at + 1)
            .map_or(found.text.len(), |next| next.start);
        matches!(found.text.get(found.places[at].end..next), Some(":" | "："))
    };
    if part(at).is_none() || !touches(at) || part(at + 1).is_none() {
        return 0;
    }
    let mut end = at + 2;
    if touches(at + 1) && part(end).is_some() {
        end += 1;
    }
    let is_zone = |at: usize| {
        let place = found.places.get(at)?;
        let word = &found.text[place.clone()];
        let is_name = (2..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_half = matches!(word.to_ascii_lowercase().as_str(), "am" | "pm" | "a" | "p");
        let is_offset = matches!(found.tokens[at], Token::Number(_, 4, _))
            && found.text[..place.start].ends_with(['+', '-']);
        (is_offset || (matches!(found.tokens[at], Token::Word) && (is_name || is_half))).then_some(())
    };
    while end < at + 5 && is_zone(end).is_some() {
        end += 1;
    }
    end - at
}
