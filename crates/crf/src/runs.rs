//! Runs of equal codes in a column.
//!
//! Most features are the same for many blocks in a row: those of the document for all, those of the
//! elements around for all their blocks. (Of real pages' columns one code in ten differs from the
//! one before.) What is added up block by block elsewhere is then added up run by run.

use gleaner_features::{Columns, widest};

/// The share of blocks that may begin a run, one in so many: with more it is quicker to go block by
/// block.
const LEAST_LENGTH: usize = 4;

/// Codes that are compared with those before them at a time.
const CHUNK: usize = 32;

/// Where the codes of a page's columns change, told once for all that goes through them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// Where each column's places begin and end; nothing for one whose runs are short.
    columns: Vec<Option<(u32, u32)>>,
    places: Vec<u32>,
}

impl Runs {
    /// Reads a page; what was known of another is forgotten.
    pub(crate) fn read(&mut self, page: &Columns) {
        self.columns.clear();
        self.places.clear();
        widest(
            #[inline(always)]
            || {
                for column in 0..page.columns() {
                    let first = self.places.len() as u32;
                    let is_steady = add_changes(page.column(column), &mut self.places);
                    let end = self.places.len() as u32;
                    self.columns.push(is_steady.then_some((first, end)));
                }
            },
        );
    }

    /// Where a column has another code than in the block before, ascending; nothing where that is so often
    /// that it is quicker to go block by block. (A page without blocks may have no columns.)
    #[inline]
    pub(crate) fn of(&self, column: usize) -> Option<&[u32]> {
        let (first, end) = self.columns.get(column).copied().unwrap_or(Some((0, 0)))?;
        Some(&self.places[first as usize..end as usize])
    }
}

/// The places where a column's code is another than the one before, ascending. Nothing if the runs
/// are too short to gain by them.
#[inline(always)]
pub(crate) fn changes<'a>(codes: &[u8], places: &'a mut Vec<u32>) -> Option<&'a [u32]> {
    places.clear();
    add_changes(codes, places).then_some(places)
}

/// Adds those places; says whether the runs are long enough, and adds nothing if not.
#[inline(always)]
fn add_changes(codes: &[u8], places: &mut Vec<u32>) -> bool {
    let begun = places.len();
    let Some(ahead) = codes.get(1..) else {
        return true;
    };
    let (chunks, rest) = ahead.as_chunks::<CHUNK>();
    let (before, rest_before) = codes[..ahead.len()].as_chunks::<CHUNK>();
    for (number, (chunk, before)) in chunks.iter().zip(before).enumerate() {
        if chunk != before {
            add_differences(chunk, before, (1 + number * CHUNK) as u32, places);
            // Most columns with short runs have them from the start.
            if places.len() - begun > (number + 2) * CHUNK / LEAST_LENGTH {
                places.truncate(begun);
                return false;
            }
        }
    }
    let first = 1 + chunks.len() * CHUNK;
    for (place, (code, before)) in rest.iter().zip(rest_before).enumerate() {
        if code != before {
            places.push((first + place) as u32);
        }
    }
    let is_steady = places.len() - begun <= codes.len() / LEAST_LENGTH;
    if !is_steady {
        places.truncate(begun);
    }
    is_steady
}

/// Adds the places, from `first` on, where two chunks differ.
#[inline(always)]
fn add_differences(chunk: &[u8; CHUNK], before: &[u8; CHUNK], first: u32, places: &mut Vec<u32>) {
    let mut differences = differences(chunk, before);
    while differences != 0 {
        places.push(first + differences.trailing_zeros());
        differences &= differences - 1;
    }
}

/// A bit for each place where two chunks differ, the lowest for the first.
#[inline(always)]
fn differences(chunk: &[u8; CHUNK], before: &[u8; CHUNK]) -> u32 {
    let pairs = chunk.as_chunks::<8>().0.iter().zip(before.as_chunks::<8>().0);
    let words = pairs.map(|(word, before)| u64::from_le_bytes(*word) ^ u64::from_le_bytes(*before));
    words.rev().fold(0, |bits, word| bits << 8 | nonzero_bytes(word))
}

/// A bit for each byte that is not zero, the lowest for the first.
#[inline(always)]
fn nonzero_bytes(word: u64) -> u32 {
    const LOW_SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // A byte's highest bit is set by its others' sum or by itself.
    let high = (((word & LOW_SEVEN) + LOW_SEVEN) | word) & !LOW_SEVEN;
    high_bits(high) as u32
}

/// The highest bits of the bytes of a word that has no others, the lowest for the first: the product moves them next to
/// each other.
#[inline(always)]
pub(crate) fn high_bits(word: u64) -> u64 {
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
            let mut places = vec![7];
            match changes(&codes, &mut places) {
                Some(found) => prop_assert_eq!(found, expected),
                None => {
                    let up_to = |end: usize| expected.iter().filter(|&&place| (place as usize) < end).count();
                    let short = (1..=codes.len() / 32).any(|chunks| up_to(1 + 32 * chunks) > (chunks + 1) * 8);
                    prop_assert!(short || expected.len() > codes.len() / 4);
                }
            }
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
            let found = [0, 1, 2, 3].map(|column| runs.of(column));
            assert_eq!(found, [Some(&[6][..]), None, Some(&[]), Some(&[1, 7])]);
        }
    }

    #[test]
    fn short_runs_are_given_up() {
        let codes: Vec<u8> = (0..100).map(|block| block / 2).collect();
        assert_eq!(changes(&codes, &mut Vec::new()), None);
        assert_eq!(changes(&[1, 1, 1, 1, 2], &mut Vec::new()), Some(&[4][..]));
    }
}
