//! Some bytes of text at a time, each told to be a letter, a sign or something else by a bit of a number.
//!
//! Word by word, byte by byte, the processor mostly waits for its own wrong guesses of where a word ends. Here it
//! looks at eight bytes in a few instructions, and at a word's bytes in none.

use std::ops::Range;

/// Bytes of a chunk: a bit each.
pub(super) const CHUNK: usize = u64::BITS as usize;

/// Bytes of a word that are copied at a time, whether it has as many or not.
pub(super) const WORD: usize = 15;

/// So many are copied.
const COPIED: usize = 16;

/// The first bytes of a text.
pub(super) struct Chunk {
    /// Zeros beyond the end.
    bytes: [u8; CHUNK + COPIED],
    /// The bytes that are ASCII letters: the first is the lowest bit.
    pub(super) letters: u64,
    /// Those that are ASCII digits.
    pub(super) digits: u64,
    /// Those that are beyond ASCII.
    pub(super) others: u64,
}

/// The highest bit of each of eight bytes.
const HIGH: u64 = 0x80 * ONES;
const ONES: u64 = 0x0101_0101_0101_0101;
/// The bit that small letters have.
const SMALL: u64 = 0x20 * ONES;

impl Chunk {
    pub(super) fn of(text: &[u8]) -> Chunk {
        let mut chunk = Chunk {
            bytes: [0; CHUNK + COPIED],
            letters: 0,
            digits: 0,
            others: 0,
        };
        let length = text.len().min(CHUNK);
        chunk.bytes[..length].copy_from_slice(&text[..length]);
        for (place, &eight) in chunk
            .bytes
            .as_chunks()
            .0
            .iter()
            .take(length.div_ceil(8))
            .enumerate()
        {
            let eight = u64::from_le_bytes(eight);
            chunk.letters |= low_bits(within(eight | SMALL, b'a', b'z') & !eight) << (8 * place);
            chunk.digits |= low_bits(within(eight, b'0', b'9') & !eight) << (8 * place);
            chunk.others |= low_bits(eight) << (8 * place);
        }
        chunk
    }

    /// Some of its bytes.
    pub(super) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// Copies the bytes of a word and what follows it, letters in lower case. Gives the first bytes as they are,
    /// as a number.
    #[inline]
    pub(super) fn copy_small(&self, start: usize, to: &mut [u8; COPIED]) -> u64 {
        let from: &[u8; COPIED] = self.bytes[start..].first_chunk().expect("zeros follow the chunk");
        let (from, to) = (from.as_chunks::<8>().0, to.as_chunks_mut::<8>().0);
        let eights = [from[0], from[1]].map(u64::from_le_bytes);
        to[0] = (eights[0] | SMALL).to_le_bytes();
        to[1] = (eights[1] | SMALL).to_le_bytes();
        eights[0]
    }
}

/// The high bits of the bytes that, without theirs, are from `low` to `high`.
#[inline]
fn within(eight: u64, low: u8, high: u8) -> u64 {
    let ascii = eight & !HIGH;
    let from_low = ascii + (0x80 - u64::from(low)) * ONES;
    let beyond_high = ascii + (0x7f - u64::from(high)) * ONES;
    from_low & !beyond_high
}

/// The high bits of eight bytes as eight bits.
#[inline]
fn low_bits(eight: u64) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    ((eight & HIGH) >> 7).wrapping_mul(GATHER) >> 56
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_those_of_the_bytes(text in prop::collection::vec(any::<u8>(), 0..100), start in 0usize..64) {
            let chunk = Chunk::of(&text);
            let bits = |of: fn(&u8) -> bool| {
                let bytes = text.iter().take(CHUNK).enumerate();
                bytes.fold(0, |bits, (place, byte)| bits | u64::from(of(byte)) << place)
            };
            prop_assert_eq!(chunk.letters, bits(u8::is_ascii_alphabetic));
            prop_assert_eq!(chunk.digits, bits(u8::is_ascii_digit));
            prop_assert_eq!(chunk.others, bits(|byte| !byte.is_ascii()));
            let mut copied = [7; COPIED];
            let first = chunk.copy_small(start, &mut copied);
            let whole: Vec<u8> = text.iter().take(CHUNK).copied().chain([0; CHUNK + COPIED]).collect();
            prop_assert_eq!(copied.to_vec(), whole[start..start + COPIED].iter().map(|byte| byte | 0x20).collect::<Vec<_>>());
            prop_assert_eq!(first.to_le_bytes().to_vec(), whole[start..start + 8].to_vec());
        }
    }
}
