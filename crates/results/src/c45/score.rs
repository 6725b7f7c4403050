//! Scores of a tree against true classes.

use serde::Serialize;

use super::table::Table;
use super::tree::Tree;

/// Precision, recall and F1 of a class, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ClassScore {
    /// The share of rows with this predicted class that have it as true class.
    pub precision: f64,
    /// The share of rows with this true class that have it as predicted class.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

/// A confusion matrix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Number of rows by true class (outer index) and predicted class (inner index).
    pub confusion: Vec<Vec<u64>>,
}

impl Scores {
    /// The scores of a tree on a table with the attributes of the tree. Rows without a class are left out.
    ///
    /// # Panics
    /// When the table has fewer attributes than the tree.
    pub fn of(tree: &Tree, table: &Table) -> Scores {
        let classes = tree.attributes()[tree.class()].values().len();
        let mut confusion = vec![vec![0; classes]; classes];
        for row in 0..table.rows() {
            let class = table.column(tree.class())[row];
            if !class.is_nan() {
                confusion[class as usize][tree.classify(&table.row(row))] += 1;
            }
        }
        Scores { confusion }
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.confusion.iter().flatten().sum()
    }

    /// The share of rows whose predicted class is the true class; 1 without rows.
    pub fn accuracy(&self) -> f64 {
        let right = (0..self.confusion.len())
            .map(|class| self.confusion[class][class])
            .sum();
        share(right, self.rows())
    }

    /// The scores of a class. A share of no rows is 0, as in Weka.
    pub fn class(&self, class: usize) -> ClassScore {
        let predicted: u64 = self.confusion.iter().map(|row| row[class]).sum();
        let right = self.confusion[class][class];
        let part = |whole: u64| {
            if whole == 0 {
                0.0
            } else {
                right as f64 / whole as f64
            }
        };
        let (precision, recall) = (part(predicted), part(self.size(class)));
        let f1 = match precision + recall {
            0.0 => 0.0,
            sum => 2.0 * precision * recall / sum,
        };
        ClassScore {
            precision,
            recall,
            f1,
        }
    }

    /// The number of rows with a true class.
    pub fn size(&self, class: usize) -> u64 {
        self.confusion[class].iter().sum()
    }

    /// The mean over the classes, weighted by their rows (the precision and recall of Lutz and Heuser).
    pub fn weighted(&self) -> ClassScore {
        let rows = self.rows().max(1) as f64;
        let mut mean = ClassScore::default();
        for class in 0..self.confusion.len() {
            let (weight, own) = (self.size(class) as f64 / rows, self.class(class));
            mean.precision += weight * own.precision;
            mean.recall += weight * own.recall;
            mean.f1 += weight * own.f1;
        }
        mean
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_weighted_by_the_rows_of_classes() {
        let scores = Scores {
            confusion: vec![vec![8, 2], vec![0, 10]],
        };
        assert_eq!(scores.accuracy(), 0.9);
        assert_eq!((scores.class(0).precision, scores.class(0).recall), (1.0, 0.8));
        let weighted = scores.weighted();
        assert!((weighted.precision - (0.5 + 0.5 * 10.0 / 12.0)).abs() < 1e-12);
        assert!((weighted.recall - 0.9).abs() < 1e-12);
        let none = Scores {
            confusion: vec![vec![0, 0], vec![0, 0]],
        };
        assert_eq!((none.accuracy(), none.weighted()), (1.0, ClassScore::default()));
    }
}
