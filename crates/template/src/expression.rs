//! Strings of tokens as regular expressions (section 3.4), and back.
//!
//! `([\t-\r ]+|^)Permanent[\t-\r ]+link[\t-\r ]+\|[\t-\r ]+no[\t-\r ]+responses([\t-\r ]+|$)`: literal
//! tokens, escaped; mutable patterns in groups; between them the inverse of the token's
//! expression, and at both ends that or the end of the text, so that only whole tokens match. All of
//! it is [portable](crate::portable).

use crate::collection::Meaning;
use crate::mutable::BUILT_IN;
use crate::{Tokenizer, portable};

/// An element of an expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    Literal(String),
    /// A mutable pattern, by its expression.
    Pattern(String),
}

impl Element {
    pub(crate) fn new(meaning: &Meaning, sources: &[String]) -> Element {
        match meaning {
            Meaning::Literal(token) => Element::Literal(token.to_string()),
            Meaning::Pattern(number) => Element::Pattern(sources[*number].clone()),
        }
    }
}

/// The regular expression of a string of tokens.
pub(crate) fn write(elements: &[Element], tokenizer: &Tokenizer) -> String {
    let separator = tokenizer.separator();
    let mut text = format!("({separator}|^)");
    for (place, element) in elements.iter().enumerate() {
        if place > 0 {
            text.push_str(separator);
        }
        match element {
            Element::Literal(token) => text.push_str(&portable::escaped(token)),
            Element::Pattern(source) => {
                text.push_str("(?:");
                text.push_str(source);
                text.push(')');
            }
        }
    }
    text.push('(');
    text.push_str(separator);
    text.push_str("|$)");
    text
}

/// The string of tokens of an expression that [`write`] made; `None` for any other.
pub(crate) fn parse(expression: &str, tokenizer: &Tokenizer) -> Option<Vec<Element>> {
    let separator = tokenizer.separator();
    let begin = format!("({separator}|^)");
    let end = format!("({separator}|$)");
    let mut rest = expression.strip_prefix(&begin)?.strip_suffix(&end)?;
    let mut elements = Vec::new();
    loop {
        let (element, after) = match rest.strip_prefix("(?:") {
            Some(group) => pattern(group, separator)?,
            None => literal(rest, separator)?,
        };
        elements.push(element);
        if after.is_empty() {
            return Some(elements);
        }
        rest = after.strip_prefix(separator)?;
    }
}

/// A group ends at the first parenthesis before a separator that leaves a whole expression: no
/// pattern holds a separator.
fn pattern<'a>(group: &'a str, separator: &str) -> Option<(Element, &'a str)> {
    let ends = group.match_indices(')').map(|(at, _)| at);
    ends.filter(|&at| group[at + 1..].is_empty() || group[at + 1..].starts_with(separator))
        .find(|&at| is_expression(&group[..at]))
        .map(|at| (Element::Pattern(group[..at].to_owned()), &group[at + 1..]))
}

/// Whether a text is a regular expression. Nearly all texts are built-in patterns.
fn is_expression(text: &str) -> bool {
    BUILT_IN.iter().any(|(_, source)| *source == text) || regex_syntax::parse(text).is_ok()
}

/// In an escaped token there is a backslash before every plus, so it holds no separator.
fn literal<'a>(rest: &'a str, separator: &str) -> Option<(Element, &'a str)> {
    let (escaped, after) = rest.split_at(rest.find(separator).unwrap_or(rest.len()));
    let token = portable::unescaped(escaped).filter(|token| !token.is_empty())?;
    Some((Element::Literal(token), after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn literals(tokens: &[&str]) -> Vec<Element> {
        tokens
            .iter()
            .map(|token| Element::Literal((*token).to_owned()))
            .collect()
    }

    /// Section 3.4: `hello!\s+How\s+are\s+you?\s+`, the question mark escaped.
    #[test]
    fn the_example_of_section_3_4() {
        let tokenizer = Tokenizer::new(r"\S+").unwrap();
        let expression = write(&literals(&["hello!", "How", "are", "you?"]), &tokenizer);
        assert_eq!(
            expression,
            r"([\t-\r ]+|^)hello![\t-\r ]+How[\t-\r ]+are[\t-\r ]+you\?([\t-\r ]+|$)"
        );
        assert!(
            regex::Regex::new(&expression)
                .unwrap()
                .is_match("hello! How are you?")
        );
    }

    /// Section 3.4: "I'm [0-9]+ years old".
    #[test]
    fn the_mutable_example_of_section_3_4() {
        let tokenizer = Tokenizer::new(r"\S+").unwrap();
        let mut elements = literals(&["I'm", "24", "years", "old"]);
        elements[1] = Element::Pattern("[0-9]+".into());
        let expression = write(&elements, &tokenizer);
        assert_eq!(
            expression,
            r"([\t-\r ]+|^)I'm[\t-\r ]+(?:[0-9]+)[\t-\r ]+years[\t-\r ]+old([\t-\r ]+|$)"
        );
        let regex = regex::Regex::new(&expression).unwrap();
        assert!(regex.is_match("I'm 24 years old") && regex.is_match("I'm 25 years old"));
        assert!(!regex.is_match("I'm a years old") && !regex.is_match("I'm 24 years older"));
    }

    #[test]
    fn other_expressions_have_no_tokens() {
        let tokenizer = Tokenizer::new(r"\S+").unwrap();
        for expression in [
            "",
            "a",
            r"([\t-\r ]+|^)([\t-\r ]+|$)",
            r"([\t-\r ]+|^)a.b([\t-\r ]+|$)",
            r"([\t-\r ]+|^)(?:a([\t-\r ]+|$)",
            r"(\s+|^)a(\s+|$)",
            r"([\-\s]+|^)a([\-\s]+|$)",
        ] {
            assert_eq!(parse(expression, &tokenizer), None, "{expression}");
        }
    }

    fn element() -> impl Strategy<Value = Element> {
        let patterns = BUILT_IN.map(|(_, source)| source.to_owned());
        let own = ["[]x)]+", "(a|b)+", r"\)\(", "x{2}"].map(str::to_owned);
        let sources: Vec<String> = patterns.into_iter().chain(own).collect();
        prop_oneof![
            r"[\x00-\x08 -~é日\u{a0}]{1,6}"
                .prop_map(|token| token.replace(' ', "").replace('-', "_") + "[\\t-\\r ]+")
                .prop_map(Element::Literal),
            r"[!-,.-~]{1,6}".prop_map(Element::Literal),
            prop::sample::select(sources).prop_map(Element::Pattern),
        ]
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            elements in prop::collection::vec(element(), 1..8),
            token in prop::sample::select(vec![r"\S+", r"[^\-\s]+"]),
        ) {
            let tokenizer = Tokenizer::new(token).unwrap();
            let expression = write(&elements, &tokenizer);
            prop_assert!(regex::Regex::new(&expression).is_ok());
            prop_assert_eq!(parse(&expression, &tokenizer), Some(elements));
        }
    }
}
