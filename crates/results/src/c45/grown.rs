//! The nodes of a tree while it is trained.

use super::counts::{ClassCounts, WeightedRow};
use super::split::Test;

/// A node of a growing tree, with its rows.
#[derive(Clone, Debug)]
pub(crate) struct Grown {
    pub(crate) rows: Vec<WeightedRow>,
    pub(crate) counts: ClassCounts,
    /// None in a leaf.
    pub(crate) test: Option<Test>,
    pub(crate) branches: Vec<Grown>,
    /// Whether the node has no rows.
    pub(crate) is_empty: bool,
}
