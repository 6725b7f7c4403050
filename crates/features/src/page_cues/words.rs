//! Lists of words, and which of them a text has.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use rustc_hash::FxHashMap;

/// The groups of words that texts of blocks and titles are looked through for.
pub(super) const BLOCK_GROUPS: [&str; 10] = [
    "cart", "goods", "thread", "reply", "comment", "diary", "manual", "service", "news", "list",
];

/// The groups of words of addresses.
pub(super) const PATH_GROUPS: [&str; 7] = [
    "path-product",
    "path-list",
    "path-thread",
    "path-manual",
    "path-diary",
    "path-news",
    "path-service",
];

/// The groups of names of hosts.
pub(super) const HOST_GROUPS: [&str; 5] = [
    "host-product",
    "host-thread",
    "host-manual",
    "host-diary",
    "host-news",
];

/// All lists.
pub(super) struct WordLists {
    finder: AhoCorasick,
    /// The groups of each word of the finder, a bit each.
    groups: Vec<u16>,
    /// The same of words of addresses.
    paths: FxHashMap<&'static str, u8>,
    /// The groups of words of hosts, a bit each.
    hosts: Vec<(&'static str, u8)>,
}

impl WordLists {
    pub(super) fn get() -> &'static WordLists {
        static LISTS: LazyLock<WordLists> = LazyLock::new(WordLists::read);
        &LISTS
    }

    fn read() -> WordLists {
        let mut words: FxHashMap<&str, u16> = FxHashMap::default();
        let mut paths = FxHashMap::default();
        let mut hosts = Vec::new();
        for (group, word) in entries(include_str!("words.txt")) {
            let of = |groups: &[&str]| groups.iter().position(|name| *name == group);
            if let Some(group) = of(&BLOCK_GROUPS) {
                *words.entry(word).or_default() |= 1 << group;
            } else if let Some(group) = of(&PATH_GROUPS) {
                *paths.entry(word).or_default() |= 1 << group;
            } else if let Some(group) = of(&HOST_GROUPS) {
                hosts.push((word, 1 << group));
            }
        }
        let mut words: Vec<(&str, u16)> = words.into_iter().collect();
        words.sort_unstable();
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(words.iter().map(|(word, _)| word));
        WordLists {
            finder: finder.expect("a few hundred words are not too many"),
            groups: words.into_iter().map(|(_, groups)| groups).collect(),
            paths,
            hosts,
        }
    }

    /// The groups that a text in small letters has a word of, a bit each.
    pub(super) fn groups(&self, text: &str) -> u16 {
        let found = self.finder.find_iter(text);
        let whole = found.filter(|found| stands_alone(text, found.start(), found.end()));
        whole.fold(0, |all, found| all | self.groups[found.pattern()])
    }

    /// The groups of a part of an address, a bit each.
    pub(super) fn path_groups(&self, part: &str) -> u8 {
        self.paths.get(part).copied().unwrap_or_default()
    }

    /// The groups of the name of a host, a bit each.
    pub(super) fn host_groups(&self, host: &str) -> u8 {
        let begins_or_ends = |label: &str, word: &str| label.starts_with(word) || label.ends_with(word);
        let is_in = |word: &str| host.split(['.', '-']).any(|label| begins_or_ends(label, word));
        let found = self.hosts.iter().filter(|(word, _)| is_in(word));
        found.fold(0, |all, (_, groups)| all | groups)
    }
}

/// The words of the lists, each after its group.
fn entries(lists: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let groups = WordLists::get().groups(text);
        let has = |group: &usize| groups & 1 << group != 0;
        (0..BLOCK_GROUPS.len())
            .filter(has)
            .map(|group| BLOCK_GROUPS[group])
            .collect()
    }

    #[test]
    fn words_stand_alone_where_scripts_have_spaces() {
        assert_eq!(names("add to cart"), ["cart"]);
        assert_eq!(names("cartoons and blogging"), [""; 0]);
        assert_eq!(names("(3 comments)"), ["comment"]);
        assert_eq!(names("商品をカートに入れる"), ["cart", "goods"]);
    }

    #[test]
    fn every_group_has_words() {
        let has = |name: &&str| entries(include_str!("words.txt")).any(|(group, _)| group == *name);
        assert!(
            BLOCK_GROUPS
                .iter()
                .chain(&PATH_GROUPS)
                .chain(&HOST_GROUPS)
                .all(has)
        );
        let known = |group: &str| {
            BLOCK_GROUPS.contains(&group) || PATH_GROUPS.contains(&group) || HOST_GROUPS.contains(&group)
        };
        assert!(entries(include_str!("words.txt")).all(|(group, _)| known(group)));
    }

    #[test]
    fn words_are_in_small_letters() {
        let is_small = |(_, word): (&str, &str)| word.to_lowercase() == word;
        assert!(entries(include_str!("words.txt")).all(is_small));
    }
}
