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
    /// Adds what one input stands for, if it could be looked up.
    ///
    /// # Errors
    ///
    /// The input is none that a later run could read.
    pub(crate) fn take(&mut self, more: Result<Expanded, Error>) -> Result<(), Error> {
        let more = self.reached(more)?;
        self.shards.extend(more.shards);
        self.notes.extend(more.notes);
        self.unlisted.extend(more.unlisted);
        Ok(())
    }

    /// What was found; nothing if it is out of reach, which is noted here.
    ///
    /// # Errors
    ///
    /// As [`Expanded::take`].
    pub(crate) fn reached<T: Default>(&mut self, found: Result<T, Error>) -> Result<T, Error> {
        match found {
            Err(error) if error.is_unreadable() => {
                self.unlisted.push(error);
                Ok(T::default())
            }
            found => found,
        }
    }

    /// The same, if there is a file, or one that is out of reach.
    ///
    /// # Errors
    ///
    /// There is none: the error that is given, or one that names a link.
    pub(crate) fn or_nothing(self, input: &str, nothing: impl FnOnce() -> Error) -> Result<Expanded, Error> {
        if !self.shards.is_empty() || !self.unlisted.is_empty() {
            return Ok(self);
        }
        let links = self.notes.into_iter().filter_map(|note| match note {
            Note::Nowhere(link) => Some(link),
            _ => None,
        });
        Err(match links.min() {
            Some(link) => Error::OnlyLinks(input.to_owned(), link),
            None => nothing(),
        })
    }
}

impl From<Vec<Shard>> for Expanded {
    fn from(shards: Vec<Shard>) -> Expanded {
        Expanded {
            shards,
            ..Expanded::default()
        }
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
    /// A link in a folder, or one that a pattern matches.
    #[error("'{0}' is a link that leads nowhere: it is left out")]
    Nowhere(String),
}
