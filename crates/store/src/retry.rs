//! Tries again, with pauses that grow.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::time::Instant;

use crate::{Error, Options};

/// Counts the failures since the last progress.
#[derive(Debug)]
pub(crate) struct Retry {
    options: Arc<Options>,
    failures: u32,
}

impl Retry {
    pub(crate) fn new(options: &Arc<Options>) -> Retry {
        Retry {
            options: Arc::clone(options),
            failures: 0,
        }
    }

    /// Something was read: the next failure is the first again.
    pub(crate) fn progress(&mut self) {
        self.failures = 0;
    }

    /// Sleeps before the next try.
    ///
    /// # Errors
    ///
    /// Gives `error` back where another try could not help, or there were enough of them.
    pub(crate) async fn pause(&mut self, error: Error) -> Result<(), Error> {
        if !error.is_transient() || error.is_refusal() {
            return Err(error);
        }
        match self.again(&error) {
            Some(pause) => {
                tokio::time::sleep(pause).await;
                Ok(())
            }
            None => Err(error),
        }
    }

    /// How long to wait before the next try; nothing where there were enough of them.
    pub(crate) fn again(&mut self, error: &Error) -> Option<Duration> {
        if self.failures >= self.options.retries {
            return None;
        }
        let pause = self.length(error, RandomState::new().hash_one(self.failures));
        self.failures += 1;
        self.options.counts.retries.fetch_add(1, Relaxed);
        tracing::warn!(
            tries = self.failures,
            pause_seconds = pause.as_secs_f64(),
            error = %error,
            "store tried again"
        );
        Some(pause)
    }

    /// Twice as long as the last time, less up to a half of it by chance, so that many who failed at the
    /// same time don't come back at the same time; at least the pause that the server requests. Never
    /// longer than the longest pause.
    fn length(&self, error: &Error, random: u64) -> Duration {
        let doubled = self.options.backoff.saturating_mul(1 << self.failures.min(20));
        let longest = doubled.min(self.options.max_backoff);
        let pause = longest.mul_f64(1.0 - (random >> 32) as f64 / (1u64 << 33) as f64);
        let requested = match error {
            Error::Remote { pause, .. } => *pause,
            _ => Duration::ZERO,
        };
        pause.max(requested.min(self.options.max_backoff))
    }
}

/// The answer of a server that refuses a request, as the cause of an error of the client.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    /// The pause that the server requests.
    pub(crate) pause: Duration,
    pub(crate) text: String,
}

/// Runs `attempt` until it succeeds or another try could not help.
pub(crate) async fn retried<T, F>(options: &Arc<Options>, mut attempt: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut retry = Retry::new(options);
    loop {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) => retry.pause(error).await?,
        }
    }
}

/// `future`, given up after `limit`.
pub(crate) async fn within<T>(
    limit: Duration,
    name: &str,
    future: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    by(Instant::now() + limit, limit, name, future).await
}

/// `future`, given up at `deadline`, which is after `limit` of too little.
pub(crate) async fn by<T>(
    deadline: Instant,
    limit: Duration,
    name: &str,
    future: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::time::timeout_at(deadline, future)
        .await
        .unwrap_or_else(|_| {
            let detail = format!(
                "the server sent nothing, or next to nothing, for {} s",
                limit.as_secs_f32()
            );
            Err(Error::remote("could not read", name, detail))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pause after a number of failures, the last one with a request for a pause.
    fn pause(failures: u32, requested: u64, random: u64) -> f64 {
        let options = Options {
            backoff: Duration::from_secs(1),
            max_backoff: Duration::from_secs(5),
            ..Options::default()
        };
        let retry = Retry {
            options: Arc::new(options),
            failures,
        };
        let busy = Error::Remote {
            doing: "could not read",
            input: "x".to_owned(),
            detail: "busy".to_owned(),
            status: Some(503),
            pause: Duration::from_secs(requested),
        };
        retry.length(&busy, random).as_secs_f64()
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let pauses = [0, 1, 2, 3, 40].map(|failures| pause(failures, 0, 0));
        assert_eq!(pauses, [1.0, 2.0, 4.0, 5.0, 5.0]);
        for random in [1 << 40, 1 << 62, u64::MAX] {
            let pause = pause(1, 0, random);
            assert!((1.0..2.0).contains(&pause), "{pause}");
        }
    }

    #[test]
    fn a_server_may_ask_for_a_longer_pause() {
        assert_eq!(pause(0, 3, 0), 3.0);
        assert_eq!(pause(3, 3, 0), 5.0);
        assert_eq!(pause(0, 999_999_999, 0), 5.0);
    }
}
