//! The stages of a build as timely operators. Each only buffers, waits and hands over; the work
//! is done by plain functions elsewhere in this crate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::{Exchange, Pipeline};
use timely::dataflow::operators::generic::operator;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Capability, Operator, Probe};
use timely::dataflow::{Scope, StreamVec};

use gleaner_corpus::Unread;

use crate::data::message::{Entry, EntryPlace, Notice};
use crate::epoch::Epoch;
use crate::error::Error;
use crate::plan::input::Input;
use crate::read::collector::Collector;
use crate::read::unit_reader::{Read, Step, UnitReader};
use crate::settings::Settings;
use crate::state::Durable;
use crate::state::parts::Parts;
use crate::watch::steps;
use crate::watch::{self, WorkerState};
use crate::work::ledger::Offer;
use crate::work::order::Sequencer;
use crate::work::running::Running;
use crate::work::task::Task;

/// A stream of the build, by epoch.
pub(crate) type Pipe<'scope, D> = StreamVec<'scope, Epoch, D>;

/// A stream of things that know their place in the corpus.
pub(crate) type Placed<'scope, D> = Pipe<'scope, (EntryPlace, D)>;

/// How long an operator that can do nothing sleeps before it looks again.
const NAP: Duration = Duration::from_millis(1);

/// From the input to pages that wait for their sites, in sorted runs.
pub(crate) fn read_phase(
    scope: Scope<'_, Epoch>,
    input: &Arc<Input>,
    settings: &Arc<Settings>,
    durable: &Arc<Durable>,
    running: &Arc<Running>,
    committed: &Handle<Epoch>,
) {
    let read = read(scope, input, settings, running, committed);
    let ends = collect(read, Collector::new(settings, durable, running));
    accept(ends, durable, running).probe_with(committed);
}

/// Reads units: captures, and between them the entries that need no further work (where units begin and end, damage). A unit is
/// taken only while its epoch is less than [`Settings::epochs_in_flight`] parts ahead of what is committed by the probe.
fn read<'scope>(
    scope: Scope<'scope, Epoch>,
    input: &Arc<Input>,
    settings: &Arc<Settings>,
    running: &Arc<Running>,
    committed: &Handle<Epoch>,
) -> Placed<'scope, Read> {
    let (input, settings) = (Arc::clone(input), Arc::clone(settings));
    let (committed, running) = (committed.clone(), Arc::clone(running));
    let (watch, ledger) = (Arc::clone(&running.progress.watch), Arc::clone(&running.reading));
    watch.enter(scope.index(), steps::READ);
    operator::source::<_, CapacityContainerBuilder<Vec<(EntryPlace, Read)>>, _, _>(
        scope,
        "read",
        |capability, info| {
            let activator = scope.activator_for(info.address);
            let mut held = Some(capability);
            let mut unit: Option<UnitReader> = None;
            move |output| {
                let Some(capability) = held.as_mut() else { return };
                if running.is_stopped() {
                    (held, unit) = (None, None);
                    return;
                }
                if unit.is_none() {
                    // What is written to its end needs no place held for it any more.
                    if let Some(low) = ledger.frontier() {
                        capability.downgrade(&low);
                    }
                    let next =
                        committed.with_frontier(|frontier| frontier.first().copied().unwrap_or(Epoch::MAX));
                    let is_short = running.memory.is_over();
                    match ledger.take(ledger.limit(next, settings.epochs_in_flight), is_short) {
                        Offer::Take(assignment) => {
                            watch.part_begins(assignment.epoch);
                            watch::does(WorkerState::Reading, assignment.epoch);
                            unit = Some(UnitReader::new(&input, &settings, &running.progress, assignment));
                        }
                        Offer::Wait => {
                            let waits = match is_short {
                                true => WorkerState::WaitingForMemory,
                                false => WorkerState::WaitingForPart,
                            };
                            watch::does(waits, ledger.frontier().unwrap_or_default());
                            return activator.activate_after(NAP);
                        }
                        Offer::Done => {
                            watch::does(WorkerState::Idle, 0);
                            return held = None;
                        }
                    }
                }
                let Some(reader) = &mut unit else { return };
                let epoch = reader.epoch();
                let capability = capability.delayed(&epoch);
                let mut session = output.session(&capability);
                let step = reader.step(&mut |place, item| session.give((place, item)));
                match step {
                    Step::More => {
                        watch::does(WorkerState::Reading, epoch);
                        activator.activate();
                    }
                    Step::Pending => {
                        watch::does(WorkerState::WaitingForStore, epoch);
                        activator.activate_after(NAP);
                    }
                    Step::End => {
                        unit = None;
                        activator.activate();
                    }
                }
            }
        },
    )
}

