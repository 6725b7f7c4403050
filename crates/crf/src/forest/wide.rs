//! Look-ups of 64 leaves at a time, where a processor's vectors hold so many bytes and can pick bytes from a table
//! (AVX-512 with VBMI).
//!
//! A tree's leaves are two tables of 256 bytes, the lower and the higher bytes of their values: four vectors each,
//! out of which two instructions and a choice between them pick one byte a block. One by one, a look-up a block was
//! nearly all that trees cost.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_cmpge_epu8_mask, _mm512_mask_add_epi8,
    _mm512_mask_blend_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8, _mm512_set_epi64,
    _mm512_set1_epi8, _mm512_set1_epi16, _mm512_setzero_si512, _mm512_srli_epi16,
};

use gleaner_features::Columns;

use super::{Asking, Forest, HALF, STRETCH, Tree, stretches};

/// Sums over the trees of some of a stretch's bytes: the lower bytes of the blocks in even places, those of the
/// blocks in odd ones, then the higher bytes.
pub(super) type Counters = [__m512i; 4];

/// So many bytes always add up to less than a counter holds.
const COUNTED: usize = 256;

/// Adds each block's sum over the trees, if the processor can do so.
pub(super) fn add(forest: &Forest, page: &Columns, asking: &mut Asking) -> bool {
    let able = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi");
    if able {
        #[expect(unsafe_code, reason = "the call needs the features that were just found")]
        // SAFETY: `with_vbmi` has no other requirement than that the processor has these features.
        unsafe {
            with_vbmi(forest, page, asking);
        }
    }
    able
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn with_vbmi(forest: &Forest, page: &Columns, asking: &mut Asking) {
    let Asking {
        everywhere,
        sums,
        counters,
        ..
    } = asking;
    let rows = page.rows();
    for start in (0..forest.tables.len()).step_by(COUNTED) {
        let end = forest.tables.len().min(start + COUNTED);
        counters.clear();
        counters.resize(rows.div_ceil(STRETCH), [_mm512_setzero_si512(); 4]);
        for number in start..end {
            let tree = forest.tree(number, page, everywhere);
            for (first, counters) in stretches(rows).zip(&mut *counters) {
                count(&tree, first, counters);
            }
        }
        drain(counters, end - start, sums);
    }
}

/// Counts the bytes of a tree's leaves for the blocks of a stretch.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn count(tree: &Tree<'_>, first: usize, counters: &mut Counters) {
    let mut numbers = _mm512_set1_epi8(tree.always as i8);
    for (codes, least, bit) in tree.asked(first) {
        let yes = _mm512_cmpge_epu8_mask(load(codes), _mm512_set1_epi8(least as i8));
        numbers = _mm512_mask_add_epi8(numbers, yes, numbers, _mm512_set1_epi8(bit as i8));
    }
    for (bytes, counters) in tree.table.bytes.iter().zip(counters.as_chunks_mut::<2>().0) {
        let found = pick(bytes, numbers);
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

/// Adds to the blocks' sums what was counted over so many trees.
fn drain(counters: &[Counters], trees: usize, sums: &mut [i32]) {
    let rows = sums.len().max(STRETCH);
    let mut done = 0;
    for (first, counters) in stretches(rows).zip(counters) {
        let [low_even, low_odd, high_even, high_odd] = counters.map(numbers);
        let low = [low_even, low_odd];
        let high = [high_even, high_odd];
        for (block, sum) in (done - first..STRETCH).zip(&mut sums[done..]) {
            let of = |counters: [[u16; STRETCH / 2]; 2]| i32::from(counters[block % 2][block / 2]);
            *sum += of(low) + 256 * of(high) - trees as i32 * HALF;
        }
        done = first + STRETCH;
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
