//! What inputs stand for.

use std::fmt;

use crate::Shard;

/// The shards of all inputs, and what there is to say about how they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Sorted by name, each file once.
    pub shards: Vec<Shard>,
    /// What a user may not expect.
    pub notes: Vec<Note>,
}

/// Something that a user may not expect of an input. The text is a warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Note {
    /// A file that has two names is read once.
    SameFile {
        /// The name that is not used.
        name: String,
        /// The name in the tables.
        first: String,
    },
    /// A folder that has two names is searched once.
    SameFolder {
        /// The name that is not used.
        name: String,
        /// The name in the tables.
        first: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::SameFile { name, first } => {
                write!(f, "'{name}' is the same file as '{first}': it is read once")
            }
            Note::SameFolder { name, first } => {
                write!(f, "'{name}' is the same folder as '{first}': it is read once")
            }
        }
    }
}
