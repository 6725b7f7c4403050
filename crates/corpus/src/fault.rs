//! What can be wrong with the files of a corpus.

use std::collections::BTreeMap;
use std::fmt;

/// A file of a corpus that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("'{file}' {kind}")]
pub struct Fault {
    /// The file or folder, by its name within the corpus.
    pub file: String,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr, thiserror::Error)]
#[non_exhaustive]
#[strum(serialize_all = "kebab-case")]
pub enum FaultKind {
    /// It is not there.
    #[error("is missing")]
    Missing,
    /// It has another size.
    #[error("has {bytes} bytes, and {expected} were written")]
    Size {
        /// Its bytes.
        bytes: u64,
        /// The bytes that were written.
        expected: u64,
    },
    /// It is a file of a log, and cannot be understood.
    #[error("is damaged: {detail}")]
    Unreadable {
        /// Why.
        detail: String,
    },
    /// It stands among the files of a table, and the log of the table does not name it.
    #[error("is not in the log of its table")]
    Unknown,
    /// It stands among what the corpus keeps, and no version of the corpus needs it.
    #[error("is not part of any version of the corpus")]
    Unused,
    /// Its bytes have another digest than its name.
    #[error("has other bytes than were written")]
    Digest,
    /// It has another number of rows than the log of its table says.
    #[error("has another number of rows than was written: {rows}, not {expected}")]
    Rows {
        /// Its rows.
        rows: u64,
        /// The rows that were written.
        expected: u64,
    },
    /// It is the marker, and counts other rows of a table than its files have.
    #[error("has another number of rows of '{table}' than its log: {expected}, not {rows}")]
    Total {
        /// The table.
        table: String,
        /// The rows of its files.
        rows: u64,
        /// The rows that are counted.
        expected: u64,
    },
    /// It is the marker, and captures and damaged places are not as many as documents, rejects, and what rules leave out.
    #[error(
        "does not add up: captures ({captures}) + damaged places ({damaged}) are not documents ({documents}) + rejects \
         ({rejects}) + captures that rules leave out ({left_out})"
    )]
    Sum {
        /// The captures that were read.
        captures: u64,
        /// The places of the input where no record could be read.
        damaged: u64,
        /// Rows of the table.
        documents: u64,
        /// Rows of the table.
        rejects: u64,
        /// Captures and damaged places that rules leave out.
        left_out: u64,
    },
}

impl FaultKind {
    /// A name for machines.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// What to do.
    pub fn mend(&self) -> &'static str {
        match self {
            FaultKind::Unknown => "remove it, because readers that list the folder read it, too",
            FaultKind::Unused => "remove it: `gleaner vacuum` does",
            FaultKind::Total { .. } | FaultKind::Sum { .. } => "build the corpus again with --force",
            _ => "restore it from a copy, or build the corpus again with --force",
        }
    }
}

impl Fault {
    pub(crate) fn new(file: impl Into<String>, kind: FaultKind) -> Fault {
        Fault {
            file: file.into(),
            kind,
        }
    }

    pub(crate) fn unreadable(file: &str, detail: impl fmt::Display) -> Fault {
        let detail = detail.to_string();
        Fault::new(file, FaultKind::Unreadable { detail })
    }
}

/// Files of a table's folder with their sizes, by name within the corpus.
pub(crate) type Listing = BTreeMap<String, u64>;
