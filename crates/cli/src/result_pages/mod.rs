//! Commands for result pages of the hidden web: tables of their elements, and decision trees over them.

mod features;
pub(crate) mod method;
mod saved_tree;
mod scores;
mod terms;
mod train;

pub(crate) use features::file as features;
pub(crate) use saved_tree::SavedTree;
pub(crate) use scores::TreeScores;
pub(crate) use terms::{check_terms, read_terms, terms_without_use};
pub(crate) use train::run as train;
