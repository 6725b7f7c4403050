//! Makes few runs of many: of a large crawl those of some parts become one, before chunks are read from them by range. Otherwise
//! each chunk would take a request for each part.

use std::sync::Arc;

use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::generic::operator::source;
use timely::dataflow::operators::probe::Handle;

use crate::epoch::Epoch;
use crate::plan::Plan;
use crate::sorted_runs::Layout;
use crate::state::Durable;
use crate::watch::steps;
use crate::watch::{self, WorkerState};
use crate::work::running::Running;

/// Sorts the groups of this process. Workers take them as they become free.
pub(crate) fn sort(
    scope: Scope<'_, Epoch>,
    plan: &Plan,
    chunk_size: u64,
    durable: &Arc<Durable>,
    running: &Arc<Running>,
    done: &Handle<Epoch>,
) {
    let (durable, running) = (Arc::clone(durable), Arc::clone(running));
    let watch = Arc::clone(&running.progress.watch);
    let own = durable.groups.own(plan, &durable.parts, &durable.share).to_vec();
    if let Some(steps) = watch.steps(steps::SORT) {
        steps.expect(own.iter().flatten().sum());
    }
    watch.enter(scope.index(), steps::SORT);
    source::<_, CapacityContainerBuilder<Vec<()>>, _, _>(scope, "sort", |capability, info| {
        let activator = scope.activator_for(info.address);
        let mut held = Some(capability);
        move |_| {
            if held.is_none() {
                return;
            }
            let Durable {
                groups,
                parts,
                journal,
                ..
            } = &*durable;
            let Some((number, of_group)) = groups.take().filter(|_| !running.is_stopped()) else {
                watch::does(WorkerState::Idle, 0);
                return held = None;
            };
            if let Some(bytes) = own[number] {
                watch::does(WorkerState::Sorting, of_group.start);
                let layout = Layout::large(chunk_size);
                if let Err(error) = parts.sort(journal, number as u32, of_group.clone(), layout) {
                    running.fail(error);
                }
                if let Some(steps) = watch.steps(steps::SORT) {
                    steps.add(bytes);
                }
            }
            activator.activate();
        }
    })
    .probe_with(done);
}
