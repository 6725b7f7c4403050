//! Lines that stand around a text: bylines, buttons to share it, lists of other texts, and what else their words say.

use gleaner_page::Page;

use super::{Around, BlockFacts, Facts, bytes, share};
use crate::unspaced_words;
use crate::word_lists::{self, ROLES};
use crate::words::{is_alphanumeric, to_lowercase};

/// Maximum bytes per line.
const LONGEST: usize = 160;

/// Maximum words per short block.
pub(crate) const SHORT: u32 = 12;

/// Minimum share of the letters of a line that are in words of a role, where the line has nothing but the role.
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
    /// What the words of a text in small letters say, and the groups of page cues that it has a word of, a bit each.
    fn read(text: &str) -> (LineFacts, u16) {
        let mut bytes = [0; ROLES.len()];
        let (mut covered, mut is_at_edge, mut cues) = (0, false, 0);
        word_lists::finder().find(text, |place, [roles, groups]| {
            cues |= groups;
            if roles != 0 {
                covered += place.len();
                is_at_edge |= has_no_word(&text[..place.start]) || has_no_word(&text[place.end..]);
                for (role, bytes) in bytes.iter_mut().enumerate() {
                    *bytes += place.len() * usize::from(roles >> role & 1);
                }
            }
        });
        let covered = share(covered as u32, text.len() as u32);
        if !is_at_edge && covered < PLAIN {
            return (LineFacts::default(), cues);
        }
        let most = bytes.iter().copied().max().unwrap_or_default();
        let role = bytes.iter().position(|&bytes| bytes == most).unwrap_or_default();
        let line = LineFacts {
            role: role as u8 + 1,
            covered,
            ..LineFacts::default()
        };
        (line, cues)
    }

    fn is_plain(&self) -> bool {
        self.role > 0 && self.covered >= PLAIN
    }
}

/// Whether there is nothing but marks before a word, or behind it: words within a sentence say nothing.
fn has_no_word(rest: &str) -> bool {
    !rest.chars().any(is_alphanumeric)
}

impl Facts {
    /// Reads the words of short blocks. The facts about lines are left out if no column needs them.
    pub(super) fn measure_words(&mut self, page: &Page, are_lines_asked: bool) {
        let mut small = String::new();
        for (block, place) in self.blocks.iter_mut().zip(&page.blocks) {
            let (text, facts) = (page.text(place), &block.text);
            let is_ascii = facts.chars() as usize == text.len();
            let unspaced = if is_ascii { 0 } else { unspaced_words(text) };
            block.words = facts.words - facts.unspaced + unspaced;
            let is_line = are_lines_asked && text.len() <= LONGEST;
            if !is_line && block.words > SHORT {
                continue;
            }
            let small = if is_ascii {
                &self.small[bytes(&place.text)]
            } else {
                to_lowercase(text, &mut small);
                &small
            };
            let (line, cues) = LineFacts::read(small);
            block.cues = cues;
            if is_line {
                block.line = line;
            }
        }
    }

    /// Gives each block what the lines around it say.
    pub(super) fn measure_lines(&mut self) {
        let (mut heading, mut last, mut since) = (0, 0, 0);
        for block in &mut self.blocks {
            let line = &mut block.line;
            if block.around.has(Around::HEADER) {
                heading = line.role;
            }
            since += 1;
            if line.is_plain() {
                (last, since) = (line.role, 0);
            }
            (line.heading, line.last, line.since) = (heading, last, since);
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
    use crate::word_lists::LINES;
    use crate::words::{beginning, entries};

    fn role(text: &str) -> &'static str {
        match LineFacts::read(&text.to_lowercase()).0.role {
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
    }

    #[test]
    fn every_role_has_words_in_small_letters() {
        for (role, word) in entries(LINES) {
            assert!(ROLES.contains(&role), "{role}");
            assert_eq!(word.to_lowercase(), word);
            assert!(!beginning(word).is_empty(), "{word}");
        }
        assert!(ROLES.iter().all(|role| entries(LINES).any(|(of, _)| of == *role)));
    }
}
