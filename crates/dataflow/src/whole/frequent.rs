//! Records whose hash many have: most keys of signatures and most lines are met once, and need not be put in order.
//!
//! Workers give each other hashes first, and count them in a table of small counters (a counting Bloom filter with one hash function).
//! Then they give the records, and those whose counter stays below the bound are left out. Two hashes may share a counter: some rare
//! records stay. None is left out that is frequent.

use super::peer::{Give, Peer};
use super::sorter::{Record, Sorted, Sorter};
use crate::error::Error;

/// Counters of a worker. In tests they are few, so that hashes share them.
const COUNTERS: usize = if cfg!(test) { 1 << 9 } else { 1 << 22 };

/// Counts of hashes.
struct Counters(Vec<u8>);

impl Counters {
    /// What is counted of a hash. The worker that has it follows from its last bits.
    fn counted(hash: u64) -> u32 {
        (hash >> 32) as u32
    }

    fn add(&mut self, counted: u32) {
        let counter = &mut self.0[counted as usize % COUNTERS];
        *counter = counter.saturating_add(1);
    }

    fn count(&self, hash: u64) -> u64 {
        self.0[Counters::counted(hash) as usize % COUNTERS].into()
    }
}

/// Gives the next of all.
type GiveAll<'a, D> = &'a mut dyn FnMut(D) -> Result<(), Error>;

/// How records are found whose hash at least some have.
pub(crate) struct Frequent {
    /// How many records at least have the hash. Above 255 all records are kept whose hash 255 have.
    pub(crate) least: u64,
    /// About the number of all records.
    pub(crate) all: u64,
}

impl Frequent {
    /// How often the records are gone through by some workers. Where most counters are shared by many hashes none would be left out.
    pub(crate) fn passes(&self, workers: u64) -> u64 {
        let share_counters = self.all > 2 * self.least.min(255) * COUNTERS as u64 * workers;
        if share_counters { 1 } else { 2 }
    }

    /// Gives records to the workers that have their hashes, and puts those in order that all give to this one: those whose hash is
    /// frequent, and some others. `hashes` gives the hash of each record, in any order.
    pub(super) fn sorted<'a, R: Record>(
        &self,
        peer: &Peer<'a>,
        name: &str,
        hash: impl Fn(&R) -> u64,
        hashes: impl FnOnce(GiveAll<'_, u64>) -> Result<(), Error>,
        records: impl FnOnce(GiveAll<'_, R>) -> Result<(), Error>,
    ) -> Result<Sorted<'a, R>, Error> {
        let give_records = |give: Give<'_, R>| records(&mut |record| give(hash(&record), record));
        if self.passes(peer.count as u64) == 1 {
            return peer.sorted(name, give_records);
        }
        let mut counters = Counters(vec![0; COUNTERS]);
        let give_hashes = |give: Give<'_, u32>| hashes(&mut |hash| give(hash, Counters::counted(hash)));
        peer.exchange(name, give_hashes, |counted| {
            counters.add(counted);
            Ok(())
        })?;
        let mut sorter = Sorter::new(peer.room);
        let is_frequent = |record: &R| counters.count(hash(record)) >= self.least.min(255);
        peer.exchange(name, give_records, |record| match is_frequent(&record) {
            true => sorter.push(record),
            false => Ok(()),
        })?;
        sorter.sorted()
    }
}
