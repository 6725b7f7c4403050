//! Records of many runs, by key.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{FramePlace, Layout, Run, RunPlace, RunWriter, StagedSink, record};
use crate::error::Error;
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// Runs that are read side by side: with a frame of each in memory.
pub(crate) const FAN_IN: usize = 128;

/// Bytes of frames that look-ups have at hand.
const AT_HAND: usize = 16 << 20;

/// A record, and the number of the run that it is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
    pub(crate) run: usize,
}

/// Some runs, and where they are.
#[derive(Clone)]
pub(crate) struct Runs {
    pub(crate) staging: Arc<Staging>,
    pub(crate) runs: Arc<[Arc<Run>]>,
    /// Whether a key of the first of them is left out, if some are.
    pub(crate) left_out: Option<Arc<LeftOut>>,
}

impl Runs {
    pub(crate) fn new(staging: &Arc<Staging>, runs: Vec<Arc<Run>>) -> Runs {
        Runs {
            staging: Arc::clone(staging),
            runs: runs.into(),
            left_out: None,
        }
    }

    /// These runs, and others behind them.
    pub(crate) fn with(&self, others: &Runs) -> Runs {
        Runs {
            runs: self.runs.iter().chain(others.runs.iter()).cloned().collect(),
            ..self.clone()
        }
    }
}

/// Whether a key is left out.
pub(crate) type LeftOut = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Reads a range of keys of some runs.
pub(crate) struct Merge {
    staging: Arc<Staging>,
    left_out: Option<Arc<LeftOut>>,
    cursors: Vec<Cursor>,
    heads: BinaryHeap<Reverse<(Box<[u8]>, usize)>>,
    /// The run of the record that was given last.
    last: Option<usize>,
    end: Box<[u8]>,
}

/// A place in a run: before the record that is next.
struct Cursor {
    run: Arc<Run>,
    frame: FramePlace,
    /// The frame, from when its first record is wanted.
    bytes: Option<Vec<u8>>,
    at: usize,
    next: usize,
}

impl Merge {
    /// The records from the key `start` on, up to `end` and without that; to the last where it is empty.
    pub(crate) fn new(runs: &Runs, start: &[u8], end: &[u8]) -> Result<Merge, Error> {
        let cursors = runs.runs.iter().map(|run| Cursor::at(start, run, &runs.staging));
        let mut merge = Merge {
            staging: Arc::clone(&runs.staging),
            left_out: runs.left_out.clone(),
            cursors: cursors.collect::<Result<_, Error>>()?,
            heads: BinaryHeap::new(),
            last: None,
            end: end.into(),
        };
        merge.add_heads()?;
        Ok(merge)
    }

    /// The same where another range of these runs has been read: one that ends where this begins is continued, so that no frame
    /// is read twice.
    pub(crate) fn after(
        before: Option<Merge>,
        runs: &Runs,
        start: &[u8],
        end: &[u8],
    ) -> Result<Merge, Error> {
        let Some(mut merge) = before.filter(|before| !start.is_empty() && *before.end == *start) else {
            return Merge::new(runs, start, end);
        };
        merge.pass_last()?;
        merge.heads.clear();
        merge.end = end.into();
        merge.add_heads()?;
        merge.skip_to(start)?;
        Ok(merge)
    }

    /// The key of the next record.
    pub(crate) fn peek(&mut self) -> Result<Option<&[u8]>, Error> {
        self.pass_last()?;
        Ok(self.heads.peek().map(|Reverse((key, _))| &**key))
    }

    /// Passes over the records of smaller keys.
    pub(crate) fn skip_to(&mut self, key: &[u8]) -> Result<(), Error> {
        while self.peek()?.is_some_and(|next| *next < *key) {
            self.next()?;
        }
        Ok(())
    }

    /// The next record.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>, Error> {
        self.pass_last()?;
        let Some(Reverse((_, run))) = self.heads.pop() else {
            return Ok(None);
        };
        self.last = Some(run);
        let (key, value) = self.cursors[run].record(&self.staging)?;
        Ok(Some(Record { key, value, run }))
    }

    fn pass_last(&mut self) -> Result<(), Error> {
        let Some(number) = self.last.take() else {
            return Ok(());
        };
        self.cursors[number].advance();
        self.add_head(number)
    }

    fn add_heads(&mut self) -> Result<(), Error> {
        (0..self.cursors.len()).try_for_each(|number| self.add_head(number))
    }

    fn add_head(&mut self, number: usize) -> Result<(), Error> {
        let left_out = self.left_out.as_deref().filter(|_| number == 0);
        let cursor = &mut self.cursors[number];
        while cursor.settle(&self.end, &self.staging)? {
            let key = cursor.key(&self.staging)?;
            if !self.end.is_empty() && *key >= *self.end {
                break;
            }
            if left_out.is_none_or(|left_out| !left_out(key)) {
                let key = key.into();
                self.heads.push(Reverse((key, number)));
                break;
            }
            cursor.record(&self.staging)?;
            cursor.advance();
        }
        Ok(())
    }
}

