//! What can be seen of a build while it runs: counts, open parts, and what each worker does.
//!
//! A worker notes what it does; who reads it waits for none of them. A worker is the thread it runs on: [`note`] finds it from
//! wherever its stages are.

pub(crate) mod steps;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gleaner_cluster::{Group, Traffic};
use parking_lot::Mutex;
use strum::IntoStaticStr;

use crate::epoch::Epoch;
use steps::{PhaseStatus, Steps};

/// A page that takes longer is reported.
const SLOW_PAGE: Duration = Duration::from_secs(1);

/// How far a build is: read by the progress line, metrics and status messages.
#[derive(Debug, Default)]
pub struct Progress {
    /// Captures read.
    pub pages: AtomicU64,
    /// Bytes of their bodies.
    pub page_bytes: AtomicU64,
    /// Bytes of the input that are read, as stored.
    pub stored_bytes: AtomicU64,
    /// What else can be seen of it.
    pub watch: Arc<Watch>,
}

impl Progress {
    /// Bytes of the input were read.
    pub(crate) fn read(&self, bytes: u64) {
        self.stored_bytes.fetch_add(bytes, Relaxed);
        self.watch.step(steps::READ, bytes);
    }
}

/// What can be seen of a build. It counts what this process does: of a build that continues, not what was done
/// before.
#[derive(Debug, Default)]
pub struct Watch {
    /// Rows of the documents table.
    pub documents: AtomicU64,
    /// Bytes of their texts.
    pub text_bytes: AtomicU64,
    /// Bytes of pages that were put to wait for their sites, in files or in memory.
    pub staged_bytes: AtomicU64,
    /// Parts of the plan.
    pub parts: AtomicU64,
    /// Parts whose pages were read, and wait.
    pub parts_read: AtomicU64,
    /// Chunks whose tables were written.
    pub chunks_written: AtomicU64,
    /// The processes of the build, where it has several.
    pub(crate) group: OnceLock<Group>,
    rejects: Mutex<BTreeMap<String, u64>>,
    open: Mutex<BTreeMap<Epoch, Instant>>,
    workers: Mutex<BTreeMap<usize, Arc<Mutex<WatchedWorker>>>>,
    /// The phases of the run.
    run: OnceLock<Vec<Steps>>,
    /// Those that have begun, and when; the last of them runs if there is one.
    begun: Mutex<Vec<(&'static str, Instant)>>,
    phase: Mutex<Option<&'static str>>,
}

/// What a worker does at the moment.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerStatus {
    /// Its number, from 0.
    pub worker: usize,
    /// One of `starting`, `reading`, `waiting-for-store`, `sorting`, `labelling`, `waiting-for-part`, `waiting-for-memory`, `idle`.
    pub state: &'static str,
    /// The same in words, with the file, the part or the chunk.
    pub words: String,
    /// For how long.
    pub lasts: Duration,
    /// How long it has lived.
    pub lived: Duration,
    /// How much of that it has worked, or could have if it had had a processor. None where the system does not
    /// report it.
    pub busy: Option<Duration>,
}

impl Watch {
    /// Rejects by reason.
    pub fn rejects(&self) -> BTreeMap<String, u64> {
        self.rejects.lock().clone()
    }

    /// Bytes that were sent to other processes, by their purpose.
    pub fn channels(&self) -> Vec<(&'static str, u64)> {
        let sent = self.group.get().map(Group::traffic);
        let by_purpose = |sent: Traffic| {
            let Traffic {
                records,
                progress,
                heartbeats,
            } = sent;
            [
                ("records", records),
                ("progress", progress),
                ("heartbeats", heartbeats),
            ]
        };
        sent.map(by_purpose).into_iter().flatten().collect()
    }

    /// How many parts are begun and not done, and for how long the first of them has been that.
    pub fn lag(&self) -> (usize, Duration) {
        let open = self.open.lock();
        let oldest = open.values().min().map(Instant::elapsed);
        (open.len(), oldest.unwrap_or_default())
    }

