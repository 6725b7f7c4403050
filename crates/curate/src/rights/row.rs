//! A row of the table `rights`.

use serde::{Deserialize, Serialize};

use crate::Agents;

/// One signal about rights: what is stated, where, and what it means.
///
/// The row of a page belongs to the page's capture. The row of a site belongs to the capture of the file that states it:
/// [`found`](RightsRow::found) decides which file that is, and [`SiteFiles`](super::SiteFiles) has its record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RightsRow {
    /// The kind of signal. Column `signal`: [`RightsSignal::name`].
    pub signal: RightsSignal,
    /// Whom it addresses. Column `agents`: `*` for all, else names of crawlers in the order of the list or of the file, with `, ` between
    /// them.
    pub agents: String,
    /// What is stated, in one form for each meaning. Column `value`; see [`RightsSignal`].
    pub value: String,
    /// What is stated, unchanged, up to 1,000 bytes. Column `stated`: the address of a licence with its jurisdiction, the line
    /// of a robots.txt.
    pub stated: String,
    /// Where it was found. Column `found_in`: [`FoundIn::name`].
    pub found: FoundIn,
    /// Whether the page may be in a search index. Column `index`.
    pub index: Permission,
    /// Whether language models may be trained on the page. Column `train`.
    pub train: Permission,
}

/// What a signal means for a use, to a reader who has no agreement with the rights holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Permission {
    /// It says nothing about the use, or is not for this reader.
    #[default]
    Unknown,
    /// It allows the use, under conditions such as attribution.
    Allowed,
    /// It forbids the use.
    Forbidden,
}

/// A kind of signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RightsSignal {
    /// `robots`: a directive of `<meta name=robots>` or `X-Robots-Tag`. Value: the directive in lower case, such as `noindex`,
    /// `noai`, `max-snippet:0`.
    Robots,
    /// `tdm-reservation`: whether rights of text and data mining are reserved. Value: `1` or `0`; other values mean nothing.
    TdmReservation,
    /// `tdm-policy`: where a licence for text and data mining is offered. Value: its address.
    TdmPolicy,
    /// `content-usage`: a preference of the IETF's AIPREF. Value: `train-ai=n` and the like.
    ContentUsage,
    /// `content-signal`: a content signal of contentsignals.org. Value: `ai-train=no` and the like.
    ContentSignal,
    /// `license`: a licence. Value: its code where it is one of Creative Commons (`cc-by-sa-4.0`), else its address or name.
    License,
    /// `rsl`: a licence in RSL. Value: its address; of one that the page contains what it permits, as in
    /// `permits search; prohibits ai-train`.
    Rsl,
    /// `robots.txt`: what crawlers may fetch. Value: of a site `allow`, `disallow` or `some`; of a page `disallow`.
    RobotsTxt,
    /// `ai.txt`: what may be in data sets. Value: as of `robots.txt`, and of a page also `allow`.
    AiTxt,
}

/// Where a signal was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FoundIn {
    /// `header`: a header of the response.
    Header,
    /// `meta`: a `<meta>` element.
    Meta,
    /// `link`: a `<link>` element.
    Link,
    /// `anchor`: `<a rel=license>`.
    Anchor,
    /// `footer`: a link in a footer, without `rel=license`.
    Footer,
    /// `text`: a link elsewhere, or at a picture. It may be about something else, so it means nothing for the page.
    Text,
    /// `microdata`: `itemprop=license`, or the same in RDFa.
    Microdata,
    /// `json-ld`: schema.org's `license`.
    JsonLd,
    /// `script`: `<script type="application/rsl+xml">`.
    Script,
    /// `robots.txt`.
    RobotsTxt,
    /// `tdmrep.json`.
    TdmRep,
    /// `ai.txt`.
    AiTxt,
}

impl RightsRow {
    /// A row without a meaning yet.
    pub(super) fn new(
        signal: RightsSignal,
        value: impl Into<String>,
        stated: &str,
        found: FoundIn,
    ) -> RightsRow {
        RightsRow {
            signal,
            agents: "*".to_owned(),
            value: value.into(),
            stated: shortened(stated).to_owned(),
            found,
            index: Permission::Unknown,
            train: Permission::Unknown,
        }
    }

    /// The same with a meaning.
    pub(super) fn meaning(self, (index, train): (Permission, Permission)) -> RightsRow {
        RightsRow { index, train, ..self }
    }

