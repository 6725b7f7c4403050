//! The chunks of the label phase, and what their readers share.

use std::sync::Arc;

use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::chunks::{self, Chunk};
use crate::label::evidence::{EvidenceFinder, SharedEvidence};
use crate::settings::Settings;
use crate::sorted_runs::Runs;
use crate::state::Durable;
use crate::work::ledger::Ledger;

/// Chunks that are labelled, and the pages that wait for it.
pub(crate) struct Labelling {
    pub(crate) chunks: Vec<Chunk>,
    /// Units that are labelled and written.
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) pages: Runs,
    pub(crate) notes: Runs,
    /// Finds the evidence of sites; none where pages are labelled by themselves.
    pub(crate) finder: Option<EvidenceFinder>,
    pub(crate) shared: SharedEvidence,
}

impl Labelling {
    /// Cuts all pages that are read into chunks, but for those that are done.
    pub(crate) fn plan(settings: &Settings, durable: &Durable) -> Result<Labelling, Error> {
        let (pages, notes) = durable.parts.runs()?;
        let chunks = chunks::cut(&pages.runs, settings.chunk_size);
        let is_open = |number: Epoch| !durable.chunks_done.contains(&number);
        let sizes = (0..).zip(&chunks);
        let sizes: Vec<Option<u64>> = sizes
            .map(|(number, chunk)| is_open(number).then(|| chunk.bytes()))
            .collect();
        // Of a row of chunks a process reads each run once, from one end to the other.
        let own = durable.share.row_of(&sizes);
        let units = chunks.iter().map(|chunk| chunk.units.len() as u32);
        let ledger = Ledger::new(units, settings.window, |number, _| !own[number as usize]);
        Ok(Labelling {
            ledger: Arc::new(ledger),
            chunks,
            pages,
            notes,
            finder: settings
                .site_sample
                .map(|sample| EvidenceFinder::new(sample, settings.blocks)),
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
