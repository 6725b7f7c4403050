//! The rules of C4, which keep or leave out lines.

use std::borrow::Cow;

use super::line::Line;
use super::phrases::{Phrase, phrases};

/// What the rules of C4 (Raffel et al. 2020, section 2.2, and the code of its authors) find in a text. A line is tried with the
/// rules in this order, and counted for the first one that leaves it out. White space around it, and references such as `[12]`,
/// `[edit]` and `[citation needed]`, are no part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct C4Signals {
    /// Lines left out: a word (between white space) has more than 1000 characters.
    pub long_word_lines: u32,
    /// Lines left out: they end otherwise than with `.`, `?`, `!`, `"` or `'`, or with `...`. Empty lines are among them.
    pub unpunctuated_lines: u32,
    /// Lines left out: they have fewer than 3 words.
    pub few_word_lines: u32,
    /// Lines left out: they have `javascript`.
    pub javascript_lines: u32,
    /// Lines left out: they speak of cookies, privacy or terms of use.
    pub policy_lines: u32,
    /// Lines that are kept.
    pub kept_lines: u32,
    /// Characters of the lines that are kept.
    pub kept_characters: u32,
    /// Sentences of the lines that are kept: ends of sentences, and what is behind the last of a line.
    pub sentences: u32,
    /// Whether a line that the rules before keep has `lorem ipsum`.
    pub has_lorem_ipsum: bool,
    /// Whether a line that the rules before keep has `{`.
    pub has_curly_bracket: bool,
    /// Whether that `{` comes before any `lorem ipsum`.
    pub(super) is_bracket_first: bool,
}

const LONGEST_WORD: usize = 1000;
const FEWEST_WORDS: u32 = 3;

/// A line as the rules see it: with these the two kinds of rules are decided.
#[derive(Clone, Copy, Debug)]
struct Tried {
    is_punctuated: bool,
    has_lorem_ipsum: bool,
    has_javascript: bool,
    has_bracket: bool,
    has_policy: bool,
    characters: u32,
    sentences: u32,
}

/// The measures of a text by the rules of C4, and by those of FineWeb, which keeps lines without a mark at their end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct C4 {
    pub(super) strict: C4Signals,
    pub(super) any_end: C4Signals,
}

impl C4 {
    /// Adds a line. The phrases are those of the line. Gives what it is without what is no part of it.
    pub(super) fn add<'l>(&mut self, line: &Line<'l>, found: &[(Phrase, usize, usize)]) -> Cow<'l, str> {
        let text = line.text.trim();
        if has_long_word(line) {
            self.strict.long_word_lines += 1;
            self.any_end.long_word_lines += 1;
            return text.into();
        }
        let (text, tried) = match without_references(text) {
            None => {
                let tried = try_line(text, line.words, found.iter().map(|found| found.0));
                (text.into(), tried)
            }
            Some(text) => {
                let lower = text.to_ascii_lowercase();
                let tried = try_line(&text, line.words, phrases(&lower).map(|found| found.0));
                (text.into(), tried)
            }
        };
        self.strict.add(line.words, &tried, tried.is_punctuated);
        self.any_end.add(line.words, &tried, true);
        text
    }
}

impl C4Signals {
    fn add(&mut self, words: u32, line: &Tried, is_punctuated: bool) {
        if !is_punctuated {
            self.unpunctuated_lines += 1;
        } else if words < FEWEST_WORDS {
            self.few_word_lines += 1;
        } else {
            self.has_lorem_ipsum |= line.has_lorem_ipsum;
            if line.has_javascript {
                self.javascript_lines += 1;
            } else {
                self.add_rest(line);
            }
        }
    }

    fn add_rest(&mut self, line: &Tried) {
        if line.has_bracket {
            self.is_bracket_first |= !self.has_lorem_ipsum;
            self.has_curly_bracket = true;
        }
        if line.has_policy {
            self.policy_lines += 1;
        } else {
            self.kept_lines += 1;
            self.kept_characters += line.characters;
            self.sentences += line.sentences;
        }
    }

