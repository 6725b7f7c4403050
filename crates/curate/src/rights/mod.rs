//! What pages and sites state about rights: may a page be in a search index, may language models be trained on it, and under
//! which licence is it.
//!
//! In: for a page its [statements](gleaner_metadata::Metadata::rights) and the headers of its response; for a site the files
//! robots.txt, tdmrep.json and ai.txt; a list of crawlers ([`Agents`]). Out: [`RightsRow`]s, one for each signal, in the
//! order in which they were found: [`page_rights`], [`SiteRights::rows`], [`SiteRights::rows_of`].
//!
//! A row is a fact with a reading. The fact is what is stated, where, and for whom. The reading is what it means for {index,
//! train} to a reader who has no agreement with the rights holder: allowed, forbidden or unknown. Rows may contradict each
//! other; [`RightsRow::combined`] applies the rules of the specifications. Nothing is decided about a page here.
//!
//! | signal | where | specification | meaning for {index, train} |
//! |---|---|---|---|
//! | `robots` | `<meta name=robots>` or a crawler's name, `X-Robots-Tag` | Google: Robots meta tag and X-Robots-Tag specifications; `noai`: DeviantArt; `noml`: Mojeek | `noindex`, `none`: index forbidden; `index`, `all`: index allowed; `noai`, `noml`: train forbidden; others: unknown |
//! | `tdm-reservation` | `<meta>`, header, tdmrep.json | TDMRep, W3C community group, final report of 10 May 2024 | `1`: train forbidden; `0`: train allowed |
//! | `tdm-policy` | the same | the same | unknown |
//! | `content-usage` | header, robots.txt | draft-ietf-aipref-attach, draft-ietf-aipref-vocab; RFC 9651 | `train-ai`: train; `search`: index; `y` allowed, `n` forbidden |
//! | `content-signal` | robots.txt, header | contentsignals.org | `ai-train`: train; `search`: index; `yes` allowed, `no` forbidden |
//! | `license` | `Link: rel=license`, `<link>`, `<a>`, footers, microdata, JSON-LD, `<meta>` | RFC 8288, HTML, schema.org, Creative Commons | of Creative Commons: both allowed; `nd`: train unknown; `nc`: both unknown. Other licences, and links elsewhere in the text: unknown |
//! | `rsl` | `Link: rel=license` and `<link>` of type `application/rsl+xml`, a script, `License:` in robots.txt | RSL 1.0 | of a script: by its terms, payment counts as forbidden; else unknown |
//! | `robots.txt` | robots.txt | RFC 9309 | `disallow` for `*`: index forbidden; for a crawler of the list: train forbidden. That a page may be fetched allows nothing |
//! | `ai.txt` | ai.txt | Spawning: ai.txt | `disallow`: train forbidden; `allow`: train allowed |
//!
//! # From a crawl to the table
//!
//! *While archives are read*: for each page `page_rights(&metadata.rights, headers.iter(), url, &agents)` gives its rows. For each
//! response whose URL is a file of a site ([`RightsFile::of_url`]), [`RightsFile::record`] is what waits with the pages of the site.
//!
//! *When the pages of a site are labelled*: [`SiteFiles::add`] finds the files that count, and [`SiteRights::new`] reads the files of the host once. [`SiteRights::rows`] are the rows of
//! the site, [`SiteRights::rows_of`] those for one page. [`SiteFiles::source`] is the record that such a row comes from; the
//! source of a page's own rows is the page's record.
//!
//! # Bounds and costs
//!
//! Any bytes are a file, a header and a page. Of a robots.txt and an ai.txt the first 500 KiB count, a tdmrep.json has up to 1 MiB, a
//! header 16 KiB, a licence in RSL 64 KiB in a page. A file that is HTML is none. A page has up to 200 rows, a site up to 1,000.
//! A page without signals costs the comparison of the names of its headers: well below a microsecond.

mod ai_txt;
mod directives;
mod licence;
mod link_header;
mod page;
mod robots_txt;
mod row;
mod rsl;
mod site;
mod tdm;
mod usage;

use url::Url;

pub use licence::Licence;
use page::row_of_link as licence_row;
pub use page::{is_rights_header, page_rights};
pub use row::{FoundIn, Permission, RightsRow, RightsSignal};
pub use site::{RightsFile, RightsFileRecord, SiteFiles, SiteRights};

#[cfg(doc)]
use crate::Agents;

/// An address as a whole one; unchanged where it is none, up to the limit of a value.
fn absolute(address: &str, base: Option<&Url>) -> String {
    let joined = match base {
        Some(base) => base.join(address).ok(),
        None => Url::parse(address).ok(),
    };
    let whole = joined.map(String::from);
    row::shortened(whole.as_deref().unwrap_or(address)).to_owned()
}

#[cfg(test)]
mod tests;
