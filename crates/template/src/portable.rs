//! Regular expressions with the same meaning in Rust, Perl, Python's `re` and RE2, for characters and for bytes of UTF-8.
//!
//! These engines agree on literals, groups, repetitions and classes of characters that are written out. They do not
//! agree on what `\s`, `\d`, `\w`, `\b` and `[[:punct:]]` match, nor on how a character is written by its number. So
//! [`read`] writes an expression out. White space is `[\t-\r ]` throughout this crate,
//! not the class of an engine: the texts of pages have a space in place of every other kind of space.

use regex_syntax::ast::{self, Ast, ClassPerl, ClassPerlKind, ClassSetItem, Span};
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Repetition};

/// The meanings of `\s` and `\S`. (The space is written so that it counts where an expression says `(?x)`.)
const WHITE: &str = r"[\t-\r\x20]";
const NOT_WHITE: &str = r"[^\t-\r\x20]";

/// The largest number of ranges of a class that is written out.
const MOST_RANGES: usize = 100;

/// The largest repetition in RE2.
const MOST_TIMES: u32 = 1000;

/// A parsed expression.
#[derive(Debug)]
pub(crate) struct PatternForms {
    /// The parsed form.
    pub(crate) hir: Hir,
    /// The form for the regex crate.
    pub(crate) source: String,
    /// The form for all engines; `None` if it has a class of very many ranges, or an assertion about the text around it.
    pub(crate) portable: Option<String>,
}

/// Reads an expression of the regex crate.
///
/// # Errors
///
/// The fault of the expression.
pub(crate) fn read(expression: &str) -> Result<PatternForms, String> {
    let syntax = ast::parse::Parser::new()
        .parse(expression)
        .map_err(|error| error.kind().to_string())?;
    let source = with_white_space(expression, &syntax);
    let hir = regex_syntax::parse(&source).map_err(|error| last_line(&error.to_string()))?;
    let mut portable = String::new();
    let portable = write(&hir, &mut portable).map(|()| portable);
    Ok(PatternForms {
        hir,
        source,
        portable,
    })
}

/// Whether an expression means the same to Rust, Perl, Python's `re` and RE2 once it is written out, as the mutable
/// patterns of mined expressions are.
pub fn is_portable(expression: &str) -> bool {
    read(expression).is_ok_and(|read| read.portable.is_some())
}

/// The last line of the parser's message has the fault; the others draw where it is.
pub(crate) fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

/// An expression with the white space of this crate.
fn with_white_space(expression: &str, syntax: &Ast) -> String {
    let Ok(found) = ast::visit(syntax, WhiteSpace::default());
    let mut text = String::with_capacity(expression.len());
    let mut at = 0;
    for (span, negated) in found {
        text.push_str(&expression[at..span.start.offset]);
        text.push_str(if negated { NOT_WHITE } else { WHITE });
        at = span.end.offset;
    }
    text.push_str(&expression[at..]);
    text
}

/// Finds `\s` and `\S`.
#[derive(Default)]
struct WhiteSpace(Vec<(Span, bool)>);

impl WhiteSpace {
    fn add(&mut self, class: &ClassPerl) {
        if class.kind == ClassPerlKind::Space {
            self.0.push((class.span, class.negated));
        }
    }
}

impl ast::Visitor for WhiteSpace {
    type Output = Vec<(Span, bool)>;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self::Output, Self::Err> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, part: &Ast) -> Result<(), Self::Err> {
        if let Ast::ClassPerl(class) = part {
            self.add(class);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        if let ClassSetItem::Perl(class) = item {
            self.add(class);
        }
        Ok(())
    }
}

