//! Matching the expressions of a site in a text: the union of the matches of all expressions, independent of their order
//! (section 3.4.1). Mined expressions are matched all at once, others one by one.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, AutomatonRun};
use crate::expression::{self, Element};
use crate::free::FreeExpression;
use crate::locality;
use crate::mutable::{MOST, Patterns};
use crate::vocabulary::{First, Vocabulary};
use crate::{CleanConfig, Error, SiteTemplate, TokenConfig, Tokenizer};

/// A matcher for the expressions of a site.
#[derive(Clone, Debug)]
pub struct Applier {
    tokenizer: Tokenizer,
    /// Tokens that occur in expressions, by number.
    literals: FxHashMap<Box<str>, u32>,
    /// Patterns that occur in expressions; their numbers follow those of the literals.
    patterns: Patterns,
    automaton: Automaton,
    /// The indices of the expressions in the automaton.
    places: Vec<usize>,
    /// The others.
    free: Vec<FreeExpression>,
}

impl Applier {
    /// The expressions of a mined site.
    ///
    /// # Errors
    ///
    /// As [`Applier::of`]; none for a template that was mined with these settings.
    pub fn new(template: &SiteTemplate, config: &TokenConfig) -> Result<Applier, Error> {
        let expressions = template.expressions.iter().map(|found| found.expression.as_str());
        Applier::of(expressions, config)
    }

    /// A matcher for expressions from the table of templates, or for any other expressions of the regex crate.
    ///
    /// # Errors
    ///
    /// An expression is invalid, or the settings cannot be used.
    pub fn of<'a>(
        expressions: impl IntoIterator<Item = &'a str>,
        config: &TokenConfig,
    ) -> Result<Applier, Error> {
        let tokenizer = Tokenizer::new(&config.token)?;
        let (mut strings, mut places, mut free) = (Vec::new(), Vec::new(), Vec::new());
        let mut usable = UsablePatterns::default();
        for (place, expression) in expressions.into_iter().enumerate() {
            match expression::parse(expression, &tokenizer).filter(|string| usable.hold(string, &tokenizer)) {
                Some(string) => {
                    strings.push(string);
                    places.push(place);
                }
                None => free.push(FreeExpression::new(expression)?),
            }
        }
        let patterns = used_patterns(&strings, &tokenizer)?;
        let mut literals: FxHashMap<Box<str>, u32> = FxHashMap::default();
        for element in strings.iter().flatten() {
            if let Element::Literal(token) = element {
                let next = literals.len() as u32;
                literals.entry(token.as_str().into()).or_insert(next);
            }
        }
        let number = |element: &Element| match element {
            Element::Literal(token) => literals[token.as_str()],
            Element::Pattern(source) => {
                let place = patterns.sources().iter().position(|known| known == source);
                (literals.len() + place.expect("all patterns were collected")) as u32
            }
        };
        let numbered: Vec<Vec<u32>> = strings
            .iter()
            .map(|string| string.iter().map(number).collect())
            .collect();
        Ok(Applier {
            automaton: Automaton::new(&numbered),
            tokenizer,
            literals,
            patterns,
            places,
            free,
        })
    }

    /// The union of the matches of all expressions, in order, as ranges of the text's bytes. Each
    /// begins and ends with a token, or with a character that is not white space; adjacent and overlapping matches are joined.
    pub fn covered(&self, text: &str) -> Vec<Range<usize>> {
        let mut covered: Vec<Range<usize>> = Vec::new();
        let symbols = |token: Range<usize>, symbols: &mut Vec<u32>| self.add_symbols(&text[token], symbols);
        self.read(text, symbols, |starts, end, _, longest| {
            if longest > 0 {
                add(&mut covered, starts[starts.len() - longest]..end);
            }
        });
        for expression in &self.free {
            covered.extend(expression.matches(text));
        }
        if !self.free.is_empty() {
            covered = union(covered);
        }
        covered
    }

    /// Calls back with the matches of every mined expression, also overlapping ones: its index and the range. The symbols of
    /// tokens are kept from text to text.
    pub(crate) fn each_match(
        &self,
        text: &str,
        known: &mut KnownTokens,
        mut give: impl FnMut(usize, Range<usize>),
    ) {
        let symbols = |token: Range<usize>, symbols: &mut Vec<u32>| {
            let token = &text[token];
            symbols.extend_from_slice(known.symbols(token, |symbols| self.add_symbols(token, symbols)));
        };
        self.read(text, symbols, |starts, end, run, longest| {
            if longest > 0 {
                run.each_ending(|expression, tokens| {
                    give(self.places[expression], starts[starts.len() - tokens]..end)
                });
            }
        });
    }

    /// Reads a text token by token; the caller finds the symbols of a token. After each token it calls back with the starts of
    /// the tokens so far, the end of the last, the automaton, and the number of tokens of the longest match that ends there.
    fn read(
        &self,
        text: &str,
        mut symbols_of: impl FnMut(Range<usize>, &mut Vec<u32>),
        mut each: impl FnMut(&[usize], usize, &AutomatonRun<'_>, usize),
    ) {
        let mut run = AutomatonRun::new(&self.automaton);
        let mut starts: Vec<usize> = Vec::new();
        let mut symbols = Vec::new();
        for token in self.tokenizer.tokens(text) {
            starts.push(token.start);
            symbols.clear();
            symbols_of(token.clone(), &mut symbols);
            let longest = run.read(&symbols) as usize;
            each(&starts, token.end, &run, longest);
        }
    }

    /// The ranges to remove from a text: the covered ranges, changed by the heuristics of sections 3.4.1 and 6.1.
    pub fn removed(&self, text: &str, config: &CleanConfig) -> Vec<Range<usize>> {
        locality::tidy(text, &self.covered(text), config)
    }

    /// Adds the symbols of a token: itself, and the patterns that match it.
    fn add_symbols(&self, token: &str, symbols: &mut Vec<u32>) {
        symbols.extend(self.literals.get(token));
        let mut matching = self.patterns.matching(token);
        while matching != 0 {
            symbols.push(self.literals.len() as u32 + matching.trailing_zeros());
            matching &= matching - 1;
        }
    }
}

