//! Log, metrics and status of a running build.

use std::net::SocketAddr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tracing::Level;

/// The levels of events.
const LEVELS: [&str; 4] = ["error", "warn", "info", "debug"];

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Watching")]
pub(crate) struct Watching {
    /// Log format on standard error: text or JSON, one event per line [default: progress bar, no log]
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) log: Option<LogForm>,

    /// Lowest level of events that --log writes
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = PossibleValuesParser::new(LEVELS).try_map(|level| level.parse::<Level>()), requires = "log")]
    pub(crate) log_level: Level,

    /// Serve Prometheus metrics at http://ADDR/metrics, for example 127.0.0.1:9464
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) metrics: Option<SocketAddr>,

    /// Print worker status every N seconds (10 without a number); on Unix, SIGUSR1 prints it once
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "10",
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) status: Option<u64>,
}

/// How events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogForm {
    Text,
    Json,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "use an address and a port, such as 127.0.0.1:9464 or 0.0.0.0:9464".to_owned())
}