/// Writes an expression out; `None` if that cannot be done.
fn write(hir: &Hir, text: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => text.push_str(&escaped(std::str::from_utf8(&literal.0).ok()?)),
        HirKind::Class(Class::Unicode(letters)) => text.push_str(&class(letters)?),
        HirKind::Class(Class::Bytes(bytes)) => text.push_str(&class(&bytes.to_unicode_class()?)?),
        HirKind::Look(_) => return None,
        HirKind::Repetition(run) => repeated(run, text)?,
        HirKind::Capture(group) => grouped("(", &group.sub, text)?,
        HirKind::Concat(parts) => {
            for part in parts {
                match part.kind() {
                    HirKind::Alternation(_) => grouped("(?:", part, text)?,
                    _ => write(part, text)?,
                }
            }
        }
        HirKind::Alternation(parts) => {
            for (place, part) in parts.iter().enumerate() {
                text.push_str(if place > 0 { "|" } else { "" });
                write(part, text)?;
            }
        }
    }
    Some(())
}

fn grouped(open: &str, part: &Hir, text: &mut String) -> Option<()> {
    text.push_str(open);
    write(part, text)?;
    text.push(')');
    Some(())
}

fn repeated(run: &Repetition, text: &mut String) -> Option<()> {
    let is_one = match run.sub.kind() {
        HirKind::Class(_) | HirKind::Capture(_) => true,
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok()?.chars().count() == 1,
        _ => false,
    };
    match is_one {
        true => write(&run.sub, text)?,
        false => grouped("(?:", &run.sub, text)?,
    }
    if run.min.max(run.max.unwrap_or_default()) > MOST_TIMES {
        return None;
    }
    match (run.min, run.max) {
        (0, None) => text.push('*'),
        (1, None) => text.push('+'),
        (0, Some(1)) => text.push('?'),
        (least, None) => *text += &format!("{{{least},}}"),
        (least, Some(most)) if least == most => *text += &format!("{{{least}}}"),
        (least, Some(most)) => *text += &format!("{{{least},{most}}}"),
    }
    if !run.greedy {
        text.push('?');
    }
    Some(())
}

/// A class of characters, written out; `None` if it is of too many ranges.
pub(crate) fn class(letters: &ClassUnicode) -> Option<String> {
    let is_rest = letters
        .ranges()
        .last()
        .is_some_and(|range| range.end() == char::MAX);
    let mut shown = letters.clone();
    if is_rest {
        shown.negate();
    }
    let ranges = shown.ranges();
    if ranges.is_empty() || ranges.len() > MOST_RANGES {
        return None;
    }
    let mut text = String::from(if is_rest { "[^" } else { "[" });
    for range in ranges {
        let (first, last) = (range.start(), range.end());
        member(first, &mut text)?;
        if last > first {
            text.push_str(if last as u32 > first as u32 + 1 { "-" } else { "" });
            member(last, &mut text)?;
        }
    }
    text.push(']');
    Some(text)
}

/// Writes a character of a class. The two that end lines have no form that all engines read.
fn member(letter: char, text: &mut String) -> Option<()> {
    match letter {
        '\u{2028}' | '\u{2029}' => return None,
        '\u{7f}'..='\u{a0}' => *text += &format!("\\x{:02x}", letter as u32),
        '\\' | '[' | ']' | '^' | '-' | '&' | '~' | '|' => text.extend(['\\', letter]),
        letter => push(letter, text),
    }
    Some(())
}

/// Whether a token can be written as a literal: it has none of the characters that end a line of a file of expressions
/// and that only some engines know by a number.
pub(crate) fn is_literal(token: &str) -> bool {
    token.is_ascii() || !token.contains(['\u{85}', '\u{2028}', '\u{2029}'])
}

/// A text as an expression that matches it.
pub(crate) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if regex_syntax::is_meta_character(letter) {
            written.push('\\');
        }
        push(letter, &mut written);
    }
    written
}

/// Writes a character, controls by their numbers.
fn push(letter: char, text: &mut String) {
    match letter {
        '\t' => text.push_str(r"\t"),
        '\n' => text.push_str(r"\n"),
        '\r' => text.push_str(r"\r"),
        '\0'..=' ' if letter != ' ' => *text += &format!("\\x{:02x}", letter as u32),
        '\u{7f}' => text.push_str(r"\x7f"),
        letter => text.push(letter),
    }
}

