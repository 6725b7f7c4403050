//! 64 blocks at a time, where a processor's vectors hold 64 bytes and can pick bytes from a table (AVX-512 with
//! VBMI and VBMI2).
//!
//! A tree's leaves are a table of 64 bytes, a vector out of which one instruction picks a byte a block. A split is two
//! comparisons, the second one only of the blocks that said yes to the first, and a choice. It waits for the split
//! before, so some trees are asked in turns.
//!
//! All trees are asked about 256 blocks, then about the next: the codes of those are copied together, one column after
//! the other, of the columns that part the page's blocks.

mod pruned;

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_cmpge_epu8_mask, _mm512_mask_cmpeq_epi8_mask,
    _mm512_mask_mov_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_setzero_si512,
    _mm512_srli_epi16,
};

use gleaner_columns::Columns;

use super::Numbers;
use super::pruned::{Range, Whole};
use pruned::{INPUTS, Pruned, Rest, Splits};

pub(super) use pruned::Trees;

/// Blocks that are gone through at a time: as many as a vector has bytes.
const STRETCH: usize = 64;

/// Stretches that a tree is asked about at a time: its splits and leaves are read once for all of them.
const TOGETHER: usize = 4;

/// Sums over trees of a stretch's bytes: those of the blocks in even places, then those of the blocks in odd ones.
type Counters = [__m512i; 2];

/// This many bytes always add up to less than a counter holds.
const COUNTED: usize = 256;

/// The codes of an input for the blocks of some stretches.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Codes([[u8; STRETCH]; TOGETHER]);

/// What trees are asked in.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pruned: Pruned,
    /// Input by input that is asked about.
    codes: Vec<Codes>,
}

/// Whether the processor can do what this module does.
pub(super) fn is_able() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Sums up the numbers of the leaves that the blocks from `first` on come to, whose codes are in these ranges. Needs
/// [`is_able`].
pub(super) fn ask(
    trees: &Trees,
    whole: &Whole,
    page: &Columns,
    first: usize,
    ranges: &[Range],
    scratch: &mut Scratch,
    sums: &mut [i32],
) {
    let Scratch { pruned, codes } = scratch;
    pruned.prune(trees, whole, ranges);
    sums.fill(pruned.sum);
    codes.resize(INPUTS, Codes([[0; STRETCH]; TOGETHER]));
    let codes = codes.first_chunk_mut().expect("a table of all numbers");
    for (part, sums) in sums.chunks_mut(TOGETHER * STRETCH).enumerate() {
        copy(page, first + part * TOGETHER * STRETCH, whole, ranges, codes);
        let (numbers, pruned) = (whole.numbers.as_slice(), &*pruned);
        #[expect(unsafe_code, reason = "the call needs the features that were just found")]
        // SAFETY: `add_stretches` has no other requirement than that the processor has these features, without which
        // nothing would have been pruned.
        unsafe {
            match sums.len().div_ceil(STRETCH) {
                1 => add_stretches::<6, 1>(numbers, pruned, codes, sums),
                2 => add_stretches::<4, 2>(numbers, pruned, codes, sums),
                3 => add_stretches::<2, 3>(numbers, pruned, codes, sums),
                _ => add_stretches::<2, TOGETHER>(numbers, pruned, codes, sums),
            }
        }
    }
}

/// Copies the codes of the blocks from `first` on, input by input that parts the blocks of these ranges: nothing is asked
/// about the others. What is said of blocks behind the last means nothing.
fn copy(page: &Columns, first: usize, whole: &Whole, ranges: &[Range], codes: &mut [Codes]) {
    let inputs = whole.inputs.iter().zip(ranges).zip(codes);
    let parting = inputs.filter(|((_, [least, most]), _)| least != most);
    for ((input, _), copies) in parting {
        let column = page.column(input.number);
        for (stretch, copy) in copies.0.iter_mut().enumerate() {
            let column = column.get(first + stretch * STRETCH..).unwrap_or_default();
            match column.first_chunk() {
                Some(whole) => *copy = *whole,
                None => copy[..column.len()].copy_from_slice(column),
            }
        }
    }
}

