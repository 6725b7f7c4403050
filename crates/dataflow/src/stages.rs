//! The stages of a build as timely operators. Each only buffers, waits and hands over; the work
//! is done by plain functions elsewhere in this crate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::{Exchange, Pipeline};
use timely::dataflow::operators::core::{Map, OkErr};
use timely::dataflow::operators::generic::operator::source;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Capability, Concatenate, Operator, Probe};
use timely::dataflow::{Scope, StreamVec};

use gleaner_corpus::Unread;
use gleaner_document::Cleaner;

use crate::Epoch;
use crate::backlog::Backlog;
use crate::chunk_reader::{ChunkReader, Ready};
use crate::cluster::Told;
use crate::collect::Collector;
use crate::duplicates::DocumentSigner;
use crate::error::Error;
use crate::evidence::Answer;
use crate::job::Job;
use crate::label;
use crate::labelling::Labelling;
use crate::ledger::{Assignment, Ledger, Offer, Order};
use crate::message::{Entry, Place, Scored};
use crate::order::Sequencer;
use crate::read::{Read, Step, UnitReader, UnitSteps};
use crate::steps;
use crate::task::Task;
use crate::watch::{self, State};
use crate::write::{ChunkWriter, Closing};

/// A stream of the build, by epoch.
pub(crate) type Pipe<'scope, D> = StreamVec<'scope, Epoch, D>;

/// A stream of things that know their place in the corpus.
pub(crate) type Placed<'scope, D> = Pipe<'scope, (Place, D)>;

/// How long an operator that can do nothing sleeps before it looks again.
const NAP: Duration = Duration::from_millis(1);

/// From the input to pages that wait for their sites, sorted: a line a stage.
pub(crate) fn extract_phase(scope: Scope<'_, Epoch>, job: &Arc<Job>, committed: &Handle<Epoch>) {
    let ends = collect(read(scope, job, committed), job);
    accept(ends, Arc::clone(job)).probe_with(committed);
}

/// From pages that waited, and the evidence of their sites, to tables.
pub(crate) fn label_phase(
    scope: Scope<'_, Epoch>,
    job: &Arc<Job>,
    labelling: &Arc<Labelling>,
    committed: &Handle<Epoch>,
) {
    let (pages, done) = apart(chunks(scope, job, labelling, committed));
    let rows = label(
        pages,
        (job.cleaner.clone(), job.signer.clone()),
        job.backlog.clone(),
    );
    let entries = scope.concatenate([rows, done]);
    write(entries, Arc::clone(job), Arc::clone(&labelling.ledger)).probe_with(committed);
}

/// Reads units: captures, and between them the entries that need no further work (where units
/// begin and end, damage).
fn read<'scope>(
    scope: Scope<'scope, Epoch>,
    job: &Arc<Job>,
    committed: &Handle<Epoch>,
) -> Placed<'scope, Read> {
    let of_unit = {
        let job = Arc::clone(job);
        move |assignment| UnitReader::new(&job, assignment)
    };
    units(
        scope,
        ("read", steps::EXTRACT, State::Reading),
        (Arc::clone(job), Arc::clone(&job.reading)),
        Order::OneByOne,
        committed,
        of_unit,
    )
}

/// Reads the units of chunks. No chunk waits for another.
fn chunks<'scope>(
    scope: Scope<'scope, Epoch>,
    job: &Arc<Job>,
    labelling: &Arc<Labelling>,
    committed: &Handle<Epoch>,
) -> Placed<'scope, Ready> {
    let of_unit = {
        let (job, labelling) = (Arc::clone(job), Arc::clone(labelling));
        move |assignment| ChunkReader::new(&job, &labelling, assignment)
    };
    let apart = Order::Apart {
        worker: scope.index(),
        workers: scope.peers(),
    };
    units(
        scope,
        ("chunks", steps::LABEL, State::Labelling),
        (Arc::clone(job), Arc::clone(&labelling.ledger)),
        apart,
        committed,
        of_unit,
    )
}

