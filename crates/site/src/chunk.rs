//! 64 bytes of text at a time, classified into letters, digits and others: one bit a byte.
//!
//! A loop over single bytes mispredicts a branch at the end of most words. Here eight bytes are classified in a few
//! instructions, and words are found in the bits.

use std::ops::Range;

/// Bytes per chunk: as many as a number has bits.
pub(crate) const CHUNK: usize = u64::BITS as usize;

/// The longest word that [`Chunk::copy_lower_case`] copies whole.
pub(crate) const WORD: usize = 15;

/// Bytes that [`Chunk::copy_lower_case`] copies, however short the word is.
pub(crate) const COPIED: usize = 16;

/// Bytes that are read: a word may begin with the last byte of the chunk.
const READ: usize = CHUNK + COPIED;

/// The first bytes of a piece of text, and their classes: the lowest bit is that of the first byte.
pub(crate) struct Chunk<'a> {
    /// Bytes after the piece may follow; they have no bits.
    bytes: &'a [u8; READ],
    /// ASCII letters.
    pub(crate) letters: u64,
    /// ASCII digits.
    pub(crate) digits: u64,
    /// Bytes beyond ASCII.
    pub(crate) others: u64,
}

/// A buffer for the end of a text, where fewer than [`READ`] bytes are left.
pub(crate) type Spare = [u8; READ];

pub(crate) const SPARE: Spare = [0; READ];

/// The bit by which a lower-case ASCII letter differs from its capital.
const LOWER_CASE: u8 = 0x20;

impl<'a> Chunk<'a> {
    /// The first bytes of a piece of a text. The piece is not empty.
    #[inline]
    pub(crate) fn new(text: &'a [u8], piece: Range<usize>, spare: &'a mut Spare) -> Chunk<'a> {
        let bytes = match text[piece.start..].first_chunk() {
            Some(bytes) => bytes,
            None => {
                spare[..text.len() - piece.start].copy_from_slice(&text[piece.start..]);
                &*spare
            }
        };
        let own = u64::MAX >> (CHUNK - piece.len().clamp(1, CHUNK));
        let [letters, digits, others] = classes(bytes, piece.len()).map(|bits| bits & own);
        Chunk {
            bytes,
            letters,
            digits,
            others,
        }
    }

    /// The bytes of a range.
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// Copies the bytes from a place on, ASCII letters in lower case. Returns the first four of them as they were, as a
    /// little-endian number.
    #[inline]
    pub(crate) fn copy_lower_case(&self, start: usize, to: &mut [u8; COPIED]) -> u32 {
        let from: &[u8; COPIED] = self.bytes[start..].first_chunk().expect("bytes follow the chunk");
        let (from, to) = (from.as_chunks::<8>().0, to.as_chunks_mut::<8>().0);
        let eights = [from[0], from[1]].map(u64::from_le_bytes);
        to[0] = (eights[0] | LOWER_CASES).to_le_bytes();
        to[1] = (eights[1] | LOWER_CASES).to_le_bytes();
        eights[0] as u32
    }
}

/// The highest bit of each of eight bytes.
const HIGH: u64 = 0x80 * ONES;
const ONES: u64 = 0x0101_0101_0101_0101;
/// [`LOWER_CASE`] in each of eight bytes.
const LOWER_CASES: u64 = LOWER_CASE as u64 * ONES;

/// For each class (ASCII letters, ASCII digits, bytes beyond ASCII) a bit for each of the first `needed` bytes of the chunk.
#[inline]
fn classes(bytes: &[u8; READ], needed: usize) -> [u64; 3] {
    let mut classes = [0; 3];
    let eights = bytes.as_chunks().0[..CHUNK / 8].iter();
    for (place, &eight) in eights.take(needed.div_ceil(8)).enumerate() {
        let eight = u64::from_le_bytes(eight);
        let found = [
            within(eight | LOWER_CASES, b'a', b'z') & !eight,
            within(eight, b'0', b'9') & !eight,
            eight,
        ];
        for (class, found) in classes.iter_mut().zip(found) {
            *class |= high_bits(found) << (8 * place);
        }
    }
    classes
}

/// Sets the high bit of each of eight bytes that, without its high bit, is from `low` to `high`.
#[inline]
fn within(eight: u64, low: u8, high: u8) -> u64 {
    let ascii = eight & !HIGH;
    let from_low = ascii + (0x80 - u64::from(low)) * ONES;
    let beyond_high = ascii + (0x7f - u64::from(high)) * ONES;
    from_low & !beyond_high
}

/// The high bits of eight bytes as the eight bits of a number.
#[inline]
fn high_bits(eight: u64) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    ((eight & HIGH) >> 7).wrapping_mul(GATHER) >> 56
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
            let chunk = Chunk::new(&text, piece.clone(), &mut spare);
            let bits = |of: fn(&u8) -> bool| {
                let bytes = text[piece.clone()].iter().take(CHUNK).enumerate();
                bytes.fold(0, |bits, (place, byte)| bits | u64::from(of(byte)) << place)
            };
            prop_assert_eq!(chunk.letters, bits(u8::is_ascii_alphabetic));
            prop_assert_eq!(chunk.digits, bits(u8::is_ascii_digit));
            prop_assert_eq!(chunk.others, bits(|byte| !byte.is_ascii()));
            let mut copied = [7; COPIED];
            let first = chunk.copy_lower_case(word, &mut copied);
            let whole: Vec<u8> = text[piece.start..].iter().copied().chain(SPARE).collect();
            prop_assert_eq!(copied.to_vec(), whole[word..word + COPIED].iter().map(|byte| byte | 0x20).collect::<Vec<_>>());
            prop_assert_eq!(first.to_le_bytes().to_vec(), whole[word..word + 4].to_vec());
        }
    }
}
