//! The dataflow between the processes of a build, with its phases as logical times.
//!
//! Process 0 deals the tasks of a phase, some at a time ([`Dealing`]): parts that are read, groups of parts that are sorted, chunks that are
//! labelled. A process works on them as if it were alone, with its own workers: **pages and rows cross no network**. Pages wait in
//! staging, which all processes see, and each reads those of its chunks from there.
//!
//! What goes between processes is little, and goes through one small timely dataflow with a worker per process: requests for tasks, tasks, and
//! which chunks are written. When its frontier has passed a phase, all processes have finished it, and each reads in the journals what the
//! others have done.
//!
//! Process 0 holds the output, removes what an interrupted run left half done, deals, commits chunks to the tables' logs (their versions
//! have one order), and ends the corpus.

use std::convert::identity;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use gleaner_cluster::Group;
use parking_lot::Mutex;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::operators::core::input::Handle as Input;
use timely::dataflow::operators::probe::Handle as Probed;
use timely::dataflow::operators::vec::Map;
use timely::dataflow::operators::{Exchange, Inspect, Probe};
use timely::worker::Worker;

use crate::data::message::Notice;
use crate::error::Error;
use crate::run::phases::Phases;
use crate::work::dealing::Dealing;
use crate::work::task::{self, Task};

/// The pause of the worker of this dataflow between two checks for notices.
const NAP: Duration = Duration::from_millis(5);

/// The logical time: the number of phases that are over.
type Phase = u64;

/// A notice, and the process that it is for.
pub(crate) type Sent = (usize, Notice);

/// Runs the phases of a build, each to its end in all processes before the next begins.
///
/// # Errors
/// A worker failed. That a process is gone is reported by the group.
pub(crate) fn run(
    phases: &Arc<Phases>,
    group: &Group,
    own: Receiver<Sent>,
    workers: usize,
) -> Result<(), Error> {
    let own = Mutex::new(Some(own));
    let shared = Arc::clone(phases);
    let process = group.process();
    let guards = group.execute(1, move |worker| {
        let own = own.lock().take().expect("a process has one worker here");
        Control::begin(worker, &shared, process, own).run(worker, workers);
    })?;
    let mut outcomes = guards.join().into_iter();
    outcomes.try_for_each(|outcome| outcome.map_err(Error::Worker))
}

/// The dataflow between processes, in one of them.
struct Control {
    phases: Arc<Phases>,
    process: usize,
    /// What this process sends, and what it is sent.
    own: Receiver<Sent>,
    arrived: Receiver<Notice>,
    input: Input<Phase, CapacityContainerBuilder<Vec<Sent>>>,
    done: Probed<Phase>,
    /// Chunks of other processes that are being committed to the tables' logs.
    commits: Vec<Task>,
}

impl Control {
    fn begin(worker: &mut Worker, phases: &Arc<Phases>, process: usize, own: Receiver<Sent>) -> Control {
        let (mut input, done) = (Input::new(), Probed::new());
        let (arrive, arrived) = channel();
        worker.dataflow::<Phase, _, _>(|scope| {
            input
                .to_stream(scope)
                // The input by itself would send nothing before the end of a phase.
                .map(identity)
                .exchange(|(process, _): &Sent| *process as u64)
                .inspect(move |(_, notice): &Sent| arrive.send(notice.clone()).unwrap_or_default())
                .probe_with(&done);
        });
        Control {
            phases: Arc::clone(phases),
            process,
            own,
            arrived,
            input,
            done,
            commits: Vec::new(),
        }
    }

    /// All phases, and the end of the dataflow.
    fn run(mut self, worker: &mut Worker, workers: usize) {
        if let Err(error) = self.phases(worker, workers) {
            self.phases.running.fail(error);
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

    /// All phases, one after the other. In each this process does its work, waits until the others have done theirs, and takes their
    /// results.
    fn phases(&mut self, worker: &mut Worker, workers: usize) -> Result<(), Error> {
        let running = Arc::clone(&self.phases.running);
        let mut own = self.phases.workers(workers)?;
        let mut work = self.phases.after(None);
        for phase in 1.. {
            let Some(now) = work else { break };
            let step = Arc::new(self.phases.begin(now, workers)?);
            own.begin(&step);
            let is_first = self.process == 0;
            let has_dealt = || !is_first || step.dealing.has_dealt_all() || running.is_stopped();
            while !own.have_ended() || !has_dealt() {
                self.exchange(&step.dealing)?;
                worker.step_or_park(Some(NAP));
            }
            self.exchange(&step.dealing)?;
            self.input.advance_to(phase);
            // What arrives from now on may be of the next phase.
            worker.step_or_park_while(Some(NAP), || self.done.less_than(&phase) && !running.is_stopped());
            if !running.is_stopped() {
                self.phases.gather()?;
            }
            work = self.phases.after(Some(now));
        }
        Ok(())
    }

    /// Sends what this process has to send, and takes what arrived.
    fn exchange(&mut self, dealing: &Dealing) -> Result<(), Error> {
        if dealing.asks() {
            self.input.send((0, Notice::Ask(self.process)));
        }
        for notice in self.arrived.try_iter() {
            match notice {
                Notice::Ask(process) => self.input.send((process, Notice::Deal(dealing.deal()))),
                Notice::Deal(tasks) => dealing.receive(tasks),
                Notice::Written(chunk, files) => {
                    let durable = Arc::clone(&self.phases.durable);
                    let commit = move || durable.publisher.written(chunk, files);
                    self.commits.push(Task::start(commit)?);
                }
            }
        }
        self.own.try_iter().for_each(|sent| self.input.send(sent));
        self.input.flush();
        task::poll(&mut self.commits)
    }
}
