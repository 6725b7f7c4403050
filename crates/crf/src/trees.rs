//! Trees over a block's codes, whose values add up: what a model has of them.
//!
//! A tree is grown leaf by leaf: each of its splits asks the blocks of one leaf whether a column's code is at least so
//! much, and those that say yes move on to a new leaf. So the splits in their order are a tree, and blocks that go
//! through them by the dozens need no jumps. How pages are asked is in [`forest`](crate::forest).
//!
//! Beside the columns they see the page's kinds, a code a kind. They find what a sum over columns can't say: which column
//! matters where.

use crate::content::sigmoid;

/// How many leaves a tree has at most: as many as a vector has bytes.
pub(crate) const MAX_LEAVES: usize = 64;

/// How many trees there are at most.
pub(crate) const MAX_TREES: usize = 10_000;

/// A value a leaf, then zeros: as many as there may be.
pub(crate) type Leaves = [f32; MAX_LEAVES];

/// Probabilities of kinds have so many codes.
const KIND_CODES: usize = 30;

/// Is the code of an input at least so much?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Question {
    /// A column; after the last one, a kind.
    pub(crate) input: u16,
    pub(crate) least: u8,
}

impl Question {
    /// The question that no block says yes to: there are fewer codes than that.
    pub(crate) const NOTHING: Question = Question {
        input: 0,
        least: u8::MAX,
    };
}

/// The blocks of a leaf that say yes to a question move on to a new leaf, whose number is one more than the split's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) question: Question,
    pub(crate) leaf: u8,
}

impl Split {
    pub(crate) const NOTHING: Split = Split {
        question: Question::NOTHING,
        leaf: 0,
    };
}

/// Trees that add up to log odds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trees {
    /// Leaves of each tree, 2 to [`MAX_LEAVES`].
    pub(crate) width: usize,
    /// How much their sum counts beside the score of the weights, 0 to 1.
    pub(crate) share: f32,
    /// Tree by tree, in the order of their leaves; one less than there are leaves.
    pub(crate) splits: Vec<Split>,
    pub(crate) leaves: Vec<Leaves>,
}

impl Trees {
    /// Trees of so many leaves that say nothing.
    pub(crate) fn zero(count: usize, width: usize, share: f32) -> Trees {
        Trees {
            width,
            share,
            splits: vec![Split::NOTHING; count * (width - 1)],
            leaves: vec![[0.0; MAX_LEAVES]; count],
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
