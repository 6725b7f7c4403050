//! Why nothing is drawn.

use std::io;
use std::path::{Path, PathBuf};

use crate::browser::BrowserError;

/// Why a command draws no page, or does not end.
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
    /// The name of the output is none of an archive.
    #[error("--out is '{}': write a local name that ends in .warc.gz", .0.display())]
    Name(PathBuf),
    /// There is an archive of that name.
    #[error("'{}' exists: choose another name for --out, or remove it", .0.display())]
    Exists(PathBuf),
    /// An input cannot be opened.
    #[error(transparent)]
    Store(#[from] gleaner_store::Error),
    /// An input cannot be read, or is no archive.
    #[error(transparent)]
    Archive(#[from] gleaner_warc::Error),
    /// The browser cannot be used.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// There are no threads.
    #[error("could not start threads: {0}")]
    Threads(#[source] io::Error),
    /// It was stopped.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    pub(crate) fn write(file: &Path) -> impl FnOnce(io::Error) -> Error {
        let file = file.to_owned();
        |source| Error::Write { file, source }
    }
}
