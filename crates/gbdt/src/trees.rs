//! Trees over a block's codes, whose values add up: what a model has of them.
//!
//! A tree is grown leaf by leaf: each of its splits asks the blocks of one leaf whether a column's code is at least a
//! threshold, and those that say yes move on to a new leaf. So the splits in their order are a tree, and blocks that go
//! through them by the dozens need no jumps. How pages are asked is in [`forest`](crate::forest).
//!
//! Beside the columns they see codes that all blocks of the page share. They find what a sum over columns can't say: which
//! column matters where.

/// Maximum leaves per tree: as many as a vector has bytes.
pub const MAX_LEAVES: usize = 64;

/// Maximum trees.
pub const MAX_TREES: usize = 10_000;

/// A value a leaf, then zeros: as many as there may be.
pub type Leaves = [f32; MAX_LEAVES];

/// Whether the code of an input is at least the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// A column; after the last one, a code that all blocks of the page share.
    pub input: u16,
    /// The lowest code of those who say yes.
    pub threshold: u8,
}

impl Question {
    /// The question that no block says yes to: there are fewer codes than that.
    pub const NOTHING: Question = Question {
        input: 0,
        threshold: u8::MAX,
    };
}

/// The blocks of a leaf that say yes to a question move on to a new leaf, whose number is one more than the split's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// What the blocks of the leaf are asked.
    pub question: Question,
    /// The leaf.
    pub leaf: u8,
}

impl Split {
    /// The split that leaves all blocks where they are.
    pub const NOTHING: Split = Split {
        question: Question::NOTHING,
        leaf: 0,
    };
}

/// Trees that add up to log odds.
#[derive(Clone, Debug, PartialEq)]
pub struct Trees {
    /// Leaves of each tree, 2 to [`MAX_LEAVES`].
    pub width: usize,
    /// How much their sum counts beside the score of the weights, 0 to 1.
    pub share: f32,
    /// Tree by tree, in the order of their leaves; one less than there are leaves.
    pub splits: Vec<Split>,
    /// What the leaves of each tree add.
    pub leaves: Vec<Leaves>,
}

impl Trees {
    /// `count` trees of `width` leaves, all with the value 0.
    pub fn zero(count: usize, width: usize, share: f32) -> Trees {
        Trees {
            width,
            share,
            splits: vec![Split::NOTHING; count * (width - 1)],
            leaves: vec![[0.0; MAX_LEAVES]; count],
        }
    }

    /// How many trees there are.
    pub fn count(&self) -> usize {
        self.leaves.len()
    }
}
