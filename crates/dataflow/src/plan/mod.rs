//! How a crawl is cut into parts and units, before anything runs.
//!
//! A **part** is what a process takes at a time: its pages become one run, and are committed as a whole. A **unit** is what a worker takes at a time: a byte range of a large shard, a whole
//! shard that can't be split, or several small shards. The plan follows from the names and sizes
//! of the shards alone, never from the number of workers. The files of a corpus do not follow from it.

pub(crate) mod capture_ranges;
pub(crate) mod formats;
pub(crate) mod input;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::epoch::Epoch;
use crate::sorted_runs::FAN_IN;

/// What the plan must know of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardSize {
    /// Bytes as stored; `None` where the store doesn't say.
    pub bytes: Option<u64>,
    /// Whether reading can begin in its middle.
    pub splittable: bool,
    /// Whether each range is a request to a store: then only a shard that is larger than a part is split, and
    /// into larger units.
    pub remote: bool,
    /// How many of its captures are read; none where it is all. Such a shard is not split.
    pub captures: Option<u64>,
}

/// Sizes that the plan aims at, in stored (usually compressed) bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanSizes {
    /// A unit: what a worker takes at a time.
    pub unit: u64,
    /// The smallest part worth a run of its own.
    pub smallest_part: u64,
    /// The largest part.
    pub largest_part: u64,
    /// Parts that a crawl between these bounds is cut into.
    pub parts: u64,
    /// Parts whose runs become one before they are labelled, if there are more parts than this.
    pub merged: u64,
}

impl Default for PlanSizes {
    fn default() -> Self {
        PlanSizes {
            unit: 8 << 20,
            smallest_part: 64 << 20,
            largest_part: 1 << 30,
            parts: 8,
            merged: FAN_IN as u64,
        }
    }
}

impl PlanSizes {
    /// Bytes per part.
    pub fn parts_of(bytes: u64) -> PlanSizes {
        let default = PlanSizes::default();
        PlanSizes {
            unit: default.unit.min(bytes.div_ceil(default.parts)),
            smallest_part: bytes,
            largest_part: bytes,
            ..default
        }
    }
}

/// The size of a unit of a remote shard, in units of local ones: larger requests pay off over a network.
const REMOTE_UNITS: u64 = 4;

/// A shard of unknown size counts as this much: a WARC file of a large crawl.
const UNKNOWN_SIZE: u64 = 1 << 30;

/// The parts of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The parts.
    pub parts: Vec<Part>,
    /// Parts whose runs become one, if there are more parts than this.
    merged: u64,
}

/// What becomes one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its units, in the order of their rows.
    pub units: Vec<Unit>,
    bytes: u64,
}

/// What a worker takes at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Shards, or a piece of one, in the order of their rows.
    pub pieces: Vec<Piece>,
    pub(crate) bytes: u64,
}

/// A shard, or a range of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Index of the shard.
    pub shard: usize,
    /// The records whose offset lies here.
    pub range: Range<u64>,
    /// Whether the piece before this one, in the unit before, is of the same shard and must end
    /// where this one begins.
    pub continues: bool,
    /// How many of its captures are read; none where it is all.
    pub captures: Option<u64>,
}

impl Plan {
    /// Cuts shards into parts and units, largest shards first (so that no large one is left to
    /// run alone at the end); shards of one size keep their order.
    pub fn new(shards: &[ShardSize], sizes: PlanSizes) -> Plan {
        let mut order: Vec<usize> = (0..shards.len()).collect();
        order.sort_by_key(|&shard| std::cmp::Reverse(weight(&shards[shard])));
        let total: u64 = shards.iter().map(weight).sum();
        let part_bytes = total
            .div_ceil(sizes.parts.max(1))
            .clamp(sizes.smallest_part, sizes.largest_part.max(sizes.smallest_part));
        let mut plan = Plan {
            merged: sizes.merged.max(2),
            ..Plan::default()
        };
        let unit_bytes = |shard: &ShardSize| match shard.remote {
            true if weight(shard) <= part_bytes => u64::MAX,
            true => (sizes.unit.max(1) * REMOTE_UNITS).min(part_bytes),
            false => sizes.unit.max(1),
        };
        for unit in units(&order, shards, sizes.unit.max(1), unit_bytes) {
            plan.push(unit, part_bytes);
        }
        plan
    }

