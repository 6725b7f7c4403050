//! The weight of each class in each branch of a test.

/// Weights that differ by less count as equal, as in Weka.
pub(crate) const SMALL: f64 = 1e-6;

/// A row of the table, with the part of its weight that came to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeightedRow {
    pub(crate) at: u32,
    pub(crate) weight: f64,
}

/// Equal but for rounding.
pub(crate) fn equal(one: f64, two: f64) -> bool {
    (one - two).abs() < SMALL
}

/// Smaller by more than rounding.
pub(crate) fn smaller(one: f64, two: f64) -> bool {
    two - one > SMALL
}

/// Smaller or equal but for rounding.
pub(crate) fn at_most(one: f64, two: f64) -> bool {
    one - two < SMALL
}

/// Weights by branch and class.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClassCounts {
    classes: usize,
    /// A weight for each class of each branch.
    cells: Vec<f64>,
    branches: Vec<f64>,
    by_class: Vec<f64>,
    total: f64,
}

impl ClassCounts {
    pub(crate) fn new(branches: usize, classes: usize) -> ClassCounts {
        ClassCounts {
            classes,
            cells: vec![0.0; branches * classes],
            branches: vec![0.0; branches],
            by_class: vec![0.0; classes],
            total: 0.0,
        }
    }

    /// All rows in one branch.
    pub(crate) fn from_rows(rows: &[WeightedRow], class: &[f64], classes: usize) -> ClassCounts {
        let mut counts = ClassCounts::new(1, classes);
        rows.iter().for_each(|row| counts.add(0, row, class));
        counts
    }

    /// The weights of all branches in one.
    pub(crate) fn merged(&self) -> ClassCounts {
        ClassCounts {
            classes: self.classes,
            cells: self.by_class.clone(),
            branches: vec![self.total],
            by_class: self.by_class.clone(),
            total: self.total,
        }
    }

    pub(crate) fn add(&mut self, branch: usize, row: &WeightedRow, class: &[f64]) {
        let class = class[row.at as usize] as usize;
        self.cells[branch * self.classes + class] += row.weight;
        self.branches[branch] += row.weight;
        self.by_class[class] += row.weight;
        self.total += row.weight;
    }

    /// Moves a row from one branch to another.
    pub(crate) fn shift(&mut self, from: usize, to: usize, row: &WeightedRow, class: &[f64]) {
        let class = class[row.at as usize] as usize;
        self.cells[from * self.classes + class] -= row.weight;
        self.cells[to * self.classes + class] += row.weight;
        self.branches[from] -= row.weight;
        self.branches[to] += row.weight;
    }

    /// Adds rows without a value to all branches, in proportion to the weights of the branches before.
    pub(crate) fn add_unknown<'r>(&mut self, rows: impl Iterator<Item = &'r WeightedRow>, class: &[f64]) {
        let count = self.branches.len() as f64;
        let share = |branch: f64| match equal(self.total, 0.0) {
            true => 1.0 / count,
            false => branch / self.total,
        };
        let shares: Vec<f64> = self.branches.iter().map(|&branch| share(branch)).collect();
        for row in rows {
            let class = class[row.at as usize] as usize;
            self.by_class[class] += row.weight;
            self.total += row.weight;
            for (branch, share) in shares.iter().enumerate() {
                self.cells[branch * self.classes + class] += share * row.weight;
                self.branches[branch] += share * row.weight;
            }
        }
    }

    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    pub(crate) fn branches(&self) -> &[f64] {
        &self.branches
    }

    pub(crate) fn branch(&self, branch: usize) -> &[f64] {
        &self.cells[branch * self.classes..(branch + 1) * self.classes]
    }

    /// The branch with the largest weight; of several the last.
    pub(crate) fn largest_branch(&self) -> usize {
        let (mut most, mut largest) = (0.0, 0);
        for (at, &weight) in self.branches.iter().enumerate() {
            if at_most(most, weight) {
                (most, largest) = (weight, at);
            }
        }
        largest
    }

    /// The weight of the rows that are not of the majority class.
    pub(crate) fn incorrect(&self) -> f64 {
        self.total - self.by_class[largest(&self.by_class)]
    }

    /// Whether at least two branches have this much weight.
    pub(crate) fn has_two_of(&self, min_weight: f64) -> bool {
        self.branches
            .iter()
            .filter(|&&weight| at_most(min_weight, weight))
            .count()
            > 1
    }

    /// The entropy of the classes, times the weight.
    pub(crate) fn class_entropy(&self) -> f64 {
        let classes: f64 = self.by_class.iter().map(|&weight| x_log_x(weight)).sum();
        x_log_x(self.total) - classes
    }

    /// The entropy of the classes within the branches, times the weight.
    pub(crate) fn entropy_within(&self) -> f64 {
        let mut sum = 0.0;
        for branch in 0..self.branches.len() {
            self.branch(branch)
                .iter()
                .for_each(|&weight| sum += x_log_x(weight));
            sum -= x_log_x(self.branches[branch]);
        }
        -sum
    }

    /// The entropy of the branches, times the weight; rows without a value count as one more branch. `all` is the weight
    /// of all rows.
    pub(crate) fn branch_entropy(&self, all: f64) -> f64 {
        let branches: f64 = self.branches.iter().map(|&weight| x_log_x(weight)).sum();
        x_log_x(all) - branches - x_log_x(all - self.total)
    }
}

/// The first class with the largest weight.
pub(crate) fn largest(by_class: &[f64]) -> usize {
    let (mut most, mut largest) = (0.0, 0);
    for (class, &weight) in by_class.iter().enumerate() {
        if smaller(most, weight) {
            (most, largest) = (weight, class);
        }
    }
    largest
}

fn x_log_x(x: f64) -> f64 {
    if x < SMALL { 0.0 } else { x * x.log2() }
}
