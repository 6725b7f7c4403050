//! Eight bytes of a text at a time, in a number.

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

/// The highest bits of eight bytes that have no others, as the lowest bits of a number.
#[inline]
pub(crate) fn high_bits(eight: u64) -> u64 {
    (eight >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The highest bit of each byte that is a digit of ASCII or beyond ASCII.
#[inline]
pub(crate) fn digits_and_others(eight: u64) -> u64 {
    (within(eight, b'0', b'9') | eight) & HIGH
}
