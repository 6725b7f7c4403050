//! How pages that are sorted are cut into chunks, and these into units of work.
//!
//! A chunk is a range of keys: it becomes one file in each table of pages. The hash of a SURT decides whether a chunk begins
//! there, and nothing else: not the number of pages before it, nor the run they are in. So a page that is added or taken away
//! changes the chunk it is in, and splits it or joins it with the one before at most.
//!
//! A unit is what a worker labels at a time. The tables do not depend on where units begin: the evidence of a site is the same
//! in all of them.

use std::ops::Range;
use std::sync::Arc;

use crate::data::key::surt_of;
use crate::sorted_runs::{Run, begins_chunk, landmark};

/// Pages of a chunk, on the average.
pub const DEFAULT_CHUNK: u64 = 1 << 15;

/// Units of a small crawl, from which the bytes of a unit follow, within bounds.
const UNITS: u64 = 32;
const LEAST: u64 = 256 << 10;
const MOST: u64 = 4 << 20;

/// Of a large crawl no more units are planned than these.
const MOST_UNITS: u64 = 1 << 20;

/// Keys from one on, up to another and without that; to the last where it is empty.
pub(crate) type KeyRange = Range<Vec<u8>>;

/// A range of keys that becomes one file in each table of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) units: Vec<ChunkUnit>,
}

/// What a worker labels at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkUnit {
    pub(crate) keys: KeyRange,
    /// About how many bytes its pages have.
    pub(crate) bytes: u64,
}

impl Chunk {
    /// About how many bytes its pages have.
    pub(crate) fn bytes(&self) -> u64 {
        self.units.iter().map(|unit| unit.bytes).sum()
    }
}

/// Cuts the pages of some runs into chunks of `pages` pages, on average. Without pages there is no chunk.
pub(crate) fn cut(runs: &[Arc<Run>], pages: u64) -> Vec<Chunk> {
    let all: u64 = runs.iter().map(|run| run.bytes).sum();
    let unit_bytes = (all / UNITS).clamp(LEAST, MOST).max(all / MOST_UNITS);
    let Some(first) = runs.iter().filter_map(|run| run.first_key()).min() else {
        return Vec::new();
    };
    let mut cutter = Cutter {
        unit_bytes,
        chunks: vec![Chunk::default()],
        unit: ChunkUnit::default(),
    };
    for (surt, bytes) in landmarks(runs) {
        match landmark(surt) {
            Some(_) if begins_chunk(surt, pages) && surt > surt_of(first) => cutter.end_chunk(surt),
            Some(_) => cutter.pass(surt),
            None => {}
        }
        cutter.unit.bytes += bytes;
    }
    cutter.end_unit(&[]);
    cutter.chunks
}

/// The landmarks of all runs, by key, each with about the bytes of pages from there to the next.
fn landmarks(runs: &[Arc<Run>]) -> Vec<(&[u8], u64)> {
    let mut all: Vec<(&[u8], u64)> = Vec::new();
    for run in runs {
        let landmarks = run.landmarks();
        let ends = landmarks
            .iter()
            .skip(1)
            .map(|next| next.before)
            .chain([run.bytes]);
        let lengths = landmarks.iter().zip(ends);
        // What is before the first landmark begins at the first key.
        let first = run.first_key().map(surt_of).unwrap_or_default();
        all.push((first, landmarks.first().map_or(run.bytes, |first| first.before)));
        all.extend(lengths.map(|(landmark, end)| (&*landmark.surt, end - landmark.before)));
    }
    all.sort_unstable();
    all.dedup_by(|(surt, bytes), (before, sum)| {
        let is_same = surt == before;
        if is_same {
            *sum += *bytes;
        }
        is_same
    });
    all
}

struct Cutter {
    unit_bytes: u64,
    chunks: Vec<Chunk>,
    unit: ChunkUnit,
}

impl Cutter {
    /// Moves to the next landmark, where a unit may end: before the first page of the site, where that is in it.
    fn pass(&mut self, surt: &[u8]) {
        if self.unit.bytes < self.unit_bytes {
            return;
        }
        const HOST_END: u8 = b')';
        let host = surt
            .iter()
            .position(|&byte| byte == HOST_END)
            .map(|end| &surt[..=end]);
        let site = host.filter(|&site| *site > *self.unit.keys.start);
        self.end_unit(site.unwrap_or(surt));
    }

