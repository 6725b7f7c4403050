//! Makes few runs of many: of a large crawl those of some parts become one, before chunks are read from them by range. Otherwise
//! each chunk would take a request for each part.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::generic::operator::source;
use timely::dataflow::operators::probe::Handle;

use crate::Epoch;
use crate::job::Job;
use crate::plan::Plan;
use crate::runs::Layout;
use crate::steps;
use crate::watch::{self, State};

/// The parts whose runs become one.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Range<Epoch>>,
    /// Groups that workers have taken.
    taken: AtomicUsize,
}

impl Groups {
    pub(crate) fn of(plan: &Plan) -> Groups {
        Groups {
            groups: plan.groups(),
            taken: AtomicUsize::new(0),
        }
    }

    /// All groups, each with its number.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, Range<Epoch>)> {
        (0..).zip(self.groups.iter().cloned())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Of each group, how many bytes there are to sort for this process; none where it is sorted, or another's.
    pub(crate) fn own(&self, job: &Job) -> Vec<Option<u64>> {
        let bytes = |parts: Range<Epoch>| parts.map(|part| job.plan.bytes(part)).sum::<u64>();
        let sizes = self.all().map(|(group, parts)| {
            let is_open = !job.parts.is_sorted(group);
            is_open.then(|| bytes(parts))
        });
        let sizes: Vec<Option<u64>> = sizes.collect();
        let own = job.share.of(&sizes).into_iter().zip(sizes);
        own.map(|(is_own, size)| size.filter(|_| is_own)).collect()
    }
}

/// Sorts what is this process's own. Workers take groups as they become free.
pub(crate) fn sort(scope: Scope<'_, Epoch>, job: &Arc<Job>, done: &Handle<Epoch>) {
    let job = Arc::clone(job);
    let own = job.groups.own(&job);
    let watch = Arc::clone(&job.progress.watch);
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
            let number = job.groups.taken.fetch_add(1, Relaxed);
            let Some(parts) = job.groups.groups.get(number).filter(|_| !job.is_stopped()) else {
                watch::does(State::Idle, 0);
                return held = None;
            };
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
