//! A longest common subsequence by bit-parallel dynamic programming.
//!
//! A row of the table is a bit vector, 64 cells a word: a zero bit at `i` says that the length
//! grows by one there (Crochemore, Iliopoulos, Pinzon and Reid 2001; Hyyrö 2004). The rows are
//! kept for the way back while they fit in [`MAX_ROW_WORDS`]; a larger table is halved first as
//! by Hirschberg 1975, at twice the time. Time is `n * m / 64` steps, memory a constant and
//! `n + m`.

use std::ops::Range;

/// How many 64-bit words the rows of one table may take: 32 MiB.
const MAX_ROW_WORDS: usize = 4 << 20;

/// The pairs of positions of a longest common subsequence of two sequences of symbols, ascending
/// in both. Symbols have to be dense: memory is spent on each below the largest.
///
/// ```
/// assert_eq!(gleaner_gold::common_subsequence(&[1, 2, 3], &[2, 9, 3]), [(1, 0), (2, 2)]);
/// ```
pub fn common_subsequence(left: &[u32], right: &[u32]) -> Vec<(usize, usize)> {
    subsequence_within(left, right, MAX_ROW_WORDS)
}

/// The length of a longest common subsequence, for less: no row is kept.
///
/// ```
/// assert_eq!(gleaner_gold::common_length(&[1, 2, 3], &[2, 9, 3]), 2);
/// ```
pub fn common_length(left: &[u32], right: &[u32]) -> usize {
    let row = BitRow::after(left, right.iter().copied());
    row.lengths(left.len()).last().unwrap_or_default()
}

fn subsequence_within(left: &[u32], right: &[u32], max_row_words: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    Solver {
        left,
        right,
        max_row_words,
    }
    .solve(0..left.len(), 0..right.len(), &mut pairs);
    pairs
}

struct Solver<'s> {
    left: &'s [u32],
    right: &'s [u32],
    max_row_words: usize,
}

impl Solver<'_> {
    fn solve(&self, mut left: Range<usize>, mut right: Range<usize>, pairs: &mut Vec<(usize, usize)>) {
        while !left.is_empty() && !right.is_empty() && self.left[left.start] == self.right[right.start] {
            pairs.push((left.start, right.start));
            (left.start, right.start) = (left.start + 1, right.start + 1);
        }
        let mut tail = 0;
        while !left.is_empty() && !right.is_empty() && self.left[left.end - 1] == self.right[right.end - 1] {
            (left.end, right.end, tail) = (left.end - 1, right.end - 1, tail + 1);
        }
        if !left.is_empty() && !right.is_empty() {
            self.solve_differing(left.clone(), right.clone(), pairs);
        }
        pairs.extend((0..tail).map(|step| (left.end + step, right.end + step)));
    }

    fn solve_differing(&self, left: Range<usize>, right: Range<usize>, pairs: &mut Vec<(usize, usize)>) {
        let words = left.len().div_ceil(64);
        if right.len() == 1 || words * right.len() <= self.max_row_words {
            return self.trace(left, right, pairs);
        }
        let middle = right.start + right.len() / 2;
        let split = self.split(&left, &right, middle);
        self.solve(left.start..split, right.start..middle, pairs);
        self.solve(split..left.end, middle..right.end, pairs);
    }

    /// Where the left side is cut best when the right one is cut in the middle.
    fn split(&self, left: &Range<usize>, right: &Range<usize>, middle: usize) -> usize {
        let before = BitRow::after(
            &self.left[left.clone()],
            self.right[right.start..middle].iter().copied(),
        );
        let reversed: Vec<u32> = self.left[left.clone()].iter().rev().copied().collect();
        let behind = BitRow::after(&reversed, self.right[middle..right.end].iter().rev().copied());
        let lengths = before
            .lengths(left.len())
            .zip(behind.lengths(left.len()).collect::<Vec<_>>().into_iter().rev());
        let best = lengths.enumerate().max_by_key(|&(_, (head, tail))| head + tail);
        left.start + best.map_or(0, |(cut, _)| cut)
    }

    /// Keeps all rows and goes back through them.
    fn trace(&self, left: Range<usize>, right: Range<usize>, pairs: &mut Vec<(usize, usize)>) {
        let masks = Masks::new(&self.left[left.clone()]);
        let mut row = BitRow::new(left.len());
        let width = row.bits.len();
        let mut rows = Vec::with_capacity(width * (right.len() + 1));
        rows.extend_from_slice(&row.bits);
        for &symbol in &self.right[right.clone()] {
            row.step(&masks, symbol);
            rows.extend_from_slice(&row.bits);
        }
        let grows = |i: usize, j: usize| rows[j * width + i / 64] >> (i % 64) & 1 == 0;
        let first = pairs.len();
        let (mut i, mut j) = (left.len(), right.len());
        while i > 0 && j > 0 {
            if !grows(i - 1, j) {
                i -= 1;
            } else if grows(i - 1, j - 1) {
                j -= 1;
            } else {
                (i, j) = (i - 1, j - 1);
                pairs.push((left.start + i, right.start + j));
            }
        }
        pairs[first..].reverse();
    }
}

/// Where each symbol stands in the left sequence.
pub(crate) struct Masks {
    /// Positions by symbol, one symbol after the other.
    positions: Vec<u32>,
    starts: Vec<u32>,
    /// For a symbol that stands at more places than there are words in a row, which at most 64
    /// do, its whole row of bits; elsewhere [`NO_MASK`].
    whole: Vec<u32>,
    masks: Vec<u64>,
    width: usize,
}

const NO_MASK: u32 = u32::MAX;

