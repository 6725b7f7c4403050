//! Lists of words in groups, and which of them a text has.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Match, MatchKind};
use rustc_hash::FxHashMap;

/// Finds the words of some groups in texts.
pub(crate) struct WordFinder {
    finder: AhoCorasick,
    /// The groups of each word of the finder, a bit each.
    groups: Vec<u16>,
}

impl WordFinder {
    /// A finder of the words that lists have for these groups, of which there are 16 at most.
    pub(crate) fn new(lists: &'static str, names: &[&str]) -> WordFinder {
        let mut words: FxHashMap<&str, u16> = FxHashMap::default();
        for (group, word) in entries(lists) {
            if let Some(group) = names.iter().position(|name| *name == group) {
                *words.entry(word).or_default() |= 1 << group;
            }
        }
        let mut words: Vec<(&str, u16)> = words.into_iter().collect();
        words.sort_unstable();
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(words.iter().map(|(word, _)| word));
        WordFinder {
            finder: finder.expect("a few thousand words are not too many"),
            groups: words.into_iter().map(|(_, groups)| groups).collect(),
        }
    }

    /// The words in a text in small letters: the place of each, and its groups, a bit each.
    pub(crate) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (Range<usize>, u16)> + 'a {
        let found = self.finder.find_iter(text);
        let whole = found.filter(|found: &Match| stands_alone(text, found.start(), found.end()));
        whole.map(|found| (found.range(), self.groups[found.pattern()]))
    }

    /// The groups that a text in small letters has a word of, a bit each.
    pub(crate) fn groups(&self, text: &str) -> u16 {
        self.find(text).fold(0, |all, (_, groups)| all | groups)
    }
}

/// Writes a text in small letters over another.
pub(crate) fn to_lowercase(text: &str, small: &mut String) {
    small.clear();
    match text.is_ascii() {
        true => {
            small.push_str(text);
            small.make_ascii_lowercase();
        }
        false => small.extend(text.chars().flat_map(char::to_lowercase)),
    }
}

/// The words of the lists, each after its group.
pub(crate) fn entries(lists: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut group = "";
    let lines = lists.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(move |line| {
        let heading = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        group = heading.unwrap_or(group);
        let words = heading.map_or(line, |_| "").split(',').map(str::trim);
        words
            .filter(|word| !word.is_empty())
            .map(move |word| (group, word))
    })
}

/// Whether what stands there is a word by itself.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let goes_on = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(char::is_alphanumeric) && inner.is_some_and(is_spaced)
    };
    let (before, word, after) = (&text[..start], &text[start..end], &text[end..]);
    !goes_on(before.chars().next_back(), word.chars().next())
        && !goes_on(after.chars().next(), word.chars().next_back())
}

/// Whether a letter is of a script that has spaces between words.
fn is_spaced(letter: char) -> bool {
    letter.is_alphanumeric()
        && !matches!(letter, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}
