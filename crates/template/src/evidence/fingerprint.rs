//! A fingerprint of a block's text, equal where a site's template would be.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memchr2;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::chunk::{CHUNK, Chunk, WORD};
use crate::mutable::{MONTHS, WEEKDAYS};

/// What stands for a number, a date, a time or an amount: a run of digits, whatever is between them.
const NUMBER: u8 = b'0';
/// What stands for other patterns: bytes that no folded text has.
const MONTH: u8 = 1;
const WEEKDAY: u8 = 2;
const UNIT: u8 = 3;
const ADDRESS: u8 = 4;
const HEXADECIMAL: u8 = 5;

/// Fingerprints texts; its memory is kept from one to the next.
///
/// The fingerprint is XXH3 (128 bits) of the letters and digits, lower case, where numbers, dates, names
/// of months and days, times, units of time, ordinals, hexadecimal numbers and addresses stand for
/// whatever they are: the mutable patterns of the paper's section 5.2, but for those that words of a
/// language may match (capitals, abbreviations).
///
/// ```
/// # use gleaner_template::evidence::Fingerprinter;
/// let mut fingerprinter = Fingerprinter::default();
/// let mut same = |a, b| fingerprinter.of(a) == fingerprinter.of(b);
/// assert!(same("Posted on May 3, 2007 at 5:03 pm | 12 comments", "posted on July 21, 2026, at 11:59 pm - 1 Comments"));
/// assert!(!same("About us", "About me"));
/// assert_eq!(fingerprinter.of("2007-05-03, 12%"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fingerprinter {
    folded: Folded,
    /// Short texts that came before, each in the place that its hash tells: what is most frequent on the pages of
    /// a site is the same on all of them.
    known: Vec<Known>,
}

/// The fingerprint of a text that has such a hash. That two texts have one hash is as good as never seen.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    hash: u64,
    fingerprint: Option<u128>,
}

/// Texts that are remembered, and bytes that they have at most: a site has some hundred in its menus.
const KNOWN: usize = 1 << 10;
const SHORT: usize = 192;

impl Fingerprinter {
    /// The fingerprint of a text; none where it has nothing but numbers, addresses and signs, which say
    /// nothing of a site.
    pub fn of(&mut self, text: &str) -> Option<u128> {
        if text.len() > SHORT {
            return self.found(text);
        }
        let hash = xxh3_64(text.as_bytes());
        let place = hash as usize % KNOWN;
        match self.known.get(place) {
            Some(known) if known.hash == hash => return known.fingerprint,
            Some(_) => {}
            None => self.known.resize(KNOWN, Known::default()),
        }
        let fingerprint = self.found(text);
        self.known[place] = Known { hash, fingerprint };
        fingerprint
    }

    fn found(&mut self, text: &str) -> Option<u128> {
        self.fold(text);
        let folded = self.folded.bytes();
        let has_words = folded
            .iter()
            .any(|byte| ![NUMBER, ADDRESS, HEXADECIMAL].contains(byte));
        has_words.then(|| xxh3_128(folded))
    }

    fn fold(&mut self, text: &str) {
        self.folded.clear();
        let mut from = 0;
        while let Some(address) = next_address(text, from) {
            self.fold_words(&text[from..address.start]);
            self.folded.push(ADDRESS);
            from = address.end;
        }
        self.fold_words(&text[from..]);
    }

    /// Adds a text without addresses, a chunk at a time.
    fn fold_words(&mut self, text: &str) {
        let mut at = 0;
        while at < text.len() {
            at = self.fold_chunk(text, at);
        }
    }

    /// Adds the words of a chunk; returns where the next begins. Most words are a few ASCII letters.
    fn fold_chunk(&mut self, text: &str, start: usize) -> usize {
        let bytes = &text.as_bytes()[start..];
        let chunk = Chunk::of(bytes);
        self.folded.make_room();
        let mut words = chunk.letters | chunk.digits | chunk.others;
        while words != 0 {
            let word = words.trailing_zeros() as usize;
            let length = (!(words >> word)).trailing_zeros() as usize;
            let end = word + length;
            if end == CHUNK && word > 0 && bytes.len() > CHUNK {
                // It may go on.
                return start + word;
            }
            let is_free_of = |bits: u64| bits >> word << (CHUNK - length) == 0;
            let next = if length <= WORD && is_free_of(chunk.digits | chunk.others) {
                self.folded.take_word(&chunk, word, length);
                end
            } else if length <= WORD && is_free_of(chunk.letters | chunk.others) {
                self.folded.digit();
                end
            } else {
                let next = self.fold_word(text, start + word) - start;
                self.folded.make_room();
                next
            };
            if next >= CHUNK {
                return start + next;
            }
            words &= u64::MAX << next;
        }
        start + bytes.len().min(CHUNK)
    }

