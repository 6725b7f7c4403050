//! The workers of a process: threads that live as long as the build, and do a phase after the other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::error::Error;
use crate::work::running::Running;

/// The workers of a process, which do phases.
pub(crate) struct Workers<P> {
    phases: Vec<Sender<Arc<P>>>,
    /// A worker has done its part of a phase.
    done: Receiver<()>,
    /// Workers that have not.
    busy: usize,
    threads: Vec<JoinHandle<()>>,
}

impl<P: Send + Sync + 'static> Workers<P> {
    /// Starts this number of workers. `work` does the part of a worker, by its number.
    pub(crate) fn start(
        workers: usize,
        running: &Arc<Running>,
        work: impl Fn(&P, usize) -> Result<(), Error> + Clone + Send + 'static,
    ) -> Result<Workers<P>, Error> {
        let (end, done) = channel();
        let (mut phases, mut threads) = (Vec::new(), Vec::new());
        for worker in 0..workers {
            let (running, work, end) = (Arc::clone(running), work.clone(), end.clone());
            let (phase, begun) = channel::<Arc<P>>();
            let work = move || {
                for phase in begun {
                    let _ended = Ended(&running, &end);
                    work(&phase, worker).unwrap_or_else(|error| running.fail(error));
                }
            };
            let thread = Builder::new().name(format!("worker {worker}")).spawn(work);
            threads.push(thread.map_err(|error| Error::System("start a thread", error))?);
            phases.push(phase);
        }
        Ok(Workers {
            phases,
            done,
            busy: 0,
            threads,
        })
    }

    /// Has all workers do a phase. Returns at once.
    pub(crate) fn begin(&mut self, phase: &Arc<P>) {
        self.busy = self.phases.len();
        for worker in &self.phases {
            // A worker that panicked has ended the build.
            worker.send(Arc::clone(phase)).unwrap_or_default();
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

impl<P> Drop for Workers<P> {
    fn drop(&mut self) {
        self.phases.clear();
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
