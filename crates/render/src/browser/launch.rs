//! A browser that was started, and its tabs.

use std::path::PathBuf;

use serde_json::json;

use super::process::Process;
use super::{BrowserError, Page, Session, find};

/// How a browser is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The program; none: what [`find`] finds.
    pub program: Option<PathBuf>,
    /// Further arguments.
    pub arguments: Vec<String>,
    /// Variables of its environment, beside those of this process.
    pub environment: Vec<(String, String)>,
}

/// Without a window, and without what a browser does for a user: updates, sync, reports, questions at its start, and no clicks on
/// a page that is not yet to be seen.
const ARGUMENTS: [&str; 16] = [
    "--headless=new",
    "--allow-pre-commit-input",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-dev-shm-usage",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
];

/// A browser that runs. Dropped, it ends with all its processes.
#[derive(Debug)]
pub struct Browser {
    session: Session,
    process: Process,
}

impl Browser {
    /// Starts a browser and connects to it. The superuser's browser has no sandbox: Chromium does not start otherwise.
    ///
    /// # Errors
    /// There is none, it does not start, or it does not answer.
    pub async fn launch(launch: &Launch) -> Result<Browser, BrowserError> {
        let program = find(launch.program.as_deref())?;
        let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).to_vec();
        if is_superuser() {
            arguments.push("--no-sandbox".to_owned());
        }
        arguments.extend(launch.arguments.iter().cloned());
        let mut process = Process::start(&program, &arguments, &launch.environment)?;
        let (port, path) = process.address().await?;
        let session = Session::connect(port, &path).await?;
        Ok(Browser { session, process })
    }

    /// The session of the browser, for methods of `Target` and `Browser`.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The number of its process, which is also that of the group of its processes.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Name and version: `Chrome/140.0.7339.80`.
    ///
    /// # Errors
    /// The browser ended.
    pub async fn version(&self) -> Result<String, BrowserError> {
        let version = self.session.call("Browser.getVersion", json!({})).await?;
        Ok(version["product"].as_str().unwrap_or_default().to_owned())
    }

    /// Opens a tab that shares nothing with others: no cookies, no storage, no cache.
    ///
    /// # Errors
    /// The browser ended.
    pub async fn new_page(&self) -> Result<Page, BrowserError> {
        Page::open_tab(&self.session).await
    }
}

/// Whether this process has all rights on the machine.
#[must_use]
pub fn is_superuser() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}