/// Takes units from a ledger and reads them. A unit is taken only while its epoch is less than
/// [`Job::epochs_in_flight`] parts ahead of what the probe says is committed.
fn units<'scope, U: UnitSteps + 'static>(
    scope: Scope<'scope, Epoch>,
    (name, phase, working): (&str, &'static str, State),
    (job, ledger): (Arc<Job>, Arc<Ledger>),
    order: Order,
    committed: &Handle<Epoch>,
    of_unit: impl Fn(Assignment) -> U + 'static,
) -> Placed<'scope, U::Item>
where
    U::Item: Send + 'static,
{
    let committed = committed.clone();
    let watch = Arc::clone(&job.progress.watch);
    watch.enter(scope.index(), phase);
    source::<_, CapacityContainerBuilder<Vec<(Place, U::Item)>>, _, _>(scope, name, |capability, info| {
        let activator = scope.activator_for(info.address);
        let mut held = Some(capability);
        let mut unit: Option<U> = None;
        move |output| {
            let Some(capability) = held.as_mut() else { return };
            if job.is_stopped() {
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
                let is_short = job.memory.is_over();
                match ledger.take(ledger.limit(next, job.epochs_in_flight), is_short, order) {
                    Offer::Take(assignment) => {
                        watch.part_begins(assignment.epoch);
                        watch::does(working, assignment.epoch);
                        unit = Some(of_unit(assignment));
                    }
                    Offer::Wait => {
                        let waits = match is_short {
                            true => State::WaitingForMemory,
                            false => State::WaitingForPart,
                        };
                        watch::does(waits, ledger.frontier().unwrap_or_default());
                        return activator.activate_after(NAP);
                    }
                    Offer::Done => {
                        watch::does(State::Idle, 0);
                        return held = None;
                    }
                }
            }
            let Some(reader) = &mut unit else { return };
            let epoch = reader.epoch();
            let key = (epoch, reader.unit());
            if !job.backlog.has_room(key, || ledger.is_next(key, order)) {
                watch::does(State::WaitingForMemory, epoch);
                return activator.activate_after(NAP);
            }
            let capability = capability.delayed(&epoch);
            let mut session = output.session(&capability);
            let step = reader.step(&mut |place, item| session.give((place, item)));
            match step {
                Step::More => {
                    watch::does(working, epoch);
                    activator.activate();
                }
                Step::Pending => {
                    watch::does(State::WaitingForStore, epoch);
                    activator.activate_after(NAP);
                }
                Step::End => {
                    unit = None;
                    activator.activate();
                }
            }
        }
    })
}

/// Pages, and beside them what needs no further work.
fn apart<'scope>(read: Placed<'scope, Ready>) -> (Placed<'scope, WithAnswer>, Placed<'scope, Entry>) {
    read.ok_err(|(place, item)| match item {
        Ready::Page(page, answer) => Ok((place, (page, answer))),
        Ready::Entry(entry) => Err((place, entry)),
    })
}

/// Extracts and scores what is read, and has it wait. Gives where units begin and end.
fn collect<'scope>(read: Placed<'scope, Read>, job: &Arc<Job>) -> Placed<'scope, Entry> {
    let mut collector = Collector::new(job);
    read.unary::<CapacityContainerBuilder<Vec<_>>, _, _, _>(Pipeline, "collect", move |_, _| {
        move |input, output| {
            input.for_each_time(|time, read| {
                let mut session = output.session(&time);
                collector.push(read.flat_map(|batch| batch.drain(..)), |told| session.give(told));
            });
        }
    })
}

