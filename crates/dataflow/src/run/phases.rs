//! The phases of a build, and what its workers do in each.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::labelling::Labelling;
use crate::label::step::LabelStep;
use crate::plan::input::Input;
use crate::read::step::{self as read, ReadStep};
use crate::run::config::Phase;
use crate::run::workers::Workers;
use crate::settings::Settings;
use crate::sort;
use crate::state::Durable;
use crate::watch::steps;
use crate::work::dealing::Dealing;
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
}

/// A phase that this process is in.
pub(crate) struct Step {
    pub(crate) dealing: Arc<Dealing>,
    work: StepWork,
}

enum StepWork {
    Read(ReadStep),
    Sort,
    Label(LabelStep),
}

impl Phases {
    /// Reports the plan to the log and to the progress line: the phases, and how much there is to do where that is known.
    pub(crate) fn report_plan(&self, workers: usize) {
        let Input { plan, shards, .. } = &*self.input;
        let (watch, units) = (&self.running.progress.watch, plan.units());
        let parts = plan.parts.len() as Epoch;
        watch.parts.store(parts, Relaxed);
        tracing::info!(shards = shards.len(), parts, units, workers, "build planned");
        let sort = (plan.groups() > 0).then_some(steps::SORT);
        let is_whole = self.last == Phase::Label;
        let label = sort.into_iter().chain([steps::LABEL]).filter(|_| is_whole);
        let finish = is_whole.then_some(steps::FINISH);
        watch.plan_phases([steps::READ].into_iter().chain(label).chain(finish));
        // Some sizes are unknown until the shards are read.
        if shards.iter().all(|shard| shard.size.is_some()) {
            let read = self.running.progress.stored_bytes.load(Relaxed);
            let bytes: u64 = (0..parts).map(|part| plan.bytes(part)).sum();
            watch.expect(steps::READ, read + self.share(bytes.saturating_sub(read)));
            watch.step(steps::READ, read);
        }
    }

    /// About the share of this process in some work.
    fn share(&self, steps: u64) -> u64 {
        steps.div_ceil(self.durable.processes() as u64)
    }

    /// The phase of this run after one, or the first. None at its end.
    pub(crate) fn after(&self, work: Option<Work>) -> Option<Work> {
        let (plan, running) = (&self.input.plan, &self.running);
        if running.is_stopped() || running.missing().is_some() {
            return None;
        }
        let is_read = || self.durable.done.lock().wrong_starts(plan).is_empty();
        match work {
            None => Some(Work::Read),
            Some(Work::Read) if !is_read() => Some(Work::Read),
            Some(_) if self.last == Phase::Read => None,
            Some(Work::Read) if plan.groups() > 0 => Some(Work::Sort),
            Some(Work::Read | Work::Sort) => Some(Work::Label),
            Some(Work::Label) => None,
        }
    }

    /// Runs all phases of a build that has no other processes.
    pub(crate) fn run_alone(self: &Arc<Phases>, workers: usize) -> Result<(), Error> {
        let mut own = self.workers(workers)?;
        let mut work = self.after(None);
        while let Some(now) = work {
            own.begin(&Arc::new(self.begin(now, workers)?));
            own.wait();
            work = self.after(Some(now));
        }
        Ok(())
    }

    /// Starts the workers of this process.
    pub(crate) fn workers(self: &Arc<Phases>, workers: usize) -> Result<Workers<Step>, Error> {
        let phases = Arc::clone(self);
        Workers::start(workers, &self.running, move |step: &Step, worker| {
            phases.work(step, worker)
        })
    }

    /// Takes in what the others have done in a phase, from their journals.
    pub(crate) fn gather(&self) -> Result<(), Error> {
        self.durable.gather()?;
        let done = self.durable.done.lock();
        let half = |(part, _): &(&Epoch, _)| !done.has_part(**part, &self.input.plan);
        let half = done.read.iter().filter(half);
        half.for_each(|(_, read)| self.running.miss(&read.missing));
        Ok(())
    }

    /// Begins a phase: finds its tasks.
    pub(crate) fn begin(&self, work: Work, workers: usize) -> Result<Step, Error> {
        let (input, settings, durable, running) = (&self.input, &self.settings, &self.durable, &self.running);
        let (plan, watch) = (&input.plan, &running.progress.watch);
        Ok(match work {
            Work::Read => {
                let dealing = Arc::new(durable.deal(read::tasks(input, durable)));
                let step = ReadStep::new(input, settings, durable, running, &dealing, workers);
                Step {
                    dealing,
                    work: StepWork::Read(step),
                }
            }
            Work::Sort => {
                let tasks = sort::tasks(plan, durable);
                let parts = tasks.iter().flat_map(|&group| plan.parts_of(group));
                watch.expect(steps::SORT, self.share(parts.map(|part| plan.bytes(part)).sum()));
                Step {
                    dealing: Arc::new(durable.deal(tasks)),
                    work: StepWork::Sort,
                }
            }
            Work::Label => {
                let labelling = Labelling::plan(settings, durable, input)?;
                let tasks = labelling.tasks(durable);
                watch.expect(steps::LABEL, self.share(labelling.steps(&tasks)));
                tracing::info!(chunks = labelling.chunks.len(), "chunks planned");
                let dealing = Arc::new(durable.deal(tasks));
                let step = LabelStep::new(settings, durable, running, labelling, &dealing, workers);
                Step {
                    dealing,
                    work: StepWork::Label(step),
                }
            }
        })
    }

    /// Does a worker's part of a phase.
    fn work(&self, step: &Step, worker: usize) -> Result<(), Error> {
        match &step.work {
            StepWork::Read(step) => step.run(worker),
            StepWork::Label(step) => step.run(worker),
            StepWork::Sort => sort::run(
                worker,
                &step.dealing,
                &self.input.plan,
                self.settings.chunk_size,
                &self.durable,
                &self.running,
            ),
        }
    }
}
