//! The files of a site that are about rights, of several captures the one that counts, and their rows.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};
use url::Url;

use super::ai_txt::AiTxt;
use super::robots_txt::RobotsTxt;
use super::row::{FoundIn, RightsRow};
use super::tdm::TdmRep;
use crate::Agents;
use crate::robots::{Verdict, host_with_file, robots_text};

/// A kind of file of a site that is about rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RightsFile {
    /// `/robots.txt` (RFC 9309).
    RobotsTxt,
    /// `/.well-known/tdmrep.json` (TDMRep, section "TDM File on the Origin Server").
    TdmRep,
    /// `/ai.txt` (Spawning).
    AiTxt,
}

/// The response for a file that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightsFileRecord {
    /// When it was captured, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Its record id.
    pub record_id: String,
    /// The file as text, up to its limit; `None` if the site has none, or something else in its place.
    pub body: Option<String>,
}

/// The files of a site: of several captures of a file the newest by time, then record id, in whatever order they are added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFiles(BTreeMap<RightsFile, RightsFileRecord>);

/// What the files of a site state, read for the crawlers of a list.
#[derive(Clone, Debug, Default)]
pub struct SiteRights {
    robots_txt: Option<RobotsTxt>,
    tdmrep: Option<TdmRep>,
    ai_txt: Option<AiTxt>,
    base: Option<Url>,
}

/// Maximum bytes of a tdmrep.json; a longer one is none. Of the others the first 500 KiB count.
const TDMREP_BYTES: usize = 1 << 20;

impl RightsFile {
    /// Where the files are.
    pub const PATHS: [(&str, RightsFile); 4] = [
        ("/robots.txt", RightsFile::RobotsTxt),
        ("/.well-known/tdmrep.json", RightsFile::TdmRep),
        ("/ai.txt", RightsFile::AiTxt),
        ("/.well-known/ai.txt", RightsFile::AiTxt),
    ];

    /// The host and the kind of the file that a URL names, at the usual port.
    ///
    /// ```
    /// use gleaner_curate::rights::RightsFile;
    ///
    /// let of = |url| RightsFile::of_url(url).map(|(host, file)| (host, file));
    /// assert_eq!(of("https://Example.org/ai.txt"), Some(("example.org".to_owned(), RightsFile::AiTxt)));
    /// assert_eq!(of("https://example.org/.well-known/tdmrep.json").map(|(_, file)| file), Some(RightsFile::TdmRep));
    /// assert_eq!(of("https://example.org/a/robots.txt"), None);
    /// ```
    pub fn of_url(url: &str) -> Option<(String, RightsFile)> {
        // (Most URLs of a crawl are others.)
        let mut named = Self::PATHS.iter().filter(|(path, _)| url.ends_with(path));
        named.find_map(|&(path, file)| Some((host_with_file(url, path)?, file)))
    }

    /// The capture of such a file: its time and its record id, the status of the response and its body. A status of 4xx means that
    /// the site has no such file; other errors and redirects mean nothing ([`Verdict::of_status`]), and are none.
    pub fn record(
        self,
        (time, record_id): (Option<i64>, &str),
        status: u16,
        body: &[u8],
    ) -> Option<RightsFileRecord> {
        let body = match Verdict::of_status(status) {
            Verdict::Unknown => return None,
            Verdict::AllAllowed => None,
            Verdict::Body => self.text(body),
        };
        Some(RightsFileRecord {
            time,
            record_id: record_id.to_owned(),
            body,
        })
    }

    /// The body as text, if it is such a file and no page.
    fn text(self, body: &[u8]) -> Option<String> {
        if is_page(body) {
            return None;
        }
        match self {
            RightsFile::RobotsTxt | RightsFile::AiTxt => Some(robots_text(body)),
            RightsFile::TdmRep if body.len() > TDMREP_BYTES => None,
            RightsFile::TdmRep => TdmRep::parse(body).map(|_| String::from_utf8_lossy(body).into_owned()),
        }
    }
}

/// Whether HTML stands in the place of a file: many servers answer any address with a page.
fn is_page(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().starts_with(b"<")
}

impl RightsFileRecord {
    /// Those of a file come one after the other by this: time, then record id.
    fn order(&self) -> (Option<i64>, &str) {
        (self.time, &self.record_id)
    }
}

impl SiteFiles {
    /// The record of a file.
    pub fn record(&self, file: RightsFile) -> Option<&RightsFileRecord> {
        self.0.get(&file)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The record that a row of the site comes from; `None` for the rows of a page's own signals.
    pub fn source(&self, row: &RightsRow) -> Option<&RightsFileRecord> {
        match row.found {
            FoundIn::RobotsTxt => self.record(RightsFile::RobotsTxt),
            FoundIn::TdmRep => self.record(RightsFile::TdmRep),
            FoundIn::AiTxt => self.record(RightsFile::AiTxt),
            _ => None,
        }
    }

    /// Adds a capture of a file.
    pub fn add(&mut self, file: RightsFile, record: RightsFileRecord) {
        match self.0.entry(file) {
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

impl SiteRights {
    /// Reads the files of a host, for the crawlers of a list.
    pub fn new(host: &str, files: &SiteFiles, agents: &Agents) -> SiteRights {
        let body = |file| files.record(file)?.body.as_deref().map(str::as_bytes);
        SiteRights {
            robots_txt: body(RightsFile::RobotsTxt).map(|body| RobotsTxt::parse(body, agents)),
            tdmrep: body(RightsFile::TdmRep).and_then(TdmRep::parse),
            ai_txt: body(RightsFile::AiTxt).and_then(|body| AiTxt::parse(body, agents)),
            base: Url::parse(&format!("https://{host}/")).ok(),
        }
    }

    /// The signals of the site as a whole, each with what it means for all pages: `unknown` where that depends on the page.
    pub fn rows(&self, agents: &Agents) -> Vec<RightsRow> {
        let base = self.base.as_ref();
        let robots_txt = self.robots_txt.iter().flat_map(|file| file.rows(agents, base));
        let tdmrep = self.tdmrep.iter().flat_map(|file| file.rows(base));
        let ai_txt = self.ai_txt.iter().flat_map(AiTxt::rows);
        once_each(robots_txt.chain(tdmrep).chain(ai_txt))
    }

    /// The signals of the site that are for a page of its host. What is no URL has none.
    pub fn rows_of(&self, url: &str, agents: &Agents) -> Vec<RightsRow> {
        let Ok(url) = Url::parse(url) else {
            return Vec::new();
        };
        let robots_txt = self.robots_txt.iter().flat_map(|file| file.rows_of(&url, agents));
        let tdmrep = self.tdmrep.iter().flat_map(|file| file.rows_of(&url));
        let ai_txt = self.ai_txt.iter().flat_map(|file| file.rows_of(&url));
        once_each(robots_txt.chain(tdmrep).chain(ai_txt))
    }

    /// Whether the files have no signal.
    pub fn is_empty(&self) -> bool {
        self.robots_txt.is_none() && self.tdmrep.is_none() && self.ai_txt.is_none()
    }
}

/// Maximum rows per site, and per page of it.
const ROWS: usize = 1000;

fn once_each(rows: impl Iterator<Item = RightsRow>) -> Vec<RightsRow> {
    let mut seen = std::collections::HashSet::new();
    rows.filter(|row| seen.insert(row.clone())).take(ROWS).collect()
}
