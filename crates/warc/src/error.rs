//! Why a file cannot be read at all.

use std::io;

use crate::Foreign;

/// An error that ends the reading of a file. Damage inside a file is a [`crate::Reject`] instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The source failed.
    #[error("could not read {file} at offset {offset}: {source}")]
    Source {
        /// The file's name as given to the reader.
        file: String,
        /// How far the file had been read.
        offset: u64,
        /// The error of the source.
        source: io::Error,
    },
    /// The file holds neither records nor a page.
    #[error("{file} is not {}: it looks like {foreign}; {}", foreign.expected(), foreign.mend())]
    NotAnArchive {
        /// The file's name as given to the reader.
        file: String,
        /// What it looks like.
        foreign: Foreign,
    },
    /// A range inside a file whose format was not given.
    #[error("a range of {0} from offset {1} cannot be read without the format found at its beginning")]
    FormatNeeded(String, u64),
}

impl Error {
    /// The file that cannot be read, by the name that was given to the reader.
    pub fn file(&self) -> &str {
        match self {
            Error::Source { file, .. } | Error::NotAnArchive { file, .. } | Error::FormatNeeded(file, _) => {
                file
            }
        }
    }
}