/// The symbols of tokens, each computed once: most tokens of a site are on many pages.
#[derive(Debug)]
pub(crate) struct KnownTokens {
    vocabulary: Vocabulary,
    symbols: Vec<u32>,
    /// By number of a token where its symbols end, after a zero.
    ends: Vec<usize>,
}

impl KnownTokens {
    pub(crate) fn new() -> KnownTokens {
        KnownTokens {
            vocabulary: Vocabulary::new(),
            symbols: Vec::new(),
            ends: vec![0],
        }
    }

    /// The symbols of a token, which `add` finds if it is new.
    fn symbols(&mut self, token: &str, add: impl FnOnce(&mut Vec<u32>)) -> &[u32] {
        // The place of its first occurrence is not needed.
        let first = First {
            page: 0,
            start: 0,
            length: 0,
        };
        let number = self.vocabulary.number(Vocabulary::hash(token.as_bytes()), first) as usize;
        if number + 1 == self.ends.len() {
            add(&mut self.symbols);
            self.ends.push(self.symbols.len());
        }
        &self.symbols[self.ends[number]..self.ends[number + 1]]
    }
}

/// The patterns that occur in strings, in the order of their expressions: their numbers do not depend on the order of the
/// strings.
fn used_patterns(strings: &[Vec<Element>], tokenizer: &Tokenizer) -> Result<Patterns, Error> {
    let mut sources: Vec<&str> = strings
        .iter()
        .flatten()
        .filter_map(|element| match element {
            Element::Pattern(source) => Some(source.as_str()),
            Element::Literal(_) => None,
        })
        .collect();
    sources.sort_unstable();
    sources.dedup();
    Patterns::of(sources, tokenizer)
}

/// The patterns of expressions that can be matched by tokens.
#[derive(Debug, Default)]
struct UsablePatterns(BTreeMap<String, bool>);

impl UsablePatterns {
    /// Whether all patterns of a string of tokens can be used. At most as many are accepted as a set has bits.
    fn hold(&mut self, string: &[Element], tokenizer: &Tokenizer) -> bool {
        string.iter().all(|element| match element {
            Element::Literal(_) => true,
            Element::Pattern(source) => match self.0.get(source) {
                Some(is_usable) => *is_usable,
                None => {
                    let used = self.0.values().filter(|is_usable| **is_usable).count();
                    let is_usable = used < MOST && Patterns::is_usable(source, tokenizer);
                    self.0.insert(source.clone(), is_usable);
                    is_usable
                }
            },
        })
    }
}

