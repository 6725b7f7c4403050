//! The chunks of the label phase, and what their readers share.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Epoch;
use crate::chunks::{self, Chunk};
use crate::cluster::Share;
use crate::error::Error;
use crate::evidence::SharedEvidence;
use crate::ledger::Ledger;
use crate::parts::Parts;
use crate::runs::Runs;

/// Chunks that are labelled, and the pages that wait for it.
pub(crate) struct Labelling {
    pub(crate) chunks: Vec<Chunk>,
    /// Units that are labelled and written.
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) pages: Runs,
    pub(crate) notes: Runs,
    pub(crate) shared: SharedEvidence,
}

impl Labelling {
    /// Cuts all pages that are read into chunks, but for those that are done.
    pub(crate) fn plan(
        parts: &Parts,
        done: &ChunksDone,
        share: &Share,
        chunk_size: u64,
        window: u32,
    ) -> Result<Labelling, Error> {
        let (pages, notes) = parts.runs()?;
        let chunks = chunks::cut(&pages.runs, chunk_size);
        let is_open = |number: Epoch| !done.contains(&number);
        let sizes = (0..).zip(&chunks);
        let sizes: Vec<Option<u64>> = sizes
            .map(|(number, chunk)| is_open(number).then(|| chunk.bytes()))
            .collect();
        // Of a row of chunks a process reads each run once, from one end to the other.
        let own = share.row_of(&sizes);
        let units = chunks.iter().map(|chunk| chunk.units.len() as u32);
        let ledger = Ledger::new(units, window, |number, _| !own[number as usize]);
        Ok(Labelling {
            ledger: Arc::new(ledger),
            chunks,
            pages,
            notes,
            shared: SharedEvidence::default(),
        })
    }

    /// What there is to do, in steps of progress.
    pub(crate) fn steps(&self) -> u64 {
        let chunks = (0..).zip(&self.chunks);
        let open = chunks.filter(|(number, _)| self.ledger.is_open(*number));
        open.flat_map(|(_, chunk)| &chunk.units)
            .map(|unit| unit.bytes.max(1))
            .sum()
    }
}

/// What is done of the chunks of an earlier run.
pub(crate) type ChunksDone = BTreeSet<Epoch>;
