//! Patterns for texts in lower case, with lists of names written out.
//!
//! A lazy automaton computes its states from those of all alternatives. Each class of letters in both cases begins an
//! alternative of its own; names that are texts are joined by their beginnings, as in a trie, and at each letter of a text
//! there is one alternative for all of them. That matters for the first pages: for each of them new states are computed.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
use regex_syntax::hir::{Hir, HirKind, Repetition};

/// Maximum texts per alternative that is written out.
const MOST: usize = 4;

/// A pattern that matches where another one does in any letter case, but not up to the same place, in texts whose ASCII letters
/// are in lower case. Nothing if the pattern cannot be read or has letters in one case only.
pub(crate) fn lower_case(pattern: &str) -> Option<String> {
    let mut parser = ParserBuilder::new().case_insensitive(true).utf8(false).build();
    lower(parser.parse(pattern).ok()?).map(|hir| hir.to_string())
}

fn lower(hir: Hir) -> Option<Hir> {
    let each = |all: Vec<Hir>| all.into_iter().map(lower).collect::<Option<Vec<Hir>>>();
    Some(match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => {
            let is_of_both_cases = !literal.0.iter().any(u8::is_ascii_alphabetic);
            Hir::literal(is_of_both_cases.then_some(literal.0)?)
        }
        HirKind::Class(class) => Hir::class(lower_class(class)?),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(lower(*repetition.sub)?),
            ..repetition
        }),
        HirKind::Capture(capture) => lower(*capture.sub)?,
        HirKind::Concat(all) => Hir::concat(each(all)?),
        HirKind::Alternation(all) => alternation(each(all)?),
    })
}

/// A class without ASCII capitals; nothing if it has a letter in one case only.
fn lower_class(mut class: Class) -> Option<Class> {
    let has = |letter: u8| match &class {
        Class::Unicode(class) => {
            let mut ranges = class.ranges().iter();
            ranges.any(|range| (range.start()..=range.end()).contains(&char::from(letter)))
        }
        Class::Bytes(class) => {
            let mut ranges = class.ranges().iter();
            ranges.any(|range| (range.start()..=range.end()).contains(&letter))
        }
    };
    if !(b'A'..=b'Z').all(|letter| has(letter) == has(letter.to_ascii_lowercase())) {
        return None;
    }
    match &mut class {
        Class::Unicode(class) => class.difference(&ClassUnicode::new([ClassUnicodeRange::new('A', 'Z')])),
        Class::Bytes(class) => class.difference(&ClassBytes::new([ClassBytesRange::new(b'A', b'Z')])),
    }
    Some(class)
}

/// An alternation in which all texts are one group, so that they stay together.
fn alternation(all: Vec<Hir>) -> Hir {
    let (mut written, mut others) = (Vec::new(), Vec::new());
    for one in all {
        match texts(&one) {
            Some(texts) => written.extend(texts.into_iter().map(Hir::literal)),
            None => others.push(one),
        }
    }
    if written.len() > 1 && !others.is_empty() {
        written = vec![Hir::capture(Capture {
            index: 1,
            name: None,
            sub: Box::new(Hir::alternation(written)),
        })];
    }
    written.extend(others);
    Hir::alternation(written)
}

/// The texts that a part of a pattern stands for, if they are few.
fn texts(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let all = match hir.kind() {
        HirKind::Empty => vec![Vec::new()],
        HirKind::Literal(literal) => vec![literal.0.to_vec()],
        HirKind::Class(Class::Unicode(class)) => {
            let letters = class.iter().flat_map(|range| range.start()..=range.end());
            letters
                .take(MOST + 1)
                .map(|letter| letter.to_string().into_bytes())
                .collect()
        }
        HirKind::Concat(parts) => parts.iter().try_fold(vec![Vec::new()], |before, part| {
            let next = texts(part)?;
            let joined = before
                .iter()
                .flat_map(|text| next.iter().map(move |next| [&text[..], next].concat()));
            (before.len() * next.len() <= MOST).then(|| joined.collect())
        })?,
        _ => return None,
    };
    (all.len() <= MOST).then_some(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::{Regex, RegexBuilder};

    use super::*;

    #[test]
    fn names_are_written_out() {
        let own = |pattern| lower_case(pattern).unwrap().replace("?:", "");
        assert_eq!(own("may|1[éu]"), "((may)|(1u)|(1É)|(1é))");
        assert_eq!(own("may|June|[0-9]+"), "((((may)|(june)))|[0-9]+)");
        assert_eq!(
            ["(unclosed", "(?-i:May)", "(?-i:[a-z])"].map(lower_case),
            [const { None }; 3]
        );
    }

    proptest! {
        #[test]
        fn patterns_in_lower_case_match_where_the_patterns_do(
            pattern in r"(\^|\\b)?(\(\?:(mar|Mai|m[aä]rt|sa|juni?|é)(\|(mar|mai|märz|ju|j\*|k)){1,5}\)|[a-m]|\[0-9\]\?| ){1,4}",
            texts in prop::collection::vec("[marijutkKsſéÄ 7äz]{0,12}", 8),
        ) {
            let plain = RegexBuilder::new(&pattern).case_insensitive(true).build().unwrap();
            let own = Regex::new(&lower_case(&pattern).unwrap()).unwrap();
            for text in texts {
                let small = text.to_ascii_lowercase();
                prop_assert_eq!(own.is_match(small.as_bytes()), plain.is_match(text.as_bytes()), "{} {}", pattern, text);
            }
        }
    }
}
