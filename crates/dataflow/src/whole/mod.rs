//! The last step of a build: the tables of the corpus as a whole. All workers of all processes work on them together.
//!
//! In: what is known of the documents of each unit ([`Units`]). Out: the files of `sites`, `duplicates` and `repeats`.
//!
//! - [`peer`]: how workers exchange records. [`sorter`]: how each puts its own in order, in bounded memory. [`frequent`]: how those
//!   whose hash is rare are left out before.
//! - [`step`]: a worker reads its units, gives what it finds to others, puts in order what it gets, and writes its files.
//! - [`duplicates`]: documents that share a key of their signatures, clusters of these, and the survivor of each.
//! - [`repeats`]: lines that stand on many sites.
//! - [`sites`]: what units have for their sites, added up.
//!
//! Units and files are dealt to workers by number; keys, digests and sites by hash. Files are cut where units begin, or by digests, and
//! their rows have one order: they do not depend on the number of workers.

mod duplicates;
mod frequent;
mod peer;
mod repeats;
mod sites;
mod sorter;
mod step;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_cluster::Group;
use gleaner_corpus::{Corpus, Part};
use serde::{Deserialize, Serialize};
use timely::worker::Worker;

use crate::data::signed::{DuplicateConfig, Facts, UnitKeys};
use crate::data::sites::SiteSum;
use crate::data::unit_lines::UnitLines;
use crate::error::Error;
use crate::memory::Memory;
pub(crate) use duplicates::shared_keys;
use peer::Peer;
pub use repeats::DEFAULT_REPEATS;
pub(crate) use repeats::frequent_lines;
use sorter::Room;
use step::Step;

/// Bytes that a worker puts in order in memory, where that has no bound.
pub(crate) const SORTED: u64 = 8 << 20;

/// A document, within one run of the step: the number of its unit, and its place there.
pub(crate) type DocumentId = u64;

/// The number of looks at each unit, at most: one for the sites, and three each for duplicates and repeats.
pub(crate) fn passes(has_duplicates: bool, has_repeats: bool) -> u64 {
    1 + 3 * (u64::from(has_duplicates) + u64::from(has_repeats))
}

/// What the last step reads of the units of a corpus. A unit is a range of keys; units are numbered by key.
pub(crate) trait Units: Send + Sync + 'static {
    fn count(&self) -> u32;

    /// The SURT at which a unit begins; empty for the first.
    fn start(&self, unit: u32) -> &[u8];

    /// About the number of documents of all.
    fn records(&self) -> u64;

    /// The keys of the signatures of a unit's documents, by key.
    fn keys(&self, unit: u32) -> Result<UnitKeys, Error>;

    /// Gives what is known of documents of a unit, by key, each with its number there: of those that are wanted.
    fn facts(
        &self,
        unit: u32,
        is_wanted: &mut dyn FnMut(u32) -> bool,
        take: &mut dyn FnMut(u32, Facts) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// The hashes of the lines of a unit.
    fn line_hashes(&self, unit: u32) -> Result<Vec<u64>, Error>;

    /// The lines of a unit.
    fn lines(&self, unit: u32) -> Result<UnitLines, Error>;

    /// Gives the texts of rows of a unit, ascending.
    fn texts(
        &self,
        unit: u32,
        rows: &[u32],
        take: &mut dyn FnMut(u32, &str) -> Result<(), Error>,
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
    /// Called when a unit was looked at, at most [`passes`] times for each.
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

impl<U: Units> Whole<U> {
    /// Writes the tables with this number of workers in each process: all have the same. The first process gets the files, and
    /// commits them. Each file is whole in the output then.
    ///
    /// # Errors
    /// The output cannot be read or written, or the build is stopped; that a process is gone is reported by the group.
    pub(crate) fn write(self, group: Option<&Group>, workers: usize) -> Result<Option<Written>, Error> {
        let (stop, room) = (Arc::clone(&self.stop), self.room(workers));
        let work = move |worker: &mut Worker| {
            let peer = Peer::new(worker, &room, &self.stop);
            let step = Step { whole: &self, peer };
            step.write().inspect_err(|_| self.stop.store(true, Relaxed))
        };
        let guards = match group {
            Some(group) => group.execute(workers, work)?,
            None => timely::execute(timely::Config::process(workers), work).map_err(Error::Worker)?,
        };
        let (mut written, mut failure) = (None, None);
        for outcome in guards.join() {
            match outcome.map_err(Error::Worker).and_then(|outcome| outcome) {
                Ok(of_worker) => written = written.or(of_worker),
                // One that failed has stopped the others.
                Err(Error::Interrupted) => {}
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) => Err(error),
            None if stop.load(Relaxed) => Err(Error::Interrupted),
            None => Ok(written),
        }
    }

    /// What a sorter has: up to three of them are at work in each worker, beside the tables that it reads and writes.
    fn room(&self, workers: usize) -> Room {
        // What workers needed for pages is free now.
        let memory = self.memory.most();
        Room {
            output: self.corpus.output().clone(),
            memory: memory.map_or(SORTED, |most| most / 8 / workers as u64) as usize,
        }
    }
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.documents += other.documents;
        self.clusters += other.clusters;
        self.copied_words += other.copied_words;
    }
}
