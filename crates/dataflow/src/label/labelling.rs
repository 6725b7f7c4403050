//! What the workers of the step `label` share: the chunks, the records of their pages, and the evidence of sites.

use std::collections::BTreeSet;

use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::cut::{Chunk, cut_crawls};
use crate::label::difference;
use crate::label::evidence::{EvidenceFinder, SharedEvidence};
use crate::plan::input::Input;
use crate::settings::Settings;
use crate::sorted_runs::Runs;
use crate::state::Durable;

/// Chunks that are labelled, and the records of their pages.
pub(crate) struct Labelling {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) pages: Runs,
    pub(crate) notes: Runs,
    /// Finds the evidence of sites; none where pages are labelled by themselves.
    pub(crate) finder: Option<EvidenceFinder>,
    pub(crate) shared: SharedEvidence,
}

impl Labelling {
    /// Cuts all pages into chunks: those that are read, and those of the version before. Units of that which stay as they are are
    /// marked, and chunks of such units are done.
    pub(crate) fn plan(settings: &Settings, durable: &Durable, input: &Input) -> Result<Labelling, Error> {
        let new = durable.waiting(&input.plan)?;
        let finder = EvidenceFinder::of(settings.site_sample, settings.blocks);
        let crawls: BTreeSet<Vec<u8>> = input.prefixes.iter().cloned().collect();
        let ([pages, notes], chunks) = match &durable.change {
            None => {
                let chunks = cut_crawls(crawls, &new[0], settings.chunk_size)?;
                (new, chunks)
            }
            Some(change) => {
                let cutting = (settings.site, settings.chunk_size);
                let planned =
                    difference::plan(change, &durable.staging, &new, crawls, finder.as_ref(), cutting)?;
                let kept = planned.chunks.iter().map(Chunk::kept_units);
                change.found(planned.removed, &kept.collect::<Vec<_>>());
                (planned.records, planned.chunks)
            }
        };
        Ok(Labelling {
            chunks,
            pages,
            notes,
            finder,
            shared: SharedEvidence::default(),
        })
    }

    /// The chunks that are not written, in order.
    pub(crate) fn tasks(&self, durable: &Durable) -> Vec<Epoch> {
        let written = durable.written();
        let chunks = 0..self.chunks.len() as Epoch;
        chunks.filter(|chunk| !written.contains_key(chunk)).collect()
    }

    /// What there is to do in some chunks, in steps of progress.
    pub(crate) fn steps(&self, chunks: &[Epoch]) -> u64 {
        let units = chunks
            .iter()
            .flat_map(|&chunk| &self.chunks[chunk as usize].units);
        units.map(|unit| unit.steps()).sum()
    }
}
