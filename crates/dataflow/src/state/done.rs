//! What earlier runs of a build have done, by the entries of its journals.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::Unread;
use serde::{Deserialize, Serialize};

use crate::data::archive_read::PieceRead;
use crate::data::message::Seam;
use crate::data::summary::Summary;
use crate::epoch::Epoch;
use crate::sorted_runs::RunPlace;
use crate::state::written::WrittenChunk;

/// A part whose pages are read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReadPart {
    /// Its runs: one of pages and one of notes, or more where it was read little by little.
    pub(crate) runs: Vec<[RunPlace; 2]>,
    pub(crate) sums: Summary,
    pub(crate) pieces: Vec<PieceRead>,
    pub(crate) seams: Vec<Seam>,
}

/// A part of which something is missing, for an input could not be read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HalfRead {
    pub(crate) units: BTreeSet<u32>,
    /// Their runs, in pairs: as many as runs of the program have read of it.
    pub(crate) runs: Vec<[RunPlace; 2]>,
    pub(crate) sums: Summary,
    pub(crate) pieces: Vec<PieceRead>,
    pub(crate) seams: Vec<Seam>,
    /// The inputs that could not be read, as far as they are this part's.
    pub(crate) missing: Vec<Unread>,
}

/// Something that is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JournalEntry {
    /// A part is read.
    Read(Epoch, ReadPart),
    /// Of a part some units are read.
    Half(Epoch, HalfRead),
    /// The runs of a group of parts are one.
    Sorted(u32, [RunPlace; 2]),
    /// A chunk is written.
    Written(Epoch, WrittenChunk),
}

/// The numbers of what is done when a group of processes begins, as process 0 found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DoneNumbers {
    pub(crate) read: BTreeSet<Epoch>,
    pub(crate) half: BTreeSet<Epoch>,
    pub(crate) sorted: BTreeSet<u32>,
    pub(crate) written: BTreeSet<Epoch>,
}

/// What earlier runs have done.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) read: BTreeMap<Epoch, ReadPart>,
    pub(crate) half: BTreeMap<Epoch, HalfRead>,
    pub(crate) sorted: BTreeMap<u32, [RunPlace; 2]>,
    pub(crate) written: BTreeMap<Epoch, WrittenChunk>,
}

impl Done {
    /// The units that are read of parts that are not.
    pub(crate) fn units_of_half(&self) -> impl Iterator<Item = (Epoch, u32)> {
        let half = self.half.iter();
        half.flat_map(|(&part, half)| half.units.iter().map(move |&unit| (part, unit)))
    }

    /// What was read of archives.
    pub(crate) fn pieces(&self) -> Vec<PieceRead> {
        let parts = self.read.values();
        parts.flat_map(|part| part.pieces.iter().cloned()).collect()
    }

    /// How many first chunks are written.
    pub(crate) fn whole(&self) -> Epoch {
        let in_place = self.written.keys().zip(0..);
        in_place.take_while(|(chunk, number)| *chunk == number).count() as Epoch
    }

    /// Takes in an entry of a journal.
    pub(crate) fn take(&mut self, entry: JournalEntry) {
        match entry {
            JournalEntry::Read(part, read) => {
                // What was missing of it is there.
                self.half.remove(&part);
                self.read.insert(part, read);
            }
            JournalEntry::Half(part, half) => drop(self.half.insert(part, half)),
            JournalEntry::Sorted(group, runs) => drop(self.sorted.insert(group, runs)),
            JournalEntry::Written(chunk, written) => drop(self.written.insert(chunk, written)),
        }
    }

    /// All that is done, as entries of a journal.
    pub(crate) fn entries(&self) -> impl Iterator<Item = JournalEntry> {
        let read = self
            .read
            .iter()
            .map(|(&part, read)| JournalEntry::Read(part, read.clone()));
        let half = self
            .half
            .iter()
            .map(|(&part, half)| JournalEntry::Half(part, half.clone()));
        let sorted = self
            .sorted
            .iter()
            .map(|(&group, &runs)| JournalEntry::Sorted(group, runs));
        let written = self.written.iter();
        let written = written.map(|(&chunk, written)| JournalEntry::Written(chunk, written.clone()));
        read.chain(half).chain(sorted).chain(written)
    }

    /// Forgets what has none of these numbers.
    pub(crate) fn retain(&mut self, numbers: &DoneNumbers) {
        self.read.retain(|part, _| numbers.read.contains(part));
        self.half.retain(|part, _| numbers.half.contains(part));
        self.sorted.retain(|group, _| numbers.sorted.contains(group));
        self.written.retain(|chunk, _| numbers.written.contains(chunk));
    }

    pub(crate) fn numbers(&self) -> DoneNumbers {
        DoneNumbers {
            read: self.read.keys().copied().collect(),
            half: self.half.keys().copied().collect(),
            sorted: self.sorted.keys().copied().collect(),
            written: self.written.keys().copied().collect(),
        }
    }

    /// What all seams have shown.
    pub(crate) fn seams(&self) -> impl Iterator<Item = Seam> {
        let read = self.read.values().flat_map(|part| &part.seams);
        let half = self.half.values().flat_map(|part| &part.seams);
        read.chain(half).copied()
    }
}
