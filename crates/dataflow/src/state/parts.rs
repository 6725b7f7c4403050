//! The parts of the input that are read: their pages, by key, wait for the pages of other parts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use gleaner_corpus::Unread;
use gleaner_store::Shard;
use parking_lot::Mutex;

use crate::data::archive_read::{ArchiveRead, PieceRead, archives};
use crate::data::message::{End, EntryPlace, Seam};
use crate::data::summary::Summary;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::sorted_runs::{Layout, Run, RunPlace, Runs, merge_runs};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;
use crate::state::done::{HalfRead, JournalEntry, ReadPart};
use crate::state::journal::Journal;

/// Runs of pages, and of what is noted of them, side by side: the first of the one kind and the first of the other are of
/// the same pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairedRuns {
    pub(crate) pages: Vec<Arc<Run>>,
    pub(crate) notes: Vec<Arc<Run>>,
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
}

/// A unit that is read.
#[derive(Debug, Default)]
pub(crate) struct UnitRuns {
    pub(crate) runs: PairedRuns,
    pub(crate) end: End,
}

/// Units of a part that count, with their runs and what was counted in them.
#[derive(Debug, Default)]
struct AcceptedUnits {
    units: BTreeSet<u32>,
    runs: PairedRuns,
    sums: Summary,
    pieces: Vec<PieceRead>,
}

/// Part, unit and attempt.
pub(crate) type Attempt = (Epoch, u32, u32);

/// What is read, of a process.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) staging: Arc<Staging>,
    /// Whether what is read is to outlive the process.
    is_durable: bool,
    /// Units that are read, by attempt. Their seams decide which of them count.
    collected: Mutex<BTreeMap<Attempt, UnitRuns>>,
    /// Those that count, of parts that are not read to their end.
    accepted: Mutex<BTreeMap<(Epoch, u32), UnitRuns>>,
    /// Parts that earlier runs have read in part.
    half: BTreeMap<Epoch, HalfRead>,
    /// The runs of parts that are read to their end; and of groups of parts, by the first of them.
    read: Mutex<BTreeMap<Epoch, ReadRuns>>,
    /// What was read of archives in these parts.
    pieces: Mutex<BTreeMap<Epoch, Vec<PieceRead>>>,
    sorted: Mutex<BTreeSet<u32>>,
    /// Parts of which other processes could not read all.
    others_half: Mutex<BTreeSet<Epoch>>,
}

/// The runs of a part.
#[derive(Debug)]
enum ReadRuns {
    /// They are safe: their indices are read when they are asked for.
    Safe(Vec<[RunPlace; 2]>),
    /// They are in no file that outlives the process.
    Open(PairedRuns),
}

impl Parts {
    /// With what earlier runs have read in part.
    pub(crate) fn new(staging: Staging, is_durable: bool, half: BTreeMap<Epoch, HalfRead>) -> Parts {
        Parts {
            staging: Arc::new(staging),
            is_durable,
            collected: Mutex::default(),
            accepted: Mutex::default(),
            half,
            read: Mutex::default(),
            pieces: Mutex::default(),
            sorted: Mutex::default(),
            others_half: Mutex::default(),
        }
    }

    /// Whether the runs of a part are here.
    pub(crate) fn has_part(&self, epoch: Epoch) -> bool {
        self.read.lock().contains_key(&epoch)
    }

    /// Another process could not read all of a part.
    pub(crate) fn learn_half(&self, epoch: Epoch) {
        self.others_half.lock().insert(epoch);
    }

    /// Whether another process could not.
    pub(crate) fn is_half(&self, epoch: Epoch) -> bool {
        self.others_half.lock().contains(&epoch)
    }

    /// Adds a part that an earlier run or another process has read.
    pub(crate) fn add_part(&self, epoch: Epoch, part: ReadPart) {
        self.pieces.lock().insert(epoch, part.pieces);
        self.read.lock().insert(epoch, ReadRuns::Safe(part.runs));
    }

