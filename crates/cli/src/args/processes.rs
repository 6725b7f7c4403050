//! Options of a build by several processes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::stores::seconds;

/// A build by several processes, each on a machine of its own.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Processes")]
pub(crate) struct Processes {
    /// Build together with other processes: FILE has one line host:port per process
    ///
    /// Run the same command on each machine; only --process differs. All processes must be able to read the inputs and write
    /// OUT.
    #[arg(long, value_name = "FILE", requires = "process")]
    pub(crate) hosts: Option<PathBuf>,

    /// Number of this process: its line in the file of --hosts, from 0
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=9999), requires = "hosts")]
    pub(crate) process: Option<u16>,

    /// File with the secret that all processes share [default: the variable GLEANER_SECRET]
    ///
    /// No secret is needed if all hosts are 127.0.0.1, [::1] or localhost.
    #[arg(long, value_name = "FILE", requires = "hosts")]
    pub(crate) secret_file: Option<PathBuf>,

    /// Longest wait for the other processes at the start
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, requires = "hosts")]
    pub(crate) connect_timeout: Duration,

    /// Silence after which the other processes treat a process as lost
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds, requires = "hosts")]
    pub(crate) peer_timeout: Duration,
}
