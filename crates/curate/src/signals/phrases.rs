//! The phrases that rules look for.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// What a phrase is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phrase {
    LoremIpsum,
    Javascript,
    /// Notices of cookies and terms.
    Policy,
    Url,
    /// A label of a button: at the beginning of a line, at its end, anywhere.
    ButtonFirst,
    ButtonLast,
    Button,
}

const PHRASES: [(&str, Phrase); 13] = [
    ("lorem ipsum", Phrase::LoremIpsum),
    ("javascript", Phrase::Javascript),
    ("terms of use", Phrase::Policy),
    ("privacy policy", Phrase::Policy),
    ("cookie policy", Phrase::Policy),
    ("uses cookies", Phrase::Policy),
    ("use of cookies", Phrase::Policy),
    ("use cookies", Phrase::Policy),
    ("http", Phrase::Url),
    ("www", Phrase::Url),
    ("sign-in", Phrase::ButtonFirst),
    ("read more...", Phrase::ButtonLast),
    ("items in cart", Phrase::Button),
];

static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(PHRASES.map(|(phrase, _)| phrase))
        .expect("the phrases are few")
});

/// The phrases of a text in small letters (of ASCII), each with its beginning and end, in order and without overlaps.
pub(super) fn phrases(text: &str) -> impl Iterator<Item = (Phrase, usize, usize)> {
    let found = AUTOMATON.find_iter(text);
    found.map(|found| (PHRASES[found.pattern().as_usize()].1, found.start(), found.end()))
}
