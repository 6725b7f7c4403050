//! Where records wait between the steps: files below `.staging` in the output. A part that is read has one for its runs, and
//! one for those of its units, before these are merged.
//!
//! A file is written by all workers, and read by all. It counts when it is *sealed*: its bytes are on the
//! disk, or where the output is a bucket, in that. What is not sealed goes with the process, or is removed
//! by the next that continues its work. Of what is sealed in a bucket pieces are [near at hand](Near).

pub(crate) mod near;
pub(crate) mod staged_file;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use gleaner_store::{Output, Place};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::staging::near::Near;
use crate::staging::staged_file::StagedFile;

/// Bytes that there is memory for before they are read.
const MOST_AHEAD: u64 = 1 << 20;

/// A piece of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Piece {
    pub(crate) fn of(self, file: StagedFile) -> Extent {
        Extent { file, piece: self }
    }
}

/// A piece of a staging file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Extent {
    pub(crate) file: StagedFile,
    pub(crate) piece: Piece,
}

impl Extent {
    /// The first byte behind it.
    pub(crate) fn end(&self) -> u64 {
        self.piece.offset.saturating_add(self.piece.bytes)
    }

    fn read(self, file: &mut File) -> io::Result<Vec<u8>> {
        file.seek(SeekFrom::Start(self.piece.offset))?;
        // A file that ends before is an error before there is memory for all of it.
        let mut bytes = Vec::with_capacity(self.piece.bytes.min(MOST_AHEAD) as usize);
        Read::take(file, self.piece.bytes).read_to_end(&mut bytes)?;
        match bytes.len() as u64 == self.piece.bytes {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// The staging files of an output.
#[derive(Debug)]
pub(crate) struct Staging {
    output: Output,
    /// Those that are written, and not sealed.
    files: Mutex<BTreeMap<StagedFile, Arc<Mutex<Spool>>>>,
    /// Those that are sealed in a bucket, near at hand.
    near: Near,
}

/// A file that is written.
#[derive(Debug)]
struct Spool {
    file: File,
    end: u64,
    /// Where it is removed from unless it is sealed; none where it is a copy of a file of a bucket.
    path: Option<PathBuf>,
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // An error has no place to go here; the next start cleans up what is left.
            drop(std::fs::remove_file(path));
        }
    }
}

impl Staging {
    pub(crate) fn new(output: &Output) -> Staging {
        Staging {
            output: output.clone(),
            files: Mutex::default(),
            near: Near::new(output),
        }
    }

    /// Adds bytes to a file, which is begun with the first.
    pub(crate) fn append(&self, file: StagedFile, bytes: &[u8]) -> Result<Piece, Error> {
        let spool = self.begun(file)?;
        let mut spool = spool.lock();
        let piece = Piece {
            offset: spool.end,
            bytes: bytes.len() as u64,
        };
        let sought = spool.file.seek(SeekFrom::Start(piece.offset));
        let written = sought.and_then(|_| spool.file.write_all(bytes));
        written.map_err(|source| Error::staging("write", &self.output, source))?;
        spool.end += piece.bytes;
        Ok(piece)
    }

    /// Reads a piece.
    pub(crate) fn read(&self, extent: Extent) -> Result<Vec<u8>, Error> {
        let known = self.files.lock().get(&extent.file).cloned();
        let name = extent.file.name();
        let read = match (known, self.output.place_of(&name)) {
            (Some(spool), _) => extent.read(&mut spool.lock().file),
            (None, Place::Local(_)) => {
                let file = self.output.open_local(&name).map_err(io::Error::from);
                file.and_then(|mut file| extent.read(&mut file))
            }
            (None, _) => return self.near.read(extent.file, extent.piece),
        };
        read.map_err(|source| Error::staging("read", &self.output, source))
    }

