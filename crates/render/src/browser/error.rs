//! Why a browser does not do what it is to do.

use std::io;
use std::path::PathBuf;

/// Why a browser does not do what it is to do.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// There is no browser on this machine.
    #[error(
        "no Chromium found: install it (Debian: apt install chromium-headless-shell; elsewhere Chromium or Chrome), or name it with --browser"
    )]
    NotFound,
    /// It cannot be started.
    #[error("could not start '{}': {source}", program.display())]
    Start {
        /// The browser.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It ended before it listened.
    #[error("'{}' ended at its start: {message}", program.display())]
    EndedAtStart {
        /// The browser.
        program: PathBuf,
        /// What it printed last.
        message: String,
    },
    /// It does not listen in time.
    #[error("'{}' does not answer after {seconds} s: {message}", program.display())]
    Silent {
        /// The browser.
        program: PathBuf,
        /// How long it was waited for.
        seconds: u64,
        /// What it printed last.
        message: String,
    },
    /// A temporary folder for its profile cannot be made.
    #[error("could not make a folder for the profile of the browser: {0}")]
    Profile(#[source] io::Error),
    /// The connection cannot be made.
    #[error("could not connect to the browser: {0}")]
    Connect(String),
    /// The connection is closed: the browser ended, or was ended.
    #[error("the browser ended")]
    Ended,
    /// A method failed.
    #[error("{method}: {message}")]
    Call {
        /// The method.
        method: String,
        /// What the browser says about it.
        message: String,
    },
    /// A script in a page threw an exception.
    #[error("a script failed: {0}")]
    Script(String),
    /// Something did not become true in time.
    #[error("waited {seconds} s in vain for {what}")]
    Wait {
        /// What was waited for.
        what: String,
        /// How long.
        seconds: u64,
    },
}
