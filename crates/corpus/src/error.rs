//! What can go wrong with a corpus, in sentences that say the mend.

use std::io;

use parquet::errors::ParquetError;

use crate::{BadCrawlName, FORMAT, Fault};

/// Why a corpus cannot be begun, written or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A disk or store failed.
    #[error(transparent)]
    Store(#[from] gleaner_store::Error),
    /// A table could not be written; nothing of this part has appeared.
    #[error("could not write '{0}': {1}")]
    Write(String, #[source] io::Error),
    /// Rows that Parquet cannot hold.
    #[error("could not write '{0}': {1}")]
    Parquet(String, #[source] ParquetError),
    /// A file that is not of the table it should be.
    #[error("could not read '{0}': {1}")]
    Read(String, String),
    /// A file of a table is not what was written.
    #[error("{fault}: {}", fault.kind.mend())]
    Damaged {
        /// What is wrong with it.
        fault: Fault,
    },
    /// A row too long for a table.
    #[error("could not write '{0}': a row has {1} bytes, more than a table can hold")]
    LongRow(String, usize),
    /// The identity of a corpus names a crawl that there cannot be.
    #[error("'{0}' cannot be the name of a crawl: {1}")]
    CrawlName(String, #[source] BadCrawlName),
    /// The folder holds something that is not ours.
    #[error(
        "'{0}' holds other files, such as '{1}': choose an empty folder, or use --force to write beside them"
    )]
    Foreign(String, String),
    /// The folder holds a corpus of something else.
    #[error("'{0}' holds another corpus ({1}): choose another folder, or use --force to replace it")]
    Other(String, String),
    /// The folder holds this very corpus, and it is complete.
    #[error(
        "'{0}' holds this corpus already, complete: there is nothing to do; use --force to build it again"
    )]
    Complete(String),
    /// A version of a table's log is not ours.
    #[error(
        "'{0}' was written by another program: leave a table alone until its build is complete, and use --force to begin again"
    )]
    Version(String),
    /// A version of a log that is not ours, in a corpus that is to be changed.
    #[error(
        "'{0}' was written by another program: only gleaner may write to the logs of a corpus; remove this file and run the command again"
    )]
    ForeignVersion(String),
    /// The tables of a corpus that is to be changed are those of another version of this program.
    #[error(
        "the tables of the corpus in '{folder}' have format {there}, and this program writes format {FORMAT}: build it again with `gleaner build --force`"
    )]
    Format {
        /// The folder.
        folder: String,
        /// The format that is there.
        there: u32,
    },
    /// A corpus that is to be changed keeps no state.
    #[error(
        "the corpus in '{0}' keeps no state, so it cannot be changed: `gleaner build --force` without --no-state makes one that can"
    )]
    NoState(String),
    /// Another change of the corpus is unfinished.
    #[error("an unfinished `{command}` is in '{folder}': run it again, or `gleaner undo {folder}`")]
    Unfinished {
        /// The folder.
        folder: String,
        /// The command.
        command: String,
    },
    /// Another process should have begun a change.
    #[error("no change of '{0}' is in progress: is this the same folder for all processes?")]
    NoChange(String),
    /// The check was stopped.
    #[error("interrupted")]
    Interrupted,
    /// There is no corpus.
    #[error("no corpus in '{0}': it has no gleaner.json; name the folder that a build wrote")]
    Absent(String),
    /// There is a corpus that is not complete.
    #[error("the corpus in '{0}' is not complete: run its build again to complete it")]
    Incomplete(String),
    /// The marker of a corpus that is to be read is damaged.
    #[error("'{0}' is damaged ({1}): restore it from a copy, or build the corpus again with --force")]
    DamagedMarker(String, String),
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
    /// The files of a version are not there.
    #[error("no files of version {version} in '{folder}': there are those of {versions}")]
    NoVersion {
        /// The version.
        version: u64,
        /// The folder.
        folder: String,
        /// The versions whose files are there.
        versions: String,
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
    #[error("'{0}' is not the marker of a corpus ({1}): choose another folder, or use --force to replace it")]
    Marker(String, String),
}
