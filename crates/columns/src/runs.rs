//! Runs of equal codes in a column.
//!
//! Most features are the same for many blocks in a row: those of the document for all, those of the
//! elements around for all their blocks. (Of real pages' columns one code in ten differs from the
//! one before.) What is added up block by block elsewhere is then added up run by run.

use crate::{Columns, widest};

/// One block in this many may begin a run: with more it is quicker to go block by
/// block.
const LEAST_LENGTH: usize = 4;

/// Codes that are compared with those before them at once: a bit each.
const CHUNK: usize = u64::BITS as usize;
/// Codes after which runs that were too short are given up.
const HALF: usize = CHUNK / 2;

/// Positions at which the codes of a page's columns change, computed once.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Where each column's places begin and end; nothing for one whose runs are short.
    columns: Vec<Option<(u32, u32)>>,
    places: Vec<u32>,
    /// What is made of the column at hand.
    differences: Vec<u64>,
}

impl Runs {
    /// Reads a page; what was known of another is forgotten.
    pub fn read(&mut self, page: &Columns) {
        self.columns.clear();
        self.places.clear();
        widest(
            #[inline(always)]
            || {
                for column in 0..page.columns() {
                    let first = self.places.len() as u32;
                    let codes = &page.codes()[column * page.rows()..];
                    let is_steady = read_differences(codes, page.rows(), &mut self.differences);
                    if is_steady {
                        add_places(&self.differences, &mut self.places);
                    }
                    let end = self.places.len() as u32;
                    self.columns.push(is_steady.then_some((first, end)));
                }
            },
        );
    }

    /// Where a column has another code than in the block before, ascending; nothing where that is so often
    /// that it is quicker to go block by block. (A page without blocks may have no columns.)
    #[inline]
    pub fn places(&self, column: usize) -> Option<&[u32]> {
        let (first, end) = self.columns.get(column).copied().unwrap_or(Some((0, 0)))?;
        Some(&self.places[first as usize..end as usize])
    }
}

/// What is made of one column, kept from column to column.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    differences: Vec<u64>,
    places: Vec<u32>,
}

impl Changes {
    /// The places where a column's code is another than the one before, ascending. Nothing if the runs
    /// are too short to gain by them.
    #[inline(always)]
    pub fn places(&mut self, codes: &[u8]) -> Option<&[u32]> {
        self.places.clear();
        if !read_differences(codes, codes.len(), &mut self.differences) {
            return None;
        }
        add_places(&self.differences, &mut self.places);
        Some(&self.places)
    }
}

/// Which of the first `count` codes are others than those before them, a bit each from the second code on; says whether
/// the runs are long enough. What follows these codes is read with them where there is any, and means nothing.
#[inline(always)]
fn read_differences(codes: &[u8], count: usize, differences: &mut Vec<u64>) -> bool {
    differences.clear();
    let mut total = 0;
    for first in (1..count).step_by(CHUNK) {
        let length = (count - first).min(CHUNK);
        let mut bits = match (codes[first..].first_chunk(), codes[first - 1..].first_chunk()) {
            (Some(chunk), Some(before)) => compare(chunk, before),
            _ => compare(
                &padded(&codes[first..count]),
                &padded(&codes[first - 1..count - 1]),
            ),
        };
        bits &= u64::MAX >> (CHUNK - length);
        differences.push(bits);
        if bits == 0 {
            continue;
        }
        // Most columns with short runs have them from the start.
        for half in 0..length.div_ceil(HALF) {
            let own = (bits >> (half * HALF) & u64::MAX >> HALF).count_ones() as usize;
            total += own;
            let seen = first - 1 + (half + 1) * HALF;
            if own > 0 && seen < count && total > (seen + HALF) / LEAST_LENGTH {
                return false;
            }
        }
    }
    total <= count / LEAST_LENGTH
}

/// Fills up the last codes of all columns.
fn padded(codes: &[u8]) -> [u8; CHUNK] {
    let mut chunk = [0; CHUNK];
    chunk[..codes.len()].copy_from_slice(codes);
    chunk
}

