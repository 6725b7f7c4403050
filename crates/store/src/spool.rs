//! Copies on the local disk of what cannot be read twice where it is: standard input, and files of servers that
//! send no ranges.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use tempfile::{NamedTempFile, TempPath};
use xxhash_rust::xxh3::Xxh3;

use crate::options::spool_folder;
use crate::{Error, Shard, Store, probe};

/// A copy, which is removed with its last owner.
#[derive(Clone, Debug)]
pub(crate) struct Spooled {
    path: Arc<TempPath>,
    /// Size and version of the copy itself.
    pub(crate) found: (Option<u64>, Option<String>),
}

impl Spooled {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A copy that is being written.
pub(crate) struct Writing {
    file: NamedTempFile,
    digest: Xxh3,
    size: u64,
}

impl Writing {
    pub(crate) fn new(store: &Store) -> Result<Writing, Error> {
        let folder = spool_folder(store.options());
        let file = tempfile::Builder::new()
            .prefix("gleaner-")
            .suffix(".input")
            .tempfile_in(&folder)
            .map_err(Error::io("could not create a temporary file in", &folder))?;
        Ok(Writing {
            file,
            digest: Xxh3::new(),
            size: 0,
        })
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.digest.update(bytes);
        self.size += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        written.map_err(Error::io("could not write", self.file.path()))
    }

    /// The copy, its length and the digest of its bytes.
    pub(crate) fn finish(self) -> Result<(Spooled, u64, String), Error> {
        let failed = Error::io("could not read", self.file.path());
        let meta = self.file.as_file().metadata().map_err(failed)?;
        let copy = Spooled {
            path: Arc::new(self.file.into_temp_path()),
            found: probe::local_version(&meta),
        };
        Ok((copy, self.size, format!("{:032x}", self.digest.digest128())))
    }
}

/// A copy of all that a reader gives, its length and digest.
pub(crate) fn copy(store: &Store, mut from: impl Read) -> Result<(Spooled, u64, String), Error> {
    let mut writing = Writing::new(store)?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return writing.finish(),
            Ok(read) => writing.push(&buffer[..read])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("could not read", "-")(error)),
        }
    }
}

/// A copy of a whole shard, its length and digest.
pub(crate) fn download(store: &Store, shard: &Shard) -> Result<(Spooled, u64, String), Error> {
    let mut writing = Writing::new(store)?;
    let mut stream = store.open(shard, 0, None)?;
    let next = |error| Error::of_stream(&shard.location, error);
    while let Some(bytes) = stream.wait().map_err(next)? {
        writing.push(&bytes)?;
    }
    writing.finish()
}
