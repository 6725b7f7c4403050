//! Limits of pages and records.

use clap::Args;
use gleaner_page::Limits;

/// Unit of `--max-steps`.
pub(crate) const MILLION: u64 = 1_000_000;

/// Limits for one page and one record.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct PageLimits {
    /// Largest record; a larger one is rejected
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=2048))]
    pub(crate) max_record: u64,

    /// Largest page; the rest is cut off
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) max_page: u64,

    /// Most steps of work for one page, in millions; the rest is cut off
    ///
    /// A tag, a text or an attribute usually takes one or two steps; hostile pages take many. Steps do not depend on the
    /// speed of the machine.
    #[arg(long, value_name = "MILLIONS", default_value_t = Limits::DEFAULT_STEPS / MILLION, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) max_steps: u64,
}