    /// The phase that runs; none before and after.
    pub fn phase(&self) -> Option<&'static str> {
        *self.phase.lock()
    }

    /// The phases that have begun, in their order, with how far each is.
    pub fn phases(&self) -> Vec<PhaseStatus> {
        let run = self.run.get().map_or(&[][..], Vec::as_slice);
        let status = |(name, begun): (&'static str, Instant)| {
            let number = run.iter().position(|steps| steps.name == name)?;
            Some(PhaseStatus {
                name,
                number: number + 1,
                of: run.len(),
                share: run[number].share(),
                begun: begun.elapsed(),
            })
        };
        self.begun.lock().iter().copied().filter_map(status).collect()
    }

    /// Says which phases the run has.
    pub(crate) fn plan_phases(&self, names: impl IntoIterator<Item = &'static str>) {
        let steps = names.into_iter().map(Steps::of).collect();
        // A watch is of one run.
        self.run.get_or_init(|| steps);
    }

    /// The steps of a phase; none where the run does not have it.
    pub(crate) fn steps(&self, phase: &str) -> Option<&Steps> {
        self.run.get()?.iter().find(|steps| steps.name == phase)
    }

    /// Sets the number of steps of a phase.
    pub(crate) fn expect(&self, phase: &str, all: u64) {
        if let Some(steps) = self.steps(phase) {
            steps.all.store(all, Relaxed);
        }
    }

    /// Counts steps of a phase that are done.
    pub(crate) fn step(&self, phase: &str, steps: u64) {
        if let Some(of_phase) = self.steps(phase) {
            of_phase.done.fetch_add(steps, Relaxed);
        }
    }

    /// What each worker does.
    pub fn workers(&self) -> Vec<WorkerStatus> {
        let workers = self.workers.lock();
        let status = |(&index, worker): (&usize, &Arc<Mutex<WatchedWorker>>)| worker.lock().status(index);
        workers.iter().map(status).collect()
    }

    /// A worker begins a phase, on this thread.
    pub(crate) fn enter(self: &Arc<Self>, index: usize, phase: &'static str) {
        if index == 0 {
            self.set_phase(Some(phase));
        }
        THIS.with_borrow_mut(|this| {
            if !this.as_ref().is_some_and(|this| Arc::ptr_eq(&this.watch, self)) {
                let worker = Arc::new(Mutex::new(WatchedWorker::new()));
                self.workers.lock().insert(index, Arc::clone(&worker));
                let watch = Arc::clone(self);
                *this = Some(This { watch, worker });
            }
        });
    }

    /// The phase changes; none at the end.
    pub(crate) fn set_phase(&self, name: Option<&'static str>) {
        let (mut phase, mut begun) = (self.phase.lock(), self.begun.lock());
        if *phase == name {
            return;
        }
        if let Some((phase, begin)) = begun.last().filter(|_| phase.is_some()) {
            let seconds = begin.elapsed().as_secs_f64();
            tracing::info!(phase, seconds, "phase ended");
        }
        if let Some(name) = name {
            tracing::info!(phase = name, "phase begun");
            begun.push((name, Instant::now()));
        }
        *phase = name;
    }

    /// The build has ended, and with it its workers.
    pub(crate) fn end(&self) {
        self.set_phase(None);
        for WorkerStatus {
            worker, lived, busy, ..
        } in self.workers()
        {
            let idle_seconds = busy.map(|busy| lived.saturating_sub(busy).as_secs_f64());
            let busy_seconds = busy.map(|busy| busy.as_secs_f64());
            tracing::info!(worker, busy_seconds, idle_seconds, "worker ended");
        }
    }

    pub(crate) fn staged(&self, bytes: usize) {
        self.staged_bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn reject(&self, reason: &str) {
        *self.rejects.lock().entry(reason.to_owned()).or_default() += 1;
    }

    /// A unit of a part is taken.
    pub(crate) fn part_begins(&self, part: Epoch) {
        self.open.lock().entry(part).or_insert_with(Instant::now);
    }

    /// Ends a part; gives how long it was open.
    fn part_ends(&self, part: Epoch) -> f64 {
        let begin = self.open.lock().remove(&part);
        begin.map_or(0.0, |begin| begin.elapsed().as_secs_f64())
    }

    pub(crate) fn part_read(&self, part: Epoch) {
        self.parts_read.fetch_add(1, Relaxed);
        let seconds = self.part_ends(part);
        tracing::info!(part, seconds, "part read");
    }

    pub(crate) fn chunk_written(&self, chunk: Epoch, documents: u64) {
        self.chunks_written.fetch_add(1, Relaxed);
        let seconds = self.part_ends(chunk);
        tracing::info!(chunk, seconds, documents, "chunk written");
    }
}

