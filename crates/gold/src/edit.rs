//! The edit distance of two sequences, and an alignment that has it, by bit-parallel dynamic
//! programming.
//!
//! A column of the table is two bit vectors, 64 cells a word: where the distance grows by one from
//! a cell to the next, and where it falls (Myers 1999, in the form of Hyyrö 2003). The columns are
//! kept for the way back while they fit in [`MAX_COLUMN_WORDS`]; a larger table is halved first as
//! by Hirschberg 1975, at twice the time. Time is `n * m / 64` steps, memory a constant and `n + m`.

use std::ops::Range;

use crate::lcs::{Masks, carrying_add};

/// How many 64-bit words the columns of one table may take, of each of the two kinds: 16 MiB.
const MAX_COLUMN_WORDS: usize = 2 << 20;

/// An alignment with the fewest insertions, deletions and substitutions (Levenshtein 1966).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// How many insertions, deletions and substitutions.
    pub distance: usize,
    /// The positions of what is equal and aligned, ascending in both.
    pub pairs: Vec<(usize, usize)>,
}

/// Aligns two sequences of symbols. Symbols have to be dense: memory is spent on each below the
/// largest.
///
/// ```
/// let alignment = gleaner_gold::edit_alignment(&[1, 2, 3, 4], &[1, 9, 3]);
/// assert_eq!((alignment.distance, alignment.pairs), (2, vec![(0, 0), (2, 2)]));
/// ```
pub fn edit_alignment(left: &[u32], right: &[u32]) -> Alignment {
    alignment_within(left, right, MAX_COLUMN_WORDS)
}

fn alignment_within(left: &[u32], right: &[u32], max_column_words: usize) -> Alignment {
    let mut alignment = Alignment::default();
    let solver = Solver {
        left,
        right,
        max_column_words,
    };
    solver.solve(0..left.len(), 0..right.len(), &mut alignment);
    alignment
}

struct Solver<'s> {
    left: &'s [u32],
    right: &'s [u32],
    max_column_words: usize,
}

impl Solver<'_> {
    fn solve(&self, mut left: Range<usize>, mut right: Range<usize>, alignment: &mut Alignment) {
        while !left.is_empty() && !right.is_empty() && self.left[left.start] == self.right[right.start] {
            alignment.pairs.push((left.start, right.start));
            (left.start, right.start) = (left.start + 1, right.start + 1);
        }
        let mut tail = 0;
        while !left.is_empty() && !right.is_empty() && self.left[left.end - 1] == self.right[right.end - 1] {
            (left.end, right.end, tail) = (left.end - 1, right.end - 1, tail + 1);
        }
        if left.is_empty() || right.is_empty() {
            alignment.distance += left.len() + right.len();
        } else {
            self.solve_differing(left.clone(), right.clone(), alignment);
        }
        let ends = (0..tail).map(|step| (left.end + step, right.end + step));
        alignment.pairs.extend(ends);
    }

    fn solve_differing(&self, left: Range<usize>, right: Range<usize>, alignment: &mut Alignment) {
        let words = left.len().div_ceil(64);
        if right.len() == 1 || words * right.len() <= self.max_column_words {
            return self.trace(left, right, alignment);
        }
        let middle = right.start + right.len() / 2;
        let split = self.split(&left, &right, middle);
        self.solve(left.start..split, right.start..middle, alignment);
        self.solve(split..left.end, middle..right.end, alignment);
    }

    /// Where the left side is cut best when the right one is cut in the middle.
    fn split(&self, left: &Range<usize>, right: &Range<usize>, middle: usize) -> usize {
        let ahead = self.right[right.start..middle].iter().copied();
        let before = Column::after(&self.left[left.clone()], ahead);
        let reversed: Vec<u32> = self.left[left.clone()].iter().rev().copied().collect();
        let behind = Column::after(&reversed, self.right[middle..right.end].iter().rev().copied());
        let heads = before.distances(left.len(), middle - right.start);
        let tails = behind.distances(left.len(), right.end - middle);
        let sums = heads
            .iter()
            .zip(tails.iter().rev())
            .map(|(head, tail)| head + tail);
        let best = sums.enumerate().min_by_key(|&(_, sum)| sum);
        left.start + best.map_or(0, |(cut, _)| cut)
    }

    /// Keeps all columns and goes back through them.
    fn trace(&self, left: Range<usize>, right: Range<usize>, alignment: &mut Alignment) {
        let masks = Masks::new(&self.left[left.clone()]);
        let mut column = Column::new(left.len());
        let mut columns = Vec::with_capacity(right.len() + 1);
        columns.push((column.grows.clone(), column.falls.clone()));
        for &symbol in &self.right[right.clone()] {
            column.step(&masks, symbol);
            columns.push((column.grows.clone(), column.falls.clone()));
        }
        let first = alignment.pairs.len();
        let (mut i, mut j) = (left.len(), right.len());
        while i > 0 && j > 0 {
            if is_set(&columns[j].0, i - 1) {
                (i, alignment.distance) = (i - 1, alignment.distance + 1);
            } else if is_set(&columns[j - 1].1, i - 1) {
                (j, alignment.distance) = (j - 1, alignment.distance + 1);
            } else {
                (i, j) = (i - 1, j - 1);
                if self.left[left.start + i] == self.right[right.start + j] {
                    alignment.pairs.push((left.start + i, right.start + j));
                } else {
                    alignment.distance += 1;
                }
            }
        }
        alignment.distance += i + j;
        alignment.pairs[first..].reverse();
    }
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

