//! What is known of a page, as JSON. Documented in docs/json.md.

use std::collections::BTreeMap;

use gleaner_content::{Because, Reasons};
use serde::Serialize;

/// A page that was found.
#[derive(Debug, Serialize)]
pub(super) struct Explanation {
    pub(super) corpus: String,
    pub(super) found: bool,
    pub(super) url: String,
    pub(super) site: String,
    pub(super) crawl: Option<String>,
    pub(super) row_id: String,
    pub(super) record_id: String,
    pub(super) crawl_date: Option<String>,
    pub(super) http_status: Option<u16>,
    pub(super) content_type: Option<String>,
    pub(super) charset: String,
    pub(super) truncated: Option<String>,
    pub(super) place: Place,
    pub(super) captures: Captures,
    pub(super) metadata: Metadata,
    pub(super) kind: Option<Kind>,
    pub(super) duplicates: Option<Duplicates>,
    pub(super) text: Text,
    /// Where the blocks are from: `archive`, `state` or `tables`; none if they are not known.
    pub(super) blocks_from: Option<&'static str>,
    /// Pages of the sample of the site.
    pub(super) sampled_pages: Option<u32>,
    /// What could not be shown, and how to see it.
    pub(super) notes: Vec<String>,
    /// What the features measure that are named, by their names.
    pub(super) definitions: BTreeMap<String, String>,
    pub(super) blocks: Vec<Block>,
}

/// Where the bytes are.
#[derive(Debug, Serialize)]
pub(super) struct Place {
    pub(super) warc_file: String,
    pub(super) warc_offset: u64,
    pub(super) warc_length: u64,
    /// The version of the corpus in which the archive came; none if that is not recorded.
    pub(super) since: Option<u64>,
    /// The file that was read again.
    pub(super) read_from: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Captures {
    pub(super) is_latest: Option<bool>,
    pub(super) changed: Option<bool>,
    pub(super) others: Vec<OtherCapture>,
}

#[derive(Debug, Serialize)]
pub(super) struct OtherCapture {
    pub(super) row_id: String,
    pub(super) crawl_date: Option<String>,
    pub(super) crawl: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Metadata {
    pub(super) title: Fact<Option<String>>,
    pub(super) authors: Fact<Vec<String>>,
    pub(super) published: Fact<Option<String>>,
    pub(super) language: Fact<Option<String>>,
}

/// A fact, and where it stands on the page.
#[derive(Debug, Serialize)]
pub(super) struct Fact<T> {
    pub(super) value: T,
    pub(super) source: Option<FactSource>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct FactSource {
    pub(super) kind: &'static str,
    /// The tag that begins the element.
    pub(super) element: Option<String>,
    /// The names of the elements around it, and its own.
    pub(super) path: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Kind {
    pub(super) kind: String,
    pub(super) probability: Option<f64>,
    /// All kinds with their probabilities, the largest first; empty if they are not known.
    pub(super) all: Vec<KindProbability>,
}

#[derive(Debug, Serialize)]
pub(super) struct KindProbability {
    pub(super) kind: String,
    pub(super) probability: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Duplicates {
    pub(super) cluster: String,
    pub(super) cluster_size: u64,
    pub(super) survivor: bool,
    pub(super) survivor_url: Option<String>,
    pub(super) similarity: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Text {
    pub(super) source: String,
    pub(super) words: u32,
    pub(super) dropped_words: u32,
    pub(super) confidence: Option<f64>,
    /// Blocks of a larger probability are kept; none if it is not known, or the page has too few words of content.
    pub(super) threshold: Option<f64>,
    /// Of the texts of all blocks: `remove --text-digest` and `takedown --text-digest` select pages by it.
    pub(super) digest: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Block {
    pub(super) block: usize,
    pub(super) label: String,
    /// The probability of the label.
    pub(super) confidence: f64,
    pub(super) kept: bool,
    pub(super) because: Because,
    /// That it is content.
    pub(super) probability: Option<f64>,
    pub(super) text: String,
    pub(super) path: String,
    pub(super) log_odds: Option<LogOdds>,
    /// None without features.
    pub(super) reasons: Option<Reasons>,
    pub(super) site: Option<BlockSite>,
}

/// Log odds that a block is content.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct LogOdds {
    /// By the page alone, if no text stood on it twice: what the evidence of the site is added to.
    pub(super) page: f64,
    /// With the evidence of the site.
    pub(super) with_site: f64,
    /// At the end, with what a text loses that stands elsewhere on the page.
    pub(super) decided: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct BlockSite {
    /// Pages of the sample that have the text.
    pub(super) template_pages: u32,
    /// The share of the text that the expressions of the site match.
    pub(super) template_coverage: f64,
}

/// Nothing was found: what is nearest.
#[derive(Debug, Serialize)]
pub(super) struct Nearest {
    pub(super) corpus: String,
    pub(super) found: bool,
    pub(super) page: String,
    pub(super) rejects: Vec<Reject>,
    pub(super) same_host: Vec<SameHost>,
}

#[derive(Debug, Serialize)]
pub(super) struct Reject {
    pub(super) url: Option<String>,
    pub(super) record_id: Option<String>,
    pub(super) warc_file: String,
    pub(super) warc_offset: u64,
    pub(super) stage: String,
    pub(super) reason: String,
    pub(super) detail: String,
}

#[derive(Debug, Serialize)]
pub(super) struct SameHost {
    pub(super) url: String,
    pub(super) row_id: String,
    pub(super) crawl_date: Option<String>,
}
