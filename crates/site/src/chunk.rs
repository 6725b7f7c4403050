//! Some bytes of text at a time, each told to be a letter, a sign or something else by a bit of a number.
//!
//! Word by word, byte by byte, the processor mostly waits for its own wrong guesses of where a word ends. Here it
//! looks at 16 bytes in a few instructions, and at a word's bytes in none.

use std::ops::Range;

/// Bytes of a chunk: a bit each.
pub(crate) const CHUNK: usize = u64::BITS as usize;

/// Bytes of a word that are copied at a time, whether it has as many or not.
pub(crate) const WORD: usize = 15;

/// So many are copied.
pub(crate) const COPIED: usize = 16;

/// Bytes that are read: a word may begin with the chunk's last.
const READ: usize = CHUNK + COPIED;

/// The first bytes of a piece of text.
pub(crate) struct Chunk<'a> {
    /// What follows the piece is in here too, but in no bit.
    bytes: &'a [u8; READ],
    /// The bytes that are ASCII letters: the first is the lowest bit.
    pub(crate) letters: u64,
    /// Those that are ASCII digits.
    pub(crate) digits: u64,
    /// Those that are beyond ASCII.
    pub(crate) others: u64,
}

/// Where the last bytes of a text are copied to, so that as many can be read there as anywhere.
pub(crate) type Spare = [u8; READ];

pub(crate) const SPARE: Spare = [0; READ];

/// The bit that small letters have.
const SMALL: u8 = 0x20;

impl<'a> Chunk<'a> {
    /// The first bytes of a piece of a text that is not empty.
    #[inline]
    pub(crate) fn of(text: &'a [u8], piece: Range<usize>, spare: &'a mut Spare) -> Chunk<'a> {
        let bytes = match text[piece.start..].first_chunk() {
            Some(bytes) => bytes,
            None => {
                spare[..text.len() - piece.start].copy_from_slice(&text[piece.start..]);
                &*spare
            }
        };
        let own = u64::MAX >> (CHUNK - piece.len().clamp(1, CHUNK));
        let [letters, digits, others] = classes(bytes).map(|bits| bits & own);
        Chunk {
            bytes,
            letters,
            digits,
            others,
        }
    }

    /// Some of its bytes.
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// Copies the bytes of a word and what follows it, letters in lower case. Gives the first bytes as they are,
    /// as a number.
    #[inline]
    pub(crate) fn copy_small(&self, start: usize, to: &mut [u8; COPIED]) -> u32 {
        let from: &[u8; COPIED] = self.bytes[start..].first_chunk().expect("bytes follow the chunk");
        let (from, to) = (from.as_chunks::<8>().0, to.as_chunks_mut::<8>().0);
        let eights = [from[0], from[1]].map(u64::from_le_bytes);
        let small = u64::from_le_bytes([SMALL; 8]);
        to[0] = (eights[0] | small).to_le_bytes();
        to[1] = (eights[1] | small).to_le_bytes();
        eights[0] as u32
    }
}

