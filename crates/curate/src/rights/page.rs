//! The rows of a page: what it states itself, and what the headers of its response state.

use gleaner_metadata::{RightsPlace, RightsStatement};
use url::Url;

use super::link_header::links;
use super::row::{FoundIn, Permission, RightsRow, RightsSignal, shortened};
use super::rsl::Rsl;
use super::{Licence, absolute, directives, licence_row, tdm, usage};
use crate::Agents;

/// Maximum rows per page.
const ROWS: usize = 200;
/// Maximum bytes of a header that are read.
const HEADER: usize = 16 << 10;

/// The signals of a page about rights, each once: first those of the headers, then those of the page.
///
/// `statements` are [`Metadata::rights`](gleaner_metadata::Metadata::rights) of the page; none where it is a plain text.
/// `headers` are the headers of its response, name and value, in their order; none where the capture has no message. `url` is
/// the address of the page, by which relative addresses are completed; empty where it is not known. A directive for one crawler
/// (`googlebot: noindex`) means something only if the crawler is one of `agents`.
///
/// ```
/// use gleaner_curate::Agents;
/// use gleaner_curate::rights::{Permission, page_rights};
///
/// let agents = Agents::parse("agents.toml", "agents = ['GPTBot']")?;
/// let headers = [("X-Robots-Tag", "noai"), ("Server", "nginx")];
/// let headers = headers.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
/// let rows = page_rights(&[], headers, "https://example.org/a", &agents);
/// let seen: Vec<_> = rows.iter().map(|row| (row.signal.name(), row.value.as_str(), row.found.name(), row.train)).collect();
/// assert_eq!(seen, [("robots", "noai", "header", Permission::Forbidden)]);
/// # Ok::<(), gleaner_curate::BadAgents>(())
/// ```
pub fn page_rights<'h>(
    statements: &[RightsStatement],
    headers: impl IntoIterator<Item = (&'h [u8], &'h [u8])>,
    url: &str,
    agents: &Agents,
) -> Vec<RightsRow> {
    let mut page = PageRights {
        // It is parsed when a signal needs it.
        base: None,
        url,
        agents,
        rows: Vec::new(),
    };
    for (name, value) in headers {
        page.header(name, value);
    }
    for statement in statements {
        page.statement(statement);
    }
    page.finish()
}

struct PageRights<'a> {
    base: Option<Option<Url>>,
    url: &'a str,
    agents: &'a Agents,
    rows: Vec<RightsRow>,
}

/// Headers about rights.
const HEADERS: &[&str] = &[
    "x-robots-tag",
    "tdm-reservation",
    "tdm-policy",
    "content-usage",
    "content-signal",
    "link",
];

/// Whether a header can have a signal about rights, by its name: only these are needed by [`page_rights`].
///
/// ```
/// use gleaner_curate::rights::is_rights_header;
///
/// assert!(is_rights_header(b"x-robots-tag") && !is_rights_header(b"Server"));
/// ```
pub fn is_rights_header(name: &[u8]) -> bool {
    known(name).is_some()
}

