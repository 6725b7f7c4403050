//! The step `read` of a process: its workers read units, and make a run of each part.
//!
//! Workers take units as they become free, so that a slow page or a slow store holds up one worker and no other. Where two units
//! meet in a shard, the first must end at the very record where the second begins. If it does not (a stored archive inside of
//! a record can look like the beginning of one), the second is read again from the right place. That is seen when all units of a
//! part are read; where two parts meet, when all parts are ([`Done::wrong_starts`](crate::state::done::Done::wrong_starts)).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::data::message::UnitEnds;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::plan::Part;
use crate::plan::input::Input;
use crate::read::collector::{Collected, Collector};
use crate::read::unit_reader::{Step, UnitReader};
use crate::settings::Settings;
use crate::staging::staged_file::StagedFile;
use crate::state::Durable;
use crate::state::done::ReadPart;
use crate::state::waiting::ReadUnit;
use crate::watch::{self, WorkerState, steps};
use crate::work::dealing::{Dealing, Offer};
use crate::work::running::Running;
use crate::work::task::{self, Task};

/// How long a worker waits for a store, or for something to do, before it looks again.
const NAP: Duration = Duration::from_millis(1);

/// The parts that the workers of a process read.
pub(crate) struct ReadStep {
    input: Arc<Input>,
    settings: Arc<Settings>,
    durable: Arc<Durable>,
    running: Arc<Running>,
    dealing: Arc<Dealing>,
    /// Where parts begin that are read again.
    starts: BTreeMap<Epoch, u64>,
    /// Parts that may be begun and not safe.
    most_open: usize,
    state: Mutex<ReadState>,
    changed: Condvar,
}

#[derive(Default)]
struct ReadState {
    open: BTreeMap<Epoch, OpenPart>,
    /// Units that are being read.
    reading: usize,
    /// Parts that are being made safe.
    commits: Vec<Task>,
}

/// A part that is read.
#[derive(Default)]
struct OpenPart {
    /// What was read of it before, in this number of runs of the program: each has a file of its own.
    earlier: ReadPart,
    time: u32,
    /// Units that no worker has taken, and where each begins if that is known.
    untaken: VecDeque<(u32, Option<u64>)>,
    reading: usize,
    read: BTreeMap<u32, ReadUnit>,
}

/// A unit that a worker has taken.
struct TakenUnit {
    part: Epoch,
    unit: u32,
    begin: Option<u64>,
    file: StagedFile,
}

/// The parts that are not read to their end, or not from where they begin, in order.
pub(crate) fn tasks(input: &Input, durable: &Durable) -> Vec<Epoch> {
    let (plan, done) = (&input.plan, durable.done.lock());
    let wrong = done.wrong_starts(plan);
    let parts = 0..plan.parts.len() as Epoch;
    parts
        .filter(|part| !done.has_part(*part, plan) || wrong.contains_key(part))
        .collect()
}

