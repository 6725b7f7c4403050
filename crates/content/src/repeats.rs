//! Texts that a page has more than once: in a box for small screens and in one for large ones, in a summary, in a
//! quotation. Mostly one of them is enough.

use gleaner_columns::{Columns, shifted};

use crate::BlockSize;

/// A shorter text may stand in many places for a reason.
const LEAST_WORDS: u32 = 4;

/// A block whose text another block of the page has, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextCopy {
    /// The block's place on the page.
    pub block: u32,
    /// The place of the text's first copy among all copies of the page.
    pub first: u32,
    /// The group of blocks that look alike.
    pub group: u32,
    /// The probability of content, were the text here alone.
    pub content: f32,
}

/// The copies of texts on a page, and which of each text is the most probable one. Kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    copies: Vec<TextCopy>,
    /// Under the number of the first copy of a text that of its best.
    best: Vec<u32>,
    /// Under the number of a block that of the copy.
    numbers: Vec<u32>,
}

/// What is no copy.
const NONE: u32 = u32::MAX;

impl Repeats {
    /// The copies that were found or set.
    pub(crate) fn copies(&self) -> &[TextCopy] {
        &self.copies
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.copies.clear();
    }

    /// Finds the blocks of a page whose text another one has. There are none where texts were not told.
    pub(crate) fn find(&mut self, page: &Columns) {
        self.copies.clear();
        self.numbers.clear();
        self.numbers.resize(page.texts().len(), NONE);
        let texts = || page.texts().iter().enumerate();
        for (block, &first) in texts().filter(|&(block, &first)| block != first as usize) {
            self.numbers[block] = 0;
            self.numbers[first as usize] = 0;
        }
        for (block, &first) in texts() {
            if self.numbers[block] != NONE {
                self.numbers[block] = self.copies.len() as u32;
                self.copies.push(TextCopy {
                    block: block as u32,
                    first: self.numbers[first as usize],
                    group: page.groups().get(block).copied().unwrap_or(block as u32),
                    content: 0.0,
                });
            }
        }
    }

    /// Takes copies that were found before.
    ///
    /// # Panics
    /// The first copy of a text is none of them.
    pub(crate) fn set(&mut self, copies: &[TextCopy]) {
        self.copies.clear();
        self.copies.extend_from_slice(copies);
        let mut firsts = copies.iter().map(|copy| copy.first as usize);
        assert!(
            firsts.all(|first| first < copies.len()),
            "the first one is a copy"
        );
    }

    /// Takes `cost` from the log odds of all copies of a text but the most probable one, the first of equal ones:
    /// twice as much where the block before or behind is repeated beside it, for that is a part of the page that is
    /// there twice; and half of it where the block is of the same group as that one, for the items of a list may say
    /// the same.
    pub(crate) fn take(&mut self, cost: f64, blocks: &[BlockSize], content: &mut [f32]) {
        for copy in &mut self.copies {
            copy.content = content[copy.block as usize];
        }
        self.find_best();
        for (number, copy) in self.copies.iter().enumerate() {
            let best = self.best[copy.first as usize] as usize;
            let block = copy.block as usize;
            if best == number || blocks[block].words < LEAST_WORDS {
                continue;
            }
            let of_part = if self.is_in_part(number, best) { 2.0 } else { 1.0 };
            let of_list = if self.copies[best].group == copy.group {
                0.5
            } else {
                1.0
            };
            content[block] = shifted(copy.content, -(cost * of_part * of_list));
        }
    }

    fn find_best(&mut self) {
        self.best.clear();
        self.best.extend(0..self.copies.len() as u32);
        for (number, copy) in self.copies.iter().enumerate() {
            let best = &mut self.best[copy.first as usize];
            if copy.content > self.copies[*best as usize].content {
                *best = number as u32;
            }
        }
    }

    /// Whether the blocks next to a copy and to the best one of its text, before both or behind both, are a repeated
    /// one and the best one of another text.
    fn is_in_part(&self, number: usize, best: usize) -> bool {
        let is_pair = |copy: Option<usize>, best: Option<usize>| {
            let pair = copy.zip(best);
            pair.is_some_and(|(copy, best)| {
                copy != best && self.best[self.copies[copy].first as usize] as usize == best
            })
        };
        is_pair(self.before(number), self.before(best)) || is_pair(self.behind(number), self.behind(best))
    }

    /// The copy that is the block before a copy.
    fn before(&self, number: usize) -> Option<usize> {
        let before = number.checked_sub(1)?;
        (self.copies[before].block + 1 == self.copies[number].block).then_some(before)
    }

    /// The copy that is the block behind a copy.
    fn behind(&self, number: usize) -> Option<usize> {
        let behind = self.copies.get(number + 1)?;
        (behind.block == self.copies[number].block + 1).then_some(number + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use gleaner_columns::sigmoid;

    proptest! {
        #[test]
        fn all_copies_but_the_best_lose(
            blocks in prop::collection::vec((0u32..4, 0u32..2, 2u32..7, 0i8..5), 1..20),
        ) {
            let first = |text: u32| blocks.iter().position(|block| block.0 == text).unwrap() as u32;
            let group = |group: u32| blocks.iter().position(|block| block.1 == group).unwrap() as u32;
            let mut page = Columns::default();
            page.reset(blocks.len(), 0);
            page.set_texts(blocks.iter().map(|block| first(block.0)));
            page.set_groups(blocks.iter().map(|block| group(block.1)));
            let size = |words| BlockSize { words, same_pre: false };
            let sizes: Vec<BlockSize> = blocks.iter().map(|block| size(block.2)).collect();
            let own: Vec<f32> = blocks.iter().map(|block| sigmoid(f64::from(block.3)) as f32).collect();
            let mut content = own.clone();
            let mut repeats = Repeats::default();
            repeats.find(&page);
            repeats.take(2.0, &sizes, &mut content);
            // Of equal ones the first.
            let best = |text: u32| {
                let copies = (0..blocks.len()).filter(|&at| blocks[at].0 == text);
                copies.max_by_key(|&at| (blocks[at].3, usize::MAX - at)).unwrap()
            };
            let pairs: Vec<(usize, usize)> = (0..blocks.len()).map(|at| (at, best(blocks[at].0))).collect();
            for &(at, best) in &pairs {
                let (text, group, words, score) = blocks[at];
                let is_beside = |&(other, of_other): &(usize, usize)| {
                    let is_next = (other + 1, of_other + 1) == (at, best) || (at + 1, best + 1) == (other, of_other);
                    other != of_other && is_next
                };
                let part = if pairs.iter().any(is_beside) { 2.0 } else { 1.0 };
                let list = if blocks[best].1 == group { 0.5 } else { 1.0 };
                let lost = if best == at || words < 4 { 0.0 } else { 2.0 * part * list };
                let expected = sigmoid(f64::from(score) - lost) as f32;
                prop_assert!((content[at] - expected).abs() < 1e-6, "{} {} {}", at, content[at], expected);
                let found = repeats.copies().iter().find(|copy| copy.block as usize == at);
                let is_copy = blocks.iter().filter(|block| block.0 == text).count() > 1;
                prop_assert_eq!(found.map(|copy| copy.content), is_copy.then_some(own[at]));
            }
            // What was found is all that has to be known.
            let mut again = Repeats::default();
            again.set(repeats.copies());
            let mut with_copies = own;
            again.take(2.0, &sizes, &mut with_copies);
            prop_assert_eq!(with_copies, content);
        }
    }
}
