//! What earlier runs of a build have done, by the entries of its log.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{Part, STAGING, Unread};
use serde::{Deserialize, Serialize};

use crate::data::archive_read::PieceRead;
use crate::data::message::Seam;
use crate::data::summary::Summary;
use crate::duplicates::SignedRuns;
use crate::epoch::Epoch;
use crate::sorted_runs::RunPlace;
use crate::staging::staged_file::StagedFile;

/// A part whose pages are read.
#[derive(Debug, Default, Serialize, Deserialize)]
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

/// A chunk whose tables are written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WrittenChunk {
    pub(crate) summary: Summary,
    pub(crate) files: Vec<Part>,
    /// Bytes of what its documents add to the sums of their sites.
    pub(crate) sums_bytes: u64,
    pub(crate) signed: Option<SignedRuns>,
    /// The lines of its documents, if they are counted.
    pub(crate) lines: Option<RunPlace>,
}

impl WrittenChunk {
    /// What is kept of its documents until the end.
    pub(crate) fn runs(&self) -> impl Iterator<Item = RunPlace> {
        self.signed.into_iter().flatten().chain(self.lines)
    }

    /// The files of these runs.
    pub(crate) fn kept(&self) -> impl Iterator<Item = StagedFile> {
        self.runs().map(|run| run.extent().file())
    }
}

/// The numbers of what is done when a group of processes begins, as process 0 found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DoneNumbers {
    pub(crate) read: Vec<Epoch>,
    pub(crate) half: Vec<Epoch>,
    pub(crate) sorted: Vec<u32>,
    pub(crate) written: Vec<Epoch>,
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

    /// How many first chunks are written.
    pub(crate) fn whole(&self) -> Epoch {
        let in_place = self.written.keys().zip(0..);
        in_place.take_while(|(chunk, number)| *chunk == number).count() as Epoch
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

/// Where what a chunk adds to the sums of its sites is kept.
pub(crate) fn sums_of(chunk: Epoch) -> String {
    format!("{STAGING}/chunk-{chunk:05}.sums")
}
