//! Documents that collide.

use serde::{Deserialize, Serialize};

use super::super::DocumentId;
use super::super::peer::Sent;
use super::super::sorter::{Record, Sorted};
use crate::error::Error;

/// Maximum documents of the same key with which a document is compared, where similarities are computed.
const COMPARED: usize = 64;

/// What documents are compared by: their sketches, or nothing where similarities are not looked at.
pub(super) trait Sketch: Sent + Ord {
    fn heap(&self) -> usize;
    /// The first documents of a key, with which each other one is compared, or linked where nothing is compared.
    const COMPARED: usize;
}

impl Sketch for () {
    fn heap(&self) -> usize {
        0
    }

    const COMPARED: usize = 1;
}

impl Sketch for Vec<u8> {
    fn heap(&self) -> usize {
        self.len()
    }

    const COMPARED: usize = COMPARED;
}

/// A key, and a document that has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Entry<S> {
    pub(super) key: u64,
    pub(super) document: DocumentId,
    pub(super) sketch: S,
}

impl<S: Sketch> Record for Entry<S> {
    fn heap(&self) -> usize {
        self.sketch.heap()
    }
}

/// Gives documents that share a key and are similar, the larger one first. Of a key each is compared with the first ones.
pub(super) fn collisions<S: Sketch>(
    entries: &Sorted<'_, Entry<S>>,
    is_similar: impl Fn(&S, &S) -> bool,
    mut take: impl FnMut(DocumentId, DocumentId) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut first: Vec<Entry<S>> = Vec::new();
    entries.each(|entry| {
        if first.first().is_some_and(|first| first.key != entry.key) {
            first.clear();
        }
        for known in &first {
            if known.document != entry.document && is_similar(&known.sketch, &entry.sketch) {
                take(entry.document, known.document)?;
            }
        }
        if first.len() < S::COMPARED {
            first.push(entry.clone());
        }
        Ok(())
    })
}