/// A column of the table: from cell `i` to `i + 1` the distance grows where bit `i` of `grows` is
/// set, falls where that of `falls` is, and else stays.
struct Column {
    grows: Vec<u64>,
    falls: Vec<u64>,
    scratch: Vec<u64>,
}

impl Column {
    fn new(length: usize) -> Column {
        let width = length.div_ceil(64);
        Column {
            grows: vec![u64::MAX; width],
            falls: vec![0; width],
            scratch: vec![0; width],
        }
    }

    /// The column after all symbols of the right side.
    fn after(left: &[u32], right: impl Iterator<Item = u32>) -> Column {
        let masks = Masks::new(left);
        let mut column = Column::new(left.len());
        right.for_each(|symbol| column.step(&masks, symbol));
        column
    }

    fn step(&mut self, masks: &Masks, symbol: u32) {
        if let Some(mask) = masks.whole(symbol) {
            return advance(&mut self.grows, &mut self.falls, mask);
        }
        let positions = masks.positions(symbol);
        positions
            .iter()
            .for_each(|&at| self.scratch[at as usize / 64] |= 1 << (at % 64));
        advance(&mut self.grows, &mut self.falls, &self.scratch);
        positions
            .iter()
            .for_each(|&at| self.scratch[at as usize / 64] = 0);
    }

    /// The distance of each prefix of the left side, the empty one first, to the `seen` symbols of
    /// the right side.
    fn distances(&self, length: usize, seen: usize) -> Vec<usize> {
        let mut distances = Vec::with_capacity(length + 1);
        distances.push(seen);
        let mut distance = seen;
        for i in 0..length {
            distance += usize::from(is_set(&self.grows, i));
            distance -= usize::from(is_set(&self.falls, i));
            distances.push(distance);
        }
        distances
    }
}

/// One column on: `mask` has the places of the symbol in the left side. The numbers are of many
/// words, and three carries go from word to word.
fn advance(grows: &mut [u64], falls: &mut [u64], mask: &[u64]) {
    let (mut carry, mut carry_up, mut carry_down) = (false, 1, 0);
    for ((grows, falls), &mask) in grows.iter_mut().zip(falls).zip(mask) {
        let (sum, more) = carrying_add(*grows, mask & *grows, carry);
        carry = more;
        let diagonal = (sum ^ *grows) | mask | *falls;
        let up = *falls | !(diagonal | *grows);
        let down = diagonal & *grows;
        let (up, next_up) = (up << 1 | carry_up, up >> 63);
        let (down, next_down) = (down << 1 | carry_down, down >> 63);
        (carry_up, carry_down) = (next_up, next_down);
        *grows = down | !(diagonal | up);
        *falls = up & diagonal;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The quadratic twin: the distance alone.
    fn distance(left: &[u32], right: &[u32]) -> usize {
        let mut row: Vec<usize> = (0..=right.len()).collect();
        for (i, a) in left.iter().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], i + 1);
            for (j, b) in right.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = (diagonal + usize::from(a != b)).min(above + 1).min(row[j] + 1);
                diagonal = above;
            }
        }
        row[right.len()]
    }

    /// What an alignment with these pairs costs: between two of them the longer side counts.
    fn cost(pairs: &[(usize, usize)], left: usize, right: usize) -> usize {
        let mut from = (0, 0);
        let mut cost = 0;
        for &(i, j) in pairs.iter().chain([&(left, right)]) {
            cost += (i - from.0).max(j - from.1);
            from = (i + 1, j + 1);
        }
        cost
    }

    fn check(left: &[u32], right: &[u32], max_column_words: usize) -> Result<(), TestCaseError> {
        let alignment = alignment_within(left, right, max_column_words);
        let pairs = &alignment.pairs;
        prop_assert!(pairs.is_sorted_by(|one, two| one.0 < two.0 && one.1 < two.1));
        prop_assert!(pairs.iter().all(|&(i, j)| left[i] == right[j]));
        prop_assert_eq!(alignment.distance, distance(left, right));
        prop_assert_eq!(alignment.distance, cost(pairs, left.len(), right.len()));
        Ok(())
    }

    fn sequence(symbols: u32) -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::vec(0..symbols, 0..300)
    }

    proptest! {
        #[test]
        fn is_the_distance_of_the_twin(left in sequence(6), right in sequence(8)) {
            check(&left, &right, MAX_COLUMN_WORDS)?;
        }

        #[test]
        fn is_the_distance_with_many_symbols(left in sequence(200), right in sequence(250)) {
            check(&left, &right, MAX_COLUMN_WORDS)?;
        }

        #[test]
        fn is_the_distance_when_the_table_is_cut(left in sequence(5), right in sequence(5), limit in 1usize..40) {
            check(&left, &right, limit)?;
        }
    }
}
