//! The step `label` of a process: its workers label units, and write the files of chunks.
//!
//! A worker takes the units of one chunk, one after the other, so that it reads each run once from one end to the other. Who
//! finds no other chunk helps where most is left. What is labelled waits until the units before it are written; where too much
//! waits, only units that others wait for are taken.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gleaner_corpus::{KeptKind, kept_json};
use parking_lot::{Condvar, Mutex};

use crate::data::message::Notice;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::chunk_files::{ChunkFiles, EndedChunk};
use crate::label::labelling::Labelling;
use crate::label::unit_labeller::{LabelledUnit, UnitLabeller};
use crate::settings::Settings;
use crate::state::Durable;
use crate::state::done::JournalEntry;
use crate::watch::{self, WorkerState, steps};
use crate::work::running::Running;
use crate::work::task::Task;

/// How long a worker that has nothing to do waits before it looks again.
const NAP: Duration = Duration::from_millis(20);

/// Bytes of row groups that may wait where memory has no bound, and at the least.
const MOST: u64 = 256 << 20;
const LEAST: u64 = 16 << 20;

/// Chunks that may be on their way to a slow store.
const MOST_COMMITS: usize = 16;

/// The units that the workers of a process label.
pub(crate) struct LabelStep {
    settings: Arc<Settings>,
    durable: Arc<Durable>,
    running: Arc<Running>,
    labelling: Arc<Labelling>,
    /// Bytes of row groups that may wait.
    most_waiting: u64,
    state: Mutex<LabelState>,
    changed: Condvar,
}

#[derive(Default)]
struct LabelState {
    /// Chunks that no worker has begun.
    untouched: VecDeque<Epoch>,
    /// Chunks that are begun and not written to their end.
    open: BTreeMap<Epoch, OpenChunk>,
    /// Units that are being labelled.
    labelling: usize,
    /// Chunks that are on their way to their store.
    commits: Vec<Task>,
}

struct OpenChunk {
    /// The worker that began it.
    worker: usize,
    taken: u32,
    units: u32,
    files: Arc<Mutex<ChunkFiles>>,
    /// Units that are written, and bytes of those that wait.
    written: u32,
    waiting: u64,
}

/// A unit that a worker has taken.
struct Taken {
    chunk: Epoch,
    unit: u32,
    files: Arc<Mutex<ChunkFiles>>,
}

impl LabelStep {
    pub(crate) fn new(
        settings: &Arc<Settings>,
        durable: &Arc<Durable>,
        running: &Arc<Running>,
        labelling: Labelling,
        workers: usize,
    ) -> LabelStep {
        let spare = running.memory.beyond_least(workers);
        LabelStep {
            settings: Arc::clone(settings),
            durable: Arc::clone(durable),
            running: Arc::clone(running),
            most_waiting: spare.map_or(MOST, |spare| (spare / 4).clamp(LEAST, MOST)),
            state: Mutex::new(LabelState {
                untouched: labelling.own().collect(),
                ..LabelState::default()
            }),
            labelling: Arc::new(labelling),
            changed: Condvar::new(),
        }
    }

    /// Does a worker's part of the step. Returns when all chunks of the process are written and safe.
    ///
    /// # Errors
    /// The pages that wait cannot be read, the tables not be written, or the run is stopped.
    pub(crate) fn run(&self, worker: usize) -> Result<(), Error> {
        self.running.progress.watch.enter(worker, steps::LABEL);
        let corpus = &self.durable.corpus;
        let mut labeller = UnitLabeller::new(&self.settings, corpus, &self.running, &self.labelling)?;
        while let Some(taken) = self.take(worker)? {
            let unit = &self.labelling.chunks[taken.chunk as usize].units[taken.unit as usize];
            let labelled = labeller.label(unit, (taken.chunk, taken.unit))?;
            self.put(&taken, labelled)?;
        }
        watch::does(WorkerState::Idle, 0);
        Ok(())
    }

    /// The next unit for a worker. Waits while there is none; none when all is done.
    fn take(&self, worker: usize) -> Result<Option<Taken>, Error> {
        let mut state = self.state.lock();
        loop {
            if self.running.is_stopped() {
                return Err(Error::Interrupted);
            }
            state.poll_commits()?;
            if state.is_done() {
                return Ok(None);
            }
            let is_short = state.labelling > 0 && self.running.memory.is_over();
            if let Some(taken) = Some(&mut *state)
                .filter(|_| !is_short)
                .and_then(|state| self.choose(state, worker))
            {
                self.running.progress.watch.part_begins(taken.chunk);
                watch::does(WorkerState::Labelling, taken.chunk);
                return Ok(Some(taken));
            }
            let waits = match is_short {
                true => WorkerState::WaitingForMemory,
                false => WorkerState::WaitingForPart,
            };
            watch::does(waits, state.open.keys().next().copied().unwrap_or_default());
            self.changed.wait_for(&mut state, NAP);
        }
    }

