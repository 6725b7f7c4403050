//! The last step of a build: the tables of the corpus as a whole. All workers of all processes work on them together.
//!
//! In: what is known of the documents of each unit ([`Units`]). Out: the files of `sites`, `duplicates` and `repeats`.
//!
//! - [`peer`]: how workers exchange records. [`sorter`]: how each puts its own in order, in bounded memory.
//! - [`duplicates`]: documents that share a key of their signatures, clusters of these, and the survivor of each.
//! - [`repeats`]: lines that stand on many sites.
//! - [`sites`]: what units have for their sites, added up.
//!
//! Units and files are dealt to workers by number; keys, digests and sites by hash. Files are cut where units begin, or by digests, and
//! their rows have one order: they do not depend on the number of workers.

mod duplicates;
mod peer;
mod repeats;
mod row_files;
mod sites;
mod sorter;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_cluster::Group;
use gleaner_corpus::{Corpus, Part};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use timely::worker::Worker;

use crate::data::signed::{DuplicateConfig, Facts};
use crate::data::sites::SiteSum;
use crate::error::Error;
use crate::memory::Memory;
use crate::sorted_runs::begins_chunk;
use peer::Peer;
pub use repeats::DEFAULT_REPEATS;
use sorter::Room;

/// Bytes that a worker puts in order in memory, where that has no bound.
pub(crate) const SORTED: u64 = 16 << 20;

/// A document, within one run of the step: the number of its unit, and its place there.
pub(crate) type DocumentId = u64;

/// What the last step reads of the units of a corpus. A unit is a range of keys; units are numbered by key.
pub(crate) trait Units: Send + Sync + 'static {
    fn count(&self) -> u32;

    /// The SURT at which a unit begins; empty for the first.
    fn start(&self, unit: u32) -> &[u8];

    /// Gives what is known of each document of a unit, by key.
    fn facts(&self, unit: u32, take: &mut dyn FnMut(Facts) -> Result<(), Error>) -> Result<(), Error>;

    /// Gives row, site and text of documents of a unit, by key; of these rows only, if rows are named (ascending).
    fn texts(
        &self,
        unit: u32,
        rows: Option<&[u32]>,
        take: &mut dyn FnMut(u32, &str, &str) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// What the documents of a unit add to their sites.
    fn sites(&self, unit: u32) -> Result<Vec<SiteSum>, Error>;
}

/// What the step is made of. All processes have the same.
pub(crate) struct Whole<U> {
    pub(crate) units: U,
    pub(crate) corpus: Corpus,
    /// How duplicates are found, if they are.
    pub(crate) duplicates: Option<DuplicateConfig>,
    /// On how many sites a line is at least, if lines are counted.
    pub(crate) repeats: Option<u64>,
    /// Pages of a chunk, on the average.
    pub(crate) chunk_size: u64,
    /// Memory of the process.
    pub(crate) memory: Memory,
    /// Set from outside to end the step.
    pub(crate) stop: Arc<AtomicBool>,
    /// Called when a unit was looked at: once for the sites, and twice each for duplicates and repeats.
    pub(crate) step: Arc<dyn Fn() + Send + Sync>,
}

/// The files of the tables, in the order of their rows, and what is in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) sites: Vec<Part>,
    pub(crate) duplicates: Vec<Part>,
    pub(crate) repeats: Vec<Part>,
    pub(crate) counts: Counts,
}

/// What the table of duplicates has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) documents: u64,
    pub(crate) clusters: u64,
    /// Words of documents that do not survive.
    pub(crate) copied_words: u64,
}

/// A table, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Table {
    Sites,
    Duplicates,
    Repeats,
}

/// What a worker reports when it has written its files.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Report {
    File(Table, u32, Part),
    Counts(Counts),
}

/// A file that a worker has written, with its number in the table.
type NumberedPart = (u32, Part);

