//! Eight bytes of a text at a time, in a number.

use std::ops::Range;

use gleaner_columns::high_bits;

/// Bytes that are compared at once: as many as a number has bits.
pub(crate) const CHUNK: usize = u64::BITS as usize;

/// A one in each byte, and the highest bit of each.
pub(crate) const ONES: u64 = 0x0101_0101_0101_0101;
pub(crate) const HIGH: u64 = 0x80 * ONES;

/// Sets the highest bit of each byte that, without its own highest bit, is from `low` to `high`; other bits mean nothing.
#[inline]
pub(crate) fn within(eight: u64, low: u8, high: u8) -> u64 {
    // Without the highest bit no byte's sum runs over into the next.
    let ascii = eight & !HIGH;
    (ascii + (0x80 - u64::from(low)) * ONES) & !(ascii + (0x7f - u64::from(high)) * ONES)
}

/// Sets the highest bit of each byte that, without its own highest bit, is a letter.
#[inline]
pub(crate) fn letters(eight: u64) -> u64 {
    within(eight | (0x20 * ONES), b'a', b'z')
}

/// Eight bytes of a text from any place on as a number; zeros for those behind its end.
pub(crate) struct Heads<'t> {
    pub(crate) text: &'t [u8],
    /// The last eight bytes, or all, and where they begin.
    last: u64,
    from: usize,
}

impl Heads<'_> {
    pub(crate) fn new(text: &[u8]) -> Heads<'_> {
        let last = match text.last_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => text
                .iter()
                .rev()
                .fold(0, |last, &byte| last << 8 | u64::from(byte)),
        };
        Heads {
            text,
            last,
            from: text.len().saturating_sub(8),
        }
    }

    #[inline]
    pub(crate) fn at(&self, start: usize) -> u64 {
        match self.text[start..].first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => self.last.checked_shr(8 * (start - self.from) as u32).unwrap_or(0),
        }
    }

    /// A bit for each of the next bytes up to an end, of which there is one, for each of two classes: those whose highest bits
    /// `classes` sets.
    #[inline]
    pub(crate) fn chunk(&self, bytes: Range<usize>, classes: impl Fn(u64) -> [u64; 2]) -> [u64; 2] {
        let (mut chunk, mut place) = ([0; 2], 0);
        while place < bytes.len().min(CHUNK) {
            let found = classes(self.at(bytes.start + place));
            for (bits, found) in chunk.iter_mut().zip(found) {
                *bits |= high_bits(found & HIGH) << place;
            }
            place += 8;
        }
        let own = u64::MAX >> (CHUNK - bytes.len().clamp(1, CHUNK));
        chunk.map(|bits| bits & own)
    }
}

/// The highest bit of each byte that is a digit of ASCII or beyond ASCII.
#[inline]
pub(crate) fn digits_and_others(eight: u64) -> u64 {
    (within(eight, b'0', b'9') | eight) & HIGH
}
