//! Words that stand for whatever they are: what changes from page to page in the same place.

use crate::calendar::{MONTHS, WEEKDAYS};

/// What stands for a number, a date, a time or an amount: a run of digits, whatever is between them.
pub(crate) const NUMBER: u8 = b'0';
/// What stands for other patterns: bytes that no folded text has.
pub(crate) const MONTH: u8 = 1;
pub(crate) const WEEKDAY: u8 = 2;
pub(crate) const UNIT: u8 = 3;
pub(crate) const ADDRESS: u8 = 4;
pub(crate) const HEXADECIMAL: u8 = 5;

/// Hexadecimal numbers, ordinals and times.
fn long_or_number(word: &[u8]) -> Option<u8> {
    let (first, length) = (word.first()?, word.len());
    if length >= 16 {
        return word.iter().all(u8::is_ascii_hexdigit).then_some(HEXADECIMAL);
    }
    if first.is_ascii_digit() && length >= 3 {
        let (digits, end) = word.split_at(length - 2);
        let known = [b"st", b"nd", b"rd", b"th", b"am", b"pm", b"AM", b"PM"].contains(&end.try_into().ok()?);
        return (known && digits.iter().all(u8::is_ascii_digit)).then_some(NUMBER);
    }
    None
}

/// The first three letters of all words of letters that are patterns, but for long ones; those of a word of
/// two with a zero. Each is where its product says.
static BEGINNINGS: [u32; 64] = beginnings();

const fn beginnings() -> [u32; 64] {
    const OF_TIME: [&[u8]; 9] = [
        b"hr\0", b"hrs", b"hou", b"day", b"min", b"sec", b"wee", b"mon", b"yea",
    ];
    let mut beginnings = [0; 64];
    let mut name = 0;
    while name < MONTHS.len() + WEEKDAYS.len() + OF_TIME.len() {
        let letters = match name {
            0..12 => MONTHS[name],
            12..19 => WEEKDAYS[name - MONTHS.len()],
            _ => OF_TIME[name - MONTHS.len() - WEEKDAYS.len()],
        };
        let key = u32::from_le_bytes([letters[0], letters[1], letters[2], 0]);
        let place = place_of(key);
        assert!(beginnings[place] == 0, "each has a place of its own");
        beginnings[place] = key;
        name += 1;
    }
    beginnings
}

#[inline]
const fn place_of(key: u32) -> usize {
    (key.wrapping_mul(0x898b_a0a7) >> 26) as usize
}

/// Whether a word of letters that begins so may be a pattern: hardly any may that is none.
#[inline]
pub(crate) fn may_be_pattern(key: u32) -> bool {
    BEGINNINGS[place_of(key)] == key
}

/// The pattern that a word matches as a whole. Most words are told by two letters.
pub(crate) fn pattern(word: &[u8]) -> Option<u8> {
    match word {
        [b'h', b'r' | b'o', ..]
        | [b'd', b'a', ..]
        | [b'm', b'i' | b'o', ..]
        | [b's' | b'w' | b'y', b'e', ..] => of_time(word),
        [
            b'A' | b'D' | b'F' | b'J' | b'M' | b'N' | b'O' | b'S' | b'T' | b'W',
            b'a'..=b'z',
            _,
            ..,
        ] => of_calendar(word),
        _ => long_or_number(word),
    }
}

/// Units of time as English writes them, one or several.
fn of_time(word: &[u8]) -> Option<u8> {
    if word.len() > b"minutes".len() {
        return long_or_number(word);
    }
    match word.strip_suffix(b"s").unwrap_or(word) {
        b"hr" | b"hour" | b"day" | b"minute" | b"second" | b"week" | b"month" | b"year" => Some(UNIT),
        _ => None,
    }
}

/// Second and third letters of the names of months and days: a bit for each third, by the second.
static CALENDAR: [u32; 256] = calendar();

const fn calendar() -> [u32; 256] {
    let mut thirds = [0; 256];
    let mut name = 0;
    while name < MONTHS.len() + WEEKDAYS.len() {
        let letters = match name < MONTHS.len() {
            true => MONTHS[name],
            false => WEEKDAYS[name - MONTHS.len()],
        };
        thirds[letters[1] as usize] |= 1 << (letters[2] % 32);
        name += 1;
    }
    thirds
}

/// Names of months and days as English writes them, in full or in three letters.
fn of_calendar(word: &[u8]) -> Option<u8> {
    if word.len() > b"Wednesday".len() {
        return long_or_number(word);
    }
    // Most words with a capital letter are told by the two that follow it.
    if CALENDAR[usize::from(word[1])] >> (word[2] % 32) & 1 == 0 {
        return None;
    }
    let named = |name: &&[u8]| name[..3] == word[..3] && (word.len() == 3 || word == *name);
    if MONTHS.iter().any(named) {
        return Some(MONTH);
    }
    WEEKDAYS.iter().any(named).then_some(WEEKDAY)
}
