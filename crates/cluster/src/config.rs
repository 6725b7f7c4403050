//! Which processes a group has.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gleaner_corpus::Identity;

use crate::handshake::GroupSecret;

/// The maximum time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The processes of a group, and which of them this is.
#[derive(Clone)]
pub struct GroupConfig {
    /// The address of each as `host:port`.
    pub hosts: Vec<String>,
    /// The number of this process, from 0.
    pub process: usize,
    /// What is built: the same in all processes.
    pub identity: Identity,
    /// The secret of the group. Without one all processes have to be on this machine.
    pub secret: Option<GroupSecret>,
    /// The maximum time until all processes are connected.
    pub connect_timeout: Duration,
    /// The maximum time without a message of a process before it is given up.
    pub silence: Duration,
    /// Set from outside to end; set by the group when another process is gone.
    pub stop: Arc<AtomicBool>,
    /// Prints a message for the user, such as the processes that this one waits for.
    pub print: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for GroupConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupConfig")
            .field("hosts", &self.hosts)
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

impl GroupConfig {
    /// The time between two heartbeats.
    pub(crate) fn heartbeat(&self) -> Duration {
        HEARTBEAT.min(self.silence / 10)
    }

    /// The name of a process in messages.
    pub(crate) fn name(&self, process: usize) -> String {
        let host = self.hosts.get(process).map_or("", String::as_str);
        format!("process {process} ({host})")
    }
}
