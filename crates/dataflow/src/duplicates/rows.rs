//! The survivor of each cluster, and the rows of the table.

use gleaner_corpus::{Corpus, DuplicateRow, Part, Share};
use gleaner_curate::similarity;

use super::bands::{DocumentId, number};
use super::signed::Facts;
use crate::data::key::surt_of;
use crate::data::packing::pack;
use crate::data::row_files::RowFiles;
use crate::error::Error;
use crate::sorted_runs::begins_chunk;
use crate::sorted_runs::{Merge, Sorted, Sorter};

/// What is in the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Duplicates {
    pub(crate) files: Vec<Part>,
    pub(crate) documents: u64,
    pub(crate) clusters: u64,
    /// Words of documents that do not survive.
    pub(crate) copied_words: u64,
}

/// Documents by cluster: that which survives first, the others in the order in which they would.
pub(crate) struct Clusters(Sorter);

impl Clusters {
    pub(crate) fn new(sorter: Sorter) -> Clusters {
        Clusters(sorter)
    }

    /// Takes a document of the cluster whose least document is `least`.
    pub(crate) fn push(&mut self, least: DocumentId, facts: &Facts) -> Result<(), Error> {
        let mut key = least.to_be_bytes().to_vec();
        key.extend_from_slice(&rank(facts));
        self.0.push(&key, |bytes| pack(facts, bytes))
    }

    /// Writes the rows. `chunk` is the number of clusters of a file, on the average.
    pub(crate) fn write(self, corpus: &Corpus, chunk: u64) -> Result<Duplicates, Error> {
        let sorted = self.0.sorted()?;
        let mut sizes = Sizes::new(&sorted)?;
        let mut writer = Writer {
            chunk,
            files: RowFiles::new(corpus),
            counted: Duplicates::default(),
        };
        let (mut records, mut survivor) = (sorted.read()?, None);
        while let Some(record) = records.next()? {
            let (cluster, facts) = (cluster_of(record.key)?, Facts::read(record.value)?);
            match &survivor {
                Some(Survivor { cluster: same, .. }) if *same == cluster => {}
                _ => {
                    writer.begin(&facts)?;
                    survivor = Some(Survivor {
                        cluster,
                        size: sizes.next()?,
                        facts: facts.clone(),
                    });
                }
            }
            let survivor = survivor.as_ref().expect("there is one from the first record on");
            writer.push(survivor, facts)?;
        }
        writer.end()
    }
}

/// Who survives has the least rank: the earliest capture, of those the longest text, of those the least key.
fn rank(facts: &Facts) -> Vec<u8> {
    let mut rank = facts.time.to_be_bytes().to_vec();
    rank.extend_from_slice(&(u32::MAX - facts.length).to_be_bytes());
    rank.extend_from_slice(&facts.key);
    rank
}

fn cluster_of(key: &[u8]) -> Result<DocumentId, Error> {
    number(key.get(..8).ok_or(Error::Damaged)?)
}

/// The sizes of clusters, read ahead of their rows.
struct Sizes {
    records: Merge,
}

impl Sizes {
    fn new(sorted: &Sorted) -> Result<Sizes, Error> {
        Ok(Sizes {
            records: sorted.read()?,
        })
    }

    /// The size of the next cluster.
    fn next(&mut self) -> Result<u64, Error> {
        let (mut size, mut cluster) = (0, None);
        while let Some(key) = self.records.peek()? {
            let of_key = cluster_of(key)?;
            if *cluster.get_or_insert(of_key) != of_key {
                break;
            }
            size += 1;
            self.records.next()?;
        }
        Ok(size)
    }
}

struct Survivor {
    cluster: DocumentId,
    size: u64,
    facts: Facts,
}

struct Writer<'a> {
    chunk: u64,
    files: RowFiles<'a, DuplicateRow>,
    counted: Duplicates,
}

impl Writer<'_> {
    /// Begins the rows of a cluster, in a new file if the URL of its survivor says so.
    fn begin(&mut self, survivor: &Facts) -> Result<(), Error> {
        self.counted.clusters += 1;
        match begins_chunk(surt_of(&survivor.key), self.chunk) {
            true => self.files.end_file(),
            false => Ok(()),
        }
    }

    fn push(&mut self, survivor: &Survivor, facts: Facts) -> Result<(), Error> {
        let survives = facts.key == survivor.facts.key;
        self.counted.documents += 1;
        if !survives {
            self.counted.copied_words += u64::from(facts.words);
        }
        self.files.push(&DuplicateRow {
            similarity: Share(similarity(&survivor.facts.sketch, &facts.sketch)),
            row_id: facts.row_id,
            record_id: facts.record_id,
            cluster: survivor.facts.row_id.clone(),
            cluster_size: survivor.size,
            survivor: survives,
        })
    }

    fn end(mut self) -> Result<Duplicates, Error> {
        self.counted.files = self.files.end()?;
        Ok(self.counted)
    }
}
