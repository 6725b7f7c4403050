//! 64 blocks at a time, where a processor's vectors hold 64 bytes and can pick bytes from a table (AVX-512 with
//! VBMI).
//!
//! A tree's leaves are a table of 64 bytes, a vector out of which one instruction picks a byte a block. A split is two
//! comparisons, the second one only of the blocks that said yes to the first, and a choice. It waits for the split
//! before, so some trees are asked in turns.
//!
//! All trees are asked about 256 blocks, then about the next: the codes of those are copied together, one column after
//! the other, of the columns that part the page's blocks.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_cmpge_epu8_mask, _mm512_mask_cmpeq_epi8_mask,
    _mm512_mask_mov_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_setzero_si512,
    _mm512_srli_epi16,
};

use gleaner_columns::Columns;

use super::pruned::{Asked, Pruned, Range, Rest, Whole};

/// Blocks per stretch: as many as a vector has bytes.
const STRETCH: usize = 64;

/// Stretches that a tree is asked about at once: its splits and leaves are read once for all of them.
const TOGETHER: usize = 4;

/// Sums over trees of a stretch's bytes: those of the blocks in even places, then those of the blocks in odd ones.
type Counters = [__m512i; 2];

/// Maximum bytes added to a counter: their sum always fits.
const COUNTED: usize = 256;

/// The codes of a column for the blocks of some stretches.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Codes([[u8; STRETCH]; TOGETHER]);

/// Whether the processor can do what this module does.
pub(super) fn is_able() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
}

/// Adds the numbers of the leaves that the blocks from `first` on come to, whose codes are in these ranges. `codes` is
/// overwritten, and the order of the pruned trees changes.
///
/// # Panics
/// The processor is not [able](is_able).
pub(super) fn add(
    whole: &Whole,
    pruned: &mut Pruned,
    page: &Columns,
    first: usize,
    ranges: &[Range],
    codes: &mut Vec<Codes>,
    sums: &mut [i32],
) {
    assert!(is_able(), "the processor's vectors were asked for");
    // Trees that are asked in turns should have as many splits.
    pruned.trees.sort_unstable_by_key(|tree| tree.count);
    codes.resize(page.columns(), Codes([[0; STRETCH]; TOGETHER]));
    for (part, sums) in sums.chunks_mut(TOGETHER * STRETCH).enumerate() {
        copy(page, first + part * TOGETHER * STRETCH, whole, ranges, codes);
        #[expect(unsafe_code, reason = "the call needs the features that were just found")]
        // SAFETY: `add_stretches` has no other requirement than that the processor has these features.
        unsafe {
            match sums.len().div_ceil(STRETCH) {
                1 => add_stretches::<6, 1>(whole, pruned, codes, sums),
                2 => add_stretches::<4, 2>(whole, pruned, codes, sums),
                3 => add_stretches::<2, 3>(whole, pruned, codes, sums),
                _ => add_stretches::<2, TOGETHER>(whole, pruned, codes, sums),
            }
        }
    }
}

/// Copies the codes of the blocks from `first` on, for the columns that part the blocks of these ranges: nothing is asked
/// about the others. The codes behind the last block mean nothing.
fn copy(page: &Columns, first: usize, whole: &Whole, ranges: &[Range], codes: &mut [Codes]) {
    let inputs = whole.inputs.iter().zip(ranges);
    for (input, _) in inputs.filter(|(_, [least, most])| least != most) {
        let column = page.column(input.number);
        for (stretch, copy) in codes[input.number].0.iter_mut().enumerate() {
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
    whole: &Whole,
    pruned: &Pruned,
    codes: &[Codes],
    sums: &mut [i32],
) {
    for some in pruned.trees.chunks(COUNTED) {
        let mut counters = [[_mm512_setzero_si512(); 2]; N];
        let (turns, rest) = some.as_chunks::<TURNS>();
        for turns in turns {
            add_trees(whole, pruned, turns, codes, &mut counters);
        }
        for tree in rest {
            add_trees(whole, pruned, std::array::from_ref(tree), codes, &mut counters);
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
    whole: &Whole,
    pruned: &Pruned,
    turns: &[Rest; TURNS],
    codes: &[Codes],
    counters: &mut [Counters; N],
) {
    let leaves = leaves::<TURNS, N>(turns, pruned, codes);
    for turn in 0..TURNS {
        let numbers = load(&whole.numbers[usize::from(turns[turn].tree)]);
        for stretch in 0..N {
            let found = _mm512_permutexvar_epi8(leaves[turn][stretch], numbers);
            count(found, &mut counters[stretch]);
        }
    }
}

/// The leaves of the blocks, tree by tree. The first tree has the fewest splits.
#[expect(
    clippy::needless_range_loop,
    reason = "all trees are asked a split before the next"
)]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn leaves<const TURNS: usize, const N: usize>(
    trees: &[Rest; TURNS],
    pruned: &Pruned,
    codes: &[Codes],
) -> [[__m512i; N]; TURNS] {
    let mut leaves = [[_mm512_setzero_si512(); N]; TURNS];
    let mut splits: [&[Asked]; TURNS] = [&[]; TURNS];
    for turn in 0..TURNS {
        leaves[turn] = [_mm512_set1_epi8(trees[turn].start.cast_signed()); N];
        splits[turn] = pruned.splits(&trees[turn]);
    }
    let together = splits[0].len();
    for at in 0..together {
        for turn in 0..TURNS {
            split(&splits[turn][at], codes, &mut leaves[turn]);
        }
    }
    for turn in 1..TURNS {
        for asked in &splits[turn][together..] {
            split(asked, codes, &mut leaves[turn]);
        }
    }
    leaves
}

/// Moves the blocks of a leaf that say yes to a new leaf.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn split<const N: usize>(asked: &Asked, codes: &[Codes], leaves: &mut [__m512i; N]) {
    let codes = &codes[usize::from(asked.input)].0;
    let (least, old, new) = (fill(asked.threshold), fill(asked.old), fill(asked.new));
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
