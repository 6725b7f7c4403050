//! What the workers of a build share.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use gleaner_corpus::{Corpus, Unread};
use gleaner_document::Cleaner;
use gleaner_posts::Rules;
use gleaner_store::{Shard, Store};
use parking_lot::Mutex;

use crate::backlog::Backlog;
use crate::cluster::Share;
use crate::duplicates::{DocumentSigner, DuplicateConfig};
use crate::error::Error;
use crate::evidence::EvidenceFinder;
use crate::extract::ExtractConfig;
use crate::formats::Formats;
use crate::groups::Groups;
use crate::key::SiteOf;
use crate::labelling::{ChunksDone, Labelling};
use crate::large::LargePages;
use crate::ledger::Ledger;
use crate::log::Log;
use crate::memory::Memory;
use crate::order::Seams;
use crate::parts::Parts;
use crate::plan::Plan;
use crate::publish::Publisher;
use crate::steps;
use crate::summary::{self, Summary};
use crate::watch::Progress;
use crate::{Epoch, Phase};

/// A build: its plan, its settings, and where its workers stand.
pub(crate) struct Job {
    pub(crate) store: Store,
    pub(crate) shards: Vec<Shard>,
    pub(crate) formats: Formats,
    pub(crate) plan: Plan,
    /// Units that are read.
    pub(crate) reading: Arc<Ledger>,
    /// What is done, for the same command to go on from.
    pub(crate) log: Log,
    /// Commits what is written to the tables' logs.
    pub(crate) publisher: Publisher,
    /// What is read, and waits.
    pub(crate) parts: Parts,
    /// The parts whose runs become one.
    pub(crate) groups: Groups,
    /// How duplicates are found; none where they are not.
    pub(crate) duplicates: Option<DuplicateConfig>,
    /// What signs texts for that.
    pub(crate) signer: Option<DocumentSigner>,
    /// On how many sites a line of the table repeats is at least; none where lines are not counted.
    pub(crate) repeats: Option<u64>,
    /// How evidence of sites is found; none where pages are labelled by themselves.
    pub(crate) evidence: Option<EvidenceFinder>,
    /// Chunks that earlier runs have written.
    pub(crate) chunks_done: ChunksDone,
    /// What is labelled, when all is read.
    pub(crate) labelling: OnceLock<Option<Arc<Labelling>>>,
    /// Pages of a chunk, on the average.
    pub(crate) chunk_size: u64,
    /// Units that may be taken and not written.
    pub(crate) window: u32,
    pub(crate) seams: Seams,
    pub(crate) corpus: Corpus,
    /// What reads, labels and writes pages.
    pub(crate) cleaner: Cleaner,
    pub(crate) record_bytes: usize,
    pub(crate) memory: Memory,
    /// Large pages that are being read.
    pub(crate) large: Arc<LargePages>,
    /// Rows that are not written yet.
    pub(crate) backlog: Backlog,
    pub(crate) site: SiteOf,
    /// Whether the blocks table is written.
    pub(crate) blocks: bool,
    /// What the posts of the posts table are found by; none where it is not written.
    pub(crate) posts: Option<Rules>,
    /// The phase after which the run ends.
    pub(crate) last: Phase,
    /// Parts that may be open at once.
    pub(crate) epochs_in_flight: Epoch,
    pub(crate) progress: Arc<Progress>,
    pub(crate) stop: Arc<AtomicBool>,
    /// What of it is this process's own.
    pub(crate) share: Share,
    pub(crate) summary: Mutex<Summary>,
    /// Whether inputs that can't be read are rejects, and the corpus is complete without them.
    pub(crate) allow_missing: bool,
    /// Inputs that could not even be listed.
    pub(crate) unlisted: Vec<Unread>,
    /// Inputs that could not be read; there are parts that are not read to their end where it is not `None`.
    pub(crate) missing: Mutex<Option<BTreeSet<Unread>>>,
    pub(crate) failure: Mutex<Option<Error>>,
}