impl Masks {
    pub(crate) fn new(left: &[u32]) -> Masks {
        let symbols = left.iter().max().map_or(0, |&most| most as usize + 1);
        let mut starts = vec![0u32; symbols + 2];
        left.iter().for_each(|&symbol| starts[symbol as usize + 2] += 1);
        (2..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut positions = vec![0; left.len()];
        for (position, &symbol) in left.iter().enumerate() {
            positions[starts[symbol as usize + 1] as usize] = position as u32;
            starts[symbol as usize + 1] += 1;
        }
        let width = left.len().div_ceil(64);
        let mut masks = Masks {
            positions,
            starts,
            whole: vec![NO_MASK; symbols],
            masks: Vec::new(),
            width,
        };
        (0..symbols).for_each(|symbol| masks.make_whole(symbol));
        masks
    }

    fn make_whole(&mut self, symbol: usize) {
        let range = self.starts[symbol] as usize..self.starts[symbol + 1] as usize;
        if range.len() > self.width {
            let start = self.masks.len();
            self.whole[symbol] = (start / self.width) as u32;
            self.masks.resize(start + self.width, 0);
            for &position in &self.positions[range] {
                self.masks[start + position as usize / 64] |= 1 << (position % 64);
            }
        }
    }

    /// The places of a symbol, ascending.
    pub(crate) fn positions(&self, symbol: u32) -> &[u32] {
        match self.starts.get(symbol as usize..symbol as usize + 2) {
            Some(&[start, end]) if (symbol as usize) < self.whole.len() => {
                &self.positions[start as usize..end as usize]
            }
            _ => &[],
        }
    }

    /// The places of a symbol as a row of bits, where one was made.
    pub(crate) fn whole(&self, symbol: u32) -> Option<&[u64]> {
        let &index = self
            .whole
            .get(symbol as usize)
            .filter(|&&index| index != NO_MASK)?;
        Some(&self.masks[index as usize * self.width..][..self.width])
    }
}

/// A row of the table: bit `i` is zero where the length grows from `i` to `i + 1`.
struct BitRow {
    bits: Vec<u64>,
    scratch: Vec<u64>,
}

impl BitRow {
    fn new(length: usize) -> BitRow {
        let width = length.div_ceil(64);
        BitRow {
            bits: vec![u64::MAX; width],
            scratch: vec![0; width],
        }
    }

    /// The row after all symbols of the right side.
    fn after(left: &[u32], right: impl Iterator<Item = u32>) -> BitRow {
        let masks = Masks::new(left);
        let mut row = BitRow::new(left.len());
        right.for_each(|symbol| row.step(&masks, symbol));
        row
    }

    fn step(&mut self, masks: &Masks, symbol: u32) {
        if let Some(mask) = masks.whole(symbol) {
            return add(&mut self.bits, mask);
        }
        let positions = masks.positions(symbol);
        if !positions.is_empty() {
            positions
                .iter()
                .for_each(|&at| self.scratch[at as usize / 64] |= 1 << (at % 64));
            add(&mut self.bits, &self.scratch);
            positions
                .iter()
                .for_each(|&at| self.scratch[at as usize / 64] = 0);
        }
    }

    /// The length of the subsequence with each prefix of the left side, the empty one first.
    fn lengths(&self, length: usize) -> impl Iterator<Item = usize> + '_ {
        let grows = (0..length).map(|i| usize::from(self.bits[i / 64] >> (i % 64) & 1 == 0));
        std::iter::once(0).chain(grows.scan(0, |sum, grows| {
            *sum += grows;
            Some(*sum)
        }))
    }
}

/// `V = (V + (V & M)) | (V & !M)` over a number of many words.
fn add(bits: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (bits, mask) in bits.iter_mut().zip(mask) {
        let (sum, more) = carrying_add(*bits, *bits & mask, carry);
        *bits = sum | (*bits & !mask);
        carry = more;
    }
}

/// Addition with carry in and out.
pub(crate) fn carrying_add(left: u64, right: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = left.overflowing_add(right);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first | second)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The quadratic twin: the length alone.
    fn length(left: &[u32], right: &[u32]) -> usize {
        let mut row = vec![0usize; right.len() + 1];
        for a in left {
            let mut diagonal = 0;
            for (j, b) in right.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if a == b { diagonal + 1 } else { above.max(row[j]) };
                diagonal = above;
            }
        }
        row[right.len()]
    }

    fn check(left: &[u32], right: &[u32], max_row_words: usize) -> Result<(), TestCaseError> {
        let pairs = subsequence_within(left, right, max_row_words);
        prop_assert!(pairs.is_sorted_by(|one, two| one.0 < two.0 && one.1 < two.1));
        prop_assert!(pairs.iter().all(|&(i, j)| left[i] == right[j]));
        prop_assert_eq!(pairs.len(), length(left, right));
        prop_assert_eq!(pairs.len(), common_length(left, right));
        Ok(())
    }

    fn sequence(symbols: u32) -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::vec(0..symbols, 0..300)
    }

    proptest! {
        #[test]
        fn is_as_long_as_the_twin_says(left in sequence(6), right in sequence(8)) {
            check(&left, &right, MAX_ROW_WORDS)?;
        }

        #[test]
        fn is_as_long_with_many_symbols(left in sequence(200), right in sequence(250)) {
            check(&left, &right, MAX_ROW_WORDS)?;
        }

        #[test]
        fn is_as_long_when_the_table_is_cut(left in sequence(5), right in sequence(5), limit in 1usize..40) {
            check(&left, &right, limit)?;
        }
    }
}