    /// Units in all parts.
    pub fn units(&self) -> usize {
        self.parts.iter().map(|part| part.units.len()).sum()
    }

    /// Units of a part.
    pub(crate) fn units_of(&self, part: Epoch) -> usize {
        self.parts.get(part as usize).map_or(0, |part| part.units.len())
    }

    /// How many groups of parts there are whose runs become one; 0 where the parts are few.
    pub(crate) fn groups(&self) -> u64 {
        let parts = self.parts.len() as u64;
        match parts <= self.merged {
            true => 0,
            false => parts.div_ceil(self.merged),
        }
    }

    /// The group of a part.
    pub(crate) fn group_of(&self, part: Epoch) -> Epoch {
        part / self.merged.max(1)
    }

    /// The parts of a group.
    pub(crate) fn parts_of(&self, group: Epoch) -> Range<Epoch> {
        let start = group * self.merged;
        start..(start + self.merged).min(self.parts.len() as Epoch)
    }

    /// Bytes of a part, as stored.
    pub(crate) fn bytes(&self, part: Epoch) -> u64 {
        self.parts.get(part as usize).map_or(0, |part| part.bytes)
    }

    fn push(&mut self, unit: Unit, part_bytes: u64) {
        match self.parts.last_mut() {
            Some(part) if part.bytes + unit.bytes <= part_bytes => {
                part.bytes += unit.bytes;
                part.units.push(unit);
            }
            _ => self.parts.push(Part {
                bytes: unit.bytes,
                units: vec![unit],
            }),
        }
    }
}

impl Part {
    /// Whether it begins in a shard that the part before it begins.
    pub(crate) fn continues(&self) -> bool {
        self.units.first().is_some_and(Unit::continues)
    }
}

impl Unit {
    /// Whether it begins in a shard that the unit before it begins.
    pub(crate) fn continues(&self) -> bool {
        self.pieces.first().is_some_and(|piece| piece.continues)
    }
}

fn weight(shard: &ShardSize) -> u64 {
    shard.bytes.unwrap_or(UNKNOWN_SIZE)
}

fn units(
    order: &[usize],
    shards: &[ShardSize],
    unit_bytes: u64,
    range_bytes: impl Fn(&ShardSize) -> u64,
) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut small = Unit::default();
    for &shard in order {
        let bytes = weight(&shards[shard]);
        // A remote shard is a request in any case. By itself, it is read again by itself if it can't be read.
        if bytes >= unit_bytes || shards[shard].remote {
            units.extend(
                ranges(&shards[shard], range_bytes(&shards[shard])).map(|(range, continues)| Unit {
                    bytes: if range.end == u64::MAX {
                        bytes.saturating_sub(range.start)
                    } else {
                        range.end - range.start
                    },
                    pieces: vec![Piece {
                        shard,
                        range,
                        continues,
                        captures: shards[shard].captures,
                    }],
                }),
            );
            continue;
        }
        if !small.pieces.is_empty() && small.bytes + bytes > unit_bytes {
            units.push(std::mem::take(&mut small));
        }
        small.bytes += bytes;
        small.pieces.push(Piece {
            shard,
            range: 0..u64::MAX,
            continues: false,
            captures: shards[shard].captures,
        });
    }
    if !small.pieces.is_empty() {
        units.push(small);
    }
    units
}

/// Ranges that are not small begin at multiples of this: the digest of a shard is made from few subtrees of each then.
const ALIGNED: u64 = 1 << 20;

