//! Exact and near duplicates: which documents have the same text, or nearly the same, and which of them survives.
//!
//! In: the [signature](gleaner_curate) of each document, taken when it is labelled. Out: the table duplicates, with a row
//! of each document in a cluster of two or more.
//!
//! - [`bands`]: the entries of a key, in order. Documents that share a key collide.
//! - [`components`] and [`stars`]: clusters are the connected components of documents that collide. The first finds them
//!   in memory, as a differential collection, which documents enter and leave; the second in bounded memory.
//! - [`rows`]: the survivor of each cluster, and the rows.

mod bands;
mod components;
mod rows;
mod stars;

use std::cell::RefCell;
use std::rc::Rc;

use differential_dataflow::input::InputSession;
use serde::{Deserialize, Serialize};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::{Operator, Probe};
use xxhash_rust::xxh3::xxh3_64;

use bands::{Entry, Sketch, collisions};
use components::components;
use rows::Member;

use super::peer::Peer;
use super::sorter::{Record, Room, Sorted, Sorter};
use super::{Counts, DocumentId, NumberedPart, Units, Work, owner, reader};
use crate::data::signed::DuplicateConfig;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::memory::Memory;

/// Two documents that are linked, or a document and the least one that it is linked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Edge(DocumentId, DocumentId);

impl Record for Edge {
    fn join(&mut self, next: &Edge) -> bool {
        self == next
    }
}

impl<U: Units> Work<U> {
    /// Writes the table. Gives the files of this worker, and the counts of its clusters.
    pub(super) fn write_duplicates(
        &self,
        peer: &mut Peer<'_>,
        config: &DuplicateConfig,
    ) -> Result<(Vec<NumberedPart>, Counts), Error> {
        let edges = match config.verify {
            None => self.edges(peer, |_| (), |_, _| true)?,
            Some(least) => {
                let is_similar =
                    move |one: &Vec<u8>, other: &Vec<u8>| gleaner_curate::similarity(one, other) >= least;
                self.edges(peer, |sketch| sketch, is_similar)?
            }
        };
        let labels = self.labels(peer, edges)?;
        let clusters = self.clusters(peer, &labels)?;
        drop(labels);
        self.write_clusters(peer, &clusters)
    }

    /// The links of documents that collide. Each is at the worker that reads the larger document.
    fn edges<S: Sketch>(
        &self,
        peer: &mut Peer<'_>,
        sketch: impl Fn(Vec<u8>) -> S,
        is_similar: impl Fn(&S, &S) -> bool,
    ) -> Result<Sorted<'_, Edge>, Error> {
        let (index, peers) = (peer.index(), peer.count());
        let mut entries = Sorter::new(&self.room);
        peer.exchange(
            "entries",
            |give| {
                self.each_own(index, peers, |unit| {
                    let mut document = DocumentId::from(unit) << 32;
                    self.whole.units.facts(unit, &mut |facts| {
                        let sketch = sketch(facts.sketch);
                        for key in facts.keys {
                            let sketch = sketch.clone();
                            give(
                                owner(key, peers),
                                Entry {
                                    key,
                                    document,
                                    sketch,
                                },
                            )?;
                        }
                        document += 1;
                        Ok(())
                    })
                })
            },
            |entry| entries.push(entry),
        )?;
        let (entries, mut edges) = (entries.sorted()?, Sorter::new(&self.room));
        peer.exchange(
            "edges",
            |give| {
                collisions(&entries, is_similar, |one, other| {
                    give(reader(one, peers), Edge(one, other))
                })
            },
            |edge| edges.push(edge),
        )?;
        edges.sorted()
    }

    /// For each document that has an edge the least document of its component, at the worker that reads it.
    fn labels<'r>(&'r self, peer: &mut Peer<'_>, edges: Sorted<'r, Edge>) -> Result<Sorted<'r, Edge>, Error> {
        let mut count = 0;
        edges.each(|_| {
            count += 1;
            Ok(())
        })?;
        match peer.sum(count)? <= most_links(self.whole.memory) {
            true => labels_in_memory(peer, &self.room, &edges),
            false => stars::labels(peer, &self.room, edges),
        }
    }

    /// Reads what is known of the documents that are in clusters. A cluster is at one worker.
    fn clusters<'r>(
        &'r self,
        peer: &mut Peer<'_>,
        labels: &Sorted<'_, Edge>,
    ) -> Result<Sorted<'r, Member>, Error> {
        let (index, peers) = (peer.index(), peer.count());
        let mut members = Sorter::new(&self.room);
        peer.exchange(
            "members",
            |give| {
                let mut labels = labels.read()?;
                self.each_own(index, peers, |unit| {
                    let is_of_unit = |label: &Edge| label.0 >> 32 == DocumentId::from(unit);
                    let Some(mut label) = labels.next_if(is_of_unit)?.copied() else {
                        return Ok(());
                    };
                    let mut document = DocumentId::from(unit) << 32;
                    self.whole.units.facts(unit, &mut |facts| {
                        if document == label.0 {
                            let to = owner(xxh3_64(&label.1.to_le_bytes()), peers);
                            give(to, Member::new(label.1, unit, facts))?;
                            label = labels.next_if(is_of_unit)?.copied().unwrap_or(label);
                        }
                        document += 1;
                        Ok(())
                    })
                })
            },
            |member| members.push(member),
        )?;
        members.sorted()
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

