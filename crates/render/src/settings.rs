//! What is drawn, and how long it may take.

use std::path::PathBuf;
use std::time::Duration;

/// What is drawn, and how long it may take.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The archive that is written, `NAME.warc.gz`.
    pub out: PathBuf,
    /// Whether every HTML page is drawn, and not only those that need scripts.
    pub all: bool,
    /// Most pages that are drawn.
    pub limit: Option<u64>,
    /// Tabs that are open at once.
    pub tabs: usize,
    /// How long the scripts of a page run, by their own clock.
    pub virtual_time: Duration,
    /// How long a page may take, by the clock of the machine.
    pub page_timeout: Duration,
    /// Most bytes of a page as it is written; the rest is cut off.
    pub max_page: usize,
    /// Most bytes of memory of the scripts of a page.
    pub max_memory: u64,
    /// The browser; none: the one that [`crate::browser::find`] finds.
    pub browser: Option<PathBuf>,
}
