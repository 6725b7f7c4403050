//! What the workers of the step `label` share: the chunks, the pages that wait, and the evidence of sites.

use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::cut::{self, Chunk};
use crate::label::evidence::{EvidenceFinder, SharedEvidence};
use crate::plan::Plan;
use crate::settings::Settings;
use crate::sorted_runs::Runs;
use crate::state::Durable;

/// Chunks that are labelled, and the pages that wait for it.
pub(crate) struct Labelling {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) pages: Runs,
    pub(crate) notes: Runs,
    /// Finds the evidence of sites; none where pages are labelled by themselves.
    pub(crate) finder: Option<EvidenceFinder>,
    pub(crate) shared: SharedEvidence,
}

impl Labelling {
    /// Cuts all pages that are read into chunks.
    pub(crate) fn plan(settings: &Settings, durable: &Durable, plan: &Plan) -> Result<Labelling, Error> {
        let [pages, notes] = durable.waiting(plan)?;
        Ok(Labelling {
            chunks: cut::cut(&pages.runs, settings.chunk_size),
            pages,
            notes,
            finder: settings
                .site_sample
                .map(|sample| EvidenceFinder::new(sample, settings.blocks)),
            shared: SharedEvidence::default(),
        })
    }

    /// The chunks that are not written, in order.
    pub(crate) fn tasks(&self, durable: &Durable) -> Vec<Epoch> {
        let done = durable.done.lock();
        let chunks = 0..self.chunks.len() as Epoch;
        chunks.filter(|chunk| !done.written.contains_key(chunk)).collect()
    }

    /// What there is to do in some chunks, in steps of progress.
    pub(crate) fn steps(&self, chunks: &[Epoch]) -> u64 {
        let units = chunks
            .iter()
            .flat_map(|&chunk| &self.chunks[chunk as usize].units);
        units.map(|unit| unit.bytes.max(1)).sum()
    }
}
