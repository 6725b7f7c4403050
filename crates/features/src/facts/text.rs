//! One pass over the characters of a block: runs of ASCII letters and single spaces, which most
//! text is, in one go; all else character by character.

use std::ops::Range;

use gleaner_page::{Block, Page};
use xxhash_rust::xxh3::xxh3_64;

use super::{ElementFacts, ElementSums, bytes};
use crate::chars::{
    CLASS, CLOSING, CharTable, DIGIT, FULL_STOP, LETTER, LOWER, PUNCTUATION, STOP, WHITE, WORD,
    unspaced_words,
};
use crate::eights::{CHUNK, Heads, ONES, letters, within};
use crate::regexps::Hints;

/// What the characters of a block say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextFacts {
    /// Characters by class: other, letters, digits, punctuation, white space.
    pub(crate) classes: [u32; 5],
    /// Tokens by what they have: neither, letters only, digits only, both.
    pub(crate) tokens: [u32; 4],
    pub(crate) words: u32,
    /// Those of them that [`unspaced_words`] adds.
    pub(crate) unspaced: u32,
    /// Words that start inside an `<a>`.
    pub(crate) link_words: u32,
    pub(crate) commas: u32,
    pub(crate) sentences: u32,
    /// Its first letter is not lower-case.
    pub(crate) begins_sentence: bool,
    /// Nothing but closing marks follows its last end of a sentence.
    pub(crate) ends_sentence: bool,
    /// A hash of its letters in order, lower-cased where ASCII.
    pub(crate) letters_hash: u64,
    pub(crate) hints: Hints,
}

/// The state of the pass between two characters.
struct Scan<'s> {
    facts: TextFacts,
    /// The letters so far, lower-cased where ASCII, with room for the rest, and how many bytes they are.
    letters: &'s mut [u8],
    kept: usize,
    /// Inside a word.
    in_word: bool,
    /// What the token at hand has: letters (1), digits (2), anything (4).
    token: u8,
    /// An end of a sentence has been seen and not yet confirmed by what follows.
    stop: u8,
    /// The character before was a full stop or a colon.
    dot: bool,
    /// A letter has been seen.
    letter: bool,
}

impl TextFacts {
    /// How many characters the block has.
    pub(crate) fn chars(&self) -> u32 {
        self.classes.iter().sum()
    }

    /// How many tokens, separated by white space, the block has.
    pub(crate) fn token_count(&self) -> u32 {
        self.tokens.iter().sum()
    }

    pub(crate) fn new(
        table: &CharTable,
        page: &Page,
        block: &Block,
        elements: &[ElementFacts],
        sums: &mut [ElementSums],
        letters: &mut Vec<u8>,
    ) -> TextFacts {
        let mut scan = Scan::new(letters, block.text.len());
        let mut at = block.text.start;
        // What stands between two runs, a space at most, counts with the run before it.
        let runs = page.runs(block);
        for (number, run) in runs.iter().enumerate() {
            let end = runs
                .get(number + 1)
                .map_or(block.text.end, |next| next.text.start);
            let element = run.element as usize;
            let is_link = elements[element].around.link();
            scan.read(table, &page.text, bytes(&(at..end)), is_link, &mut sums[element]);
            at = end;
        }
        scan.finish()
    }
}

