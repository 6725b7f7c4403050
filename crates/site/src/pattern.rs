//! Mutable patterns: words that change from page to page in the same place, such as dates (Foschini, section 5.2).

use crate::calendar::{MONTHS, WEEKDAYS};

/// The sign of a number, a date, a time or an amount: of all digits that only punctuation separates.
pub(crate) const NUMBER: u8 = b'0';
/// The signs of other patterns: bytes that folded texts do not have.
pub(crate) const MONTH: u8 = 1;
pub(crate) const WEEKDAY: u8 = 2;
pub(crate) const UNIT: u8 = 3;
pub(crate) const ADDRESS: u8 = 4;
pub(crate) const HEXADECIMAL: u8 = 5;

/// The sign of a hexadecimal number, an ordinal or a time.
fn long_or_number(word: &[u8]) -> Option<u8> {
    let (first, length) = (word.first()?, word.len());
    if length >= 16 {
        return word.iter().all(u8::is_ascii_hexdigit).then_some(HEXADECIMAL);
    }
    if first.is_ascii_digit() && length >= 3 {
        let (digits, end) = word.split_at(length - 2);
        let is_suffix =
            [b"st", b"nd", b"rd", b"th", b"am", b"pm", b"AM", b"PM"].contains(&end.try_into().ok()?);
        return (is_suffix && digits.iter().all(u8::is_ascii_digit)).then_some(NUMBER);
    }
    None
}

/// The first three letters of all patterns of letters, but for hexadecimal numbers; those of a word of two letters with a
/// zero. The table is a perfect hash table: each is in the slot of its hash.
static PREFIXES: [u32; 64] = prefixes();

const fn prefixes() -> [u32; 64] {
    const OF_TIME: [&[u8]; 9] = [
        b"hr\0", b"hrs", b"hou", b"day", b"min", b"sec", b"wee", b"mon", b"yea",
    ];
    let mut prefixes = [0; 64];
    let mut name = 0;
    while name < MONTHS.len() + WEEKDAYS.len() + OF_TIME.len() {
        let letters = match name {
            0..12 => MONTHS[name],
            12..19 => WEEKDAYS[name - MONTHS.len()],
            _ => OF_TIME[name - MONTHS.len() - WEEKDAYS.len()],
        };
        let key = u32::from_le_bytes([letters[0], letters[1], letters[2], 0]);
        let slot = slot_of(key);
        assert!(prefixes[slot] == 0, "each prefix has a slot of its own");
        prefixes[slot] = key;
        name += 1;
    }
    prefixes
}

#[inline]
const fn slot_of(key: u32) -> usize {
    (key.wrapping_mul(0x898b_a0a7) >> 26) as usize
}

/// Whether a word of letters with these first three letters can be a pattern. Few words pass that are none.
#[inline]
pub(crate) fn may_be_pattern(key: u32) -> bool {
    PREFIXES[slot_of(key)] == key
}

/// The sign of the pattern that a whole word matches. Two letters exclude most words.
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

/// The sign of an English unit of time, singular or plural.
fn of_time(word: &[u8]) -> Option<u8> {
    if word.len() > b"minutes".len() {
        return long_or_number(word);
    }
    match word.strip_suffix(b"s").unwrap_or(word) {
        b"hr" | b"hour" | b"day" | b"minute" | b"second" | b"week" | b"month" | b"year" => Some(UNIT),
        _ => None,
    }
}

/// By the second letter of a month or day, a bit for each third letter.
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

/// The sign of an English month or day, in full or in three letters.
fn of_calendar(word: &[u8]) -> Option<u8> {
    if word.len() > b"Wednesday".len() {
        return long_or_number(word);
    }
    // The second and third letter exclude most words.
    if CALENDAR[usize::from(word[1])] >> (word[2] % 32) & 1 == 0 {
        return None;
    }
    let named = |name: &&[u8]| name[..3] == word[..3] && (word.len() == 3 || word == *name);
    if MONTHS.iter().any(named) {
        return Some(MONTH);
    }
    WEEKDAYS.iter().any(named).then_some(WEEKDAY)
}
