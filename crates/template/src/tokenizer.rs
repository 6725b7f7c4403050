//! Splits a text into tokens by one class of characters.
//!
//! A token is a longest run of characters of the class, so what lies between two tokens is a run
//! of the complement: the inverse that glues tokens to expressions (section 3.4). White space (`\s`) is what
//! [`portable`] says.

use std::ops::{Range, RangeInclusive};

use regex_syntax::hir::{Class, ClassUnicode, HirKind};

use crate::{Error, portable};

/// The class of the character that a byte begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstByte {
    Token,
    Separator,
    /// A character whose class depends on more bytes.
    Mixed,
}

/// Cuts text into tokens.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    expression: String,
    separator: String,
    is_portable: bool,
    /// By the first byte of a character.
    begin: [FirstByte; 256],
    /// Whether all visible ASCII characters belong to tokens.
    holds_visible: bool,
    class: ClassUnicode,
}

impl Tokenizer {
    /// A tokenizer for an expression of the form `\S+` or `[...]+`.
    ///
    /// # Errors
    ///
    /// [`Error::Token`] for any other form: it has no inverse.
    pub fn new(expression: &str) -> Result<Tokenizer, Error> {
        let refuse = || Error::Token(expression.to_owned());
        let class = class_of(expression).ok_or_else(refuse)?;
        let mut complement = class.clone();
        complement.negate();
        if class.ranges().is_empty() || complement.ranges().is_empty() {
            return Err(refuse());
        }
        let portable = portable::class(&complement).map(|class| class + "+");
        let has_line_ends = class
            .ranges()
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&'\n'));
        let is_portable = portable.is_some() && !has_line_ends;
        let separator = match portable {
            Some(separator) => separator,
            None => inverse(expression)
                .filter(|separator| class_of(separator).as_ref() == Some(&complement))
                .ok_or_else(refuse)?,
        };
        let begin = first_bytes(&class);
        Ok(Tokenizer {
            expression: expression.to_owned(),
            separator,
            is_portable,
            holds_visible: begin[VISIBLE].iter().all(|begin| *begin == FirstByte::Token),
            begin,
            class,
        })
    }

    /// The expression of a token.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// The expression of what lies between two tokens.
    pub fn separator(&self) -> &str {
        &self.separator
    }

    /// Whether Perl, Python's `re` and RE2 read expressions of such tokens as Rust does. They do not where what lies
    /// between tokens is of too many kinds to be written out, or where a token can hold the end of a line: `$` stands
    /// before the last one, too, for some of them.
    pub fn is_portable(&self) -> bool {
        self.is_portable
    }

    /// Whether a character belongs to tokens.
    pub(crate) fn holds(&self, letter: char) -> bool {
        let found = self.class.ranges().binary_search_by(|range| {
            if range.end() < letter {
                std::cmp::Ordering::Less
            } else if range.start() > letter {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        });
        found.is_ok()
    }

    /// Whether all characters of a class belong to tokens.
    pub(crate) fn holds_all(&self, class: &ClassUnicode) -> bool {
        let mut common = class.clone();
        common.intersect(&self.class);
        common == *class
    }

    /// The tokens of a text, as ranges of its bytes.
    pub fn tokens<'a>(&'a self, text: &'a str) -> Tokens<'a> {
        Tokens {
            tokenizer: self,
            text,
            at: 0,
        }
    }

    /// The end of the run of characters of tokens, or of other characters, that begins at `at`.
    #[inline]
    fn run(&self, text: &str, mut at: usize, of_tokens: bool) -> usize {
        let bytes = text.as_bytes();
        let (wanted, other) = match of_tokens {
            true => (FirstByte::Token, FirstByte::Separator),
            false => (FirstByte::Separator, FirstByte::Token),
        };
        if of_tokens && self.holds_visible {
            at = visible(bytes, at);
        }
        while let Some(&byte) = bytes.get(at) {
            let begin = self.begin[usize::from(byte)];
            if begin == wanted {
                // The rest of a character of several bytes goes with its first byte.
                at += 1;
                if byte >= 0x80 {
                    at += trailing(byte);
                }
            } else if begin == other || self.mixed(text, at) != of_tokens {
                break;
            } else {
                at += 1 + trailing(byte);
            }
        }
        at
    }

    fn mixed(&self, text: &str, at: usize) -> bool {
        text[at..].chars().next().is_some_and(|letter| self.holds(letter))
    }
}

/// The visible characters of ASCII.
const VISIBLE: RangeInclusive<usize> = 0x21..=0x7e;

/// The end of a run of visible characters of ASCII, or a place before it: eight bytes are examined at a time.
#[inline]
fn visible(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    while let Some(eight) = bytes[at..].first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        // The high bit of each byte: whether the byte is at least 0x21, and whether it is 0x7f.
        let (from_low, beyond) = ((eight & !HIGH) + 0x5f * ONES, (eight & !HIGH) + ONES);
        let others = !(from_low & !beyond & !eight) & HIGH;
        at += others.trailing_zeros() as usize / 8;
        if others != 0 {
            break;
        }
    }
    at
}

/// Bytes of a character after the first.
#[inline]
fn trailing(first: u8) -> usize {
    match first {
        0xf0.. => 3,
        0xe0.. => 2,
        0xc0.. => 1,
        _ => 0,
    }
}

/// The tokens of a text: see [`Tokenizer::tokens`].
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    tokenizer: &'a Tokenizer,
    text: &'a str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.tokenizer.run(self.text, self.at, false);
        let end = self.tokenizer.run(self.text, start, true);
        self.at = end;
        (start < end).then_some(start..end)
    }
}

