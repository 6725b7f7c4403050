//! The settings of a build.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gleaner_content::Model;
use gleaner_corpus::{Corpus, Rule, Unread};
use gleaner_curate::{Agents, Benchmarks, FastText, UrlLists};
use gleaner_document::{MarkdownOptions, PageMethod};
use gleaner_html::TreeBuilder;
use gleaner_page::Limits;
use gleaner_posts::Rules;
use gleaner_store::{Shard, Store};
use gleaner_template::DEFAULT_SAMPLE;

use crate::change::config::ChangeConfig;
use crate::data::key::SiteOf;
use crate::data::signed::DuplicateConfig;
use crate::label::cut::DEFAULT_CHUNK;
use crate::plan::PlanSizes;
use crate::plan::capture_ranges::CaptureRanges;
use crate::plan::input::ArchiveTerms;
use crate::watch::Progress;
use crate::whole::DEFAULT_REPEATS;
use gleaner_cluster::Group;

/// The phases of a build.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Phase {
    /// Pages are read and scored, and wait. Job files and scripts may also call it `extract`.
    #[strum(to_string = "read", serialize = "extract")]
    Read,
    /// Pages are labelled with site evidence, and the tables are written.
    #[default]
    Label,
}

/// What a build is made of.
pub struct BuildConfig {
    /// Where the shards are read from.
    pub store: Store,
    /// The input.
    pub shards: Vec<Shard>,
    /// The version that is changed; none where it is a first build.
    pub change: Option<ChangeConfig>,
    /// What is left out.
    pub rules: Vec<Rule>,
    /// The captures that are taken, as if the archives had no others; all where it is none. The summary does not add up then.
    pub only: Option<CaptureRanges>,
    /// What is known of each of them beside its bytes; empty where all are those of a first build.
    pub terms: Vec<ArchiveTerms>,
    /// Their formats, as far as they are known from a [`FirstLook`](crate::FirstLook).
    pub formats: Vec<Option<gleaner_warc::Format>>,
    /// The output, claimed and empty.
    pub corpus: Corpus,
    /// The labeller.
    pub model: Arc<Model>,
    /// What labels pages in place of `model`, each by itself: `templates` is to be false then.
    pub method: Option<Arc<dyn PageMethod>>,
    /// The labeller of plain texts (WET records); none where that is the same.
    pub text_model: Option<Arc<Model>>,
    /// Worker threads.
    pub workers: usize,
    /// Whether the blocks table is written.
    pub blocks: bool,
    /// Whether blocks have their languages.
    pub block_languages: bool,
    /// How documents have their text as Markdown, if they have.
    pub markdown: Option<MarkdownOptions>,
    /// Whether the main heading of a page is left out of its text. Else it is the first line.
    pub without_title: bool,
    /// What posts are found by, if the posts table is written.
    pub posts: Option<Rules>,
    /// Whether the table of signals is written.
    pub signals: bool,
    /// What identifies languages in place of the built-in tables.
    pub language_model: Option<Arc<FastText>>,
    /// The lists of domains and URLs whose names signals have.
    pub url_lists: Arc<UrlLists>,
    /// Whether it has the places of personal data.
    pub pii_spans: bool,
    /// The crawlers for which signals about rights are read, if the table of rights is written.
    pub rights: Option<Agents>,
    /// The passages that are looked for in texts, if the table of contamination is written.
    pub benchmarks: Option<Arc<Benchmarks>>,
    /// Whether the text of pages without visible text is taken from their structured data.
    pub structured_data: bool,
    /// Which pages are of one site.
    pub site: SiteOf,
    /// How duplicates are found; none where they are not.
    pub duplicates: Option<DuplicateConfig>,
    /// On how many sites a line is at least that is in the table repeats; none where lines are not counted.
    pub repeats: Option<u64>,
    /// Whether site evidence is used.
    pub templates: bool,
    /// The phase after which the run ends; the next run continues.
    pub last: Phase,
    /// Pages of a site that give evidence and expressions: those with the smallest hashes of their URLs.
    pub site_sample: usize,
    /// Limits for one page.
    pub limits: Limits,
    /// What builds the trees of pages.
    pub parser: TreeBuilder,
    /// The largest record, and the largest body after its codings are undone, in bytes.
    pub record_bytes: usize,
    /// Whether inputs that can't be read are rejects, and the corpus is complete without them. Else it stays open, and
    /// the next run reads what is missing.
    pub allow_missing: bool,
    /// How many captures are built, the first ones in the order of the shards; none where it is all.
    pub limit: Option<u64>,
    /// Inputs that could not even be listed: the corpus is complete without them.
    pub unlisted: Vec<Unread>,
    /// Memory that the process should not have more of, in bytes: over it, workers wait.
    pub memory: Option<u64>,
    /// Sizes of parts and units.
    pub sizes: PlanSizes,
    /// Pages of a chunk, on the average: a power of two, 16 at least.
    pub chunk_size: u64,
    /// Whether what is kept of each page outlives the build, in the folder `state` of the corpus.
    pub keeps_state: bool,
    /// How far it is.
    pub progress: Arc<Progress>,
    /// Set from outside to end the build before its end.
    pub stop: Arc<AtomicBool>,
    /// The processes that build it together; none where this one does all. With others its flag to stop is the
    /// one that counts.
    pub group: Option<Group>,
}

impl BuildConfig {
    /// A build with default settings, a worker a core.
    pub fn new(store: Store, shards: Vec<Shard>, corpus: Corpus, model: Arc<Model>) -> BuildConfig {
        BuildConfig {
            store,
            shards,
            change: None,
            rules: Vec::new(),
            only: None,
            terms: Vec::new(),
            formats: Vec::new(),
            corpus,
            model,
            method: None,
            text_model: None,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            blocks: false,
            block_languages: false,
            markdown: None,
            without_title: false,
            posts: None,
            signals: true,
            language_model: None,
            url_lists: Arc::default(),
            pii_spans: false,
            rights: Some(Agents::default()),
            benchmarks: None,
            structured_data: false,
            site: SiteOf::default(),
            duplicates: Some(DuplicateConfig::default()),
            repeats: Some(DEFAULT_REPEATS),
            templates: true,
            last: Phase::default(),
            site_sample: DEFAULT_SAMPLE,
            limits: Limits::default(),
            parser: TreeBuilder::default(),
            record_bytes: 64 << 20,
            allow_missing: false,
            limit: None,
            unlisted: Vec::new(),
            memory: None,
            sizes: PlanSizes::default(),
            chunk_size: DEFAULT_CHUNK,
            keeps_state: true,
            progress: Arc::default(),
            stop: Arc::default(),
            group: None,
        }
    }
}
