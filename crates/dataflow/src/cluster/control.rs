//! The dataflow between processes, and the phases of a build as its logical times.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::{AllocatorBuilder, Hooks};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::operators::core::input::Handle as Input;
use timely::dataflow::operators::probe::Handle as Probed;
use timely::dataflow::operators::vec::Broadcast;
use timely::dataflow::operators::{Inspect, Probe};
use timely::execute::execute_from;
use timely::worker::Worker;

use super::share::Told;
use super::wire::Wire;
use super::{Group, Inner};
use crate::Epoch;
use crate::error::Error;
use crate::job::Job;
use crate::phases::Work;

/// How long the worker of the control dataflow sleeps before it looks what there is to tell.
const NAP: Duration = Duration::from_millis(5);

/// The logical time: how many phases are over.
type Phase = u64;

/// Runs a build's phases, each to its end in all processes before the next begins.
///
/// # Errors
/// A worker failed. That a process is gone is told by the group.
pub(crate) fn run(job: &Arc<Job>, group: &Group, told: Receiver<Told>, workers: usize) -> Result<(), Error> {
    let inner = Arc::clone(&group.0);
    let publishing = job.share.is_first().then(|| Publishing::start(job)).transpose()?;
    let publish = publishing.as_ref().map(|publishing| publishing.parts.clone());
    let given = Mutex::new(Some((told, publish)));
    let hooks = hooks(&inner);
    let wires = inner
        .links
        .iter()
        .map(|link| Some(Wire::new(&inner, link.get()?)));
    let (builders, guard) = initialize_networking_from_sockets(
        ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None),
        wires.collect(),
        group.process(),
        1,
        hooks,
    )
    .map_err(|error| Error::Worker(error.to_string()))?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let guard = Guard {
        threads: Some(guard),
        group: Arc::clone(&inner),
    };
    let shared = Arc::clone(job);
    let guards = execute_from(
        builders,
        Box::new(guard),
        WorkerConfig::default(),
        move |worker| {
            let (told, publish) = given.lock().take().expect("a process has one worker here");
            Control::begin(worker, &shared, told, publish).run(worker, workers);
        },
    )
    .map_err(Error::Worker)?;
    for outcome in guards.join() {
        outcome.map_err(Error::Worker)?;
    }
    publishing.map_or(Ok(()), Publishing::finish)
}

fn hooks(group: &Arc<Inner>) -> Hooks {
    let counted = Arc::clone(&group.counted);
    Hooks {
        log_fn: Arc::new(move |setup| setup.sender.then(|| counted.logger())),
        ..Hooks::default()
    }
}

/// Timely's threads at the connections. They end when all processes have; where one is gone they are left alone.
struct Guard {
    threads: Option<CommsGuard>,
    group: Arc<Inner>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.group.has_left();
        let threads = self.threads.take();
        match self.group.wait_until_ended() {
            true => drop(threads),
            false => std::mem::forget(threads),
        }
    }
}

/// The dataflow between processes, from the side of one of them.
struct Control {
    job: Arc<Job>,
    /// What to tell.
    told: Receiver<Told>,
    input: Input<Phase, CapacityContainerBuilder<Vec<Told>>>,
    done: Probed<Phase>,
}

impl Control {
    fn begin(
        worker: &mut Worker,
        job: &Arc<Job>,
        told: Receiver<Told>,
        publish: Option<Sender<u64>>,
    ) -> Control {
        if let Some(group) = job.share.group() {
            group.0.counted.learn(worker);
        }
        let mut input = Input::new();
        let done = Probed::new();
        let learning = Arc::clone(job);
        worker.dataflow::<Phase, _, _>(|scope| {
            input
                .to_stream(scope)
                .broadcast()
                .inspect(move |told| match (*told, &publish) {
                    (Told::Seam(seam), _) => learning.seams.learn(seam),
                    (Told::Half(part), _) => learning.parts.learn_half(part),
                    (Told::Written(part), Some(publish)) => drop(publish.send(part)),
                    (Told::Written(_), None) => {}
                })
                .probe_with(&done);
        });
        Control {
            job: Arc::clone(job),
            told,
            input,
            done,
        }
    }

    /// All phases, one after the other.
    fn run(mut self, worker: &mut Worker, workers: usize) {
        for (phase, work) in (1..).zip(Work::of(&self.job)) {
            if let Err(error) = self.phase(worker, phase, work, workers) {
                self.job.fail(error);
            }
            if self.job.is_stopped() || self.job.missing().is_some() {
                break;
            }
        }
        drop(self.input);
        while worker.has_dataflows() && !self.job.is_stopped() {
            worker.step_or_park(Some(NAP));
        }
        // Where others are gone it would never be done.
        for dataflow in worker.installed_dataflows() {
            worker.drop_dataflow(dataflow);
        }
    }

    /// Works on what is this process's own, waits until the others are through with theirs, and takes in what
    /// they have found out.
    fn phase(&mut self, worker: &mut Worker, phase: Phase, work: Work, workers: usize) -> Result<(), Error> {
        let guards = work.start(&self.job, workers)?;
        while !guards.guards().iter().all(JoinHandle::is_finished) {
            self.tell();
            worker.step_or_park(Some(NAP));
        }
        for outcome in guards.join() {
            outcome.map_err(Error::Worker)?;
        }
        self.tell();
        self.input.advance_to(phase);
        let job = Arc::clone(&self.job);
        worker.step_or_park_while(Some(NAP), || self.done.less_than(&phase) && !job.is_stopped());
        match job.is_stopped() {
            true => Ok(()),
            false => work.gather(&job),
        }
    }

    /// Tells the others what has come about.
    fn tell(&mut self) {
        self.told.try_iter().for_each(|told| self.input.send(told));
        self.input.flush();
    }
}

/// Commits the chunks of other processes to the tables' logs while they are written.
struct Publishing {
    parts: Sender<Epoch>,
    thread: JoinHandle<Result<(), Error>>,
}

impl Publishing {
    fn start(job: &Arc<Job>) -> Result<Publishing, Error> {
        let (parts, written) = channel::<Epoch>();
        let job = Arc::clone(job);
        let publish = move || {
            written
                .iter()
                .try_for_each(|part| job.publisher.written(part, job.log.written(part)?.files))
                .inspect_err(|_| job.stop.store(true, Relaxed))
        };
        let thread = Builder::new().name("publish".to_owned()).spawn(publish);
        let thread = thread.map_err(|error| Error::System("start a thread", error))?;
        Ok(Publishing { parts, thread })
    }

    /// Waits until all that was told is committed.
    fn finish(self) -> Result<(), Error> {
        drop(self.parts);
        let panicked = |_| Err(Error::Worker("a commit panicked".to_owned()));
        self.thread.join().unwrap_or_else(panicked)
    }
}
