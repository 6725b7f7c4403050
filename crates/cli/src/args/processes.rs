//! Options of a build by several processes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::stores::seconds;

/// A build by several processes, each on a machine of its own.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Processes")]
pub(crate) struct Processes {
    /// Build together with other processes: FILE has a line host:port for each of them. Give the same
    /// command everywhere but for --process, with an OUT and inputs that all see
    #[arg(long, value_name = "FILE", requires = "process")]
    pub(crate) hosts: Option<PathBuf>,

    /// Which of them this is: its line in the file of hosts, counted from 0
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=9999))]
    pub(crate) process: Option<u16>,

    /// A file with the secret that the processes share; by default the variable GLEANER_SECRET. Needed
    /// unless all hosts are 127.0.0.1
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,

    /// How long the others are waited for at the start
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) connect_timeout: Duration,

    /// How long a process may be silent before the others give it up
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub(crate) peer_timeout: Duration,
}