/// A worker, as it is seen from outside.
#[derive(Debug)]
struct WatchedWorker {
    state: WorkerState,
    since: Instant,
    part: Epoch,
    shard: String,
    offset: u64,
    /// The page that is extracted, and since when.
    page: Option<(String, Instant)>,
    begin: Instant,
    /// The system's file about the thread.
    thread: String,
    /// What it had used at its end.
    used: Option<Usage>,
}

/// How long a worker has lived, and for how long of that it was busy.
type Usage = (Duration, Option<Duration>);

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum WorkerState {
    Starting,
    Reading,
    WaitingForStore,
    Sorting,
    Labelling,
    WaitingForPart,
    WaitingForMemory,
    Idle,
}

/// The worker of a thread.
struct This {
    watch: Arc<Watch>,
    worker: Arc<Mutex<WatchedWorker>>,
}

impl Drop for This {
    /// The thread ends, and with it the system's file about it.
    fn drop(&mut self) {
        let mut worker = self.worker.lock();
        (worker.state, worker.used) = (WorkerState::Idle, Some(worker.usage()));
    }
}

thread_local! {
    static THIS: RefCell<Option<This>> = const { RefCell::new(None) };
}

/// Notes something of the worker of this thread, if it is one.
fn note(change: impl FnOnce(&mut WatchedWorker)) {
    THIS.with_borrow(|this| {
        if let Some(this) = this {
            change(&mut this.worker.lock());
        }
    });
}

/// This worker does something with a part.
pub(crate) fn does(state: WorkerState, part: Epoch) {
    note(|worker| {
        if (worker.state, worker.part) != (state, part) {
            (worker.state, worker.part, worker.since) = (state, part, Instant::now());
        }
    });
}

/// This worker waits: for memory where that is short, else for a part.
pub(crate) fn waits(is_short: bool, part: Epoch) {
    let state = match is_short {
        true => WorkerState::WaitingForMemory,
        false => WorkerState::WaitingForPart,
    };
    does(state, part);
}

/// This worker opens a shard at an offset.
pub(crate) fn opens(shard: &str, offset: u64) {
    note(|worker| (worker.shard, worker.offset) = (shard.to_owned(), offset));
}

/// This worker has read this number of bytes of its shard.
pub(crate) fn reads(bytes: u64) {
    note(|worker| worker.offset += bytes);
}

/// Does some work on a page, and reports it if it was slow.
pub(crate) fn page<T>(url: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    note(|worker| worker.page = Some((url.to_owned(), begin)));
    let done = work();
    note(|worker| worker.page = None);
    let took = begin.elapsed();
    if took >= SLOW_PAGE {
        tracing::warn!(url, seconds = took.as_secs_f64(), "slow page");
    }
    done
}

impl WatchedWorker {
    /// The worker of this thread.
    fn new() -> WatchedWorker {
        let thread = std::fs::read_link("/proc/thread-self");
        let file = |thread: std::path::PathBuf| format!("/proc/{}/schedstat", thread.display());
        WatchedWorker {
            state: WorkerState::Starting,
            since: Instant::now(),
            part: 0,
            shard: String::new(),
            offset: 0,
            page: None,
            begin: Instant::now(),
            thread: thread.map(file).unwrap_or_default(),
            used: None,
        }
    }

