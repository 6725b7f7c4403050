//! How pages that are sorted are cut into chunks, and these into units.
//!
//! A chunk is a range of keys: it becomes one file in each table of pages. A unit is a smaller one: a worker labels it at a time, it
//! becomes a row group in each of these files, and its state is one file. The hash of a SURT decides whether one of them begins
//! there, and nothing else: not the number of pages before it, nor the run they are in. So a page that is added or taken away
//! changes the unit it is in, and splits it or joins it with the one before at most.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_corpus::Crawl;

use crate::data::key::{KeyRange, after, crawl_of, surt_of};
use crate::error::Error;
use crate::sorted_runs::{Merge, Run, Runs, begins_chunk};
use crate::state::written::UnitPlace;

/// Pages of a chunk, on the average.
pub const DEFAULT_CHUNK: u64 = 1 << 15;

/// Pages of a unit, on the average, where a chunk has not fewer.
pub(crate) const UNIT: u64 = 1 << 10;

/// A range of keys that becomes one file in each table of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// How its keys begin.
    pub(crate) crawl: Vec<u8>,
    pub(crate) units: Vec<ChunkUnit>,
}

/// What a worker labels at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkUnit {
    pub(crate) keys: KeyRange,
    /// About how many bytes its pages have.
    pub(crate) bytes: u64,
    /// The unit of the version before that it still is, if there is one.
    pub(crate) kept: Option<UnitPlace>,
}

impl Chunk {
    /// Of each of its units the old one that it is, if there is one.
    pub(crate) fn kept_units(&self) -> Vec<Option<UnitPlace>> {
        self.units.iter().map(|unit| unit.kept).collect()
    }

    /// Its crawl, if that has a name.
    pub(crate) fn crawl(&self) -> Option<Crawl> {
        crawl_of(&self.crawl)
    }
}

impl ChunkUnit {
    /// What there is to do in it, in steps of progress.
    pub(crate) fn steps(&self) -> u64 {
        match self.kept {
            Some(_) => 0,
            None => self.bytes.max(1),
        }
    }
}

/// A crawl that has pages.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CutCrawl {
    /// How its keys begin.
    prefix: Vec<u8>,
    /// Its first SURT.
    first: Vec<u8>,
}

/// Cuts the pages of some runs into chunks of this number of pages, on the average: a power of two, so that a unit begins with each
/// chunk. A crawl without pages has no chunk. The first unit of a crawl begins where its keys do.
fn cut(crawls: &[CutCrawl], runs: &[Arc<Run>], chunk: u64) -> Vec<Chunk> {
    debug_assert!(chunk.is_power_of_two());
    let mut landmarks = landmarks(runs).into_iter().peekable();
    let mut chunks = Vec::new();
    for CutCrawl { prefix, first } in crawls {
        let end = after(prefix);
        let mut units = Vec::new();
        let mut last = ChunkUnit {
            keys: prefix.clone()..end.clone(),
            ..ChunkUnit::default()
        };
        while let Some((surt, bytes)) = landmarks.next_if(|(surt, _)| end.is_empty() || *surt < &*end) {
            if surt > &**first && begins_chunk(surt, chunk.min(UNIT)) {
                last.keys.end = surt.to_vec();
                let keys = surt.to_vec()..end.clone();
                units.push(std::mem::replace(
                    &mut last,
                    ChunkUnit {
                        keys,
                        ..ChunkUnit::default()
                    },
                ));
            }
            last.bytes += bytes;
        }
        units.push(last);
        let of_chunks = units.chunk_by(|_, next| !begins_chunk(&next.keys.start, chunk));
        chunks.extend(of_chunks.map(|units| Chunk {
            crawl: prefix.clone(),
            units: units.to_vec(),
        }));
    }
    chunks
}

/// Cuts the pages of some crawls into chunks.
pub(crate) fn cut_crawls(
    prefixes: BTreeSet<Vec<u8>>,
    pages: &Runs,
    chunk_size: u64,
) -> Result<Vec<Chunk>, Error> {
    let mut crawls = Vec::new();
    for prefix in prefixes {
        let mut pages = Merge::new(pages, &prefix, &after(&prefix))?;
        if let Some(first) = pages.peek()?.map(|key| surt_of(key).to_vec()) {
            crawls.push(CutCrawl { prefix, first });
        }
    }
    Ok(cut(&crawls, &pages.runs, chunk_size))
}

