//! 64 blocks at a time, where a processor's vectors hold so many bytes and can pick bytes from a table (AVX-512 with
//! VBMI).
//!
//! A tree's leaves are two tables of 64 bytes, the lower and the higher bytes of their values: a vector each, out of
//! which one instruction picks a byte a block. A split is two comparisons, the second one only of the blocks that said
//! yes to the first, and a choice. It waits for the split before, so some trees are asked in turns.
//!
//! All trees are asked about 128 blocks, then about the next: the codes of those are copied together, one column
//! after the other, where they stay in the nearest cache. Kinds of pages are columns as others are, so that a tree
//! is asked without a branch.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_add_epi16, _mm512_and_si512, _mm512_cmpge_epu8_mask,
    _mm512_mask_cmpeq_epi8_mask, _mm512_mask_mov_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srli_epi16,
};

use super::{Codes, STRETCH, TOGETHER, Values};
use crate::trees::{MAX_LEAVES, Split};

/// What is added to a leaf's value to make it a positive number.
const HALF: i32 = 1 << 15;

/// Sums over trees of some of a stretch's bytes: the lower bytes of the blocks in even places, those of the blocks
/// in odd ones, then the higher bytes.
type Counters = [__m512i; 4];

/// So many bytes always add up to less than a counter holds.
const COUNTED: usize = 256;

/// A tree as vectors are asked.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The lower and the higher bytes of the leaves' values and [`HALF`].
    bytes: [[u8; MAX_LEAVES]; 2],
    splits: Vec<Asked>,
}

/// A split, with bytes four times: vectors are filled with such a number at no cost.
#[derive(Clone, Copy, Debug)]
struct Asked {
    input: u32,
    least: u32,
    leaf: u32,
}

impl Tree {
    pub(super) fn new(splits: &[Split], values: &Values) -> Tree {
        let shifted = values.map(|value| (i32::from(value) + HALF) as u16);
        let four = |byte: u8| u32::from_le_bytes([byte; 4]);
        let asked = |split: &Split| Asked {
            input: u32::from(split.question.input),
            least: four(split.question.least),
            leaf: four(split.leaf),
        };
        Tree {
            bytes: [0, 1].map(|byte| shifted.map(|value| value.to_le_bytes()[byte])),
            splits: splits.iter().map(asked).collect(),
        }
    }
}

/// Adds each block's sum over the trees, if the processor can do so.
pub(super) fn add(trees: &[Tree], codes: &[Codes], sums: &mut [i32]) -> bool {
    let able = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi");
    if able {
        #[expect(unsafe_code, reason = "the call needs the features that were just found")]
        // SAFETY: `add_stretches` has no other requirement than that the processor has these features.
        unsafe {
            match sums.len() {
                ..=STRETCH => add_stretches::<4, 1>(trees, codes, sums),
                _ => add_stretches::<2, TOGETHER>(trees, codes, sums),
            }
        }
    }
    able
}

/// Adds the sums over the trees of the blocks of some stretches.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn add_stretches<const TURNS: usize, const N: usize>(trees: &[Tree], codes: &[Codes], sums: &mut [i32]) {
    for trees in trees.chunks(COUNTED) {
        let mut counters = [[_mm512_setzero_si512(); 4]; N];
        let (turns, rest) = trees.as_chunks::<TURNS>();
        for trees in turns {
            add_trees(trees, codes, &mut counters);
        }
        for tree in rest {
            add_trees(std::array::from_ref(tree), codes, &mut counters);
        }
        for (counters, sums) in counters.iter().zip(sums.chunks_mut(STRETCH)) {
            drain(counters, trees.len(), sums);
        }
    }
}

/// Counts the leaves of the blocks of some stretches.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn add_trees<const TURNS: usize, const N: usize>(
    trees: &[Tree; TURNS],
    codes: &[Codes],
    counters: &mut [Counters; N],
) {
    let leaves = leaves::<TURNS, N>(trees, codes);
    for turn in 0..TURNS {
        for stretch in 0..N {
            count(&trees[turn], leaves[turn][stretch], &mut counters[stretch]);
        }
    }
}

/// The numbers of the leaves of the blocks, tree by tree. The trees have as many splits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn leaves<const TURNS: usize, const N: usize>(
    trees: &[Tree; TURNS],
    codes: &[Codes],
) -> [[__m512i; N]; TURNS] {
    let mut numbers = [[_mm512_setzero_si512(); N]; TURNS];
    let (mut new, one) = (_mm512_setzero_si512(), _mm512_set1_epi8(1));
    for at in 0..trees[0].splits.len() {
        new = _mm512_add_epi8(new, one);
        for turn in 0..TURNS {
            let split = &trees[turn].splits[at];
            let codes = &codes[split.input as usize].0;
            let (least, leaf) = (
                _mm512_set1_epi32(split.least as i32),
                _mm512_set1_epi32(split.leaf as i32),
            );
            for stretch in 0..N {
                let number = &mut numbers[turn][stretch];
                // In this order, what is waited for from split to split is one comparison less.
                let yes = _mm512_cmpge_epu8_mask(load(&codes[stretch]), least);
                let moves = _mm512_mask_cmpeq_epi8_mask(yes, *number, leaf);
                *number = _mm512_mask_mov_epi8(*number, moves, new);
            }
        }
    }
    numbers
}

/// Counts the bytes of these leaves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn count(tree: &Tree, leaves: __m512i, counters: &mut Counters) {
    for half in 0..2 {
        let found = _mm512_permutexvar_epi8(leaves, load(&tree.bytes[half]));
        let even = _mm512_and_si512(found, _mm512_set1_epi16(0xff));
        let odd = _mm512_srli_epi16::<8>(found);
        counters[2 * half] = _mm512_add_epi16(counters[2 * half], even);
        counters[2 * half + 1] = _mm512_add_epi16(counters[2 * half + 1], odd);
    }
}

/// Bytes in order as a vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; STRETCH]) -> __m512i {
    #[expect(
        unsafe_code,
        reason = "what safe code there is for it becomes a call now and then"
    )]
    // SAFETY: both are 64 bytes, and any bytes are a vector.
    unsafe {
        std::mem::transmute(*bytes)
    }
}

/// Adds to the sums of a stretch's blocks what was counted over so many trees.
fn drain(counters: &Counters, trees: usize, sums: &mut [i32]) {
    let [low_even, low_odd, high_even, high_odd] = counters.map(numbers);
    let (low, high) = ([low_even, low_odd], [high_even, high_odd]);
    for (block, sum) in sums.iter_mut().enumerate() {
        let of = |counters: [[u16; STRETCH / 2]; 2]| i32::from(counters[block % 2][block / 2]);
        *sum += of(low) + 256 * of(high) - trees as i32 * HALF;
    }
}

/// The numbers that a vector holds.
fn numbers(counter: __m512i) -> [u16; STRETCH / 2] {
    #[expect(
        unsafe_code,
        reason = "the standard library has no other way from one to the other"
    )]
    // SAFETY: both are 64 bytes, and any bytes are numbers.
    unsafe {
        std::mem::transmute(counter)
    }
}
