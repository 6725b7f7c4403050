//! Symmetric trees over a block's codes, whose values add up: what a model has of them.
//!
//! All nodes of a level ask the same question: is a column's code at least so much? The answers are
//! the bits of a leaf's number. So a tree is a few comparisons of bytes, for many blocks at a time,
//! and one look-up a block. (Kohavi 1994 calls them oblivious; Prokhorenkova et al. 2018 boost them.)
//! How pages are asked is in [`forest`](crate::forest).
//!
//! Beside the columns they see the page's kinds, a code a kind. They find what a sum over columns
//! can't say: which column matters where.

use crate::content::sigmoid;

/// How many levels a tree has at most: a leaf's number is a byte.
pub(crate) const MAX_DEPTH: usize = 8;

/// How many trees there are at most.
pub(crate) const MAX_TREES: usize = 10_000;

/// A value a leaf, then zeros: as many as there are numbers, so that none needs to be checked.
pub(crate) type Leaves = [f32; 1 << MAX_DEPTH];

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
    /// Tree by tree; bit `k` of a leaf's number is the answer at level `k`.
    pub(crate) leaves: Vec<Leaves>,
}

impl Trees {
    /// Trees of so many levels that say nothing.
    pub(crate) fn zero(count: usize, depth: usize, share: f32) -> Trees {
        Trees {
            depth,
            share,
            questions: vec![Question::default(); count * depth],
            leaves: vec![[0.0; 1 << MAX_DEPTH]; count],
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.leaves.len()
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
    use super::*;

    #[test]
    fn kinds_have_the_codes_of_their_log_odds() {
        let codes = [0.0, 0.001, 0.003, 0.5, 0.5001, 0.9, 1.0].map(kind_code);
        assert_eq!(codes, [0, 0, 1, 16, 16, 21, 30]);
    }
}
