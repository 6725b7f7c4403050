//! Symmetric trees over a block's codes, whose values add up.
//!
//! All nodes of a level ask the same question: is a column's code at least so much? The answers are
//! the bits of a leaf's number. So a tree is a few comparisons of bytes, for many blocks at a time,
//! and one look-up a block. (Kohavi 1994 calls them oblivious; Prokhorenkova et al. 2018 boost them.)
//!
//! Beside the columns they see the page's kinds, a code a kind. They find what a sum over columns
//! can't say: which column matters where.

use gleaner_features::Columns;

use crate::content::sigmoid;
use crate::lanes::LANES;
use crate::simd::widest;

/// How many levels a tree has at most: a leaf's number is a byte.
pub(crate) const MAX_DEPTH: usize = 8;

/// How many trees there are at most.
pub(crate) const MAX_TREES: usize = 10_000;

/// Blocks that are gone through at a time.
const TILE: usize = 32;

/// Probabilities of kinds have so many codes.
const KIND_CODES: usize = 30;

/// Is the code of an input at least so much?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// A column; after the last one, a kind.
    pub(crate) input: u16,
    pub(crate) least: u8,
}

/// Trees that add up to log odds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trees {
    /// Levels of each tree, 1 to [`MAX_DEPTH`].
    pub(crate) depth: usize,
    /// How much their sum counts beside the score of the weights, 0 to 1.
    pub(crate) share: f32,
    /// Tree by tree, level by level.
    pub(crate) questions: Vec<Question>,
    /// Tree by tree, a value a leaf; bit `k` of a leaf's number is the answer at level `k`.
    pub(crate) leaves: Vec<f32>,
}

impl Trees {
    /// Trees of so many levels that say nothing.
    pub(crate) fn zero(count: usize, depth: usize, share: f32) -> Trees {
        Trees {
            depth,
            share,
            questions: vec![Question::default(); count * depth],
            leaves: vec![0.0; count << depth],
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.questions.len() / self.depth
    }

    /// Adds each block's sum over the trees to its score.
    pub(crate) fn add(&self, page: &Columns, kinds: &[f32; LANES], scores: &mut [f32]) {
        let kinds = kinds.map(kind_code);
        widest(
            #[inline(always)]
            || {
                let leaves = self.leaves.chunks_exact(1 << self.depth);
                for (questions, leaves) in self.questions.chunks_exact(self.depth).zip(leaves) {
                    add_tree(questions, leaves, page, &kinds, scores);
                }
            },
        );
    }
}

/// Tree by tree and not tile by tile: a tree's leaves then stay in the nearest cache.
#[inline(always)]
fn add_tree(questions: &[Question], leaves: &[f32], page: &Columns, kinds: &[u8; LANES], scores: &mut [f32]) {
    let mut columns = [&[][..]; MAX_DEPTH];
    let mut always = 0;
    for (level, (column, question)) in columns.iter_mut().zip(questions).enumerate() {
        let input = usize::from(question.input);
        match input.checked_sub(page.columns()) {
            None => *column = page.column(input),
            Some(kind) => always |= u8::from(kinds[kind] >= question.least) << level,
        }
    }
    for (tile, scores) in scores.chunks_mut(TILE).enumerate() {
        let mut numbers = [always; TILE];
        for (level, (column, question)) in columns.iter().zip(questions).enumerate() {
            if let Some(codes) = column.get(tile * TILE..) {
                answer(codes, question.least, 1 << level, &mut numbers);
            }
        }
        for (score, &number) in scores.iter_mut().zip(&numbers) {
            *score += leaves[usize::from(number)];
        }
    }
}

/// Sets a bit for each block whose code is at least so much.
#[inline(always)]
fn answer(codes: &[u8], least: u8, bit: u8, numbers: &mut [u8; TILE]) {
    match codes.first_chunk::<TILE>() {
        Some(codes) => {
            for (number, &code) in numbers.iter_mut().zip(codes) {
                *number |= if code >= least { bit } else { 0 };
            }
        }
        None => {
            for (number, &code) in numbers.iter_mut().zip(codes) {
                *number |= if code >= least { bit } else { 0 };
            }
        }
    }
}

/// The code of a kind's probability: how many steps of 0.4 its log odds are above -6.
pub(crate) fn kind_code(probability: f32) -> u8 {
    let limit = |step: usize| sigmoid(0.4 * step as f64 - 6.0) as f32;
    (0..KIND_CODES)
        .take_while(|&step| probability >= limit(step))
        .count() as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: one block, one tree, one question after the other.
    fn sum(trees: &Trees, codes: &[u8]) -> f32 {
        let tree = |tree: usize| {
            let questions = &trees.questions[tree * trees.depth..][..trees.depth];
            let answers = questions.iter().enumerate();
            let leaf: usize = answers
                .map(|(level, question)| {
                    usize::from(codes[usize::from(question.input)] >= question.least) << level
                })
                .sum();
            trees.leaves[(tree << trees.depth) + leaf]
        };
        (0..trees.count()).map(tree).sum()
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_definition(
            depth in 1usize..=MAX_DEPTH,
            questions in prop::collection::vec((0u16..7, 0u8..5), 8 * 3),
            codes in prop::collection::vec(prop::array::uniform4(0u8..5), 0..100),
            kinds in prop::array::uniform3(0f32..1.0),
        ) {
            let mut trees = Trees::zero(3, depth, 0.5);
            for (question, (input, least)) in trees.questions.iter_mut().zip(questions) {
                *question = Question { input, least: if input < 4 { least } else { least * 6 } };
            }
            trees.leaves.iter_mut().enumerate().for_each(|(place, leaf)| *leaf = place as f32);
            let mut page = Columns::default();
            page.reset(codes.len(), 4);
            for (block, codes) in codes.iter().enumerate() {
                codes.iter().enumerate().for_each(|(column, code)| page.column_mut(column)[block] = *code);
            }
            let mut all = [0.0; LANES];
            all[..3].copy_from_slice(&kinds);
            let mut scores = vec![0.0; codes.len()];
            trees.add(&page, &all, &mut scores);
            for (found, codes) in scores.iter().zip(&codes) {
                let inputs: Vec<u8> = codes.iter().copied().chain(kinds.map(kind_code)).collect();
                prop_assert_eq!(*found, sum(&trees, &inputs));
            }
        }
    }

    #[test]
    fn kinds_have_the_codes_of_their_log_odds() {
        let codes = [0.0, 0.001, 0.003, 0.5, 0.5001, 0.9, 1.0].map(kind_code);
        assert_eq!(codes, [0, 0, 1, 16, 16, 21, 30]);
    }
}
