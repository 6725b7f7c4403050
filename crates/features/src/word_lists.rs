//! The lists of words that facts about lines and cues for kinds of pages use.

use std::sync::LazyLock;

use crate::words::WordFinder;

/// What a line is by its words; the number of a role is its place, from 1.
pub(crate) const ROLES: [&str; 13] = [
    "byline",
    "day",
    "length",
    "share",
    "subscribe",
    "related",
    "comment",
    "tags",
    "rights",
    "navigation",
    "advertisement",
    "media",
    "more",
];

/// The words of each role.
pub(crate) const LINES: &str = include_str!("facts/line_words.txt");

/// The words of each group of cues, [`BLOCK_GROUPS`] and others.
pub(crate) const CUES: &str = include_str!("page_cues/words.txt");

/// The groups of words that texts of blocks and titles are looked through for.
pub(crate) const BLOCK_GROUPS: [&str; 10] = [
    "cart", "goods", "thread", "reply", "comment", "diary", "manual", "service", "news", "list",
];

/// Finds the words of lines and those of blocks in a text.
pub(crate) fn finder() -> &'static WordFinder {
    static FINDER: LazyLock<WordFinder> =
        LazyLock::new(|| WordFinder::new([(LINES, &ROLES), (CUES, &BLOCK_GROUPS)]));
    &FINDER
}
