//! Threads that read a selection, how far they are, and what stops them.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use crate::error::Error;

/// How a selection is read.
#[derive(Clone, Debug)]
pub struct Work {
    /// Threads.
    pub workers: usize,
    /// Set from elsewhere, it ends the work soon ([`Error::Interrupted`]).
    pub stop: Arc<AtomicBool>,
    /// Thousandths of the corpus that are read.
    done: Arc<AtomicU32>,
}

impl Work {
    /// Work of a number of threads, which nothing stops.
    pub fn of(workers: usize) -> Work {
        Work {
            workers,
            stop: Arc::default(),
            done: Arc::default(),
        }
    }

    /// How much of the corpus is read, from 0 to 1. With limits by language it is read twice.
    pub fn share(&self) -> f64 {
        f64::from(self.done.load(Relaxed)) / 1000.0
    }

    pub(crate) fn set_share(&self, share: f64) {
        self.done.store((share * 1000.0) as u32, Relaxed);
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
