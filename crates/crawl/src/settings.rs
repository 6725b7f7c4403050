//! What a crawl is asked to do.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use regex::Regex;
use url::Url;

use crate::{AGENT, Reach};

/// What a crawl is asked to do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it begins.
    pub seeds: Vec<Url>,
    /// The archive: a local file, `NAME.warc.gz`.
    pub out: PathBuf,
    /// Bytes at which a file ends and the next begins; `None` for one file.
    pub file_size: Option<u64>,
    /// A mail address or a URL, by which a site reaches the user.
    pub contact: String,
    /// How far it goes.
    pub reach: Reach,
    /// Of that, only what one of these matches; all if there is none.
    pub include: Vec<Regex>,
    /// Of that, not what one of these matches.
    pub exclude: Vec<Regex>,
    /// Media types whose bodies are kept: `text/html`, `text/*`. What has no type is kept.
    pub types: Vec<String>,
    /// Whether the sitemaps are read that a robots.txt names.
    pub sitemaps: bool,
    /// Archives of an earlier crawl.
    pub since: Vec<PathBuf>,
    /// Addresses of hosts that count instead of those of the name service.
    pub resolve: Vec<(String, IpAddr)>,
    /// How gently it asks.
    pub pace: Pace,
    /// Where it ends.
    pub limits: Limits,
}

/// How gently a crawl asks.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Between two requests to a host, if its robots.txt does not ask for more.
    pub delay: Duration,
    /// The longest delay of a robots.txt that is obeyed, and the longest wait that a server may ask for.
    pub most_delay: Duration,
    /// Requests under way.
    pub connections: usize,
    /// Of these, to one host.
    pub connections_per_host: usize,
    /// How often a URL is asked for again after a failure that may pass.
    pub retries: u32,
}

/// Where a crawl ends.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Links from a seed to a page.
    pub depth: u32,
    /// Pages.
    pub pages: Option<u64>,
    /// Pages of a host.
    pub pages_per_host: u64,
    /// Bytes of bodies, as they came.
    pub bytes: Option<u64>,
    /// Time from the start of this process.
    pub time: Option<Duration>,
    /// Bytes of a page; the rest is cut off.
    pub page_bytes: usize,
    /// Time of a page; what came by then is kept.
    pub page_time: Duration,
    /// Redirects one after the other.
    pub redirects: u32,
    /// URLs that differ only in their query, or in what looks like the id of a session.
    pub variants: u32,
}

impl Settings {
    /// `gleaner/0.1.0 (+https://a.example/about-us)`
    pub(crate) fn user_agent(&self) -> String {
        format!("{AGENT}/{} (+{})", env!("CARGO_PKG_VERSION"), self.contact)
    }

    /// What a crawl that continues must have in common with its beginning: what decides which pages there are.
    pub(crate) fn identity(&self) -> String {
        let texts = |patterns: &[Regex]| patterns.iter().map(Regex::to_string).collect::<Vec<_>>();
        let seeds: Vec<&str> = self.seeds.iter().map(Url::as_str).collect();
        let identity = (
            seeds,
            self.reach.to_string(),
            (texts(&self.include), texts(&self.exclude)),
            (&self.types, self.sitemaps, &self.since),
        );
        let text = serde_json::to_string(&identity).expect("texts are JSON");
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }

    /// Whether the body of an answer with this media type is kept.
    pub(crate) fn takes_type(&self, media_type: &str) -> bool {
        media_type.is_empty()
            || self.types.iter().any(|known| match known.strip_suffix('*') {
                Some(begin) => media_type.starts_with(begin),
                None => media_type == known,
            })
    }
}
