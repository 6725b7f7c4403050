//! Patterns whose alternatives are joined.
//!
//! A lazy automaton computes its states from those of all alternatives. A list of names as alternatives has as many at each
//! letter of a text as it has names; joined by their beginnings, as in a trie, it has as many as there are first letters. That
//! matters for the first pages: for each of them new states are computed.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind, Repetition};

/// A pattern that matches where another one does in any letter case, but not up to the same place; the pattern itself if it
/// cannot be read.
pub(crate) fn joined(pattern: &str) -> String {
    let mut parser = ParserBuilder::new().case_insensitive(true).utf8(false).build();
    let read = parser.parse(pattern);
    read.map_or_else(|_| pattern.to_owned(), |hir| join(&hir).to_string())
}

fn join(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Alternation(all) => alternation(all.iter().map(|one| parts(join(one))).collect()),
        HirKind::Concat(all) => Hir::concat(all.iter().map(join).collect()),
        HirKind::Capture(capture) => join(&capture.sub),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(join(&repetition.sub)),
            ..repetition.clone()
        }),
        _ => hir.clone(),
    }
}

/// What follows one another in a pattern.
fn parts(hir: Hir) -> Vec<Hir> {
    match hir.into_kind() {
        HirKind::Empty => Vec::new(),
        HirKind::Concat(all) => all,
        HirKind::Literal(literal) => vec![Hir::literal(literal.0)],
        HirKind::Class(class) => vec![Hir::class(class)],
        HirKind::Look(look) => vec![Hir::look(look)],
        HirKind::Repetition(repetition) => vec![Hir::repetition(repetition)],
        HirKind::Capture(capture) => vec![Hir::capture(capture)],
        HirKind::Alternation(all) => vec![Hir::alternation(all)],
    }
}

/// The alternation of sequences: those with the same first part are one alternative.
fn alternation(all: Vec<Vec<Hir>>) -> Hir {
    let mut groups: Vec<(Option<Hir>, Vec<Vec<Hir>>)> = Vec::new();
    for sequence in all {
        let mut parts = sequence.into_iter();
        let first = parts.next();
        let rest = parts.collect();
        match groups.iter_mut().find(|(known, _)| *known == first) {
            Some((_, rests)) => rests.push(rest),
            None => groups.push((first, vec![rest])),
        }
    }
    let alternative = |(first, rests): (Option<Hir>, Vec<Vec<Hir>>)| match first {
        Some(first) => Hir::concat(vec![first, alternation(rests)]),
        None => Hir::empty(),
    };
    let mut alternatives: Vec<Hir> = groups.into_iter().map(alternative).collect();
    match alternatives.len() {
        1 => alternatives.swap_remove(0),
        _ => Hir::alternation(alternatives),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::{Regex, RegexBuilder};

    use super::*;

    #[test]
    fn beginnings_are_joined() {
        let own = |pattern| joined(pattern).replace("(?:", "(").to_lowercase();
        assert_eq!(own("1a2|1a3|4"), own("1a[23]|4"));
        assert_eq!(joined("(unclosed"), "(unclosed");
    }

    proptest! {
        #[test]
        fn joined_patterns_match_where_the_patterns_do(
            pattern in r"(\^|\\b)?(\(\?:(mar|mai|mart|ma|juni?|é)(\|(mar|mai|märz|ju|j\*|k)){1,5}\)|[a-m]|\[0-9\]\?| ){1,4}",
            texts in prop::collection::vec("[marijutkKé 7äz]{0,12}", 8),
        ) {
            let plain = RegexBuilder::new(&pattern).case_insensitive(true).build().unwrap();
            let own = Regex::new(&joined(&pattern)).unwrap();
            for text in texts {
                prop_assert_eq!(own.is_match(text.as_bytes()), plain.is_match(text.as_bytes()), "{} {}", pattern, text);
            }
        }
    }
}
