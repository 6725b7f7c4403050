//! The phases of a build, and what its workers do in each.

use std::sync::Arc;

use timely::communication::WorkerGuards;
use timely::dataflow::Scope;
use timely::dataflow::operators::probe::Handle;
use timely::worker::Worker;

use crate::error::Error;
use crate::job::Job;
use crate::{Epoch, Phase, sort, stages};

/// What is done in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Extract,
    Sort,
    Label,
}

impl Work {
    /// The phases of a build, as far as it is to go.
    pub(crate) fn of(job: &Job) -> impl Iterator<Item = Work> + use<> {
        let last = job.last;
        let phases = [
            (Work::Extract, Phase::Extract, true),
            (Work::Sort, Phase::Label, !job.groups.is_empty()),
            (Work::Label, Phase::Label, true),
        ];
        let wanted = phases
            .into_iter()
            .filter(move |&(_, phase, is_needed)| is_needed && phase <= last);
        wanted.map(|(work, ..)| work)
    }

    /// Has workers begin with it.
    pub(crate) fn start(self, job: &Arc<Job>, workers: usize) -> Result<WorkerGuards<()>, Error> {
        let job = Arc::clone(job);
        let work = move |worker: &mut Worker| self.run(worker, &job);
        timely::execute(timely::Config::process(workers), work).map_err(Error::Worker)
    }

    /// Does a worker's part of it.
    pub(crate) fn run(self, worker: &mut Worker, job: &Arc<Job>) {
        let _guard = StopOnPanic(job);
        match self {
            Work::Extract => phase(worker, |scope, done| stages::extract_phase(scope, job, done)),
            Work::Sort => phase(worker, |scope, done| sort::sort(scope, job, done)),
            Work::Label => {
                if let Some(labelling) = job.labelling() {
                    phase(worker, |scope, done| {
                        stages::label_phase(scope, job, labelling, done);
                    });
                }
            }
        }
    }

    /// Takes in what other processes have found out in it.
    pub(crate) fn gather(self, job: &Job) -> Result<(), Error> {
        match self {
            Work::Extract => gather_parts(job),
            Work::Sort => gather_groups(job),
            Work::Label => Ok(()),
        }
    }
}

fn gather_groups(job: &Job) -> Result<(), Error> {
    let mut others = job.groups.all().filter(|(group, _)| !job.parts.is_sorted(*group));
    others.try_for_each(|(group, parts)| {
        job.parts.add_sorted(group, parts, job.log.sorted(group)?);
        Ok(())
    })
}

fn gather_parts(job: &Job) -> Result<(), Error> {
    let groups = job.groups.own(&job.plan, &job.parts, &job.share);
    // Where parts are sorted by groups, those of others are no matter of this process.
    let is_wanted = |part: Epoch| {
        let group = groups.get(job.plan.group_of(part) as usize);
        job.parts.is_half(part) || group.is_none_or(Option::is_some)
    };
    let others = (0..job.plan.parts.len() as Epoch).filter(|&part| !job.parts.has_part(part));
    let mut others = others.filter(|&part| is_wanted(part));
    others.try_for_each(|part| {
        match job.log.read_again(part)? {
            Ok(read) => job.parts.add_part(part, read),
            Err(missing) => job.miss(&missing),
        }
        Ok(())
    })
}

/// Ends the build where a worker panics: the others would wait for it without end.
struct StopOnPanic<'a>(&'a Job);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(Error::Worker("it panicked".to_owned()));
        }
    }
}

/// Runs all phases of a build that has no other processes.
pub(crate) fn alone(job: &Arc<Job>, workers: usize) -> Result<(), Error> {
    let shared = Arc::clone(job);
    // A phase is over on all workers before the next begins on any: they agree on what is missing.
    let work = move |worker: &mut Worker| {
        Work::of(&shared)
            .take_while(|_| shared.missing().is_none())
            .for_each(|work| work.run(worker, &shared));
    };
    let guards = timely::execute(timely::Config::process(workers), work).map_err(Error::Worker)?;
    guards
        .join()
        .into_iter()
        .try_for_each(|outcome| outcome.map_err(Error::Worker))
}

/// Runs a dataflow until it is done on all workers. It tells so by the handle.
pub(crate) fn phase(worker: &mut Worker, plan: impl FnOnce(Scope<'_, Epoch>, &Handle<Epoch>)) {
    let done = Handle::new();
    worker.dataflow::<Epoch, _, _>(|scope| plan(scope, &done));
    worker.step_or_park_while(None, || !done.done());
}