    fn choose(&self, state: &mut LabelState, worker: usize) -> Option<Taken> {
        let chunk = state.chunk_of(worker, &self.labelling)?;
        let waiting: u64 = state.open.values().map(|open| open.waiting).sum();
        let open = state.open.get_mut(&chunk)?;
        if waiting >= self.most_waiting && open.taken != open.written {
            return None;
        }
        let unit = open.taken;
        open.taken += 1;
        state.labelling += 1;
        Some(Taken {
            chunk,
            unit,
            files: Arc::clone(&open.files),
        })
    }

    /// Takes a unit that is labelled, and ends its chunk if that is complete.
    fn put(&self, taken: &Taken, labelled: LabelledUnit) -> Result<(), Error> {
        let mut files = taken.files.lock();
        files.push(taken.unit, labelled, &self.durable.corpus)?;
        let is_complete = files.units() == self.labelling.chunks[taken.chunk as usize].units.len();
        let commit = match is_complete {
            true => Some(self.commit(
                taken.chunk,
                std::mem::replace(&mut *files, ChunkFiles::new(taken.chunk)).end()?,
            )?),
            false => None,
        };
        let mut state = self.state.lock();
        state.labelling -= 1;
        match commit {
            Some(commit) => {
                state.open.remove(&taken.chunk);
                state.commits.push(commit);
            }
            None => {
                if let Some(open) = state.open.get_mut(&taken.chunk) {
                    (open.written, open.waiting) = (files.units() as u32, files.waiting());
                }
            }
        }
        self.changed.notify_all();
        Ok(())
    }

    /// Says that a chunk is written, when it is safe.
    fn commit(&self, chunk: Epoch, ended: EndedChunk) -> Result<Task, Error> {
        let (durable, running) = (Arc::clone(&self.durable), Arc::clone(&self.running));
        let keeps_state = self.settings.keeps_state;
        Task::start(move || {
            let written = ended.wait()?;
            if keeps_state {
                let entry = kept_json(&written.entry());
                durable.corpus.keep_file(KeptKind::Chunks, &entry)?;
            }
            durable
                .journal
                .add(&JournalEntry::Written(chunk, written.clone()))?;
            match durable.share.is_first() {
                true => durable.publisher.written(chunk, written.files)?,
                false => durable.share.report(Notice::Written(chunk, written.files)),
            }
            running.add_to_summary(&written.summary);
            let documents = written.summary.documents;
            running.progress.watch.chunk_written(chunk, documents);
            Ok(())
        })
    }
}

impl LabelState {
    fn is_done(&self) -> bool {
        self.untouched.is_empty() && self.open.is_empty() && self.commits.is_empty()
    }

    /// Forgets the chunks that are safe.
    fn poll_commits(&mut self) -> Result<(), Error> {
        let mut failed = None;
        self.commits.retain_mut(|commit| match commit.poll() {
            Ok(is_done) => !is_done,
            Err(error) => {
                failed = Some(error);
                false
            }
        });
        failed.map_or(Ok(()), Err)
    }

    /// The chunk that a worker takes the next unit of: its own, else one that is untouched, else that of which most is left.
    fn chunk_of(&mut self, worker: usize, labelling: &Labelling) -> Option<Epoch> {
        let has_units = |(_, open): &(&Epoch, &OpenChunk)| open.taken < open.units;
        let own = self
            .open
            .iter()
            .filter(has_units)
            .find(|(_, open)| open.worker == worker);
        if let Some((&own, _)) = own {
            return Some(own);
        }
        if self.commits.len() >= MOST_COMMITS {
            return None;
        }
        let Some(chunk) = self.untouched.pop_front() else {
            let most = self
                .open
                .iter()
                .filter(has_units)
                .max_by_key(|(_, open)| open.units - open.taken);
            return most.map(|(&chunk, _)| chunk);
        };
        let open = OpenChunk {
            worker,
            taken: 0,
            units: labelling.chunks[chunk as usize].units.len() as u32,
            files: Arc::new(Mutex::new(ChunkFiles::new(chunk))),
            written: 0,
            waiting: 0,
        };
        self.open.insert(chunk, open);
        Some(chunk)
    }
}