/// Labels by a differential dataflow. Each edge is a key of its own, that two documents have.
fn labels_in_memory<'r>(
    peer: &mut Peer<'_>,
    room: &'r Room,
    edges: &Sorted<'_, Edge>,
) -> Result<Sorted<'r, Edge>, Error> {
    let peers = peer.count();
    let mut entries = InputSession::new();
    let found = Rc::new(RefCell::new(Vec::new()));
    let mut all = Vec::new();
    edges.each(|&Edge(one, other)| {
        let key = xxh3_64(&[one.to_le_bytes(), other.to_le_bytes()].concat());
        all.extend([(key, one), (key, other)]);
        Ok(())
    })?;
    peer.dataflow(|scope, done| {
        let labels = components(entries.to_collection(scope)).consolidate().inner;
        let found = Rc::clone(&found);
        let to = Exchange::new(
            move |((document, _), ..): &((DocumentId, DocumentId), Epoch, isize)| {
                reader(*document, peers) as u64
            },
        );
        labels
            .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(to, "labels", |_, _| {
                move |input, _| input.for_each(|_, labels| found.borrow_mut().append(labels))
            })
            .probe_with(done);
        all.into_iter().for_each(|entry| entries.insert(entry));
        drop(entries);
    })?;
    let mut labels = Sorter::new(room);
    for ((document, least), ..) in found.take() {
        labels.push(Edge(document, least))?;
    }
    labels.sorted()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::components::tests::{document, slow};
    use super::*;

    type Labels = BTreeSet<(DocumentId, DocumentId)>;

    /// Labels in memory, and by stars, of edges that go to the smaller document.
    fn both_labels(edges: Arc<Vec<Edge>>, workers: usize, memory: usize) -> [Labels; 2] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let room = Room { output, memory };
        let work = move |worker: &mut timely::worker::Worker| {
            let stop = AtomicBool::new(false);
            let mut peer = Peer::new(worker, &stop);
            let own = |edges: &[Edge]| {
                let mut own = Sorter::new(&room);
                let is_own = |edge: &&Edge| reader(edge.0, peer.count()) == peer.index();
                let mut edges = edges.iter().filter(is_own);
                edges.try_for_each(|edge| own.push(*edge)).unwrap();
                own.sorted().unwrap()
            };
            let [here, there] = [own(&edges), own(&edges)];
            let labels = [
                labels_in_memory(&mut peer, &room, &here).unwrap(),
                stars::labels(&mut peer, &room, there).unwrap(),
            ];
            labels.map(|labels| {
                let mut all = Labels::new();
                let each = labels.each(|label| {
                    assert_eq!(reader(label.0, peer.count()), peer.index());
                    assert!(all.insert((label.0, label.1)));
                    Ok(())
                });
                each.unwrap();
                all
            })
        };
        let guards = timely::execute(timely::Config::process(workers), work).unwrap();
        let found = guards.join().into_iter().map(Result::unwrap);
        found.fold(Default::default(), |[one, other]: [Labels; 2], [more, others]| {
            [&one | &more, &other | &others]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn in_memory_and_by_stars_labels_are_the_components(
            documents in prop::collection::vec(document(), 0..24), workers in 1..4usize, memory in 16..2000usize,
        ) {
            let of_unit = |document: DocumentId| ((document % 5) << 32) | document;
            let keys = documents.iter();
            let entries = keys.flat_map(|(document, keys)| keys.iter().map(|&key| (key, of_unit(*document))));
            let entries: BTreeSet<components::Entry> = entries.collect();
            let pairs = entries.iter().flat_map(|one| entries.iter().map(move |other| (*one, *other)));
            let pairs = pairs.filter(|(one, other)| one.0 == other.0 && one.1 > other.1);
            let edges = Arc::new(pairs.map(|(one, other)| Edge(one.1, other.1)).collect());
            let expected: Labels = slow(&entries).into_iter().collect();
            prop_assert_eq!(both_labels(edges, workers, memory), [expected.clone(), expected]);
        }
    }

    #[test]
    fn a_long_chain_is_one_component() {
        // In an order that has nothing to do with the chain.
        let name = |place: u64| place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for length in [40, 700] {
            let links = (1..length).map(|place| [name(place), name(place - 1)]);
            let edges = links.map(|[one, other]| Edge(one.max(other), one.min(other)));
            let least = (0..length).map(name).min().unwrap();
            let expected: Labels = (0..length).map(|place| (name(place), least)).collect();
            assert_eq!(
                both_labels(Arc::new(edges.collect()), 2, 1000),
                [expected.clone(), expected]
            );
        }
    }
}
