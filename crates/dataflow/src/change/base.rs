//! The version that a change begins with.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_corpus::{Arguments, ChunkEntry, Corpus, Crawl, KeptKind, Manifest};
use gleaner_store::Output;
use serde::de::DeserializeOwned;

use crate::data::input_line::InputLine;
use crate::data::key::{KeyRange, after, begins_crawl, crawl_prefix, surt_of};
use crate::error::Error;
use crate::sorted_runs::{Landmark, Merge, Run, RunOpener, Runs};
use crate::staging::staged_file::{StagedFile, UnitFile};
use crate::state::unit_state::UnitState;
use crate::state::written::{UnitPlace, WrittenChunk, WrittenUnit};

/// The version that a change begins with.
#[derive(Debug, Default)]
pub(crate) struct Base {
    output: Option<Output>,
    pub(crate) inputs: Vec<InputLine>,
    /// By key.
    pub(crate) chunks: Vec<WrittenChunk>,
    /// All units, by key.
    pub(crate) units: Vec<BaseUnit>,
}

/// A unit of it.
#[derive(Clone, Debug)]
pub(crate) struct BaseUnit {
    pub(crate) keys: KeyRange,
    /// The number of its chunk, and its number there.
    pub(crate) place: UnitPlace,
    pub(crate) file: UnitFile,
    pub(crate) bytes: u64,
}

impl Base {
    /// Reads the lists of a version. Waits for the store.
    pub(crate) fn read(output: &Output, arguments: &Arguments) -> Result<Base, Error> {
        let inputs = Corpus::kept(output, KeptKind::Inputs, &arguments.inputs)?;
        let manifest: Manifest = kept(output, KeptKind::Manifest, &arguments.manifest)?;
        let mut base = Base {
            output: Some(output.clone()),
            inputs: InputLine::read(&inputs)?,
            ..Base::default()
        };
        for chunk in &manifest.chunks {
            let entry: ChunkEntry = kept(output, KeptKind::Chunks, &chunk.entry)?;
            let crawl = chunk.crawl.as_deref().map(Crawl::new).transpose();
            base.push(WrittenChunk::of_entry(crawl.map_err(|_| Error::Damaged)?, entry)?);
        }
        Ok(base)
    }

    /// Forgets all pages: they are read again.
    pub(crate) fn forget_pages(&mut self) {
        self.chunks.clear();
        self.units.clear();
    }

    fn push(&mut self, chunk: WrittenChunk) {
        let number = self.chunks.len();
        for (
            unit,
            WrittenUnit {
                start, state, bytes, ..
            },
        ) in chunk.units.iter().enumerate()
        {
            let start = start.as_bytes();
            let prefix = crawl_prefix(chunk.crawl.as_ref());
            // A unit ends where the next of its crawl begins.
            if let Some(last) = self
                .units
                .last_mut()
                .filter(|last| last.keys.end == after(&prefix))
            {
                last.keys.end = start.to_vec();
            }
            self.units.push(BaseUnit {
                keys: start.to_vec()..after(&prefix),
                place: UnitPlace { chunk: number, unit },
                file: *state,
                bytes: *bytes,
            });
        }
        self.chunks.push(chunk);
    }

    /// Its pages and its notes, a run each, with the landmarks at which its units begin.
    pub(crate) fn runs(&self) -> [Run; 2] {
        [0, 1].map(|kind| {
            let opened = self.units.iter().filter_map(|unit| {
                let (output, file, bytes) = (self.output.clone()?, unit.file, unit.bytes);
                let open = move || {
                    let place = UnitState::open(&output, file, bytes)?
                        .records()
                        .ok_or(Error::Damaged)?[kind];
                    Ok(place.of(StagedFile::Unit(file)))
                };
                Some((unit.keys.start.clone().into(), RunOpener::new(open)))
            });
            Run::of_runs(opened)
        })
    }

    /// Pages of which the first run are its own, with the SURTs of that run at which units may begin: those of its units, but for the units
    /// `without_start`, and the first of each crawl, which begins no unit as long as it is the first.
    pub(crate) fn with_landmarks(
        &self,
        pages: &Runs,
        without_start: &BTreeSet<usize>,
    ) -> Result<Runs, Error> {
        let own = Runs {
            runs: pages.runs[..1].into(),
            ..pages.clone()
        };
        let mut landmarks = Vec::new();
        let mut before = 0;
        for (number, unit) in self.units.iter().enumerate() {
            let mut push = |surt: &[u8]| {
                landmarks.push(Landmark {
                    surt: surt.into(),
                    before,
                })
            };
            if !without_start.contains(&number) {
                push(&unit.keys.start);
            }
            if begins_crawl(&unit.keys.start) {
                let mut pages = Merge::new(&own, &unit.keys.start, &unit.keys.end)?;
                pages.peek()?.into_iter().for_each(|first| push(surt_of(first)));
            }
            before += unit.bytes;
        }
        let run = pages.runs[0].with_landmarks(landmarks, before);
        let others = pages.runs[1..].iter().cloned();
        Ok(Runs {
            runs: [Arc::new(run)].into_iter().chain(others).collect(),
            ..pages.clone()
        })
    }

    /// The numbers of the units that have keys of a range.
    pub(crate) fn units_of(&self, keys: &KeyRange) -> std::ops::Range<usize> {
        let begin = self
            .units
            .partition_point(|unit| unit.keys.end <= keys.start && !unit.keys.end.is_empty());
        let end = self
            .units
            .partition_point(|unit| keys.end.is_empty() || unit.keys.start < keys.end);
        begin..end.max(begin)
    }

    /// The unit of these keys, if there is one.
    pub(crate) fn unit_with(&self, keys: &KeyRange) -> Option<usize> {
        let number = self.units.partition_point(|unit| unit.keys.start < keys.start);
        self.units
            .get(number)
            .filter(|unit| unit.keys == *keys)
            .map(|_| number)
    }

    pub(crate) fn written(&self, place: UnitPlace) -> &WrittenUnit {
        &self.chunks[place.chunk].units[place.unit]
    }

    /// Its crawls, by key: how the keys of each begin.
    pub(crate) fn prefixes(&self) -> Vec<Vec<u8>> {
        let mut prefixes: Vec<Vec<u8>> = self
            .chunks
            .iter()
            .map(|chunk| crawl_prefix(chunk.crawl.as_ref()))
            .collect();
        prefixes.dedup();
        prefixes
    }
}

fn kept<T: DeserializeOwned>(output: &Output, kind: KeptKind, digest: &str) -> Result<T, Error> {
    let bytes = Corpus::kept(output, kind, digest)?;
    serde_json::from_slice(&bytes).map_err(|_| Error::Damaged)
}
