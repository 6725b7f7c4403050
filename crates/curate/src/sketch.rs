//! Sketches: similarity of texts from a digest, and one byte a minimum.

/// The estimated similarity of two texts, from 0 to 1: the part of their shingles that both have, by b-bit minwise hashing (Li
/// and König 2010) with b = 8.
///
/// A [sketch](crate::Signature::sketch) begins with a digest of the words with their numbers, of 8 bytes. Texts with the same
/// digest have a similarity of 1; others have at most that of all minima but a half.
///
/// A byte follows for each minimum, a hash of the shingle of the minimum with its numbers. So shingles that differ only in their
/// numbers are different, but count as one of all. Minima agree with probability J. Minima that differ have the same byte with
/// probability 2⁻⁸. So of all bytes the part p = J + (1 - J) 2⁻⁸ is equal, and J = (p - 2⁻⁸) / (1 - 2⁻⁸). With k bytes the
/// standard error is sqrt(p (1 - p) / k) / (1 - 2⁻⁸): with 112 bytes 0.038 at J = 0.8 and 0.047 at J = 0.5.
///
/// A text with fewer words than a shingle has no minima; it is similar to the same words only. So are sketches of different
/// lengths: they are of different settings.
pub fn similarity(left: &[u8], right: &[u8]) -> f32 {
    let (Some((words, left)), Some((others, right))) =
        (left.split_first_chunk::<8>(), right.split_first_chunk())
    else {
        return 0.0;
    };
    if words == others {
        return 1.0;
    }
    if left.is_empty() || left.len() != right.len() {
        return 0.0;
    }
    let equal = left
        .iter()
        .zip(right)
        .filter(|(left, right)| left == right)
        .count();
    let by_chance = 1.0 / 256.0;
    let all = left.len() as f32;
    let estimate = (equal as f32 / all - by_chance) / (1.0 - by_chance);
    estimate.clamp(0.0, 1.0 - 0.5 / all)
}

/// The byte of a minimum. A minimum is the least of many products, and its low bits depend on few bits of the shingle; so
/// all bits are mixed first, by the last step of MurmurHash3.
pub(crate) fn byte(minimum: u32) -> u8 {
    let mut bits = minimum;
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ (bits >> 13)).wrapping_mul(0xc2b2_ae35);
    (bits ^ (bits >> 16)) as u8
}