    /// Adds a word of any characters, which may have none at all; returns where it ends, after the sign
    /// that ends it if that is beyond ASCII.
    fn fold_word(&mut self, text: &str, start: usize) -> usize {
        let bytes = text.as_bytes();
        let begun = self.folded.end;
        let mut at = start;
        let mut next = start;
        while let Some(&byte) = bytes.get(at) {
            match CLASSES[usize::from(byte)] {
                OTHER => break,
                LETTER => self.folded.push(byte | 0x20),
                DIGIT => self.folded.digit(),
                _ => {
                    let letter = text[at..].chars().next().unwrap_or(' ');
                    next = at + letter.len_utf8();
                    if !self.folded.letter(letter, &bytes[at..next]) {
                        break;
                    }
                    at = next - 1;
                }
            }
            at += 1;
            next = at;
        }
        if let Some(pattern) = pattern(&bytes[start..at]) {
            self.folded.end = begun;
            match pattern {
                NUMBER => self.folded.digit(),
                pattern => self.folded.push(pattern),
            }
        }
        next
    }
}

/// What has been folded.
#[derive(Clone, Debug, Default)]
struct Folded {
    /// Longer than what is folded: room that was used before.
    room: Vec<u8>,
    end: usize,
}

impl Folded {
    fn clear(&mut self) {
        self.end = 0;
    }

    fn bytes(&self) -> &[u8] {
        &self.room[..self.end]
    }

    /// Makes room for the words of a chunk.
    fn make_room(&mut self) {
        let most = self.end + CHUNK + WORD + 1;
        if self.room.len() < most {
            self.room.resize(most.next_power_of_two(), 0);
        }
    }

    /// Adds the bytes of a character.
    #[inline]
    fn extend(&mut self, utf8: &[u8]) {
        let end = self.end + utf8.len();
        if self.room.len() < end {
            self.make_room();
        }
        self.room[self.end..end].copy_from_slice(utf8);
        self.end = end;
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.extend(&[byte]);
    }

    /// Adds a word of a few ASCII letters, for which there is room.
    #[inline]
    fn take_word(&mut self, chunk: &Chunk, start: usize, length: usize) {
        let room = self.room[self.end..].first_chunk_mut();
        let first = chunk.copy_small(start, room.expect("room was made for it"));
        let key = first as u32 & u32::MAX >> (32 - 8 * length.min(3));
        if may_be_pattern(key)
            && let Some(pattern) = pattern(chunk.bytes(start..start + length))
        {
            self.push(pattern);
        } else {
            self.end += length;
        }
    }

    /// Adds a letter or a digit beyond ASCII; says whether it is one.
    fn letter(&mut self, letter: char, utf8: &[u8]) -> bool {
        match Kind::known(letter) {
            Kind::Number => self.digit(),
            Kind::Small => self.extend(utf8),
            Kind::Large => {
                let mut utf8 = [0; 4];
                for small in letter.to_lowercase() {
                    self.extend(small.encode_utf8(&mut utf8).as_bytes());
                }
            }
            Kind::Sign => return false,
        }
        true
    }

    fn digit(&mut self) {
        if self.bytes().last() != Some(&NUMBER) {
            self.push(NUMBER);
        }
    }
}

/// What a character is.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    /// A letter that is its own lower case.
    Small,
    Large,
    Sign,
}

impl Kind {
    /// The kind of a character, from memory.
    #[inline]
    fn known(letter: char) -> Kind {
        let number = letter as usize;
        let Some(kinds) = KINDS.get(number / OF_KIND) else {
            return Kind::of(letter);
        };
        let first = (number - number % OF_KIND) as u32;
        let of = |place: usize| char::from_u32(first + place as u32).map_or(Kind::Sign, Kind::of);
        kinds.get_or_init(|| std::array::from_fn(of))[number % OF_KIND]
    }

    fn of(letter: char) -> Kind {
        match letter {
            _ if letter.is_numeric() => Kind::Number,
            _ if !letter.is_alphabetic() => Kind::Sign,
            _ if letter.to_lowercase().eq([letter]) => Kind::Small,
            _ => Kind::Large,
        }
    }
}

/// Characters of which the kinds are found out at once.
const OF_KIND: usize = 256;

/// The kinds of the first 65,536 characters, found out where they are asked for. Asked one by one they take most
/// of the time of text that is not English: 600 of 3,000 million instructions of a build of pages in Thai,
/// Japanese and English.
static KINDS: [OnceLock<[Kind; OF_KIND]>; 256] = [const { OnceLock::new() }; 256];

/// What a byte is.
const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const BEYOND_ASCII: u8 = 3;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            0x80.. => BEYOND_ASCII,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
}

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
fn may_be_pattern(key: u32) -> bool {
    BEGINNINGS[place_of(key)] == key
}

/// The pattern that a word matches as a whole. Most words are told by two letters.
fn pattern(word: &[u8]) -> Option<u8> {
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

/// The next word that is an address on the web or of mail.
fn next_address(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += memchr2(b'@', b':', &bytes[at..])?;
        if is_address(&bytes[from..], at - from) {
            let white = |byte: &u8| byte.is_ascii_whitespace();
            let start = bytes[from..at].iter().rposition(white);
            let end = bytes[at..].iter().position(white);
            return Some(
                start.map_or(from, |place| from + place + 1)..end.map_or(bytes.len(), |place| at + place),
            );
        }
        at += 1;
    }
}