/// Adds the places whose bits are set: the first bit is that of place 1.
#[inline(always)]
fn add_places(differences: &[u64], places: &mut Vec<u32>) {
    for (number, &bits) in differences.iter().enumerate() {
        let mut rest = bits;
        while rest != 0 {
            places.push((1 + number * CHUNK) as u32 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// A bit for each place where two chunks differ, the lowest for the first.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn compare(chunk: &[u8; CHUNK], before: &[u8; CHUNK]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8};
    let pairs = chunk.as_chunks::<16>().0.iter().zip(before.as_chunks::<16>().0);
    let same = pairs.map(
        #[inline(always)]
        |(chunk, before)| {
            let [chunk, before]: [*const __m128i; 2] = [chunk.as_ptr().cast(), before.as_ptr().cast()];
            #[expect(
                unsafe_code,
                reason = "vectors are read from memory that has no vector's type"
            )]
            // SAFETY: each pointer is to 16 bytes that are lent for as long as they are read, wherever they begin, and
            // every x86-64 has SSE2.
            unsafe {
                _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(chunk), _mm_loadu_si128(before)))
            }
        },
    );
    !same
        .rev()
        .fold(0, |bits, same| bits << 16 | u64::from(same as u16))
}

/// A bit for each place where two chunks differ, the lowest for the first.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn compare(chunk: &[u8; CHUNK], before: &[u8; CHUNK]) -> u64 {
    compare_words(chunk, before)
}

/// The same without vectors.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn compare_words(chunk: &[u8; CHUNK], before: &[u8; CHUNK]) -> u64 {
    let pairs = chunk.as_chunks::<8>().0.iter().zip(before.as_chunks::<8>().0);
    let words = pairs.map(|(word, before)| u64::from_le_bytes(*word) ^ u64::from_le_bytes(*before));
    words.rev().fold(0, |bits, word| bits << 8 | nonzero_bytes(word))
}

/// A bit for each byte that is not zero, the lowest for the first.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn nonzero_bytes(word: u64) -> u64 {
    const LOW_SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // A byte's highest bit is set by its others' sum or by itself.
    let high = (((word & LOW_SEVEN) + LOW_SEVEN) | word) & !LOW_SEVEN;
    high_bits(high)
}

/// The highest bits of the bytes of a word that has no others, the lowest for the first: the product moves them next to
/// each other.
#[inline(always)]
pub fn high_bits(word: u64) -> u64 {
    (word >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn changes_are_where_neighbours_differ(
            runs in prop::collection::vec((any::<u8>(), 1usize..60), 0..30),
        ) {
            let codes: Vec<u8> = runs.iter().flat_map(|&(code, length)| vec![code; length]).collect();
            let differs = |&place: &u32| codes[place as usize] != codes[place as usize - 1];
            let expected: Vec<u32> = (1..codes.len() as u32).filter(differs).collect();
            let mut changes = Changes::default();
            changes.places(&[1, 1, 1, 1, 2]);
            match changes.places(&codes) {
                Some(found) => prop_assert_eq!(found, expected),
                None => {
                    let up_to = |end: usize| expected.iter().filter(|&&place| (place as usize) < end).count();
                    let short = (1..=codes.len() / 32).any(|chunks| up_to(1 + 32 * chunks) > (chunks + 1) * 8);
                    prop_assert!(short || expected.len() > codes.len() / 4);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn vectors_say_what_words_say(
            pairs in prop::collection::vec((0u8..3, prop::sample::select(vec![0u8, 1, 2, 128, 255])), CHUNK),
        ) {
            let chunk = std::array::from_fn(|at| pairs[at].0);
            let before = std::array::from_fn(|at| pairs[at].1);
            let slowly = (0..CHUNK).fold(0, |bits, at| bits | u64::from(chunk[at] != before[at]) << at);
            prop_assert_eq!(compare(&chunk, &before), slowly);
            prop_assert_eq!(compare_words(&chunk, &before), slowly);
        }
    }

    #[test]
    fn each_column_has_its_own_places() {
        let mut page = Columns::default();
        page.reset(8, 4);
        page.column_mut(0).copy_from_slice(&[1, 1, 1, 1, 1, 1, 2, 2]);
        page.column_mut(1).copy_from_slice(&[1, 2, 1, 2, 1, 2, 1, 2]);
        page.column_mut(3).copy_from_slice(&[1, 2, 2, 2, 2, 2, 2, 0]);
        let mut runs = Runs::default();
        for _ in 0..2 {
            runs.read(&page);
            let found = [0, 1, 2, 3].map(|column| runs.places(column));
            assert_eq!(found, [Some(&[6][..]), None, Some(&[]), Some(&[1, 7])]);
        }
    }

    #[test]
    fn short_runs_are_given_up() {
        let codes: Vec<u8> = (0..100).map(|block| block / 2).collect();
        assert_eq!(Changes::default().places(&codes), None);
        assert_eq!(Changes::default().places(&[1, 1, 1, 1, 2]), Some(&[4][..]));
    }
}
