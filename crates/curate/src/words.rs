//! The normalised words of a text.

use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::boundaries::{WordStep, step};
use crate::characters::{ALPHANUMERIC, Character, Class, DIGIT, FORM, HEBREW, MARK_FIRST, MARK_LAST, WHOLE};
use crate::minima::mixed;
use crate::normal::{is_katakana, normal_form};

/// The normalised words of a text. Its memory is kept from one text to the next.
///
/// A word is what the word boundaries of UAX #29 leave together, if it has a letter or digit; each katakana begins another
/// word. One pass over the text finds most words. A few characters need the rules in full: for them the unicode-segmentation
/// crate splits the text up to the next white space or punctuation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// The words in their normal form, each with a space after it, and unused room.
    joined: Vec<u8>,
    /// Number of bytes that are used.
    end: usize,
    /// The hash of each word, as bytes.
    hashes: Vec<[u8; 8]>,
    /// The numbers, of which the normal form of a word has only that they are there.
    numbers: Vec<Number>,
}

/// The numbers of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// The place of the word among all words.
    pub(crate) word: usize,
    /// A hash of its digits.
    pub(crate) hash: u64,
}

/// A word that is being read.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// Where its normal form begins in the joined words.
    begun: usize,
    /// The flags of its characters.
    flags: u8,
    /// The flags of the last character that has a normal form.
    last: u8,
    /// The class of the last character that is no mark; [`Class::Break`] before the first.
    class: Class,
}

impl Words {
    /// Reads the words of a text in place of those before.
    pub(crate) fn read(&mut self, text: &str) {
        self.end = 0;
        self.hashes.clear();
        self.numbers.clear();
        let mut at = 0;
        while at < text.len() {
            at = self.word(text, at);
        }
    }

    /// Hashes of the words, in order.
    pub(crate) fn hashes(&self) -> &[[u8; 8]] {
        &self.hashes
    }

    /// The numbers of the words that have some, in order.
    pub(crate) fn numbers(&self) -> &[Number] {
        &self.numbers
    }

    /// The hash of all words with a space after each; none if there are no words.
    pub(crate) fn digest(&self) -> Option<u128> {
        (!self.hashes.is_empty()).then(|| xxh3_128(&self.joined[..self.end]))
    }

    /// Reads a word, or a character that is in no word. Returns where it ends.
    fn word(&mut self, text: &str, start: usize) -> usize {
        let mut word = Word {
            begun: self.end,
            flags: 0,
            last: 0,
            class: Class::Break,
        };
        let mut at = start;
        loop {
            at = self.ascii_letters(text, at, &mut word);
            let Some(letter) = text[at..].chars().next() else {
                break;
            };
            let character = Character::get(letter);
            let next = at + letter.len_utf8();
            match step(
                word.class,
                word.last & HEBREW != 0,
                character.class,
                &text[next..],
            ) {
                WordStep::Continue => self.push(character, &mut word),
                WordStep::End => break,
                WordStep::EndAfter => {
                    self.finish(&text[start..at], word);
                    return next;
                }
                WordStep::Split => {
                    self.end = word.begun;
                    return self.split(text, start);
                }
            }
            at = next;
        }
        self.finish(&text[start..at], word);
        at
    }

    /// Reads ASCII letters, if the next characters are such and belong to the word. Returns where they end.
    #[inline]
    fn ascii_letters(&mut self, text: &str, at: usize, word: &mut Word) -> usize {
        if matches!(word.class, Class::Alone | Class::Katakana) {
            return at;
        }
        let begun = self.end;
        let mut rest = &text.as_bytes()[at..];
        while let Some((eight, after)) = rest.split_first_chunk() {
            let letters = self.push_letters(*eight);
            if letters < eight.len() {
                rest = &[];
                break;
            }
            rest = after;
        }
        if !rest.is_empty() {
            let mut eight = [0; 8];
            eight[..rest.len()].copy_from_slice(rest);
            self.push_letters(eight);
        }
        if self.end > begun {
            word.class = Class::Letter;
            word.flags |= ALPHANUMERIC;
            word.last = 0;
        }
        at + self.end - begun
    }

    /// Adds those of eight bytes that are ASCII letters, up to the first that is none, in lower case. Returns their number.
    #[inline]
    fn push_letters(&mut self, eight: [u8; 8]) -> usize {
        let (letters, lower) = first_letters(eight);
        self.make_room();
        let room: &mut [u8; 8] = self.joined[self.end..].first_chunk_mut().expect("room was made");
        *room = lower;
        self.end += letters;
        letters
    }

