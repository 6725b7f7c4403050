//! Why a crawl ends before its end.

use std::io;
use std::path::{Path, PathBuf};

/// Why a crawl ends before its end. What was fetched is whole, and the same command continues.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be written.
    #[error("could not write '{}': {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("could not read '{}': {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is no archive, or a damaged one.
    #[error(transparent)]
    Archive(#[from] gleaner_warc::Error),
    /// The name of the archive is none of an archive.
    #[error("--out is '{}': write a local name that ends in .warc.gz", .0.display())]
    Name(PathBuf),
    /// There is an archive of that name.
    #[error("'{}' exists: choose another name for --out, or remove it", .0.display())]
    Exists(PathBuf),
    /// Another crawl of the same name was begun.
    #[error(
        "'{}' is of a crawl with other seeds, scope, types or --since: give these again to continue it, choose another --out, \
         or remove it to begin again", .0.display()
    )]
    OtherCrawl(PathBuf),
    /// A journal of another version, or no journal.
    #[error("'{}' is no journal of this version: remove it and the files beside it to begin again", .0.display())]
    Journal(PathBuf),
    /// The archive is shorter than the journal says, as after a loss of power.
    #[error("'{}' is shorter than its journal says: remove both to begin again", .0.display())]
    Shorter(PathBuf),
    /// Another process works at it.
    #[error("another process crawls to '{}': wait for its end, or choose another --out", .0.display())]
    Locked(PathBuf),
    /// There are no threads.
    #[error("could not start threads: {0}")]
    Threads(io::Error),
    /// It was stopped.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    pub(crate) fn write(file: &Path) -> impl FnOnce(io::Error) -> Error {
        let file = file.to_owned();
        |source| Error::Write { file, source }
    }

    pub(crate) fn read(file: &Path) -> impl FnOnce(io::Error) -> Error {
        let file = file.to_owned();
        |source| Error::Read { file, source }
    }
}