    /// The first rule that leaves out the text.
    pub(super) fn verdict(&self) -> Option<&'static str> {
        match () {
            () if self.has_curly_bracket && self.is_bracket_first => Some("has_curly_bracket"),
            () if self.has_lorem_ipsum => Some("has_lorem_ipsum"),
            () if self.has_curly_bracket => Some("has_curly_bracket"),
            () if self.sentences < FEWEST_SENTENCES => Some("sentences"),
            () => None,
        }
    }
}

pub(super) const FEWEST_SENTENCES: u32 = 5;

fn has_long_word(line: &Line<'_>) -> bool {
    let is_long = |word: &str| word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD;
    line.text.len() > LONGEST_WORD && line.text.split_whitespace().any(is_long)
}

fn try_line(text: &str, words: u32, found: impl Iterator<Item = Phrase>) -> Tried {
    let mut line = Tried {
        is_punctuated: text.ends_with(['.', '?', '!', '"', '\'']) && !text.ends_with("..."),
        has_lorem_ipsum: false,
        has_javascript: false,
        has_bracket: text.contains('{'),
        has_policy: false,
        characters: 0,
        sentences: 0,
    };
    if words < FEWEST_WORDS {
        return line;
    }
    for phrase in found {
        line.has_lorem_ipsum |= phrase == Phrase::LoremIpsum;
        line.has_javascript |= phrase == Phrase::Javascript;
        line.has_policy |= phrase == Phrase::Policy;
    }
    line.characters = text.chars().count() as u32;
    line.sentences = sentences(text);
    line
}

/// A text without references; none if it has no `[`.
pub(super) fn without_references(text: &str) -> Option<String> {
    let (first, _) = text.split_once('[')?;
    let mut left = first.to_owned();
    let mut rest = &text[first.len()..];
    while let Some(open) = rest.find('[') {
        left.push_str(&rest[..open]);
        rest = &rest[open..];
        match reference(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                left.push('[');
                rest = &rest[1..];
            }
        }
    }
    left.push_str(rest);
    Some(left)
}

/// The bytes of the reference that a text begins with.
fn reference(text: &str) -> Option<usize> {
    let inside = &text[1..];
    let number = inside.trim_start_matches(is_digit);
    let words = ["edit]", "citation needed]"];
    let is_number = number.starts_with(']');
    let number = is_number.then(|| text.len() - number.len() + 1);
    number.or_else(|| {
        let word = words.iter().find(|word| inside.starts_with(**word));
        word.map(|word| word.len() + 1)
    })
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// The sentences of a line. A sentence ends with a run of marks such as `.`, `!`, `?` and closing quotes or brackets, if white
/// space follows and then no small letter, or the line ends; with full-width marks it ends whatever follows.
pub(super) fn sentences(line: &str) -> u32 {
    let is_ascii = line.is_ascii();
    let mut count = 0;
    let mut rest = line;
    while let Some(end) = next_end(rest, is_ascii) {
        let marks = rest[end..].trim_start_matches(|letter| is_end(letter) || is_closing(letter));
        let marks_length = rest.len() - end - marks.len();
        let is_wide = rest[end..end + marks_length].chars().any(is_wide_end);
        if is_wide || begins_sentence(marks) {
            count += 1;
            rest = marks.trim_start();
        } else {
            rest = marks;
        }
    }
    count + u32::from(!rest.trim().is_empty())
}

fn next_end(text: &str, is_ascii: bool) -> Option<usize> {
    if is_ascii {
        memchr::memchr3(b'.', b'!', b'?', text.as_bytes())
    } else {
        text.find(is_end)
    }
}

/// Whether a sentence may begin with what is behind the marks.
fn begins_sentence(rest: &str) -> bool {
    let text = rest.trim_start();
    let has_space = text.len() < rest.len();
    rest.is_empty() || (has_space && !text.starts_with(char::is_lowercase))
}

fn is_end(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?')
        || (!letter.is_ascii() && (is_wide_end(letter) || "…؟۔".contains(letter)))
}

/// Marks of scripts in which no space need follow.
fn is_wide_end(letter: char) -> bool {
    !letter.is_ascii() && "。！？｡।॥።។။".contains(letter)
}

fn is_closing(letter: char) -> bool {
    matches!(
        letter,
        '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」' | '』' | '）'
    )
}
