//! From scores to probabilities.

use super::matrix::Matrix;
use super::{FastTextError, Settings};

#[derive(Debug)]
pub(super) struct Output {
    matrix: Matrix,
    kind: Kind,
    labels: usize,
}

#[derive(Debug)]
enum Kind {
    /// The probabilities of all labels are 1 together.
    Softmax,
    /// Each label is there or not.
    Logistic,
    /// The way from the root of a Huffman tree to a label: at each inner node, left or right.
    Tree(Vec<(usize, usize)>),
}

/// The logistic function of fastText is a table of 512 steps from -8 to 8.
const STEPS: f32 = 512.0;
const LIMIT: f32 = 8.0;

impl Output {
    pub(super) fn new(matrix: Matrix, settings: Settings, counts: Vec<i64>) -> Result<Output, FastTextError> {
        let labels = counts.len();
        if matrix.rows() < labels || matrix.columns() != settings.dimensions {
            return Err(FastTextError::Damaged(
                "the output matrix has another size than the labels",
            ));
        }
        let kind = match settings.loss {
            1 => Kind::Tree(tree(&counts)),
            3 => Kind::Softmax,
            2 | 4 => Kind::Logistic,
            _ => return Err(FastTextError::Damaged("a loss that is not known")),
        };
        Ok(Output { matrix, kind, labels })
    }

    /// The most probable labels.
    pub(super) fn best(&self, mean: &[f32], count: usize) -> Vec<(usize, f32)> {
        let mut probabilities = match &self.kind {
            Kind::Tree(nodes) => self.down(nodes, mean),
            Kind::Softmax => softmax(self.scores(mean)),
            Kind::Logistic => self.scores(mean).into_iter().map(logistic).collect(),
        };
        let mut best: Vec<(usize, f32)> = probabilities.drain(..).enumerate().collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        best.truncate(count);
        best
    }

    fn scores(&self, mean: &[f32]) -> Vec<f32> {
        (0..self.labels)
            .map(|label| self.matrix.product(label, mean))
            .collect()
    }

    /// The probabilities of the leaves of the tree. An inner node comes after its children, so its parent has been seen before
    /// it when they are read from the end.
    fn down(&self, nodes: &[(usize, usize)], mean: &[f32]) -> Vec<f32> {
        let mut probabilities = vec![1.0; self.labels + nodes.len()];
        for (node, (left, right)) in nodes.iter().enumerate().rev() {
            let is_right = 1.0 / (1.0 + (-self.matrix.product(node, mean)).exp());
            let here = probabilities[self.labels + node];
            probabilities[*left] = here * (1.0 - is_right);
            probabilities[*right] = here * is_right;
        }
        probabilities.truncate(self.labels);
        probabilities
    }
}

/// The children of the inner nodes of the Huffman tree of labels that are in the order of their counts, the largest first.
/// Inner nodes have the numbers after those of the labels.
fn tree(counts: &[i64]) -> Vec<(usize, usize)> {
    let mut sums = counts.to_vec();
    let mut leaves = counts.len();
    let mut inner = counts.len();
    let mut nodes = Vec::new();
    for _ in 1..counts.len() {
        let mut least = || {
            let is_leaf = leaves > 0 && sums.get(inner).is_none_or(|sum| sums[leaves - 1] < *sum);
            if is_leaf {
                leaves -= 1;
                leaves
            } else {
                inner += 1;
                inner - 1
            }
        };
        let (left, right) = (least(), least());
        sums.push(sums[left].saturating_add(sums[right]));
        nodes.push((left, right));
    }
    nodes
}

fn softmax(mut scores: Vec<f32>) -> Vec<f32> {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores
        .iter_mut()
        .for_each(|score| *score = (*score - largest).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    scores
}

fn logistic(score: f32) -> f32 {
    if score < -LIMIT {
        return 0.0;
    }
    if score > LIMIT {
        return 1.0;
    }
    let step = ((score + LIMIT) * STEPS / LIMIT / 2.0).floor();
    1.0 / (1.0 + (-(step * 2.0 * LIMIT / STEPS - LIMIT)).exp())
}
