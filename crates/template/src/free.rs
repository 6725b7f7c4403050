//! Expressions that were not mined: any expression of the regex crate, matched one by one.

use std::ops::Range;

use regex::Regex;

use crate::{Error, portable};

/// An expression by itself.
#[derive(Clone, Debug)]
pub(crate) struct FreeExpression(Regex);

impl FreeExpression {
    /// # Errors
    ///
    /// It is no valid regular expression, or takes too much memory.
    pub(crate) fn new(expression: &str) -> Result<FreeExpression, Error> {
        let regex = Regex::new(expression).map_err(|error| {
            Error::Expression(
                expression.chars().take(80).collect(),
                portable::last_line(&error.to_string()),
            )
        })?;
        Ok(FreeExpression(regex))
    }

    /// Its matches in order, without white space at their ends. Two matches may share the white space between them, as with
    /// mined expressions.
    pub(crate) fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(range) = self.0.find_at(text, at).map(|found| found.range()) {
            let trimmed = trim(text, range.clone());
            at = match trimmed.end > at {
                true => trimmed.end,
                // Nothing but white space.
                false => range.end.max(after(text, at)),
            };
            if !trimmed.is_empty() {
                found.push(trimmed);
            }
            if at > text.len() {
                break;
            }
        }
        found
    }
}

/// A range without the white space at its ends.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let within = &text[range.clone()];
    let start = range.start + within.len() - within.trim_start().len();
    start..start + within.trim().len()
}

/// The place after a character; beyond the text at its end.
fn after(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches<'a>(expression: &str, text: &'a str) -> Vec<&'a str> {
        let found = FreeExpression::new(expression).unwrap().matches(text);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn matches_are_found_one_after_the_other() {
        assert_eq!(matches("a+", "aa b a"), ["aa", "a"]);
        assert_eq!(
            matches(r"(\s+|^)a b(\s+|$)", "a b a b  a b"),
            ["a b", "a b", "a b"]
        );
        assert_eq!(matches(r"\s+|é", " é a "), ["é"]);
        assert_eq!(matches("", "é"), [""; 0]);
    }

    proptest! {
        #[test]
        fn whatever_the_expression_it_comes_to_an_end(text in "[ab é日\n]{0,12}") {
            for expression in ["", "a*", r"\s*", r"(?m)^", r"\b", "b?$", "(a|)b*", "."] {
                let found = FreeExpression::new(expression).unwrap().matches(&text);
                prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start), "{}", expression);
            }
        }
    }
}
