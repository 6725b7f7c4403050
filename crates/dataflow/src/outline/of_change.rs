//! What a change would do, before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_corpus::{Crawl, Rule};
use gleaner_store::Output;
use serde::Serialize;

use crate::change::Change;
use crate::change::config::ChangeConfig;
use crate::data::archive_read::add_counts;
use crate::data::key::SiteOf;
use crate::error::Error;
use crate::label::difference;
use crate::label::evidence::EvidenceFinder;
use crate::sorted_runs::Runs;
use crate::staging::Staging;

/// What a change would do with the archives and pages that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeOutline {
    /// Units that would be labelled, and those that would stay as they are.
    pub units_labelled: u64,
    /// Units that would stay as they are.
    pub units_kept: u64,
    /// Chunks that would be written, a file in each table of pages.
    pub chunks_written: u64,
    /// Chunks that would stay as they are.
    pub chunks_kept: u64,
    /// About how many bytes of tables and state would be written.
    pub bytes_written: u64,
    /// Pages and rejects in the units that would be labelled.
    pub records_labelled: u64,
    /// Captures that rules would leave out, by rule.
    pub left_out: BTreeMap<String, u64>,
}

/// The settings of a corpus that decide which of its units a change touches.
#[derive(Clone, Copy, Debug)]
pub struct OutlineSettings {
    /// Which pages are of one site.
    pub site: SiteOf,
    /// Pages of a sample; none where pages are labelled by themselves.
    pub site_sample: Option<usize>,
    /// Pages of a chunk, on the average.
    pub chunk_size: u64,
}

/// Finds what a change would do, without the archives that it reads. Nothing is written. Waits for the store.
///
/// # Errors
/// The corpus cannot be read.
pub fn change_outline(
    output: &Output,
    config: ChangeConfig,
    rules: &[Rule],
    settings: OutlineSettings,
) -> Result<ChangeOutline, Error> {
    let is_labelled = config.base.identity.options.contains_key(Crawl::COLUMN);
    let change = Change::open(output, config, rules, is_labelled)?;
    let OutlineSettings {
        site,
        site_sample,
        chunk_size,
    } = settings;
    let staging = Arc::new(Staging::new(output));
    let finder = EvidenceFinder::of(site_sample, false);
    let none = || Runs::new(&staging, Vec::new());
    let planned = difference::plan(
        &change,
        &staging,
        &[none(), none()],
        BTreeSet::new(),
        finder.as_ref(),
        (site, chunk_size),
    )?;
    let mut outline = ChangeOutline::default();
    for counts in planned.removed.left_out.values() {
        add_counts(&mut outline.left_out, counts);
    }
    for chunk in &planned.chunks {
        match change.kept_chunk(&chunk.kept_units()) {
            Some(_) => outline.chunks_kept += 1,
            None => outline.chunks_written += 1,
        }
        for unit in &chunk.units {
            outline.units_kept += u64::from(unit.kept.is_some());
            outline.units_labelled += u64::from(unit.kept.is_none());
        }
    }
    let dirty = planned
        .chunks
        .iter()
        .filter(|chunk| change.kept_chunk(&chunk.kept_units()).is_none());
    let dirty: Vec<_> = dirty.flat_map(|chunk| &chunk.units).collect();
    let mut chunks = BTreeSet::new();
    for unit in dirty {
        for old in change.base.units_of(&unit.keys) {
            let old = &change.base.units[old];
            chunks.insert(old.place.chunk);
            if unit.kept.is_none() {
                outline.bytes_written += old.bytes;
                outline.records_labelled += change.base.written(old.place).records;
            }
        }
    }
    let files = chunks.iter().flat_map(|&chunk| &change.base.chunks[chunk].files);
    outline.bytes_written += files.map(|file| file.bytes).sum::<u64>();
    Ok(outline)
}
