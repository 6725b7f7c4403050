//! Retries and timeouts of object stores and web servers.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gleaner_store::{Counts, Options};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Stores")]
pub(crate) struct Stores {
    /// Retries of a failed request before an input counts as missing, or the build fails because it cannot write
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) store_retries: u32,

    /// Seconds without data from a server before the request is repeated
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) store_timeout: Duration,

    /// Longest pause between two retries, in seconds
    ///
    /// The first pause is at most 0.2 seconds, and each one is twice as long as the one before, unless the server sends
    /// Retry-After.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) store_pause: Duration,
}

impl Stores {
    /// What they say to a store.
    pub(crate) fn options(&self, counts: &Arc<Counts>) -> Options {
        let default = Options::default();
        Options {
            retries: self.store_retries,
            stall: self.store_timeout,
            backoff: default.backoff.min(self.store_pause),
            max_backoff: self.store_pause,
            counts: Arc::clone(counts),
            ..default
        }
    }
}

/// Seconds, with a fraction or without.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "use a number of seconds, such as 30 or 0.5".to_owned())?;
    match (0.001..=86_400.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("use 0.001 seconds at least, and 86400 at most".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn seconds_are_more_than_none() {
        assert_eq!(seconds("0.5").unwrap().as_millis(), 500);
        for text in ["", "0", "-1", "nan", "inf", "1e9", "5s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