impl Scan<'_> {
    /// For a text of `bytes` bytes.
    fn new(letters: &mut Vec<u8>, bytes: usize) -> Scan<'_> {
        // Letters are written by eights, the last of which may be none.
        if letters.len() < bytes + 8 {
            letters.resize(bytes + 8, 0);
        }
        Scan {
            facts: TextFacts::default(),
            letters,
            kept: 0,
            in_word: false,
            token: 0,
            stop: 0,
            dot: false,
            letter: false,
        }
    }

    /// Reads a run of a text, in a link or not; what it holds is added to the sums of its element.
    fn read(
        &mut self,
        table: &CharTable,
        text: &str,
        run: Range<usize>,
        is_link: bool,
        sums: &mut ElementSums,
    ) {
        let before = (self.facts.chars(), self.facts.words, self.facts.commas);
        self.read_text(table, text, run.clone());
        let chars = self.facts.chars() - before.0;
        if table.unspaced && (chars as usize) < run.len() {
            self.add_unspaced(&text[run]);
        }
        let words = self.facts.words - before.1;
        sums.chars += chars;
        sums.words += words;
        sums.commas += self.facts.commas - before.2;
        if is_link {
            sums.link_chars += chars;
            sums.link_words += words;
            self.facts.link_words += words;
        }
    }

    /// Counts what the pass has not distinguished, as words and as tokens.
    fn add_unspaced(&mut self, text: &str) {
        let words = unspaced_words(text);
        self.facts.unspaced += words;
        self.facts.words += words;
        self.facts.tokens[LETTER as usize] += words;
    }

    fn read_text(&mut self, table: &CharTable, text: &str, run: Range<usize>) {
        let heads = Heads::new(text.as_bytes());
        let are_plain = table.plain && table.of_ascii(b' ') == WHITE;
        let mut at = run.start;
        while at < run.end {
            let from = at;
            let [letters, spaces] = heads.chunk(from..run.end, |eight| {
                [letters(eight) & !eight, within(eight, b' ', b' ') & !eight]
            });
            let plain = if are_plain { letters | spaces } else { 0 };
            while at < run.end.min(from + CHUNK) {
                match (plain >> (at - from)).trailing_ones() as usize {
                    0 => {
                        let byte = heads.text[at];
                        let beyond = || text[at..].chars().next();
                        let c = if byte.is_ascii() {
                            Some(char::from(byte))
                        } else {
                            beyond()
                        };
                        let Some(c) = c else { return };
                        self.step(c, table.class(c));
                        at += c.len_utf8();
                    }
                    count => {
                        let letters = (letters >> (at - from)) & (u64::MAX >> (CHUNK - count));
                        self.step_plain(table, &heads, at, letters, count);
                        at += count;
                    }
                }
            }
        }
    }

    /// The plain characters from a place on, letters and single spaces: a bit for each letter.
    fn step_plain(&mut self, table: &CharTable, text: &Heads<'_>, at: usize, letters: u64, count: usize) {
        let begins = letters & 1 != 0;
        let ends = letters >> (count - 1) & 1 != 0;
        if self.stop != 0 {
            self.step_sentence(table.of_ascii(text.text[at]));
        }
        if !self.letter && letters != 0 {
            self.letter = true;
            let first = text.text[at + letters.trailing_zeros() as usize];
            self.facts.begins_sentence = table.of_ascii(first) & LOWER == 0;
        }
        let (before, mut words) = (self.kept, 0);
        let mut left = letters;
        while left != 0 {
            let start = left.trailing_zeros();
            let length = (left >> start).trailing_ones();
            self.keep_letters(text, at + start as usize, length as usize);
            left &= u64::MAX.checked_shl(start + length).unwrap_or(0);
            words += 1;
        }
        let kept = self.kept - before;
        self.facts.classes[LETTER as usize] += kept as u32;
        self.facts.classes[WHITE as usize] += (count - kept) as u32;
        self.facts.words += words - u32::from(begins && self.in_word);
        self.in_word = ends;
        self.facts.hints.dots |= self.dot && begins;
        self.dot = false;
        if begins {
            self.token |= 4 | 1;
        }
        if kept < count {
            self.end_token();
            self.facts.tokens[LETTER as usize] += words - u32::from(begins) - u32::from(ends);
            self.token = if ends { 4 | 1 } else { 0 };
        }
    }

    /// Keeps letters of ASCII, by eights.
    #[inline]
    fn keep_letters(&mut self, text: &Heads<'_>, at: usize, length: usize) {
        for first in (0..length).step_by(8) {
            let lower = text.at(at + first) | (0x20 * ONES);
            if let Some(room) = self.letters[self.kept + first..].first_chunk_mut() {
                *room = lower.to_le_bytes();
            }
        }
        self.kept += length;
    }

    #[inline]
    fn step(&mut self, c: char, properties: u8) {
        let class = properties & CLASS;
        self.facts.classes[class as usize] += 1;
        let word = properties & WORD != 0;
        self.facts.words += u32::from(word && !self.in_word);
        self.in_word = word;
        if self.stop != 0 || properties & (STOP | FULL_STOP) != 0 {
            self.step_sentence(properties);
        }
        match class {
            LETTER => self.step_letter(c, properties),
            DIGIT => self.token |= 4 | 2,
            WHITE => self.end_token(),
            PUNCTUATION => {
                self.token |= 4;
                self.facts.commas += u32::from(matches!(c, ',' | '，' | '、' | '،'));
            }
            _ => self.token |= 4,
        }
        self.facts.hints.dots |= self.dot && (class == LETTER || c == '/');
        self.dot = matches!(c, '.' | ':' | '@');
    }

    #[inline]
    fn step_letter(&mut self, c: char, properties: u8) {
        self.token |= 4 | 1;
        if !self.letter {
            self.letter = true;
            self.facts.begins_sentence = properties & LOWER == 0;
        }
        let letter = c.to_ascii_lowercase();
        self.kept += letter.encode_utf8(&mut self.letters[self.kept..]).len();
    }

    /// A stop counts once white space or the end follows, closing marks in between or not; a run
    /// of stops counts once.
    fn step_sentence(&mut self, properties: u8) {
        if properties & (STOP | FULL_STOP) != 0 {
            self.stop |= properties & (STOP | FULL_STOP);
        } else if properties & CLOSING == 0 {
            let ends = self.stop & FULL_STOP != 0 || properties & CLASS == WHITE;
            self.facts.sentences += u32::from(ends);
            self.stop = 0;
        }
    }

    fn end_token(&mut self) {
        if self.token != 0 {
            self.facts.hints.digits |= self.token & 2 != 0;
            self.facts.tokens[(self.token & 3) as usize] += 1;
            self.token = 0;
        }
    }

    fn finish(mut self) -> TextFacts {
        self.end_token();
        self.facts.ends_sentence = self.stop != 0;
        self.facts.sentences += u32::from(self.stop != 0);
        self.facts.letters_hash = xxh3_64(&self.letters[..self.kept]);
        self.facts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Letters in either case, digits, all kinds of marks, two kinds of white space, other scripts.
    const ALPHABET: &str = "abcdefzAZ  e1_.:@/,!?)\"\u{a0}\tčЖ你。，€\u{301}";

    fn scan(stops: &str, text: &str, step: impl Fn(&mut Scan<'_>, &CharTable, &str)) -> String {
        let (table, mut letters) = (CharTable::new(stops, "。", ")\""), Vec::new());
        let mut scan = Scan::new(&mut letters, text.len());
        step(&mut scan, &table, text);
        format!("{:?}", scan.finish())
    }

    proptest! {
        #[test]
        fn runs_are_as_their_characters(
            // Letters end sentences too if an odd configuration has it so.
            stops in prop::sample::select(vec![".!?", ".!?b"]),
            chars in prop::collection::vec(prop::sample::select(ALPHABET.chars().collect::<Vec<_>>()), 0..60)
        ) {
            let text: String = chars.into_iter().collect();
            let slow = scan(stops, &text, |scan, table, text| text.chars().for_each(|c| scan.step(c, table.class(c))));
            prop_assert_eq!(scan(stops, &text, |scan, table, text| {
                // What stands behind a run is not read.
                let (text, end) = (format!("{text}xyz"), text.len());
                scan.read_text(table, &text, 0..end);
            }), slow);
        }
    }
}
