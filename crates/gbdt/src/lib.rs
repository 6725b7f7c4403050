//! Gradient boosted trees over columns of small integers: training and fast evaluation.
//!
//! In: the columns of a page's blocks ([`gleaner_columns::Columns`]) and codes that all its blocks share. Out: a sum over
//! the trees for each block, which is a score on the scale of log odds. [`boost`] and [`boost_labels`] grow [`Trees`], a
//! [`Forest`] evaluates them, and [`Shapley`]
//! gives what each input adds. What the vectors of a processor do for trees is done here, and nowhere else.

mod boost;
mod forest;
mod shapley;
mod trees;

pub use boost::{Blocks, LabelBlocks, TreesConfig, boost, boost_labels};
pub use forest::{Forest, Scratch};
pub use shapley::{Contributions, Shapley};
pub use trees::{Leaves, MAX_LEAVES, MAX_TREES, Question, Split, Trees};