/// The landmarks of all runs, by key, each with about the bytes of pages from there to the next.
fn landmarks(runs: &[Arc<Run>]) -> Vec<(&[u8], u64)> {
    let mut all: Vec<(&[u8], u64)> = Vec::new();
    for run in runs {
        // What is before the first landmark belongs to the first unit.
        let (mut surt, mut before): (&[u8], u64) = (&[], 0);
        for landmark in &run.landmarks {
            all.push((surt, landmark.before - before));
            (surt, before) = (&landmark.surt, landmark.before);
        }
        all.push((surt, run.bytes - before));
    }
    all.sort_unstable();
    all.dedup_by(|(surt, bytes), (before, sum)| {
        let is_same = surt == before;
        *sum += if is_same { *bytes } else { 0 };
        is_same
    });
    all
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::surt;
    use proptest::prelude::*;

    use super::*;
    use crate::data::key::END;
    use crate::sorted_runs::{Layout, RunBuffer};
    use crate::staging::for_test;
    use crate::staging::staged_file::StagedFile;

    fn key(number: u32) -> Vec<u8> {
        let url = format!("http://s{}.example/{number}", number % 97);
        [surt(&url).as_bytes(), &[END], &number.to_be_bytes()].concat()
    }

    /// Runs of these pages, dealt by number.
    fn runs(numbers: impl Iterator<Item = u32>, count: u32) -> Vec<Arc<Run>> {
        let (_folder, _, staging) = for_test();
        let mut buffers: Vec<RunBuffer> = (0..count).map(|_| RunBuffer::default()).collect();
        for number in numbers {
            buffers[(number % count) as usize].push(&key(number), |bytes| bytes.extend_from_slice(&[0; 40]));
        }
        let file = StagedFile::Units(0, 0);
        let run = |buffer: &mut RunBuffer| Arc::new(buffer.run(&staging, file, Layout::SHORT).unwrap());
        buffers.iter_mut().map(run).collect()
    }

    /// The crawl without a name, of these pages.
    fn whole(numbers: &BTreeSet<u32>) -> Vec<CutCrawl> {
        let first = numbers.iter().map(|&number| surt_of(&key(number)).to_vec()).min();
        let crawl = |first| CutCrawl {
            prefix: Vec::new(),
            first,
        };
        first.map(crawl).into_iter().collect()
    }

    /// Where chunks begin, and the pages of each.
    fn files(numbers: &BTreeSet<u32>, runs: &[Arc<Run>], pages: u64) -> BTreeSet<Vec<u32>> {
        let mut keys: Vec<(Vec<u8>, u32)> = numbers.iter().map(|&number| (key(number), number)).collect();
        keys.sort();
        let mut keys = keys.into_iter().peekable();
        let chunks = cut(&whole(numbers), runs, pages);
        let files = chunks.iter().map(|chunk| {
            let end = &chunk.units.last().unwrap().keys.end;
            let is_in = |(key, _): &(Vec<u8>, u32)| end.is_empty() || key < end;
            std::iter::from_fn(|| keys.next_if(is_in))
                .map(|(_, number)| number)
                .collect()
        });
        files.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn chunks_follow_from_the_pages_alone(
            mut numbers in prop::collection::btree_set(any::<u32>(), 0..2000), count in 1u32..6, more: u32,
        ) {
            let one = files(&numbers, &runs(numbers.iter().copied(), 1), 64);
            prop_assert_eq!(&one, &files(&numbers, &runs(numbers.iter().copied(), count), 64));
            prop_assert_eq!(one.iter().map(Vec::len).sum::<usize>(), numbers.len());
            prop_assert!(one.iter().all(|pages| !pages.is_empty()));
            // A page more changes the file that it falls in, or makes two of that.
            numbers.insert(more);
            let after = files(&numbers, &runs(numbers.iter().copied(), 1), 64);
            prop_assert!(after.difference(&one).count() <= 2 && one.difference(&after).count() <= 1);
        }

        #[test]
        fn units_cover_all_keys_once(numbers in prop::collection::btree_set(any::<u32>(), 1..3000)) {
            let chunks = cut(&whole(&numbers), &runs(numbers.into_iter(), 3), 512);
            let mut end: Vec<u8> = Vec::new();
            for unit in chunks.iter().flat_map(|chunk| &chunk.units) {
                prop_assert_eq!(&unit.keys.start, &end);
                end.clone_from(&unit.keys.end);
            }
            prop_assert!(end.is_empty(), "the last is open");
        }
    }
}
