//! The stages of a build, wired into timely dataflows. Nothing else in the workspace knows
//! timely or differential dataflow.
//!
//! In: shards, a model and an empty corpus. Out: the tables of the corpus, and a [`Summary`] that
//! adds up.
//!
//! # The idea
//!
//! A crawl is cut into parts, and parts into units ([`plan`]). Workers take units as they become free. There are two dataflows:
//!
//! - **extract**: pages are read, parsed and scored, each by itself. They wait in runs, sorted by key: the URL as a SURT, and the
//!   time of the capture. What is noted of them for the evidence of their sites waits beside them.
//! - **label**: all pages, by key, are cut into chunks, and these into units. A unit finds the evidence of its sites, labels its
//!   pages, and makes rows of them. A chunk is an epoch: it becomes one file a table, which appears when the epoch has passed;
//!   its rows meet at its writer, which puts them in order.
//!
//! Keys alone decide about chunks. Therefore the files are the same whatever the number of workers, the order of the input, and
//! the parts.
//!
//! A log beside the tables records what is done when it is safe. A build that was killed continues from there: [`Build::continued`] says how much there is.
//!
//! # The cost
//!
//! Memory is bounded by what is in flight: a page a worker, the rows of the units in the window,
//! a row group of each open chunk, a frame of each run, the notes of a sample of a site. With the crawl grows the index of the runs:
//! about 130 bytes for 256 KiB of pages that wait.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use gleaner_corpus::{Corpus, Identity};
//! use gleaner_dataflow::{BuildConfig, build};
//! use gleaner_store::{Options, Store};
//!
//! let store = Store::new(Options::default())?;
//! let shards = store.expand(&["crawl/*.warc.gz".to_owned()], None)?.shards;
//! let corpus = Corpus::create(store.output("corpus")?, &Identity::default(), false)?;
//! let model = Arc::new(gleaner_content::Model::load("model.gcrf".as_ref())?);
//! let summary = build(BuildConfig::new(store, shards, corpus, model))?;
//! assert!(summary.adds_up());
//! # Ok(())
//! # }
//! ```

mod backlog;
mod begin;
mod capture;
mod chunk_reader;
mod chunks;
mod cluster;
mod collect;
mod done;
mod duplicates;
mod empty;
mod error;
mod evidence;
mod extract;
mod finish;
mod first_captures;
mod first_look;
mod formats;
mod gone;
mod groups;
mod identity;
mod job;
mod kept;
mod key;
mod label;
mod labelling;
mod large;
mod ledger;
mod log;
mod memory;
mod message;
mod near;
mod notes;
mod order;
mod outline;
mod packing;
mod parts;
mod phases;
pub mod plan;
mod publish;
mod read;
mod reject;
mod repeats;
mod row_files;
mod runs;
pub mod scale;
mod sites;
mod sort;
mod stages;
mod staging;
mod steps;
mod summary;
mod sums;
mod task;
mod template_rows;
mod waiting;
mod watch;
mod write;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Receiver;

use gleaner_content::Model;
use gleaner_corpus::{Corpus, Unread};
use gleaner_document::{MarkdownOptions, PageMethod};
use gleaner_html::TreeBuilder;
use gleaner_page::Limits;
use gleaner_posts::Rules;
use gleaner_store::{Shard, Store};
use gleaner_template::DEFAULT_SAMPLE;

pub use chunks::DEFAULT_CHUNK;
pub use cluster::{Group, GroupConfig, GroupSecret, Traffic};
pub use duplicates::{DuplicateConfig, SignatureConfig};
pub use empty::EmptyArchives;
pub use error::Error;
pub use first_look::FirstLook;
pub use key::SiteOf;
pub use memory::least_memory;
pub use outline::{Cutting, Outline};
pub use repeats::DEFAULT_REPEATS;
pub use steps::{PHASES, PhaseStatus};
pub use summary::{RejectExample, Summary};
pub use template_rows::{histogram_row, template_row};
pub use watch::{Progress, Watch, WorkerStatus};

use cluster::Told;
use job::Job;
use plan::PlanSizes;

/// The logical time of a build: the number of a part, or of a chunk.
pub type Epoch = u64;