impl Cursor {
    /// At the first key that is not smaller.
    fn at(start: &[u8], run: &Arc<Run>, staging: &Staging) -> Result<Cursor, Error> {
        let mut cursor = Cursor {
            frame: run.first_frame_of(start, staging)?,
            run: Arc::clone(run),
            bytes: None,
            at: 0,
            next: 0,
        };
        while cursor.settle(&[], staging)? && *cursor.key(staging)? < *start {
            cursor.record(staging)?;
            cursor.advance();
        }
        Ok(cursor)
    }

    /// Moves to the next frame that is there, if this one is over. Says whether there is one before the key `end`, as far as the index shows.
    fn settle(&mut self, end: &[u8], staging: &Staging) -> Result<bool, Error> {
        if self.bytes.is_some() {
            return Ok(true);
        }
        let settled = self.run.settle(self.frame, end, staging)?;
        self.frame = settled.unwrap_or(self.frame);
        Ok(settled.is_some())
    }

    /// The key of the next record, where there is one: that of a frame which is not read is known from the index.
    fn key(&self, staging: &Staging) -> Result<&[u8], Error> {
        match &self.bytes {
            Some(bytes) => Ok(record(bytes, self.at)?.0),
            None => self.run.first_of(self.frame, staging),
        }
    }

    /// The next record, where there is one.
    fn record(&mut self, staging: &Staging) -> Result<(&[u8], &[u8]), Error> {
        let bytes = match &mut self.bytes {
            Some(bytes) => bytes,
            none => none.insert(self.run.frame(self.frame, staging)?),
        };
        let (key, value, next) = record(bytes, self.at)?;
        self.next = next;
        Ok((key, value))
    }

    /// Moves behind the record that was read.
    fn advance(&mut self) {
        self.at = self.next;
        let is_over = |bytes: &Vec<u8>| self.at >= bytes.len();
        if self.bytes.as_ref().is_some_and(is_over) {
            self.frame.frame += 1;
            (self.bytes, self.at) = (None, 0);
        }
    }
}

/// Looks records up. Some frames are at hand: of a sample of a site, whose pages are looked up in any order, most are in few frames.
pub(crate) struct Lookup {
    runs: Runs,
    frames: FxHashMap<(usize, FramePlace), Vec<u8>>,
    /// The frames at hand, those that were read first in front, and their bytes.
    order: VecDeque<(usize, FramePlace)>,
    bytes: usize,
}

impl Lookup {
    pub(crate) fn new(runs: &Runs) -> Lookup {
        Lookup {
            runs: runs.clone(),
            frames: FxHashMap::default(),
            order: VecDeque::new(),
            bytes: 0,
        }
    }

    /// The value of a key, in the run that has it.
    pub(crate) fn get(&mut self, run: usize, key: &[u8]) -> Result<&[u8], Error> {
        let (staging, read) = (&self.runs.staging, &self.runs.runs[run]);
        let frame = read.last_frame_of(key, staging)?;
        if !self.frames.contains_key(&(run, frame)) {
            let bytes = read.frame(frame, staging)?;
            self.insert((run, frame), bytes);
        }
        let bytes = &self.frames[&(run, frame)];
        let mut at = 0;
        while at < bytes.len() {
            let (found, value, next) = record(bytes, at)?;
            if found == key {
                return Ok(value);
            }
            at = next;
        }
        Err(Error::Damaged)
    }

    fn insert(&mut self, frame: (usize, FramePlace), bytes: Vec<u8>) {
        self.bytes += bytes.len();
        while self.bytes > AT_HAND
            && let Some(first) = self.order.pop_front()
        {
            self.bytes -= self.frames.remove(&first).map_or(0, |bytes| bytes.len());
        }
        self.order.push_back(frame);
        self.frames.insert(frame, bytes);
    }
}

/// Makes one run of many, in `file`. Where they are more than can be read side by side, some of them become one in `scratch`,
/// until they are not.
pub(crate) fn merge_runs(
    mut runs: Vec<Arc<Run>>,
    staging: &Arc<Staging>,
    scratch: StagedFile,
    file: StagedFile,
    layout: Layout,
) -> Result<RunPlace, Error> {
    while runs.len() > FAN_IN {
        let fewer = runs.chunks(FAN_IN).map(|some| {
            let (writer, sink) = copied(some, staging, scratch, Layout::SHORT)?;
            Ok(Arc::new(writer.end(sink)?))
        });
        runs = fewer.collect::<Result<_, Error>>()?;
    }
    let (writer, mut sink) = copied(&runs, staging, file, layout)?;
    Ok(writer.end_with_index(&mut sink)?.of(file))
}