/// The union of ranges, in order.
fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.end, range.start));
    let mut covered = Vec::new();
    ranges.into_iter().for_each(|range| add(&mut covered, range));
    covered
}

/// Adds a range that ends after all others.
fn add(ranges: &mut Vec<Range<usize>>, mut range: Range<usize>) {
    while let Some(last) = ranges.pop_if(|last| last.end >= range.start) {
        range.start = range.start.min(last.start);
    }
    ranges.push(range);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;
    use crate::mutable::BUILT_IN;

    fn applier(strings: &[Vec<Element>], token: &str) -> (Applier, Vec<String>) {
        let tokenizer = Tokenizer::new(token).unwrap();
        let expressions: Vec<String> = strings
            .iter()
            .map(|string| expression::write(string, &tokenizer))
            .collect();
        let applier = Applier::of(expressions.iter().map(String::as_str), &applier_config(token)).unwrap();
        (applier, expressions)
    }

    fn applier_config(token: &str) -> TokenConfig {
        TokenConfig {
            token: token.into(),
            ..TokenConfig::default()
        }
    }

    /// All matches of one expression, overlapping ones too, without the separators at the ends.
    fn matches_of(expression: &str, text: &str) -> Vec<Range<usize>> {
        let regex = Regex::new(expression).unwrap();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(captures) = regex.captures_at(text, at) {
            let start = captures.get(1).map_or(0, |group| group.end());
            let end = captures.get(captures.len() - 1).map_or(0, |group| group.start());
            found.push(start..end);
            // The next match may begin with the second token of this one.
            at = start + text[start..].chars().next().map_or(1, char::len_utf8);
            if at > text.len() {
                break;
            }
        }
        found
    }

    /// Section 3.4.1 with expressions one by one.
    fn one_by_one(expressions: &[String], text: &str) -> Vec<Range<usize>> {
        let mut all: Vec<Range<usize>> = expressions
            .iter()
            .flat_map(|expression| matches_of(expression, text))
            .collect();
        all.sort_by_key(|range| (range.start, range.end));
        let mut union: Vec<Range<usize>> = Vec::new();
        for range in all {
            match union.last_mut() {
                Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                _ => union.push(range),
            }
        }
        union
    }

    #[test]
    fn any_expression_can_be_applied() {
        let expressions = [
            r"([\t-\r ]+|^)(?:[0-9]+)[\t-\r ]+comments([\t-\r ]+|$)",
            r"([\t-\r ]+|^)(?:.*)[\t-\r ]+ago([\t-\r ]+|$)",
            r"(?m)^Share: .*$",
            r"(\s+|^)read\s+more(\s+|$)",
        ];
        let text = "12 comments\nShare: a b c\nThe text. read more read more\nx 5 days ago";
        let applier = Applier::of(expressions, &TokenConfig::default()).unwrap();
        let left: Vec<&str> = applier
            .covered(text)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(
            left,
            [
                "12 comments",
                "Share: a b c",
                "read more",
                "read more",
                "x 5 days ago"
            ]
        );
        let error = Applier::of(["a(?=b)"], &TokenConfig::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("'a(?=b)' is no regular expression: look-around"),
            "{error}"
        );
    }

    #[test]
    fn more_patterns_than_there_are_bits_are_matched_too() {
        let expressions: Vec<String> = (0..80)
            .map(|number| format!(r"([\t-\r ]+|^)(?:n{number}[a-c])[\t-\r ]+x([\t-\r ]+|$)"))
            .collect();
        let applier = Applier::of(expressions.iter().map(String::as_str), &TokenConfig::default()).unwrap();
        assert_eq!(applier.covered("n3a x n79c x n79d x"), [0..5, 6..12]);
    }

    fn literals(tokens: &str) -> Vec<Element> {
        tokens
            .split(' ')
            .map(|token| Element::Literal(token.to_owned()))
            .collect()
    }

    /// Section 3.4.1: whichever comes first, the longer match is not prevented by the shorter.
    #[test]
    fn the_order_of_expressions_does_not_matter() {
        let strings = [literals("a a b b"), literals("a b")];
        for strings in [strings.clone(), [strings[1].clone(), strings[0].clone()]] {
            let (applier, _) = applier(&strings, r"\S+");
            assert_eq!(applier.covered("a a b b b a a b b"), [0..7, 10..17]);
            assert_eq!(applier.covered("b a b b a b"), [2..5, 8..11]);
        }
    }

    #[test]
    fn matches_side_by_side_share_their_separator() {
        let (applier, _) = applier(&[literals("read more")], r"\S+");
        assert_eq!(
            applier.covered("read more read\nmore unread more"),
            [0..9, 10..19]
        );
    }

    #[test]
    fn a_token_may_be_itself_and_of_several_patterns() {
        let number = Element::Pattern(BUILT_IN[7].1.into());
        let date = Element::Pattern(BUILT_IN[8].1.into());
        let x = Element::Literal("x".into());
        let four = Element::Literal("24".into());
        let strings = [vec![x.clone(), number], vec![date, x.clone()], vec![four, x]];
        let (applier, expressions) = applier(&strings, r"\S+");
        for text in ["x 24 x", "24 x 7/8 x", "x 7/8", "x 1,0 x", "24 x"] {
            assert_eq!(applier.covered(text), one_by_one(&expressions, text), "{text}");
        }
    }

    fn element() -> impl Strategy<Value = Element> {
        let own = ["[a-c]", "[ab]+", "[0-9]+"].map(str::to_owned);
        let sources: Vec<String> = BUILT_IN
            .map(|(_, source)| source.to_owned())
            .into_iter()
            .chain(own)
            .collect();
        prop_oneof![
            3 => "[a-c]{1,2}".prop_map(Element::Literal),
            1 => prop::sample::select(vec!["12", "May", "é.", "(", "|"]).prop_map(|token| Element::Literal(token.into())),
            1 => prop::sample::select(sources).prop_map(Element::Pattern),
        ]
    }

    fn text() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            5 => "[a-c]{1,2}",
            1 => prop::sample::select(vec!["12", "1/2", "May", "May,", "é.", "(", "|", "a@b", "AB", "", "\u{a0}"])
                .prop_map(str::to_owned),
        ];
        let separator = prop::sample::select(vec![" ", "\n", "  ", "-", " - "]);
        prop::collection::vec((token, separator), 0..40).prop_map(|parts| {
            parts
                .iter()
                .flat_map(|(token, separator)| [token, *separator])
                .collect()
        })
    }

    proptest! {
        /// The automaton covers what the regex crate covers, expression by expression.
        #[test]
        fn the_automaton_is_the_expressions_one_by_one(
            strings in prop::collection::vec(prop::collection::vec(element(), 1..5), 0..7),
            text in text(),
            token in prop::sample::select(vec![r"\S+", r"[^\-\s]+"]),
        ) {
            // A built-in pattern may match what separates other tokens than the usual ones.
            let tokenizer = Tokenizer::new(token).unwrap();
            let usable = |element: &Element| match element {
                Element::Pattern(source) => Patterns::of([&*format!("(?:{source})")], &tokenizer).is_ok(),
                Element::Literal(_) => true,
            };
            let strings: Vec<_> = strings.into_iter().filter(|string| string.iter().all(usable)).collect();
            let (applier, expressions) = applier(&strings, token);
            prop_assert_eq!(applier.covered(&text), one_by_one(&expressions, &text));
            // And so does each of them by itself.
            let mut expressions: Vec<String> = expressions;
            expressions.sort();
            expressions.dedup();
            let applier = Applier::of(expressions.iter().map(String::as_str), &applier_config(token)).unwrap();
            let mut found = vec![Vec::new(); expressions.len()];
            let mut known = KnownTokens::new();
            for _ in 0..2 {
                // A text that came before changes nothing.
                found.iter_mut().for_each(Vec::clear);
                applier.each_match(&text, &mut known, |expression, range| found[expression].push(range));
            }
            for (expression, mut found) in expressions.iter().zip(found) {
                found.sort_by_key(|range| range.start);
                found.dedup();
                prop_assert_eq!(found, matches_of(expression, &text));
            }
        }
    }
}
