//! Settings of a [`Store`](crate::Store), each with its default.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// How inputs are read. Values rather than globals: tests and several jobs in a process differ.
#[derive(Clone, Debug)]
pub struct Options {
    /// The environment that credentials and endpoints are taken from (`AWS_*`, `AZURE_*`,
    /// `GOOGLE_*`, `HOME`). By default that of the process.
    pub env: BTreeMap<String, String>,
    /// Bytes of one request. A smaller range costs more requests, a larger one memory.
    pub range: u64,
    /// Ranges of one stream that are fetched at the same time.
    pub in_flight: usize,
    /// Tries after a failed one, without a byte of progress in between, before giving up.
    pub retries: u32,
    /// The pause before the first retry; it doubles from one to the next.
    pub backoff: Duration,
    /// The longest pause.
    pub max_backoff: Duration,
    /// A request without an answer for this time is repeated.
    pub stall: Duration,
    /// Threads beside the workers that talk to the network.
    pub threads: usize,
    /// Simultaneous requests for the sizes of listed inputs.
    pub probes: usize,
    /// Where files for remote outputs are kept until they are whole. By default the system's
    /// folder for temporary files.
    pub spool: Option<PathBuf>,
    /// Whether plain texts (`.txt`, compressed or not) in folders are inputs, too.
    pub texts: bool,
    /// Files and folders of this machine that are written while inputs are read. In a folder, and by a pattern, they are
    /// not found.
    pub written: Vec<PathBuf>,
    /// Counters of the clients.
    pub counts: Arc<Counts>,
}

/// Counters of what the clients of a store did.
#[derive(Debug, Default)]
pub struct Counts {
    /// Requests, those that were repeated included.
    pub requests: AtomicU64,
    /// Pauses before something was tried again. The client that uploads large files repeats requests by itself:
    /// their first tries and their repetitions count alike.
    pub retries: AtomicU64,
}

/// Where files are kept that are not whole yet, or never will be anywhere else.
pub(crate) fn spool_folder(options: &Options) -> PathBuf {
    options.spool.clone().unwrap_or_else(std::env::temp_dir)
}

impl Default for Options {
    fn default() -> Options {
        Options {
            env: process_env(),
            range: 4 << 20,
            in_flight: 2,
            retries: 8,
            backoff: Duration::from_millis(200),
            max_backoff: Duration::from_secs(20),
            stall: Duration::from_secs(30),
            threads: 2,
            probes: 32,
            spool: None,
            texts: false,
            written: Vec::new(),
            counts: Arc::default(),
        }
    }
}

/// The variables that matter here; names and values that are not UTF-8 cannot be among them.
fn process_env() -> BTreeMap<String, String> {
    let wanted = |name: &str| {
        name == "HOME"
            || ["AWS_", "AZURE_", "AZURITE_", "GOOGLE_"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
    };
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| wanted(name))
        .collect()
}
