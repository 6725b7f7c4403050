//! A linear-chain conditional random field over columns of small integers.
//!
//! In: the columns of a page's blocks ([`gleaner_columns::Columns`]). Out: the probability of each label of each block. Labels
//! are numbers here, at most [`LANES`] of them.
//!
//! A block's labels have a score each, which is a sum of weights looked up in [`Tables`]: one table a
//! column and offset, one row a code. A sequence of labels has the sum of its blocks' scores and of
//! its label bigrams', and a probability in proportion to the exponential of that (Lafferty,
//! McCallum and Pereira 2001): see [`Chain`]. [`train()`] finds the weights.
//!
//! Scores cost a row of additions a block, column and offset (in columns whose codes seldom change, only where they do),
//! probabilities arithmetic in the square of the number of labels a block. An evaluation of the training objective costs about
//! twice that. Training takes 32 bytes a block beside the columns, and some twenty vectors of eight bytes a weight.

mod chain;
mod error;
mod lanes;
pub mod lbfgs;
mod scores;
mod template;
mod train;

pub use chain::{Chain, Lattice, Wide};
pub use error::Error;
pub use lanes::{LANES, Row, argmax};
pub use scores::{Scores, Tables};
pub use template::{Attribute, MAX_ATTRIBUTES, MAX_OFFSET, Strip, Template, TemplateConfig};
pub use train::{ChainConfig, ChainWeights, Iteration, PageWeight, TrainingPage, train};
