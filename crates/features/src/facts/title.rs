//! Blocks that say what the first block says: of a plain text, which has its title there, the headings.

use gleaner_page::Page;
use rustc_hash::FxHashSet;

use super::{Facts, hash, share};

/// A block beside the first one. A word is a run of letters and numerals, whatever their case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TitleFacts {
    /// The share of its words that the first block has, too.
    pub(crate) common: f32,
    /// The share of the first block's words that it has.
    pub(crate) covered: f32,
    /// Blocks since the last one, itself included, of which both are half at least; 0 without any before.
    pub(crate) since: u32,
    /// The same until the next one.
    pub(crate) until: u32,
}

impl TitleFacts {
    fn is_title(&self) -> bool {
        self.common >= 0.5 && self.covered >= 0.5
    }
}

impl Facts {
    /// Compares all blocks but the first with it.
    pub(super) fn compare_with_title(&mut self, page: &Page) {
        let Some(first) = page.blocks.first() else {
            return;
        };
        let title: FxHashSet<u64> = words(page.text(first)).collect();
        let mut found = FxHashSet::default();
        for (block, facts) in page.blocks.iter().zip(&mut self.surroundings).skip(1) {
            found.clear();
            let (mut all, mut common) = (0, 0);
            for word in words(page.text(block)) {
                all += 1;
                if title.contains(&word) {
                    common += 1;
                    found.insert(word);
                }
            }
            facts.title.common = share(common, all);
            facts.title.covered = share(found.len() as u32, title.len() as u32);
        }
        let mut since = 0;
        for facts in &mut self.surroundings {
            since = step(since, facts.title.is_title());
            facts.title.since = since;
        }
        let mut until = 0;
        for facts in self.surroundings.iter_mut().rev() {
            until = step(until, facts.title.is_title());
            facts.title.until = until;
        }
    }
}

/// The distance from block to block.
fn step(distance: u32, is_title: bool) -> u32 {
    match (is_title, distance) {
        (true, _) => 1,
        (false, 0) => 0,
        (false, _) => distance + 1,
    }
}

/// A hash each.
fn words(text: &str) -> impl Iterator<Item = u64> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(|word| hash(&word.to_lowercase()))
}
