//! Work spread over threads.

use std::sync::{Mutex, PoisonError};

/// Works through tasks on a number of threads, each with a state of its own. Which thread takes
/// which task must not matter.
pub(super) fn in_parallel<T: Send, S>(
    threads: usize,
    tasks: Vec<T>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) {
    let threads = threads.min(tasks.len());
    let queue = Mutex::new(tasks.into_iter());
    let run = || {
        let mut state = state();
        loop {
            let task = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(task) = task else { break };
            work(&mut state, task);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| {
            scope.spawn(run);
        });
        run();
    });
}
