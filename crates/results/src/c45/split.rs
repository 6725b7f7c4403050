//! Tests: which there are for an attribute, and how good they are.

use super::counts::{Counts, at_most, equal, smaller};
use super::table::Table;

/// A row of the table with what is left of its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) at: u32,
    pub(crate) weight: f64,
}

/// What is asked of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) attribute: usize,
    /// Where a numeric attribute is cut: values up to it go first. A nominal one has a branch a value.
    pub(crate) threshold: Option<f64>,
}

/// A test that may be taken.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) test: Test,
    pub(crate) counts: Counts,
    pub(crate) gain: f64,
    pub(crate) gain_ratio: f64,
}

/// What tests are looked for among.
#[derive(Clone, Copy)]
pub(crate) struct Lesson<'a> {
    pub(crate) table: &'a Table,
    pub(crate) class: usize,
    pub(crate) least: f64,
}

impl Test {
    /// The branch of a value; nothing where it is missing.
    pub(crate) fn branch(&self, value: f64) -> Option<usize> {
        match self.threshold {
            _ if value.is_nan() => None,
            None => Some(value as usize),
            Some(threshold) => Some(usize::from(!at_most(value, threshold))),
        }
    }

    /// The rows of each branch. Those without a value go down all, by the shares of `counts`.
    pub(crate) fn split(&self, rows: &[Row], column: &[f64], counts: &Counts) -> Vec<Vec<Row>> {
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
                        part.push(Row { weight, ..*row });
                    }
                }
            }
        }
        parts
    }
}

impl Lesson<'_> {
    pub(crate) fn classes(&self) -> usize {
        self.table.attributes()[self.class].values().len()
    }

    pub(crate) fn class_column(&self) -> &[f64] {
        self.table.column(self.class)
    }

    /// The weights of the classes behind a test, rows without a value included.
    pub(crate) fn counts(&self, test: &Test, rows: &[Row]) -> Counts {
        let column = self.table.column(test.attribute);
        let values = self.table.attributes()[test.attribute].values().len();
        let branches = if test.threshold.is_some() { 2 } else { values };
        let mut counts = Counts::new(branches, self.classes());
        for row in rows {
            if let Some(branch) = test.branch(column[row.at as usize]) {
                counts.add(branch, row, self.class_column());
            }
        }
        counts.add_unknown(self.unknown(test.attribute, rows), self.class_column());
        counts
    }

    /// The rows whose value is missing.
    pub(crate) fn unknown<'r>(&'r self, attribute: usize, rows: &'r [Row]) -> impl Iterator<Item = &'r Row> {
        let column = self.table.column(attribute);
        rows.iter().filter(|row| column[row.at as usize].is_nan())
    }

    /// The best test of an attribute, if it has one that tells anything.
    pub(crate) fn candidate(&self, attribute: usize, rows: &[Row], all: f64) -> Option<Candidate> {
        match self.table.attributes()[attribute].is_numeric() {
            true => self.numeric(attribute, rows, all),
            false => self.nominal(attribute, rows, all),
        }
    }

    fn nominal(&self, attribute: usize, rows: &[Row], all: f64) -> Option<Candidate> {
        let column = self.table.column(attribute);
        let values = self.table.attributes()[attribute].values().len();
        let mut counts = Counts::new(values, self.classes());
        for row in rows.iter().filter(|row| !column[row.at as usize].is_nan()) {
            counts.add(column[row.at as usize] as usize, row, self.class_column());
        }
        if !counts.has_two_of(self.least) {
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

    fn numeric(&self, attribute: usize, rows: &[Row], all: f64) -> Option<Candidate> {
        let column = self.table.column(attribute);
        let value = |row: &Row| column[row.at as usize];
        let mut known: Vec<Row> = rows.iter().filter(|row| !value(row).is_nan()).copied().collect();
        known.sort_by(|one, two| value(one).total_cmp(&value(two)));
        let mut counts = Counts::new(2, self.classes());
        known
            .iter()
            .for_each(|row| counts.add(1, row, self.class_column()));
        let least = self.least_of_branch(counts.total());
        if smaller(known.len() as f64, 2.0 * least) {
            return None;
        }
        let before = counts.class_entropy();
        let (mut best, mut best_gain, mut tried, mut last) = (0, 0.0, 0u32, 0);
        for next in 1..known.len() {
            if value(&known[next - 1]) + 1e-5 >= value(&known[next]) {
                continue;
            }
            known[last..next]
                .iter()
                .for_each(|row| counts.shift(1, 0, row, self.class_column()));
            last = next;
            if counts.branches().iter().all(|&weight| at_most(least, weight)) {
                let gain = gain(&counts, all, before);
                if smaller(best_gain, gain) {
                    (best, best_gain) = (next, gain);
                }
                tried += 1;
            }
        }
        // What it takes to say which of the thresholds it is (Quinlan 1996).
        let gain = best_gain - f64::from(tried.max(1)).log2() / all;
        if tried == 0 || best == 0 || at_most(gain, 0.0) {
            return None;
        }
        let (below, above) = (value(&known[best - 1]), value(&known[best]));
        let middle = (below + above) / 2.0;
        let threshold = if middle == above { below } else { middle };
        let mut counts = Counts::new(2, self.classes());
        for (at, row) in known.iter().enumerate() {
            counts.add(usize::from(at >= best), row, self.class_column());
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

    /// The least weight of a branch of a numeric test: a tenth of a class's fair share, within bounds.
    fn least_of_branch(&self, total: f64) -> f64 {
        let tenth = 0.1 * total / self.classes() as f64;
        if at_most(tenth, self.least) {
            self.least
        } else {
            tenth.min(25.0)
        }
    }

    /// The largest value of the whole table that is not above the threshold: one that is in the data.
    pub(crate) fn observed_threshold(&self, test: &Test) -> Option<f64> {
        let threshold = test.threshold?;
        let below = |best: f64, &value: &f64| match smaller(best, value) && at_most(value, threshold) {
            true => value,
            false => best,
        };
        Some(self.table.column(test.attribute).iter().fold(f64::MIN, below))
    }
}

/// Information gain in bits a row, less for what is unknown; `before` is the entropy before the test.
fn gain(counts: &Counts, all: f64, before: f64) -> f64 {
    let known = counts.total() / all;
    let gained = known * (before - counts.entropy_within());
    if equal(gained, 0.0) {
        0.0
    } else {
        gained / counts.total()
    }
}

/// The gain by the bits that the branches themselves tell.
fn gain_ratio(counts: &Counts, all: f64, gain: f64) -> f64 {
    let told = counts.branch_entropy(all);
    if equal(told, 0.0) {
        0.0
    } else {
        gain / (told / all)
    }
}
