//! How long a request may read: until its time is over, or its client has gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use http::StatusCode;

use crate::Error;

/// The time of a request. It is looked at between row groups.
pub(crate) struct Budget {
    pub(crate) workers: usize,
    end: Instant,
    gone: Arc<AtomicBool>,
}

/// Held while a request waits for its answer: dropped with it, when the client closes the connection.
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Budget {
    /// The time from now on, and what ends it before.
    pub(crate) fn new(workers: usize, time: Duration) -> (Budget, Waiting) {
        let gone = Arc::new(AtomicBool::new(false));
        let budget = Budget {
            workers,
            end: Instant::now() + time,
            gone: Arc::clone(&gone),
        };
        (budget, Waiting(gone))
    }

    /// Whether reading has to end.
    pub(crate) fn is_over(&self) -> bool {
        self.gone.load(Relaxed) || Instant::now() >= self.end
    }

    /// Whether the client has gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.gone.load(Relaxed)
    }

    /// For what is of no use in part.
    ///
    /// # Errors
    /// 503: the time is over.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.is_over() {
            false => Ok(()),
            true => Err(Error::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "this table takes longer to read than a request may: start gleaner serve with a larger --timeout",
            )),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_leaves_ends_the_reading_and_so_does_the_time() {
        let (budget, waiting) = Budget::new(1, Duration::from_secs(3600));
        assert!(!budget.is_over() && budget.check().is_ok());
        drop(waiting);
        assert!(budget.is_over());
        let (budget, _waiting) = Budget::new(1, Duration::ZERO);
        assert_eq!(
            budget.check().unwrap_err().status,
            StatusCode::SERVICE_UNAVAILABLE
        );
    }
}
