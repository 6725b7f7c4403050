//! Work spread over threads, and over pages.

use std::ops::Range;

use parking_lot::Mutex;

/// Works through tasks on a number of threads, each with a state of its own. Which thread takes
/// which task must not matter.
pub fn in_parallel<T: Send, S>(
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
            let task = queue.lock().next();
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

/// Pages are given to threads in portions of about this many blocks. Sums are made in portions too,
/// so that this number is part of the result.
const PORTION: usize = 4096;

/// Cuts pages, given by their numbers of blocks, into portions: each ends with the page that fills it.
pub fn portions(lengths: impl ExactSizeIterator<Item = usize>) -> Vec<Range<usize>> {
    let count = lengths.len();
    let mut portions = Vec::new();
    let (mut first, mut blocks) = (0, 0);
    for (place, length) in lengths.enumerate() {
        blocks += length;
        if blocks >= PORTION || place + 1 == count {
            portions.push(first..place + 1);
            (first, blocks) = (place + 1, 0);
        }
    }
    portions
}
