//! Sums of leaves on any processor, a bit a block.
//!
//! A bit of a leaf's number is set for the blocks of those leaves whose numbers have it. Numbers are added bit by bit,
//! with a carry, for as many blocks at a time as a vector has bits.

use super::{Bits, WORD};
use crate::trees::MAX_LEAVES;

/// What the leaves of a tree are: their numbers, bit by bit.
#[derive(Clone, Debug)]
pub(super) struct Slices {
    /// From the lowest bit on.
    slices: Vec<Slice>,
    /// The leaves of the slices, one slice after the other.
    leaves: Vec<u8>,
}

/// A bit of the leaves' numbers.
#[derive(Clone, Copy, Debug)]
struct Slice {
    /// Whether the leaves that are listed have it, or all others.
    have: bool,
    /// How many are listed.
    leaves: usize,
}

impl Slices {
    pub(super) fn of(numbers: &[u8]) -> Slices {
        let mut leaves = Vec::new();
        let largest = numbers.iter().copied().max().unwrap_or_default();
        let slices = (0..u8::BITS - largest.leading_zeros()).map(|bit| {
            let with = |number: u8| number >> bit & 1 == 1;
            // The shorter list of the two.
            let have = 2 * numbers.iter().filter(|&&number| with(number)).count() <= numbers.len();
            let listed = (0u8..).zip(numbers).filter(|&(_, &number)| with(number) == have);
            let before = leaves.len();
            leaves.extend(listed.map(|(leaf, _)| leaf));
            Slice {
                have,
                leaves: leaves.len() - before,
            }
        });
        Slices {
            slices: slices.collect(),
            leaves,
        }
    }
}

/// Sums of so many words of blocks, from the lowest bit on.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums(Vec<Bits>);

impl Sums {
    /// Zeros, with room for the numbers of so many trees.
    pub(super) fn reset(&mut self, trees: usize) {
        let most = trees as u64 * u64::from(u8::MAX);
        self.0.clear();
        self.0
            .resize((u64::BITS - most.leading_zeros()) as usize, Bits::default());
    }

    /// Adds the numbers of the leaves that blocks are in.
    #[expect(
        clippy::needless_range_loop,
        reason = "steps of iterators are calls now and then"
    )]
    #[inline(always)]
    pub(super) fn add<const N: usize>(&mut self, tree: &Slices, members: &[Bits; MAX_LEAVES]) {
        let mut leaves = tree.leaves.as_slice();
        let mut carry = [0; N];
        let (low, high) = self.0.split_at_mut(tree.slices.len());
        for (slice, sum) in tree.slices.iter().zip(low) {
            let (own, rest) = leaves.split_at(slice.leaves);
            leaves = rest;
            let mut have = [if slice.have { 0 } else { u64::MAX }; N];
            for &leaf in own {
                let members = &members[usize::from(leaf) % MAX_LEAVES];
                for word in 0..N {
                    have[word] ^= members.0[word];
                }
            }
            for word in 0..N {
                let (one, other) = (sum.0[word], have[word]);
                let differ = one ^ other;
                sum.0[word] = differ ^ carry[word];
                carry[word] = (one & other) | (differ & carry[word]);
            }
        }
        for sum in high {
            for word in 0..N {
                let one = sum.0[word];
                sum.0[word] = one ^ carry[word];
                carry[word] &= one;
            }
        }
    }

    /// Adds them to those of the blocks.
    #[inline(always)]
    pub(super) fn drain(&self, sums: &mut [i32]) {
        for (word, sums) in sums.chunks_mut(WORD).enumerate() {
            for (place, bits) in self.0.iter().enumerate() {
                let bits = bits.0[word];
                for (block, sum) in sums.iter_mut().enumerate() {
                    *sum += ((bits >> block & 1) as i32) << place;
                }
            }
        }
    }
}
