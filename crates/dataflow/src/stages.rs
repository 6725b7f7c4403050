//! The stages of a build as timely operators. Each only buffers, waits and hands over; the work
//! is done by plain functions elsewhere in this crate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use differential_dataflow::AsCollection;
use differential_dataflow::operators::CountTotal;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::{Exchange, Pipeline};
use timely::dataflow::operators::core::{Map, OkErr};
use timely::dataflow::operators::generic::operator::source;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Capability, Operator};
use timely::dataflow::{Scope, StreamVec};

use crate::Epoch;
use crate::extract::PageExtractor;
use crate::job::Job;
use crate::label::Labeller;
use crate::ledger::Offer;
use crate::message::{Capture, Entry, Extracted, Place};
use crate::read::{Read, Step, UnitReader};
use crate::sites::{SiteCounts, SiteKey};
use crate::write::{Closing, PartWriter};

/// A stream of the build, by epoch.
pub(crate) type Pipe<'scope, D> = StreamVec<'scope, Epoch, D>;

/// A stream of things that know their place in the corpus.
pub(crate) type Placed<'scope, D> = Pipe<'scope, (Place, D)>;

/// How long an operator that can do nothing sleeps before it looks again.
const NAP: Duration = Duration::from_millis(1);

/// Reads units: captures, and beside them the entries that need no further work (where units
/// begin and end, damage). Takes a unit only while its epoch is less than
/// [`Job::epochs_in_flight`] ahead of what the probe says is committed.
pub(crate) fn read<'scope>(
    scope: Scope<'scope, Epoch>,
    job: Arc<Job>,
    committed: Handle<Epoch>,
) -> (Placed<'scope, Capture>, Placed<'scope, Entry>) {
    let read =
        source::<_, CapacityContainerBuilder<Vec<(Place, Read)>>, _, _>(scope, "read", |capability, info| {
            let activator = scope.activator_for(info.address);
            let mut held = Some(capability);
            let mut unit: Option<UnitReader> = None;
            move |output| {
                let Some(capability) = held.as_mut() else { return };
                if job.is_stopped() {
                    (held, unit) = (None, None);
                    return;
                }
                if unit.is_none() {
                    // What is written to its end needs no place held for it any more.
                    if let Some(low) = job.ledger.frontier() {
                        capability.downgrade(&low);
                    }
                    let next =
                        committed.with_frontier(|frontier| frontier.first().copied().unwrap_or(Epoch::MAX));
                    match job.ledger.take(next.saturating_add(job.epochs_in_flight)) {
                        Offer::Take(assignment) => unit = Some(UnitReader::new(&job, assignment)),
                        Offer::Wait => return activator.activate_after(NAP),
                        Offer::Done => return held = None,
                    }
                }
                let Some(reader) = &mut unit else { return };
                let capability = capability.delayed(&reader.epoch());
                let mut session = output.session(&capability);
                let step = reader.step(&mut |place, item| session.give((place, item)));
                match step {
                    Step::More => activator.activate(),
                    Step::Pending => activator.activate_after(NAP),
                    Step::End => {
                        unit = None;
                        activator.activate();
                    }
                }
            }
        });
    read.ok_err(|(place, item)| match item {
        Read::Capture(capture) => Ok((place, *capture)),
        Read::Entry(entry) => Err((place, entry)),
    })
}

/// Extract phase: a capture's bytes to text blocks and feature columns. Pages that can't be read
/// come out as rejects.
pub(crate) fn extract<'scope>(
    captures: Placed<'scope, Capture>,
    job: Arc<Job>,
) -> (Placed<'scope, Extracted>, Placed<'scope, Entry>) {
    let mut extractor = PageExtractor::new(&job);
    captures
        .unary::<CapacityContainerBuilder<Vec<_>>, _, _, _>(Pipeline, "extract", move |_, _| {
            move |input, output| {
                input.for_each_time(|time, captures| {
                    let mut session = output.session(&time);
                    for (place, capture) in captures.flat_map(|batch| batch.drain(..)) {
                        session.give((place, extractor.extract(capture)));
                    }
                });
            }
        })
        .ok_err(|(place, result)| match result {
            Ok(extracted) => Ok((place, extracted)),
            Err(reject) => Err((place, Entry::Reject(reject))),
        })
}

/// Label phase: blocks and columns to labels, text and rows.
pub(crate) fn label<'scope>(pages: Placed<'scope, Extracted>, job: Arc<Job>) -> Placed<'scope, Entry> {
    let mut labeller = Labeller::new(&job);
    pages.map(move |(place, extracted)| (place, Entry::Document(Box::new(labeller.label(extracted)))))
}

/// Writes the tables, a worker a part, and commits a part when its epoch has passed. Gives what
/// each document adds to its site.
pub(crate) fn write<'scope>(
    entries: Placed<'scope, Entry>,
    job: Arc<Job>,
) -> Pipe<'scope, (SiteKey, SiteCounts)> {
    let scope = entries.scope();
    let by_part = Exchange::new(|(place, _): &(Place, Entry)| place.epoch);
    entries.unary_frontier(by_part, "write", move |_, info| {
        let activator = scope.activator_for(info.address);
        let mut open: BTreeMap<Epoch, (Capability<Epoch>, PartWriter)> = BTreeMap::new();
        let mut closing: Vec<(Capability<Epoch>, Closing)> = Vec::new();
        move |(input, frontier), output| {
            input.for_each_time(|time, batches| {
                let (_, part) = open.entry(*time.time()).or_insert_with(|| {
                    (
                        time.retain(output.output_index()),
                        PartWriter::new(&job, *time.time()),
                    )
                });
                batches
                    .flat_map(|batch| batch.drain(..))
                    .for_each(|(place, entry)| part.push(place, entry));
            });
            if job.is_stopped() {
                open.clear();
                closing.clear();
                return;
            }
            for (capability, part) in open.values_mut() {
                part.advance();
                output
                    .session(capability)
                    .give_iterator(part.take_counts().into_iter());
            }
            while let Some(first) = open.first_entry() {
                if frontier.less_equal(first.key()) {
                    break;
                }
                let (capability, part) = first.remove();
                closing.extend(part.close().map(|files| (capability, files)));
            }
            closing.retain_mut(|(_, files)| !files.poll());
            if !open.is_empty() || !closing.is_empty() {
                activator.activate_after(NAP);
            }
        }
    })
}

/// Sums what documents add to their sites, as a collection that follows additions and removals.
/// The sums are kept in the job, to be read when the build is done.
pub(crate) fn sites<'scope>(
    counts: Pipe<'scope, (SiteKey, SiteCounts)>,
    job: Arc<Job>,
    committed: &Handle<Epoch>,
) {
    use timely::dataflow::operators::{Inspect, Probe};
    counts
        .unary::<CapacityContainerBuilder<Vec<_>>, _, _, _>(Pipeline, "site differences", |_, _| {
            |input, output| {
                input.for_each_time(|time, batches| {
                    let epoch = *time.time();
                    let differences = batches.flat_map(|batch| batch.drain(..));
                    output
                        .session(&time)
                        .give_iterator(differences.map(|(site, counts)| (site, epoch, counts)));
                });
            }
        })
        .as_collection()
        .count_total()
        .inner
        .inspect(move |((site, counts), _, difference)| job.sites.update(site, counts, *difference))
        .probe_with(committed);
}
