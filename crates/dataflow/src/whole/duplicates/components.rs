//! Connected components in memory, as a differential collection.
//!
//! In: edges. Out: for each document that has one the least document of its component. Edges come and go, and what comes out are
//! the differences.

use differential_dataflow::VecCollection;
use differential_dataflow::algorithms::graphs::propagate::propagate;

use super::Edge;
use crate::epoch::Epoch;

/// Of each document that has an edge the least document of its component.
pub(super) fn components(edges: VecCollection<'_, Epoch, Edge>) -> VecCollection<'_, Epoch, Edge> {
    let both = edges.flat_map(|Edge(one, other)| [(one, other), (other, one)]);
    let nodes = both.clone().map(|(node, _)| (node, node)).distinct();
    propagate(both, nodes).map(|(document, least)| Edge(document, least))
}
