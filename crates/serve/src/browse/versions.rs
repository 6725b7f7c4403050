//! The newest version of a corpus, a whole one at a time. Each request looks whether there is a newer one.

use std::sync::Arc;

use gleaner_corpus::{Corpus, Marker, State};
use gleaner_store::Output;
use parking_lot::Mutex;

use super::version::Version;
use crate::Error;

/// The versions of the corpus that is browsed.
pub(crate) struct Versions {
    output: Output,
    newest: Mutex<Arc<Version>>,
}

impl Versions {
    /// Begins with the version that there is.
    ///
    /// # Errors
    /// What names its files is damaged.
    pub(crate) fn open(output: &Output, marker: &Marker) -> Result<Versions, gleaner_corpus::Error> {
        Ok(Versions {
            newest: Mutex::new(Arc::new(Version::open(output, marker.clone())?)),
            output: output.clone(),
        })
    }

    /// The newest complete version. Waits for the store: call it on a worker.
    pub(crate) fn newest(&self) -> Result<Arc<Version>, Error> {
        let marker = Corpus::marker(&self.output)?;
        let gone = || gleaner_corpus::Error::Absent(self.output.place().to_string());
        let marker = marker.ok_or_else(gone)?;
        let known = Arc::clone(&self.newest.lock());
        // While it is built again, what was complete is shown as far as its files are there.
        if marker.state != State::Complete || marker == known.marker {
            return Ok(known);
        }
        let newer = Arc::new(Version::open(&self.output, marker)?);
        *self.newest.lock() = Arc::clone(&newer);
        Ok(newer)
    }
}
