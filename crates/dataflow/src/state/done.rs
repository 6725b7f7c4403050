//! What earlier runs of a build have done, by the entries of its journals.

use std::collections::BTreeMap;

use gleaner_corpus::Unread;
use gleaner_store::Shard;
use serde::{Deserialize, Serialize};

use crate::data::archive_read::{ArchiveRead, PieceRead, archives};
use crate::data::message::UnitEnds;
use crate::data::summary::Summary;
use crate::epoch::Epoch;
use crate::plan::Plan;
use crate::sorted_runs::RunPlace;
use crate::state::written::WrittenChunk;

/// What is read of a part: all of it, or what could be read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReadPart {
    pub(crate) units: BTreeMap<u32, UnitEnds>,
    /// The runs of their pages and of their notes: as many pairs as runs of the program have read of it.
    pub(crate) runs: Vec<[RunPlace; 2]>,
    pub(crate) pieces: Vec<PieceRead>,
    /// The inputs that could not be read to their end.
    pub(crate) missing: Vec<Unread>,
}

/// Something that is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JournalEntry {
    /// A part is read, or some of it. Of a part the last entry counts.
    Read(Epoch, ReadPart),
    /// The runs of a group of parts are one.
    Sorted(Epoch, [RunPlace; 2]),
    /// A chunk is written.
    Written(Epoch, Box<WrittenChunk>),
}

/// What is done of a build.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) read: BTreeMap<Epoch, ReadPart>,
    pub(crate) sorted: BTreeMap<Epoch, [RunPlace; 2]>,
    pub(crate) written: BTreeMap<Epoch, WrittenChunk>,
}

impl Done {
    /// Whether a part is read to its end.
    pub(crate) fn has_part(&self, part: Epoch, plan: &Plan) -> bool {
        let read = self.read.get(&part);
        read.is_some_and(|read| read.units.len() == plan.units_of(part))
    }

    /// The parts whose first unit does not begin where the unit before it ends, and where it does.
    pub(crate) fn wrong_starts(&self, plan: &Plan) -> BTreeMap<Epoch, u64> {
        let next = |part: Epoch| {
            let last = plan.units_of(part).checked_sub(1)? as u32;
            Some(self.read.get(&part)?.units.get(&last)?.next)
        };
        let starts = (0..)
            .zip(&plan.parts)
            .skip(1)
            .filter(|(_, part)| part.continues());
        let wrong = starts.filter_map(|(number, _)| {
            let start = next(number - 1)?;
            let first = self.read.get(&number)?.units.get(&0)?.first;
            (first != start).then_some((number, start))
        });
        wrong.collect()
    }

    /// What is counted of what is read and written.
    pub(crate) fn sums(&self, shards: &[Shard]) -> Summary {
        let mut summary = Summary::default();
        for part in self.read.values() {
            summary.missing.extend(part.missing.iter().cloned());
            part.pieces.iter().for_each(|piece| summary.read(piece, shards));
        }
        let chunks = self.written.values();
        chunks.for_each(|chunk| summary.add(&chunk.summary));
        summary
    }

    /// What was read of each archive, with its number among `shards`.
    pub(crate) fn archives(&self, shards: &[Shard]) -> Vec<(usize, ArchiveRead)> {
        let pieces = self.read.values().flat_map(|part| part.pieces.iter().cloned());
        archives(shards, pieces.collect())
    }

    /// How many first chunks are written.
    pub(crate) fn whole(&self) -> Epoch {
        let in_place = self.written.keys().zip(0..);
        in_place.take_while(|(chunk, number)| *chunk == number).count() as Epoch
    }

    /// Takes in an entry of a journal.
    pub(crate) fn take(&mut self, entry: JournalEntry) {
        match entry {
            JournalEntry::Read(part, read) => drop(self.read.insert(part, read)),
            JournalEntry::Sorted(group, runs) => drop(self.sorted.insert(group, runs)),
            JournalEntry::Written(chunk, written) => drop(self.written.insert(chunk, *written)),
        }
    }

    /// All that is done, as entries of a journal.
    pub(crate) fn entries(&self) -> impl Iterator<Item = JournalEntry> {
        let read = self.read.iter();
        let read = read.map(|(&part, read)| JournalEntry::Read(part, read.clone()));
        let sorted = self.sorted.iter();
        let sorted = sorted.map(|(&group, &runs)| JournalEntry::Sorted(group, runs));
        let written = self.written.iter();
        let written =
            written.map(|(&chunk, written)| JournalEntry::Written(chunk, Box::new(written.clone())));
        read.chain(sorted).chain(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{PlanSizes, ShardSize};

    #[test]
    fn a_part_begins_where_the_last_unit_of_the_one_before_ends() {
        let shard = ShardSize {
            bytes: Some(40),
            splittable: true,
            remote: false,
            captures: None,
        };
        let sizes = PlanSizes {
            unit: 10,
            ..PlanSizes::parts_of(20)
        };
        let plan = Plan::new(&[shard], sizes);
        let ends = |first, next| UnitEnds { first, next };
        let part = |units: &[(u32, UnitEnds)]| ReadPart {
            units: units.iter().copied().collect(),
            ..ReadPart::default()
        };
        let mut done = Done::default();
        done.take(JournalEntry::Read(
            1,
            part(&[(0, ends(21, 30)), (1, ends(30, 40))]),
        ));
        done.take(JournalEntry::Read(0, part(&[(0, ends(0, 12))])));
        assert!(done.wrong_starts(&plan).is_empty(), "its last unit is not read");
        done.take(JournalEntry::Read(
            0,
            part(&[(0, ends(0, 12)), (1, ends(12, 25))]),
        ));
        assert_eq!(done.wrong_starts(&plan), BTreeMap::from([(1, 25)]));
        done.take(JournalEntry::Read(
            1,
            part(&[(0, ends(25, 30)), (1, ends(30, 40))]),
        ));
        assert!(done.wrong_starts(&plan).is_empty());
    }
}