/// Extracts and scores what is read, and has it wait. Gives where units begin and end.
fn collect(read: Placed<'_, Read>, mut collector: Collector) -> Placed<'_, Entry> {
    read.unary::<CapacityContainerBuilder<Vec<_>>, _, _, _>(Pipeline, "collect", move |_, _| {
        move |input, output| {
            input.for_each_time(|time, read| {
                let mut session = output.session(&time);
                collector.push(read.flat_map(|batch| batch.drain(..)), |entry| {
                    session.give(entry)
                });
            });
        }
    })
}

/// Checks the seams of units, and says which of them count. Gives nothing, when an epoch is through and
/// what it read is safe.
fn accept<'scope>(
    ends: Placed<'scope, Entry>,
    durable: &Arc<Durable>,
    running: &Arc<Running>,
) -> Pipe<'scope, ()> {
    let scope = ends.scope();
    let (durable, running) = (Arc::clone(durable), Arc::clone(running));
    let reading = Arc::clone(&running.reading);
    let by_part = Exchange::new(move |(place, _): &(EntryPlace, Entry)| reading.turn(place.epoch));
    ends.unary_frontier::<CapacityContainerBuilder<Vec<()>>, _, _, _>(by_part, "accept", move |_, info| {
        let activator = scope.activator_for(info.address);
        let mut open: BTreeMap<Epoch, (Capability<Epoch>, PartEnds)> = BTreeMap::new();
        let mut closing: Vec<(Capability<Epoch>, Task)> = Vec::new();
        move |(input, frontier), output| {
            input.for_each_time(|time, batches| {
                let epoch = *time.time();
                let begun = || {
                    (
                        time.retain(output.output_index()),
                        PartEnds::new(&durable.parts, epoch),
                    )
                };
                let (_, part) = open.entry(epoch).or_insert_with(begun);
                batches
                    .flat_map(|batch| batch.drain(..))
                    .for_each(|(place, entry)| part.order.push(place, entry));
            });
            if running.is_stopped() {
                closing.clear();
                return open.clear();
            }
            open.values_mut()
                .for_each(|(_, part)| part.advance(&durable.parts, &running));
            while let Some(first) = open.first_entry() {
                if frontier.less_equal(first.key()) {
                    break;
                }
                let epoch = *first.key();
                let (capability, part) = first.remove();
                match commit_read(&durable, &running, epoch, part) {
                    Ok(task) => closing.push((capability, task)),
                    Err(error) => running.fail(error),
                }
            }
            closing.retain_mut(|(_, task)| !task.poll().unwrap_or_else(|error| running.failed(error)));
            if !open.is_empty() || !closing.is_empty() {
                activator.activate_after(NAP);
            }
        }
    })
}

/// Where the units of a part begin and end, while it is read.
struct PartEnds {
    order: Sequencer,
    /// Inputs that could not be read; none where only a unit of another part knows them.
    missing: Vec<Unread>,
    /// Whether some of its units do not count.
    is_half: bool,
}

impl PartEnds {
    fn new(parts: &Parts, epoch: Epoch) -> PartEnds {
        PartEnds {
            order: Sequencer::new(epoch, parts.units_read(epoch)),
            missing: Vec::new(),
            is_half: false,
        }
    }

    fn advance(&mut self, parts: &Parts, running: &Running) {
        while let Some((place, entry)) = self.order.next(&running.seams, &running.reading) {
            let Entry::End(end) = entry else { continue };
            parts.accept(place, !end.is_lost);
            self.missing.extend(end.missing);
            self.is_half |= end.is_lost;
            running.reading.wrote(place.epoch);
        }
    }
}

/// Commits a part, or the units of it that are read.
fn commit_read(
    durable: &Arc<Durable>,
    running: &Arc<Running>,
    epoch: Epoch,
    mut part: PartEnds,
) -> Result<Task, Error> {
    if !part.order.is_empty() {
        return Err(Error::Worker(format!("units of part {epoch} were left over")));
    }
    let (durable, running) = (Arc::clone(durable), Arc::clone(running));
    Task::start(move || {
        let Durable {
            parts,
            journal,
            share,
            ..
        } = &*durable;
        let seams = part.order.closed();
        if part.is_half {
            running.miss(&part.missing);
            share.report(Notice::Half(epoch));
            return parts.commit_half(journal, epoch, seams, part.missing);
        }
        let sums = parts.commit(journal, epoch, seams)?;
        running.add_to_summary(&sums);
        running.progress.watch.part_read(epoch);
        Ok(())
    })
}