impl<U: Units> Whole<U> {
    /// Writes the tables with this number of workers in each process: all have the same. The first process gets the files, and
    /// commits them. Each file is whole in the output then.
    ///
    /// # Errors
    /// The output cannot be read or written, or the build is stopped; that a process is gone is reported by the group.
    pub(crate) fn write(self, group: Option<&Group>, workers: usize) -> Result<Option<Written>, Error> {
        let (stop, failure) = (Arc::clone(&self.stop), Arc::new(Mutex::new(None)));
        let whole = Arc::new(Work {
            room: self.room(workers),
            whole: self,
        });
        let failed = Arc::clone(&failure);
        let work = move |worker: &mut Worker| {
            let _guard = StopOnPanic(&whole.whole.stop);
            let mut peer = Peer::new(worker, &whole.whole.stop);
            let written = whole.write(&mut peer);
            written
                .inspect_err(|_| whole.whole.stop.store(true, Relaxed))
                .map_err(|error| {
                    failed.lock().get_or_insert(error);
                })
                .ok()
                .flatten()
        };
        let guards = match group {
            Some(group) => group.execute(workers, work)?,
            None => timely::execute(timely::Config::process(workers), work).map_err(Error::Worker)?,
        };
        let outcomes: Vec<_> = guards.join().into_iter().collect();
        let mut written = None;
        for outcome in outcomes {
            written = written.or(outcome.map_err(Error::Worker)?);
        }
        match failure.lock().take() {
            Some(error) => Err(error),
            None if stop.load(Relaxed) => Err(Error::Interrupted),
            None => Ok(written),
        }
    }

    /// What a sorter has: two of them are at work in each worker, and a vector that grows takes twice what it holds.
    fn room(&self, workers: usize) -> Room {
        // What workers needed for pages is free now.
        let memory = self.memory.most();
        Room {
            output: self.corpus.output().clone(),
            memory: memory.map_or(SORTED, |most| most / 8 / workers as u64) as usize,
        }
    }
}

/// The step, as the workers of a process share it.
struct Work<U> {
    whole: Whole<U>,
    room: Room,
}

impl<U: Units> Work<U> {
    fn write(&self, peer: &mut Peer<'_>) -> Result<Option<Written>, Error> {
        let mut reports = Vec::new();
        let mut wrote = |table, files: Vec<NumberedPart>| {
            reports.extend(
                files
                    .into_iter()
                    .map(|(number, file)| Report::File(table, number, file)),
            );
        };
        wrote(Table::Sites, self.write_sites(peer)?);
        let mut counts = Counts::default();
        if let Some(config) = &self.whole.duplicates {
            let (files, found) = self.write_duplicates(peer, config)?;
            wrote(Table::Duplicates, files);
            counts = found;
        }
        if let Some(least) = self.whole.repeats {
            wrote(Table::Repeats, self.write_repeats(peer, least)?);
        }
        reports.push(Report::Counts(counts));
        gather(peer, reports)
    }

    /// Works on the units of a worker, one after the other.
    fn each_own(
        &self,
        index: usize,
        peers: usize,
        mut work: impl FnMut(u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        (0..self.whole.units.count())
            .skip(index)
            .step_by(peers)
            .try_for_each(|unit| {
                work(unit)?;
                (self.whole.step)();
                Ok(())
            })
    }

    /// The first SURTs of files of this number of pages, on the average: files begin where units do. The first is empty.
    fn starts(&self, pages: u64) -> Vec<&[u8]> {
        let units = &self.whole.units;
        let starts = (1..units.count()).map(|unit| units.start(unit));
        let cuts = starts.filter(|start| begins_chunk(start, pages));
        [[].as_slice()].into_iter().chain(cuts).collect()
    }
}

/// Gives what all workers have written to the first.
fn gather(peer: &mut Peer<'_>, reports: Vec<Report>) -> Result<Option<Written>, Error> {
    let (mut written, mut files) = (Written::default(), Vec::new());
    peer.exchange(
        "reports",
        |give| reports.into_iter().try_for_each(|report| give(0, report)),
        |report| {
            match report {
                Report::File(table, number, file) => files.push((number, table, file)),
                Report::Counts(counts) => written.counts.add(counts),
            }
            Ok(())
        },
    )?;
    files.sort_by_key(|(number, ..)| *number);
    for (_, table, file) in files {
        match table {
            Table::Sites => written.sites.push(file),
            Table::Duplicates => written.duplicates.push(file),
            Table::Repeats => written.repeats.push(file),
        }
    }
    Ok((peer.index() == 0).then_some(written))
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.documents += other.documents;
        self.clusters += other.clusters;
        self.copied_words += other.copied_words;
    }
}

/// The number of the file in which a SURT is, by the first SURTs of files.
fn file_of(starts: &[&[u8]], surt: &[u8]) -> u32 {
    starts.partition_point(|start| *start <= surt).saturating_sub(1) as u32
}

/// The worker that has what has a hash.
fn owner(hash: u64, peers: usize) -> usize {
    (hash % peers as u64) as usize
}

/// The worker that reads a document.
fn reader(document: DocumentId, peers: usize) -> usize {
    owner(document >> 32, peers)
}

/// Ends the step when a worker panics: the others would wait for it without end.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}
