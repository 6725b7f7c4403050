//! Of several responses for the robots.txt of a host, the one that counts.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::lines::robots_text;

/// What the status of a response means (RFC 9309, section 2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its body has the rules.
    Body,
    /// There are no rules: all is allowed.
    AllAllowed,
    /// The rules are not known: those that were known before stay.
    Unknown,
}

/// The response that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsRecord {
    /// When it was captured, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Its record id.
    pub record_id: String,
    /// The body as [`robots_text`]; `None` if all is allowed.
    pub body: Option<String>,
}

/// The newest response of each host. It holds one body a host.
#[derive(Clone, Debug, Default)]
pub struct NewestRobots(BTreeMap<String, RobotsRecord>);

impl Verdict {
    /// What a status of HTTP means. A redirect has no rules; its target has a record of its own. A host that is asked too often
    /// (429) did not answer.
    pub fn of_status(status: u16) -> Verdict {
        match status {
            200..=299 => Verdict::Body,
            429 => Verdict::Unknown,
            400..=499 => Verdict::AllAllowed,
            _ => Verdict::Unknown,
        }
    }
}

impl NewestRobots {
    /// Adds the response of a host, in any order: the newest by time, then record id, counts.
    pub fn add(&mut self, host: &str, time: Option<i64>, record_id: &str, status: u16, body: &[u8]) {
        let verdict = Verdict::of_status(status);
        if verdict == Verdict::Unknown {
            return;
        }
        let record = || RobotsRecord {
            time,
            record_id: record_id.to_owned(),
            body: (verdict == Verdict::Body).then(|| robots_text(body)),
        };
        match self.0.entry(host.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(record());
            }
            Entry::Occupied(mut entry) => {
                let known = entry.get();
                if (known.time, known.record_id.as_str()) < (time, record_id) {
                    entry.insert(record());
                }
            }
        }
    }

    /// The hosts, sorted, each with the response that counts.
    pub fn into_hosts(self) -> impl Iterator<Item = (String, RobotsRecord)> {
        self.0.into_iter()
    }
}
