//! The slopes of a function of the marginals.
//!
//! A function whose slope along the probability of label `k` of block `t` is `gains[t][k]` has, along
//! the score of a label of a block, the slope of the expectation of the sum of gains over a sequence
//! of labels: its covariance with that label being there. Two passes give, for each label of each
//! block, the expected gains before it and behind it, and that is all there is to it.

use super::{Chain, Lattice, Wide, product, sum};
use crate::lanes::LANES;

impl Chain {
    /// Writes the slope along each score, and adds the slope along each transition to `pairs`. The
    /// lattice has to be that of the marginals, [with the pairs](Lattice::with_joint).
    pub(crate) fn slopes(
        &self,
        lattice: &Lattice,
        marginals: &[Wide],
        gains: &[Wide],
        slopes: &mut Vec<Wide>,
        pairs: &mut [Wide; LANES],
    ) {
        slopes.clear();
        slopes.extend_from_slice(gains);
        let joints = lattice.joint.iter().rev();
        for (block, joint) in (1..).zip(joints.clone()) {
            let gained = self.times(&slopes[block - 1], joint);
            let own = given(&gained, &marginals[block]);
            add(&mut slopes[block], &own);
        }
        // (By now they are the gains up to each block.)
        let (Some(last), Some(up)) = (marginals.last(), slopes.last()) else {
            return;
        };
        let expected = sum(&product(last, up));
        let mut behind = [0.0; LANES];
        for (block, joint) in (1..marginals.len()).zip(joints).rev() {
            let mut ahead = gains[block];
            add(&mut ahead, &behind);
            self.add_pairs(joint, &slopes[block - 1], &ahead, expected, pairs);
            finish(&mut slopes[block], &behind, &marginals[block], expected);
            behind = given(&self.matrix_times(joint, &ahead), &marginals[block - 1]);
        }
        finish(&mut slopes[0], &behind, &marginals[0], expected);
    }

    /// A row times a matrix.
    fn times(&self, row: &Wide, matrix: &[Wide; LANES]) -> Wide {
        let mut out = [0.0; LANES];
        for (factor, row) in row.iter().zip(matrix).take(self.labels) {
            out.iter_mut()
                .zip(row)
                .for_each(|(sum, value)| *sum += factor * value);
        }
        out
    }

    /// A matrix times a column.
    fn matrix_times(&self, matrix: &[Wide; LANES], column: &Wide) -> Wide {
        std::array::from_fn(|row| sum(&product(&matrix[row], column)))
    }

    /// What the gains up to one block and from the next one on tell of their pair of labels.
    fn add_pairs(
        &self,
        joint: &[Wide; LANES],
        up: &Wide,
        ahead: &Wide,
        expected: f64,
        pairs: &mut [Wide; LANES],
    ) {
        for from in 0..self.labels {
            for to in 0..self.labels {
                pairs[from][to] += joint[from][to] * (up[from] + ahead[to] - expected);
            }
        }
    }
}

/// The gains up to a block and behind it become its slopes.
fn finish(slopes: &mut Wide, behind: &Wide, marginal: &Wide, expected: f64) {
    for (slope, (behind, marginal)) in slopes.iter_mut().zip(behind.iter().zip(marginal)) {
        *slope = marginal * (*slope + behind - expected);
    }
}

/// The expectation given each label; nothing for a label that cannot be.
fn given(sums: &Wide, marginal: &Wide) -> Wide {
    std::array::from_fn(|label| {
        if marginal[label] > f64::MIN_POSITIVE {
            sums[label] / marginal[label]
        } else {
            0.0
        }
    })
}

fn add(sums: &mut Wide, values: &Wide) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
