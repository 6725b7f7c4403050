//! The least values of a set of numbers under many permutations.

use gleaner_columns::widest;

/// Permutations that are computed at once.
const LANES: usize = 8;

/// Numbers for which all permutations are computed before the next numbers: 4 KB, which stay in the first cache.
const BLOCK: usize = 1024;

/// Permutations of the numbers of 32 bits: each multiplies by an odd number, then flips some bits.
///
/// The constants are those of a fixed generator, so that the permutations are the same on every machine, and more
/// permutations begin with the same ones. Such permutations are far from random for numbers in sequence; but the numbers
/// here are hashes, and for hashes the minima agree as those of random permutations do (tests/pairs.rs).
#[derive(Clone, Debug)]
pub(crate) struct Permutations {
    groups: Vec<Group>,
    count: usize,
}

/// Constants of permutations that are computed side by side.
#[derive(Clone, Copy, Debug)]
struct Group {
    factors: [u32; LANES],
    flips: [u32; LANES],
}

/// Turns the order of unsigned numbers into that of signed ones: plain x86-64 compares only these side by side.
const SIGN: u32 = 1 << 31;

impl Permutations {
    /// The first `count` permutations.
    pub(crate) fn new(count: usize) -> Permutations {
        let mut state = 0;
        let group = |_| {
            let constants: [u64; LANES] = std::array::from_fn(|_| splitmix64(&mut state));
            Group {
                factors: constants.map(|constant| constant as u32 | 1),
                flips: constants.map(|constant| (constant >> 32) as u32),
            }
        };
        Permutations {
            groups: (0..count.div_ceil(LANES)).map(group).collect(),
            count,
        }
    }

    /// The least value of the numbers under each permutation. No numbers have no minima.
    pub(crate) fn minima(&self, numbers: &[u32], into: &mut Vec<u32>) {
        into.clear();
        if numbers.is_empty() {
            return;
        }
        into.resize(self.groups.len() * LANES, u32::MAX);
        let (minima, _) = into.as_chunks_mut::<LANES>();
        widest(
            #[inline(always)]
            || {
                for block in numbers.chunks(BLOCK) {
                    for (group, minima) in self.groups.iter().zip(&mut *minima) {
                        group.lower(block, minima);
                    }
                }
            },
        );
        into.truncate(self.count);
    }

    /// The number that a permutation takes to a value: flipped back, and multiplied by the inverse of the factor.
    pub(crate) fn number(&self, permutation: usize, value: u32) -> u32 {
        let (group, lane) = (&self.groups[permutation / LANES], permutation % LANES);
        (value ^ group.flips[lane]).wrapping_mul(inverse(group.factors[lane]))
    }
}

impl Group {
    /// Lowers minima to the least values of more numbers.
    // The minima stay in registers while all numbers of a block pass: one multiplication, one exclusive "or" and one minimum a number for
    // eight permutations.
    #[inline(always)]
    fn lower(&self, numbers: &[u32], minima: &mut [u32; LANES]) {
        let flips = self.flips.map(|flip| flip ^ SIGN);
        let mut least = minima.map(|minimum| (minimum ^ SIGN) as i32);
        for number in numbers {
            for lane in 0..LANES {
                let value = (number.wrapping_mul(self.factors[lane]) ^ flips[lane]) as i32;
                least[lane] = least[lane].min(value);
            }
        }
        *minima = least.map(|least| least as u32 ^ SIGN);
    }
}

/// The inverse of an odd number modulo 2³², by Newton's method: an odd number is its own inverse in three bits, and each step
/// doubles them.
fn inverse(odd: u32) -> u32 {
    (0..4).fold(odd, |inverse, _| {
        inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse)))
    })
}

/// The next number of SplitMix64, a generator of Steele, Lea and Flood (2014).
fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed(*state)
}

/// The output function of SplitMix64: different numbers stay different.
pub(crate) fn mixed(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_leads_back_to_its_number() {
        let permutations = Permutations::new(20);
        let mut minima = Vec::new();
        for number in [0, 1, 7, 1 << 31, 0x1234_5678, u32::MAX] {
            permutations.minima(&[number], &mut minima);
            let back = minima
                .iter()
                .enumerate()
                .map(|(at, minimum)| permutations.number(at, *minimum));
            assert!(back.eq([number; 20]), "{number}");
        }
    }
}
