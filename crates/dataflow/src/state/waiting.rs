//! Pages that are read: they wait, by key, for the pages of other parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::data::message::UnitEnd;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::plan::Plan;
use crate::sorted_runs::{Layout, Run, RunPlace, Runs, merge_runs};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;
use crate::state::Durable;
use crate::state::done::{JournalEntry, ReadPart};

/// Runs of pages, and of what is noted of them, side by side: the first of the one kind and the first of the other are of
/// the same pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairedRuns {
    pages: Vec<Arc<Run>>,
    notes: Vec<Arc<Run>>,
}

impl PairedRuns {
    pub(crate) fn push(&mut self, pages: Run, notes: Run) {
        self.pages.push(Arc::new(pages));
        self.notes.push(Arc::new(notes));
    }

    fn extend(&mut self, others: PairedRuns) {
        self.pages.extend(others.pages);
        self.notes.extend(others.notes);
    }

    /// Adds runs that are safe.
    fn open(&mut self, places: &[[RunPlace; 2]], staging: &Staging) -> Result<(), Error> {
        for &[pages, notes] in places {
            self.push(Run::open(pages, staging)?, Run::open(notes, staging)?);
        }
        Ok(())
    }

    /// Makes one pair of all, in a file that is safe. `scratch` goes.
    fn merge(
        self,
        staging: &Arc<Staging>,
        scratch: StagedFile,
        file: StagedFile,
        layout: Layout,
    ) -> Result<[RunPlace; 2], Error> {
        let merge = |runs| merge_runs(runs, staging, scratch, file, layout);
        let merged = [merge(self.pages)?, merge(self.notes)?];
        staging.discard(scratch);
        staging.seal(file)?;
        Ok(merged)
    }
}

/// A unit that is read.
#[derive(Debug, Default)]
pub(crate) struct ReadUnit {
    pub(crate) runs: PairedRuns,
    pub(crate) end: UnitEnd,
}

impl ReadPart {
    /// How many runs of the program have read of it.
    pub(crate) fn times(&self) -> u32 {
        let times = self.runs.iter().map(|[pages, _]| match pages.file {
            StagedFile::Pages(_, time) => time + 1,
            _ => 0,
        });
        times.max().unwrap_or(0)
    }
}

impl Durable {
    /// Says which units of a part are read, when their runs are safe, if they are to be: those of `earlier`, and `units`, which
    /// were read as the `time`-th. Waits for the disk or the store.
    pub(crate) fn commit_part(
        &self,
        part: Epoch,
        time: u32,
        earlier: ReadPart,
        units: BTreeMap<u32, ReadUnit>,
        plan: &Plan,
    ) -> Result<(), Error> {
        let mut read = ReadPart {
            missing: Vec::new(),
            ..earlier
        };
        let mut runs = PairedRuns::default();
        for (number, ReadUnit { runs: of_unit, end }) in units {
            read.missing.extend(end.missing);
            if let Some(ends) = end.ends {
                read.units.insert(number, ends);
                read.pieces.extend(end.pieces);
                runs.extend(of_unit);
            }
        }
        let is_whole = read.units.len() == plan.units_of(part);
        if !self.is_durable && is_whole {
            self.open.lock().extend(runs);
            self.done.lock().take(JournalEntry::Read(part, read));
            return Ok(());
        }
        // The next run is to read only what is missing.
        let [scratch, file] = [StagedFile::Units, StagedFile::Pages].map(|file| file(part as u32, time));
        read.runs
            .push(runs.merge(&self.staging, scratch, file, Layout::KEPT)?);
        self.add(JournalEntry::Read(part, read))
    }

    /// Makes one of the runs of a group of parts. Waits for the disk or the store.
    pub(crate) fn sort(&self, group: Epoch, plan: &Plan, layout: Layout) -> Result<(), Error> {
        let places: Vec<[RunPlace; 2]> = {
            let done = self.done.lock();
            let parts = done.read.range(plan.parts_of(group));
            parts.flat_map(|(_, part)| part.runs.iter().copied()).collect()
        };
        let mut runs = PairedRuns::default();
        runs.open(&places, &self.staging)?;
        let scratch = StagedFile::Units(group as u32, 0);
        let sorted = runs.merge(&self.staging, scratch, StagedFile::Sorted(group as u32), layout)?;
        self.add(JournalEntry::Sorted(group, sorted))?;
        let files: BTreeSet<StagedFile> = places.iter().flatten().map(|run| run.file).collect();
        files.into_iter().try_for_each(|file| self.staging.remove(file))
    }

    /// All pages that wait, and what is noted of them. Waits for the store.
    pub(crate) fn waiting(&self, plan: &Plan) -> Result<[Runs; 2], Error> {
        let mut all = self.open.lock().clone();
        let done = self.done.lock();
        let parts = done.read.iter();
        let unsorted = parts.filter(|(part, _)| !done.sorted.contains_key(&plan.group_of(**part)));
        let unsorted = unsorted.flat_map(|(_, part)| &part.runs).copied();
        let places: Vec<[RunPlace; 2]> = unsorted.chain(done.sorted.values().copied()).collect();
        drop(done);
        all.open(&places, &self.staging)?;
        Ok([all.pages, all.notes].map(|runs| Runs::new(&self.staging, runs)))
    }
}