/// Equal ranges of about `unit_bytes` that cover a shard; the last one is open.
fn ranges(shard: &ShardSize, unit_bytes: u64) -> impl Iterator<Item = (Range<u64>, bool)> {
    let bytes = shard.bytes.filter(|_| shard.splittable).unwrap_or(0);
    let step = bytes.div_ceil(bytes.div_ceil(unit_bytes).max(1)).max(1);
    let step = match step < ALIGNED {
        true => step,
        false => step.next_multiple_of(ALIGNED),
    };
    let count = bytes.div_ceil(step).max(1);
    (0..count).map(move |index| {
        let end = if index + 1 == count {
            u64::MAX
        } else {
            (index + 1) * step
        };
        (index * step..end, index > 0)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(bytes: u64) -> ShardSize {
        ShardSize {
            bytes: Some(bytes),
            splittable: true,
            remote: false,
            captures: None,
        }
    }

    #[test]
    fn only_the_largest_of_remote_shards_are_split() {
        let remote = |bytes| ShardSize {
            remote: true,
            ..known(bytes)
        };
        let sizes = PlanSizes {
            unit: 100,
            smallest_part: 1000,
            largest_part: 1000,
            parts: 1,
            merged: 128,
        };
        let plan = Plan::new(&[remote(900), remote(2000), remote(20)], sizes);
        let units = plan.parts.iter().flat_map(|part| &part.units);
        let pieces: Vec<(usize, u64)> = units
            .flat_map(|unit| &unit.pieces)
            .map(|piece| (piece.shard, piece.range.start))
            .collect();
        assert_eq!(
            pieces,
            [(1, 0), (1, 400), (1, 800), (1, 1200), (1, 1600), (0, 0), (2, 0)]
        );
    }

    #[test]
    fn a_large_shard_is_split_and_small_ones_are_gathered() {
        let sizes = PlanSizes {
            unit: 100,
            smallest_part: 200,
            largest_part: 1000,
            parts: 1,
            merged: 128,
        };
        let plan = Plan::new(&[known(30), known(250), known(40), known(50)], sizes);
        let units: Vec<Vec<(usize, u64)>> = plan
            .parts
            .iter()
            .flat_map(|part| &part.units)
            .map(|unit| {
                unit.pieces
                    .iter()
                    .map(|piece| (piece.shard, piece.range.start))
                    .collect()
            })
            .collect();
        assert_eq!(
            units,
            [
                vec![(1, 0)],
                vec![(1, 84)],
                vec![(1, 168)],
                vec![(3, 0), (2, 0)],
                vec![(0, 0)]
            ]
        );
        assert_eq!(plan.parts.len(), 1);
    }

    #[test]
    fn large_ranges_begin_at_whole_mebibytes() {
        let starts = |bytes: u64| {
            let shard = known(bytes);
            ranges(&shard, 8 << 20)
                .map(|(range, _)| range.start)
                .collect::<Vec<_>>()
        };
        assert_eq!(starts((16 << 20) + 1), [0, 6 << 20, 12 << 20]);
        assert_eq!(starts(16 << 20), [0, 8 << 20]);
        assert_eq!(starts(8 << 20), [0]);
    }

    proptest! {
        #[test]
        fn every_byte_is_in_exactly_one_piece(
            sizes in proptest::collection::vec(
                (proptest::option::of(0u64..5000), any::<bool>(), any::<bool>()), 0..30),
            unit in 1u64..600, parts in 1u64..5,
        ) {
            let shards: Vec<ShardSize> =
                sizes.into_iter().map(|(bytes, splittable, remote)| ShardSize { bytes, splittable, remote, captures: None }).collect();
            let plan = Plan::new(&shards, PlanSizes { unit, smallest_part: 500, largest_part: 3000, parts, merged: 2 });
            let mut next = vec![Some(0u64); shards.len()];
            for piece in plan.parts.iter().flat_map(|part| &part.units).flat_map(|unit| &unit.pieces) {
                prop_assert_eq!(next[piece.shard], Some(piece.range.start));
                prop_assert_eq!(piece.continues, piece.range.start > 0);
                prop_assert!(shards[piece.shard].splittable || piece.range == (0..u64::MAX));
                next[piece.shard] = (piece.range.end != u64::MAX).then_some(piece.range.end);
            }
            prop_assert!(next.iter().all(Option::is_none));
            prop_assert_eq!(plan.groups() == 0, plan.parts.len() <= 2);
            for group in 0..plan.groups() {
                prop_assert!((1..=2).contains(&plan.parts_of(group).count()));
                prop_assert!(plan.parts_of(group).all(|part| plan.group_of(part) == group));
            }
        }
    }
}