/// `\W+` of `\w+`, `[^\pL]+` of `[\pL]+`, and the other way round.
fn inverse(expression: &str) -> Option<String> {
    let class = expression.strip_suffix('+')?;
    if let Some(rest) = class.strip_prefix("[^") {
        return Some(format!("[{rest}+"));
    }
    if let Some(rest) = class.strip_prefix('[') {
        return Some(format!("[^{rest}+"));
    }
    let name = class.strip_prefix('\\')?;
    let swapped: String = name
        .chars()
        .next()
        .filter(|letter| letter.is_ascii_alphabetic())
        .map(|letter| match letter.is_ascii_lowercase() {
            true => letter.to_ascii_uppercase(),
            false => letter.to_ascii_lowercase(),
        })
        .into_iter()
        .chain(name.chars().skip(1))
        .collect();
    Some(format!("\\{swapped}+"))
}

/// The class of which the expression is a greedy run.
fn class_of(expression: &str) -> Option<ClassUnicode> {
    let HirKind::Repetition(run) = portable::read(expression).ok()?.hir.into_kind() else {
        return None;
    };
    if (run.min, run.max, run.greedy) != (1, None, true) {
        return None;
    }
    match run.sub.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Class(Class::Bytes(class)) => class.to_unicode_class(),
        _ => None,
    }
}

/// The class of every first byte of a character.
fn first_bytes(class: &ClassUnicode) -> [FirstByte; 256] {
    let mut begin = [FirstByte::Mixed; 256];
    for (byte, begin) in begin.iter_mut().enumerate() {
        let (low, high) = match byte as u32 {
            byte @ 0..0x80 => (byte, byte),
            byte @ 0xc2..0xe0 => ((byte & 0x1f) << 6, (byte & 0x1f) << 6 | 0x3f),
            0xe0 => (0x800, 0xfff),
            0xed => (0xd000, 0xd7ff),
            byte @ 0xe1..0xf0 => ((byte & 0xf) << 12, (byte & 0xf) << 12 | 0xfff),
            0xf0 => (0x1_0000, 0x3_ffff),
            byte @ 0xf1..0xf5 => (
                (byte & 7) << 18,
                ((byte & 7) << 18 | 0x3_ffff).min(char::MAX as u32),
            ),
            // Not the first byte of any character.
            _ => continue,
        };
        *begin = all_or_none(class, low, high);
    }
    begin
}

/// Whether all characters from `low` to `high` are of the class, or none.
fn all_or_none(class: &ClassUnicode, low: u32, high: u32) -> FirstByte {
    let ranges = class.ranges();
    let touching = ranges
        .iter()
        .filter(|range| range.start() as u32 <= high && range.end() as u32 >= low);
    let held: u32 = touching
        .map(|range| (range.end() as u32).min(high) - (range.start() as u32).max(low) + 1)
        .sum();
    match held {
        0 => FirstByte::Separator,
        held if held == high - low + 1 => FirstByte::Token,
        _ => FirstByte::Mixed,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens<'a>(expression: &str, text: &'a str) -> Vec<&'a str> {
        let tokenizer = Tokenizer::new(expression).unwrap();
        tokenizer.tokens(text).map(|token| &text[token]).collect()
    }

    #[test]
    fn the_example_of_section_3_4() {
        assert_eq!(
            tokens(r"\S+", "hello! How are you?"),
            ["hello!", "How", "are", "you?"]
        );
        assert_eq!(Tokenizer::new(r"\S+").unwrap().separator(), r"[\t-\r ]+");
    }

    #[test]
    fn the_tokens_of_section_5_2() {
        assert_eq!(
            tokens(r"[^\-\s]+", "full-text  a - b"),
            ["full", "text", "a", "b"]
        );
        assert_eq!(Tokenizer::new(r"[^\-\s]+").unwrap().separator(), r"[\t-\r \-]+");
    }

    #[test]
    fn separators_are_written_out_where_they_can_be() {
        for (token, separator, is_portable) in [
            (r"[A-Za-z]+", "[^A-Za-z]+", true),
            (r"\d+", Tokenizer::new(r"\d+").unwrap().separator(), true),
            (r"[^|]+", r"[\|]+", false),
            (r"\p{L}+", r"\P{L}+", false),
            (r"\w+", r"\W+", false),
        ] {
            let tokenizer = Tokenizer::new(token).unwrap();
            assert_eq!(
                (tokenizer.separator(), tokenizer.is_portable()),
                (separator, is_portable),
                "{token}"
            );
        }
    }

    #[test]
    fn what_has_no_inverse_is_refused() {
        for expression in [
            "", "+", r"\S", r"\S*", "a+", r"(\w|-)+", r"\w+\s+", "[", r"\S+?", "日+",
        ] {
            assert!(Tokenizer::new(expression).is_err(), "{expression}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_regex_crate(
            text in "[ -~\u{7f}\u{1}\u{85}\u{a0}é\u{3000}日\u{2028}\u{1f600}\n-]{0,60}",
            expression in prop::sample::select(vec![r"\S+", r"[^\-\s]+", r"\w+", r"[a-z日]+", r"\P{L}+"]),
        ) {
            let regex = regex::Regex::new(&portable::read(expression).unwrap().source).unwrap();
            let expected: Vec<_> = regex.find_iter(&text).map(|found| found.range()).collect();
            let tokenizer = Tokenizer::new(expression).unwrap();
            prop_assert_eq!(tokenizer.tokens(&text).collect::<Vec<_>>(), expected);
        }
    }
}
