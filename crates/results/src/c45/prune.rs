//! Pruning: subtrees are replaced by a leaf or by their largest branch where that is estimated to be as good.

use super::counts::{ClassCounts, WeightedRow, at_most, equal};
use super::estimate::Estimate;
use super::grown::Grown;
use super::split::TrainingData;

/// Errors, by the estimate, that a smaller tree may have more.
const SLACK: f64 = 0.1;

impl Grown {
    fn is_leaf(&self) -> bool {
        self.test.is_none()
    }

    fn make_leaf(&mut self) {
        self.test = None;
        self.branches.clear();
        self.counts = self.counts.merged();
    }

    fn errors_seen(&self) -> f64 {
        match self.is_leaf() {
            true => self.counts.incorrect(),
            false => self.branches.iter().map(Grown::errors_seen).sum(),
        }
    }

    fn errors_estimated(&self, estimate: &Estimate) -> f64 {
        match self.is_leaf() {
            true => errors_of(&self.counts, estimate),
            false => self
                .branches
                .iter()
                .map(|branch| branch.errors_estimated(estimate))
                .sum(),
        }
    }

    /// The estimated errors if the node had these rows.
    fn errors_with(&self, data: &TrainingData<'_>, rows: &[WeightedRow], estimate: &Estimate) -> f64 {
        let Some(test) = &self.test else {
            let counts = ClassCounts::from_rows(rows, data.class_column(), data.classes());
            return errors_of(&counts, estimate);
        };
        let counts = data.counts(test, rows);
        let parts = test.split(rows, data.table.column(test.attribute), &counts);
        let branches = self.branches.iter().zip(&parts);
        branches
            .map(|(branch, rows)| branch.errors_with(data, rows, estimate))
            .sum()
    }

    /// Replaces the rows of the node and of its branches.
    fn set_rows(&mut self, data: &TrainingData<'_>, rows: Vec<WeightedRow>) {
        match &self.test {
            None => {
                self.counts = ClassCounts::from_rows(&rows, data.class_column(), data.classes());
                self.is_empty &= equal(self.counts.total(), 0.0);
            }
            Some(test) => {
                self.counts = data.counts(test, &rows);
                let parts = test.split(&rows, data.table.column(test.attribute), &self.counts);
                for (branch, part) in self.branches.iter_mut().zip(parts) {
                    branch.set_rows(data, part);
                }
            }
        }
        self.rows = rows;
    }
}

fn errors_of(counts: &ClassCounts, estimate: &Estimate) -> f64 {
    if equal(counts.total(), 0.0) {
        return 0.0;
    }
    let seen = counts.incorrect();
    seen + estimate.extra_errors(counts.total(), seen)
}

/// Replaces subtrees by leaves that have no more errors on the training rows.
pub(crate) fn collapse(node: &mut Grown) {
    if node.is_leaf() {
        return;
    }
    if node.errors_seen() >= node.counts.incorrect() - 1e-3 {
        node.make_leaf();
    } else {
        node.branches.iter_mut().for_each(collapse);
    }
}

/// From the leaves up, replaces a subtree by a leaf or by its largest branch if its estimated errors are not fewer.
pub(crate) fn prune(data: &TrainingData<'_>, node: &mut Grown, estimate: &Estimate, raise: bool) {
    // Each iteration after the first has replaced the node by a branch.
    while !node.is_leaf() {
        for branch in &mut node.branches {
            prune(data, branch, estimate, raise);
        }
        let largest = node.counts.largest_branch();
        let as_largest = match raise {
            true => node.branches[largest].errors_with(data, &node.rows, estimate),
            false => f64::INFINITY,
        };
        let as_leaf = errors_of(&node.counts, estimate);
        let as_is = node.errors_estimated(estimate);
        if at_most(as_leaf, as_is + SLACK) && at_most(as_leaf, as_largest + SLACK) {
            return node.make_leaf();
        }
        if !at_most(as_largest, as_is + SLACK) {
            return;
        }
        let rows = std::mem::take(&mut node.rows);
        let branch = node.branches.swap_remove(largest);
        *node = branch;
        node.set_rows(data, rows);
    }
}
