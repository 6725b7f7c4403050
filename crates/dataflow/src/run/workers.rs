//! The workers of a process: threads that live as long as the build, and do a phase after the other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::error::Error;
use crate::run::phases::{Phases, Step};
use crate::work::running::Running;

/// The workers of a process.
pub(crate) struct Workers {
    steps: Vec<Sender<Arc<Step>>>,
    /// A worker has done its part of a phase.
    done: Receiver<()>,
    /// Workers that have not.
    busy: usize,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts this number of workers.
    pub(crate) fn start(phases: &Arc<Phases>, workers: usize) -> Result<Workers, Error> {
        let (end, done) = channel();
        let (mut steps, mut threads) = (Vec::new(), Vec::new());
        for worker in 0..workers {
            let (phases, end) = (Arc::clone(phases), end.clone());
            let (step, begun) = channel::<Arc<Step>>();
            let work = move || {
                for step in begun {
                    let _ended = Ended(&phases.running, &end);
                    let done = phases.work(&step, worker);
                    done.unwrap_or_else(|error| phases.running.fail(error));
                }
            };
            let thread = Builder::new().name(format!("worker {worker}")).spawn(work);
            threads.push(thread.map_err(|error| Error::System("start a thread", error))?);
            steps.push(step);
        }
        Ok(Workers {
            steps,
            done,
            busy: 0,
            threads,
        })
    }

    /// Has all workers do a phase. Returns at once.
    pub(crate) fn begin(&mut self, step: &Arc<Step>) {
        self.busy = self.steps.len();
        for worker in &self.steps {
            // A worker that panicked has ended the build.
            worker.send(Arc::clone(step)).unwrap_or_default();
        }
    }

    /// Whether they have done it. Returns at once.
    pub(crate) fn have_ended(&mut self) -> bool {
        self.busy -= self.done.try_iter().count();
        self.busy == 0
    }

    /// Waits until they have done it.
    pub(crate) fn wait(&mut self) {
        while self.busy > 0 && self.done.recv().is_ok() {
            self.busy -= 1;
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.steps.clear();
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

/// Says that a worker has done its part, also when it panics. Then the build ends.
struct Ended<'a>(&'a Running, &'a Sender<()>);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(Error::Worker("it panicked".to_owned()));
        }
        self.1.send(()).unwrap_or_default();
    }
}
