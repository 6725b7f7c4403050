//! Any number of records of one kind, in order: in memory up to a bound, then in a scratch file without a name.
//!
//! Records that say the same of one thing become one ([`Record::join`]) wherever they meet.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::vec;

use gleaner_store::Output;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data::packing::{add_sum, check_sum, pack, unpack};
use crate::error::Error;

/// Runs that are read side by side.
const FAN_IN: usize = 64;

/// Bytes of records that are written and read at a time.
const BLOCK: usize = 64 << 10;

/// What is put in order.
pub(super) trait Record: Ord + Serialize + DeserializeOwned {
    /// Bytes that it refers to.
    fn heap(&self) -> usize {
        0
    }

    /// Takes in the next record in the order, if both are of one thing.
    fn join(&mut self, _next: &Self) -> bool {
        false
    }
}

/// Where records are put in order.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) output: Output,
    /// Bytes of records in memory.
    pub(super) memory: usize,
}

/// Takes records in any order.
pub(super) struct Sorter<'a, T> {
    room: &'a Room,
    records: Vec<T>,
    heap: usize,
    spilled: Spilled<'a>,
}

/// Records in order. They may be read more than once.
pub(super) struct Sorted<'a, T> {
    records: Vec<T>,
    spilled: Spilled<'a>,
}

/// Runs of records in a scratch file.
struct Spilled<'a> {
    output: &'a Output,
    file: Option<File>,
    end: u64,
    runs: Vec<Run>,
}

/// The blocks of a run: where each begins, and its bytes.
type Run = vec::Vec<(u64, usize)>;

impl<'a, T: Record> Sorter<'a, T> {
    pub(super) fn new(room: &'a Room) -> Sorter<'a, T> {
        Sorter {
            room,
            records: Vec::new(),
            heap: 0,
            spilled: Spilled {
                output: &room.output,
                file: None,
                end: 0,
                runs: Vec::new(),
            },
        }
    }

    pub(super) fn push(&mut self, record: T) -> Result<(), Error> {
        self.heap += record.heap();
        self.records.push(record);
        if self.bytes() < self.room.memory {
            return Ok(());
        }
        self.sort();
        // Where half of the records have become one with others there is room again.
        match self.bytes() > self.room.memory / 2 {
            true => self.spill(),
            false => Ok(()),
        }
    }

    /// Puts them in order.
    pub(super) fn sorted(mut self) -> Result<Sorted<'a, T>, Error> {
        self.sort();
        if !self.spilled.runs.is_empty() {
            self.spill()?;
            self.records = Vec::new();
            self.spilled.merge::<T>()?;
        }
        Ok(Sorted {
            records: self.records,
            spilled: self.spilled,
        })
    }

    fn bytes(&self) -> usize {
        self.records.len() * size_of::<T>() + self.heap
    }

    fn sort(&mut self) {
        self.records.sort_unstable();
        self.records.dedup_by(|next, kept| kept.join(next));
        self.heap = self.records.iter().map(T::heap).sum();
    }

    fn spill(&mut self) -> Result<(), Error> {
        let size = self.bytes() / self.records.len().max(1);
        let mut run = Run::new();
        for block in self.records.chunks((BLOCK / size.max(1)).max(1)) {
            run.push(self.spilled.append(&block)?);
        }
        self.spilled.runs.push(run);
        self.records.clear();
        self.heap = 0;
        Ok(())
    }
}

impl Spilled<'_> {
    /// Some runs at a time become one, until all can be read side by side.
    fn merge<T: Record>(&mut self) -> Result<(), Error> {
        while self.runs.len() > FAN_IN {
            let runs = std::mem::take(&mut self.runs);
            for some in runs.chunks(FAN_IN) {
                let (mut merge, mut run) = (Merge::<T>::new(some, self)?, Run::new());
                let (mut block, mut bytes) = (Vec::new(), 0);
                while let Some(record) = merge.next(self)? {
                    bytes += size_of::<T>() + record.heap();
                    block.push(record);
                    if bytes >= BLOCK {
                        run.push(self.append(&block)?);
                        block.clear();
                        bytes = 0;
                    }
                }
                run.push(self.append(&block)?);
                self.runs.push(run);
            }
        }
        Ok(())
    }

    fn append<T: Serialize>(&mut self, records: &T) -> Result<(u64, usize), Error> {
        let mut bytes = Vec::new();
        pack(records, &mut bytes);
        add_sum(&mut bytes);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.output.scratch()?),
        };
        let written = file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| file.write_all(&bytes));
        written.map_err(|source| self.error("write", source))?;
        let block = (self.end, bytes.len());
        self.end += bytes.len() as u64;
        Ok(block)
    }

    fn read<T: DeserializeOwned>(&self, (start, length): (u64, usize)) -> Result<vec::IntoIter<T>, Error> {
        let mut file = self.file.as_ref().ok_or(Error::Damaged)?;
        let mut bytes = vec![0; length];
        let read = file
            .seek(SeekFrom::Start(start))
            .and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|source| self.error("read", source))?;
        let records: Vec<T> = unpack(&mut check_sum(&bytes)?)?;
        Ok(records.into_iter())
    }

    fn error(&self, what: &'static str, source: std::io::Error) -> Error {
        Error::Staging {
            what,
            place: self.output.place().to_string(),
            source,
        }
    }
}

