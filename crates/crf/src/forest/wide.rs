//! Look-ups of 64 leaves at a time, where a processor's vectors hold so many bytes and can pick bytes from a table
//! (AVX-512 with VBMI).
//!
//! A tree's leaves are two tables of 256 bytes, the lower and the higher bytes of their values: four vectors each,
//! out of which two instructions and a choice between them pick one byte a block. One by one, a look-up a block was
//! nearly all that trees cost.
//!
//! All trees are asked about 128 blocks, then about the next: the codes of those are copied together, one column
//! after the other, where they stay in the nearest cache. Kinds of pages are columns as others are, so that a tree
//! is asked without a branch.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_cmpge_epu8_mask, _mm512_mask_add_epi8,
    _mm512_mask_blend_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8, _mm512_set_epi64,
    _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srli_epi16,
};

use gleaner_features::Columns;

use super::{Asking, Values};
use crate::lanes::LANES;
use crate::trees::{MAX_DEPTH, Question, kind_code};

/// Blocks that fit into a vector.
const STRETCH: usize = 64;

/// Stretches that a tree is asked about at a time: its leaves are read once for all of them.
const TOGETHER: usize = 2;

/// What is added to a leaf's value to make it a positive number.
const HALF: i32 = 1 << 15;

/// The codes of an input for so many blocks.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Codes([[u8; STRETCH]; TOGETHER]);

const ZEROS: Codes = Codes([[0; STRETCH]; TOGETHER]);

/// Sums over trees of some of a stretch's bytes: the lower bytes of the blocks in even places, those of the blocks
/// in odd ones, then the higher bytes.
type Counters = [__m512i; 4];

/// So many bytes always add up to less than a counter holds.
const COUNTED: usize = 256;

/// A tree as vectors are asked.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Tree {
    /// The lower and the higher bytes of the leaves' values and [`HALF`].
    bytes: [[u8; 1 << MAX_DEPTH]; 2],
    /// The input that each level asks about, counted from 1 on, and the least code, four times. Input 0 is zeros.
    asked: [(u32, u32); MAX_DEPTH],
}

impl Tree {
    pub(super) fn new(questions: &[Question], values: &Values) -> Tree {
        let shifted = values.map(|value| (i32::from(value) + HALF) as u16);
        // A level that the tree has not asks whether zero is more.
        let mut asked = [(0, four(1)); MAX_DEPTH];
        for (asked, question) in asked.iter_mut().zip(questions) {
            *asked = (u32::from(question.input) + 1, four(question.least));
        }
        Tree {
            bytes: [0, 1].map(|byte| shifted.map(|value| value.to_le_bytes()[byte])),
            asked,
        }
    }
}

/// A byte four times: vectors are filled with such a number at no cost.
fn four(byte: u8) -> u32 {
    u32::from_le_bytes([byte; 4])
}

/// Adds each block's sum over the trees, if the processor can do so.
pub(super) fn add(trees: &[Tree], page: &Columns, kinds: &[f32; LANES], asking: &mut Asking) -> bool {
    let able = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi");
    if able {
        #[expect(unsafe_code, reason = "the call needs the features that were just found")]
        // SAFETY: `with_vbmi` has no other requirement than that the processor has these features.
        unsafe {
            with_vbmi(trees, page, kinds, asking);
        }
    }
    able
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn with_vbmi(trees: &[Tree], page: &Columns, kinds: &[f32; LANES], asking: &mut Asking) {
    let Asking { codes, sums, .. } = asking;
    codes.clear();
    codes.resize(1 + page.columns(), ZEROS);
    codes.extend(kinds.map(|kind| Codes([[kind_code(kind); STRETCH]; TOGETHER])));
    for (part, sums) in sums.chunks_mut(TOGETHER * STRETCH).enumerate() {
        copy(page, part * TOGETHER * STRETCH, codes);
        match sums.len() {
            ..=STRETCH => add_stretches::<1>(trees, codes, sums),
            _ => add_stretches::<TOGETHER>(trees, codes, sums),
        }
    }
}

/// Copies the codes of the blocks from `first` on. What is said of blocks behind the last means nothing.
fn copy(page: &Columns, first: usize, codes: &mut [Codes]) {
    let columns = page.codes().chunks_exact(page.rows());
    for (column, copies) in columns.zip(&mut codes[1..]) {
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
fn add_stretches<const N: usize>(trees: &[Tree], codes: &[Codes], sums: &mut [i32]) {
    for trees in trees.chunks(COUNTED) {
        let mut counters = [[_mm512_setzero_si512(); 4]; N];
        for tree in trees {
            let leaves = leaves::<N>(tree, codes);
            for (counters, &leaves) in counters.iter_mut().zip(&leaves) {
                count(tree, leaves, counters);
            }
        }
        for (counters, sums) in counters.iter().zip(sums.chunks_mut(STRETCH)) {
            drain(counters, trees.len(), sums);
        }
    }
}

/// The numbers of the leaves of the blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn leaves<const N: usize>(tree: &Tree, codes: &[Codes]) -> [__m512i; N] {
    let mut numbers = [_mm512_setzero_si512(); N];
    for (level, &(input, least)) in tree.asked.iter().enumerate() {
        let (codes, least) = (&codes[input as usize], _mm512_set1_epi32(least as i32));
        let bit = _mm512_set1_epi8((1u8 << level) as i8);
        for (number, codes) in numbers.iter_mut().zip(&codes.0) {
            let yes = _mm512_cmpge_epu8_mask(load(codes), least);
            *number = _mm512_mask_add_epi8(*number, yes, *number, bit);
        }
    }
    numbers
}

/// Counts the bytes of these leaves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn count(tree: &Tree, leaves: __m512i, counters: &mut Counters) {
    for (bytes, counters) in tree.bytes.iter().zip(counters.as_chunks_mut::<2>().0) {
        let found = pick(bytes, leaves);
        let even = _mm512_and_si512(found, _mm512_set1_epi16(0xff));
        counters[0] = _mm512_add_epi16(counters[0], even);
        counters[1] = _mm512_add_epi16(counters[1], _mm512_srli_epi16::<8>(found));
    }
}

/// The bytes of these numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pick(bytes: &[u8; 256], numbers: __m512i) -> __m512i {
    let [first, second, third, fourth] = [0, 1, 2, 3].map(|part| &bytes.as_chunks::<STRETCH>().0[part]);
    // (Seven bits of a number say which byte of two vectors it is.)
    let lower = _mm512_permutex2var_epi8(load(first), numbers, load(second));
    let upper = _mm512_permutex2var_epi8(load(third), numbers, load(fourth));
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(numbers), lower, upper)
}

/// Bytes in order as a vector: the compiler makes one load of it.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; STRETCH]) -> __m512i {
    let eights = bytes.as_chunks::<8>().0;
    let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| i64::from_le_bytes(eights[at]));
    _mm512_set_epi64(h, g, f, e, d, c, b, a)
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