    /// What was read of each archive, as far as its parts are read to their end and known to this process.
    pub(crate) fn archives(&self, shards: &[Shard]) -> Vec<ArchiveRead> {
        let pieces = self.pieces.lock().values().flatten().cloned().collect();
        archives(shards, pieces)
    }

    /// The runs of all parts: those of the pages, and those of the notes. Waits for the store.
    pub(crate) fn runs(&self) -> Result<(Runs, Runs), Error> {
        let mut all = PairedRuns::default();
        for runs in self.read.lock().values() {
            match runs {
                ReadRuns::Open(runs) => all.extend(runs.clone()),
                ReadRuns::Safe(places) => {
                    for &[pages, notes] in places {
                        all.push(Run::open(pages, &self.staging)?, Run::open(notes, &self.staging)?);
                    }
                }
            }
        }
        let set = |runs: Vec<Arc<Run>>| Runs {
            staging: Arc::clone(&self.staging),
            runs: runs.into(),
        };
        Ok((set(all.pages), set(all.notes)))
    }

    /// Whether the runs of a group of parts are one.
    pub(crate) fn is_sorted(&self, group: u32) -> bool {
        self.sorted.lock().contains(&group)
    }

    /// Takes in what the runs of a group of parts have become.
    pub(crate) fn add_sorted(&self, group: u32, parts: Range<Epoch>, runs: [RunPlace; 2]) {
        let mut read = self.read.lock();
        parts.clone().for_each(|part| drop(read.remove(&part)));
        read.insert(parts.start, ReadRuns::Safe(vec![runs]));
        self.sorted.lock().insert(group);
    }

    /// Makes one of the runs of a group of parts. Waits for the disk or the store.
    pub(crate) fn sort(
        &self,
        journal: &Journal,
        group: u32,
        parts: Range<Epoch>,
        layout: Layout,
    ) -> Result<(), Error> {
        let places: Vec<[RunPlace; 2]> = {
            let read = self.read.lock();
            let of_parts = read.range(parts.clone()).map(|(_, runs)| runs);
            let safe = of_parts.filter_map(|runs| match runs {
                ReadRuns::Safe(places) => Some(places),
                ReadRuns::Open(_) => None,
            });
            safe.flatten().copied().collect()
        };
        let mut runs = PairedRuns::default();
        for &[pages, notes] in &places {
            runs.push(Run::open(pages, &self.staging)?, Run::open(notes, &self.staging)?);
        }
        let file = StagedFile::Sorted(group);
        let merge = |runs| {
            merge_runs(
                runs,
                &self.staging,
                StagedFile::Units(parts.start as u32, 0),
                file,
                layout,
            )
        };
        let sorted = [merge(runs.pages)?, merge(runs.notes)?];
        self.staging.discard(StagedFile::Units(parts.start as u32, 0));
        self.staging.seal(file)?;
        journal.add(&JournalEntry::Sorted(group, sorted))?;
        self.add_sorted(group, parts, sorted);
        let files: BTreeSet<StagedFile> = places.iter().flatten().map(|run| run.extent().file()).collect();
        files.into_iter().try_for_each(|file| self.staging.remove(file))
    }

    /// The file that runs of units go to.
    pub(crate) fn units_of(&self, epoch: Epoch) -> StagedFile {
        StagedFile::Units(epoch as u32, self.times(epoch))
    }

    /// How many earlier runs have read of a part.
    fn times(&self, epoch: Epoch) -> u32 {
        self.half.get(&epoch).map_or(0, |half| half.runs.len() as u32)
    }

    /// A unit is read; whether it counts is not known yet.
    pub(crate) fn collected(&self, attempt: Attempt, unit: UnitRuns) {
        self.collected.lock().insert(attempt, unit);
    }

