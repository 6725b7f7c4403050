//! Makes few runs of many: of a large crawl those of some parts become one, before chunks are read from them by range. Otherwise
//! each chunk would take a request for each part.

use std::time::Duration;

use crate::epoch::Epoch;
use crate::error::Error;
use crate::plan::Plan;
use crate::sorted_runs::Layout;
use crate::state::Durable;
use crate::watch::{self, WorkerState, steps};
use crate::work::dealing::{Dealing, Offer};
use crate::work::running::Running;

/// How long a worker waits for a group before it looks again.
const NAP: Duration = Duration::from_millis(20);

/// The groups of parts that are not sorted.
pub(crate) fn tasks(plan: &Plan, durable: &Durable) -> Vec<Epoch> {
    let done = durable.done.lock();
    let groups = 0..plan.groups() as Epoch;
    groups.filter(|group| !done.sorted.contains_key(group)).collect()
}

/// Does a worker's part of the step: it takes groups until none is left.
///
/// # Errors
/// The runs cannot be read or written.
pub(crate) fn run(
    worker: usize,
    dealing: &Dealing,
    plan: &Plan,
    chunk_size: u64,
    durable: &Durable,
    running: &Running,
) -> Result<(), Error> {
    let watch = &running.progress.watch;
    watch.enter(worker, steps::SORT);
    while !running.is_stopped() {
        match dealing.take() {
            Offer::Take(group) => {
                let parts = plan.parts_of(group);
                watch::does(WorkerState::Sorting, parts.start);
                durable.sort(group, plan, Layout::large(chunk_size))?;
                watch.step(steps::SORT, parts.map(|part| plan.bytes(part)).sum());
            }
            Offer::Wait => {
                watch::does(WorkerState::WaitingForPart, 0);
                std::thread::sleep(NAP);
            }
            Offer::Done => break,
        }
    }
    watch::does(WorkerState::Idle, 0);
    Ok(())
}
