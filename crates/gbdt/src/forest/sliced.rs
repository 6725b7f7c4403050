//! Sums of leaves on any processor, a bit a block.
//!
//! A bit of a leaf's number is set for the blocks of those leaves whose numbers have it. Numbers are added bit by bit,
//! with a carry, for as many blocks at a time as a vector has bits.

use super::{Bits, Numbers, WORD};
use crate::trees::MAX_LEAVES;

/// Bits of a leaf's number.
const SLICES: usize = u8::BITS as usize;

/// Sums of words of blocks, from the lowest bit on.
#[derive(Clone, Debug, Default)]
pub(super) struct SlicedSums(Vec<Bits>);

impl SlicedSums {
    /// Zeros, with room for the numbers of `trees` trees.
    pub(super) fn reset(&mut self, trees: usize) {
        let most = trees as u64 * u64::from(u8::MAX);
        let bits = (u64::BITS - most.leading_zeros()) as usize;
        self.0.clear();
        self.0.resize(bits.max(SLICES), Bits::default());
    }

    /// Adds the numbers of the leaves that blocks are in, which are those whose bits are set.
    #[expect(
        clippy::needless_range_loop,
        reason = "steps of iterators are calls now and then"
    )]
    #[inline(always)]
    pub(super) fn add<const N: usize>(
        &mut self,
        mut leaves: u64,
        numbers: &Numbers,
        members: &[Bits; MAX_LEAVES],
    ) {
        let mut slices = [[0; N]; SLICES];
        while leaves != 0 {
            let leaf = leaves.trailing_zeros() as usize % MAX_LEAVES;
            leaves &= leaves - 1;
            let (mut number, members) = (numbers[leaf], &members[leaf]);
            while number != 0 {
                let slice = &mut slices[number.trailing_zeros() as usize % SLICES];
                for word in 0..N {
                    slice[word] |= members.0[word];
                }
                number &= number - 1;
            }
        }
        let mut carry = [0; N];
        let (low, high) = self.0.split_at_mut(SLICES);
        for (slice, sum) in slices.iter().zip(low) {
            for word in 0..N {
                let (one, other) = (sum.0[word], slice[word]);
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
