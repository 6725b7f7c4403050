//! Measures of the quality of a text, and the rules that people choose texts by.
//!
//! In: the text of a document, lines separated by `\n`, and its language. Out: [`Signals`], numbers without a judgement; and from
//! them the first rule of a set that the text fails: [`gopher`], [`c4`], [`fineweb_c4`], [`fineweb`], [`fineweb2`], [`dclm`].
//!
//! # Words
//!
//! All measures have the same tokens: words by the word boundaries of UAX #29, as for [signatures](crate::Signer), and each other
//! character that is no white space. So a comma is a token, as it is for the tokenizers that the rules were made with. With these
//! tokens the verdicts equal those of DataTrove's filters. Its own tokenizers split some words otherwise.
//!
//! # The cost
//!
//! The characters are read twice, for tokens and for counts, and once by an automaton that looks for phrases. Tokens get numbers,
//! so that repeated runs of them are found by numbers. The memory of the measurer grows to the largest text.

mod c4;
mod dclm;
mod fineweb2;
mod kept_lines;
mod line;
mod ngrams;
mod paragraphs;
mod phrases;
mod rules;
mod stop_words;
mod table;
mod thresholds;
mod tokens;
mod wds;

#[cfg(test)]
mod tests;

pub use c4::C4Signals;
pub use dclm::LineSignals;
pub use kept_lines::{LineRules, kept_lines};
pub use rules::{c4, dclm, fineweb, fineweb_c4, fineweb2, gopher};
pub use thresholds::{Allowed, RuleSet, Threshold};
pub use wds::WdsSignals;

use c4::C4;
use gleaner_columns::widest;
use line::Line;
use ngrams::Ngrams;
use phrases::{Phrase, phrases};
use stop_words::{GOPHER, StopWords};
use table::Table;
use tokens::Tokens;
use wds::Wds;

use crate::language::Language;

/// The measures of a text. A share is from 0 to 1, and 0 where it would be 0 / 0. Characters are code points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// Characters.
    pub characters: u32,
    /// Tokens: words, and each other character that is no white space.
    pub tokens: u32,
    /// Tokens that are more than punctuation. Unit: words. Gopher: 50 to 100,000.
    pub words: u32,
    /// Characters of the words divided by words. Gopher: 3 to 10.
    pub mean_word_length: f64,
    /// `#` divided by tokens. Gopher: at most 0.1.
    pub hashes: f64,
    /// `...` and `…` divided by tokens. Gopher: at most 0.1.
    pub ellipses: f64,
    /// The share of lines that begin with `•` or `-` after white space. Gopher: at most 0.9.
    pub bullet_lines: f64,
    /// The share of lines that end with `...` or `…` before white space. Gopher: at most 0.3.
    pub ellipsis_lines: f64,
    /// The share of tokens with a letter. Gopher: at least 0.8.
    pub alphabetic_tokens: f64,
    /// How often the words of Gopher's list occur, as written: `the`, `be`, `to`, `of`, `and`, `that`, `have`, `with`. Gopher: at
    /// least 2.
    pub gopher_stop_words: u32,
    /// How often words of the list of the text's language occur (package stop-words, lists of ISO languages), as written. None
    /// without a list.
    pub stop_words: Option<u32>,
    /// Paragraphs (between empty lines) that were there before, divided by paragraphs. Gopher: at most 0.3.
    pub duplicate_paragraphs: f64,
    /// Their characters divided by all. Gopher: at most 0.2.
    pub duplicate_paragraph_characters: f64,
    /// Lines that were there before, divided by lines; empty lines count for neither. Gopher: at most 0.3.
    pub duplicate_lines: f64,
    /// Their characters divided by all. Gopher: at most 0.2.
    pub duplicate_line_characters: f64,
    /// For two, three and four tokens: the characters of the most frequent run of that length (with a space between tokens), times
    /// the number of its places, divided by all characters. Gopher: at most 0.2, 0.18 and 0.16.
    pub top_ngrams: [f64; 3],
    /// For five to ten tokens: the characters of runs of that length that were there before (without spaces), each character once,
    /// divided by all. Gopher: at most 0.15, 0.14, 0.13, 0.12, 0.11 and 0.1.
    pub duplicate_ngrams: [f64; 6],
    /// The share of lines, with empty ones, that end with `.`, `'`, `"`, `!` or `?`. FineWeb: more than 0.12.
    pub punctuated_lines: f64,
    /// The share of lines, with empty ones, of at most 30 characters. FineWeb: less than 0.67.
    pub short_lines: f64,
    /// Characters of lines that were there before and have more than white space, divided by characters without line feeds.
    /// FineWeb: less than 0.01.
    pub repeated_characters: f64,
    /// Line feeds divided by tokens. FineWeb: at most 0.3.
    pub newlines: f64,
    /// Lines of at least 200 characters. mC4 (Xue et al. 2021): at least 3.
    pub long_lines: u32,
    /// By the rules of C4.
    pub c4: C4Signals,
    /// By the rules of C4 as FineWeb has them: lines may end as they like.
    pub fineweb_c4: C4Signals,
    /// By the rules of RefinedWeb and DCLM for lines.
    pub lines: LineSignals,
    /// By HPLT's Web Docs Scorer.
    pub wds: WdsSignals,
}

