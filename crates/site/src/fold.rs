//! Texts folded for fingerprints: letters and digits in lower case, and signs in place of what changes from page to page.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::chunk::{CHUNK, COPIED, Chunk, SPARE, Spare, WORD};
use crate::pattern::{NUMBER, may_be_pattern, pattern};

/// A folded text. Its memory is kept from one text to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    /// A byte that no text has, the folded bytes, and unused room.
    room: Vec<u8>,
    /// Number of folded bytes.
    end: usize,
}

/// The last folded byte, and room for the words of a chunk.
const WINDOW: usize = 1 + CHUNK + COPIED;

/// By the length of a word, the mask of its first three letters, or of as many as it has.
const PREFIX_MASK: [u32; WORD + 1] = {
    let mut bits = [0xff_ffff; WORD + 1];
    (bits[0], bits[1], bits[2]) = (0, 0xff, 0xffff);
    bits
};

impl Folded {
    /// Removes everything.
    pub(crate) fn clear(&mut self) {
        self.end = 0;
        self.make_room();
    }

    /// The folded bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.room[1..=self.end]
    }

    /// Adds an ASCII sign.
    pub(crate) fn push(&mut self, sign: u8) {
        self.letter(char::from(sign));
    }

    /// Adds a piece of a text, a chunk at a time.
    pub(crate) fn add(&mut self, text: &str, piece: Range<usize>) {
        let mut spare = SPARE;
        let mut at = piece.start;
        while at < piece.end {
            at = self.chunk(text, at..piece.end, &mut spare);
        }
    }

    /// Adds the words of a chunk; returns where the next begins.
    fn chunk(&mut self, text: &str, piece: Range<usize>, spare: &mut Spare) -> usize {
        let chunk = Chunk::new(text.as_bytes(), piece.clone(), spare);
        let mut words = chunk.letters | chunk.digits | chunk.others;
        let mut next = piece.end.min(piece.start + CHUNK);
        loop {
            let open = words.leading_ones();
            if piece.len() > CHUNK && (1..u64::BITS).contains(&open) {
                // The last word may be longer than the chunk: it is left to the next chunk.
                words &= u64::MAX >> open;
                next = piece.start + CHUNK - open as usize;
            }
            words = self.words(&chunk, words);
            if words == 0 {
                return next;
            }
            let word = piece.start + words.trailing_zeros() as usize;
            let past = self.word(text, word..piece.end);
            if past - piece.start >= CHUNK {
                return past;
            }
            words &= u64::MAX << (past - piece.start);
        }
    }

    /// Adds the words of a chunk up to the first that is long or mixed: most words are a few ASCII letters, or digits.
    /// Returns the bits of the words that are left.
    #[inline]
    fn words(&mut self, chunk: &Chunk<'_>, words: u64) -> u64 {
        self.make_room();
        let window: &mut [u8; WINDOW] = self.room[self.end..]
            .first_chunk_mut()
            .expect("room was made for it");
        let mut at = 1;
        let (mut starts, mut ends) = (words & !(words << 1), !words & (words << 1));
        while starts != 0 {
            // A word at the end of the chunk has no end bit: `lowest` is 0 there, and the difference has all bits from the
            // start on.
            let own = lowest(ends).wrapping_sub(lowest(starts));
            let word = starts.trailing_zeros() as usize..ends.trailing_zeros() as usize;
            if word.len() > WORD {
                break;
            }
            if own & (chunk.digits | chunk.others) == 0 {
                let room = window[at..].first_chunk_mut().expect("a chunk folds to less");
                let key = chunk.copy_lower_case(word.start, room) & PREFIX_MASK[word.len()];
                at += word.len();
                if may_be_pattern(key)
                    && let Some(pattern) = pattern(chunk.bytes(word.clone()))
                {
                    at -= word.len();
                    window[at] = pattern;
                    at += 1;
                }
            } else if own & (chunk.letters | chunk.others) == 0 {
                window[at] = NUMBER;
                at += usize::from(window[at - 1] != NUMBER);
            } else {
                break;
            }
            starts &= starts - 1;
            ends &= ends.wrapping_sub(1);
        }
        self.end += at - 1;
        words & lowest(starts).wrapping_neg()
    }

    /// Adds a word of any characters, or an empty one. Returns where it ends: after the character that ends it if that is
    /// not ASCII, else before it.
    fn word(&mut self, text: &str, piece: Range<usize>) -> usize {
        let begun = self.end;
        let mut letters = text[piece.clone()].chars();
        let mut at = piece.start;
        let next = loop {
            let end = piece.end - letters.as_str().len();
            let Some(letter) = letters.next() else {
                break end;
            };
            at = end;
            match CharClass::cached(letter) {
                CharClass::Number => self.digit(),
                CharClass::Lower => self.letter(letter),
                CharClass::Upper => letter.to_lowercase().for_each(|lower| self.letter(lower)),
                CharClass::Other if letter.is_ascii() => break end,
                CharClass::Other => break end + letter.len_utf8(),
            }
            at = end + letter.len_utf8();
        };
        if let Some(pattern) = pattern(&text.as_bytes()[piece.start..at]) {
            self.end = begun;
            match pattern {
                NUMBER => self.digit(),
                pattern => self.push(pattern),
            }
        }
        next
    }

    /// Adds the sign of a number, unless the last sign is one: numbers separated by punctuation are one number.
    fn digit(&mut self) {
        if self.room[self.end] != NUMBER {
            self.push(NUMBER);
        }
    }

    /// Adds a letter.
    #[inline]
    fn letter(&mut self, letter: char) {
        if self.room.len() < self.end + WINDOW {
            self.make_room();
        }
        let room: &mut [u8; 4] = self.room[self.end + 1..]
            .first_chunk_mut()
            .expect("room was made");
        self.end += letter.encode_utf8(room).len();
    }

    /// Makes room for the words of a chunk.
    fn make_room(&mut self) {
        let most = self.end + WINDOW;
        if self.room.len() < most {
            self.room.resize(most.next_power_of_two(), 0);
        }
    }
}

