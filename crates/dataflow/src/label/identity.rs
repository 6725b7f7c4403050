//! Which documents are captures of one URL: rows of the table captures, as a differential collection.
//!
//! In: documents, each with the SURT of its URL, its place in the order of captures, and the digest of its text. Out: for each whether
//! it is the latest of its URL, and whether it differs from the one before. Documents come and go: what comes out are the
//! differences of the rows. A build gives all captures of a URL at one time.

use std::cell::RefCell;
use std::rc::Rc;

use differential_dataflow::VecCollection;
use differential_dataflow::input::Input;
use gleaner_corpus::CaptureRow;
use serde::{Deserialize, Serialize};

use crate::epoch::Epoch;

/// A capture among those of its URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Captured {
    /// What of its key stands behind the URL: its time, the record, and where that is.
    pub(crate) order: Vec<u8>,
    pub(crate) row_id: String,
    pub(crate) content_digest: String,
}

/// What is known of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Identified {
    order: Vec<u8>,
    row_id: String,
    is_latest: bool,
    changed: bool,
}

impl Identified {
    fn row(self, surt: String) -> CaptureRow {
        CaptureRow {
            surt,
            row_id: self.row_id,
            is_latest: self.is_latest,
            changed: self.changed,
        }
    }
}

/// Documents by the SURTs of their URLs.
pub(crate) type Documents<'scope> = VecCollection<'scope, Epoch, (String, Captured)>;

/// Identifies the captures of each URL.
pub(crate) fn identify(documents: Documents<'_>) -> VecCollection<'_, Epoch, (String, Identified)> {
    documents.reduce(|_, captures: &[(&Captured, isize)], identified| {
        let mut before: Option<&Captured> = None;
        for (place, (capture, _)) in captures.iter().enumerate() {
            let differs = |before: &Captured| before.content_digest != capture.content_digest;
            let row = Identified {
                order: capture.order.clone(),
                row_id: capture.row_id.clone(),
                is_latest: place + 1 == captures.len(),
                changed: before.is_none_or(differs),
            };
            identified.push((row, 1));
            before = Some(capture);
        }
    })
}

/// The rows of some documents, by SURT and order. All captures of their URLs are among them.
pub(crate) fn rows(documents: Vec<(String, Captured)>) -> Vec<CaptureRow> {
    let mut identified: Vec<(String, Identified)> = timely::execute_directly(move |worker| {
        let found = Rc::new(RefCell::new(Vec::new()));
        let rows = Rc::clone(&found);
        worker.dataflow::<Epoch, _, _>(|scope| {
            let (_, documents) = scope.new_collection_from(documents);
            identify(documents).inspect(move |(row, _, _)| rows.borrow_mut().push(row.clone()));
        });
        while worker.step() {}
        found.take()
    });
    identified.sort_unstable();
    identified
        .into_iter()
        .map(|(surt, known)| known.row(surt))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use differential_dataflow::input::InputSession;
    use proptest::prelude::*;
    use timely::dataflow::operators::Probe;

    use super::*;

    type Document = (String, Captured);

    /// The slow way: URL by URL.
    fn slow(documents: &BTreeSet<Document>) -> Vec<CaptureRow> {
        let mut by_url: BTreeMap<&str, Vec<&Captured>> = BTreeMap::new();
        for (surt, capture) in documents {
            by_url.entry(surt).or_default().push(capture);
        }
        let mut rows = Vec::new();
        for (surt, captures) in by_url {
            for (at, capture) in captures.iter().enumerate() {
                rows.push(CaptureRow {
                    surt: surt.to_owned(),
                    row_id: capture.row_id.clone(),
                    is_latest: captures.get(at + 1).is_none(),
                    changed: at == 0 || captures[at - 1].content_digest != capture.content_digest,
                });
            }
        }
        rows
    }

    /// What a collection has come to after each of some changes, each at a time of its own.
    fn after_changes(changes: Vec<Vec<(Document, isize)>>) -> Vec<Vec<CaptureRow>> {
        timely::execute_directly(move |worker| {
            let found = Rc::new(RefCell::new(BTreeMap::<Document2, isize>::new()));
            let rows = Rc::clone(&found);
            let mut input = InputSession::new();
            let probe = worker.dataflow::<Epoch, _, _>(|scope| {
                let identified = identify(input.to_collection(scope));
                let add = move |(row, _, difference): &(Document2, Epoch, isize)| {
                    *rows.borrow_mut().entry(row.clone()).or_default() += difference;
                };
                identified.inspect(add).inner.probe().0
            });
            let mut states = Vec::new();
            for (time, change) in (1..).zip(changes) {
                for (document, difference) in change {
                    input.update(document, difference);
                }
                input.advance_to(time);
                input.flush();
                worker.step_while(|| probe.less_than(&time));
                found.borrow_mut().retain(|_, count| *count != 0);
                assert!(found.borrow().values().all(|count| *count == 1));
                let rows = found.borrow().keys().cloned().collect::<Vec<_>>();
                states.push(rows.into_iter().map(|(surt, known)| known.row(surt)).collect());
            }
            states
        })
    }

    type Document2 = (String, Identified);

    fn document() -> impl Strategy<Value = Document> {
        ("[ab]", 0u8..4, 0u8..2).prop_map(|(surt, time, digest)| {
            let captured = Captured {
                order: vec![time, digest],
                row_id: format!("{surt}{time}{digest}"),
                content_digest: digest.to_string(),
            };
            (surt, captured)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn after_any_history_the_rows_are_those_of_a_fresh_build(
            changes in prop::collection::vec(prop::collection::vec(document(), 0..6), 1..6),
        ) {
            let mut there: BTreeSet<Document> = BTreeSet::new();
            let (mut updates, mut expected) = (Vec::new(), Vec::new());
            for change in changes {
                // What is there is taken away, and what is not is added.
                let toggle = |document: Document| match there.remove(&document) {
                    true => (document, -1),
                    false => {
                        there.insert(document.clone());
                        (document, 1)
                    }
                };
                updates.push(change.into_iter().map(toggle).collect());
                expected.push(slow(&there));
                prop_assert_eq!(&rows(there.iter().cloned().collect()), expected.last().unwrap());
            }
            prop_assert_eq!(after_changes(updates), expected);
        }
    }
}