/// The text that was [`escaped`].
pub(crate) fn unescaped(written: &str) -> Option<String> {
    let mut text = String::with_capacity(written.len());
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        let meant = match letter {
            '\\' => match letters.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                'x' => {
                    let mut digit = || letters.next()?.to_digit(16);
                    char::from_u32(digit()? * 16 + digit()?)?
                }
                letter => letter,
            },
            letter => letter,
        };
        text.push(meant);
    }
    (escaped(&text) == written).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;
    use crate::mutable::BUILT_IN;

    fn portable(expression: &str) -> String {
        read(expression).unwrap().portable.unwrap()
    }

    #[test]
    fn classes_are_written_out() {
        for (expression, written) in [
            (r"\S+", r"[^\t-\r ]+"),
            (r"[^\s\-]", r"[^\t-\r \-]"),
            (r"(?x) [\s] a", r"[\t-\r ]a"),
            ("[[:punct:]]*", r"[!-/:-@\[-`{-\~]*"),
            ("(?i)ab?", "[Aa][Bb]?"),
            ("(?:ab)+?|c{2,}|d{3}", "(?:ab)+?|c{2,}|d{3}"),
            (r"(?<name>a|bc)\+", r"(a|bc)\+"),
            (r"[\-&~|]x", r"[\&\-\|\~]x"),
            ("x(?:ab|cd){0,2}", "x(?:ab|cd){0,2}"),
            ("[\u{e9}\u{a0}\\x00]", "[\\x00\\xa0\u{e9}]"),
        ] {
            let found = read(expression).unwrap().portable;
            assert_eq!(found.as_deref(), Some(written), "{expression}");
        }
        for expression in [r"\w", r"\bid", "a$", r"\PL", "[\u{2028}a]", "a{1001}", "(?s)."] {
            assert!(!is_portable(expression), "{expression}");
        }
    }

    #[test]
    fn what_is_wrong_is_reported() {
        assert_eq!(read("[0-9").unwrap_err(), "unclosed character class");
        assert_eq!(read(r"\pZQ(").unwrap_err(), "unclosed group");
    }

    #[test]
    fn built_in_patterns_are_written_out_already() {
        for (name, source) in BUILT_IN {
            assert!(is_portable(source), "{name}");
            assert!(!source.contains("[:") && !source.contains("\\S"), "{name}");
        }
    }

    proptest! {
        /// A token as a literal matches itself as a whole, and is read back.
        #[test]
        fn a_literal_matches_itself(token in r"[\x00-\x{ff}é日اب🙂\u{200d}\u{feff}\\#&~\[\]-]{1,12}") {
            let written = escaped(&token);
            let whole = Regex::new(&format!("^(?:{written})$")).unwrap();
            let has_control = written.chars().any(|letter| letter < ' ' || letter == '\u{7f}');
            prop_assert!(whole.is_match(&token) && !has_control, "{}", written);
            prop_assert_eq!(unescaped(&written), Some(token));
        }

        /// An expression that is written out matches what it matched, in the same places.
        #[test]
        fn written_out_is_the_same(
            expression in prop::sample::select(vec![
                r"\S+", r"\d+", "[[:punct:]]+", "[[:alpha:]]x", "(?i)straße", r"id=[^&\s]*", "a|b|ab", "(a|ab)(c|bcd)",
                "(?:ab|a)*?b", "[a-f&&[^c]]+", "x{2,3}y?", r"[\[\]^\\~-]+", "é+|日",
            ]),
            text in r"[abcxyid=&é日٣ß \t\u{a0}\[\]^~\\.-]{0,20}",
        ) {
            let read = read(expression).unwrap();
            let spans = |source: &str| -> Vec<_> {
                let regex = Regex::new(source).unwrap();
                regex.find_iter(&text).map(|found| found.range()).collect()
            };
            prop_assert_eq!(spans(&portable(expression)), spans(&read.source));
        }
    }
}