    fn status(&self, worker: usize) -> WorkerStatus {
        let (lived, busy) = self.used.unwrap_or_else(|| self.usage());
        WorkerStatus {
            worker,
            state: self.state.into(),
            words: self.words(),
            lasts: self.since.elapsed(),
            lived,
            busy,
        }
    }

    /// Time on a processor, and time in the queue for one: that a machine has other things to do is not
    /// idleness.
    fn usage(&self) -> Usage {
        let text = std::fs::read_to_string(&self.thread).ok();
        let busy = text.and_then(|text| {
            let mut nanoseconds = text.split_ascii_whitespace().map(str::parse::<u64>);
            let (ran, queued) = (nanoseconds.next()?.ok()?, nanoseconds.next()?.ok()?);
            Some(Duration::from_nanos(ran.saturating_add(queued)))
        });
        (self.begin.elapsed(), busy)
    }

    fn words(&self) -> String {
        let WatchedWorker { part, shard, .. } = self;
        let megabytes = self.offset as f64 / 1e6;
        let words = match self.state {
            WorkerState::Starting => "starts".to_owned(),
            WorkerState::Reading => format!("reading {shard} at {megabytes:.1} MB"),
            WorkerState::WaitingForStore => {
                format!("reading {shard} at {megabytes:.1} MB, waiting for the store")
            }
            WorkerState::Sorting => format!("sorting the pages of part {part} and the next"),
            WorkerState::Labelling => format!("labelling chunk {part}"),
            WorkerState::WaitingForPart => format!("waiting for part {part}"),
            WorkerState::WaitingForMemory => format!("waiting for memory (used by part {part})"),
            WorkerState::Idle => "has nothing left to do".to_owned(),
        };
        match &self.page {
            Some((url, begin)) if begin.elapsed() >= SLOW_PAGE => {
                let seconds = begin.elapsed().as_secs_f64();
                format!("{words} (page {url} for {seconds:.0} s)")
            }
            _ => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_workers_do_is_seen() {
        let watch = Arc::new(Watch::default());
        let own = Arc::clone(&watch);
        let thread = std::thread::spawn(move || {
            own.enter(1, steps::READ);
            does(WorkerState::WaitingForStore, 3);
            opens("a.warc.gz", 1_000_000);
            reads(250_000);
            own.workers().remove(0)
        });
        let seen = thread.join().unwrap();
        assert_eq!((seen.worker, seen.state), (1, "waiting-for-store"));
        assert_eq!(seen.words, "reading a.warc.gz at 1.2 MB, waiting for the store");
        // Its thread is gone.
        watch.enter(0, steps::LABEL);
        does(WorkerState::Labelling, 4);
        let found = watch.workers();
        let states = found.iter().map(|worker| (worker.state, &*worker.words));
        assert_eq!(
            states.collect::<Vec<_>>(),
            [
                ("labelling", "labelling chunk 4"),
                ("idle", "has nothing left to do")
            ]
        );
        if cfg!(target_os = "linux") {
            let is_less = |worker: &WorkerStatus| worker.busy.unwrap() <= worker.lived + SLOW_PAGE;
            assert!(found.iter().all(is_less));
        }
        assert_eq!(watch.phase(), Some(steps::LABEL));
    }

    #[test]
    fn a_slow_page_is_named_while_it_lasts() {
        let mut worker = WatchedWorker::new();
        worker.page = Some(("http://slow.example/".to_owned(), Instant::now()));
        assert_eq!(worker.words(), "starts");
        worker.page.as_mut().unwrap().1 -= SLOW_PAGE;
        assert_eq!(worker.words(), "starts (page http://slow.example/ for 1 s)");
    }

    #[test]
    fn open_parts_are_the_lag() {
        let watch = Watch::default();
        assert_eq!(watch.lag(), (0, Duration::ZERO));
        (3..5).for_each(|part| watch.part_begins(part));
        std::thread::sleep(Duration::from_millis(2));
        watch.part_read(3);
        let (open, age) = watch.lag();
        assert!(open == 1 && age >= Duration::from_millis(2));
    }
}
