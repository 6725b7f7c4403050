//! The state of one run of a build, which ends with its process.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_corpus::Unread;
use parking_lot::Mutex;

use crate::data::summary;
use crate::error::Error;
use crate::memory::Memory;
use crate::memory::large::LargePages;
use crate::watch::Progress;

/// The state of one run of a build: what its workers share.
pub(crate) struct Running {
    pub(crate) memory: Memory,
    pub(crate) large: Arc<LargePages>,
    pub(crate) progress: Arc<Progress>,
    /// Set to end the run before its end.
    pub(crate) stop: Arc<AtomicBool>,
    /// Inputs that could not be read. With `Some`, there are parts that are not read to their end.
    missing: Mutex<Option<BTreeSet<Unread>>>,
    failure: Mutex<Option<Error>>,
}

impl Running {
    /// A run with this bound of memory, in bytes.
    pub(crate) fn new(memory: Option<u64>, progress: &Arc<Progress>, stop: Arc<AtomicBool>) -> Running {
        let memory = Memory::new(memory);
        Running {
            memory,
            large: Arc::new(LargePages::new(memory)),
            progress: Arc::clone(progress),
            stop,
            missing: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// Whether the run is to end without its result: it was interrupted, or failed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends the run with an error. Only the first one is reported.
    pub(crate) fn fail(&self, error: Error) {
        self.failure.lock().get_or_insert(error);
        self.stop.store(true, Relaxed);
    }

    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.failure.lock().take()
    }

    /// A part was not read to its end because of these inputs, or of some that another part reports.
    pub(crate) fn miss(&self, inputs: &[Unread]) {
        let mut missing = self.missing.lock();
        missing.get_or_insert_default().extend(inputs.iter().cloned());
    }

    /// The inputs that could not be read, by name; none where all parts are read to their ends.
    pub(crate) fn missing(&self) -> Option<Vec<Unread>> {
        let missing = self.missing.lock();
        missing.as_ref().map(summary::each_input)
    }
}
