//! What became of the URLs of a crawl.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

/// What became of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The server answered with this status; the answer is in the archive.
    Fetched(u16),
    /// The earlier crawl has it as it is; a revisit is in the archive.
    Unchanged,
    /// It is not in the archive.
    Failed(Reason),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Fetched(status) => write!(f, "status {status}"),
            Outcome::Unchanged => f.write_str("unchanged"),
            Outcome::Failed(reason) => write!(f, "{reason}"),
        }
    }
}

/// Why a URL was not fetched.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Display, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// The robots.txt of the site forbids it.
    RobotsTxt,
    /// The robots.txt of the site could not be read, so that it is not known whether it may be fetched.
    RobotsUnknown,
    /// The host has a private address, and is no seed.
    PrivateAddress,
    /// The host has no address.
    NoAddress,
    /// The host does not answer.
    NoConnection,
    /// The certificate of the host is wrong.
    Certificate,
    /// The host speaks TLS in no way that is known here.
    Tls,
    /// The answer is none of HTTP.
    BadHttp,
    /// There was no answer in time.
    Timeout,
    /// The media type is not one of those that are kept.
    MediaType,
    /// The host has as many pages as it may.
    HostLimit,
}

/// Why a link was not followed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Display, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum LinkReason {
    /// It leads out of the scope.
    OutOfScope,
    /// Its page forbids it.
    Nofollow,
    /// Its URL looks like that of a trap.
    Trap,
    /// There are too many URLs that differ only in their query, or in the id of a session.
    Variants,
    /// It is too far from the seeds.
    Depth,
    /// There are too many redirects one after the other.
    Redirects,
}

/// Why a crawl ended before it had all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Limit {
    /// It has as many pages as it may.
    MaxPages,
    /// It has as many bytes as it may.
    MaxBytes,
    /// Its time is over.
    MaxTime,
}

/// A seed without a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostSeed {
    /// The seed.
    pub url: String,
    /// Why.
    pub reason: String,
}

impl LostSeed {
    /// A seed that has no page, if it has none, with what more is known of the reason.
    pub(crate) fn of(url: &str, outcome: Outcome, detail: &str) -> Option<LostSeed> {
        let is_lost = match outcome {
            Outcome::Fetched(status) => status >= 400,
            Outcome::Unchanged => false,
            Outcome::Failed(_) => true,
        };
        is_lost.then(|| LostSeed {
            url: url.to_owned(),
            reason: match detail {
                "" => outcome.to_string(),
                detail => format!("{outcome}: {detail}"),
            },
        })
    }
}

/// What became of a crawl.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// The files of the archive, in their order.
    pub files: Vec<String>,
    /// URLs that a server answered, unchanged ones included, without the robots.txt.
    pub pages: u64,
    /// Of these, how many an interrupted run of the same crawl had.
    pub pages_before: u64,
    /// Pages by status, without the unchanged ones.
    pub statuses: BTreeMap<u16, u64>,
    /// Pages that are as the earlier crawl has them.
    pub unchanged: u64,
    /// Files robots.txt that were fetched, unchanged ones included.
    pub robots_files: u64,
    /// Hosts with a URL.
    pub hosts: u64,
    /// Bytes of all bodies, as they came.
    pub bytes: u64,
    /// URLs that were not fetched, by reason.
    pub not_fetched: BTreeMap<Reason, u64>,
    /// Links that were not followed, by reason, each as often as it was found.
    pub links_not_followed: BTreeMap<LinkReason, u64>,
    /// The limit that ended it.
    pub limit: Option<Limit>,
    /// URLs that the limit left.
    pub waiting: u64,
    /// Seeds without a page: not fetched, or with a status of 400 and more.
    pub lost_seeds: Vec<LostSeed>,
}

impl Summary {
    /// Counts a page.
    pub(crate) fn count(&mut self, outcome: Outcome, bytes: u64) {
        self.bytes += bytes;
        match outcome {
            Outcome::Failed(reason) => *self.not_fetched.entry(reason).or_default() += 1,
            Outcome::Unchanged => {
                self.pages += 1;
                self.unchanged += 1;
            }
            Outcome::Fetched(status) => {
                self.pages += 1;
                *self.statuses.entry(status).or_default() += 1;
            }
        }
    }

    /// Counts the answer for a robots.txt.
    pub(crate) fn count_robots(&mut self, outcome: Outcome, bytes: u64) {
        if !matches!(outcome, Outcome::Failed(_)) {
            self.robots_files += 1;
            self.bytes += bytes;
        }
    }

    /// Counts links of a page that were not followed.
    pub(crate) fn count_links(&mut self, links: &BTreeMap<LinkReason, u64>) {
        for (&reason, count) in links {
            *self.links_not_followed.entry(reason).or_default() += count;
        }
    }
}
