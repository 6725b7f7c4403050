//! Who a build works for: the command, or a program that calls it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_dataflow::Error;

use super::failure::{Failure, FailureKind};
use super::watching::Watchers;
use crate::terminal::console::Say;
use crate::terminal::signals::Signals;

/// Who a build works for.
pub(crate) struct Session<'a> {
    pub(crate) signals: Signals<'a>,
    pub(crate) say: Say,
    pub(crate) watchers: &'a Watchers,
    /// Whether a terminal shows how far it is.
    pub(crate) draws: bool,
}

impl Session<'_> {
    /// The flag that stops the build.
    ///
    /// # Errors
    /// It is set already, while the inputs were listed.
    pub(crate) fn stop(&self) -> Result<Arc<AtomicBool>, Failure> {
        let stop = self.signals.stop()?;
        match stop.load(Relaxed) {
            true => Err(Failure {
                kind: FailureKind::Interrupted,
                error: Error::Interrupted.into(),
            }),
            false => Ok(stop),
        }
    }
}
