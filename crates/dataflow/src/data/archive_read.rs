//! What was read of each archive, put together from its pieces.

use std::collections::BTreeMap;

use gleaner_store::Shard;
use serde::{Deserialize, Serialize};

use crate::data::range_digest::{RangeDigest, join};

/// An archive that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveRead {
    /// Its name in the tables.
    pub name: String,
    /// Its length in bytes, as stored; none where it is not known.
    pub size: Option<u64>,
    /// The BLAKE3 digest of its bytes, in hexadecimal; none where it was not read to its end.
    pub digest: Option<String>,
    /// What was found in it.
    #[serde(flatten)]
    pub counts: ArchiveCounts,
    /// How it was read.
    pub outcome: Outcome,
}

/// What is counted in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveCounts {
    /// Records by type.
    pub records: BTreeMap<String, u64>,
    /// Records that must become a document or a reject.
    pub captures: u64,
    /// Stretches where no record could be read, a reject each.
    pub damage: u64,
    /// Bytes of all captures, decoded from HTTP.
    pub page_bytes: u64,
    /// Captures and damaged places that rules leave out, by the identifier of the rule.
    pub left_out: BTreeMap<String, u64>,
}

/// How an archive was read. Of the outcomes of its pieces the last in this order is that of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// As an archive or a page.
    #[default]
    Read,
    /// There is nothing in it.
    Empty,
    /// It is neither an archive nor a page.
    Refused,
    /// As far as the last of the captures that were wanted.
    Limited,
    /// Not to its end, for it could not be read.
    Missing,
}

/// What was read of a piece of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PieceRead {
    /// The number of the archive, and where in it the piece begins by the plan.
    pub(crate) shard: usize,
    pub(crate) start: u64,
    /// None where it was not read to its end.
    pub(crate) digest: Option<RangeDigest>,
    pub(crate) counts: ArchiveCounts,
    pub(crate) outcome: Outcome,
}

impl ArchiveCounts {
    pub(crate) fn add(&mut self, other: &ArchiveCounts) {
        add_counts(&mut self.records, &other.records);
        self.captures += other.captures;
        self.damage += other.damage;
        self.page_bytes += other.page_bytes;
        add_counts(&mut self.left_out, &other.left_out);
    }
}

/// Adds counts by name.
pub(crate) fn add_counts(counts: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (name, count) in others {
        *counts.entry(name.clone()).or_default() += count;
    }
}

/// The archives of which there are pieces, in the order of `shards`, each with its number there.
pub(crate) fn archives(shards: &[Shard], mut pieces: Vec<PieceRead>) -> Vec<(usize, ArchiveRead)> {
    pieces.sort_by_key(|piece| (piece.shard, piece.start));
    let of_shards = pieces.chunk_by(|piece, next| piece.shard == next.shard);
    of_shards
        .filter_map(|pieces| {
            let number = pieces[0].shard;
            Some((number, archive(shards.get(number)?, pieces)))
        })
        .collect()
}

fn archive(shard: &Shard, pieces: &[PieceRead]) -> ArchiveRead {
    let mut counts = ArchiveCounts::default();
    pieces.iter().for_each(|piece| counts.add(&piece.counts));
    let digests: Option<Vec<&RangeDigest>> = pieces.iter().map(|piece| piece.digest.as_ref()).collect();
    let joined = digests.and_then(join);
    // Where a range at the end is not there, the others are a shorter file.
    let whole = joined.filter(|(length, _)| shard.size.is_none_or(|size| size == *length));
    ArchiveRead {
        name: shard.name.clone(),
        size: shard.size.or(whole.map(|(length, _)| length)),
        digest: whole.map(|(_, digest)| blake3::Hash::from(digest).to_string()),
        counts,
        outcome: pieces.iter().map(|piece| piece.outcome).max().unwrap_or_default(),
    }
}