/// The phases of a build.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Phase {
    /// Pages are read and scored, and wait.
    Extract,
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
    /// Their formats, as far as they are known from a [`FirstLook`].
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
    /// How documents have their text as Markdown, if they have.
    pub markdown: Option<MarkdownOptions>,
    /// Whether the main heading of a page is left out of its text. Else it is the first line.
    pub without_title: bool,
    /// What posts are found by, if the posts table is written.
    pub posts: Option<Rules>,
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
    /// The phase after which the run ends, for the next to go on.
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
    /// Pages of a chunk, on the average; 16 at least.
    pub chunk_size: u64,
    /// How far it is, for whoever draws it.
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
            formats: Vec::new(),
            corpus,
            model,
            method: None,
            text_model: None,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            blocks: false,
            markdown: None,
            without_title: false,
            posts: None,
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
            progress: Arc::default(),
            stop: Arc::default(),
            group: None,
        }
    }
}

/// Builds a corpus: reads all shards, writes and commits all tables. The summary counts nothing where
/// [`BuildConfig::last`] ends it before.
///
/// # Errors
/// As [`Build::begin`] and [`Build::run`].
pub fn build(config: BuildConfig) -> Result<Summary, Error> {
    Ok(Build::begin(config)?.run()?.unwrap_or_default())
}

/// A build that is about to run, from its beginning or from where an earlier run of it ended.
pub struct Build {
    job: Job,
    workers: usize,
    continued: Option<Continued>,
    /// What there is to tell other processes.
    told: Option<Receiver<Told>>,
}

/// What earlier runs of a build have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continued {
    /// Parts that the input is cut into.
    pub parts: u64,
    /// Parts whose pages are read, and wait or are written.
    pub read: u64,
    /// Chunks that are in the tables.
    pub written: u64,
    /// Documents in the tables.
    pub documents: u64,
}

impl Build {
    /// Plans a build, and finds what earlier runs have done; what they left half done is removed.
    ///
    /// # Errors
    /// The output can't be read or written, the model can't be used, or another version of gleaner
    /// has begun the build.
    pub fn begin(config: BuildConfig) -> Result<Build, Error> {
        let workers = config.workers.max(1);
        let (job, continued, told) = begin::job(config, workers)?;
        job.tell_plan(workers);
        job.plan_phases();
        Ok(Build {
            job,
            workers,
            continued,
            told,
        })
    }

    /// What is done already; none where that is nothing.
    pub fn continued(&self) -> Option<Continued> {
        self.continued
    }

    /// Runs to the end, or to that of [`BuildConfig::last`]: there is no summary then. What counts as done
    /// at an error, or when the process is killed, need not be done again by the next run. Of several processes
    /// the first sums all up, the others what they have done.
    ///
    /// # Errors
    /// The tables can't be written, another process is gone, the build was told to stop, or an input could not be
    /// read. What is wrong with records becomes rows of the rejects table instead.
    pub fn run(self) -> Result<Option<Summary>, Error> {
        let job = Arc::new(self.job);
        let ran = match (job.share.group(), self.told) {
            (Some(group), Some(told)) => cluster::run(&job, group, told, self.workers),
            _ => phases::alone(&job, self.workers),
        };
        job.progress.watch.end();
        let group = job.share.group();
        if let Some(error) = group.and_then(Group::gone).or_else(|| job.take_failure()) {
            return Err(error);
        }
        ran?;
        if job.stop.load(Relaxed) {
            return Err(Error::Interrupted);
        }
        if let Some(missing) = job.missing() {
            group.map_or(Ok(()), Group::finish)?;
            let written = Box::new(job.sums());
            return Err(Error::Incomplete { missing, written });
        }
        let is_over = job.last < Phase::Label;
        let summary = match (is_over, job.share.is_first()) {
            (true, _) => None,
            (false, true) => {
                let finished = finish::finish(&job);
                job.progress.watch.set_phase(None);
                Some(finished?)
            }
            (false, false) => Some(job.sums()),
        };
        group.map_or(Ok(()), Group::finish)?;
        Ok(summary)
    }
}
