//! Exact and near duplicates: which documents have the same text, or nearly the same, and which of them survives.
//!
//! In: the [signature](gleaner_curate) of each document, taken when it is labelled. Out: the table duplicates, with a row
//! of each document in a cluster of two or more.
//!
//! - [`signed`]: of the documents of a chunk, entries by key, in order, and what is known of each.
//! - [`bands`]: the entries of all chunks, in order. Documents that share a key collide.
//! - [`components`] and [`stars`]: clusters are the connected components of documents that collide. The first finds them
//!   in memory, as a differential collection, which documents enter and leave; the second in bounded memory.
//! - [`rows`]: the survivor of each cluster, and the rows.

mod bands;
mod components;
mod rows;
mod signed;
mod stars;

use std::sync::Arc;

use gleaner_corpus::{Corpus, DuplicateRow, Row};
pub use gleaner_curate::SignatureConfig;

use bands::{DocumentId, Entry, collisions};
use rows::{Clusters, Duplicates};
use signed::Facts;
pub(crate) use signed::{ChunkSigner, DocumentSigner, SignedRuns};
use stars::Edges;

use crate::error::Error;
use crate::memory::Memory;
use crate::sorted_runs::{Lookup, Merge, Run, Runs, Sorter};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// How duplicates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DuplicateConfig {
    /// Words of a shingle, bands, and their rows.
    pub signatures: SignatureConfig,
    /// The least estimated similarity of near duplicates, from 0 to 1. Without, all are that share a band.
    pub verify: Option<f32>,
}

/// Numbers of scratch files that no chunk has.
const ENTRIES: u32 = u32::MAX;
const EDGES: u32 = u32::MAX - 1;
const CLUSTERS: u32 = u32::MAX - 2;

/// Writes the table: from the signatures of all chunks, by number; a chunk without documents has none.
pub(crate) fn write(
    corpus: &Corpus,
    staging: &Arc<Staging>,
    config: &DuplicateConfig,
    chunks: &[Option<SignedRuns>],
    chunk_size: u64,
    memory: Memory,
) -> Result<Duplicates, Error> {
    let found = SignaturesOfChunks {
        staging,
        chunks,
        verify: config.verify,
    };
    let written = found.write(corpus, chunk_size, most_entries(memory))?;
    if !written.files.is_empty() {
        corpus.commit(&DuplicateRow::TABLE, 0, &written.files)?;
    }
    Ok(written)
}

/// The signatures of all documents.
struct SignaturesOfChunks<'a> {
    staging: &'a Arc<Staging>,
    chunks: &'a [Option<SignedRuns>],
    verify: Option<f32>,
}

impl SignaturesOfChunks<'_> {
    /// Writes rows, with `clusters_of_file` clusters in a file on average. More than `most` entries that collide are not looked at in
    /// memory.
    fn write(&self, corpus: &Corpus, clusters_of_file: u64, most: usize) -> Result<Duplicates, Error> {
        let sorter = Sorter::new(self.staging, StagedFile::Scratch(CLUSTERS, 0));
        let mut clusters = Clusters::new(sorter);
        let mut facts = KnownFacts::new(self.staging, self.chunks);
        self.label(most, |document, least| clusters.push(least, &facts.of(document)?))?;
        clusters.write(corpus, clusters_of_file)
    }

    /// Gives the least document of its cluster for each document in one, in order.
    fn label(
        &self,
        most: usize,
        mut take: impl FnMut(DocumentId, DocumentId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut edges: Option<Edges> = None;
        collisions(self.entries()?, self.verify, |found| {
            if let Some(edges) = &mut edges {
                return edges.push(found.first, found.other);
            }
            if entries.last().is_none_or(|&(key, _)| key != found.key) {
                entries.push((found.key, found.first));
            }
            entries.push((found.key, found.other));
            if entries.len() >= most {
                edges = Some(edges_of(self.staging, std::mem::take(&mut entries))?);
            }
            Ok(())
        })?;
        self.staging.discard(StagedFile::Scratch(ENTRIES, 0));
        match edges {
            Some(edges) => edges.labels(take),
            None => components::labels(entries)
                .into_iter()
                .try_for_each(|(document, least)| take(document, least)),
        }
    }

    /// The entries of all chunks, by key.
    fn entries(&self) -> Result<Merge, Error> {
        let entries = self.chunks.iter().flatten().map(|[entries, _]| *entries);
        Merge::of_all(entries, self.staging, StagedFile::Scratch(ENTRIES, 0))
    }
}

