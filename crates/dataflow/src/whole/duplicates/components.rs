//! Connected components in memory, as a differential collection.
//!
//! In: entries, that is documents by the keys that they have. Out: for each document that shares a key the least document of its
//! component. Documents come and go, and what comes out are the differences.

use differential_dataflow::VecCollection;
use differential_dataflow::algorithms::graphs::propagate::propagate;

use super::super::DocumentId;
use crate::epoch::Epoch;

/// A key, and a document that has it.
pub(crate) type Entry = (u64, DocumentId);

/// Documents, each with the least document of its component.
pub(super) type Labels<'scope> = VecCollection<'scope, Epoch, (DocumentId, DocumentId)>;

/// Of each document that shares a key with another the least document of its component.
pub(super) fn components(entries: VecCollection<'_, Epoch, Entry>) -> Labels<'_> {
    // A star of each key has the component that all pairs have, with fewer edges.
    let edges = entries.reduce(|_, documents, edges| {
        let least = *documents[0].0;
        edges.extend(documents[1..].iter().map(|(other, _)| ((least, **other), 1)));
    });
    let edges = edges.map(|(_, edge)| edge).distinct();
    let both = edges.clone().map(|(one, other)| (other, one)).concat(edges);
    let nodes = both.clone().map(|(node, _)| (node, node)).distinct();
    propagate(both, nodes)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::collections::{BTreeMap, BTreeSet};
    use std::rc::Rc;

    use differential_dataflow::input::InputSession;
    use proptest::prelude::*;
    use timely::dataflow::operators::Probe;

    use super::*;

    /// The slow way: labels are lowered until none changes.
    pub(crate) fn slow(entries: &BTreeSet<Entry>) -> Vec<(DocumentId, DocumentId)> {
        let mut by_key: BTreeMap<u64, Vec<DocumentId>> = BTreeMap::new();
        for &(key, document) in entries {
            by_key.entry(key).or_default().push(document);
        }
        by_key.retain(|_, documents| documents.len() > 1);
        let mut labels: BTreeMap<DocumentId, DocumentId> = by_key
            .values()
            .flatten()
            .map(|&document| (document, document))
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for documents in by_key.values() {
                let least = documents.iter().map(|document| labels[document]).min().unwrap();
                for document in documents {
                    changed |= labels.insert(*document, least) != Some(least);
                }
            }
        }
        labels.into_iter().collect()
    }

    /// What the labels have come to after each of some changes, each at a time of its own.
    fn after_changes(changes: Vec<Vec<(Entry, isize)>>) -> Vec<Vec<(DocumentId, DocumentId)>> {
        timely::execute_directly(move |worker| {
            let found = Rc::new(RefCell::new(BTreeMap::<(DocumentId, DocumentId), isize>::new()));
            let rows = Rc::clone(&found);
            let mut input = InputSession::new();
            let probe = worker.dataflow::<Epoch, _, _>(|scope| {
                let labels = components(input.to_collection(scope));
                let add = move |(row, _, difference): &((DocumentId, DocumentId), Epoch, isize)| {
                    *rows.borrow_mut().entry(*row).or_default() += difference;
                };
                labels.inspect(add).inner.probe().0
            });
            let mut states = Vec::new();
            for (time, change) in (1..).zip(changes) {
                for (entry, difference) in change {
                    input.update(entry, difference);
                }
                input.advance_to(time);
                input.flush();
                worker.step_while(|| probe.less_than(&time));
                found.borrow_mut().retain(|_, count| *count != 0);
                assert!(found.borrow().values().all(|count| *count == 1));
                states.push(found.borrow().keys().copied().collect());
            }
            states
        })
    }

    /// Documents with some keys each: few of both, so that they meet.
    pub(crate) fn document() -> impl Strategy<Value = (DocumentId, BTreeSet<u64>)> {
        (0u64..24, prop::collection::btree_set(0u64..20, 1..4))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn after_any_history_the_labels_are_those_of_a_fresh_build(
            changes in prop::collection::vec(prop::collection::vec(document(), 0..8), 1..6),
        ) {
            let mut there: BTreeMap<DocumentId, BTreeSet<u64>> = BTreeMap::new();
            let (mut updates, mut expected) = (Vec::new(), Vec::new());
            for change in changes {
                let mut update = Vec::new();
                for (document, keys) in change {
                    // What is there is taken away, and what is not is added.
                    let (keys, difference) = match there.remove(&document) {
                        Some(keys) => (keys, -1),
                        None => {
                            there.insert(document, keys.clone());
                            (keys, 1)
                        }
                    };
                    update.extend(keys.into_iter().map(|key| ((key, document), difference)));
                }
                updates.push(update);
                let entries = there.iter().flat_map(|(&document, keys)| keys.iter().map(move |&key| (key, document)));
                let entries: BTreeSet<Entry> = entries.collect();
                expected.push(slow(&entries));
            }
            prop_assert_eq!(after_changes(updates), expected);
        }
    }
}