/// Checks the seams of units, and says which of them count. Gives nothing, when an epoch is through and
/// what it read is safe.
fn accept<'scope>(ends: Placed<'scope, Entry>, job: Arc<Job>) -> Pipe<'scope, ()> {
    let scope = ends.scope();
    let reading = Arc::clone(&job.reading);
    let by_part = Exchange::new(move |(place, _): &(Place, Entry)| reading.turn(place.epoch));
    ends.unary_frontier::<CapacityContainerBuilder<Vec<()>>, _, _, _>(by_part, "accept", move |_, info| {
        let activator = scope.activator_for(info.address);
        let mut open: BTreeMap<Epoch, (Capability<Epoch>, PartEnds)> = BTreeMap::new();
        let mut closing: Vec<(Capability<Epoch>, Task)> = Vec::new();
        move |(input, frontier), output| {
            input.for_each_time(|time, batches| {
                let epoch = *time.time();
                let begun = || (time.retain(output.output_index()), PartEnds::new(&job, epoch));
                let (_, part) = open.entry(epoch).or_insert_with(begun);
                batches
                    .flat_map(|batch| batch.drain(..))
                    .for_each(|(place, entry)| part.order.push(place, entry));
            });
            if job.is_stopped() {
                closing.clear();
                return open.clear();
            }
            open.values_mut().for_each(|(_, part)| part.advance(&job));
            while let Some(first) = open.first_entry() {
                if frontier.less_equal(first.key()) {
                    break;
                }
                let epoch = *first.key();
                let (capability, part) = first.remove();
                match commit_read(&job, epoch, part) {
                    Ok(task) => closing.push((capability, task)),
                    Err(error) => job.fail(error),
                }
            }
            closing.retain_mut(|(_, task)| !task.poll().unwrap_or_else(|error| job.failed(error)));
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
    fn new(job: &Job, epoch: Epoch) -> PartEnds {
        PartEnds {
            order: Sequencer::new(epoch, job.parts.units_read(epoch)),
            missing: Vec::new(),
            is_half: false,
        }
    }

    fn advance(&mut self, job: &Job) {
        while let Some((place, entry)) = self.order.next(&job.seams, &job.reading) {
            let Entry::End(end) = entry else { continue };
            job.parts.accept(place, !end.is_lost);
            self.missing.extend(end.missing);
            self.is_half |= end.is_lost;
            job.reading.wrote(place.epoch);
        }
    }
}

/// Commits a part that is read, or what of it is.
fn commit_read(job: &Arc<Job>, epoch: Epoch, mut part: PartEnds) -> Result<Task, Error> {
    if !part.order.is_empty() {
        return Err(Error::Worker(format!("units of part {epoch} were left over")));
    }
    let job = Arc::clone(job);
    Task::start(move || {
        let seams = part.order.closed();
        if part.is_half {
            job.miss(&part.missing);
            job.share.tell(Told::Half(epoch));
            return job.parts.commit_half(&job.log, epoch, seams, part.missing);
        }
        let sums = job.parts.commit(&job.log, epoch, seams)?;
        job.add_to_summary(&sums);
        job.progress.watch.part_read(epoch);
        Ok(())
    })
}

/// A page with what its site says of it.
type WithAnswer = (Box<Scored>, Option<Answer>);

/// Label phase: scores, and what sites say, to labels, text and rows.
fn label<'scope>(
    pages: Placed<'scope, WithAnswer>,
    (mut cleaner, mut signer): (Cleaner, Option<DocumentSigner>),
    backlog: Backlog,
) -> Placed<'scope, Entry> {
    pages.map(move |(place, (page, answer))| {
        let mut labelled = label::label(&mut cleaner, *page, answer.as_ref());
        let text = &labelled.document.text;
        labelled.signed = signer.as_mut().map(|signer| signer.sign(text));
        labelled.held = Some(backlog.hold((place.epoch, place.unit), labelled.bytes()));
        (place, Entry::Document(Box::new(labelled)))
    })
}

/// Writes the tables, a worker a chunk, and commits a chunk when its epoch has passed. Gives nothing, when all of
/// it is safe.
fn write<'scope>(entries: Placed<'scope, Entry>, job: Arc<Job>, ledger: Arc<Ledger>) -> Pipe<'scope, ()> {
    let scope = entries.scope();
    let writing = Arc::clone(&ledger);
    let by_chunk = Exchange::new(move |(place, _): &(Place, Entry)| writing.turn(place.epoch));
    entries.unary_frontier::<CapacityContainerBuilder<Vec<()>>, _, _, _>(by_chunk, "write", move |_, info| {
        let activator = scope.activator_for(info.address);
        let mut open: BTreeMap<Epoch, (Capability<Epoch>, ChunkWriter)> = BTreeMap::new();
        let mut closing: Vec<(Capability<Epoch>, Closing)> = Vec::new();
        move |(input, frontier), output| {
            input.for_each_time(|time, batches| {
                let (_, chunk) = open.entry(*time.time()).or_insert_with(|| {
                    (
                        time.retain(output.output_index()),
                        ChunkWriter::new(&job, &ledger, *time.time()),
                    )
                });
                batches
                    .flat_map(|batch| batch.drain(..))
                    .for_each(|(place, entry)| chunk.push(place, entry));
            });
            if job.is_stopped() {
                open.clear();
                closing.clear();
                return;
            }
            open.values_mut().for_each(|(_, chunk)| chunk.advance());
            while let Some(first) = open.first_entry() {
                if frontier.less_equal(first.key()) {
                    break;
                }
                let (capability, chunk) = first.remove();
                closing.extend(chunk.close().map(|files| (capability, files)));
            }
            closing.retain_mut(|(_, files)| !files.poll());
            if !open.is_empty() || !closing.is_empty() {
                activator.activate_after(NAP);
            }
        }
    })
}