/// Adds the sums over the trees of the blocks of some stretches.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn add_stretches<const TURNS: usize, const N: usize>(
    numbers: &[Numbers],
    pruned: &Pruned,
    codes: &[Codes; INPUTS],
    sums: &mut [i32],
) {
    for some in pruned.trees.chunks(COUNTED) {
        let mut counters = [[_mm512_setzero_si512(); 2]; N];
        let (turns, rest) = some.as_chunks::<TURNS>();
        for turns in turns {
            add_trees(numbers, pruned, turns, codes, &mut counters);
        }
        for tree in rest {
            add_trees(numbers, pruned, std::array::from_ref(tree), codes, &mut counters);
        }
        for (counters, sums) in counters.iter().zip(sums.chunks_mut(STRETCH)) {
            drain(counters, sums);
        }
    }
}

/// Counts the leaves of the blocks of some stretches.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn add_trees<const TURNS: usize, const N: usize>(
    numbers: &[Numbers],
    pruned: &Pruned,
    turns: &[Rest; TURNS],
    codes: &[Codes; INPUTS],
    counters: &mut [Counters; N],
) {
    let leaves = leaves::<TURNS, N>(turns, pruned, codes);
    for turn in 0..TURNS {
        let numbers = load(&numbers[usize::from(turns[turn].tree)]);
        for stretch in 0..N {
            let found = _mm512_permutexvar_epi8(leaves[turn][stretch], numbers);
            count(found, &mut counters[stretch]);
        }
    }
}

/// The leaves of the blocks, tree by tree. The first tree has the fewest splits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn leaves<const TURNS: usize, const N: usize>(
    trees: &[Rest; TURNS],
    pruned: &Pruned,
    codes: &[Codes; INPUTS],
) -> [[__m512i; N]; TURNS] {
    let mut leaves = [[_mm512_setzero_si512(); N]; TURNS];
    let mut splits = [pruned.splits(&trees[0]); TURNS];
    for turn in 0..TURNS {
        leaves[turn] = [_mm512_set1_epi8(trees[turn].start.cast_signed()); N];
        splits[turn] = pruned.splits(&trees[turn]);
    }
    let together = splits[0].count;
    for at in 0..together {
        for turn in 0..TURNS {
            split(&splits[turn], at, codes, &mut leaves[turn]);
        }
    }
    for turn in 1..TURNS {
        for at in together..splits[turn].count {
            split(&splits[turn], at, codes, &mut leaves[turn]);
        }
    }
    leaves
}

/// Moves the blocks of a leaf that say yes to a new leaf.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn split<const N: usize>(splits: &Splits<'_>, at: usize, codes: &[Codes; INPUTS], leaves: &mut [__m512i; N]) {
    let at = at % STRETCH;
    let codes = &codes[usize::from(splits.inputs[at])].0;
    let (least, old, new) = (
        fill(splits.leasts[at]),
        fill(splits.old[at]),
        fill(splits.new[at]),
    );
    for stretch in 0..N {
        let own = &mut leaves[stretch];
        // In this order, what is waited for from split to split is one comparison less.
        let yes = _mm512_cmpge_epu8_mask(load(&codes[stretch]), least);
        let moves = _mm512_mask_cmpeq_epi8_mask(yes, *own, old);
        *own = _mm512_mask_mov_epi8(*own, moves, new);
    }
}

/// A vector filled with a byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn fill(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// Counts the numbers of a tree's leaves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn count(found: __m512i, counters: &mut Counters) {
    let even = _mm512_and_si512(found, _mm512_set1_epi16(0xff));
    let odd = _mm512_srli_epi16::<8>(found);
    counters[0] = _mm512_add_epi16(counters[0], even);
    counters[1] = _mm512_add_epi16(counters[1], odd);
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

/// The bytes of a vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn bytes(vector: __m512i) -> [u8; STRETCH] {
    #[expect(
        unsafe_code,
        reason = "what safe code there is for it becomes a call now and then"
    )]
    // SAFETY: both are 64 bytes, and a vector is any bytes.
    unsafe {
        std::mem::transmute(vector)
    }
}

/// Adds to the sums of a stretch's blocks what was counted.
fn drain(counters: &Counters, sums: &mut [i32]) {
    let counted = counters.map(numbers);
    for (block, sum) in sums.iter_mut().enumerate() {
        *sum += i32::from(counted[block % 2][block / 2]);
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
