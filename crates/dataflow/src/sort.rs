//! Makes few runs of many: of a large crawl those of some parts become one, before chunks are read from them by range. Otherwise
//! each chunk would take a request for each part.

use std::sync::Arc;

use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::generic::operator::source;
use timely::dataflow::operators::probe::Handle;

use crate::Epoch;
use crate::job::Job;
use crate::runs::Layout;
use crate::steps;
use crate::watch::{self, State};

/// Sorts what is this process's own. Workers take groups as they become free.
pub(crate) fn sort(scope: Scope<'_, Epoch>, job: &Arc<Job>, done: &Handle<Epoch>) {
    let job = Arc::clone(job);
    let watch = Arc::clone(&job.progress.watch);
    let own = job.groups.own(&job.plan, &job.parts, &job.share);
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
            let Some((number, parts)) = job.groups.take().filter(|_| !job.is_stopped()) else {
                watch::does(State::Idle, 0);
                return held = None;
            };
            let own = job.groups.own(&job.plan, &job.parts, &job.share);
            if let Some(bytes) = own[number] {
                watch::does(State::Sorting, parts.start);
                let layout = Layout::large(job.chunk_size);
                if let Err(error) = job.parts.sort(&job.log, number as u32, parts.clone(), layout) {
                    job.fail(error);
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