    /// Makes a file of pages durable, if there is one. Waits for the disk or the store.
    pub(crate) fn seal(&self, file: StagedFile) -> Result<(), Error> {
        let Some(spool) = self.files.lock().get(&file).cloned() else {
            return Ok(());
        };
        let mut spool = spool.lock();
        match spool.path.take() {
            Some(_) => {
                let synced = spool.file.sync_all();
                synced.map_err(|source| Error::staging("write", &self.output, source))?;
            }
            None => self.send(file, &mut spool.file)?,
        }
        // From now on it is opened by its name, or is near.
        self.files.lock().remove(&file);
        Ok(())
    }

    /// Drops a file that is not needed any more, and that was not sealed.
    pub(crate) fn discard(&self, file: StagedFile) {
        self.files.lock().remove(&file);
    }

    /// Drops all files that were not sealed. Where an open file keeps its name, as on some drives of Windows, the folder of the
    /// staging files can be removed only then.
    pub(crate) fn discard_all(&self) {
        self.files.lock().clear();
    }

    /// Removes a file that was sealed, and that is not needed any more.
    pub(crate) fn remove(&self, file: StagedFile) -> Result<(), Error> {
        self.near.forget(file);
        Ok(self.output.delete(&file.name())?)
    }

    fn begun(&self, file: StagedFile) -> Result<Arc<Mutex<Spool>>, Error> {
        let mut files = self.files.lock();
        if let Some(spool) = files.get(&file) {
            return Ok(Arc::clone(spool));
        }
        let name = file.name();
        let (opened, path) = match self.output.place_of(&name) {
            Place::Local(path) => (self.output.create_local(&name)?, Some(path)),
            _ => (self.output.scratch()?, None),
        };
        let spool = Arc::new(Mutex::new(Spool {
            file: opened,
            end: 0,
            path,
        }));
        files.insert(file, Arc::clone(&spool));
        Ok(spool)
    }

    /// Copies a file to its bucket, and to what is near.
    fn send(&self, name: StagedFile, file: &mut File) -> Result<(), Error> {
        let mut upload = self.output.create(&name.name())?;
        let sent = file.rewind().and_then(|()| io::copy(file, &mut upload));
        let bytes = sent.map_err(|source| Error::staging("write", &self.output, source))?;
        self.near.add(name, file, bytes)?;
        Ok(upload.finish()?.wait()?)
    }
}

/// An output in a folder that is removed with it, and its staging files.
#[cfg(test)]
pub(crate) fn for_test() -> (tempfile::TempDir, Output, Arc<Staging>) {
    let folder = tempfile::tempdir().unwrap();
    let store = gleaner_store::Store::new(gleaner_store::Options::default()).unwrap();
    let output = store.output(folder.path().to_str().unwrap()).unwrap();
    let staging = Arc::new(Staging::new(&output));
    (folder, output, staging)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_read_by_the_next_run() {
        let (_folder, output, staging) = for_test();
        let append = |file, text: &str| staging.append(file, text.as_bytes()).unwrap().of(file);
        let first = append(StagedFile::Pages(1, 0), "one two");
        let second = append(StagedFile::Pages(1, 0), "three");
        let other = append(StagedFile::Pages(2, 0), "four");
        let pieces = [(second, "three"), (first, "one two"), (other, "four")];
        let check = |staging: &Staging, pieces: &[(Extent, &str)]| {
            for &(extent, expected) in pieces {
                assert_eq!(&*staging.read(extent).unwrap(), expected.as_bytes());
            }
        };
        check(&staging, &pieces);
        staging.seal(StagedFile::Pages(1, 0)).unwrap();
        staging.seal(StagedFile::Pages(7, 0)).unwrap();
        check(&staging, &pieces);
        drop(staging);
        let again = Staging::new(&output);
        check(&again, &pieces[..2]);
        assert!(again.read(other).is_err(), "it was not sealed");
        let files = output.list("").unwrap().into_iter();
        let names: Vec<String> = files.map(|file| file.name).collect();
        assert_eq!(names, [StagedFile::Pages(1, 0).name()]);
    }
}
