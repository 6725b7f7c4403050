//! Tries again, with pauses that grow.

use std::time::Duration;

use crate::backend::status;
use crate::{Error, Options};

/// Counts the failures since the last progress.
pub(crate) struct Retry<'a> {
    options: &'a Options,
    failures: u32,
}

impl<'a> Retry<'a> {
    pub(crate) fn new(options: &'a Options) -> Retry<'a> {
        Retry { options, failures: 0 }
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
        if self.failures >= self.options.retries || !error.is_transient() || is_refusal(&error) {
            return Err(error);
        }
        tokio::time::sleep(self.length()).await;
        self.failures += 1;
        Ok(())
    }

    fn length(&self) -> Duration {
        let doubled = self.options.backoff.saturating_mul(1 << self.failures.min(20));
        doubled.min(self.options.max_backoff)
    }
}

/// Whether the server said that the request itself is wrong (4xx, but neither "too slow" nor "too
/// many").
fn is_refusal(error: &Error) -> bool {
    let Error::Remote { detail, .. } = error else {
        return false;
    };
    matches!(status(detail), Some(400..=499)) && !matches!(status(detail), Some(408 | 425 | 429))
}

/// Runs `attempt` until it succeeds or another try could not help.
pub(crate) async fn retried<T, F>(options: &Options, mut attempt: impl FnMut() -> F) -> Result<T, Error>
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
    tokio::time::timeout(limit, future).await.unwrap_or_else(|_| {
        let detail = format!("the server sent nothing for {} s", limit.as_secs_f32());
        Err(Error::Remote {
            doing: "could not read",
            input: name.to_owned(),
            detail,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(detail: &str) -> Error {
        Error::Remote {
            doing: "could not read",
            input: "x".to_owned(),
            detail: detail.to_owned(),
        }
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let options = Options {
            backoff: Duration::from_secs(1),
            max_backoff: Duration::from_secs(5),
            ..Options::default()
        };
        let pauses = [0, 1, 2, 3, 40].map(|failures| {
            Retry {
                options: &options,
                failures,
            }
            .length()
            .as_secs()
        });
        assert_eq!(pauses, [1, 2, 4, 5, 5]);
    }

    #[test]
    fn refusals_are_not_repeated() {
        assert!(is_refusal(&remote(
            "Server returned non-2xx status code: 416 Range: "
        )));
        assert!(!is_refusal(&remote(
            "Server returned non-2xx status code: 429 Too Many: "
        )));
        assert!(!is_refusal(&remote(
            "Server returned non-2xx status code: 503 Busy: "
        )));
        assert!(!is_refusal(&remote("connection reset by peer")));
    }
}