/// The letters, the digits and what is beyond ASCII among the first bytes.
#[cfg(target_arch = "x86_64")]
#[inline]
fn classes(bytes: &[u8; READ]) -> [u64; 3] {
    #[expect(
        unsafe_code,
        reason = "the call needs a feature that all processors of the kind have"
    )]
    // SAFETY: `with_sse2` has no other requirement than SSE2, which is part of x86-64.
    unsafe {
        with_sse2(bytes)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn with_sse2(bytes: &[u8; READ]) -> [u64; 3] {
    use std::arch::x86_64::{
        _mm_add_epi8, _mm_cmplt_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    };
    let mut classes = [0; 3];
    for (place, eights) in bytes.as_chunks::<8>().0[..CHUNK / 8]
        .as_chunks()
        .0
        .iter()
        .enumerate()
    {
        let [low, high] = eights.map(i64::from_le_bytes);
        let own = _mm_set_epi64x(high, low);
        let small = _mm_or_si128(own, _mm_set1_epi8(SMALL as i8));
        // Moved so that the first of them is the smallest number there is, they only are below the first plus their
        // count.
        let letters = _mm_add_epi8(small, _mm_set1_epi8(0x80u8.wrapping_sub(b'a') as i8));
        let digits = _mm_add_epi8(own, _mm_set1_epi8(0x80u8.wrapping_sub(b'0') as i8));
        let found = [
            _mm_cmplt_epi8(letters, _mm_set1_epi8(i8::MIN + 26)),
            _mm_cmplt_epi8(digits, _mm_set1_epi8(i8::MIN + 10)),
            own,
        ];
        for (class, found) in classes.iter_mut().zip(found) {
            *class |= u64::from(_mm_movemask_epi8(found) as u16) << (16 * place);
        }
    }
    classes
}

#[cfg(not(target_arch = "x86_64"))]
fn classes(bytes: &[u8; READ]) -> [u64; 3] {
    eights::classes(bytes)
}

/// The same on any machine, in numbers of eight bytes.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod eights {
    use super::{CHUNK, READ, SMALL};

    /// The highest bit of each of eight bytes.
    const HIGH: u64 = 0x80 * ONES;
    const ONES: u64 = 0x0101_0101_0101_0101;
    /// [`SMALL`] in each.
    const SMALLS: u64 = SMALL as u64 * ONES;

    pub(crate) fn classes(bytes: &[u8; READ]) -> [u64; 3] {
        let mut classes = [0; 3];
        for (place, &eight) in bytes.as_chunks().0[..CHUNK / 8].iter().enumerate() {
            let eight = u64::from_le_bytes(eight);
            let small = eight | SMALLS;
            let found = [
                within(small, b'a', b'z') & !eight,
                within(eight, b'0', b'9') & !eight,
                eight,
            ];
            for (class, found) in classes.iter_mut().zip(found) {
                *class |= low_bits(found) << (8 * place);
            }
        }
        classes
    }

    /// The high bits of the bytes that, without theirs, are from `low` to `high`.
    fn within(eight: u64, low: u8, high: u8) -> u64 {
        let ascii = eight & !HIGH;
        let from_low = ascii + (0x80 - u64::from(low)) * ONES;
        let beyond_high = ascii + (0x7f - u64::from(high)) * ONES;
        from_low & !beyond_high
    }

    /// The high bits of eight bytes as eight bits.
    fn low_bits(eight: u64) -> u64 {
        const GATHER: u64 = 0x0102_0408_1020_4080;
        ((eight & HIGH) >> 7).wrapping_mul(GATHER) >> 56
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_those_of_the_bytes(
            text in prop::collection::vec(any::<u8>(), 1..200),
            ends in any::<[prop::sample::Index; 2]>(),
            word in 0usize..CHUNK,
        ) {
            let ends = ends.map(|end| end.index(text.len()));
            let piece = ends[0].min(ends[1])..ends[0].max(ends[1]) + 1;
            let mut spare = SPARE;
            let chunk = Chunk::of(&text, piece.clone(), &mut spare);
            let bits = |of: fn(&u8) -> bool| {
                let bytes = text[piece.clone()].iter().take(CHUNK).enumerate();
                bytes.fold(0, |bits, (place, byte)| bits | u64::from(of(byte)) << place)
            };
            prop_assert_eq!(chunk.letters, bits(u8::is_ascii_alphabetic));
            prop_assert_eq!(chunk.digits, bits(u8::is_ascii_digit));
            prop_assert_eq!(chunk.others, bits(|byte| !byte.is_ascii()));
            let mut copied = [7; COPIED];
            let first = chunk.copy_small(word, &mut copied);
            let whole: Vec<u8> = text[piece.start..].iter().copied().chain(SPARE).collect();
            prop_assert_eq!(copied.to_vec(), whole[word..word + COPIED].iter().map(|byte| byte | 0x20).collect::<Vec<_>>());
            prop_assert_eq!(first.to_le_bytes().to_vec(), whole[word..word + 4].to_vec());
        }

        #[test]
        fn vectors_and_numbers_tell_the_same(bytes in prop::collection::vec(any::<u8>(), READ)) {
            let bytes = bytes.try_into().unwrap();
            prop_assert_eq!(classes(&bytes), eights::classes(&bytes));
        }
    }
}
