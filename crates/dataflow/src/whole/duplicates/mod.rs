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
use std::collections::BTreeMap;
use std::rc::Rc;

use differential_dataflow::AsCollection;
use serde::{Deserialize, Serialize};
use timely::dataflow::operators::{Probe, ToStream};
use xxhash_rust::xxh3::xxh3_64;

use clusters::Member;
use components::components;

use super::frequent::Frequent;
use super::peer::Peer;
use super::sorter::{Record, Sent, Sorted};
use super::step::{NumberedPart, Step};
use super::{Counts, DocumentId, Units};
use crate::data::signed::DuplicateConfig;
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

/// Of some keys those that more than one document has.
pub(crate) fn shared_keys(keys: u64) -> Frequent {
    Frequent { least: 2, all: keys }
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

/// A document, by its unit and its place there.
fn document_of(unit: u32, place: u32) -> DocumentId {
    DocumentId::from(unit) << 32 | DocumentId::from(place)
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
        let keys = 1 + config.signatures.bands as u64;
        let frequent = shared_keys(self.whole.units.records() * keys);
        let edges = match config.verify {
            // A document is linked to the first of a key.
            None => {
                let no_sketches = |_, documents| Ok(vec![(); documents]);
                self.edges(&frequent, no_sketches, 1, |(), ()| true)?
            }
            Some(least) => {
                let is_similar =
                    move |one: &Vec<u8>, other: &Vec<u8>| gleaner_curate::similarity(one, other) >= least;
                self.edges(&frequent, |unit, _| self.sketches(unit), COMPARED, is_similar)?
            }
        };
        let members = self.members(self.labels(edges)?)?;
        self.write_clusters(&members)
    }

    /// Links documents that share a key and are similar, from the larger to the smaller. Each is compared with the first of a key.
    /// `sketches` has those of a unit, whose number and documents it is given.
    fn edges<S: Ord + Sent>(
        &self,
        frequent: &Frequent,
        sketches: impl Fn(u32, usize) -> Result<Vec<S>, Error>,
        compared: usize,
        is_similar: impl Fn(&S, &S) -> bool,
    ) -> Result<Sorted<'a, Edge>, Error> {
        let units = &self.whole.units;
        let entries = frequent.sorted(
            &self.peer,
            "entries",
            |Entry(key, ..)| *key,
            |give| {
                self.each_unit(|unit| {
                    let keys = units.keys(unit)?;
                    keys.documents().flatten().try_for_each(|&key| give(key))
                })
            },
            |give| {
                self.each_unit(|unit| {
                    let keys = units.keys(unit)?;
                    let sketches = sketches(unit, keys.documents().count())?;
                    for ((place, keys), sketch) in (0..).zip(keys.documents()).zip(sketches) {
                        let document = document_of(unit, place);
                        keys.iter()
                            .try_for_each(|&key| give(Entry(key, document, sketch.clone())))?;
                    }
                    Ok(())
                })
            },
        )?;
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

    /// The sketch of each document of a unit.
    fn sketches(&self, unit: u32) -> Result<Vec<Vec<u8>>, Error> {
        let mut sketches = Vec::new();
        self.whole.units.facts(unit, &mut |_| true, &mut |_, facts| {
            sketches.push(facts.sketch);
            Ok(())
        })?;
        Ok(sketches)
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
                let mut of_unit = BTreeMap::new();
                while let Some(&Edge(document, least)) = labels.next_if(|label| unit_of(label.0) == unit)? {
                    of_unit.insert(document as u32, least);
                }
                if of_unit.is_empty() {
                    return Ok(());
                }
                let is_wanted = &mut |place| of_unit.contains_key(&place);
                self.whole.units.facts(unit, is_wanted, &mut |place, facts| {
                    let least = of_unit[&place];
                    give(xxh3_64(&least.to_le_bytes()), Member::new(least, facts))
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
