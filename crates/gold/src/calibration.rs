//! Calibration of probabilities: whether blocks with probability p are right in a share p of cases.

use serde::Serialize;

/// How many bins a reliability table has.
pub const BINS: usize = 10;

/// The blocks whose probability is in one tenth of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bin {
    /// How many blocks.
    pub blocks: u64,
    /// The sum of their probabilities.
    pub expected: f64,
    /// How many of them it came true for.
    pub right: u64,
}

/// A reliability table: what was claimed with each probability, and how often it was true. Bin `k`
/// is for probabilities from `k / 10` to below `(k + 1) / 10`, the last for 1 too.
///
/// ```
/// let mut table = gleaner_gold::Reliability::default();
/// for (probability, right) in [(0.9, true), (0.9, true), (0.9, false), (0.2, false)] {
///     table.add(probability, right);
/// }
/// // Three quarters of the blocks are a quarter too sure (0.9 for 2 of 3), one is 0.2 off.
/// assert!((table.expected_calibration_error() - (0.75 * (0.9 - 2.0 / 3.0) + 0.25 * 0.2)).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reliability {
    /// The bins, from improbable to certain.
    pub bins: [Bin; BINS],
}

impl Reliability {
    /// Counts one claim of this probability, and whether it was true.
    pub fn add(&mut self, probability: f32, right: bool) {
        let bin = &mut self.bins[((probability * BINS as f32) as usize).min(BINS - 1)];
        bin.blocks += 1;
        bin.expected += f64::from(probability);
        bin.right += u64::from(right);
    }

    /// Adds the counts of other pages.
    pub fn merge(&mut self, other: &Reliability) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.blocks += more.blocks;
            bin.expected += more.expected;
            bin.right += more.right;
        }
    }

    /// The mean over blocks of how far the share of true claims in their bin is from the mean
    /// probability there (Naeini, Cooper and Hauskrecht 2015); 0 without blocks.
    pub fn expected_calibration_error(&self) -> f64 {
        let blocks: u64 = self.bins.iter().map(|bin| bin.blocks).sum();
        let off: f64 = self
            .bins
            .iter()
            .map(|bin| (bin.expected - bin.right as f64).abs())
            .sum();
        if blocks == 0 { 0.0 } else { off / blocks as f64 }
    }
}

impl Bin {
    /// The mean probability; nothing without blocks.
    pub fn claimed(&self) -> Option<f64> {
        (self.blocks > 0).then(|| self.expected / self.blocks as f64)
    }

    /// The share of true claims; nothing without blocks.
    pub fn observed(&self) -> Option<f64> {
        (self.blocks > 0).then(|| self.right as f64 / self.blocks as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_go_into_tenths() {
        let mut table = Reliability::default();
        for probability in [0.0, 0.0999, 0.1, 0.95, 1.0] {
            table.add(probability, probability > 0.5);
        }
        let blocks: Vec<u64> = table.bins.iter().map(|bin| bin.blocks).collect();
        assert_eq!(blocks, [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(
            (table.bins[9].observed(), table.bins[5].claimed()),
            (Some(1.0), None)
        );
    }

    #[test]
    fn what_is_always_right_when_sure_is_calibrated() {
        let mut table = Reliability::default();
        (0..10).for_each(|_| table.add(1.0, true));
        let mut all = Reliability::default();
        all.merge(&table);
        all.merge(&table);
        assert_eq!((all.expected_calibration_error(), all.bins[9].blocks), (0.0, 20));
        assert_eq!(Reliability::default().expected_calibration_error(), 0.0);
    }
}