/// Measures texts. Its memory is kept from one text to the next.
///
/// ```
/// use gleaner_curate::{Language, Measurer, gopher};
///
/// let text = "The boat left the harbour.\nRead more\nIt came back with herring.\nRead more";
/// let signals = Measurer::default().measure(text, &Language::new("eng", "Latn"));
/// assert_eq!((signals.tokens, signals.words), (16, 14));
/// assert_eq!(signals.duplicate_lines, 0.25);
/// assert_eq!(signals.c4.kept_lines, 2);
/// assert_eq!(gopher(&signals), Some("top_3_gram"));
/// ```
#[derive(Debug, Default)]
pub struct Measurer {
    tokens: Tokens,
    ngrams: Ngrams,
    lines: Table,
    /// For each kind of line, how often it occurs.
    line_counts: Vec<u32>,
    /// The text with small letters, of ASCII.
    lower: String,
    phrases: Vec<(Phrase, usize, usize)>,
    stop_words: StopWords,
}

/// What is summed over the lines of a text.
#[derive(Debug, Default)]
struct Sums {
    characters: u32,
    /// Lines with empty ones.
    lines: u32,
    feeds: u32,
    bullets: u32,
    ellipses: u32,
    punctuated: u32,
    short: u32,
    long: u32,
    /// Lines with empty ones only where the text begins or ends with a line feed.
    split: u32,
    duplicates: u32,
    duplicate_characters: u32,
    repeated_characters: u32,
    words: u32,
    removed_words: u32,
    countable: u32,
    c4: C4,
    removed: LineSignals,
    wds: Wds,
}

impl Measurer {
    /// Measures a text. The language chooses the stop words.
    pub fn measure(&mut self, text: &str, language: &Language) -> Signals {
        let sums = widest(|| self.read(text));
        let repeated = self.ngrams.repeated(&self.tokens);
        let all = f64::from(sums.characters);
        let tokens = self.tokens.kinds.len() as f64;
        let urls = self.phrases.iter().filter(|found| found.0 == Phrase::Url).count() as u32;
        let hashes = memchr::memchr_iter(b'#', text.as_bytes()).count();
        let lines = f64::from(sums.lines - u32::from(text.is_empty() || text.ends_with('\n')));
        let paragraphs = paragraphs::duplicates(text, &mut self.lines);
        let repeated_lines = self.repeated_lines();
        Signals {
            characters: sums.characters,
            tokens: self.tokens.kinds.len() as u32,
            hashes: share(hashes as f64, tokens),
            ellipses: share(ellipses(text) as f64, tokens),
            bullet_lines: share(f64::from(sums.bullets), lines),
            ellipsis_lines: share(f64::from(sums.ellipses), lines),
            stop_words: self.stop_words.count(language, &self.tokens),
            duplicate_paragraphs: share(f64::from(paragraphs.duplicates), f64::from(paragraphs.paragraphs)),
            duplicate_paragraph_characters: share(paragraphs.characters as f64, all),
            duplicate_lines: share(f64::from(sums.duplicates), f64::from(sums.split)),
            duplicate_line_characters: share(f64::from(sums.duplicate_characters), all),
            top_ngrams: repeated.top.map(|top| share(top.unwrap_or(0) as f64, all)),
            duplicate_ngrams: repeated.duplicate.map(|characters| share(characters as f64, all)),
            punctuated_lines: share(f64::from(sums.punctuated), f64::from(sums.lines)),
            short_lines: share(f64::from(sums.short), f64::from(sums.lines)),
            repeated_characters: share(f64::from(sums.repeated_characters), all - f64::from(sums.feeds)),
            newlines: share(f64::from(sums.feeds), tokens),
            long_lines: sums.long,
            c4: sums.c4.strict,
            fineweb_c4: sums.c4.any_end,
            lines: LineSignals {
                words: share(f64::from(sums.removed_words), f64::from(sums.words)),
                ..sums.removed
            },
            wds: sums.wds.signals(urls, repeated_lines, sums.countable),
            ..self.words()
        }
    }