/// How many entries that collide are looked at in memory.
fn most_entries(memory: Memory) -> usize {
    /// About what an entry takes in the dataflow, in bytes.
    const ENTRY: u64 = 256;
    /// In the dataflow a label goes one document further in each round: a chain takes as many rounds as it is long, and no chain
    /// is to be very long.
    const MOST: u64 = 1 << 16;
    // What workers need is not needed any more.
    memory.most().map_or(MOST, |most| MOST.min(most / 2 / ENTRY)) as usize
}

/// The same links as edges. Of the entries of a key the first is linked with each other.
fn edges_of(staging: &Arc<Staging>, entries: Vec<Entry>) -> Result<Edges, Error> {
    let mut edges = Edges::new(staging, EDGES);
    let mut first: Option<Entry> = None;
    for (key, document) in entries {
        match first {
            Some((same, least)) if same == key => edges.push(least, document)?,
            _ => first = Some((key, document)),
        }
    }
    Ok(edges)
}

/// Looks up what is known of documents. Those of a chunk come one after the other.
struct KnownFacts<'a> {
    staging: &'a Arc<Staging>,
    chunks: &'a [Option<SignedRuns>],
    of_chunk: Option<(usize, Lookup)>,
}

impl<'a> KnownFacts<'a> {
    fn new(staging: &'a Arc<Staging>, chunks: &'a [Option<SignedRuns>]) -> KnownFacts<'a> {
        KnownFacts {
            staging,
            chunks,
            of_chunk: None,
        }
    }

    fn of(&mut self, document: DocumentId) -> Result<Facts, Error> {
        let (chunk, place) = ((document >> 32) as usize, document as u32);
        if self.of_chunk.as_ref().is_none_or(|(open, _)| *open != chunk) {
            let [_, facts] = self.chunks.get(chunk).copied().flatten().ok_or(Error::Damaged)?;
            let runs = Runs {
                staging: Arc::clone(self.staging),
                runs: [Arc::new(Run::open(facts, self.staging)?)].into(),
            };
            self.of_chunk = Some((chunk, Lookup::new(&runs)));
        }
        let (_, lookup) = self.of_chunk.as_mut().ok_or(Error::Damaged)?;
        Facts::read(lookup.get(0, &place.to_be_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;

    use gleaner_corpus::{DocumentRow, Identity, Millis};
    use gleaner_curate::Signer;
    use gleaner_store::{Options, Store};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;
    use crate::data::message::Signed;

    /// Numbers that look random (SplitMix64).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ mixed >> 31) % end as u64) as usize
        }
    }

    /// Documents in families: members have some other words than the first. Every other family is in a script without spaces;
    /// some documents have two words, and some none.
    fn documents(count: usize) -> Vec<DocumentRow> {
        let mut numbers = Numbers(5);
        let mut first: Vec<String> = Vec::new();
        let documents = (0..count).map(|number| {
            let word = |numbers: &mut Numbers, spaced: bool| match spaced {
                true => (0..3)
                    .map(|_| char::from(b'a' + numbers.below(26) as u8))
                    .chain([' '])
                    .collect(),
                false => char::from_u32(0x4e00 + numbers.below(5000) as u32)
                    .unwrap()
                    .to_string(),
            };
            let spaced = number / 8 % 2 == 0;
            if number % 4 == 0 {
                let length = 40 + numbers.below(100);
                first = (0..length).map(|_| word(&mut numbers, spaced)).collect();
            }
            let mut words = first.clone();
            for _ in 0..number % 4 * numbers.below(4) {
                let place = numbers.below(words.len());
                words[place] = word(&mut numbers, spaced);
            }
            let text = match number % 50 {
                7 => String::new(),
                9 => "two words".to_owned(),
                _ => words.concat(),
            };
            DocumentRow {
                row_id: format!("row {number}"),
                record_id: format!("<{number}>"),
                surt: format!("example,s{:02})/{number:05}", number % 90),
                crawl_date: (number % 11 != 0).then_some(Millis(5 - (number % 7) as i64)),
                word_count: words.len() as u32,
                text,
                ..DocumentRow::default()
            }
        });
        let mut documents: Vec<DocumentRow> = documents.collect();
        documents.sort_by_key(crate::data::key::of_document);
        documents
    }

    fn signer() -> DocumentSigner {
        DocumentSigner::new(Signer::new(SignatureConfig::default()).unwrap())
    }

    /// What the table has of each document: its cluster, the cluster's size, and whether it survives.
    type Rows = BTreeMap<String, (String, u64, bool)>;

    /// Writes the table with documents dealt to chunks. Gives names of files and rows.
    fn written(
        documents: &[DocumentRow],
        chunk: usize,
        verify: Option<f32>,
        most: usize,
    ) -> (Vec<String>, Rows) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let staging = Arc::new(Staging::new(&output));
        let mut signer = signer();
        let chunks = documents.chunks(chunk).zip(0..).map(|(documents, number)| {
            let mut chunk = ChunkSigner::new(&staging, number, verify.is_some());
            for document in documents {
                chunk.push(document, &signer.sign(&document.text)).unwrap();
            }
            Some(chunk.finish().unwrap())
        });
        let chunks: Vec<Option<SignedRuns>> = chunks.chain([None]).collect();
        let found = SignaturesOfChunks {
            staging: &staging,
            chunks: &chunks,
            verify,
        };
        let counted = found.write(&corpus, 16, most).unwrap();
        let names = counted.files.iter().map(|file| file.name.clone()).collect();
        let rows = counted.files.iter().flat_map(|file| {
            let file = fs::File::open(folder.path().join(&file.name)).unwrap();
            let reader = SerializedFileReader::new(file).unwrap();
            let rows = reader.get_row_iter(None).unwrap();
            let rows = rows.map(|row| {
                let row = row.unwrap();
                let known = (
                    row.get_string(2).unwrap().clone(),
                    row.get_long(3).unwrap() as u64,
                    row.get_bool(4).unwrap(),
                );
                (row.get_string(0).unwrap().clone(), known)
            });
            rows.collect::<Vec<_>>()
        });
        (names, rows.collect())
    }

    /// The slow way: each document is compared with each other.
    fn slow(documents: &[DocumentRow], verify: Option<f32>) -> Rows {
        let mut signer = signer();
        let signed: Vec<Signed> = documents
            .iter()
            .map(|document| signer.sign(&document.text))
            .collect();
        let mut clusters: Vec<BTreeSet<usize>> = (0..documents.len())
            .map(|number| BTreeSet::from([number]))
            .collect();
        let mut by_key: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, signed) in signed.iter().enumerate() {
            signed
                .keys
                .iter()
                .for_each(|key| by_key.entry(*key).or_default().push(number));
        }
        for members in by_key.values() {
            let pairs = members
                .iter()
                .flat_map(|one| members.iter().map(move |other| (*one, *other)));
            for (one, other) in pairs {
                let [known, sketch] = [one, other].map(|number| &*signed[number].sketch);
                let similar =
                    || verify.is_none_or(|least| gleaner_curate::similarity(known, sketch) >= least);
                if !clusters[one].contains(&other) && similar() {
                    let joined: BTreeSet<usize> = clusters[one].union(&clusters[other]).copied().collect();
                    joined
                        .iter()
                        .for_each(|&member| clusters[member].clone_from(&joined));
                }
            }
        }
        let rank = |number: &&usize| {
            let document = &documents[**number];
            let time = document.crawl_date.map_or(i64::MAX, |date| date.0);
            (time, usize::MAX - document.text.chars().count(), **number)
        };
        let rows = clusters
            .iter()
            .enumerate()
            .filter(|(_, cluster)| cluster.len() > 1);
        let rows = rows.map(|(number, cluster)| {
            let survivor = *cluster.iter().min_by_key(rank).unwrap();
            let known = (
                documents[survivor].row_id.clone(),
                cluster.len() as u64,
                survivor == number,
            );
            (documents[number].row_id.clone(), known)
        });
        rows.collect()
    }

    #[test]
    fn clusters_are_those_of_all_pairs() {
        for (count, verify) in [(2000, None), (400, Some(0.85))] {
            let documents = documents(count);
            let (files, rows) = written(&documents, 700, verify, usize::MAX);
            assert!(
                rows.len() > count / 3 && files.len() > 1,
                "{} {}",
                rows.len(),
                files.len()
            );
            assert_eq!(rows, slow(&documents, verify));
            let sizes: BTreeSet<u64> = rows.values().map(|(_, size, _)| *size).collect();
            assert!(sizes.len() > 3, "{sizes:?}");
        }
    }

    #[test]
    fn in_bounded_memory_and_other_chunks_the_files_are_the_same() {
        let documents = documents(400);
        for verify in [None, Some(0.85)] {
            let (files, _) = written(&documents, 130, verify, usize::MAX);
            for (chunk, most) in [(130, 1), (130, 90), (7, usize::MAX)] {
                assert_eq!(
                    written(&documents, chunk, verify, most).0,
                    files,
                    "{chunk} {most}"
                );
            }
        }
    }
}
