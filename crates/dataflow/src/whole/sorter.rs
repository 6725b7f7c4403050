//! Any number of records of one kind, in order: in memory up to a bound, then in a scratch file without a name.
//!
//! Records that say the same of one thing become one ([`Record::join`]) wherever they meet.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::{slice, vec};

use gleaner_store::Output;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data::packing::{add_sum, check_sum, pack, packed_size, unpack};
use crate::error::Error;

/// Runs that are read side by side.
const FAN_IN: usize = 64;

/// Bytes of records that are written and read at a time.
const BLOCK: usize = 64 << 10;

/// What goes from worker to worker, or to a file.
pub(super) trait Sent: Clone + Send + Serialize + DeserializeOwned + 'static {}

impl<D: Clone + Send + Serialize + DeserializeOwned + 'static> Sent for D {}

/// What is put in order.
pub(super) trait Record: Ord + Sent {
    /// Takes in the next record in the order, if both are of one thing.
    fn join(&mut self, _next: &Self) -> bool {
        false
    }
}

/// Where records are put in order.
pub(super) struct Room {
    pub(super) output: Output,
    /// Bytes of records in memory.
    pub(super) memory: usize,
}

/// Takes records in any order.
pub(super) struct Sorter<'a, T> {
    records: Vec<T>,
    bytes: usize,
    spilled: Spilled<'a>,
}

/// Records in order. They may be read more than once.
pub(super) struct Sorted<'a, T> {
    records: Vec<T>,
    spilled: Spilled<'a>,
}

/// Runs of records in a scratch file.
struct Spilled<'a> {
    room: &'a Room,
    file: Option<File>,
    end: Cell<u64>,
    runs: Vec<Run>,
}

/// The blocks of a run: where each begins, and its bytes.
type Run = Vec<(u64, usize)>;

