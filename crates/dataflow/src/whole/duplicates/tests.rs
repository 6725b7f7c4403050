//! Components beside a slow and obvious second implementation: in memory, by stars, and after changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use differential_dataflow::input::InputSession;
use gleaner_store::{Options, Store};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::whole::sorter::{Room, Sorter};

/// Documents, each with the least document of its component, in order.
type Labels = Vec<(DocumentId, DocumentId)>;

/// The slow way: labels are lowered until none changes.
fn slow<'a>(edges: impl Iterator<Item = &'a Edge> + Clone) -> Labels {
    let documents = edges.clone().flat_map(|edge| [edge.0, edge.1]);
    let mut labels: BTreeMap<_, _> = documents.map(|document| (document, document)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for Edge(one, other) in edges.clone() {
            let least = labels[one].min(labels[other]);
            for document in [one, other] {
                changed |= labels.insert(*document, least) != Some(least);
            }
        }
    }
    labels.into_iter().collect()
}

/// An edge of few documents in few units, from the larger to the smaller.
fn edge() -> impl Strategy<Value = Edge> {
    (0..24u64, 0..24u64).prop_filter_map("it is one document", |(one, other)| {
        let [one, other] = [one, other].map(|document| ((document % 5) << 32) | document);
        (one != other).then(|| Edge(one.max(other), one.min(other)))
    })
}

/// Edges of a chain, whose order has nothing to do with that of its documents.
fn chain(length: u64) -> impl Iterator<Item = Edge> {
    let name = |place: u64| ((place % 5) << 32) | (100 + place * 7919 % 10_007);
    (0..length).map(move |link| {
        let [one, other] = [name(link), name(link + 1)];
        Edge(one.max(other), one.min(other))
    })
}

/// Labels in memory, and by stars.
fn both_labels(edges: Vec<Edge>, workers: usize, memory: usize) -> [Labels; 2] {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(Options::default()).unwrap();
    let output = store.output(folder.path().to_str().unwrap()).unwrap();
    let room = Room { output, memory };
    let work = move |worker: &mut timely::worker::Worker| {
        let stop = AtomicBool::new(false);
        let peer = Peer::new(worker, &room, &stop);
        let is_own = |document| peer.owner(unit_of(document).into()) == peer.index;
        let own = || {
            let mut own = Sorter::new(&room);
            let mut edges = edges.iter().filter(|edge| is_own(edge.0));
            edges.try_for_each(|edge| own.push(*edge)).unwrap();
            own.sorted().unwrap()
        };
        let labels = [
            labels_in_memory(&peer, &own()).unwrap(),
            stars::labels(&peer, own()).unwrap(),
        ];
        labels.map(|labels| {
            let mut all = Labels::new();
            let each = labels.each(|label| {
                assert!(is_own(label.0));
                all.push((label.0, label.1));
                Ok(())
            });
            each.unwrap();
            all
        })
    };
    let guards = timely::execute(timely::Config::process(workers), work).unwrap();
    let of_workers: Vec<[Labels; 2]> = guards.join().into_iter().map(Result::unwrap).collect();
    let mut labels = [0, 1].map(|way| of_workers.iter().flat_map(|labels| labels[way].clone()).collect());
    labels
        .iter_mut()
        .for_each(|labels: &mut Labels| labels.sort_unstable());
    labels
}

/// What the labels have come to after each of some changes, each at a time of its own.
fn after_changes(changes: Vec<Vec<(Edge, isize)>>) -> Vec<Labels> {
    timely::execute_directly(move |worker| {
        let found = Rc::new(RefCell::new(BTreeMap::<Edge, isize>::new()));
        let (labels, mut input) = (Rc::clone(&found), InputSession::new());
        let probe = worker.dataflow::<Epoch, _, _>(|scope| {
            let add = move |(label, _, difference): &(Edge, Epoch, isize)| {
                *labels.borrow_mut().entry(*label).or_default() += difference;
            };
            components(input.to_collection(scope))
                .inspect(add)
                .inner
                .probe()
                .0
        });
        let mut states = Vec::new();
        for (time, change) in (1..).zip(changes) {
            for (edge, difference) in change {
                input.update(edge, difference);
            }
            input.advance_to(time);
            input.flush();
            worker.step_while(|| probe.less_than(&time));
            found.borrow_mut().retain(|_, count| *count != 0);
            assert!(found.borrow().values().all(|count| *count == 1));
            states.push(found.borrow().keys().map(|label| (label.0, label.1)).collect());
        }
        states
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn in_memory_and_by_stars_labels_are_the_components(
        edges in vec(edge(), 0..40), length in 0..60u64, workers in 1..4usize, memory in 16..2000usize,
    ) {
        let edges: Vec<Edge> = edges.into_iter().chain(chain(length)).collect();
        let expected = slow(edges.iter());
        prop_assert_eq!(both_labels(edges, workers, memory), [expected.clone(), expected]);
    }

    #[test]
    fn after_any_history_the_labels_are_those_of_a_fresh_build(changes in vec(vec(edge(), 0..12), 1..6)) {
        let mut there = BTreeSet::new();
        let (mut updates, mut expected) = (Vec::new(), Vec::new());
        for change in changes {
            // What is there is taken away, and what is not is added.
            let update = change.into_iter().map(|edge| match there.insert(edge) {
                true => (edge, 1),
                false => (edge, -isize::from(there.remove(&edge))),
            });
            updates.push(update.collect());
            expected.push(slow(there.iter()));
        }
        prop_assert_eq!(after_changes(updates), expected);
    }
}
