//! Gold files, with warnings on standard error.

use gleaner_training::GoldReader;

use crate::terminal::console;

/// Reads gold files on this number of threads, or one per core.
pub(crate) fn reader(workers: Option<u16>) -> GoldReader<'static> {
    GoldReader {
        workers: threads(workers),
        warn: &console::say_once,
    }
}

/// This number of threads, or one per core.
pub(crate) fn threads(workers: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    workers.map_or_else(cores, usize::from)
}
