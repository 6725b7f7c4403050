//! Of several responses for the robots.txt of a host, the one that counts.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use url::Url;

use super::lines::robots_text;
use super::{Agents, Robots};

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

/// The response that counts, for some agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsRecord {
    /// When it was captured, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Its record id.
    pub record_id: String,
    /// The body as [`robots_text`]; `None` if all is allowed to the agents.
    pub body: Option<String>,
}

/// The newest response of each host. It holds one body for each host that forbids something to one of some agents.
#[derive(Clone, Debug)]
pub struct NewestRobots {
    agents: Agents,
    hosts: BTreeMap<String, RobotsRecord>,
}

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

/// The host of which a URL is the robots.txt, where rules look for it: at the root, and at the usual port.
///
/// ```
/// use gleaner_curate::robots_host;
///
/// assert_eq!(robots_host("https://WWW.Example.org./robots.txt"), Some("www.example.org".to_owned()));
/// assert_eq!(robots_host("https://example.org:8080/robots.txt"), None);
/// assert_eq!(robots_host("https://example.org/docs/robots.txt"), None);
/// ```
pub fn robots_host(url: &str) -> Option<String> {
    host_with_file(url, "/robots.txt")
}

/// The host of which a URL is the file with this path, at the usual port.
pub(crate) fn host_with_file(url: &str, path: &str) -> Option<String> {
    // (Most URLs of a crawl are others.)
    if !url.contains(path) {
        return None;
    }
    let url = Url::parse(url).ok()?;
    let is_file = matches!(url.scheme(), "http" | "https")
        && (url.path(), url.query(), url.port()) == (path, None, None);
    let host = url.host_str().filter(|_| is_file)?;
    Some(host.trim_end_matches('.').to_owned())
}

impl RobotsRecord {
    /// Those of a host come one after the other by this: time, then record id.
    fn order(&self) -> (Option<i64>, &str) {
        (self.time, &self.record_id)
    }
}

impl NewestRobots {
    /// Of no host yet, for these agents.
    pub fn new(agents: Agents) -> NewestRobots {
        NewestRobots {
            agents,
            hosts: BTreeMap::new(),
        }
    }

    /// Adds the response of a host, in any order: the newest by time, then record id, counts.
    pub fn add(&mut self, host: &str, time: Option<i64>, record_id: &str, status: u16, body: &[u8]) {
        let verdict = Verdict::of_status(status);
        if verdict == Verdict::Unknown {
            return;
        }
        let known = self.hosts.get(host);
        if known.is_some_and(|known| known.order() >= (time, record_id)) {
            return;
        }
        let forbids = verdict == Verdict::Body && !Robots::new(body, self.agents.names()).allows_all();
        let record = RobotsRecord {
            time,
            record_id: record_id.to_owned(),
            body: forbids.then(|| robots_text(body)),
        };
        self.hosts.insert(host.to_owned(), record);
    }

    /// Adds what was found in other archives, for the same agents.
    pub fn merge(&mut self, others: NewestRobots) {
        for (host, record) in others.hosts {
            match self.hosts.entry(host) {
                Entry::Vacant(entry) => {
                    entry.insert(record);
                }
                Entry::Occupied(mut entry) => {
                    if entry.get().order() < record.order() {
                        entry.insert(record);
                    }
                }
            }
        }
    }

    /// How many hosts have a response that counts.
    pub fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// The hosts, sorted, each with the response that counts.
    pub fn into_hosts(self) -> impl Iterator<Item = (String, RobotsRecord)> {
        self.hosts.into_iter()
    }
}
