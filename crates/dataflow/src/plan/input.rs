//! The input of a build, and how it is cut.

use gleaner_corpus::Unread;
use gleaner_store::{Shard, Store};

use crate::plan::Plan;
use crate::plan::formats::Formats;

/// The input of a build, and how it is cut.
pub(crate) struct Input {
    pub(crate) store: Store,
    pub(crate) shards: Vec<Shard>,
    pub(crate) formats: Formats,
    pub(crate) plan: Plan,
    /// Inputs that could not even be listed.
    pub(crate) unlisted: Vec<Unread>,
}
