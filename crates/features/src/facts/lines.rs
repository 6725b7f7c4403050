//! Lines that stand around a text: bylines, buttons to share it, lists of other texts, and what else their words say.

use std::sync::LazyLock;

use gleaner_page::Page;

use super::{Around, BlockFacts, Facts, share};
use crate::words::{WordFinder, to_lowercase};

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

const LISTS: &str = include_str!("line_words.txt");

/// A longer block, in bytes, is no such line.
const LONGEST: usize = 160;

/// A line whose words of a role have this share of its letters says no more than its role.
const PLAIN: f32 = 0.5;

/// What a block is by its words, and what lines stand before and behind it. A role is its number in [`ROLES`], 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LineFacts {
    /// The role with most letters.
    pub(crate) role: u8,
    /// The share of its letters that are in words of any role.
    pub(crate) covered: f32,
    /// The role of the last heading, itself included.
    pub(crate) heading: u8,
    /// The role of the last line that says no more than its role, itself included, and how many blocks ago that was.
    pub(crate) last: u8,
    pub(crate) since: u32,
    /// The role of the next such line behind it, and how many blocks it is to that.
    pub(crate) next: u8,
    pub(crate) until: u32,
}

impl LineFacts {
    /// What the words of a text say.
    fn of(text: &str, small: &mut String) -> LineFacts {
        static WORDS: LazyLock<WordFinder> = LazyLock::new(|| WordFinder::new(LISTS, &ROLES));
        if text.len() > LONGEST {
            return LineFacts::default();
        }
        to_lowercase(text, small);
        let mut bytes = [0; ROLES.len()];
        let (mut covered, mut is_at_edge) = (0, false);
        for (place, groups) in WORDS.find(small) {
            covered += place.len();
            is_at_edge |= has_no_word(&small[..place.start]) || has_no_word(&small[place.end..]);
            for (role, bytes) in bytes.iter_mut().enumerate() {
                *bytes += place.len() * usize::from(groups >> role & 1);
            }
        }
        let covered = share(covered as u32, small.len() as u32);
        if !is_at_edge && covered < PLAIN {
            return LineFacts::default();
        }
        let most = bytes.iter().copied().max().unwrap_or_default();
        let role = bytes.iter().position(|&bytes| bytes == most).unwrap_or_default();
        LineFacts {
            role: role as u8 + 1,
            covered,
            ..LineFacts::default()
        }
    }

    fn is_plain(&self) -> bool {
        self.role > 0 && self.covered >= PLAIN
    }
}

/// Whether there is nothing but marks before a word, or behind it: words within a sentence say nothing.
fn has_no_word(rest: &str) -> bool {
    !rest.chars().any(char::is_alphanumeric)
}

impl Facts {
    pub(super) fn measure_lines(&mut self, page: &Page) {
        let mut small = String::new();
        let (mut heading, mut last, mut since) = (0, 0, 0);
        for (block, place) in self.blocks.iter_mut().zip(&page.blocks) {
            let mut line = LineFacts::of(page.text(place), &mut small);
            if block.around.has(Around::HEADER) {
                heading = line.role;
            }
            since += 1;
            if line.is_plain() {
                (last, since) = (line.role, 0);
            }
            (line.heading, line.last, line.since) = (heading, last, since);
            block.line = line;
        }
        let (mut next, mut until) = (0, 0);
        for BlockFacts { line, .. } in self.blocks.iter_mut().rev() {
            (line.next, line.until) = (next, until);
            until += 1;
            if line.is_plain() {
                (next, until) = (line.role, 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{beginning, entries};

    fn role(text: &str) -> &'static str {
        match LineFacts::of(text, &mut String::new()).role {
            0 => "",
            role => ROLES[usize::from(role) - 1],
        }
    }

    #[test]
    fn roles_are_found_in_many_languages() {
        for (text, is) in [
            ("By Ada Marrow", "byline"),
            ("Von Ada Marrow", "byline"),
            ("Last updated: 3 May 2021", "day"),
            ("更新日：2021年5月3日", "day"),
            ("4 min read", "length"),
            ("Compartir", "share"),
            ("シェアする", "share"),
            ("구독하기", "subscribe"),
            ("Читайте также:", "related"),
            ("اقرأ أيضا", "related"),
            ("関連記事", "related"),
            ("Hinterlasse einen Kommentar", "comment"),
            ("标签：", "tags"),
            ("無断転載を禁じます", "rights"),
            ("Anasayfa", "navigation"),
            ("विज्ञापन", "advertisement"),
        ] {
            assert_eq!(role(text), is, "{text}");
        }
    }

    #[test]
    fn sentences_are_no_such_lines() {
        for text in [
            "The ferry shares its berth with the pilot boat.",
            "Two readers sent comments about the tide tables",
            "港の関連施設はまだ閉まっている。",
            "",
        ] {
            assert_eq!(role(text), "", "{text}");
        }
        let long = "Share ".repeat(40);
        assert_eq!(role(&long), "");
    }

    #[test]
    fn every_role_has_words_in_small_letters() {
        for (role, word) in entries(LISTS) {
            assert!(ROLES.contains(&role), "{role}");
            assert_eq!(word.to_lowercase(), word);
            assert!(!beginning(word).is_empty(), "{word}");
        }
        assert!(ROLES.iter().all(|role| entries(LISTS).any(|(of, _)| of == *role)));
    }
}
