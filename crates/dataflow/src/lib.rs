//! The steps of a build (read, sort, label, finish). Only this crate uses differential dataflow, and only this one and
//! `gleaner-cluster` use timely: for what goes between processes, and for the last step.
//!
//! In: shards, a model and an empty corpus. Out: the tables of the corpus, and a [`Summary`] that
//! adds up.
//!
//! # The idea
//!
//! A crawl is cut into parts, and these into pieces ([`plan`]). Workers take pieces as they become free. There are three steps, and a
//! fourth for a large crawl:
//!
//! - **read**: pages are read, parsed and scored, each by itself. They wait in runs, sorted by key: the URL as a SURT, and the
//!   time of the capture. What is noted of them for the evidence of their sites waits beside them.
//! - **sort**: of many parts, some runs become one.
//! - **label**: all pages, by key, are cut into chunks, and these into units. A worker finds the evidence of the sites of a unit, labels
//!   its pages, and makes row groups and a file of state of them. A chunk is one file a table: the row groups of its units.
//! - **whole**: all workers of all processes write the tables of the corpus as a whole: sites, duplicates and repeats.
//!
//! Keys alone decide about chunks and units. Therefore the files are the same whatever the number of workers, the order of the input,
//! and the parts.
//!
//! A journal of each process records what is done when it is safe. A build that was killed continues from there:
//! [`Build::continued`] says how much there is.
//!
//! # The cost
//!
//! Memory is bounded by what is in flight: a page a worker, the row groups of a unit a worker and those that wait for the units before
//! them, a frame of each run, the notes of a sample of a site. With the crawl grows the index of the runs: about 130 bytes for 256 KiB
//! of pages that wait.
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

mod against;
mod change;
mod data;
mod epoch;
mod error;
mod explain;
mod label;
mod memory;
mod outline;
pub mod plan;
mod read;
mod rules;
mod run;
mod settings;
mod sort;
mod sorted_runs;
mod staging;
mod state;
mod versions;
mod watch;
mod whole;
mod work;

pub use against::{ComparedUnits, UnitSample};
pub use change::config::{Again, ChangeConfig, Request};
pub use change::report::{ChangeReport, FoundInChange, RulesChange};
pub use change::search::{FoundInFile, RemovedPage, Searched};
pub use change::unmatched::{Unmatched, unmatched};
pub use data::archive_read::{ArchiveCounts, ArchiveRead, Outcome};
pub use data::empty_archives::EmptyArchives;
pub use data::input_line::InputLine;
pub use data::key::SiteOf;
pub use data::message::Capture;
pub use data::signed::{DuplicateConfig, SignatureConfig};
pub use data::summary::{RejectExample, Summary};
pub use data::template_rows::{histogram_row, template_row};
pub use error::Error;
pub use explain::{KeptPage, SiteSettings, SiteView, kept_page};
pub use label::cut::DEFAULT_CHUNK;
pub use memory::{least_memory, resident_memory};
pub use outline::Outline;
pub use outline::first_captures::Cutting;
pub use outline::first_look::FirstLook;
pub use outline::of_change::{ChangeOutline, OutlineSettings, change_outline};
pub use outline::scale;
pub use plan::capture_ranges::CaptureRanges;
pub use plan::input::ArchiveTerms;
pub use read::captures::{Captures, Found};
pub use read::single::find_capture;
pub use run::{Build, BuildConfig, Continued, Phase, build};
pub use versions::VERSIONS;
pub use watch::steps::{PHASES, PhaseStatus};
pub use watch::{Progress, Watch, WorkerStatus};
pub use whole::DEFAULT_REPEATS;