impl<'a, T: Record> Sorter<'a, T> {
    pub(super) fn new(room: &'a Room) -> Sorter<'a, T> {
        Sorter {
            records: Vec::new(),
            bytes: 0,
            spilled: Spilled {
                room,
                file: None,
                end: Cell::new(0),
                runs: Vec::new(),
            },
        }
    }

    pub(super) fn push(&mut self, record: T) -> Result<(), Error> {
        self.bytes += bytes_of(&record);
        self.records.push(record);
        let memory = self.spilled.room.memory;
        if self.bytes < memory {
            return Ok(());
        }
        self.sort();
        // Where half of the records have become one with others there is room again.
        match self.bytes > memory / 2 {
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

    fn sort(&mut self) {
        self.records.sort_unstable();
        self.records.dedup_by(|next, kept| kept.join(next));
        self.bytes = self.records.iter().map(bytes_of).sum();
    }

    fn spill(&mut self) -> Result<(), Error> {
        if self.spilled.file.is_none() {
            self.spilled.file = Some(self.spilled.room.output.scratch()?);
        }
        let mut records = self.records.drain(..);
        let run = self.spilled.write_run(|| Ok(records.next()))?;
        self.spilled.runs.push(run);
        self.bytes = 0;
        Ok(())
    }
}

/// About what a record takes in memory.
fn bytes_of<T: Serialize>(record: &T) -> usize {
    let behind = std::mem::needs_drop::<T>().then(|| packed_size(record));
    size_of::<T>() + behind.unwrap_or_default()
}

impl Spilled<'_> {
    /// Some runs at a time become one, until all can be read side by side.
    fn merge<T: Record>(&mut self) -> Result<(), Error> {
        while self.runs.len() > FAN_IN {
            let merged = self.runs.chunks(FAN_IN).map(|runs| {
                let mut merge = Merge::<T>::new(runs, self)?;
                self.write_run(|| merge.next())
            });
            self.runs = merged.collect::<Result<_, Error>>()?;
        }
        Ok(())
    }

    fn write_run<T: Serialize>(
        &self,
        mut next: impl FnMut() -> Result<Option<T>, Error>,
    ) -> Result<Run, Error> {
        let (mut run, mut block, mut bytes) = (Run::new(), Vec::new(), 0);
        while let Some(record) = next()? {
            bytes += bytes_of(&record);
            block.push(record);
            if bytes >= BLOCK {
                run.push(self.write(&block)?);
                block.clear();
                bytes = 0;
            }
        }
        run.push(self.write(&block)?);
        Ok(run)
    }

    fn write<T: Serialize>(&self, block: &[T]) -> Result<(u64, usize), Error> {
        let mut bytes = Vec::new();
        pack(&block, &mut bytes);
        add_sum(&mut bytes);
        let place = self.end.get();
        self.at(place, "write", |mut file| file.write_all(&bytes))?;
        self.end.set(place + bytes.len() as u64);
        Ok((place, bytes.len()))
    }

    fn read<T: DeserializeOwned>(&self, (place, length): (u64, usize)) -> Result<vec::IntoIter<T>, Error> {
        let mut bytes = vec![0; length];
        self.at(place, "read", |mut file| file.read_exact(&mut bytes))?;
        let records: Vec<T> = unpack(&mut check_sum(&bytes)?)?;
        Ok(records.into_iter())
    }

    fn at(
        &self,
        place: u64,
        what: &'static str,
        work: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut file = self.file.as_ref().ok_or(Error::Damaged)?;
        let done = file.seek(SeekFrom::Start(place)).and_then(|_| work(file));
        done.map_err(|source| Error::Staging {
            what,
            place: self.room.output.place().to_string(),
            source,
        })
    }
}

impl<T: Record> Sorted<'_, T> {
    /// Reads all of them, from the first on.
    pub(super) fn read(&self) -> Result<Reader<'_, T>, Error> {
        Ok(Reader {
            here: self.records.iter(),
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
    /// Those in memory. If there are any, none are on disk.
    here: slice::Iter<'a, T>,
    merge: Merge<'a, T>,
    record: Option<T>,
}

impl<T: Record> Reader<'_, T> {
    pub(super) fn next(&mut self) -> Result<Option<&T>, Error> {
        if let Some(record) = self.here.next() {
            return Ok(Some(record));
        }
        self.record = self.merge.next()?;
        Ok(self.record.as_ref())
    }

    /// The next record, if it is as wanted.
    pub(super) fn next_if(&mut self, is_wanted: impl Fn(&T) -> bool) -> Result<Option<&T>, Error> {
        match self.peek().is_some_and(is_wanted) {
            true => self.next(),
            false => Ok(None),
        }
    }

    pub(super) fn peek(&self) -> Option<&T> {
        let head = || self.merge.heads.peek().map(|Reverse((record, _))| record);
        self.here.as_slice().first().or_else(head)
    }
}

/// Reads runs side by side.
struct Merge<'a, T> {
    spilled: &'a Spilled<'a>,
    cursors: Vec<Cursor<'a, T>>,
    heads: BinaryHeap<Reverse<(T, usize)>>,
}

/// A place in a run: the blocks that are not read, and the records of the last that was.
type Cursor<'a, T> = (slice::Iter<'a, (u64, usize)>, vec::IntoIter<T>);

impl<'a, T: Record> Merge<'a, T> {
    fn new(runs: &'a [Run], spilled: &'a Spilled<'a>) -> Result<Merge<'a, T>, Error> {
        let cursors = runs.iter().map(|run| (run.iter(), Vec::new().into_iter()));
        let mut merge = Merge {
            spilled,
            cursors: cursors.collect(),
            heads: BinaryHeap::new(),
        };
        (0..runs.len()).try_for_each(|run| merge.advance(run))?;
        Ok(merge)
    }

    fn next(&mut self) -> Result<Option<T>, Error> {
        let Some(Reverse((mut record, run))) = self.heads.pop() else {
            return Ok(None);
        };
        self.advance(run)?;
        while let Some(Reverse((next, run))) = self.heads.peek()
            && record.join(next)
        {
            let run = *run;
            self.heads.pop();
            self.advance(run)?;
        }
        Ok(Some(record))
    }

    /// Takes the next record of a run.
    fn advance(&mut self, run: usize) -> Result<(), Error> {
        let (blocks, records) = &mut self.cursors[run];
        loop {
            if let Some(record) = records.next() {
                self.heads.push(Reverse((record, run)));
                return Ok(());
            }
            match blocks.next() {
                Some(block) => *records = self.spilled.read(*block)?,
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
