//! Any number of records, in order.

use std::sync::Arc;

use super::{Layout, Merge, Run, RunBuffer, RunPlace, RunWriter, Runs, few};
use crate::error::Error;
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// Bytes of records that are put in order at a time.
const BYTES: usize = 4 << 20;

/// The same where a chunk that is open has several sorters, and any number of chunks follow.
const BYTES_OF_CHUNK: usize = 1 << 20;

/// Takes records in any order. They are in memory until that has as many as it is given, then in a scratch file.
pub(crate) struct Sorter {
    most: usize,
    buffer: RunBuffer,
    scratch: Scratch,
    runs: Vec<Arc<Run>>,
}

/// Records in order. They may be read more than once.
pub(crate) struct Sorted {
    runs: Runs,
    _scratch: Scratch,
}

/// A scratch file, deleted when its last user is dropped.
struct Scratch {
    staging: Arc<Staging>,
    file: StagedFile,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.staging.discard(self.file);
    }
}

impl Sorter {
    /// With a scratch file of its own.
    pub(crate) fn new(staging: &Arc<Staging>, file: StagedFile) -> Sorter {
        Sorter {
            most: BYTES,
            buffer: RunBuffer::default(),
            scratch: Scratch {
                staging: Arc::clone(staging),
                file,
            },
            runs: Vec::new(),
        }
    }

    /// For the records of a chunk.
    pub(crate) fn of_chunk(staging: &Arc<Staging>, file: StagedFile) -> Sorter {
        Sorter::new(staging, file).with_memory(BYTES_OF_CHUNK)
    }

    pub(crate) fn with_memory(self, most: usize) -> Sorter {
        Sorter { most, ..self }
    }

    /// Adds a record, whose value is written by `write`.
    pub(crate) fn push(&mut self, key: &[u8], write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Error> {
        self.buffer.push(key, write);
        match self.buffer.memory() >= self.most {
            true => self.end_run(),
            false => Ok(()),
        }
    }

    /// Puts them in order.
    pub(crate) fn sorted(mut self) -> Result<Sorted, Error> {
        self.end_run()?;
        let Scratch { staging, file } = &self.scratch;
        self.runs = few(self.runs, staging, *file)?;
        Ok(Sorted {
            runs: Runs {
                staging: Arc::clone(staging),
                runs: self.runs.into(),
            },
            _scratch: self.scratch,
        })
    }

    fn end_run(&mut self) -> Result<(), Error> {
        if self.buffer.bytes() > 0 {
            let Scratch { staging, file } = &self.scratch;
            self.runs.push(Arc::new(self.buffer.run(
                staging,
                *file,
                Layout::SHORT_ENTRIES,
            )?));
        }
        Ok(())
    }
}

impl Sorted {
    /// Reads all of them, from the first on.
    pub(crate) fn read(&self) -> Result<Merge, Error> {
        Merge::new(&self.runs, &[], &[])
    }

    /// Makes a run of them that is kept.
    pub(crate) fn keep(&self, file: StagedFile) -> Result<RunPlace, Error> {
        let mut writer = RunWriter::new(&self.runs.staging, file, Layout::ENTRIES);
        let mut records = self.read()?;
        while let Some(record) = records.next()? {
            writer.push(record.key, record.value)?;
        }
        writer.end_with_index()
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn records_come_in_order_and_leave_nothing(
            records in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..4), any::<u8>()), 0..400),
            most in 1usize..4000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::new(Options::default()).unwrap();
            let output = store.output(folder.path().to_str().unwrap()).unwrap();
            let staging = Arc::new(Staging::new(&output));
            let mut sorter = Sorter::new(&staging, StagedFile::Scratch(0, 0)).with_memory(most);
            for (key, value) in &records {
                sorter.push(key, |bytes| bytes.push(*value)).unwrap();
            }
            let sorted = sorter.sorted().unwrap();
            let mut expected = records;
            expected.sort_by(|(one, _), (other, _)| one.cmp(other));
            for _ in 0..2 {
                let mut read = sorted.read().unwrap();
                for (key, value) in &expected {
                    let record = read.next().unwrap().unwrap();
                    prop_assert_eq!((record.key, record.value), (&key[..], &[*value][..]));
                }
                prop_assert!(read.next().unwrap().is_none());
            }
            drop(sorted);
            let left = output.list(gleaner_corpus::STAGING).unwrap();
            prop_assert!(left.is_empty(), "{left:?}");
        }
    }
}
