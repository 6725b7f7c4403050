//! Connected components in bounded memory, by large stars and small stars (Kiveris and others, *Connected components in
//! MapReduce and beyond*, SoCC 2014).
//!
//! Each document is linked to the least of its neighbours: in a round first those of its neighbours that are larger than
//! itself, then itself and those that are smaller. When a round changes nothing on any worker, each component is a star around its least
//! document. A worker has the edges of the documents that it reads, in order: the least neighbour of a document comes first, so that
//! the others need not be in memory.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::peer::Peer;
use super::super::sorter::Sorted;
use super::{Edge, GiveEdge, exchanged};
use crate::error::Error;

/// Gives the least document of its component for each document that has an edge. Edges go from the larger document to the smaller.
pub(super) fn labels<'r>(peer: &Peer<'r>, mut edges: Sorted<'r, Edge>) -> Result<Sorted<'r, Edge>, Error> {
    let mut before = None;
    loop {
        let found = Some(digest(peer, &edges)?);
        if found == before {
            break;
        }
        before = found;
        let both = exchanged(peer, "both ways", |give| {
            edges.each(|&Edge(one, other)| {
                give(Edge(one, other))?;
                give(Edge(other, one))
            })
        })?;
        edges = exchanged(peer, "large stars", |give| large_stars(&both, give))?;
        drop(both);
        edges = exchanged(peer, "small stars", |give| small_stars(&edges, give))?;
    }
    exchanged(peer, "labels", |give| {
        edges.each(|&edge| {
            give(edge)?;
            give(Edge(edge.1, edge.1))
        })
    })
}

/// Links the larger neighbours of each document with the least, or with itself.
fn large_stars(both: &Sorted<'_, Edge>, give: GiveEdge<'_>) -> Result<(), Error> {
    let (mut center, mut least) = (None, 0);
    both.each(|&Edge(document, neighbour)| {
        if center.replace(document) != Some(document) {
            least = document.min(neighbour);
        }
        match neighbour > document {
            true => give(Edge(neighbour, least)),
            false => Ok(()),
        }
    })
}

/// Links each document and its smaller neighbours with the least of them.
fn small_stars(edges: &Sorted<'_, Edge>, give: GiveEdge<'_>) -> Result<(), Error> {
    let (mut center, mut least) = (None, 0);
    edges.each(|&Edge(document, neighbour)| {
        if center.replace(document) != Some(document) {
            least = neighbour;
            return give(Edge(document, least));
        }
        give(Edge(neighbour, least))
    })
}

/// A number that other edges of all workers do not have.
fn digest(peer: &Peer<'_>, edges: &Sorted<'_, Edge>) -> Result<u64, Error> {
    let mut digest = 0_u64;
    edges.each(|Edge(one, other)| {
        digest = digest.wrapping_add(xxh3_64_with_seed(&one.to_le_bytes(), *other));
        Ok(())
    })?;
    peer.sum(digest)
}
