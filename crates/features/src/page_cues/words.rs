//! The lists of words that predict the kind of a page.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::word_lists::CUES;
use crate::words::entries;

/// The bits of some of the groups of [`BLOCK_GROUPS`](crate::word_lists::BLOCK_GROUPS).
pub(super) const CART: u16 = 1;
pub(super) const REPLY: u16 = 1 << 3;
pub(super) const COMMENT: u16 = 1 << 4;
pub(super) const DIARY: u16 = 1 << 5;

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

/// The lists of addresses.
pub(super) struct WordLists {
    /// The groups of words of addresses, a bit each.
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
        let mut paths = FxHashMap::default();
        let mut hosts = Vec::new();
        for (group, word) in entries(CUES) {
            let of = |groups: &[&str]| groups.iter().position(|name| *name == group);
            if let Some(group) = of(&PATH_GROUPS) {
                *paths.entry(word).or_default() |= 1 << group;
            } else if let Some(group) = of(&HOST_GROUPS) {
                hosts.push((word, 1 << group));
            }
        }
        WordLists { paths, hosts }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word_lists::{self, BLOCK_GROUPS};
    use crate::words::beginning;

    fn names(text: &str) -> Vec<&'static str> {
        let [_, groups] = word_lists::finder().groups(text);
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
        let name = |bit: u16| BLOCK_GROUPS[bit.trailing_zeros() as usize];
        assert_eq!(
            [CART, REPLY, COMMENT, DIARY].map(name),
            ["cart", "reply", "comment", "diary"]
        );
        let has = |name: &&str| entries(CUES).any(|(group, _)| group == *name);
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
        assert!(entries(CUES).all(|(group, _)| known(group)));
    }

    #[test]
    fn words_are_in_small_letters() {
        let is_small = |(_, word): (&str, &str)| word.to_lowercase() == word && !beginning(word).is_empty();
        assert!(entries(CUES).all(is_small));
    }
}
