//! The same for many files at a time: the answer of a bucket takes some tens of milliseconds.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::Error;

/// Calls `of` for each item, for several at a time, and gives the results in the order of the items. Of errors, one is given.
pub(crate) fn each<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    of: impl Fn(&T) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else {
                return Ok::<_, Error>(done);
            };
            // After an error there is nothing more to do.
            let result = of(item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
            done.push((place, result));
        }
    };
    let done = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.min(items.len())).map(|_| scope.spawn(work)).collect();
        let done = threads.into_iter().map(|thread| thread.join());
        let done = done.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)));
        done.collect::<Result<Vec<_>, _>>()
    })?;
    let mut results: Vec<(usize, R)> = done.into_iter().flatten().collect();
    results.sort_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