fn known(name: &[u8]) -> Option<&'static str> {
    let mut all = HEADERS.iter().copied();
    all.find(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

impl PageRights<'_> {
    fn header(&mut self, name: &[u8], value: &[u8]) {
        let Some(name) = known(name) else {
            return;
        };
        let value = &value[..value.len().min(HEADER)];
        match name {
            "link" => self.links(&String::from_utf8_lossy(value)),
            name => self.named(name, value, FoundIn::Header),
        }
    }

    /// Reads what headers and `<meta>` elements of the same names state.
    fn named(&mut self, name: &str, value: &[u8], found: FoundIn) {
        let text = String::from_utf8_lossy(value);
        match name {
            "robots" | "x-robots-tag" => directives::read(&text, "*", found, self.agents, &mut self.rows),
            "tdm-reservation" => self.rows.push(tdm::reservation(&text, found)),
            "tdm-policy" => {
                let row = tdm::policy(&text, self.base(), found);
                self.rows.push(row);
            }
            "content-usage" => self.rows.extend(usage::content_usage(value, found)),
            "content-signal" => self.rows.extend(usage::content_signal(value, found)),
            _ => {}
        }
    }

    /// `Link: <...>; rel=license`.
    fn links(&mut self, value: &str) {
        for link in links(value) {
            let mut relations = link.relations.split_ascii_whitespace();
            if relations.any(|relation| relation.eq_ignore_ascii_case("license")) && !link.target.is_empty() {
                self.licence(link.target, &link.media_type, FoundIn::Header);
            }
        }
    }

    fn statement(&mut self, statement: &RightsStatement) {
        let RightsStatement { place, name, value } = statement;
        let found = match place {
            RightsPlace::Meta => return self.meta(name, value),
            RightsPlace::Script => return self.script(value),
            RightsPlace::Link => FoundIn::Link,
            RightsPlace::Anchor => FoundIn::Anchor,
            RightsPlace::Footer => FoundIn::Footer,
            RightsPlace::Text => FoundIn::Text,
            RightsPlace::Microdata => FoundIn::Microdata,
            RightsPlace::Structured => FoundIn::JsonLd,
        };
        self.licence(value, name, found);
    }

    fn meta(&mut self, name: &str, value: &str) {
        match name {
            "robots" | "x-robots-tag" | "tdm-reservation" | "tdm-policy" | "content-usage"
            | "content-signal" => {
                self.named(name, value.as_bytes(), FoundIn::Meta);
            }
            "license" | "dcterms.license" | "dc.rights.license" => self.licence(value, "", FoundIn::Meta),
            // Mostly a sentence about the copyright.
            "dc.rights" | "dcterms.rights" if Licence::of(value).is_some() => {
                self.licence(value, "", FoundIn::Meta);
            }
            agent if directives::is_agent(agent) => {
                directives::read(value, agent, FoundIn::Meta, self.agents, &mut self.rows)
            }
            _ => {}
        }
    }

    fn script(&mut self, body: &str) {
        let rsl = Rsl::parse(body);
        let row = |(terms, meaning): (String, _)| {
            let row = RightsRow::new(RightsSignal::Rsl, shortened(&terms), body, FoundIn::Script);
            row.meaning(meaning)
        };
        let terms = rsl.and_then(|rsl| rsl.terms_of(self.base()));
        self.rows.extend(terms.map(row));
    }

    fn licence(&mut self, target: &str, media_type: &str, found: FoundIn) {
        let row = licence_row(target, media_type, found, self.base());
        self.rows.push(match found {
            // It may be about something else.
            FoundIn::Text => row.meaning((Permission::Unknown, Permission::Unknown)),
            _ => row,
        });
    }

    fn base(&mut self) -> Option<&Url> {
        let url = self.url;
        self.base.get_or_insert_with(|| Url::parse(url).ok()).as_ref()
    }

    /// The rows, each once.
    fn finish(self) -> Vec<RightsRow> {
        let mut rows: Vec<RightsRow> = Vec::with_capacity(self.rows.len().min(ROWS));
        for row in self.rows {
            if rows.len() == ROWS {
                break;
            }
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }
}

/// The row of a link to a licence: by its code if it is one of Creative Commons, else by its address.
pub(super) fn row_of_link(target: &str, media_type: &str, found: FoundIn, base: Option<&Url>) -> RightsRow {
    if let Some(licence) = Licence::of(target) {
        let meaning = licence.meaning();
        return RightsRow::new(RightsSignal::License, licence.code, target, found).meaning(meaning);
    }
    let start = media_type.trim().get(.."application/rsl+xml".len());
    let is_rsl = start.is_some_and(|start| start.eq_ignore_ascii_case("application/rsl+xml"));
    let value = match is_name(target, found) {
        true => shortened(target).to_owned(),
        false => absolute(target, base),
    };
    let signal = match is_rsl && !is_name(target, found) {
        true => RightsSignal::Rsl,
        false => RightsSignal::License,
    };
    RightsRow::new(signal, value, target, found)
}

/// Whether what stands in the place of an address is the name of a licence.
fn is_name(target: &str, found: FoundIn) -> bool {
    let may_be = matches!(
        found,
        FoundIn::Meta | FoundIn::Microdata | FoundIn::JsonLd | FoundIn::RobotsTxt
    );
    may_be && (target.contains(char::is_whitespace) || !target.contains(['/', '.']))
}
