//! What of a build outlives its process: what is read, sorted and written, in files of the output.

pub(crate) mod deal;
pub(crate) mod done;
pub(crate) mod groups;
pub(crate) mod journal;
pub(crate) mod missing_files;
pub(crate) mod parts;
pub(crate) mod publish;
pub(crate) mod share;
pub(crate) mod written;

use std::collections::BTreeSet;

use gleaner_corpus::Corpus;

use crate::epoch::Epoch;
use groups::Groups;
use journal::Journal;
use parts::Parts;
use publish::Publisher;
use share::Share;

/// What of a build outlives its process.
pub(crate) struct Durable {
    pub(crate) corpus: Corpus,
    pub(crate) journal: Journal,
    pub(crate) publisher: Publisher,
    /// Pages that are read and wait.
    pub(crate) parts: Parts,
    pub(crate) groups: Groups,
    /// Chunks that earlier runs have written.
    pub(crate) chunks_done: BTreeSet<Epoch>,
    pub(crate) share: Share,
}
