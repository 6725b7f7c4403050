//! The hashed tokens of all pages, by bucket: what their gradient is summed over.

use std::ops::Range;

use super::pages::Page;
use crate::lanes::{LANES, Row};

/// A task sums about so many tokens.
const PORTION: usize = 1 << 16;

/// For each bucket the residuals of the blocks that have it (twice if it is there twice), in the
/// order of pages.
#[derive(Default)]
pub(super) struct Bags {
    /// Where each bucket's blocks begin; one more than there are buckets.
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Bags {
    /// Sorts the tokens of pages by bucket, by counting. Tokens from `buckets` on are left out.
    pub(super) fn new(buckets: usize, pages: &[Page<'_>]) -> Bags {
        let tokens = || {
            let blocks = pages
                .iter()
                .flat_map(|page| (0..page.len()).map(move |block| (page, block)));
            let tokens = blocks.flat_map(|(page, block)| {
                let row = (page.row + block) as u32;
                page.columns
                    .bag(block)
                    .iter()
                    .map(move |&bucket| (bucket as usize, row))
            });
            tokens.filter(|(bucket, _)| *bucket < buckets)
        };
        let mut starts = vec![0; buckets + 1];
        tokens().for_each(|(bucket, _)| starts[bucket + 1] += 1);
        for bucket in 0..buckets {
            starts[bucket + 1] += starts[bucket];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[buckets]];
        for (bucket, row) in tokens() {
            rows[next[bucket]] = row;
            next[bucket] += 1;
        }
        Bags { starts, rows }
    }

    /// Whether each bucket's tokens stand on fewer than so many pages.
    pub(super) fn rare(&self, min_pages: u32, pages: &[Page<'_>]) -> Vec<bool> {
        let buckets = self.starts.array_windows();
        let rows = buckets.map(|&[start, end]| &self.rows[start..end]);
        rows.map(|rows| distinct_pages(rows, pages) < min_pages as usize)
            .collect()
    }

    /// The buckets in portions of about as many tokens each.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut first = 0;
        for end in 1..self.starts.len() {
            if self.starts[end] - self.starts[first] >= PORTION || end + 1 == self.starts.len() {
                ranges.push(first..end);
                first = end;
            }
        }
        ranges
    }

    /// Writes the gradient of some buckets' weights.
    pub(super) fn sum(&self, buckets: Range<usize>, residuals: &[Row], labels: usize, gradient: &mut [f64]) {
        for (bucket, slopes) in buckets.zip(gradient.chunks_exact_mut(labels)) {
            let mut sums = [0.0; LANES];
            for &row in &self.rows[self.starts[bucket]..self.starts[bucket + 1]] {
                let residual = &residuals[row as usize].0;
                sums.iter_mut()
                    .zip(residual)
                    .for_each(|(sum, value)| *sum += f64::from(*value));
            }
            slopes.copy_from_slice(&sums[..labels]);
        }
    }
}

/// How many pages ascending rows of residuals belong to.
fn distinct_pages(rows: &[u32], pages: &[Page<'_>]) -> usize {
    let page = |row: u32| pages.partition_point(|page| page.row <= row as usize);
    rows.chunk_by(|&a, &b| page(a) == page(b)).count()
}
