//! Pages of the hidden web: the six columns of Lutz and Heuser, and trees that tell noise by them.

mod features;
mod judge;
mod rows;
mod scores;
mod terms;
mod train;

pub(crate) use features::{file as features, is_gold};
pub(crate) use judge::{CLASSES, Confusion, PageElements, TreeJudge};
pub(crate) use scores::TreeScores;
pub(crate) use terms::Terms;
pub(crate) use train::run as train;
