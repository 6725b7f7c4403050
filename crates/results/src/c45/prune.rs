//! Pruning: subtrees that tell no more than a leaf, or than their largest branch.

use super::counts::{Counts, at_most, equal};
use super::estimate::Estimate;
use super::grow::Grown;
use super::split::{Lesson, Row};

/// How many errors a smaller tree may have more, by the estimate.
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

    /// The errors to expect if all these rows came here.
    fn errors_with(&self, lesson: &Lesson<'_>, rows: &[Row], estimate: &Estimate) -> f64 {
        let Some(test) = &self.test else {
            let counts = Counts::of_rows(rows, lesson.class_column(), lesson.classes());
            return errors_of(&counts, estimate);
        };
        let counts = lesson.counts(test, rows);
        let parts = test.split(rows, lesson.table.column(test.attribute), &counts);
        let branches = self.branches.iter().zip(&parts);
        branches
            .map(|(branch, rows)| branch.errors_with(lesson, rows, estimate))
            .sum()
    }

    /// Has all these rows come here.
    fn give(&mut self, lesson: &Lesson<'_>, rows: Vec<Row>) {
        match &self.test {
            None => {
                self.counts = Counts::of_rows(&rows, lesson.class_column(), lesson.classes());
                self.is_empty &= equal(self.counts.total(), 0.0);
            }
            Some(test) => {
                self.counts = lesson.counts(test, &rows);
                let parts = test.split(&rows, lesson.table.column(test.attribute), &self.counts);
                for (branch, part) in self.branches.iter_mut().zip(parts) {
                    branch.give(lesson, part);
                }
            }
        }
        self.rows = rows;
    }
}

fn errors_of(counts: &Counts, estimate: &Estimate) -> f64 {
    if equal(counts.total(), 0.0) {
        return 0.0;
    }
    let seen = counts.incorrect();
    seen + estimate.extra_errors(counts.total(), seen)
}

/// Makes leaves of subtrees that are wrong as often on the rows that they were trained on.
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

/// From the leaves up, a subtree becomes a leaf or its largest branch where that is estimated to be wrong
/// no more often.
pub(crate) fn prune(lesson: &Lesson<'_>, node: &mut Grown, estimate: &Estimate, raise: bool) {
    // Each time round, a branch has taken the node's place.
    while !node.is_leaf() {
        for branch in &mut node.branches {
            prune(lesson, branch, estimate, raise);
        }
        let largest = node.counts.largest_branch();
        let as_largest = match raise {
            true => node.branches[largest].errors_with(lesson, &node.rows, estimate),
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
        node.give(lesson, rows);
    }
}
