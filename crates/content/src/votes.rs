//! How many words of a page have each code of a column.

use std::mem::take;

use crate::BlockSize;
use crate::mixture::CODES;

/// Blocks that a vector of the widest processors has a byte each of.
#[cfg(target_arch = "x86_64")]
const STRETCH: usize = 64;

/// How much blocks count for their page, and the codes of the column at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Votes {
    of_blocks: Vec<u64>,
    /// Those of the blocks before, for each block and for the page's end.
    before: Vec<u64>,
    /// Of every second block, and of the others.
    of_codes: [Counts; 2],
    #[cfg(target_arch = "x86_64")]
    wide: Wide,
}

/// A number a code.
#[derive(Clone, Debug)]
struct Counts([u64; CODES]);

impl Default for Counts {
    fn default() -> Counts {
        Counts([0; CODES])
    }
}

impl Votes {
    /// Counts them; says how many there are.
    pub(crate) fn count(&mut self, blocks: &[BlockSize]) -> u64 {
        self.of_blocks.clear();
        self.before.clear();
        let mut total = 0;
        for block in blocks {
            let votes = u64::from(block.words) + 1;
            self.of_blocks.push(votes);
            self.before.push(total);
            total += votes;
        }
        self.before.push(total);
        #[cfg(target_arch = "x86_64")]
        self.wide.read(&self.of_blocks);
        total
    }

    /// Counts the votes of each code of a column that keeps its codes for long.
    #[inline(always)]
    pub(crate) fn count_runs(&mut self, codes: &[u8], places: &[u32]) {
        let end = codes.len();
        let mut first = 0;
        for place in places.iter().map(|&place| place as usize).chain([end]) {
            self.of_codes[0].0[usize::from(codes[first])] += self.before[place] - self.before[first];
            first = place;
        }
    }

    /// The same of another column, which has so many codes. What follows the codes of the blocks means nothing.
    #[inline(always)]
    pub(crate) fn count_blocks(&mut self, codes: &[u8], cardinality: usize) {
        #[cfg(target_arch = "x86_64")]
        if self.wide.is_able && cardinality <= FEW {
            #[expect(unsafe_code, reason = "the call needs the features that were found")]
            // SAFETY: `count` has no other requirement than that the processor has these features.
            unsafe {
                self.wide.count(codes, cardinality, &mut self.of_codes[0].0);
            }
            return;
        }
        self.count_one_by_one(codes);
    }

    /// In turns, so that one block does not wait for the other where both have the same code.
    #[inline(always)]
    fn count_one_by_one(&mut self, codes: &[u8]) {
        let [even, odd] = &mut self.of_codes;
        let codes = codes[..self.of_blocks.len()].as_chunks::<8>();
        let votes = self.of_blocks.as_chunks::<8>();
        for (codes, votes) in codes.0.iter().zip(votes.0) {
            for place in [0, 2, 4, 6] {
                even.0[usize::from(codes[place])] += votes[place];
                odd.0[usize::from(codes[place + 1])] += votes[place + 1];
            }
        }
        for (&code, votes) in codes.1.iter().zip(votes.1) {
            even.0[usize::from(code)] += votes;
        }
    }

    /// The votes of each code that were counted, which are forgotten.
    #[inline(always)]
    pub(crate) fn take_codes(&mut self) -> impl Iterator<Item = u64> + '_ {
        let [even, odd] = &mut self.of_codes;
        let both = even.0.iter_mut().zip(&mut odd.0);
        both.map(
            #[inline(always)]
            |(even, odd)| take(even) + take(odd),
        )
    }
}

/// Codes that are gone through one by one, each for many blocks at a time. Nearly all columns have no more.
#[cfg(target_arch = "x86_64")]
const FEW: usize = 16;

/// Votes as bytes, for a processor whose vectors hold 64 of them (AVX-512).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Debug)]
struct Wide {
    is_able: bool,
    /// Those of the blocks that have no more than a byte holds; zeros for the others, and behind the last one until a
    /// vector is full.
    bytes: Vec<[u8; STRETCH]>,
    /// The other blocks, and their votes.
    others: Vec<(u32, u64)>,
    /// The last codes of a page's last column.
    last: [u8; STRETCH],
}

