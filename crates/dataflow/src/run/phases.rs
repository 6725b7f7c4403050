//! The phases of a build, and what its workers do in each.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use timely::communication::WorkerGuards;
use timely::dataflow::Scope;
use timely::dataflow::operators::probe::Handle;
use timely::worker::Worker;

use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::labelling::Labelling;
use crate::label::step::LabelStep;
use crate::plan::input::Input;
use crate::run::config::Phase;
use crate::run::stages;
use crate::settings::Settings;
use crate::sort;
use crate::state::Durable;
use crate::state::done::Done;
use crate::watch::steps;
use crate::work::running::Running;

/// What is done in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Read,
    Sort,
    Label,
}

/// The phases of a build. Each takes what it needs of the four values of the build.
pub(crate) struct Phases {
    pub(crate) input: Arc<Input>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) durable: Arc<Durable>,
    pub(crate) running: Arc<Running>,
    /// The phase after which the run ends.
    pub(crate) last: Phase,
    /// What is labelled, when all is read. None where planning it failed.
    labelling: OnceLock<Option<LabelStep>>,
}

impl Phases {
    pub(crate) fn new(
        input: Input,
        settings: Settings,
        durable: Durable,
        running: Running,
        last: Phase,
    ) -> Phases {
        Phases {
            input: Arc::new(input),
            settings: Arc::new(settings),
            durable: Arc::new(durable),
            running: Arc::new(running),
            last,
            labelling: OnceLock::new(),
        }
    }

    /// Reports the plan to the log and to the progress line: the phases, and how much there is to do where that is known.
    pub(crate) fn report_plan(&self, workers: usize) {
        let (Input { plan, shards, .. }, Durable { groups, share, .. }) = (&*self.input, &*self.durable);
        let (watch, units) = (&self.running.progress.watch, plan.units());
        let parts = plan.parts.len() as Epoch;
        watch.parts.store(parts, Relaxed);
        tracing::info!(shards = shards.len(), parts, units, workers, "build planned");
        let sort = (!groups.is_empty()).then_some(steps::SORT);
        let is_whole = self.last == Phase::Label;
        let label = sort.into_iter().chain([steps::LABEL]).filter(|_| is_whole);
        let finish = is_whole.then_some(steps::FINISH);
        watch.plan_phases([steps::READ].into_iter().chain(label).chain(finish));
        let seen = (0..parts).filter(|&part| share.sees(part));
        let bytes = seen.map(|part| plan.bytes(part)).sum();
        // Some sizes are unknown until the shards are read.
        let is_known = shards.iter().all(|shard| shard.size.is_some());
        if let Some(steps) = watch.steps(steps::READ).filter(|_| is_known) {
            steps.expect(bytes);
            steps.add(self.running.progress.stored_bytes.load(Relaxed));
        }
    }

    /// The phases of this run, in their order.
    pub(crate) fn works(&self) -> impl Iterator<Item = Work> + use<> {
        let last = self.last;
        let phases = [
            (Work::Read, Phase::Read, true),
            (Work::Sort, Phase::Label, !self.durable.groups.is_empty()),
            (Work::Label, Phase::Label, true),
        ];
        let wanted = phases
            .into_iter()
            .filter(move |&(_, phase, is_needed)| is_needed && phase <= last);
        wanted.map(|(work, ..)| work)
    }

    /// Runs all phases of a build that has no other processes.
    pub(crate) fn run_alone(self: &Arc<Phases>, workers: usize) -> Result<(), Error> {
        let phases = Arc::clone(self);
        // A phase is over on all workers before the next begins on any: they agree on what is missing.
        let work = move |worker: &mut Worker| {
            phases
                .works()
                .take_while(|_| phases.running.missing().is_none())
                .for_each(|work| phases.run(work, worker));
        };
        let guards = timely::execute(timely::Config::process(workers), work).map_err(Error::Worker)?;
        guards
            .join()
            .into_iter()
            .try_for_each(|outcome| outcome.map_err(Error::Worker))
    }

