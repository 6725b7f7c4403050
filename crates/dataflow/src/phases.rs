//! The phases of a build, and what its workers do in each.

use std::sync::Arc;

use timely::communication::WorkerGuards;
use timely::dataflow::Scope;
use timely::dataflow::operators::probe::Handle;
use timely::worker::Worker;

use crate::error::Error;
use crate::job::Job;
use crate::{Epoch, Phase, mine, stages};

/// What is done in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// All there is to do, where sites are not heard.
    InOneGo,
    Extract,
    Mine,
    Label,
}

impl Work {
    /// The phases of a build, as far as it is to go.
    pub(crate) fn of(job: &Job) -> impl Iterator<Item = Work> + use<> {
        let last = job.last;
        let phases = match job.stage {
            None => [(Work::InOneGo, Phase::Extract)].as_slice(),
            Some(_) => &[
                (Work::Extract, Phase::Extract),
                (Work::Mine, Phase::Mine),
                (Work::Label, Phase::Label),
            ],
        };
        let wanted = phases.iter().filter(move |(_, phase)| *phase <= last);
        wanted.map(|(work, _)| *work)
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
        match (self, &job.stage) {
            (Work::Extract, Some(stage)) => {
                phase(worker, |scope, done| {
                    stages::extract_phase(scope, job, stage, done)
                });
            }
            (Work::Mine, Some(stage)) => mine::phase(worker, job, stage),
            (Work::Label, Some(stage)) => {
                phase(worker, |scope, done| stages::label_phase(scope, job, stage, done));
            }
            _ => phase(worker, |scope, done| stages::in_one_go(scope, job, done)),
        }
    }

    /// Takes in what other processes have found out in it.
    pub(crate) fn gather(self, job: &Job) -> Result<(), Error> {
        match (self, &job.stage) {
            (Work::Extract, Some(stage)) => {
                let mut others = (0..job.plan.parts.len() as Epoch).filter(|part| !stage.has_part(*part));
                others.try_for_each(|part| {
                    match job.log.read_again(part)? {
                        Ok(read) => stage.add_part(part, read),
                        Err(missing) => job.miss(&missing),
                    }
                    Ok(())
                })
            }
            (Work::Mine, Some(stage)) => {
                let mut others = (0..mine::count(stage)).filter(|group| !job.mining.has(*group));
                others.try_for_each(|number| {
                    let group = job.log.mined(number)?;
                    stage.add_answers(&group.answers);
                    job.mining.done(number, group.rows);
                    Ok(())
                })
            }
            (Work::InOneGo, _) => {
                let mut others = (0..job.plan.parts.len() as Epoch).filter(|part| !job.share.has(*part));
                others.try_for_each(|part| {
                    if let Some(missing) = job.log.unwritten(part)? {
                        job.miss(&missing);
                    }
                    Ok(())
                })
            }
            _ => Ok(()),
        }
    }
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
