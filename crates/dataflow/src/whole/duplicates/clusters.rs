//! The survivor of each cluster, and the rows of the table.

use gleaner_corpus::{DuplicateRow, Share};
use gleaner_curate::similarity;
use serde::{Deserialize, Serialize};

use super::super::sorter::{Reader, Record, Sorted};
use super::super::step::{NumberedPart, Step, file_of};
use super::super::{Counts, DocumentId, Units};
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
    facts: Facts,
}

impl Record for Member {}

impl Member {
    pub(super) fn new(least: DocumentId, facts: Facts) -> Member {
        Member {
            least,
            time: facts.time,
            shortness: u32::MAX - facts.length,
            facts,
        }
    }
}

impl<U: Units> Step<'_, U> {
    /// Writes the rows of clusters. Files are cut by the survivors, so the worker that writes a file is known to all.
    pub(super) fn write_clusters(
        &self,
        clusters: &Sorted<'_, Member>,
    ) -> Result<(Vec<NumberedPart>, Counts), Error> {
        let starts = self.starts(CHUNKS * self.whole.chunk_size);
        let mut counts = Counts::default();
        let files = self.write_rows(
            "rows",
            |_| None,
            |give| {
                let (mut members, mut ahead) = (clusters.read()?, clusters.read()?);
                while let Some(survivor) = members.peek().map(|member| member.facts.clone()) {
                    let (file, size) = (file_of(&starts, surt_of(&survivor.key)), size(&mut ahead)?);
                    for place in 0..size {
                        let Member { facts, .. } = members.next()?.ok_or(Error::Damaged)?;
                        counts.copied_words += u64::from(facts.words) * u64::from(place > 0);
                        let row = row(&survivor, facts, size, place == 0);
                        give(file, (survivor.key.clone(), place), row)?;
                    }
                    counts.clusters += 1;
                    counts.documents += size;
                }
                Ok(())
            },
        )?;
        Ok((files, counts))
    }
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

fn row(survivor: &Facts, member: &Facts, size: u64, survives: bool) -> DuplicateRow {
    DuplicateRow {
        similarity: Share(similarity(&survivor.sketch, &member.sketch)),
        row_id: member.row_id.clone(),
        record_id: member.record_id.clone(),
        cluster: survivor.row_id.clone(),
        cluster_size: size,
        survivor: survives,
    }
}
