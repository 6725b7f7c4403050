//! Texts that a page has more than once: in a box for small screens and in one for large ones, in a summary, in a
//! quotation. Mostly one of them is enough.

use crate::BlockSize;

/// A shorter text may stand in many places for a reason.
const LEAST_WORDS: u32 = 4;

/// Which block of each text counts most, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats(Vec<u32>);

impl Repeats {
    /// Takes `cost` from the scores of all blocks with the same text but the one of the highest score, the first of
    /// equal ones: twice as much where the block before or behind is repeated beside it, for that is a part of the
    /// page that is there twice; and half of it where the block is of the same group as that one, for the items of a
    /// list may say the same. Without texts nothing is repeated.
    pub(crate) fn take(
        &mut self,
        (texts, groups): (&[u32], &[u32]),
        blocks: &[BlockSize],
        cost: f32,
        scores: &mut [f32],
    ) {
        self.find_best(texts, scores);
        let group = |block: usize| groups.get(block);
        for (block, (&text, size)) in texts.iter().zip(blocks).enumerate() {
            let best = self.0[text as usize] as usize;
            if best == block || size.words < LEAST_WORDS {
                continue;
            }
            let of_part = if self.is_in_part(texts, block, best) {
                2.0
            } else {
                1.0
            };
            let of_list = match group(block) {
                Some(own) if group(best) == Some(own) => 0.5,
                _ => 1.0,
            };
            scores[block] -= cost * of_part * of_list;
        }
    }

    /// Notes the best block of each text under the text's number.
    fn find_best(&mut self, texts: &[u32], scores: &[f32]) {
        self.0.clear();
        self.0.extend_from_slice(texts);
        for (block, &text) in texts.iter().enumerate() {
            let best = &mut self.0[text as usize];
            if scores[block] > scores[*best as usize] {
                *best = block as u32;
            }
        }
    }

    /// Whether the blocks next to a block and to the best one of its text, before both or behind both, are a repeated
    /// one and the best one of another text.
    fn is_in_part(&self, texts: &[u32], block: usize, best: usize) -> bool {
        let is_pair = |block: usize, best: usize| {
            let text = texts.get(block);
            block != best && text.is_some_and(|&text| self.0[text as usize] as usize == best)
        };
        let before = block.checked_sub(1).zip(best.checked_sub(1));
        before.is_some_and(|(block, best)| is_pair(block, best)) || is_pair(block + 1, best + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_copies_but_the_best_lose(
            blocks in prop::collection::vec((0u32..4, 0u32..2, 2u32..7, 0i8..5), 1..20),
        ) {
            let first = |text: u32| blocks.iter().position(|block| block.0 == text).unwrap() as u32;
            let texts: Vec<u32> = blocks.iter().map(|block| first(block.0)).collect();
            let groups: Vec<u32> = blocks.iter().map(|block| block.1).collect();
            let size = |words| BlockSize { words, same_pre: false };
            let sizes: Vec<BlockSize> = blocks.iter().map(|block| size(block.2)).collect();
            let own: Vec<f32> = blocks.iter().map(|block| f32::from(block.3)).collect();
            let mut scores = own.clone();
            Repeats::default().take((&texts, &groups), &sizes, 2.0, &mut scores);
            // Of equal ones the first.
            let best = |text: u32| {
                let copies = (0..blocks.len()).filter(|&at| blocks[at].0 == text);
                copies.max_by_key(|&at| (blocks[at].3, usize::MAX - at)).unwrap()
            };
            let pairs: Vec<(usize, usize)> = (0..blocks.len()).map(|at| (at, best(blocks[at].0))).collect();
            for &(at, best) in &pairs {
                let (_, group, words, score) = blocks[at];
                let is_beside = |&(other, of_other): &(usize, usize)| {
                    let is_next = (other + 1, of_other + 1) == (at, best) || (at + 1, best + 1) == (other, of_other);
                    other != of_other && is_next
                };
                let part = if pairs.iter().any(is_beside) { 2.0 } else { 1.0 };
                let list = if blocks[best].1 == group { 0.5 } else { 1.0 };
                let lost = if best == at || words < 4 { 0.0 } else { 2.0 * part * list };
                prop_assert_eq!(scores[at], f32::from(score) - lost, "{}", at);
            }
        }
    }
}
