//! Timely workers over the connections of a group.

use std::sync::Arc;

use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::{AllocatorBuilder, Hooks, WorkerGuards};
use timely::execute::execute_from;
use timely::worker::Worker;

use crate::error::Error;
use crate::group::{Group, Inner};
use crate::wire::Wire;

impl Group {
    /// Runs timely workers in this process, connected to those of the other processes, which have the same number. One
    /// computation follows another: the guards of the one before are to be joined first.
    ///
    /// # Errors
    /// Timely's threads cannot be started. That a process is gone is not an error here: [`Group::gone`] has it.
    pub fn execute<T: Send + 'static>(
        &self,
        workers: usize,
        work: impl Fn(&mut Worker) -> T + Send + Sync + 'static,
    ) -> Result<WorkerGuards<T>, Error> {
        let inner = &self.0;
        inner.begin_computation();
        let hooks = hooks(inner);
        let wires = inner.links.iter().map(|link| Some(Wire::new(inner, link.get()?)));
        let (builders, guard) = initialize_networking_from_sockets(
            ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), None),
            wires.collect(),
            self.process(),
            workers,
            hooks,
        )
        .map_err(|error| Error::Worker(error.to_string()))?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let guard = Guard {
            threads: Some(guard),
            group: Arc::clone(inner),
        };
        let counted = Arc::clone(&inner.counted);
        let work = move |worker: &mut Worker| {
            counted.learn(worker);
            work(worker)
        };
        execute_from(builders, Box::new(guard), WorkerConfig::default(), work).map_err(Error::Worker)
    }
}

fn hooks(group: &Arc<Inner>) -> Hooks {
    let counted = Arc::clone(&group.counted);
    Hooks {
        log_fn: Arc::new(move |setup| setup.sender.then(|| counted.logger())),
        ..Hooks::default()
    }
}

/// Timely's threads at the connections. They end when all processes have ended; where one is gone they would wait for it
/// without end, and are left to the end of the process.
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
