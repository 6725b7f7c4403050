//! Bounds of pages and records.

use clap::Args;

/// Bounds that keep one page from holding up a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct PageLimits {
    /// Bytes of a record; a larger one is rejected
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=2048))]
    pub(crate) max_record: u64,

    /// Bytes of a page; what is beyond is cut off
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) max_page: u64,

    /// Seconds for one page; what is not parsed by then is cut off
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) max_seconds: u64,
}
