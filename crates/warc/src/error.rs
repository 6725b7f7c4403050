//! Why a file cannot be read at all.

use std::io;

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
        /// What the source said.
        source: io::Error,
    },
    /// A WACZ or another zip file.
    #[error(
        "{file} is a zip file (WACZ), not an archive of records: unzip it first and read the WARC files in it"
    )]
    Zip {
        /// The file's name as given to the reader.
        file: String,
    },
    /// Neither the name nor the first bytes are those of an archive or a page.
    #[error("{file} is not a WARC, ARC, WET or HTML file: it begins with {begin:?}")]
    NotAnArchive {
        /// The file's name as given to the reader.
        file: String,
        /// The first bytes, made readable.
        begin: String,
    },
    /// A range inside a file whose format was not given.
    #[error(
        "a range of {file} from offset {offset} cannot be read without the format found at its beginning"
    )]
    FormatNeeded {
        /// The file's name as given to the reader.
        file: String,
        /// The start of the range.
        offset: u64,
    },
}
