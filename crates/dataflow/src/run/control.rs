//! The dataflow between the processes of a build, with its phases as logical times.
//!
//! Parts are dealt to processes by their size ([`deal`](crate::state::deal)), and so are groups of parts that are sorted and
//! ranges of keys that are labelled. A process works on its own as if it were alone, with its own workers: **pages and rows cross
//! no network**. Pages wait in staging, which all processes see, and each reads the pages of its range from there.
//!
//! What goes between processes is little, and goes through one small timely dataflow with a worker per process: where a unit of one
//! process ends in a file that a unit of another continues, and which parts and chunks are done. When its frontier has passed a
//! phase, all processes have finished it.
//!
//! Process 0 holds the output, removes what an interrupted run left half done, deals, commits chunks to the tables' logs, and ends
//! the corpus.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use gleaner_cluster::Group;
use gleaner_corpus::Part;
use parking_lot::Mutex;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::operators::core::input::Handle as Input;
use timely::dataflow::operators::probe::Handle as Probed;
use timely::dataflow::operators::vec::Broadcast;
use timely::dataflow::operators::{Inspect, Probe};
use timely::worker::Worker;

use crate::data::message::Notice;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::run::phases::{Phases, Work};
use crate::state::Durable;
use crate::work::running::Running;

/// The pause of the worker of this dataflow between two checks for notices.
const NAP: Duration = Duration::from_millis(5);

/// The logical time: the number of phases that are over.
type Phase = u64;

/// Runs the phases of a build, each to its end in all processes before the next begins.
///
/// # Errors
/// A worker failed. That a process is gone is reported by the group.
pub(crate) fn run(
    phases: &Arc<Phases>,
    group: &Group,
    notices: Receiver<Notice>,
    workers: usize,
) -> Result<(), Error> {
    let is_first = phases.durable.share.is_first();
    let publishing = is_first.then(|| Publishing::start(&phases.durable, &phases.running));
    let publishing = publishing.transpose()?;
    let publish = publishing.as_ref().map(|publishing| publishing.chunks.clone());
    let own = Mutex::new(Some((notices, publish)));
    let shared = Arc::clone(phases);
    let guards = group.execute(1, move |worker| {
        let (notices, publish) = own.lock().take().expect("a process has one worker here");
        Control::begin(worker, &shared, notices, publish).run(worker, workers);
    })?;
    for outcome in guards.join() {
        outcome.map_err(Error::Worker)?;
    }
    publishing.map_or(Ok(()), Publishing::finish)
}

/// The dataflow between processes, in one of them.
struct Control {
    phases: Arc<Phases>,
    notices: Receiver<Notice>,
    input: Input<Phase, CapacityContainerBuilder<Vec<Notice>>>,
    done: Probed<Phase>,
}

impl Control {
    fn begin(
        worker: &mut Worker,
        phases: &Arc<Phases>,
        notices: Receiver<Notice>,
        publish: Option<Sender<WrittenFiles>>,
    ) -> Control {
        let mut input = Input::new();
        let done = Probed::new();
        let (durable, running) = (Arc::clone(&phases.durable), Arc::clone(&phases.running));
        worker.dataflow::<Phase, _, _>(|scope| {
            input
                .to_stream(scope)
                .broadcast()
                .inspect(move |notice| match (notice, &publish) {
                    (Notice::Seam(seam), _) => running.seams.learn(*seam),
                    (Notice::Half(part), _) => durable.parts.learn_half(*part),
                    (Notice::Written(chunk, files), Some(publish)) => {
                        drop(publish.send((*chunk, files.clone())));
                    }
                    (Notice::Written(..), None) => {}
                })
                .probe_with(&done);
        });
        Control {
            phases: Arc::clone(phases),
            notices,
            input,
            done,
        }
    }

    /// All phases, one after the other.
    fn run(mut self, worker: &mut Worker, workers: usize) {
        for (phase, work) in (1..).zip(self.phases.works()) {
            if let Err(error) = self.phase(worker, phase, work, workers) {
                self.phases.running.fail(error);
            }
            let running = &self.phases.running;
            if running.is_stopped() || running.missing().is_some() {
                break;
            }
        }
        drop(self.input);
        while worker.has_dataflows() && !self.phases.running.is_stopped() {
            worker.step_or_park(Some(NAP));
        }
        // Where others are gone it would never be done.
        for dataflow in worker.installed_dataflows() {
            worker.drop_dataflow(dataflow);
        }
    }

    /// Does the work of this process, waits until the others have done theirs, and takes their results.
    fn phase(&mut self, worker: &mut Worker, phase: Phase, work: Work, workers: usize) -> Result<(), Error> {
        let guards = self.phases.start(work, workers)?;
        while !guards.guards().iter().all(JoinHandle::is_finished) {
            self.send();
            worker.step_or_park(Some(NAP));
        }
        for outcome in guards.join() {
            outcome.map_err(Error::Worker)?;
        }
        self.send();
        self.input.advance_to(phase);
        let running = Arc::clone(&self.phases.running);
        worker.step_or_park_while(Some(NAP), || self.done.less_than(&phase) && !running.is_stopped());
        match running.is_stopped() {
            true => Ok(()),
            false => self.phases.gather(work),
        }
    }

    /// Sends the notices of this process.
    fn send(&mut self) {
        self.notices.try_iter().for_each(|notice| self.input.send(notice));
        self.input.flush();
    }
}

/// A chunk, and its files.
type WrittenFiles = (Epoch, Vec<Part>);

/// Commits the chunks of other processes to the tables' logs while they are written.
struct Publishing {
    chunks: Sender<WrittenFiles>,
    thread: JoinHandle<Result<(), Error>>,
}

impl Publishing {
    fn start(durable: &Arc<Durable>, running: &Arc<Running>) -> Result<Publishing, Error> {
        let (chunks, written) = channel::<WrittenFiles>();
        let (durable, running) = (Arc::clone(durable), Arc::clone(running));
        let publish = move || {
            written
                .iter()
                .try_for_each(|(chunk, files)| durable.publisher.written(chunk, files))
                .inspect_err(|_| running.stop.store(true, Relaxed))
        };
        let thread = Builder::new().name("publish".to_owned()).spawn(publish);
        let thread = thread.map_err(|error| Error::System("start a thread", error))?;
        Ok(Publishing { chunks, thread })
    }

    /// Waits until all chunks that were sent are committed.
    fn finish(self) -> Result<(), Error> {
        drop(self.chunks);
        let panicked = |_| Err(Error::Worker("a commit panicked".to_owned()));
        self.thread.join().unwrap_or_else(panicked)
    }
}
