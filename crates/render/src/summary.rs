//! What became of pages and requests.

use std::collections::BTreeMap;

use serde::Serialize;
use strum::{Display, IntoStaticStr};

/// Why a page is not drawn. The response in the archive stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Display, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Failure {
    /// Its scripts did not end in the time that a page may take.
    TimedOut,
    /// Its process ended twice: most often it wanted more memory than it may have.
    Crashed,
    /// The browser did not open it.
    NotOpened,
    /// Its URL is none of http or https.
    NoWebAddress,
    /// Its record could not be read a second time.
    NotRead,
}

/// What became of the requests of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Requests {
    /// Answered from the archives.
    pub answered: u64,
    /// The archives have no capture of the URL: the page gets an error of the network.
    pub missing: u64,
    /// Never answered: other methods than GET and HEAD, and ways out of the page.
    pub refused: u64,
}

impl Requests {
    pub(crate) fn add(&mut self, other: Requests) {
        self.answered += other.answered;
        self.missing += other.missing;
        self.refused += other.refused;
    }
}

/// A page that is not drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedPage {
    /// Its URL.
    pub url: String,
    /// Why.
    pub reason: Failure,
}

/// What was drawn, and what was not.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// HTML pages of the archives that were looked at.
    pub pages: u64,
    /// Pages that were drawn and written.
    pub drawn: u64,
    /// Of these, pages of which the end is cut off.
    pub cut: u64,
    /// Pages that have their text without scripts.
    pub not_needed: u64,
    /// Pages that could not be drawn, by reason.
    pub failed: BTreeMap<Failure, u64>,
    /// The first of these.
    pub failed_pages: Vec<FailedPage>,
    /// What became of requests.
    pub requests: Requests,
    /// Damaged places of the archives, which were skipped.
    pub damaged: u64,
    /// The browser, by name and version.
    pub browser: String,
    /// Bytes of the archive that was written.
    pub bytes: u64,
}

/// Pages that could not be drawn and are named.
const NAMED: usize = 100;

impl Summary {
    pub(crate) fn add_failed(&mut self, url: &str, reason: Failure) {
        *self.failed.entry(reason).or_default() += 1;
        if self.failed_pages.len() < NAMED {
            let url = url.to_owned();
            self.failed_pages.push(FailedPage { url, reason });
        }
    }
}
