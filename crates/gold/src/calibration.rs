//! Calibration: whether what has probability p is true in a share p of cases, and what has expectation x is x on average.

use serde::Serialize;

/// How many bins a reliability table has.
pub const BINS: usize = 10;

/// The claims whose probability is in one tenth of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bin {
    /// How many claims.
    pub claims: u64,
    /// The sum of their probabilities.
    pub expected: f64,
    /// How many of them were true, or the sum of what was claimed to be expected.
    pub observed: f64,
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
        self.add_value(probability, f64::from(u8::from(right)));
    }

    /// Counts one claim that a value of this size is expected, and the value, from 0 to 1.
    pub fn add_value(&mut self, expected: f32, observed: f64) {
        let bin = &mut self.bins[((expected * BINS as f32) as usize).min(BINS - 1)];
        bin.claims += 1;
        bin.expected += f64::from(expected);
        bin.observed += observed;
    }

    /// Adds other claims.
    pub fn merge(&mut self, other: &Reliability) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.claims += more.claims;
            bin.expected += more.expected;
            bin.observed += more.observed;
        }
    }

    /// The mean over claims of how far the share of true claims in their bin is from the mean
    /// probability there (Naeini, Cooper and Hauskrecht 2015); 0 without claims.
    pub fn expected_calibration_error(&self) -> f64 {
        let claims: u64 = self.bins.iter().map(|bin| bin.claims).sum();
        let off: f64 = self
            .bins
            .iter()
            .map(|bin| (bin.expected - bin.observed).abs())
            .sum();
        if claims == 0 { 0.0 } else { off / claims as f64 }
    }
}

impl Bin {
    /// The mean probability; nothing without claims.
    pub fn claimed(&self) -> Option<f64> {
        (self.claims > 0).then(|| self.expected / self.claims as f64)
    }

    /// The share of true claims, or the mean of what was observed; nothing without claims.
    pub fn observed(&self) -> Option<f64> {
        (self.claims > 0).then(|| self.observed / self.claims as f64)
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
        let claims: Vec<u64> = table.bins.iter().map(|bin| bin.claims).collect();
        assert_eq!(claims, [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
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
        assert_eq!((all.expected_calibration_error(), all.bins[9].claims), (0.0, 20));
        assert_eq!(Reliability::default().expected_calibration_error(), 0.0);
    }
}