    fn end_unit(&mut self, end: &[u8]) {
        let next = ChunkUnit {
            keys: end.to_vec()..Vec::new(),
            bytes: 0,
        };
        let mut unit = std::mem::replace(&mut self.unit, next);
        unit.keys.end = end.to_vec();
        let chunk = self.chunks.last_mut().expect("there is one from the beginning");
        chunk.units.push(unit);
    }

    fn end_chunk(&mut self, end: &[u8]) {
        // The unit before may have ended behind it: at this very landmark.
        self.end_unit(end);
        self.chunks.push(Chunk::default());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gleaner_corpus::surt;
    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::*;
    use crate::data::key::END;
    use crate::sorted_runs::{LANDMARK, Layout, RunBuffer};
    use crate::staging::Staging;
    use crate::staging::staged_file::StagedFile;

    fn key(number: u32) -> Vec<u8> {
        let url = format!("http://s{}.example/{number}", number % 97);
        [surt(&url).as_bytes(), &[END], &number.to_be_bytes()].concat()
    }

    /// Runs of these pages, dealt by number.
    fn runs(numbers: impl Iterator<Item = u32>, count: u32) -> Vec<Arc<Run>> {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let staging = Staging::new(&store.output(folder.path().to_str().unwrap()).unwrap());
        let mut buffers: Vec<RunBuffer> = (0..count).map(|_| RunBuffer::default()).collect();
        for number in numbers {
            buffers[(number % count) as usize].push(&key(number), |bytes| bytes.extend_from_slice(&[0; 40]));
        }
        let run = |buffer: &mut RunBuffer| {
            Arc::new(
                buffer
                    .run(&staging, StagedFile::Units(0, 0), Layout::SHORT)
                    .unwrap(),
            )
        };
        buffers.iter_mut().map(run).collect()
    }

    /// Where chunks begin, and the pages of each.
    fn files(numbers: &BTreeSet<u32>, runs: &[Arc<Run>], pages: u64) -> BTreeSet<Vec<u32>> {
        let mut keys: Vec<(Vec<u8>, u32)> = numbers.iter().map(|&number| (key(number), number)).collect();
        keys.sort();
        let mut keys = keys.into_iter().peekable();
        let chunks = cut(runs, pages);
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
            numbers in prop::collection::btree_set(any::<u32>(), 0..2000), count in 1u32..6,
        ) {
            let one = files(&numbers, &runs(numbers.iter().copied(), 1), 64);
            prop_assert_eq!(&one, &files(&numbers, &runs(numbers.iter().copied(), count), 64));
            prop_assert_eq!(one.iter().map(Vec::len).sum::<usize>(), numbers.len());
            prop_assert!(one.iter().all(|pages| !pages.is_empty()));
        }

        #[test]
        fn units_cover_all_keys_once(numbers in prop::collection::btree_set(any::<u32>(), 1..3000)) {
            let chunks = cut(&runs(numbers.into_iter(), 3), 512);
            let mut end: Vec<u8> = Vec::new();
            for unit in chunks.iter().flat_map(|chunk| &chunk.units) {
                prop_assert_eq!(&unit.keys.start, &end);
                end.clone_from(&unit.keys.end);
            }
            prop_assert!(end.is_empty(), "the last is open");
        }
    }

    /// A page that is added or taken away is a run of its own here.
    #[test]
    fn a_page_more_or_less_changes_two_files_at_most() {
        const PAGES: u32 = 500_000;
        const CHUNK: u64 = 4096;
        let [all] = &runs(0..PAGES, 1)[..] else { panic!() };
        let starts = |runs: &[Arc<Run>]| -> BTreeSet<Vec<u8>> {
            let chunks = cut(runs, CHUNK).into_iter();
            chunks.map(|chunk| chunk.units[0].keys.start.clone()).collect()
        };
        let before = starts(std::slice::from_ref(all));
        assert!(before.len() > 60, "{} files", before.len());
        let begins_a_chunk = |number: &u32| {
            let number = landmark(surt_of(&key(*number)));
            number.is_some_and(|number| number.is_multiple_of(CHUNK / LANDMARK))
        };
        let usual = PAGES..PAGES + 40;
        let mut changed = 0;
        for number in usual.chain((PAGES..).filter(begins_a_chunk).take(4)) {
            let [one] = &runs([number].into_iter(), 1)[..] else {
                panic!()
            };
            let after = starts(&[Arc::clone(all), Arc::clone(one)]);
            let new = after.difference(&before).count();
            // The file that the page falls in, and the one that it begins.
            changed += 1 + new;
            assert!(after.is_superset(&before) && new <= 1, "{number}: {new}");
        }
        assert_eq!(changed, 48);
    }
}
