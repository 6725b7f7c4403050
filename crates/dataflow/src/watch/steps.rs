//! How far each phase of a build is.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Names of the phases: those of `--phase`, of events and of metrics.
pub(crate) const READ: &str = "read";
pub(crate) const SORT: &str = "sort";
pub(crate) const LABEL: &str = "label";
pub(crate) const FINISH: &str = "finish";

/// The phases of a build in their order. Only a build of many parts has `sort`.
pub const PHASES: [&str; 4] = [READ, SORT, LABEL, FINISH];

/// A phase that has begun.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseStatus {
    /// Its name.
    pub name: &'static str,
    /// Its number among the phases of the run, from 1.
    pub number: usize,
    /// How many phases the run has.
    pub of: usize,
    /// How much of it is done, from 0 to 1; none where that is not known.
    pub share: Option<f64>,
    /// How long ago it began.
    pub begun: Duration,
}

/// A phase of a run: its steps, counted without locks. A step is a byte of the input, a byte of pages that wait, or a part,
/// depending on the phase.
#[derive(Debug)]
pub(crate) struct Steps {
    pub(crate) name: &'static str,
    /// 0 where it is unknown.
    pub(crate) all: AtomicU64,
    pub(crate) done: AtomicU64,
}

impl Steps {
    pub(crate) fn of(name: &'static str) -> Steps {
        Steps {
            name,
            all: AtomicU64::new(0),
            done: AtomicU64::new(0),
        }
    }

    /// All is done.
    pub(crate) fn end(&self) {
        self.done.store(self.all.load(Relaxed), Relaxed);
    }

    /// How much of it is done; none where its steps are unknown.
    pub(crate) fn share(&self) -> Option<f64> {
        let (all, done) = (self.all.load(Relaxed), self.done.load(Relaxed));
        (all > 0).then(|| (done as f64 / all as f64).min(1.0))
    }
}
