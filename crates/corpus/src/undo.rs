//! An unfinished change is undone, or finished where it is committed.

use gleaner_store::{Entry, Output};

use crate::garbage::{STAGING, garbage, named_files};
use crate::marker::Marker;
use crate::next::{NEXT, Next};
use crate::{Corpus, Error, commit};

/// What became of an unfinished change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// There was none.
    Nothing,
    /// It was not committed: what it had written is deleted.
    Deleted {
        /// The change.
        change: Box<Next>,
        /// Files that were deleted.
        files: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// It was committed, and could only be finished.
    Finished {
        /// The change.
        change: Box<Next>,
    },
}

impl Corpus {
    /// Undoes the unfinished change of a corpus, so that the version before it is all that is there. A committed change is
    /// finished instead. With `dry_run` nothing is written, and the answer says what would be. Waits for the store.
    ///
    /// # Errors
    /// There is no complete corpus, another process holds it, or it cannot be read or written.
    pub fn undo(output: &Output, dry_run: bool) -> Result<Undone, Error> {
        let marker = Corpus::complete(output)?;
        if Next::read(output)?.is_none() {
            // Of a corpus that keeps no state it is not known what it names.
            if !dry_run && marker.arguments.is_some() {
                delete_garbage(output, &marker)?;
            }
            return Ok(Undone::Nothing);
        }
        let _hold = match dry_run {
            true => None,
            false => Some(output.hold()?),
        };
        // The command that held it may have ended meanwhile.
        let marker = Corpus::complete(output)?;
        let Some(change) = Next::read(output)? else {
            return Ok(Undone::Nothing);
        };
        if change.committed.is_some() {
            if !dry_run {
                commit::recover(output)?;
            }
            let change = Box::new(change);
            return Ok(Undone::Finished { change });
        }
        if change.base != marker.version {
            return Err(commit::not_of(&change, &marker));
        }
        let written = garbage(output, &marker, &named_files(output, &marker)?)?;
        let staged = output.list(STAGING)?;
        if !dry_run {
            // What it had staged says what it had written: that goes first.
            output.remove(STAGING)?;
            output.delete_all(&written.iter().map(|file| file.name.clone()).collect::<Vec<_>>())?;
            output.delete(NEXT)?;
        }
        let all = || staged.iter().chain(&written);
        Ok(Undone::Deleted {
            files: all().count() as u64,
            bytes: all().map(|Entry { size, .. }| size).sum(),
            change: Box::new(change),
        })
    }
}

/// Deletes what a command has left that was killed while it announced its change.
fn delete_garbage(output: &Output, marker: &Marker) -> Result<(), Error> {
    let left = garbage(output, marker, &named_files(output, marker)?)?;
    if left.is_empty() {
        return Ok(());
    }
    let _hold = output.hold()?;
    // Another command may have begun meanwhile.
    match Next::read(output)? {
        Some(_) => Ok(()),
        None => Ok(output.delete_all(&left.into_iter().map(|file| file.name).collect::<Vec<_>>())?),
    }
}
