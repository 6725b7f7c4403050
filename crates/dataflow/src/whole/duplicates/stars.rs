//! Connected components in bounded memory, by large stars and small stars (Kiveris and others, *Connected components in
//! MapReduce and beyond*, SoCC 2014).
//!
//! Each document is linked to the least of its neighbours: in a round first those of its neighbours that are larger than
//! itself, then itself and those that are smaller. When a round changes nothing on any worker, each component is a star around its least
//! document. A worker has the edges of the documents that it reads, in order: the least neighbour of a document comes first, so that
//! the others need not be in memory.

use xxhash_rust::xxh3::xxh3_64;

use super::super::DocumentId;
use super::super::peer::Peer;
use super::super::reader;
use super::super::sorter::{Room, Sorted, Sorter};
use super::Edge;
use crate::error::Error;

/// Gives an edge to the worker that has those of its first document.
type GiveEdge<'a> = &'a mut dyn FnMut(Edge) -> Result<(), Error>;

/// Gives the least document of its component for each document that has an edge. Edges go from the larger document to the smaller.
pub(super) fn labels<'r>(
    peer: &mut Peer<'_>,
    room: &'r Room,
    mut edges: Sorted<'r, Edge>,
) -> Result<Sorted<'r, Edge>, Error> {
    let mut before = None;
    loop {
        let found = Some(peer.sum(digest(&edges)?)?);
        if found == before {
            break;
        }
        before = found;
        let both = exchanged(peer, room, "both ways", |give| both_ways(&edges, give))?;
        edges = exchanged(peer, room, "large stars", |give| large_stars(&both, give))?;
        drop(both);
        edges = exchanged(peer, room, "small stars", |give| small_stars(&edges, give))?;
    }
    exchanged(peer, room, "labels", |give| {
        edges.each(|&edge| {
            give(edge)?;
            give(Edge(edge.1, edge.1))
        })
    })
}

/// The edges that all workers give to this one, in order.
fn exchanged<'r>(
    peer: &mut Peer<'_>,
    room: &'r Room,
    name: &str,
    edges: impl FnOnce(GiveEdge<'_>) -> Result<(), Error>,
) -> Result<Sorted<'r, Edge>, Error> {
    let (mut sorter, peers) = (Sorter::new(room), peer.count());
    peer.exchange(
        name,
        |give| edges(&mut |edge| give(reader(edge.0, peers), edge)),
        |edge| sorter.push(edge),
    )?;
    sorter.sorted()
}

fn both_ways(edges: &Sorted<'_, Edge>, give: GiveEdge<'_>) -> Result<(), Error> {
    edges.each(|&Edge(one, other)| {
        give(Edge(one, other))?;
        give(Edge(other, one))
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

/// A number that other edges do not have.
fn digest(edges: &Sorted<'_, Edge>) -> Result<u64, Error> {
    let mut digest = 0_u64;
    edges.each(|&Edge(one, other): &Edge| {
        let edge =
            |one: DocumentId, other: DocumentId| (u128::from(one) << 64 | u128::from(other)).to_le_bytes();
        digest = digest.wrapping_add(xxh3_64(&edge(one, other)));
        Ok(())
    })?;
    Ok(digest)
}