    /// What follows from the kinds of tokens.
    fn words(&self) -> Signals {
        let (mut words, mut characters, mut with_letter) = (0, 0, 0);
        for kind in &self.tokens.distinct {
            if !kind.is_symbol {
                words += kind.count;
                characters += u64::from(kind.count) * u64::from(kind.characters);
            }
            with_letter += if kind.has_letter { kind.count } else { 0 };
        }
        Signals {
            words,
            mean_word_length: share(characters as f64, f64::from(words)),
            alphabetic_tokens: share(f64::from(with_letter), self.tokens.kinds.len() as f64),
            gopher_stop_words: GOPHER.count(&self.tokens),
            ..Signals::default()
        }
    }

    /// Reads the lines.
    #[inline(always)]
    fn read(&mut self, text: &str) -> Sums {
        self.tokens.clear(text.len());
        self.lines.clear(0);
        self.line_counts.clear();
        self.phrases.clear();
        self.lower.clear();
        self.lower.push_str(text);
        self.lower.make_ascii_lowercase();
        self.phrases.extend(phrases(&self.lower));
        let mut sums = Sums::default();
        let (mut start, mut phrase) = (0, 0);
        for line in text.split('\n') {
            let end = start + line.len();
            let found = self.phrases[phrase..]
                .iter()
                .take_while(|found| found.2 <= end)
                .count();
            let found = phrase..phrase + found;
            phrase = found.end;
            let is_edge = start == 0 || end == text.len();
            self.read_line(Line::new(line, start), found, is_edge, &mut sums);
            start = end + 1;
        }
        sums.feeds = sums.lines - 1;
        sums.characters += sums.feeds;
        sums
    }

    #[inline(always)]
    fn read_line(&mut self, line: Line<'_>, found: std::ops::Range<usize>, is_edge: bool, sums: &mut Sums) {
        sums.lines += 1;
        sums.characters += line.characters;
        sums.short += u32::from(line.characters <= SHORT);
        sums.long += u32::from(line.characters >= LONG);
        if line.characters > 0 || is_edge {
            self.compare(&line, sums);
        }
        if line.characters == 0 {
            sums.c4.add(&line, &[]);
            return;
        }
        self.tokens.read(line.text);
        let text = line.text;
        let (begun, ended) = (text.trim_start(), text.trim_end());
        sums.bullets += u32::from(begun.starts_with(['•', '-']));
        sums.ellipses += u32::from(ended.ends_with("...") || ended.ends_with('…'));
        sums.punctuated += u32::from(text.ends_with(['.', '\'', '"', '!', '?']));
        let found = &self.phrases[found];
        sums.c4.add(&line, found);
        sums.wds.add(&line);
        sums.words += line.words;
        if sums.removed.add(&line, found) {
            sums.removed_words += line.words;
        }
    }

    /// Compares a line with those before it.
    fn compare(&mut self, line: &Line<'_>, sums: &mut Sums) {
        let (number, is_new) = self
            .lines
            .number(xxhash_rust::xxh3::xxh3_64(line.text.as_bytes()));
        let is_countable = line.characters >= COUNTABLE;
        sums.split += 1;
        sums.countable += u32::from(is_countable);
        if is_new {
            self.line_counts.push(0);
        } else {
            sums.duplicates += 1;
            sums.duplicate_characters += line.characters;
            sums.repeated_characters += if line.is_blank() { 0 } else { line.characters };
        }
        self.line_counts[number as usize] += u32::from(is_countable);
    }

    /// How many lines of some characters occur more than once.
    fn repeated_lines(&self) -> u32 {
        self.line_counts.iter().filter(|count| **count > 1).sum()
    }
}

/// A line of at most this number of characters is short for FineWeb.
const SHORT: u32 = 30;
/// A line of at least this number of characters is long for mC4.
const LONG: u32 = 200;
/// Lines of fewer characters are no repeated segments for WDS.
const COUNTABLE: u32 = 4;

/// `...` and `…`, without overlaps.
fn ellipses(text: &str) -> usize {
    let count = |mark: &str| memchr::memmem::find_iter(text.as_bytes(), mark).count();
    count("...") + if text.is_ascii() { 0 } else { count("…") }
}

/// A ratio, and 0 for 0 / 0.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}
