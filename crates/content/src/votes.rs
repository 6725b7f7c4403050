//! How many words of a page have each code of a column.

use std::mem::take;

use crate::BlockSize;
use crate::mixture::CODES;

/// How much blocks count for their page, and the codes of the column at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Votes {
    of_blocks: Vec<u64>,
    /// Those of the blocks before, for each block and for the page's end.
    before: Vec<u64>,
    /// Of every second block, and of the others.
    of_codes: [CodeCounts; 2],
}

/// A number a code.
#[derive(Clone, Debug)]
struct CodeCounts([u64; CODES]);

impl Default for CodeCounts {
    fn default() -> CodeCounts {
        CodeCounts([0; CODES])
    }
}

impl Votes {
    /// Counts them; says how many there are.
    pub(crate) fn count(&mut self, blocks: &[BlockSize]) -> u64 {
        self.of_blocks.clear();
        self.before.clear();
        let mut total = 0;
        for block in blocks {
            let votes = u64::from(block.words) + 1;
            self.of_blocks.push(votes);
            self.before.push(total);
            total += votes;
        }
        self.before.push(total);
        total
    }

    /// Counts the votes of each code of a column that keeps its codes for long.
    #[inline(always)]
    pub(crate) fn count_runs(&mut self, codes: &[u8], places: &[u32]) {
        let end = codes.len();
        let mut first = 0;
        for place in places.iter().map(|&place| place as usize).chain([end]) {
            self.of_codes[0].0[usize::from(codes[first])] += self.before[place] - self.before[first];
            first = place;
        }
    }

    /// The same of another column, in turns, so that one block does not wait for the other where both have the same code.
    #[inline(always)]
    pub(crate) fn count_blocks(&mut self, codes: &[u8]) {
        let [even, odd] = &mut self.of_codes;
        let codes = codes.as_chunks::<8>();
        let votes = self.of_blocks.as_chunks::<8>();
        for (codes, votes) in codes.0.iter().zip(votes.0) {
            for place in [0, 2, 4, 6] {
                even.0[usize::from(codes[place])] += votes[place];
                odd.0[usize::from(codes[place + 1])] += votes[place + 1];
            }
        }
        for (&code, votes) in codes.1.iter().zip(votes.1) {
            even.0[usize::from(code)] += votes;
        }
    }

    /// The votes of each code that were counted, which are forgotten.
    #[inline(always)]
    pub(crate) fn take_codes(&mut self) -> impl Iterator<Item = u64> + '_ {
        let [even, odd] = &mut self.of_codes;
        let both = even.0.iter_mut().zip(&mut odd.0);
        both.map(
            #[inline(always)]
            |(even, odd)| take(even) + take(odd),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_code_has_the_votes_of_its_blocks(
            pages in prop::collection::vec(prop::collection::vec((any::<u8>(), 0u32..100_000), 0..200), 1..4),
            codes in 1u8..=255,
        ) {
            let mut votes = Votes::default();
            for page in pages {
                let size = |&(_, words): &(u8, u32)| BlockSize { words, with_before: false };
                let blocks: Vec<BlockSize> = page.iter().map(size).collect();
                let codes: Vec<u8> = page.iter().map(|&(code, _)| code % codes).collect();
                let mut expected = vec![0; CODES];
                for (&code, (_, words)) in codes.iter().zip(&page) {
                    expected[usize::from(code)] += u64::from(*words) + 1;
                }
                prop_assert_eq!(votes.count(&blocks), expected.iter().sum::<u64>());
                votes.count_blocks(&codes);
                prop_assert_eq!(votes.take_codes().collect::<Vec<_>>(), expected.clone());
                let changes = (1..codes.len()).filter(|&place| codes[place] != codes[place - 1]);
                let places: Vec<u32> = changes.map(|place| place as u32).collect();
                if !codes.is_empty() {
                    votes.count_runs(&codes, &places);
                    prop_assert_eq!(votes.take_codes().collect::<Vec<_>>(), expected);
                }
            }
        }
    }
}
