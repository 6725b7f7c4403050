//! What a build tells while it runs, and to whom.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(next_help_heading = "Watching")]
pub(crate) struct Watching {
    /// Tell of what happens on standard error, an event a line: for people, or for machines
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) log: Option<LogForm>,

    /// The least important events that --log tells of
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "info")]
    pub(crate) log_level: LogLevel,

    /// Serve metrics for Prometheus at http://ADDR/metrics, such as 127.0.0.1:9464
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) metrics: Option<SocketAddr>,

    /// Say every so many seconds what each worker does; without it, SIGUSR1 asks for that
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

/// How important an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "use an address and a port, such as 127.0.0.1:9464 or 0.0.0.0:9464".to_owned())
}
