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
    /// equal ones; half of it where a block is of the same group as that one, for the items of a list may say the same.
    /// Without texts nothing is repeated.
    pub(crate) fn take(
        &mut self,
        (texts, groups): (&[u32], &[u32]),
        blocks: &[BlockSize],
        cost: f32,
        scores: &mut [f32],
    ) {
        self.0.clear();
        self.0.extend_from_slice(texts);
        for (block, &text) in texts.iter().enumerate() {
            let best = &mut self.0[text as usize];
            if scores[block] > scores[*best as usize] {
                *best = block as u32;
            }
        }
        for (block, (&text, size)) in texts.iter().zip(blocks).enumerate() {
            let best = self.0[text as usize] as usize;
            if best != block && size.words >= LEAST_WORDS {
                let is_alike = groups.get(block).is_some_and(|own| groups.get(best) == Some(own));
                scores[block] -= if is_alike { cost / 2.0 } else { cost };
            }
        }
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
            for (at, &(text, group, words, score)) in blocks.iter().enumerate() {
                let copies = blocks.iter().enumerate().filter(|(_, block)| block.0 == text);
                // Of equal ones the first.
                let (best, _) = copies.max_by_key(|(at, block)| (block.3, usize::MAX - at)).unwrap();
                let lost = match best == at || words < 4 {
                    true => 0.0,
                    false if blocks[best].1 == group => 1.0,
                    false => 2.0,
                };
                prop_assert_eq!(scores[at], f32::from(score) - lost, "{}", at);
            }
        }
    }
}
