//! Values of a measure, counted by bins.

use serde::Serialize;

/// Documents by the values of a measure. `zero`, `missing` and the bins together are all documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Histogram {
    /// The column, with its table.
    pub measure: String,
    /// The measure, in words.
    pub title: String,
    /// Whether bins are drawn by the logarithm of their limits.
    pub is_logarithmic: bool,
    /// Documents without a value.
    pub missing: u64,
    /// Documents whose value is 0.
    pub zero: u64,
    /// All others.
    pub bins: Vec<Bin>,
    /// Limits of rule sets and recipes.
    pub limits: Vec<Line>,
}

/// Documents with about one value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// The least value.
    pub from: f64,
    /// The next value that is not in it, or the largest of all; none where there is no end.
    pub to: Option<f64>,
    /// Documents.
    pub documents: u64,
}

/// A limit of one or more rule sets or recipes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The limit.
    pub limit: f64,
    /// What it allows, in words.
    pub allowed: String,
    /// Whose limit it is.
    pub of: Vec<String>,
}

/// The bins of a measure.
#[derive(Clone, Debug)]
pub struct Scale {
    pub(crate) edges: Vec<f64>,
    /// Whether there are greater values than the last edge, which have a bin of their own.
    pub(crate) is_open: bool,
    pub(crate) is_logarithmic: bool,
}

/// Counts of values on a scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    missing: u64,
    zero: u64,
    bins: Vec<u64>,
}

/// Shares are stored with few digits: 0.58 may be a little less than 0.58.
const ROUNDING: f64 = 1e-6;

impl Scale {
    /// Bins of one width from 0 on.
    pub(crate) fn linear(to: f64, count: u32, is_open: bool) -> Scale {
        // (With nine digits: 0.03, and not 0.030000000000000006.)
        let digits = |number: f64| (number * 1e9).round() / 1e9;
        let edge = |number: u32| digits(to * f64::from(number) / f64::from(count));
        Scale {
            edges: (0..=count).map(edge).collect(),
            is_open,
            is_logarithmic: false,
        }
    }

    /// Bins from 1, 2, 5, 10, 20, 50 and so on to a power of ten, and above.
    pub(crate) fn logarithmic(powers: i32) -> Scale {
        let edges = (0..powers).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10_f64.powi(power)));
        Scale {
            edges: edges.chain([10_f64.powi(powers)]).collect(),
            is_open: true,
            is_logarithmic: true,
        }
    }

    /// The limits of the bins, ascending.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// The number of bins: one more than there are between edges where there are greater values than the last edge.
    pub fn bins(&self) -> usize {
        self.edges.len() - 1 + usize::from(self.is_open)
    }

    /// The bin of a value that is not 0.
    fn bin(&self, value: f64) -> usize {
        let below = self.edges.partition_point(|edge| *edge <= value + ROUNDING);
        below.saturating_sub(1).min(self.bins() - 1)
    }
}

impl Tally {
    /// Counts values; NaN is none.
    pub(crate) fn count(&mut self, scale: &Scale, values: &[f64]) {
        self.bins.resize(scale.bins(), 0);
        for value in values {
            match *value {
                value if value.is_nan() => self.missing += 1,
                0.0 => self.zero += 1,
                value => self.bins[scale.bin(value)] += 1,
            }
        }
    }

    /// Adds what was counted elsewhere on the same scale.
    pub(crate) fn add(&mut self, other: &Tally) {
        self.missing += other.missing;
        self.zero += other.zero;
        self.bins.resize(self.bins.len().max(other.bins.len()), 0);
        for (own, other) in self.bins.iter_mut().zip(&other.bins) {
            *own += other;
        }
    }

    /// The histogram of a measure with this name and title, and with limits that are drawn.
    pub(crate) fn histogram(
        mut self,
        measure: String,
        title: &str,
        scale: &Scale,
        limits: Vec<Line>,
    ) -> Histogram {
        self.bins.resize(scale.bins(), 0);
        let ends = scale.edges.iter().skip(1).map(|end| Some(*end)).chain([None]);
        let bins = scale.edges.iter().zip(ends).zip(self.bins);
        Histogram {
            measure,
            title: title.to_owned(),
            is_logarithmic: scale.is_logarithmic,
            missing: self.missing,
            zero: self.zero,
            bins: bins
                .map(|((from, to), documents)| Bin {
                    from: *from,
                    to,
                    documents,
                })
                .collect(),
            limits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(scale: &Scale, values: &[f64]) -> Histogram {
        let mut halves = [Tally::default(), Tally::default()];
        let (one, other) = values.split_at(values.len() / 2);
        halves[0].count(scale, one);
        halves[1].count(scale, other);
        let [mut sum, other] = halves;
        sum.add(&other);
        sum.histogram(String::new(), "", scale, Vec::new())
    }

    #[test]
    fn each_value_is_counted_once_in_the_bin_that_it_is_in() {
        let scale = Scale::linear(1.0, 50, false);
        // As f32, 0.58 is less than 0.58.
        let values: Vec<f64> = (0..=100_u8)
            .map(|number| f64::from(f32::from(number) / 100.0))
            .collect();
        let histogram = counted(&scale, &values);
        assert_eq!((histogram.zero, histogram.missing), (1, 0));
        assert_eq!(histogram.bins[0].documents, 1);
        assert!(histogram.bins[1..49].iter().all(|bin| bin.documents == 2));
        // With 1 itself.
        assert_eq!(histogram.bins[49].documents, 3);
        assert_eq!(histogram.bins.len(), 50);
    }

    #[test]
    fn edges_have_few_digits() {
        let scale = Scale::linear(0.4, 40, true);
        let edges = (0..=40_u8).map(|number| format!("{}", f64::from(number) / 100.0));
        assert!(scale.edges().iter().map(f64::to_string).eq(edges));
        assert_eq!(scale.bins(), 41);
    }

    #[test]
    fn greater_values_than_the_scale_have_a_bin_where_there_can_be_some() {
        let histogram = counted(
            &Scale::logarithmic(2),
            &[1.0, 4.0, 5.0, 99.0, 100.0, 1e9, f64::NAN, 0.0],
        );
        let counts: Vec<u64> = histogram.bins.iter().map(|bin| bin.documents).collect();
        assert_eq!(counts, [1, 1, 1, 0, 0, 1, 2]);
        assert_eq!((histogram.missing, histogram.zero), (1, 1));
        assert_eq!((histogram.bins[6].from, histogram.bins[6].to), (100.0, None));
    }
}
