//! Where pages wait between the phases: files without a name beside the output, which go with the
//! process however it ends.
//!
//! Nothing is compressed: a page's text and scores are a tenth of its HTML.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use bincode::Options;
use gleaner_store::Output;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A piece of a staging file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Extent {
    file: u32,
    offset: u64,
    bytes: u64,
}

impl Extent {
    /// A piece of this piece.
    pub(crate) fn part(self, range: std::ops::Range<u64>) -> Extent {
        debug_assert!(range.start <= range.end && range.end <= self.bytes);
        Extent {
            offset: self.offset + range.start,
            bytes: range.end - range.start,
            ..self
        }
    }
}

/// The staging files of a process, one a worker. A worker appends to its own, all read all.
#[derive(Debug)]
pub(crate) struct Staging {
    place: String,
    files: Vec<Mutex<Spool>>,
}

#[derive(Debug)]
struct Spool {
    file: File,
    end: u64,
}

impl Staging {
    pub(crate) fn new(output: &Output, workers: usize) -> Result<Staging, Error> {
        let spool = || -> Result<_, Error> {
            let file = output.scratch().map_err(gleaner_corpus::Error::from)?;
            Ok(Mutex::new(Spool { file, end: 0 }))
        };
        Ok(Staging {
            place: output.place().to_string(),
            files: (0..workers).map(|_| spool()).collect::<Result<_, _>>()?,
        })
    }

    /// Adds bytes to a worker's file.
    pub(crate) fn append(&self, worker: usize, bytes: &[u8]) -> Result<Extent, Error> {
        let mut spool = self.lock(worker);
        let offset = spool.end;
        let mut write = || -> io::Result<()> {
            spool.file.seek(SeekFrom::Start(offset))?;
            spool.file.write_all(bytes)
        };
        write().map_err(|source| self.error("write", source))?;
        spool.end += bytes.len() as u64;
        Ok(Extent {
            file: worker as u32,
            offset,
            bytes: bytes.len() as u64,
        })
    }

    /// Reads a piece into memory that is used again.
    pub(crate) fn read(&self, extent: Extent, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let mut spool = self.lock(extent.file as usize);
        bytes.resize(extent.bytes as usize, 0);
        let mut read = || -> io::Result<()> {
            spool.file.seek(SeekFrom::Start(extent.offset))?;
            spool.file.read_exact(bytes)
        };
        read().map_err(|source| self.error("read", source))
    }

    fn lock(&self, worker: usize) -> std::sync::MutexGuard<'_, Spool> {
        self.files[worker].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, what: &'static str, source: io::Error) -> Error {
        Error::Staging {
            what,
            place: self.place.clone(),
            source,
        }
    }
}

/// Adds a value to bytes, its length before it.
pub(crate) fn pack(value: &impl Serialize, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; LENGTH]);
    let written = numbers().serialize_into(&mut *bytes, value);
    written.expect("memory takes all that is written to it");
    let length = (bytes.len() - start - LENGTH) as u64;
    bytes[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
}

/// Takes the next value off bytes that [`pack`] wrote.
pub(crate) fn unpack<'a, T: Deserialize<'a>>(bytes: &mut &'a [u8]) -> T {
    const HOLDS: &str = "it was written by this process, to a file of its own";
    let (length, rest) = bytes.split_first_chunk::<LENGTH>().expect(HOLDS);
    let (value, rest) = rest.split_at(u64::from_le_bytes(*length) as usize);
    *bytes = rest;
    numbers().deserialize(value).expect(HOLDS)
}

/// Small numbers take few bytes.
fn numbers() -> impl bincode::Options {
    bincode::DefaultOptions::new()
}

/// Bytes of a length.
const LENGTH: usize = 8;

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;

    #[test]
    fn what_is_staged_is_read_by_all_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let staging = Staging::new(&output, 2).unwrap();
        let first = staging.append(1, b"one two").unwrap();
        let second = staging.append(1, b"three").unwrap();
        let mut bytes = Vec::new();
        for (extent, expected) in [(second, "three"), (first, "one two"), (first.part(4..7), "two")] {
            staging.read(extent, &mut bytes).unwrap();
            assert_eq!(bytes, expected.as_bytes());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn values_come_back_one_by_one() {
        let mut bytes = Vec::new();
        pack(&(1u32, "text".to_owned()), &mut bytes);
        pack(&vec![Some(2.5f32), None], &mut bytes);
        let mut rest = bytes.as_slice();
        assert_eq!(unpack::<(u32, String)>(&mut rest), (1, "text".to_owned()));
        assert_eq!(unpack::<Vec<Option<f32>>>(&mut rest), [Some(2.5), None]);
        assert!(rest.is_empty());
    }
}
