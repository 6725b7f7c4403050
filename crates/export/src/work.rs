//! Threads that read a selection, and what stops them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Error;

/// How a selection is read.
#[derive(Clone, Debug)]
pub struct Work {
    /// Threads.
    pub workers: usize,
    /// Set from elsewhere, it ends the work soon ([`Error::Interrupted`]).
    pub stop: Arc<AtomicBool>,
}

impl Work {
    /// Work of a number of threads, which nothing stops.
    pub fn of(workers: usize) -> Work {
        Work {
            workers,
            stop: Arc::default(),
        }
    }

    /// Ends what is stopped.
    ///
    /// # Errors
    /// It is stopped.
    pub fn check(&self) -> Result<(), Error> {
        match self.stop.load(Relaxed) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}
