//! The tokens of a text: its words, and each other character that is no white space.
//!
//! A word is what the word boundaries of UAX #29 leave together, if it has a letter or digit; in scripts without spaces each
//! character with its marks is one, and each katakana begins another. So words are those of signatures, as they are written.

use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

use super::table::Table;
use crate::boundaries::{WordStep, step};
use crate::characters::{ALPHANUMERIC, Character, Class, HEBREW, WHOLE};
use crate::kinds::{ALPHABETIC, LETTER, SPACE, SYMBOL};
use crate::normal::{is_katakana, normal_form};
use crate::words::first_letters;

/// A kind of token that a text has, at one or more places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distinct {
    /// A hash of its text.
    pub(super) hash: u64,
    pub(super) count: u32,
    pub(super) characters: u32,
    /// Whether it has a letter.
    pub(super) has_letter: bool,
    /// Whether it has nothing but punctuation.
    pub(super) is_symbol: bool,
}

/// The tokens of a text, in order. Its memory is kept from one text to the next.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// For each token, the number of its kind.
    pub(super) kinds: Vec<u32>,
    pub(super) distinct: Vec<Distinct>,
    table: Table,
}

/// A text has about one kind of token for 12 bytes: from this its table gets its size.
const BYTES_PER_KIND: usize = 12;

/// What is known of a token when it ends.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    characters: u32,
    kinds: u8,
    flags: u8,
    has_other: bool,
}

impl Tokens {
    /// Removes the tokens, for a text of a number of bytes.
    pub(super) fn clear(&mut self, bytes: usize) {
        self.kinds.clear();
        self.distinct.clear();
        self.table.clear(bytes / BYTES_PER_KIND);
    }

    /// Adds the tokens of a line.
    pub(super) fn read(&mut self, line: &str) {
        let mut at = 0;
        while at < line.len() {
            at = self.token(line, at);
        }
    }

    /// Reads a token or a white space. Returns where it ends.
    #[inline]
    fn token(&mut self, line: &str, start: usize) -> usize {
        let bytes = line.as_bytes();
        let letters = ascii_letters(&bytes[start..]);
        let mut at = start + letters;
        // Most words are ASCII letters with a space behind them.
        if matches!(bytes.get(at), None | Some(b' ')) {
            if letters > 0 {
                self.push(&line[start..at], Seen::letters(letters));
            }
            return at + 1;
        }
        let mut seen = Seen::default();
        let (mut class, mut is_hebrew) = (Class::Break, false);
        at = start;
        loop {
            if !matches!(class, Class::Alone | Class::Katakana) {
                let letters = ascii_letters(&line.as_bytes()[at..]);
                if letters > 0 {
                    at += letters;
                    seen.add_letters(letters);
                    (class, is_hebrew) = (Class::Letter, false);
                }
            }
            let Some(letter) = line[at..].chars().next() else {
                break;
            };
            let character = Character::get(letter);
            let next = at + letter.len_utf8();
            match step(class, is_hebrew, character.class, &line[next..]) {
                WordStep::Continue => {
                    seen.add(character);
                    if character.class != Class::Mark {
                        class = character.class;
                    }
                    // As for the normal form, of which marks have no part.
                    if character.len > 0 {
                        is_hebrew = character.flags & HEBREW != 0;
                    }
                }
                WordStep::End => break,
                WordStep::EndAfter if at == start => {
                    self.push_character(letter, character);
                    return next;
                }
                // A Hebrew letter keeps the quote behind it.
                WordStep::EndAfter if is_hebrew && letter == '\'' => return self.split(line, start),
                WordStep::EndAfter => break,
                WordStep::Split => return self.split(line, start),
            }
            at = next;
        }
        self.finish(&line[start..at], seen);
        at
    }

    /// Ends a word; what has no letter or digit is its characters.
    #[inline]
    fn finish(&mut self, piece: &str, seen: Seen) {
        if seen.flags & ALPHANUMERIC != 0 {
            self.push(piece, seen);
        } else {
            self.finish_other(piece, seen);
        }
    }

    #[cold]
    fn finish_other(&mut self, piece: &str, seen: Seen) {
        let is_word = seen.flags & WHOLE != 0 && normal_form(piece).any(char::is_alphanumeric);
        if is_word {
            self.push(piece, seen);
            return;
        }
        for letter in piece.chars() {
            self.push_character(letter, Character::get(letter));
        }
    }

    /// Splits a line by the rules in full, up to the next character that ends a word whatever stands before it. Returns where
    /// that is.
    #[cold]
    fn split(&mut self, line: &str, start: usize) -> usize {
        let ends = |letter: char| Character::get(letter).class == Class::Break;
        let end = line[start..]
            .find(ends)
            .map_or(line.len(), |length| start + length);
        for piece in line[start..end].split_word_bounds() {
            let mut at = 0;
            for (next, _) in piece.char_indices().filter(|(_, letter)| is_katakana(*letter)) {
                self.finish_piece(&piece[at..next]);
                at = next;
            }
            self.finish_piece(&piece[at..]);
        }
        end
    }

    fn finish_piece(&mut self, piece: &str) {
        let Some(first) = piece.chars().next() else {
            return;
        };
        let character = Character::get(first);
        // Such a character is in no word, whatever marks are on it.
        if matches!(step(Class::Break, false, character.class, ""), WordStep::EndAfter) {
            self.push_character(first, character);
            self.finish_piece(&piece[first.len_utf8()..]);
            return;
        }
        let mut seen = Seen::default();
        piece.chars().for_each(|letter| seen.add(Character::get(letter)));
        self.finish(piece, seen);
    }

    fn push_character(&mut self, letter: char, character: &Character) {
        if character.kinds & SPACE == 0 {
            let mut seen = Seen::default();
            seen.add(character);
            self.push(letter.encode_utf8(&mut [0; 4]), seen);
        }
    }

    #[inline]
    fn push(&mut self, token: &str, seen: Seen) {
        let hash = xxh3_64(token.as_bytes());
        let (kind, is_new) = self.table.number(hash);
        if is_new {
            self.distinct.push(Distinct {
                hash,
                count: 0,
                characters: seen.characters,
                has_letter: seen.kinds & LETTER != 0,
                is_symbol: !seen.has_other,
            });
        }
        self.distinct[kind as usize].count += 1;
        self.kinds.push(kind);
    }
}

impl Seen {
    #[inline]
    fn add(&mut self, character: &Character) {
        self.characters += 1;
        self.kinds |= character.kinds;
        self.flags |= character.flags;
        self.has_other |= character.kinds & SYMBOL == 0;
    }

    fn letters(count: usize) -> Seen {
        let mut seen = Seen::default();
        seen.add_letters(count);
        seen
    }

    #[inline]
    fn add_letters(&mut self, count: usize) {
        self.characters += count as u32;
        self.kinds |= LETTER | ALPHABETIC;
        self.flags |= ALPHANUMERIC;
        self.has_other = true;
    }
}

/// The number of ASCII letters that bytes begin with.
#[inline]
fn ascii_letters(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((eight, after)) = rest.split_first_chunk() {
        let (letters, _) = first_letters(*eight);
        if letters < eight.len() {
            return bytes.len() - rest.len() + letters;
        }
        rest = after;
    }
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic());
    bytes.len() - rest.len() + letters.count()
}
