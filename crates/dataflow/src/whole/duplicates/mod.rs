//! Exact and near duplicates: which documents have the same text, or nearly the same, and which of them survives.
//!
//! In: the [signature](gleaner_curate) of each document, taken when it is labelled. Out: the table duplicates, with a row
//! of each document in a cluster of two or more.
//!
//! - Here: documents that share a key collide, and are linked.
//! - [`components`] and [`stars`]: clusters are the connected components of documents that are linked. The first finds them
//!   in memory, as a differential collection, which documents enter and leave; the second in bounded memory.
//! - [`clusters`]: the survivor of each cluster, and the rows.

mod clusters;
mod components;
mod stars;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use differential_dataflow::AsCollection;
use serde::{Deserialize, Serialize};
use timely::dataflow::operators::{Probe, ToStream};
use xxhash_rust::xxh3::xxh3_64;

use clusters::Member;
use components::components;

use super::peer::Peer;
use super::sorter::{Record, Sent, Sorted};
use super::step::{NumberedPart, Step};
use super::{Counts, DocumentId, Units};
use crate::data::signed::{DuplicateConfig, Facts};
use crate::epoch::Epoch;
use crate::error::Error;
use crate::memory::Memory;

/// Maximum documents of the same key with which a document is compared, where similarities are computed.
const COMPARED: usize = 64;

/// A key, a document that has it, and its sketch where similarities are computed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Entry<S>(u64, DocumentId, S);

impl<S: Ord + Sent> Record for Entry<S> {}

/// Two documents that are linked, or a document and the least one that it is linked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
struct Edge(DocumentId, DocumentId);

impl Record for Edge {
    fn join(&mut self, next: &Edge) -> bool {
        self == next
    }
}

/// Gives an edge to the worker that reads its first document.
type GiveEdge<'a> = &'a mut dyn FnMut(Edge) -> Result<(), Error>;

/// The edges that all workers give to this one, in order.
fn exchanged<'r>(
    peer: &Peer<'r>,
    name: &str,
    edges: impl FnOnce(GiveEdge<'_>) -> Result<(), Error>,
) -> Result<Sorted<'r, Edge>, Error> {
    peer.sorted(name, |give| edges(&mut |edge| give(unit_of(edge.0).into(), edge)))
}

/// The unit of a document.
fn unit_of(document: DocumentId) -> u32 {
    (document >> 32) as u32
}

impl<'a, U: Units> Step<'a, U> {
    /// Writes the table. Gives the files of this worker, and the counts of its clusters.
    pub(super) fn write_duplicates(
        &self,
        config: &DuplicateConfig,
    ) -> Result<(Vec<NumberedPart>, Counts), Error> {
        let edges = match config.verify {
            // A document is linked to the first of a key.
            None => self.edges(|_| (), 1, |(), ()| true)?,
            Some(least) => {
                let is_similar =
                    move |one: &Vec<u8>, other: &Vec<u8>| gleaner_curate::similarity(one, other) >= least;
                self.edges(|sketch| sketch, COMPARED, is_similar)?
            }
        };
        let members = self.members(self.labels(edges)?)?;
        self.write_clusters(&members)
    }

    /// Links documents that share a key and are similar, from the larger to the smaller. Each is compared with the first of a key.
    fn edges<S: Ord + Sent>(
        &self,
        sketch: impl Fn(Vec<u8>) -> S,
        compared: usize,
        is_similar: impl Fn(&S, &S) -> bool,
    ) -> Result<Sorted<'a, Edge>, Error> {
        let entries = self.peer.sorted("entries", |give| {
            self.each_unit(|unit| {
                self.documents(unit, |document, facts| {
                    let sketch = sketch(facts.sketch);
                    let mut keys = facts.keys.into_iter();
                    keys.try_for_each(|key| give(key, Entry(key, document, sketch.clone())))
                })
            })
        })?;
        let mut first: Vec<Entry<S>> = Vec::new();
        exchanged(&self.peer, "edges", |give| {
            entries.each(|entry| {
                let Entry(key, document, sketch) = entry;
                if first.first().is_some_and(|first| first.0 != *key) {
                    first.clear();
                }
                for Entry(_, known, other) in &first {
                    if known != document && is_similar(other, sketch) {
                        give(Edge(*document, *known))?;
                    }
                }
                if first.len() < compared {
                    first.push(entry.clone());
                }
                Ok(())
            })
        })
    }

    /// Gives what is known of the documents of a unit, by document.
    fn documents(
        &self,
        unit: u32,
        mut take: impl FnMut(DocumentId, Facts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut document = DocumentId::from(unit) << 32;
        self.whole.units.facts(unit, &mut |facts| {
            take(document, facts)?;
            document += 1;
            Ok(())
        })
    }

    /// For each document that has an edge the least document of its component, at the worker that reads it.
    fn labels(&self, edges: Sorted<'a, Edge>) -> Result<Sorted<'a, Edge>, Error> {
        let mut count = 0;
        edges.each(|_| {
            count += 1;
            Ok(())
        })?;
        match self.peer.sum(count)? <= most_links(self.whole.memory) {
            true => labels_in_memory(&self.peer, &edges),
            false => stars::labels(&self.peer, edges),
        }
    }

    /// Reads what is known of the documents that are in clusters. A cluster is at one worker.
    fn members(&self, labels: Sorted<'_, Edge>) -> Result<Sorted<'_, Member>, Error> {
        self.peer.sorted("members", |give| {
            let mut labels = labels.read()?;
            self.each_unit(|unit| {
                if labels.peek().is_none_or(|label| unit_of(label.0) != unit) {
                    return Ok(());
                }
                self.documents(unit, |document, facts| {
                    match labels.next_if(|label| label.0 == document)? {
                        Some(&Edge(_, least)) => {
                            give(xxh3_64(&least.to_le_bytes()), Member::new(least, facts))
                        }
                        None => Ok(()),
                    }
                })
            })
        })
    }
}

/// How many links are looked at in memory.
fn most_links(memory: Memory) -> u64 {
    /// About what a link takes in the dataflow, in bytes.
    const LINK: u64 = 512;
    /// In the dataflow a label goes one document further in each round: a chain takes as many rounds as it is long, and no chain
    /// is to be very long.
    const MOST: u64 = 1 << 12;
    // What workers need is not needed any more.
    memory.most().map_or(MOST, |most| MOST.min(most / 2 / LINK))
}

/// Labels by a differential dataflow.
fn labels_in_memory<'r>(peer: &Peer<'r>, edges: &Sorted<'_, Edge>) -> Result<Sorted<'r, Edge>, Error> {
    let (mut updates, labels) = (Vec::new(), Rc::<RefCell<Vec<Edge>>>::default());
    edges.each(|edge| {
        updates.push((*edge, Epoch::default(), 1_isize));
        Ok(())
    })?;
    let found = Rc::clone(&labels);
    peer.dataflow(|scope, done| {
        components(updates.to_stream(scope).as_collection())
            .consolidate()
            .inspect(move |(label, ..)| found.borrow_mut().push(*label))
            .inner
            .probe_with(done);
    })?;
    exchanged(peer, "labels", |give| {
        labels.take().into_iter().try_for_each(give)
    })
}
