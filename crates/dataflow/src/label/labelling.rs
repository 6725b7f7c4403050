//! What the workers of the step `label` share: the chunks, the pages that wait, and the evidence of sites.

use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::cut::{self, Chunk, Cut};
use crate::label::evidence::{EvidenceFinder, SharedEvidence};
use crate::settings::Settings;
use crate::sorted_runs::Runs;
use crate::state::Durable;

/// Chunks that are labelled, and the pages that wait for it.
pub(crate) struct Labelling {
    pub(crate) chunks: Vec<Chunk>,
    /// Which chunks are for this process to label.
    own: Vec<bool>,
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
        let chunks = cut::cut(&pages.runs, Cut::new(settings.chunk_size));
        let is_open = |number: Epoch| !durable.chunks_done.contains(&number);
        let sizes = (0..).zip(&chunks);
        let sizes: Vec<Option<u64>> = sizes
            .map(|(number, chunk)| is_open(number).then(|| chunk.bytes()))
            .collect();
        Ok(Labelling {
            // Of a row of chunks a process reads each run once, from one end to the other.
            own: durable.share.row_of(&sizes),
            chunks,
            pages,
            notes,
            finder: settings
                .site_sample
                .map(|sample| EvidenceFinder::new(sample, settings.blocks)),
            shared: SharedEvidence::default(),
        })
    }

    /// The chunks that are for this process to label.
    pub(crate) fn own(&self) -> impl Iterator<Item = Epoch> {
        (0..)
            .zip(&self.own)
            .filter(|(_, is_own)| **is_own)
            .map(|(number, _)| number)
    }

    /// What there is to do, in steps of progress.
    pub(crate) fn steps(&self) -> u64 {
        let units = self.own().flat_map(|chunk| &self.chunks[chunk as usize].units);
        units.map(|unit| unit.bytes.max(1)).sum()
    }
}
