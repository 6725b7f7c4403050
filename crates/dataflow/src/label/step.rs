//! The step `label` of a process: its workers label units, and write the files of chunks.
//!
//! A worker takes the units of one chunk, one after the other, so that it reads each run once from one end to the other. Who
//! finds no other chunk helps where most is left. What is labelled waits until the units before it are written; where too much
//! waits, only units that others wait for are taken.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gleaner_corpus::{KeptKind, kept_json};
use parking_lot::{Condvar, Mutex};

use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::chunk_files::{ChunkFiles, EndedChunk};
use crate::label::labelling::Labelling;
use crate::label::unit_labeller::{LabelledUnit, UnitLabeller};
use crate::settings::Settings;
use crate::state::Durable;
use crate::state::done::JournalEntry;
use crate::watch::{self, WorkerState, steps};
use crate::work::dealing::{Dealing, Offer};
use crate::work::running::Running;
use crate::work::task::{self, Task};

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
    dealing: Arc<Dealing>,
    /// Bytes of row groups that may wait.
    most_waiting: u64,
    state: Mutex<LabelState>,
    changed: Condvar,
}

#[derive(Default)]
struct LabelState {
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
        dealing: &Arc<Dealing>,
        workers: usize,
    ) -> LabelStep {
        let spare = running.memory.beyond_least(workers);
        LabelStep {
            settings: Arc::clone(settings),
            durable: Arc::clone(durable),
            running: Arc::clone(running),
            most_waiting: spare.map_or(MOST, |spare| (spare / 4).clamp(LEAST, MOST)),
            labelling: Arc::new(labelling),
            dealing: Arc::clone(dealing),
            state: Mutex::default(),
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
        let change = self.durable.change.as_ref();
        let before = change
            .filter(|change| change.keeps_units())
            .map(|change| &change.base);
        while let Some(taken) = self.take(worker)? {
            let unit = &self.labelling.chunks[taken.chunk as usize].units[taken.unit as usize];
            let labelled = match (unit.kept, before) {
                (Some(place), Some(base)) => LabelledUnit::kept(base, place, corpus.output())?,
                _ => labeller.label(unit, (taken.chunk, taken.unit), before)?,
            };
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
            task::poll(&mut state.commits)?;
            let is_short = state.labelling > 0 && self.running.memory.is_over();
            let chunk = match is_short {
                true => Offer::Wait,
                false => self.chunk_of(&mut state, worker),
            };
            match chunk {
                Offer::Take(chunk) => {
                    if let Some(taken) = self.take_of(&mut state, chunk) {
                        self.running.progress.watch.part_begins(chunk);
                        watch::does(WorkerState::Labelling, chunk);
                        return Ok(Some(taken));
                    }
                }
                Offer::Done if state.open.is_empty() && state.commits.is_empty() => return Ok(None),
                Offer::Done | Offer::Wait => {}
            }
            watch::waits(is_short, state.open.keys().next().copied().unwrap_or_default());
            self.changed.wait_for(&mut state, NAP);
        }
    }

    /// The chunk that a worker takes the next unit of: its own, else one that no worker has begun, else that of which most is left.
    fn chunk_of(&self, state: &mut LabelState, worker: usize) -> Offer {
        let has_units = |(_, open): &(&Epoch, &OpenChunk)| open.taken < open.units;
        let mut begun = state.open.iter().filter(has_units);
        if let Some((&own, _)) = begun.find(|(_, open)| open.worker == worker) {
            return Offer::Take(own);
        }
        if state.commits.len() >= MOST_COMMITS {
            return Offer::Wait;
        }
        let next = self.dealing.take();
        let Offer::Take(chunk) = next else {
            let begun = state.open.iter().filter(has_units);
            let most = begun.max_by_key(|(_, open)| open.units - open.taken);
            return most.map_or(next, |(&chunk, _)| Offer::Take(chunk));
        };
        let open = OpenChunk {
            worker,
            taken: 0,
            units: self.labelling.chunks[chunk as usize].units.len() as u32,
            files: Arc::new(Mutex::new(self.files_of(chunk))),
            written: 0,
            waiting: 0,
        };
        state.open.insert(chunk, open);
        next
    }

    fn files_of(&self, chunk: Epoch) -> ChunkFiles {
        let crawl = self.labelling.chunks[chunk as usize].crawl();
        ChunkFiles::new(chunk, crawl)
    }

    /// The next unit of a chunk; none while too much waits for the units before it.
    fn take_of(&self, state: &mut LabelState, chunk: Epoch) -> Option<Taken> {
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
            true => Some(self.commit(taken.chunk, std::mem::take(&mut *files).end()?)?),
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
            durable.add(JournalEntry::Written(chunk, Box::new(written.clone())))?;
            let documents = written.summary.documents;
            durable.publish(chunk, written)?;
            running.progress.watch.chunk_written(chunk, documents);
            Ok(())
        })
    }
}
