//! Documents that collide.

use gleaner_curate::similarity;

use crate::error::Error;
use crate::sorted_runs::Merge;

/// A document: the number of its chunk, and its place there.
pub(crate) type DocumentId = u64;

/// An entry: a key, and a document that has it.
pub(crate) type Entry = (u64, DocumentId);

/// Maximum documents of the same key with which a document is compared, where similarities are computed.
const COMPARED: usize = 64;

/// Two documents that share a key. All that collide in one place are linked with the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collision {
    /// Of the place: a key, or where similarities are looked at, two documents.
    pub(crate) key: u64,
    pub(crate) first: DocumentId,
    pub(crate) other: DocumentId,
}

/// The documents of a key, as far as they have come.
#[derive(Default)]
struct Colliding {
    key: u64,
    /// The first ones, with their sketches where they are needed.
    first: Vec<(DocumentId, Vec<u8>)>,
}

/// Gives the collisions of entries that come by key. With `verify` only those of documents that are so similar, as their
/// sketches estimate it.
pub(crate) fn collisions(
    mut entries: Merge,
    verify: Option<f32>,
    mut take: impl FnMut(Collision) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut colliding = Colliding::default();
    while let Some(record) = entries.next()? {
        let (key, (id, sketch)) = (
            number(record.key)?,
            record.value.split_at_checked(8).ok_or(Error::Damaged)?,
        );
        let document = number(id)?;
        if key != colliding.key {
            colliding.key = key;
            colliding.first.clear();
        }
        match verify {
            None => colliding.link(document, &mut take)?,
            Some(least) => colliding.compare(document, sketch, least, &mut take)?,
        }
    }
    Ok(())
}

impl Colliding {
    fn link(
        &mut self,
        other: DocumentId,
        take: &mut impl FnMut(Collision) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let key = self.key;
        match self.first.first() {
            Some(&(first, _)) => take(Collision { key, first, other }),
            None => {
                self.first.push((other, Vec::new()));
                Ok(())
            }
        }
    }

    fn compare(
        &mut self,
        other: DocumentId,
        sketch: &[u8],
        least: f32,
        take: &mut impl FnMut(Collision) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (first, known) in &self.first {
            if similarity(known, sketch) >= least {
                let pair = [first.to_le_bytes(), other.to_le_bytes()].concat();
                take(Collision {
                    key: xxhash_rust::xxh3::xxh3_64(&pair),
                    first: *first,
                    other,
                })?;
            }
        }
        if self.first.len() < COMPARED {
            self.first.push((other, sketch.to_vec()));
        }
        Ok(())
    }
}

/// The number that eight bytes are.
pub(crate) fn number(bytes: &[u8]) -> Result<u64, Error> {
    let bytes = bytes.try_into().map_err(|_| Error::Damaged)?;
    Ok(u64::from_be_bytes(bytes))
}