/// The records of some runs, by key.
fn copied<'a>(
    runs: &[Arc<Run>],
    staging: &'a Arc<Staging>,
    file: StagedFile,
    layout: Layout,
) -> Result<(RunWriter, StagedSink<'a>), Error> {
    let (mut writer, mut sink) = (RunWriter::new(layout), StagedSink { staging, file });
    let runs = Runs::new(staging, runs.to_vec());
    let mut merge = Merge::new(&runs, &[], &[])?;
    while let Some(record) = merge.next()? {
        writer.push(record.key, record.value, &mut sink)?;
    }
    Ok((writer, sink))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::RunBuffer;
    use super::*;
    use crate::staging::for_test;

    const UNITS: StagedFile = StagedFile::Units(0, 0);

    type Records = Vec<(Vec<u8>, Vec<u8>)>;

    fn set(staging: &Arc<Staging>, runs: &[Arc<Run>]) -> Runs {
        Runs::new(staging, runs.to_vec())
    }

    fn runs(parts: &[Records], staging: &Staging) -> Vec<Arc<Run>> {
        let run = |records: &Records| {
            let mut buffer = RunBuffer::default();
            for (key, value) in records {
                buffer.push(key, |bytes| bytes.extend_from_slice(value));
            }
            Arc::new(buffer.run(staging, UNITS, Layout::SHORT).unwrap())
        };
        parts.iter().map(run).collect()
    }

    fn merged_runs(runs: Vec<Arc<Run>>, staging: &Arc<Staging>, layout: Layout) -> Run {
        let place = merge_runs(runs, staging, UNITS, StagedFile::Pages(0, 0), layout).unwrap();
        Run::open(place, staging).unwrap()
    }

    fn all(mut merge: Merge) -> Records {
        let mut all = Vec::new();
        loop {
            let peeked = merge.peek().unwrap().map(<[u8]>::to_vec);
            let Some(record) = merge.next().unwrap() else {
                assert_eq!(peeked, None);
                return all;
            };
            assert_eq!(peeked.as_deref(), Some(record.key));
            all.push((record.key.to_vec(), record.value.to_vec()));
        }
    }

    /// Records of some runs: keys of few letters, and now and then a value that fills a frame.
    fn parts() -> impl Strategy<Value = Vec<Records>> {
        let value = prop_oneof![
            9 => prop::collection::vec(any::<u8>(), 0..50),
            1 => (any::<u8>(), 1usize..100_000).prop_map(|(byte, count)| vec![byte; count]),
        ];
        let record = (prop::collection::vec(b'a'..b'd', 0..4), value);
        prop::collection::vec(prop::collection::vec(record, 0..40), 0..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_range_of_runs_is_that_of_sorted_records(
            parts in parts(), start in "[a-d]{0,3}", end in "[a-d]{0,3}", frame in 1usize..100, read in 0usize..60,
        ) {
            // Of small frames an index has several pages.
            let layout = Layout { frame, ..Layout::KEPT };
            let (_folder, _, staging) = for_test();
            let runs = runs(&parts, &staging);
            let is_in = |key: &[u8]| key >= start.as_bytes() && (end.is_empty() || key < end.as_bytes());
            let mut expected: Records = parts.concat();
            expected.retain(|(key, _)| is_in(key));
            // Records of one key come run by run.
            expected.sort_by(|(one, _), (other, _)| one.cmp(other));
            let merge = |runs: &[Arc<Run>]| all(Merge::new(&set(&staging, runs), start.as_bytes(), end.as_bytes()).unwrap());
            prop_assert_eq!(merge(&runs), expected.clone());
            let merged = [Arc::new(merged_runs(runs, &staging, layout))];
            let mut lookup = Lookup::new(&set(&staging, &merged));
            for (key, _) in &expected {
                let found = lookup.get(0, key).unwrap();
                prop_assert!(expected.iter().any(|(other, value)| other == key && value == found));
            }
            prop_assert!(lookup.get(0, b"e").is_err());
            prop_assert_eq!(merge(&merged), expected);
            // The range behind, after some or all of this one.
            let (runs, key) = (set(&staging, &merged), start.as_bytes().min(end.as_bytes()));
            let mut before = Merge::new(&runs, key, end.as_bytes()).unwrap();
            for _ in 0..read {
                before.next().unwrap();
            }
            let [after, other] = [Some(before), None].map(|before| Merge::after(before, &runs, end.as_bytes(), b"d").unwrap());
            prop_assert_eq!(all(after), all(other));
        }
    }

    #[test]
    fn more_runs_than_can_be_read_at_once_become_one() {
        let (_folder, _, staging) = for_test();
        let record = |number: usize| (format!("{number:05}").into_bytes(), Vec::new());
        let parts: Vec<Records> = (0..2 * FAN_IN + 3).map(|number| vec![record(number)]).collect();
        let merged = merged_runs(runs(&parts, &staging), &staging, Layout::KEPT);
        assert_eq!(merged.records, 2 * FAN_IN as u64 + 3);
        let merge = Merge::new(&set(&staging, &[Arc::new(merged)]), &[], &[]).unwrap();
        assert_eq!(all(merge), parts.concat());
    }
}
