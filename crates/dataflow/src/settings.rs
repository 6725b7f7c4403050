//! The settings of a build that its steps read.

use std::sync::Arc;

use gleaner_curate::{Agents, Benchmarks, FastText, UrlLists};
use gleaner_document::Cleaner;
use gleaner_posts::Rules;

use crate::data::key::SiteOf;
use crate::data::signed::{DocumentSigner, DuplicateConfig};

/// The settings of a build that its steps read, as [`BuildConfig`](crate::BuildConfig) describes them.
pub(crate) struct Settings {
    pub(crate) cleaner: Cleaner,
    /// The largest record, and the largest body after its codings are undone, in bytes.
    pub(crate) record_bytes: usize,
    pub(crate) allow_missing: bool,
    pub(crate) site: SiteOf,
    /// Pages of a site whose evidence is used; none where pages are labelled by themselves.
    pub(crate) site_sample: Option<usize>,
    pub(crate) blocks: bool,
    pub(crate) block_languages: bool,
    pub(crate) posts: Option<Rules>,
    pub(crate) signals: bool,
    pub(crate) language_model: Option<Arc<FastText>>,
    pub(crate) url_lists: Arc<UrlLists>,
    pub(crate) pii_spans: bool,
    /// The crawlers for which signals about rights are read; none where the table of rights is not written.
    pub(crate) rights: Option<Agents>,
    /// The passages that are looked for; none where the table of contamination is not written.
    pub(crate) benchmarks: Option<Arc<Benchmarks>>,
    pub(crate) duplicates: Option<DuplicateConfig>,
    pub(crate) signer: Option<DocumentSigner>,
    /// Minimum sites of a line of the repeats table; none where lines are not counted.
    pub(crate) repeats: Option<u64>,
    pub(crate) chunk_size: u64,
    /// Whether what is kept of each page outlives the build.
    pub(crate) keeps_state: bool,
    /// What is left out, a line of JSON a rule.
    pub(crate) rules: Vec<u8>,
}