impl ReadStep {
    pub(crate) fn new(
        input: &Arc<Input>,
        settings: &Arc<Settings>,
        durable: &Arc<Durable>,
        running: &Arc<Running>,
        dealing: &Arc<Dealing>,
        workers: usize,
    ) -> ReadStep {
        ReadStep {
            input: Arc::clone(input),
            settings: Arc::clone(settings),
            durable: Arc::clone(durable),
            running: Arc::clone(running),
            dealing: Arc::clone(dealing),
            starts: durable.done.lock().wrong_starts(&input.plan),
            most_open: workers + 1,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Does a worker's part of the step. Returns when all parts of the process are read and safe.
    ///
    /// # Errors
    /// What is read cannot be made safe.
    pub(crate) fn run(&self, worker: usize) -> Result<(), Error> {
        self.running.progress.watch.enter(worker, steps::READ);
        let mut collector = Collector::new(&self.input, &self.settings, &self.durable.staging, &self.running);
        while let Some(taken) = self.take()? {
            let Some(read) = self.read(&taken, &mut collector)? else {
                break;
            };
            self.put(&taken, read)?;
        }
        watch::does(WorkerState::Idle, 0);
        Ok(())
    }

    /// The next unit for a worker. Waits while there is none; none when all is done, or the run is stopped.
    fn take(&self) -> Result<Option<TakenUnit>, Error> {
        let mut state = self.state.lock();
        while !self.running.is_stopped() {
            task::poll(&mut state.commits)?;
            let is_short = state.reading > 0 && self.running.memory.is_over();
            if !is_short && let Some(taken) = state.next_unit() {
                self.running.progress.watch.part_begins(taken.part);
                watch::does(WorkerState::Reading, taken.part);
                return Ok(Some(taken));
            }
            let is_full = is_short || state.open.len() + state.commits.len() >= self.most_open;
            match if is_full { Offer::Wait } else { self.dealing.take() } {
                Offer::Take(part) => {
                    state.open.insert(part, self.begin(part));
                    continue;
                }
                Offer::Done if state.open.is_empty() && state.commits.is_empty() => return Ok(None),
                Offer::Done | Offer::Wait => {}
            }
            watch::waits(is_short, state.open.keys().next().copied().unwrap_or_default());
            self.changed.wait_for(&mut state, NAP);
        }
        Ok(None)
    }

    fn begin(&self, part: Epoch) -> OpenPart {
        let earlier = self.durable.done.lock().read.get(&part).cloned();
        let earlier = earlier.unwrap_or_default();
        let mut open = OpenPart {
            time: earlier.times(),
            earlier,
            ..OpenPart::default()
        };
        let start = self.starts.get(&part).copied();
        if start.is_some() {
            open.earlier = ReadPart::default();
        }
        let units = 0..self.input.plan.units_of(part) as u32;
        let unread = units.filter(|unit| !open.earlier.units.contains_key(unit));
        open.untaken = unread.map(|unit| (unit, start.filter(|_| unit == 0))).collect();
        open
    }

    /// Reads a unit; none where the run is stopped before its end.
    fn read(&self, taken: &TakenUnit, collector: &mut Collector) -> Result<Option<ReadUnit>, Error> {
        let (input, settings, progress) = (&self.input, &self.settings, &self.running.progress);
        let unit = &input.plan.parts[taken.part as usize].units[taken.unit as usize];
        let mut reader = UnitReader::new(input, settings, progress, unit, taken.begin);
        let mut read = Vec::new();
        while !self.running.is_stopped() {
            let step = reader.step(&mut |item| read.push(item));
            progress.watch.staged(collector.push(read.drain(..), taken.file)?);
            match step {
                Step::More => watch::does(WorkerState::Reading, taken.part),
                Step::Pending => {
                    watch::does(WorkerState::WaitingForStore, taken.part);
                    std::thread::park_timeout(NAP);
                }
                Step::End => {
                    let Collected {
                        runs,
                        bytes,
                        mut left_out,
                    } = collector.end(taken.file)?;
                    progress.watch.staged(bytes);
                    let mut end = reader.finish();
                    for piece in &mut end.pieces {
                        piece.counts.left_out = left_out.remove(&piece.shard).unwrap_or_default();
                    }
                    return Ok(Some(ReadUnit { runs, end }));
                }
            }
        }
        Ok(None)
    }

    /// Takes a unit that is read, and has its part made safe if that is complete.
    fn put(&self, taken: &TakenUnit, read: ReadUnit) -> Result<(), Error> {
        let mut state = self.state.lock();
        state.reading -= 1;
        if let Some(open) = state.open.get_mut(&taken.part) {
            open.reading -= 1;
            open.read.insert(taken.unit, read);
            if open.untaken.is_empty() && open.reading == 0 {
                open.check(&self.input.plan.parts[taken.part as usize]);
            }
            if open.untaken.is_empty() && open.reading == 0 {
                let open = std::mem::take(open);
                state.open.remove(&taken.part);
                state.commits.push(self.commit(taken.part, open)?);
            }
        }
        self.changed.notify_all();
        Ok(())
    }

    fn commit(&self, part: Epoch, open: OpenPart) -> Result<Task, Error> {
        let (durable, running, input) = (
            Arc::clone(&self.durable),
            Arc::clone(&self.running),
            Arc::clone(&self.input),
        );
        Task::start(move || {
            durable.commit_part(part, open.time, open.earlier, open.read, &input.plan)?;
            let done = durable.done.lock();
            match done.has_part(part, &input.plan) {
                true => running.progress.watch.part_read(part),
                false => running.miss(done.read.get(&part).map_or(&[], |read| &read.missing)),
            }
            Ok(())
        })
    }
}

impl ReadState {
    fn next_unit(&mut self) -> Option<TakenUnit> {
        let mut open = self.open.iter_mut();
        let (&part, open) = open.find(|(_, open)| !open.untaken.is_empty())?;
        let (unit, begin) = open.untaken.pop_front()?;
        open.reading += 1;
        self.reading += 1;
        Some(TakenUnit {
            part,
            unit,
            begin,
            file: StagedFile::Units(part as u32, open.time),
        })
    }
}

impl OpenPart {
    fn ends(&self, unit: u32) -> Option<UnitEnds> {
        let read = self.read.get(&unit).and_then(|read| read.end.ends);
        read.or_else(|| self.earlier.units.get(&unit).copied())
    }

    /// Has the units read again that do not begin where those before them end.
    fn check(&mut self, plan: &Part) {
        for (unit, _) in (1..).zip(&plan.units[1..]).filter(|(_, unit)| unit.continues()) {
            let (Some(before), Some(ends)) = (self.ends(unit - 1), self.ends(unit)) else {
                continue;
            };
            if ends.first != before.next {
                // The pages of a unit that was read before are in a run with others.
                if self.read.remove(&unit).is_none() {
                    self.earlier = ReadPart::default();
                    self.read.clear();
                    self.untaken = (0..plan.units.len() as u32).map(|unit| (unit, None)).collect();
                    return;
                }
                self.untaken.push_back((unit, Some(before.next)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::message::UnitEnd;
    use crate::plan::{Plan, PlanSizes, ShardSize};

    /// A part of units over one shard.
    fn part(units: u64) -> Part {
        let shard = ShardSize {
            bytes: Some(10 * units),
            splittable: true,
            remote: false,
            captures: None,
        };
        let sizes = PlanSizes {
            unit: 10,
            ..PlanSizes::parts_of(10 * units)
        };
        Plan::new(&[shard], sizes).parts.remove(0)
    }

    /// What is read of a unit of a shard whose records begin at these offsets. By itself it takes others for records, too.
    fn read(records: &[u64], false_records: &[u64], unit: u32, begin: Option<u64>) -> ReadUnit {
        let (start, end) = (u64::from(unit) * 10, u64::from(unit) * 10 + 10);
        let looks: Vec<u64> = match begin {
            Some(_) => records.to_vec(),
            None => records.iter().chain(false_records).copied().collect(),
        };
        let from = |at: u64| looks.iter().copied().filter(|&record| record >= at).min();
        let first = begin.or(from(start)).unwrap_or(u64::MAX);
        // From its first record on it reads the records there are.
        let last = first.max(end);
        let next = records.iter().copied().find(|&record| record >= last);
        ReadUnit {
            end: UnitEnd {
                ends: Some(UnitEnds {
                    first,
                    next: next.unwrap_or(u64::MAX),
                }),
                ..UnitEnd::default()
            },
            ..ReadUnit::default()
        }
    }

    proptest! {
        #[test]
        fn each_unit_begins_where_the_one_before_ends(
            records in proptest::collection::btree_set(0u64..60, 1..20),
            false_records in proptest::collection::vec(0u64..60, 0..20),
            before in proptest::collection::btree_set(0u32..6, 0..6),
        ) {
            let records: Vec<u64> = records.into_iter().collect();
            let part = part(6);
            let mut open = OpenPart { untaken: (0..6).map(|unit| (unit, None)).collect(), ..OpenPart::default() };
            open.untaken.retain(|(unit, _)| !before.contains(unit));
            for &unit in &before {
                open.earlier.units.extend(read(&records, &false_records, unit, None).end.ends.map(|ends| (unit, ends)));
            }
            let mut rounds = 0;
            while !open.untaken.is_empty() {
                for (unit, begin) in std::mem::take(&mut open.untaken) {
                    open.read.insert(unit, read(&records, &false_records, unit, begin));
                }
                open.check(&part);
                rounds += 1;
                prop_assert!(rounds < 20, "it ends");
            }
            let ends: Vec<UnitEnds> = (0..6).map(|unit| open.ends(unit).unwrap()).collect();
            // What no unit was missing of before begins is another's to check.
            if before.len() < 6 {
                prop_assert!(ends.windows(2).all(|pair| pair[0].next == pair[1].first), "{:?}", ends);
            }
        }
    }
}