    /// Adds a character to the word.
    #[inline]
    fn push(&mut self, character: &Character, word: &mut Word) {
        if character.class != Class::Mark {
            word.class = character.class;
        }
        word.flags |= character.flags;
        if character.len == 0 || word.last & character.flags & DIGIT != 0 {
            return;
        }
        if word.last & MARK_LAST != 0 && character.flags & MARK_FIRST != 0 {
            word.flags |= WHOLE;
        }
        word.last = character.flags;
        self.make_room();
        let room: &mut [u8; FORM] = self.joined[self.end..].first_chunk_mut().expect("room was made");
        *room = character.form;
        self.end += usize::from(character.len);
    }

    /// Ends a word: adds its hash, or removes it if it has no letters or digits.
    #[inline]
    fn finish(&mut self, text: &str, mut word: Word) {
        if word.flags & WHOLE != 0 {
            self.normalise(text, &mut word);
        }
        if word.flags & ALPHANUMERIC == 0 {
            self.end = word.begun;
            return;
        }
        if word.flags & DIGIT != 0 {
            self.number(text);
        }
        let hash = xxh3_64(&self.joined[word.begun..self.end]);
        self.hashes.push(hash.to_le_bytes());
        self.make_room();
        self.joined[self.end] = b' ';
        self.end += 1;
    }

    /// Adds the numbers of the next word.
    fn number(&mut self, text: &str) {
        let digits = text.chars().filter(|letter| letter.is_numeric());
        self.numbers.push(Number {
            word: self.hashes.len(),
            hash: digits.fold(0, |hash, digit| mixed(hash ^ u64::from(digit))),
        });
    }

    /// Computes the normal form of a word that is more than the forms of its characters.
    #[cold]
    fn normalise(&mut self, text: &str, word: &mut Word) {
        self.end = word.begun;
        word.flags = 0;
        for letter in normal_form(text) {
            self.make_room();
            self.end += letter.encode_utf8(&mut self.joined[self.end..]).len();
            word.flags |= if letter.is_alphanumeric() { ALPHANUMERIC } else { 0 };
            word.flags |= if letter == '0' { DIGIT } else { 0 };
        }
    }

    /// Splits a text by the rules in full, up to the next character that ends a word whatever stands before it. Returns
    /// where that is.
    #[cold]
    fn split(&mut self, text: &str, start: usize) -> usize {
        let ends = |letter: char| Character::get(letter).class == Class::Break;
        let end = text[start..]
            .find(ends)
            .map_or(text.len(), |length| start + length);
        for piece in text[start..end].split_word_bounds() {
            let mut at = 0;
            for (next, _) in piece.char_indices().filter(|(_, letter)| is_katakana(*letter)) {
                self.finish(&piece[at..next], Word::whole(self.end));
                at = next;
            }
            self.finish(&piece[at..], Word::whole(self.end));
        }
        end
    }

    /// Makes room for a character and a space.
    #[inline]
    fn make_room(&mut self) {
        let most = self.end + FORM + 1;
        if self.joined.len() < most {
            self.joined.resize((2 * most).next_power_of_two(), 0);
        }
    }
}

impl Word {
    /// A word whose normal form is not yet computed.
    fn whole(begun: usize) -> Word {
        Word {
            begun,
            flags: WHOLE,
            last: 0,
            class: Class::Break,
        }
    }
}

/// Of eight bytes, how many are ASCII letters up to the first that is none; and the bytes, with the letters in lower case.
#[inline]
pub(crate) fn first_letters(eight: [u8; 8]) -> (usize, [u8; 8]) {
    const ONES: u64 = u64::MAX / 255;
    let bytes = u64::from_le_bytes(eight);
    let lower = bytes | (0x20 * ONES);
    let low_bits = lower & (0x7f * ONES);
    // The high bit of a byte of a sum: whether its low bits are at least a, or past z.
    let (from_a, past_z) = (low_bits + (0x1f * ONES), low_bits + (0x05 * ONES));
    let others = !(from_a & !past_z & !bytes) & (0x80 * ONES);
    ((others.trailing_zeros() / 8) as usize, lower.to_le_bytes())
}
