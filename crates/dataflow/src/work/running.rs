//! The state of one run of a build, which ends with its process.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_corpus::Unread;
use parking_lot::Mutex;

use crate::data::summary::{self, Summary};
use crate::error::Error;
use crate::memory::Memory;
use crate::memory::large::LargePages;
use crate::watch::Progress;
use crate::work::ledger::Ledger;
use crate::work::order::Seams;

/// The state of one run of a build: what its workers share.
pub(crate) struct Running {
    /// Units that are read.
    pub(crate) reading: Arc<Ledger>,
    pub(crate) seams: Seams,
    pub(crate) memory: Memory,
    pub(crate) large: Arc<LargePages>,
    pub(crate) progress: Arc<Progress>,
    /// Set to end the run before its end.
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) outcome: Outcome,
}

/// What a run has counted, and what went wrong.
#[derive(Default)]
pub(crate) struct Outcome {
    summary: Mutex<Summary>,
    /// Inputs that could not be read. With `Some`, there are parts that are not read to their end.
    missing: Mutex<Option<BTreeSet<Unread>>>,
    failure: Mutex<Option<Error>>,
}

impl Outcome {
    pub(crate) fn new(summary: Summary) -> Outcome {
        Outcome {
            summary: Mutex::new(summary),
            ..Outcome::default()
        }
    }
}

impl Running {
    /// Whether the run is to end without its result: it was interrupted, or failed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends the run with an error. Only the first one is reported.
    pub(crate) fn fail(&self, error: Error) {
        self.outcome.failure.lock().get_or_insert(error);
        self.stop.store(true, Relaxed);
    }

    /// The same as a value for "not done".
    pub(crate) fn failed(&self, error: Error) -> bool {
        self.fail(error);
        false
    }

    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.outcome.failure.lock().take()
    }

    /// A part was not read to its end because of these inputs, or of some that another part reports.
    pub(crate) fn miss(&self, inputs: &[Unread]) {
        let mut missing = self.outcome.missing.lock();
        missing.get_or_insert_default().extend(inputs.iter().cloned());
    }

    /// The inputs that could not be read, by name; none where all parts are read to their ends.
    pub(crate) fn missing(&self) -> Option<Vec<Unread>> {
        let missing = self.outcome.missing.lock();
        missing.as_ref().map(summary::each_input)
    }

    /// The counts so far.
    pub(crate) fn sums(&self) -> Summary {
        self.outcome.summary.lock().clone()
    }

    pub(crate) fn set_sums(&self, summary: Summary) {
        *self.outcome.summary.lock() = summary;
    }

    pub(crate) fn add_to_summary(&self, part: &Summary) {
        self.outcome.summary.lock().add(part);
    }
}
