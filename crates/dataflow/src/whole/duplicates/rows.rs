//! The survivor of each cluster, and the rows of the table.

use gleaner_corpus::{DuplicateRow, Share};
use gleaner_curate::similarity;
use serde::{Deserialize, Serialize};

use super::super::peer::Peer;
use super::super::row_files::RowFiles;
use super::super::sorter::{Reader, Record, Sorted, Sorter};
use super::super::{Counts, DocumentId, NumberedPart, Units, Work, file_of, owner};
use crate::data::key::surt_of;
use crate::data::signed::Facts;
use crate::error::Error;

/// Chunks whose clusters are in a file, on the average.
const CHUNKS: u64 = 8;

/// A document of a cluster. Who survives comes first: the earliest capture, of those the longest text, of those the least key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Member {
    /// The least document of the cluster.
    least: DocumentId,
    time: u64,
    /// The longer the text, the smaller.
    shortness: u32,
    key: Vec<u8>,
    unit: u32,
    words: u32,
    row_id: String,
    record_id: String,
    sketch: Vec<u8>,
}

impl Member {
    pub(super) fn new(least: DocumentId, unit: u32, facts: Facts) -> Member {
        Member {
            least,
            time: facts.time,
            shortness: u32::MAX - facts.length,
            key: facts.key,
            unit,
            words: facts.words,
            row_id: facts.row_id,
            record_id: facts.record_id,
            sketch: facts.sketch,
        }
    }
}

impl Record for Member {
    fn heap(&self) -> usize {
        self.key.len() + self.row_id.len() + self.record_id.len() + self.sketch.len()
    }
}

/// A row: by file, the survivor of its cluster, and its place in that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct ClusterRow {
    file: u32,
    survivor: Vec<u8>,
    place: u64,
    row: DuplicateRow,
}

impl Record for ClusterRow {
    fn heap(&self) -> usize {
        let DuplicateRow {
            row_id,
            record_id,
            cluster,
            ..
        } = &self.row;
        self.survivor.len() + row_id.len() + record_id.len() + cluster.len()
    }
}

impl<U: Units> Work<U> {
    /// Writes the rows of clusters. Files are cut by the survivors, so the worker that writes a file is known to all.
    pub(super) fn write_clusters(
        &self,
        peer: &mut Peer<'_>,
        clusters: &Sorted<'_, Member>,
    ) -> Result<(Vec<NumberedPart>, Counts), Error> {
        let starts = self.starts(CHUNKS * self.whole.chunk_size);
        let (mut rows, mut counts, peers) = (Sorter::new(&self.room), Counts::default(), peer.count());
        peer.exchange(
            "rows",
            |give| {
                let give = |row: ClusterRow| give(owner(row.file.into(), peers), row);
                rows_of(clusters, &starts, &mut counts, give)
            },
            |row| rows.push(row),
        )?;
        let mut files = RowFiles::new(&self.whole.corpus);
        rows.sorted()?.each(|row| files.push(row.file, &row.row))?;
        Ok((files.end()?, counts))
    }
}

/// Gives the rows of all clusters.
fn rows_of(
    clusters: &Sorted<'_, Member>,
    starts: &[&[u8]],
    counts: &mut Counts,
    mut give: impl FnMut(ClusterRow) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut members, mut ahead) = (clusters.read()?, clusters.read()?);
    while let Some(survivor) = members.next()?.cloned() {
        let size = size(&mut ahead)?;
        let mut give = |place, member: &Member| {
            give(ClusterRow {
                file: file_of(starts, surt_of(&survivor.key)),
                survivor: survivor.key.clone(),
                place,
                row: row(&survivor, member, size, place == 0),
            })
        };
        give(0, &survivor)?;
        for place in 1..size {
            let member = members.next()?.ok_or(Error::Damaged)?;
            counts.copied_words += u64::from(member.words);
            give(place, member)?;
        }
        counts.clusters += 1;
        counts.documents += size;
    }
    Ok(())
}

/// The number of documents of the next cluster.
fn size(ahead: &mut Reader<'_, Member>) -> Result<u64, Error> {
    let mut size = 1;
    let least = ahead.next()?.ok_or(Error::Damaged)?.least;
    while ahead.next_if(|member| member.least == least)?.is_some() {
        size += 1;
    }
    Ok(size)
}

fn row(survivor: &Member, member: &Member, size: u64, survives: bool) -> DuplicateRow {
    DuplicateRow {
        similarity: Share(similarity(&survivor.sketch, &member.sketch)),
        row_id: member.row_id.clone(),
        record_id: member.record_id.clone(),
        cluster: survivor.row_id.clone(),
        cluster_size: size,
        survivor: survives,
    }
}
