//! One pass over the characters of a block.

use gleaner_page::{Block, Page};

use super::{ElementFacts, bytes};
use crate::chars::{
    CLASS, CLOSING, CharTable, DIGIT, FULL_STOP, LETTER, LOWER, PUNCTUATION, STOP, WHITE, WORD,
};
use crate::regexps::Hints;

/// What the characters of a block say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextFacts {
    /// Characters by class: other, letters, digits, punctuation, white space.
    pub(crate) classes: [u32; 5],
    /// Tokens by what they have: neither, letters only, digits only, both.
    pub(crate) tokens: [u32; 4],
    pub(crate) words: u32,
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
#[derive(Default)]
struct Scan {
    facts: TextFacts,
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

    pub(crate) fn of(
        table: &CharTable,
        page: &Page,
        block: &Block,
        elements: &mut [ElementFacts],
    ) -> TextFacts {
        let mut scan = Scan::default();
        let mut at = block.text.start;
        // What stands between two runs, a space at most, counts with the run before it.
        let runs = page.runs(block);
        for (number, run) in runs.iter().enumerate() {
            let end = runs
                .get(number + 1)
                .map_or(block.text.end, |next| next.text.start);
            let element = &mut elements[run.element as usize];
            scan.read(table, &page.text[bytes(&(at..end))], element);
            at = end;
        }
        scan.finish()
    }
}

impl Scan {
    /// Reads a run; what it holds is added to its element.
    fn read(&mut self, table: &CharTable, text: &str, element: &mut ElementFacts) {
        let before = (self.facts.chars(), self.facts.words, self.facts.commas);
        for c in text.chars() {
            self.step(c, table.of(c));
        }
        let (chars, words) = (self.facts.chars() - before.0, self.facts.words - before.1);
        let sums = &mut element.sums;
        sums.chars += chars;
        sums.words += words;
        sums.commas += self.facts.commas - before.2;
        if element.around.link() {
            sums.link_chars += chars;
            sums.link_words += words;
            self.facts.link_words += words;
        }
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
        let letter = u64::from(u32::from(c.to_ascii_lowercase()));
        self.facts.letters_hash =
            (self.facts.letters_hash.rotate_left(5) ^ letter).wrapping_mul(0x517c_c1b7_2722_0a95);
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
        self.facts
    }
}
