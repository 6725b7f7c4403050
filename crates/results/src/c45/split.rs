//! Candidate tests of an attribute, with their information gain and gain ratio.

use super::counts::{ClassCounts, WeightedRow, at_most, equal, smaller};
use super::table::Table;

/// A test of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) attribute: usize,
    /// Of a numeric attribute: values up to the threshold go to the first branch, the others to the second. A nominal
    /// attribute has none, and a branch for each value.
    pub(crate) threshold: Option<f64>,
}

/// A test with its scores.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) test: Test,
    pub(crate) counts: ClassCounts,
    pub(crate) gain: f64,
    pub(crate) gain_ratio: f64,
}

/// The training data of a tree.
#[derive(Clone, Copy)]
pub(crate) struct TrainingData<'a> {
    pub(crate) table: &'a Table,
    pub(crate) class: usize,
    pub(crate) min_leaf: f64,
}

impl Test {
    /// The branch of a value; none if the value is missing.
    pub(crate) fn branch(&self, value: f64) -> Option<usize> {
        match self.threshold {
            _ if value.is_nan() => None,
            None => Some(value as usize),
            Some(threshold) => Some(usize::from(!at_most(value, threshold))),
        }
    }

    /// The rows of each branch. A row without a value goes to all branches, its weight divided in proportion to `counts`.
    pub(crate) fn split(
        &self,
        rows: &[WeightedRow],
        column: &[f64],
        counts: &ClassCounts,
    ) -> Vec<Vec<WeightedRow>> {
        let shares = counts.branches().iter().map(|weight| weight / counts.total());
        let shares: Vec<f64> = shares.collect();
        let mut parts = vec![Vec::new(); shares.len()];
        for row in rows {
            match self.branch(column[row.at as usize]) {
                Some(branch) => parts[branch].push(*row),
                None => {
                    for (part, &share) in parts
                        .iter_mut()
                        .zip(&shares)
                        .filter(|(_, share)| smaller(0.0, **share))
                    {
                        let weight = share * row.weight;
                        part.push(WeightedRow { weight, ..*row });
                    }
                }
            }
        }
        parts
    }
}

