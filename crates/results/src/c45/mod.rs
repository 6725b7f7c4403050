//! Decision trees by C4.5: training, pruning, scores, and trees as text and as TOML.

mod counts;
mod estimate;
mod grow;
mod grown;
mod prune;
mod sample;
mod save;
mod score;
mod show;
mod split;
mod table;
mod tree;

pub use grow::{Config, train};
pub use sample::split_rows;
pub use score::{ClassScore, Scores};
pub use table::{Attribute, Kind, Table};
pub use tree::Tree;
