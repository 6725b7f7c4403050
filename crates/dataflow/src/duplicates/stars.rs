//! Connected components in bounded memory, by large stars and small stars (Kiveris and others, *Connected components in
//! MapReduce and beyond*, SoCC 2014).
//!
//! Each document is linked to the least of its neighbours: in a round first those of its neighbours that are larger than
//! itself, then itself and those that are smaller. When a round changes nothing, each component is a star around its least
//! document. Edges are sorted records: the least neighbour of a document comes first, so that the others need not be in memory.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::bands::{DocumentId, number};
use crate::error::Error;
use crate::sorted_runs::{Sorted, Sorter};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// Edges between documents, each from the larger one to the smaller.
pub(crate) struct Edges {
    staging: Arc<Staging>,
    /// The number of the scratch files, and how many there were.
    file: u32,
    files: u32,
    edges: Sorter,
}

impl Edges {
    /// With scratch files of a number of its own.
    pub(crate) fn new(staging: &Arc<Staging>, file: u32) -> Edges {
        Edges {
            staging: Arc::clone(staging),
            file,
            files: 1,
            edges: Sorter::new(staging, StagedFile::Scratch(file, 0)),
        }
    }

    /// Links two documents.
    pub(crate) fn push(&mut self, one: DocumentId, other: DocumentId) -> Result<(), Error> {
        match one == other {
            true => Ok(()),
            false => self.edges.push(&edge(one.max(other), one.min(other)), |_| {}),
        }
    }

    /// Gives the least document of its component for each document that has an edge, in order.
    pub(crate) fn labels(
        mut self,
        take: impl FnMut(DocumentId, DocumentId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut before = None;
        loop {
            let edges = self.taken()?;
            let found = Some(digest(&edges)?);
            if found == before {
                return self.of_stars(&edges, take);
            }
            before = found;
            self.large_stars(edges)?;
            let edges = self.taken()?;
            self.small_stars(&edges)?;
        }
    }

    fn large_stars(&mut self, edges: Sorted) -> Result<(), Error> {
        let mut both = self.sorter();
        each(&edges, |one, other| {
            both.push(&edge(one, other), |_| {})?;
            both.push(&edge(other, one), |_| {})
        })?;
        drop(edges);
        let (mut center, mut least) = (None, 0);
        each(&both.sorted()?, |document, neighbour| {
            if center.replace(document) != Some(document) {
                least = document.min(neighbour);
            }
            match neighbour > document {
                true => self.push(neighbour, least),
                false => Ok(()),
            }
        })
    }

    fn small_stars(&mut self, edges: &Sorted) -> Result<(), Error> {
        let (mut center, mut least) = (None, 0);
        each(edges, |document, neighbour| {
            if center.replace(document) != Some(document) {
                least = neighbour;
                return self.push(document, least);
            }
            self.push(neighbour, least)
        })
    }

    /// Gives labels, when each edge goes to the least document of its component.
    fn of_stars(
        &mut self,
        edges: &Sorted,
        mut take: impl FnMut(DocumentId, DocumentId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut labels = self.sorter();
        each(edges, |document, least| {
            labels.push(&edge(document, least), |_| {})?;
            labels.push(&edge(least, least), |_| {})
        })?;
        each(&labels.sorted()?, &mut take)
    }

    /// The edges so far, in order; those that are pushed from now on are others.
    fn taken(&mut self) -> Result<Sorted, Error> {
        let new = self.sorter();
        std::mem::replace(&mut self.edges, new).sorted()
    }

    fn sorter(&mut self) -> Sorter {
        self.files += 1;
        Sorter::new(&self.staging, StagedFile::Scratch(self.file, self.files))
    }
}

fn edge(one: DocumentId, other: DocumentId) -> [u8; 16] {
    (u128::from(one) << 64 | u128::from(other)).to_be_bytes()
}

/// Gives each edge once.
fn each(
    edges: &Sorted,
    mut take: impl FnMut(DocumentId, DocumentId) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut records, mut last) = (edges.read()?, None);
    while let Some(record) = records.next()? {
        let (one, other) = record.key.split_at_checked(8).ok_or(Error::Damaged)?;
        let edge = (number(one)?, number(other)?);
        if last.replace(edge) != Some(edge) {
            take(edge.0, edge.1)?;
        }
    }
    Ok(())
}

/// A number that other edges do not have.
fn digest(edges: &Sorted) -> Result<u64, Error> {
    let mut digest = 0_u64;
    each(edges, |one, other| {
        digest = digest.wrapping_add(xxh3_64(&edge(one, other)));
        Ok(())
    })?;
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::super::bands::Entry;
    use super::super::components;
    use super::super::components::tests::document;
    use super::*;

    fn labels(edges: impl Iterator<Item = (DocumentId, DocumentId)>) -> Vec<(DocumentId, DocumentId)> {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let mut all = Edges::new(&Arc::new(Staging::new(&output)), 7);
        edges.for_each(|(one, other)| all.push(one, other).unwrap());
        let mut labels = Vec::new();
        all.labels(|document, least| {
            labels.push((document, least));
            Ok(())
        })
        .unwrap();
        labels
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn stars_are_the_components(documents in prop::collection::vec(document(), 0..24)) {
            let keys = documents.iter();
            let entries: BTreeSet<Entry> = keys.flat_map(|(document, keys)| keys.iter().map(|&key| (key, *document))).collect();
            let all: Vec<Entry> = entries.into_iter().collect();
            let pairs = all.iter().flat_map(|one| all.iter().map(move |other| (*one, *other)));
            let edges = pairs.filter(|(one, other)| one.0 == other.0 && one.1 < other.1);
            let edges: Vec<(u64, u64)> = edges.map(|(one, other)| (one.1, other.1)).collect();
            prop_assert_eq!(labels(edges.into_iter()), components::labels(all));
        }
    }

    #[test]
    fn a_long_chain_is_one_component() {
        const LENGTH: u64 = 20_000;
        // In an order that has nothing to do with the chain.
        let name = |place: u64| place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let labels = labels((1..LENGTH).map(|place| (name(place), name(place - 1))));
        let least = (0..LENGTH).map(name).min().unwrap();
        assert_eq!(labels.len() as u64, LENGTH);
        assert!(labels.iter().all(|label| label.1 == least));
    }
}