#[cfg(target_arch = "x86_64")]
impl Default for Wide {
    fn default() -> Wide {
        Wide {
            is_able: false,
            bytes: Vec::new(),
            others: Vec::new(),
            last: [0; STRETCH],
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Wide {
    fn read(&mut self, votes: &[u64]) {
        self.is_able = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        self.bytes.clear();
        self.others.clear();
        if !self.is_able {
            return;
        }
        for (number, votes) in votes.chunks(STRETCH).enumerate() {
            let mut bytes = [0; STRETCH];
            for (place, (byte, &votes)) in bytes.iter_mut().zip(votes).enumerate() {
                match u8::try_from(votes) {
                    Ok(votes) => *byte = votes,
                    Err(_) => self.others.push(((number * STRETCH + place) as u32, votes)),
                }
            }
            self.bytes.push(bytes);
        }
    }

    /// Adds the votes of each of the first codes.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[expect(
        clippy::needless_range_loop,
        reason = "steps of iterators are calls now and then"
    )]
    fn count(&mut self, codes: &[u8], cardinality: usize, counts: &mut [u64; CODES]) {
        use std::arch::x86_64::{
            _mm512_add_epi64, _mm512_cmpeq_epi8_mask, _mm512_maskz_mov_epi8, _mm512_reduce_add_epi64,
            _mm512_sad_epu8, _mm512_set1_epi8, _mm512_setzero_si512,
        };
        for &(block, votes) in &self.others {
            counts[usize::from(codes[block as usize])] += votes;
        }
        let (whole, rest) = codes.as_chunks::<STRETCH>();
        let stretches = whole.len().min(self.bytes.len());
        if stretches < self.bytes.len() {
            self.last[..rest.len()].copy_from_slice(rest);
        }
        for code in 0..cardinality.min(CODES) {
            let wanted = _mm512_set1_epi8((code as u8).cast_signed());
            let mut sums = _mm512_setzero_si512();
            for stretch in 0..self.bytes.len() {
                let codes = if stretch < stretches {
                    &whole[stretch]
                } else {
                    &self.last
                };
                let have_it = _mm512_cmpeq_epi8_mask(load(codes), wanted);
                let votes = _mm512_maskz_mov_epi8(have_it, load(&self.bytes[stretch]));
                sums = _mm512_add_epi64(sums, _mm512_sad_epu8(votes, _mm512_setzero_si512()));
            }
            counts[code] += _mm512_reduce_add_epi64(sums).cast_unsigned();
        }
    }
}

/// Bytes in order as a vector.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; STRETCH]) -> std::arch::x86_64::__m512i {
    #[expect(unsafe_code, reason = "vectors are made of memory that has no vector's type")]
    // SAFETY: both are 64 bytes, and any bytes are a vector.
    unsafe {
        std::mem::transmute(*bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Blocks of a page with their codes, below some number, and codes of the next column; most have few words.
    fn pages() -> impl Strategy<Value = (usize, Vec<(u8, u32)>, usize)> {
        let cardinality = prop::sample::select(vec![2usize, 9, 13, 16, 17, 256]);
        cardinality.prop_flat_map(|cardinality| {
            let words = prop_oneof![0u32..30, 200u32..300, 0u32..100_000];
            let block = (0..=(cardinality - 1) as u8, words);
            (
                Just(cardinality),
                prop::collection::vec(block, 0..200),
                0usize..80,
            )
        })
    }

    proptest! {
        #[test]
        fn each_code_has_the_votes_of_its_blocks(pages in prop::collection::vec(pages(), 1..4)) {
            let mut votes = Votes::default();
            for (cardinality, page, behind) in pages {
                let size = |&(_, words): &(u8, u32)| BlockSize { words, same_pre: false };
                let blocks: Vec<BlockSize> = page.iter().map(size).collect();
                let mut codes: Vec<u8> = page.iter().map(|&(code, _)| code).collect();
                let mut expected = vec![0; CODES];
                for &(code, words) in &page {
                    expected[usize::from(code)] += u64::from(words) + 1;
                }
                prop_assert_eq!(votes.count(&blocks), expected.iter().sum::<u64>());
                votes.count_one_by_one(&codes);
                prop_assert_eq!(votes.take_codes().collect::<Vec<_>>(), expected.clone());
                let changes = (1..codes.len()).filter(|&place| codes[place] != codes[place - 1]);
                let places: Vec<u32> = changes.map(|place| place as u32).collect();
                if !codes.is_empty() {
                    votes.count_runs(&codes, &places);
                    prop_assert_eq!(votes.take_codes().collect::<Vec<_>>(), expected.clone());
                }
                codes.extend(std::iter::repeat_n(1, behind));
                votes.count_blocks(&codes, cardinality);
                prop_assert_eq!(votes.take_codes().collect::<Vec<_>>(), expected);
            }
        }
    }
}
