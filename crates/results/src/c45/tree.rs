//! A trained tree.

use serde::{Deserialize, Serialize};

use super::counts::{equal, largest, smaller};
use super::grown::Grown;
use super::split::Test;
use super::table::{Attribute, Table};

/// A decision tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// All attributes of a row, with the class.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) class: usize,
    /// The root first, each node before its branches.
    pub(crate) nodes: Vec<Node>,
}

/// A node: a test with its branches, or a leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Node {
    /// The attribute that is tested; none in a leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attribute: Option<usize>,
    /// The threshold of a numeric attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) threshold: Option<f64>,
    /// The nodes that the branches lead to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) branches: Vec<u32>,
    /// For each branch (a leaf has one) the weight of each class among the training rows.
    pub(crate) counts: Vec<Vec<f64>>,
    /// Whether the node had no training rows: the node above decides.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) empty: bool,
}

impl Tree {
    /// The largest depth that a tree may have.
    pub const MAX_DEPTH: usize = 1000;

    pub(crate) fn from_grown(table: &Table, class: usize, root: &Grown) -> Tree {
        let mut tree = Tree {
            attributes: table.attributes().to_vec(),
            class,
            nodes: Vec::new(),
        };
        tree.add(root);
        tree
    }

    fn add(&mut self, node: &Grown) -> u32 {
        let at = self.nodes.len();
        let counts = (0..node.counts.branches().len()).map(|branch| node.counts.branch(branch).to_vec());
        self.nodes.push(Node {
            attribute: node.test.map(|test| test.attribute),
            threshold: node.test.and_then(|test| test.threshold),
            branches: Vec::new(),
            counts: counts.collect(),
            empty: node.is_empty,
        });
        let branches = node.branches.iter().map(|branch| self.add(branch)).collect();
        self.nodes[at].branches = branches;
        at as u32
    }

    /// All attributes of the rows, with the class.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The index of the class attribute.
    pub fn class(&self) -> usize {
        self.class
    }

    /// Whether a node tests the attribute with this index.
    pub fn uses(&self, attribute: usize) -> bool {
        self.nodes.iter().any(|node| node.attribute == Some(attribute))
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.branches.is_empty()).count()
    }

    /// The number of nodes, with the leaves.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The predicted class of a row, as an index of the values of the class. The row has a value for each attribute; the
    /// value of the class is ignored, and [`f64::NAN`] is a missing value.
    ///
    /// # Panics
    /// The row has fewer values than there are attributes.
    pub fn classify(&self, row: &[f64]) -> usize {
        let (mut best, mut class) = (-1.0, 0);
        for (at, &probability) in self.probabilities(row).iter().enumerate() {
            if smaller(best, probability) {
                (best, class) = (probability, at);
            }
        }
        class
    }

    /// The probability of each class.
    ///
    /// # Panics
    /// As [`classify`](Tree::classify).
    pub fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.attributes[self.class].values().len()];
        self.gather(0, row, 1.0, &mut sums);
        sums
    }

    fn gather(&self, at: u32, row: &[f64], weight: f64, sums: &mut [f64]) {
        let node = &self.nodes[at as usize];
        let Some(test) = node.test() else {
            return add_shares(&node.by_class(), weight, sums);
        };
        match test.branch(row[test.attribute]) {
            Some(branch) => match node.branches.get(branch) {
                Some(&next) if !self.nodes[next as usize].empty => self.gather(next, row, weight, sums),
                _ => add_shares(&node.by_class(), weight, sums),
            },
            None => {
                let total: f64 = node.counts.iter().flatten().sum();
                for (counts, &next) in node.counts.iter().zip(&node.branches) {
                    let share = counts.iter().sum::<f64>() / total;
                    if !self.nodes[next as usize].empty {
                        self.gather(next, row, share * weight, sums);
                    }
                }
            }
        }
    }
}

impl Node {
    pub(crate) fn test(&self) -> Option<Test> {
        let attribute = self.attribute?;
        let threshold = self.threshold;
        Some(Test { attribute, threshold })
    }

    /// The weights of the classes in all branches together.
    pub(crate) fn by_class(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.counts.first().map_or(0, Vec::len)];
        for counts in &self.counts {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// The prediction of a branch: its class, its weight, and the weight of the other classes.
    pub(crate) fn prediction(&self, branch: usize) -> (usize, f64, f64) {
        let counts = &self.counts[branch];
        let weight: f64 = counts.iter().sum();
        let class = match smaller(0.0, weight) {
            true => largest(counts),
            false => largest(&self.by_class()),
        };
        (class, weight, weight - counts[largest(counts)])
    }
}

fn add_shares(by_class: &[f64], weight: f64, sums: &mut [f64]) {
    let total: f64 = by_class.iter().sum();
    if !equal(total, 0.0) {
        sums.iter_mut()
            .zip(by_class)
            .for_each(|(sum, own)| *sum += weight * own / total);
    }
}