    /// A unit counts, for its seams are sound and nothing of it is missing; or it does not.
    pub(crate) fn accept(&self, place: EntryPlace, counts: bool) {
        let (epoch, unit) = (place.epoch, place.unit);
        let mut collected = self.collected.lock();
        let accepted = collected.remove(&(epoch, unit, place.attempt));
        // Other attempts are not needed any more.
        collected.retain(|key, _| (key.0, key.1) != (epoch, unit));
        if counts {
            let accepted = accepted.expect("a unit is collected before its end arrives");
            self.accepted.lock().insert((epoch, unit), accepted);
        }
    }

    /// The units of a part that earlier runs have read.
    pub(crate) fn units_read(&self, epoch: Epoch) -> BTreeSet<u32> {
        self.half
            .get(&epoch)
            .map_or_else(BTreeSet::new, |half| half.units.clone())
    }

    /// Says that a part is read to its end, when its runs are safe, if they are to be. Gives what was counted in it. Waits for the
    /// disk or the store.
    pub(crate) fn commit(&self, journal: &Journal, epoch: Epoch, seams: Vec<Seam>) -> Result<Summary, Error> {
        let AcceptedUnits {
            runs, sums, pieces, ..
        } = self.take_accepted(epoch);
        if !self.is_durable {
            self.pieces.lock().insert(epoch, pieces);
            self.read.lock().insert(epoch, ReadRuns::Open(runs));
            return Ok(sums);
        }
        let half = self.half.get(&epoch).cloned().unwrap_or_default();
        let mut part = ReadPart {
            runs: half.runs,
            sums: half.sums,
            pieces: half.pieces,
            seams: half.seams,
        };
        self.merge(epoch, runs, &mut part.runs)?;
        part.sums.add(&sums);
        part.pieces.extend(pieces);
        part.seams.extend(seams);
        let sums = part.sums.clone();
        journal.add(&JournalEntry::Read(epoch, part.clone()))?;
        self.add_part(epoch, part);
        Ok(sums)
    }

    /// Says what of a part is read, where something of it is missing. It is made safe in any case: the next run is to
    /// read the rest only.
    pub(crate) fn commit_half(
        &self,
        journal: &Journal,
        epoch: Epoch,
        seams: Vec<Seam>,
        missing: Vec<Unread>,
    ) -> Result<(), Error> {
        let accepted = self.take_accepted(epoch);
        let mut half = self.half.get(&epoch).cloned().unwrap_or_default();
        self.merge(epoch, accepted.runs, &mut half.runs)?;
        half.units.extend(accepted.units);
        half.sums.add(&accepted.sums);
        half.pieces.extend(accepted.pieces);
        half.seams.extend(seams);
        half.missing = missing;
        journal.add(&JournalEntry::Half(epoch, half))
    }

    /// The units of a part that count.
    fn take_accepted(&self, epoch: Epoch) -> AcceptedUnits {
        let mut accepted = self.accepted.lock();
        let mut others = accepted.split_off(&(epoch, 0));
        let mut after = others.split_off(&(epoch + 1, 0));
        accepted.append(&mut after);
        drop(accepted);
        let mut all = AcceptedUnits::default();
        for ((_, unit), read) in others {
            all.units.insert(unit);
            all.runs.extend(read.runs);
            read.end.add_to(&mut all.sums);
            all.pieces.extend(read.end.pieces);
        }
        all
    }

    /// Makes one run of those of a part's units, and has it safe.
    fn merge(&self, epoch: Epoch, runs: PairedRuns, places: &mut Vec<[RunPlace; 2]>) -> Result<(), Error> {
        let (scratch, file) = (
            self.units_of(epoch),
            StagedFile::Pages(epoch as u32, self.times(epoch)),
        );
        let merge = |runs| merge_runs(runs, &self.staging, scratch, file, Layout::KEPT);
        let merged = [merge(runs.pages)?, merge(runs.notes)?];
        self.staging.discard(scratch);
        self.staging.seal(file)?;
        places.push(merged);
        Ok(())
    }
}