impl<T: Record> Sorted<'_, T> {
    /// Reads all of them, from the first on.
    pub(super) fn read(&self) -> Result<Reader<'_, T>, Error> {
        Ok(Reader {
            sorted: self,
            place: 0,
            merge: Merge::new(&self.spilled.runs, &self.spilled)?,
            record: None,
        })
    }

    /// Gives each of them.
    pub(super) fn each(&self, mut take: impl FnMut(&T) -> Result<(), Error>) -> Result<(), Error> {
        let mut reader = self.read()?;
        while let Some(record) = reader.next()? {
            take(record)?;
        }
        Ok(())
    }
}

/// Reads records in their order.
pub(super) struct Reader<'a, T> {
    sorted: &'a Sorted<'a, T>,
    /// The next record in memory.
    place: usize,
    merge: Merge<T>,
    record: Option<T>,
}

impl<T: Record> Reader<'_, T> {
    pub(super) fn next(&mut self) -> Result<Option<&T>, Error> {
        if let Some(record) = self.sorted.records.get(self.place) {
            self.place += 1;
            return Ok(Some(record));
        }
        self.record = self.merge.next(&self.sorted.spilled)?;
        Ok(self.record.as_ref())
    }

    /// The next record, if it is as wanted.
    pub(super) fn next_if(&mut self, is_wanted: impl Fn(&T) -> bool) -> Result<Option<&T>, Error> {
        let next = match self.sorted.records.get(self.place) {
            Some(record) => Some(record),
            None => self.merge.peek(),
        };
        match next.is_some_and(is_wanted) {
            true => self.next(),
            false => Ok(None),
        }
    }
}

/// Reads runs side by side.
struct Merge<T> {
    cursors: Vec<Cursor<T>>,
    heads: BinaryHeap<Reverse<(T, usize)>>,
}

/// A place in a run.
struct Cursor<T> {
    /// The blocks that are not read.
    blocks: vec::IntoIter<(u64, usize)>,
    records: vec::IntoIter<T>,
}

impl<T: Record> Merge<T> {
    fn new(runs: &[Run], spilled: &Spilled<'_>) -> Result<Merge<T>, Error> {
        let cursors = runs.iter().map(|run| Cursor {
            blocks: run.clone().into_iter(),
            records: Vec::new().into_iter(),
        });
        let mut merge = Merge {
            cursors: cursors.collect(),
            heads: BinaryHeap::new(),
        };
        (0..runs.len()).try_for_each(|run| merge.advance(run, spilled))?;
        Ok(merge)
    }

    fn peek(&self) -> Option<&T> {
        self.heads.peek().map(|Reverse((record, _))| record)
    }

    fn next(&mut self, spilled: &Spilled<'_>) -> Result<Option<T>, Error> {
        let Some(Reverse((mut record, run))) = self.heads.pop() else {
            return Ok(None);
        };
        self.advance(run, spilled)?;
        while let Some(Reverse((next, run))) = self.heads.peek()
            && record.join(next)
        {
            let run = *run;
            self.heads.pop();
            self.advance(run, spilled)?;
        }
        Ok(Some(record))
    }

    /// Takes the next record of a run.
    fn advance(&mut self, run: usize, spilled: &Spilled<'_>) -> Result<(), Error> {
        let cursor = &mut self.cursors[run];
        loop {
            if let Some(record) = cursor.records.next() {
                self.heads.push(Reverse((record, run)));
                return Ok(());
            }
            match cursor.blocks.next() {
                Some(block) => cursor.records = spilled.read(block)?,
                None => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gleaner_store::{Options, Store};
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    /// A name and a count.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    struct Count(String, u64);

    impl Record for Count {
        fn heap(&self) -> usize {
            self.0.len()
        }

        fn join(&mut self, next: &Count) -> bool {
            let is_same = self.0 == next.0;
            self.1 += if is_same { next.1 } else { 0 };
            is_same
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn records_come_in_order_and_add_up_whatever_the_memory(
            records in prop::collection::vec(("[a-d]{0,3}", 0..9u64), 0..400), memory in 1usize..8000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let output = Store::new(Options::default()).unwrap().output(folder.path().to_str().unwrap()).unwrap();
            let room = Room { output, memory };
            let (mut sorter, mut expected) = (Sorter::new(&room), BTreeMap::<String, u64>::new());
            for (name, count) in records {
                *expected.entry(name.clone()).or_default() += count;
                sorter.push(Count(name, count)).unwrap();
            }
            let sorted = sorter.sorted().unwrap();
            for _ in 0..2 {
                let mut reader = sorted.read().unwrap();
                for (name, count) in &expected {
                    prop_assert!(reader.next_if(|next| next.0 != *name).unwrap().is_none());
                    prop_assert_eq!(reader.next().unwrap(), Some(&Count(name.clone(), *count)));
                }
                prop_assert!(reader.next().unwrap().is_none());
            }
            drop(sorted);
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