    /// Starts a phase on all workers.
    pub(crate) fn start(self: &Arc<Phases>, work: Work, workers: usize) -> Result<WorkerGuards<()>, Error> {
        let phases = Arc::clone(self);
        let run = move |worker: &mut Worker| phases.run(work, worker);
        timely::execute(timely::Config::process(workers), run).map_err(Error::Worker)
    }

    /// Runs a worker's part of a phase.
    fn run(&self, work: Work, worker: &mut Worker) {
        let _guard = StopOnPanic(&self.running);
        let (settings, durable, running) = (&self.settings, &self.durable, &self.running);
        match work {
            Work::Read => run_dataflow(worker, |scope, done| {
                stages::read_phase(scope, &self.input, settings, durable, running, done);
            }),
            Work::Sort => run_dataflow(worker, |scope, done| {
                sort::sort(
                    scope,
                    &self.input.plan,
                    settings.chunk_size,
                    durable,
                    running,
                    done,
                );
            }),
            Work::Label => {
                if let Some(labelling) = self.labelling(worker.peers())
                    && let Err(error) = labelling.run(worker.index())
                {
                    running.fail(error);
                }
            }
        }
    }

    /// What is labelled. The first worker to ask, when all is read, has it cut into chunks. None where that fails, which ends the
    /// build.
    fn labelling(&self, workers: usize) -> Option<&LabelStep> {
        let planned = self.labelling.get_or_init(|| {
            let labelling = Labelling::plan(&self.settings, &self.durable);
            let labelling = labelling.map_err(|error| self.running.fail(error)).ok()?;
            if let Some(steps) = self.running.progress.watch.steps(steps::LABEL) {
                steps.expect(labelling.steps());
            }
            tracing::info!(chunks = labelling.chunks.len(), "chunks planned");
            let (settings, durable, running) = (&self.settings, &self.durable, &self.running);
            Some(LabelStep::new(settings, durable, running, labelling, workers))
        });
        planned.as_ref()
    }

    /// Takes the results of other processes in a phase, from their journals.
    pub(crate) fn gather(&self, work: Work) -> Result<(), Error> {
        let durable = &*self.durable;
        match work {
            Work::Read => self.gather_parts(durable.journal.all()?),
            Work::Sort => {
                let (parts, mut done) = (&durable.parts, durable.journal.all()?);
                let others = durable.groups.all().filter(|(group, _)| !parts.is_sorted(*group));
                for (group, of_group) in others {
                    let runs = done.sorted.remove(&group).ok_or(Error::Damaged)?;
                    parts.add_sorted(group, of_group, runs);
                }
                Ok(())
            }
            Work::Label => Ok(()),
        }
    }

    fn gather_parts(&self, mut done: Done) -> Result<(), Error> {
        let Durable {
            parts, groups, share, ..
        } = &*self.durable;
        let plan = &self.input.plan;
        let groups = groups.own(plan, parts, share);
        // Where parts are sorted by groups, this process ignores the groups of others.
        let is_wanted = |part: Epoch| {
            let group = groups.get(plan.group_of(part) as usize);
            parts.is_half(part) || group.is_none_or(Option::is_some)
        };
        let others = (0..plan.parts.len() as Epoch).filter(|&part| !parts.has_part(part));
        for part in others.filter(|&part| is_wanted(part)) {
            match (done.read.remove(&part), done.half.remove(&part)) {
                (Some(read), _) => parts.add_part(part, read),
                (None, Some(half)) => self.running.miss(&half.missing),
                (None, None) => return Err(Error::Damaged),
            }
        }
        Ok(())
    }
}

/// Ends the build when a worker panics: the others would wait for it without end.
struct StopOnPanic<'a>(&'a Running);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(Error::Worker("it panicked".to_owned()));
        }
    }
}

/// Runs a dataflow until it is done on all workers, as its probe shows.
fn run_dataflow(worker: &mut Worker, plan: impl FnOnce(Scope<'_, Epoch>, &Handle<Epoch>)) {
    let done = Handle::new();
    worker.dataflow::<Epoch, _, _>(|scope| plan(scope, &done));
    worker.step_or_park_while(None, || !done.done());
}