/// The lowest set bit; 0 if there is none.
#[inline]
fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

/// The class of a character.
#[derive(Clone, Copy)]
enum CharClass {
    Number,
    /// A letter that is its own lower case.
    Lower,
    Upper,
    Other,
}

impl CharClass {
    /// The class of a character, from a table for the first 65,536 characters.
    #[inline]
    fn cached(letter: char) -> CharClass {
        const ALL: [CharClass; 4] = [
            CharClass::Number,
            CharClass::Lower,
            CharClass::Upper,
            CharClass::Other,
        ];
        let Some(known) = CLASSES.get(letter as usize) else {
            return CharClass::new(letter);
        };
        match known.load(Relaxed) {
            0 => {
                let class = CharClass::new(letter);
                known.store(class as u8 + 1, Relaxed);
                class
            }
            known => ALL[usize::from(known - 1) % ALL.len()],
        }
    }

    fn new(letter: char) -> CharClass {
        match letter {
            _ if letter.is_numeric() => CharClass::Number,
            _ if !letter.is_alphabetic() => CharClass::Other,
            _ if letter.to_lowercase().eq([letter]) => CharClass::Lower,
            _ => CharClass::Upper,
        }
    }
}

/// One more than the number of the class of each of the first 65,536 characters, 0 until it is needed. Without the table,
/// classification takes most of the time of text that is not English: 600 of 3,000 million instructions of a build of pages in
/// Thai, Japanese and English.
static CLASSES: [AtomicU8; 1 << 16] = [const { AtomicU8::new(0) }; 1 << 16];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::{MONTHS, WEEKDAYS};

    fn folded(text: &str) -> String {
        folded_piece(text, 0..text.len())
    }

    fn folded_piece(text: &str, piece: Range<usize>) -> String {
        let mut folded = Folded::default();
        // The second text must not depend on the first.
        for text in ["12", text] {
            folded.clear();
            folded.add(text, piece.start.min(text.len())..piece.end.min(text.len()));
        }
        String::from_utf8(folded.bytes().to_vec()).unwrap()
    }

    #[test]
    fn letters_and_digits_are_folded() {
        assert_eq!(folded("Read more…"), "readmore");
        assert_eq!(folded("ČLÁNEK č. 12/2007 — Ďalší"), "článekč0ďalší");
        assert_eq!(folded("१२ Ⅳ x²"), "0x0");
        assert_eq!(folded("你好，世界"), "你好世界");
    }

    #[test]
    fn mutable_patterns_are_replaced_by_signs() {
        assert_eq!(folded("Monday, May 3rd, 2007 at 11:59 pm"), "\u{2}\u{1}0at0pm");
        assert_eq!(folded("3 hours ago by may"), "0\u{3}agobymay");
        assert_eq!(folded("commit 00ff00ff00ff00ffaa done"), "commit\u{5}done");
        assert_eq!(folded("Mayday seconds11 2nd2 11th $1.50"), "maydayseconds0nd0");
    }

    #[test]
    fn patterns_of_letters_pass_the_first_test() {
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

    /// A slow twin: letter by letter.
    fn slow(text: &str) -> String {
        let mut folded = String::new();
        for word in text.split(|letter: char| !letter.is_alphanumeric()) {
            let sign = pattern(word.as_bytes()).map(char::from);
            for letter in sign.map_or_else(|| word.to_lowercase(), String::from).chars() {
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
            for start in [text.floor_char_boundary(text.len() / 3), 0] {
                let piece = start..text.floor_char_boundary(text.len() - text.len() / 4).max(start);
                prop_assert_eq!(folded_piece(&text, piece.clone()), slow(&text[piece]));
            }
        }
    }
}