impl TrainingData<'_> {
    pub(crate) fn classes(&self) -> usize {
        self.table.attributes()[self.class].values().len()
    }

    pub(crate) fn class_column(&self) -> &[f64] {
        self.table.column(self.class)
    }

    /// The weights of the classes in the branches of a test, with rows without a value.
    pub(crate) fn counts(&self, test: &Test, rows: &[WeightedRow]) -> ClassCounts {
        let column = self.table.column(test.attribute);
        let values = self.table.attributes()[test.attribute].values().len();
        let branches = if test.threshold.is_some() { 2 } else { values };
        let mut counts = ClassCounts::new(branches, self.classes());
        for row in rows {
            if let Some(branch) = test.branch(column[row.at as usize]) {
                counts.add(branch, row, self.class_column());
            }
        }
        counts.add_unknown(self.unknown(test.attribute, rows), self.class_column());
        counts
    }

    /// The rows without a value of an attribute.
    pub(crate) fn unknown<'r>(
        &'r self,
        attribute: usize,
        rows: &'r [WeightedRow],
    ) -> impl Iterator<Item = &'r WeightedRow> {
        let column = self.table.column(attribute);
        rows.iter().filter(|row| column[row.at as usize].is_nan())
    }

    /// The best test of an attribute, if any has information gain.
    pub(crate) fn candidate(&self, attribute: usize, rows: &[WeightedRow], all: f64) -> Option<Candidate> {
        match self.table.attributes()[attribute].is_numeric() {
            true => self.numeric(attribute, rows, all),
            false => self.nominal(attribute, rows, all),
        }
    }

    fn nominal(&self, attribute: usize, rows: &[WeightedRow], all: f64) -> Option<Candidate> {
        let column = self.table.column(attribute);
        let values = self.table.attributes()[attribute].values().len();
        let mut counts = ClassCounts::new(values, self.classes());
        for row in rows.iter().filter(|row| !column[row.at as usize].is_nan()) {
            counts.add(column[row.at as usize] as usize, row, self.class_column());
        }
        if !counts.has_two_of(self.min_leaf) {
            return None;
        }
        let gain = gain(&counts, all, counts.class_entropy());
        let gain_ratio = gain_ratio(&counts, all, gain);
        let test = Test {
            attribute,
            threshold: None,
        };
        Some(Candidate {
            test,
            counts,
            gain,
            gain_ratio,
        })
    }

    fn numeric(&self, attribute: usize, rows: &[WeightedRow], all: f64) -> Option<Candidate> {
        let column = self.table.column(attribute);
        let value = |row: &WeightedRow| column[row.at as usize];
        let mut known: Vec<WeightedRow> = rows.iter().filter(|row| !value(row).is_nan()).copied().collect();
        known.sort_by(|one, two| value(one).total_cmp(&value(two)));
        let (cut, gain) = self.best_cut(&known, column, all)?;
        let (below, above) = (value(&known[cut - 1]), value(&known[cut]));
        let middle = (below + above) / 2.0;
        let threshold = if middle == above { below } else { middle };
        let mut counts = ClassCounts::new(2, self.classes());
        for (at, row) in known.iter().enumerate() {
            counts.add(usize::from(at >= cut), row, self.class_column());
        }
        let gain_ratio = gain_ratio(&counts, all, gain);
        let test = Test {
            attribute,
            threshold: Some(threshold),
        };
        Some(Candidate {
            test,
            counts,
            gain,
            gain_ratio,
        })
    }

    /// Where to cut rows that are sorted by their values: the index of the first row above the threshold with the largest
    /// gain, and the gain less the cost of coding the choice of the threshold (Quinlan 1996). None without a gain.
    fn best_cut(&self, sorted: &[WeightedRow], column: &[f64], all: f64) -> Option<(usize, f64)> {
        let value = |row: &WeightedRow| column[row.at as usize];
        let mut counts = ClassCounts::new(2, self.classes());
        for row in sorted {
            counts.add(1, row, self.class_column());
        }
        let min_weight = self.min_branch_weight(counts.total());
        if smaller(sorted.len() as f64, 2.0 * min_weight) {
            return None;
        }
        let before = counts.class_entropy();
        let (mut best, mut best_gain, mut tried, mut last) = (0, 0.0, 0u32, 0);
        for next in 1..sorted.len() {
            if value(&sorted[next - 1]) + 1e-5 >= value(&sorted[next]) {
                continue;
            }
            for row in &sorted[last..next] {
                counts.shift(1, 0, row, self.class_column());
            }
            last = next;
            if counts
                .branches()
                .iter()
                .all(|&weight| at_most(min_weight, weight))
            {
                let gain = gain(&counts, all, before);
                if smaller(best_gain, gain) {
                    (best, best_gain) = (next, gain);
                }
                tried += 1;
            }
        }
        let gain = best_gain - f64::from(tried.max(1)).log2() / all;
        (tried > 0 && best > 0 && !at_most(gain, 0.0)).then_some((best, gain))
    }

    /// The minimum weight of a branch of a numeric test: 10% of the mean weight of a class, from `min_leaf` to 25.
    fn min_branch_weight(&self, total: f64) -> f64 {
        let tenth = 0.1 * total / self.classes() as f64;
        if at_most(tenth, self.min_leaf) {
            self.min_leaf
        } else {
            tenth.min(25.0)
        }
    }

    /// The largest value in the whole table that is not above the threshold, so that the threshold is a value of the data.
    pub(crate) fn observed_threshold(&self, test: &Test) -> Option<f64> {
        let threshold = test.threshold?;
        let below = |best: f64, &value: &f64| match smaller(best, value) && at_most(value, threshold) {
            true => value,
            false => best,
        };
        Some(self.table.column(test.attribute).iter().fold(f64::MIN, below))
    }
}

/// Information gain in bits a row, times the share of rows with a value; `before` is the entropy before the test.
fn gain(counts: &ClassCounts, all: f64, before: f64) -> f64 {
    let known = counts.total() / all;
    let gained = known * (before - counts.entropy_within());
    if equal(gained, 0.0) {
        0.0
    } else {
        gained / counts.total()
    }
}

/// Gain ratio: the gain divided by the split information (the entropy of the branches).
fn gain_ratio(counts: &ClassCounts, all: f64, gain: f64) -> f64 {
    let split_information = counts.branch_entropy(all);
    if equal(split_information, 0.0) {
        0.0
    } else {
        gain / (split_information / all)
    }
}