impl Job {
    /// Says how the input is cut.
    pub(crate) fn tell_plan(&self, workers: usize) {
        let (parts, units) = (self.plan.parts.len(), self.plan.units());
        self.progress.watch.parts.store(parts as u64, Relaxed);
        let shards = self.shards.len();
        tracing::info!(shards, parts, units, workers, "build planned");
    }

    /// Says which phases the run has, and how much there is to do in those of which it is known.
    pub(crate) fn plan_phases(&self) {
        let sort = (!self.groups.is_empty()).then_some(steps::SORT);
        let label = sort
            .into_iter()
            .chain([steps::LABEL])
            .filter(|_| self.last == Phase::Label);
        let finish = (self.last == Phase::Label && self.share.is_first()).then_some(steps::FINISH);
        let watch = &self.progress.watch;
        watch.plan_phases([steps::EXTRACT].into_iter().chain(label).chain(finish));
        let parts = 0..self.plan.parts.len() as Epoch;
        let seen = parts.filter(|&part| self.share.sees(part));
        let input = seen.map(|part| self.plan.bytes(part)).sum();
        // Of some the size is not known before they are read.
        let is_known = self.shards.iter().all(|shard| shard.size.is_some());
        if let Some(steps) = watch.steps(steps::EXTRACT).filter(|_| is_known) {
            steps.expect(input);
            steps.add(self.progress.stored_bytes.load(Relaxed));
        }
    }

    fn plan_labelling(&self) -> Result<Labelling, Error> {
        let Job {
            parts,
            chunks_done,
            share,
            ..
        } = self;
        Labelling::plan(parts, chunks_done, share, self.chunk_size, self.window)
    }

    /// What is labelled. All is read: the first worker to ask has it cut into chunks. None where that fails, which ends the
    /// build.
    pub(crate) fn labelling(&self) -> Option<&Arc<Labelling>> {
        let planned = self.labelling.get_or_init(|| match self.plan_labelling() {
            Ok(labelling) => {
                if let Some(steps) = self.progress.watch.steps(steps::LABEL) {
                    steps.expect(labelling.steps());
                }
                let chunks = labelling.chunks.len();
                tracing::info!(chunks, "chunks planned");
                Some(Arc::new(labelling))
            }
            Err(error) => {
                self.fail(error);
                None
            }
        });
        planned.as_ref()
    }

    /// How many chunks there are, where that is known.
    pub(crate) fn chunks(&self) -> Epoch {
        self.labelling()
            .map_or(0, |labelling| labelling.chunks.len() as Epoch)
    }

    /// What a worker extracts of pages.
    pub(crate) fn extract_config(&self) -> ExtractConfig {
        ExtractConfig {
            cleaner: self.cleaner.clone(),
            paths: self.blocks,
            posts: self.posts.clone(),
            notes: self.evidence.is_some(),
            large: Arc::clone(&self.large),
            progress: Arc::clone(&self.progress),
        }
    }

    /// Whether the build is to end without its result: told to, or failed.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends the build because of an error; the first one is told.
    pub(crate) fn fail(&self, error: Error) {
        let mut failure = self.failure.lock();
        failure.get_or_insert(error);
        self.stop.store(true, Relaxed);
    }

    /// The same, as a value: it is not done.
    pub(crate) fn failed(&self, error: Error) -> bool {
        self.fail(error);
        false
    }

    /// A part could not be read to its end, for want of these inputs, or of some that another part knows.
    pub(crate) fn miss(&self, inputs: &[Unread]) {
        let mut missing = self.missing.lock();
        missing.get_or_insert_default().extend(inputs.iter().cloned());
    }

    /// The inputs that could not be read, by name; none where all parts are read to their ends.
    pub(crate) fn missing(&self) -> Option<Vec<Unread>> {
        let missing = self.missing.lock();
        missing.as_ref().map(summary::each_input)
    }

    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.failure.lock().take()
    }

    /// What is counted so far.
    pub(crate) fn sums(&self) -> Summary {
        self.summary.lock().clone()
    }

    pub(crate) fn set_sums(&self, summary: Summary) {
        *self.summary.lock() = summary;
    }

    pub(crate) fn add_to_summary(&self, part: &Summary) {
        self.summary.lock().add(part);
    }
}
