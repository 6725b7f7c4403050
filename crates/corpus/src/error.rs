//! What can go wrong with a corpus, in sentences that say the mend.

use std::io;

use parquet::errors::ParquetError;

use crate::{BadCrawlName, Fault};

/// Why a corpus cannot be begun, written or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A disk or store failed.
    #[error(transparent)]
    Store(#[from] gleaner_store::Error),
    /// A table could not be written; nothing of this part has appeared.
    #[error("could not write '{file}': {source}")]
    Write {
        /// The file.
        file: String,
        /// The system's answer.
        source: io::Error,
    },
    /// Rows that Parquet cannot hold.
    #[error("could not write '{file}': {source}")]
    Parquet {
        /// The file.
        file: String,
        /// What Parquet says.
        source: ParquetError,
    },
    /// A file that is not of the table it should be.
    #[error("could not read '{file}': {detail}")]
    Read {
        /// The file.
        file: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A row too long for a table.
    #[error("could not write '{file}': a row has {bytes} bytes, more than a table can hold")]
    LongRow {
        /// The file.
        file: String,
        /// Bytes of the row.
        bytes: usize,
    },
    /// The identity of a corpus names a crawl that there cannot be.
    #[error("'{name}' cannot be the name of a crawl: {source}")]
    CrawlName {
        /// The name.
        name: String,
        /// What is wrong with it.
        source: BadCrawlName,
    },
    /// The folder holds something that is not ours.
    #[error(
        "'{folder}' holds other files, such as '{file}': choose an empty folder, or use --force to write beside them"
    )]
    Foreign {
        /// The folder.
        folder: String,
        /// One of its files.
        file: String,
    },
    /// The folder holds a corpus of something else.
    #[error(
        "'{folder}' holds another corpus ({difference}): choose another folder, or use --force to replace it"
    )]
    Other {
        /// The folder.
        folder: String,
        /// What differs, first difference first.
        difference: String,
    },
    /// The folder holds this very corpus, and it is complete.
    #[error(
        "'{folder}' holds this corpus already, complete: there is nothing to do; use --force to build it again"
    )]
    Complete {
        /// The folder.
        folder: String,
    },
    /// A version of a table's log is not ours.
    #[error(
        "'{file}' was written by another program: leave a table alone until its build is complete, and use --force to begin again"
    )]
    Version {
        /// The version's file.
        file: String,
    },
    /// There is no corpus.
    #[error("no corpus in '{folder}': it has no gleaner.json; name the folder that a build wrote")]
    Absent {
        /// The folder.
        folder: String,
    },
    /// There is a corpus that is not complete.
    #[error("the corpus in '{folder}' is not complete: run its build again to complete it")]
    Incomplete {
        /// The folder.
        folder: String,
    },
    /// The marker of a corpus that is to be read is damaged.
    #[error("'{file}' is damaged ({detail}): restore it from a copy, or build the corpus again with --force")]
    DamagedMarker {
        /// The marker's path.
        file: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A corpus has no such table.
    #[error("no table '{table}' in '{folder}': its tables are {tables}")]
    NoTable {
        /// The table.
        table: String,
        /// The folder.
        folder: String,
        /// The tables that there are.
        tables: String,
    },
    /// The log of a table is damaged, so that its files are not known.
    #[error("the files of a table in '{folder}' are not known, because {fault}: {}", fault.kind.mend())]
    Log {
        /// The folder.
        folder: String,
        /// What is wrong with the log.
        fault: Fault,
    },
    /// The marker cannot be read.
    #[error(
        "'{file}' is not the marker of a corpus ({detail}): choose another folder, or use --force to replace it"
    )]
    Marker {
        /// The marker's path.
        file: String,
        /// What is wrong with it.
        detail: String,
    },
}