    /// The same for a crawler: with a meaning only if it is one of the list.
    pub(super) fn for_agent(self, agent: &str, agents: &Agents) -> RightsRow {
        let mut names = agents.names().iter();
        match names.find(|name| name.eq_ignore_ascii_case(agent)) {
            _ if agent == "*" => self,
            Some(name) => RightsRow {
                agents: name.clone(),
                ..self
            },
            None => RightsRow {
                agents: agent.to_owned(),
                index: Permission::Unknown,
                train: Permission::Unknown,
                ..self
            },
        }
    }

    /// What rows mean together for {index, train}: a use is forbidden if one of them forbids it, else allowed if one allows it.
    ///
    /// This is the rule of AIPREF (draft-ietf-aipref-vocab, "Combining Preferences"). Of several values of `tdm-reservation` those
    /// of the page count before those of headers, and these before those of the site (TDMRep, section "Processing priority").
    pub fn combined<'a>(rows: impl IntoIterator<Item = &'a RightsRow> + Clone) -> (Permission, Permission) {
        let is_reservation = |row: &&RightsRow| row.signal == RightsSignal::TdmReservation;
        let reservations = rows.clone().into_iter().filter(is_reservation);
        let nearest = reservations.map(|row| row.found.distance()).min();
        let mut most = (Permission::Unknown, Permission::Unknown);
        for row in rows {
            if !is_reservation(&row) || Some(row.found.distance()) == nearest {
                most = (most.0.max(row.index), most.1.max(row.train));
            }
        }
        most
    }
}

impl Permission {
    /// All, in the order of their names.
    pub const ALL: [Permission; 3] = [Permission::Allowed, Permission::Forbidden, Permission::Unknown];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Permission::Unknown => "unknown",
            Permission::Allowed => "allowed",
            Permission::Forbidden => "forbidden",
        }
    }
}

impl RightsSignal {
    /// All.
    pub const ALL: [RightsSignal; 9] = [
        RightsSignal::Robots,
        RightsSignal::TdmReservation,
        RightsSignal::TdmPolicy,
        RightsSignal::ContentUsage,
        RightsSignal::ContentSignal,
        RightsSignal::License,
        RightsSignal::Rsl,
        RightsSignal::RobotsTxt,
        RightsSignal::AiTxt,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            RightsSignal::Robots => "robots",
            RightsSignal::TdmReservation => "tdm-reservation",
            RightsSignal::TdmPolicy => "tdm-policy",
            RightsSignal::ContentUsage => "content-usage",
            RightsSignal::ContentSignal => "content-signal",
            RightsSignal::License => "license",
            RightsSignal::Rsl => "rsl",
            RightsSignal::RobotsTxt => "robots.txt",
            RightsSignal::AiTxt => "ai.txt",
        }
    }
}

impl FoundIn {
    /// All.
    pub const ALL: [FoundIn; 12] = [
        FoundIn::Header,
        FoundIn::Meta,
        FoundIn::Link,
        FoundIn::Anchor,
        FoundIn::Footer,
        FoundIn::Text,
        FoundIn::Microdata,
        FoundIn::JsonLd,
        FoundIn::Script,
        FoundIn::RobotsTxt,
        FoundIn::TdmRep,
        FoundIn::AiTxt,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            FoundIn::Header => "header",
            FoundIn::Meta => "meta",
            FoundIn::Link => "link",
            FoundIn::Anchor => "anchor",
            FoundIn::Footer => "footer",
            FoundIn::Text => "text",
            FoundIn::Microdata => "microdata",
            FoundIn::JsonLd => "json-ld",
            FoundIn::Script => "script",
            FoundIn::RobotsTxt => "robots.txt",
            FoundIn::TdmRep => "tdmrep.json",
            FoundIn::AiTxt => "ai.txt",
        }
    }

    /// How far from the page it stands: in the page, beside it, or in a file of the site.
    fn distance(self) -> u8 {
        match self {
            FoundIn::Header => 1,
            FoundIn::RobotsTxt | FoundIn::TdmRep | FoundIn::AiTxt => 2,
            _ => 0,
        }
    }
}

/// Maximum bytes of a value that is kept.
const LONGEST: usize = 1000;

/// The beginning of a text.
pub(super) fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