/// Whether the sign at a place belongs to an address.
fn is_address(bytes: &[u8], at: usize) -> bool {
    let (before, after) = (&bytes[..at], &bytes[at + 1..]);
    let graphic = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    match bytes[at] {
        b'@' => graphic(before.last()) && graphic(after.first()),
        _ => after.starts_with(b"//") && (before.ends_with(b"http") || before.ends_with(b"https")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(text: &str) -> String {
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.fold(text);
        String::from_utf8(fingerprinter.folded.bytes().to_vec()).unwrap()
    }

    #[test]
    fn letters_and_digits_are_folded() {
        assert_eq!(folded("Read more…"), "readmore");
        assert_eq!(folded("ČLÁNEK č. 12/2007 — Ďalší"), "článekč0ďalší");
        assert_eq!(folded("१२ Ⅳ x²"), "0x0");
        assert_eq!(folded("你好，世界"), "你好世界");
    }

    #[test]
    fn mutable_patterns_stand_for_what_changes() {
        assert_eq!(folded("Monday, May 3rd, 2007 at 11:59 pm"), "\u{2}\u{1}0at0pm");
        assert_eq!(folded("3 hours ago by may"), "0\u{3}agobymay");
        assert_eq!(
            folded("Mail me@a.example or http://a.example/x?y z"),
            "mail\u{4}or\u{4}z"
        );
        assert_eq!(folded("@home: a@ b"), "homeab");
        assert_eq!(folded("commit 00ff00ff00ff00ffaa done"), "commit\u{5}done");
        assert_eq!(folded("Mayday seconds11 2nd2 11th $1.50"), "maydayseconds0nd0");
    }

    #[test]
    fn patterns_of_letters_are_among_those_that_may_be() {
        let of_time = ["hr", "hour", "day", "minute", "second", "week", "month", "year"];
        let of_calendar = MONTHS
            .iter()
            .chain(&WEEKDAYS)
            .flat_map(|name| [*name, &name[..3]]);
        let of_time = of_time
            .iter()
            .flat_map(|unit| [unit.to_string(), format!("{unit}s")]);
        let words = of_calendar
            .map(|name| String::from_utf8(name.to_vec()).unwrap())
            .chain(of_time);
        for word in words {
            assert_eq!(
                folded(&word).chars().next().map(|sign| sign < '\u{9}'),
                Some(true),
                "{word}"
            );
            assert_eq!(folded(&format!("{word}x")), format!("{word}x").to_lowercase());
        }
    }

    #[test]
    fn numbers_alone_are_no_text() {
        let mut fingerprinter = Fingerprinter::default();
        for nothing in [
            "",
            "—",
            "1,234.5",
            "3 × 4 = 12",
            "05/06/2007 11:59",
            "1. http://a.example/x",
        ] {
            assert_eq!(fingerprinter.of(nothing), None, "{nothing}");
        }
        assert!(fingerprinter.of("May 2007").is_some());
    }

    /// The same, letter by letter.
    fn slow(text: &str) -> String {
        let mut folded = String::new();
        for word in text.split(|letter: char| !letter.is_alphanumeric()) {
            let known = pattern(word.as_bytes()).map(char::from);
            for letter in known.map_or_else(|| word.to_lowercase(), String::from).chars() {
                let letter = if letter.is_numeric() { '0' } else { letter };
                if letter != '0' || !folded.ends_with('0') {
                    folded.push(letter);
                }
            }
        }
        folded
    }

    proptest! {
        #[test]
        fn words_are_folded_one_by_one(words in prop::collection::vec(
            prop::sample::select(vec!["May", "may", "minutes", "İ", "sequestrations", "Mon", "hours", "1st", "12", "٣", "É", "x", "中", "a1", "1pm", "0123456789abcdef", "Deadbeefdeadbeef", "daddaddaddaddadd", "September", "Maybe", "é\u{301}"]), 0..12,
        ), between in prop::sample::select(vec![" ", "-", ", ", "\u{2014}", "[", "{"])) {
            let text = words.join(between);
            prop_assert_eq!(folded(&text), slow(&text));
        }

        #[test]
        fn texts_of_any_length_are_folded_word_by_word(
            text in "([a-zA-Z]{1,9}|Mon|hours?|[0-9a-f]{14,70}|[ ,.0-9-]{1,3}|[é日\u{2014}Ж]|[a-z]{60,70}){0,40}",
        ) {
            prop_assert_eq!(folded(&text), slow(&text));
        }

        #[test]
        fn a_text_that_came_before_has_the_same_fingerprint(texts in prop::collection::vec("[a-c1:@/ ]{0,4}", 0..60)) {
            let mut fingerprinter = Fingerprinter::default();
            for text in texts {
                prop_assert_eq!(fingerprinter.of(&text), Fingerprinter::default().found(&text));
            }
        }

        #[test]
        fn any_text_has_a_fingerprint_or_none(text in "\\PC{0,40}") {
            let found = Fingerprinter::default().of(&text);
            prop_assert_eq!(found, Fingerprinter::default().of(&text));
            prop_assert!(found.is_none() || text.chars().any(char::is_alphanumeric));
        }
    }
}
