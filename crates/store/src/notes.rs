//! The shards of inputs, with notes about how they were found.

use crate::{Error, Shard};

/// The shards of all inputs, and notes about how they were found.
#[derive(Debug, Default)]
pub struct Expanded {
    /// Sorted by name, each file once.
    pub shards: Vec<Shard>,
    /// Warnings.
    pub notes: Vec<Note>,
    /// Inputs that could not be looked up: each error names one, and [`Error::is_unreadable`] is true of it.
    pub unlisted: Vec<Error>,
}

impl Expanded {
    /// Adds the shards of one input, if it could be looked up.
    ///
    /// # Errors
    ///
    /// The input is none that a later run could read.
    pub(crate) fn take(&mut self, shards: Result<Vec<Shard>, Error>) -> Result<(), Error> {
        match shards {
            Ok(shards) => self.shards.extend(shards),
            Err(error) if error.is_unreadable() => self.unlisted.push(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// A warning about an input, as text: where it is, and where what is read is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// A file that has two names is read once.
    #[error("'{0}' is the same file as '{1}': it is read once")]
    SameFile(String, String),
    /// A folder that has two names is searched once.
    #[error("'{0}' is the same folder as '{1}': it is read once")]
    SameFolder(String, String),
}
