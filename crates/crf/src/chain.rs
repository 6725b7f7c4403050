//! Exact inference on a chain: forward-backward.
//!
//! Forward-backward multiplies probabilities that are rescaled at each block (Rabiner 1989,
//! section V.A) as long as the scores of the page lie close enough together that nothing which
//! matters can underflow, and adds logarithms where they do not: see [`SCALED_RANGE`].

use gleaner_columns::{exp, widest};

use crate::lanes::{LANES, Row};

/// A probability or a score a label.
pub type Wide = [f64; LANES];

/// The scaled form is used while the range of a page's scores (over the labels of a block, plus
/// over the transitions) is below this. Each normalised forward or backward value is then at least
/// `exp(-SCALED_RANGE)` of the largest, so whatever underflows `f64` (about `exp(-708)`) is less
/// than `exp(-400)` of the sum that it is missing from.
const SCALED_RANGE: f64 = 300.0;

/// The label bigrams of a model, ready for inference.
#[derive(Clone, Debug)]
pub struct Chain {
    labels: usize,
    scores: [Row; LANES],
    /// The exponentials of the transitions less the largest: from, to.
    exp: [Wide; LANES],
    /// The same: to, from.
    exp_to: [Wide; LANES],
    largest: f64,
    range: f64,
}

/// What inference works in; reused from page to page.
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    forward: Vec<Wide>,
    emission: Vec<Wide>,
    scale: Vec<f64>,
}

impl Chain {
    /// `transitions[from * labels + to]` is the score of `to` following `from`.
    pub fn new(labels: usize, transitions: &[f32]) -> Chain {
        let mut scores = [Row::empty(0); LANES];
        for (row, weights) in scores.iter_mut().zip(transitions.chunks_exact(labels)) {
            row.0[..labels].copy_from_slice(weights);
        }
        let largest = f64::from(transitions.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let smallest = f64::from(transitions.iter().copied().fold(f32::INFINITY, f32::min));
        let exp = scores.map(|row| row.0.map(|score| exp(f64::from(score) - largest)));
        let exp_to = std::array::from_fn(|to| std::array::from_fn(|from| exp[from][to]));
        Chain {
            labels,
            scores,
            exp,
            exp_to,
            largest,
            range: largest - smallest,
        }
    }

    /// The marginal probability of each label of each block, the expected number of each
    /// transition (added to `pairs`, if asked for), and the logarithm of the partition function.
    pub fn marginals(
        &self,
        scores: &[Row],
        lattice: &mut Lattice,
        marginals: &mut [Wide],
        pairs: Option<&mut [Wide; LANES]>,
    ) -> f64 {
        if scores.is_empty() {
            return 0.0;
        }
        if self.range + widest(|| self.spread(scores)) < SCALED_RANGE {
            self.scaled(scores, lattice, marginals, pairs)
        } else {
            self.logarithmic(scores, lattice, marginals, pairs)
        }
    }

    /// The largest difference between the scores of two labels of one block.
    #[inline(always)]
    fn spread(&self, scores: &[Row]) -> f64 {
        let mut ranges = Row::default();
        for row in scores {
            let top = row.max();
            for (range, score) in ranges.0.iter_mut().zip(&row.0) {
                *range = range.max(top - score);
            }
        }
        f64::from(ranges.0[..self.labels].iter().copied().fold(0.0, f32::max))
    }

    fn scaled(
        &self,
        scores: &[Row],
        lattice: &mut Lattice,
        marginals: &mut [Wide],
        pairs: Option<&mut [Wide; LANES]>,
    ) -> f64 {
        widest(
            #[inline(always)]
            || {
                let log_z = self.scaled_forward(scores, lattice);
                self.scaled_backward(lattice, marginals, pairs);
                log_z
            },
        )
    }

    // The sum over all sequences of labels is a product of matrices, one a block, which would soon overflow. So two factors
    // are taken out of each row, and their logarithms are added up: the largest score before the exponential, and the sum
    // of the row after it. Each row of `forward` is then a distribution over labels, given the blocks up to it.
    #[inline(always)]
    fn scaled_forward(&self, scores: &[Row], lattice: &mut Lattice) -> f64 {
        lattice.forward.clear();
        lattice.emission.clear();
        lattice.scale.clear();
        let mut log_z = LogProduct::default();
        let mut tops = (scores.len() - 1) as f64 * self.largest;
        let mut before: Option<Wide> = None;
        for row in scores {
            let top = f64::from(row.max());
            let mut emission = [0.0; LANES];
            for (value, &score) in emission.iter_mut().zip(&row.0) {
                *value = exp(f64::from(score) - top);
            }
            let here = match before {
                Some(before) => product(&self.step(&before), &emission),
                None => emission,
            };
            let scale = sum(&here);
            let here = scaled(&here, 1.0 / scale);
            tops += top;
            log_z.multiply(scale);
            lattice.forward.push(here);
            lattice.emission.push(emission);
            lattice.scale.push(1.0 / scale);
            before = Some(here);
        }
        tops + log_z.finish()
    }

    /// The product of a row of probabilities with the matrix of transitions.
    #[inline(always)]
    fn step(&self, before: &Wide) -> Wide {
        let mut here = [0.0; LANES];
        for (weight, row) in before.iter().zip(&self.exp).take(self.labels) {
            for (sum, factor) in here.iter_mut().zip(row) {
                *sum += weight * factor;
            }
        }
        here
    }

    /// The product of the matrix of transitions with a column.
    #[inline(always)]
    fn step_back(&self, ahead: &Wide) -> Wide {
        let mut here = [0.0; LANES];
        for (weight, column) in ahead.iter().zip(&self.exp_to).take(self.labels) {
            for (sum, factor) in here.iter_mut().zip(column) {
                *sum += weight * factor;
            }
        }
        here
    }

    // The backward values are scaled by the sums of the forward pass: then forward times backward is the marginal, and no
    // second set of factors is needed. The division by `total` only removes what rounding has added up on a long page.
    //
    // The expected number of a transition is a sum over blocks of forward * exp(transition) * ahead. The exponential is the
    // same for all blocks, so that it is multiplied in once at the end.
    #[inline(always)]
    fn scaled_backward(
        &self,
        lattice: &mut Lattice,
        marginals: &mut [Wide],
        pairs: Option<&mut [Wide; LANES]>,
    ) {
        let Some((last, rest)) = marginals.split_last_mut() else {
            return;
        };
        let mut outer = [[0.0; LANES]; LANES];
        let mut backward = [1.0; LANES];
        *last = lattice.forward[rest.len()];
        let blocks = lattice.emission.iter().zip(&lattice.scale).skip(1);
        let before = rest.iter_mut().zip(&lattice.forward);
        for ((marginal, forward), (emission, scale)) in before.zip(blocks).rev() {
            let ahead = scaled(&product(emission, &backward), *scale);
            if pairs.is_some() {
                for (sums, weight) in outer.iter_mut().zip(forward).take(self.labels) {
                    for (sum, value) in sums.iter_mut().zip(&ahead) {
                        *sum += weight * value;
                    }
                }
            }
            backward = self.step_back(&ahead);
            let joint = product(forward, &backward);
            let total = sum(&joint);
            *marginal = scaled(&joint, 1.0 / total);
        }
        for (pairs, (outer, exp)) in pairs.into_iter().flatten().zip(outer.iter().zip(&self.exp)) {
            for (pair, (outer, exp)) in pairs.iter_mut().zip(outer.iter().zip(exp)) {
                *pair += outer * exp;
            }
        }
    }

    // The same by logarithms, which cannot underflow but cost an exponential for each pair of labels of each block. Only
    // weights that regularisation does not hold down need it.
    fn logarithmic(
        &self,
        scores: &[Row],
        lattice: &mut Lattice,
        marginals: &mut [Wide],
        mut pairs: Option<&mut [Wide; LANES]>,
    ) -> f64 {
        let labels = self.labels;
        let between = |from: usize, to: usize| f64::from(self.scores[from].0[to]);
        let wide = |row: &Row| row.0.map(f64::from);
        lattice.forward.clear();
        lattice.forward.push(wide(&scores[0]));
        for (block, row) in scores.iter().enumerate().skip(1) {
            let before = lattice.forward[block - 1];
            let mut here = wide(row);
            for (to, value) in here.iter_mut().enumerate().take(labels) {
                *value += log_sum((0..labels).map(|from| before[from] + between(from, to)));
            }
            lattice.forward.push(here);
        }
        let log_z = log_sum(lattice.forward[scores.len() - 1][..labels].iter().copied());
        let mut backward = [0.0; LANES];
        for block in (0..scores.len()).rev() {
            let forward = lattice.forward[block];
            if block + 1 < scores.len() {
                let next = wide(&scores[block + 1]);
                let ahead: Wide = std::array::from_fn(|to| next[to] + backward[to]);
                let mut joint = [[0.0; LANES]; LANES];
                for from in 0..labels {
                    for to in 0..labels {
                        joint[from][to] = (forward[from] + between(from, to) + ahead[to] - log_z).exp();
                    }
                    backward[from] = log_sum((0..labels).map(|to| between(from, to) + ahead[to]));
                }
                for (sums, joint) in pairs.iter_mut().flat_map(|pairs| pairs.iter_mut()).zip(&joint) {
                    sums.iter_mut().zip(joint).for_each(|(sum, value)| *sum += value);
                }
            }
            marginals[block] = [0.0; LANES];
            for label in 0..labels {
                marginals[block][label] = (forward[label] + backward[label] - log_z).exp();
            }
        }
        log_z
    }

    /// The score of a sequence of labels.
    pub fn score(&self, scores: &[Row], path: &[u8]) -> f64 {
        let state = scores
            .iter()
            .zip(path)
            .map(|(row, &label)| f64::from(row.0[usize::from(label)]));
        let between = |pair: &[u8]| f64::from(self.scores[usize::from(pair[0])].0[usize::from(pair[1])]);
        state.sum::<f64>() + path.windows(2).map(between).sum::<f64>()
    }
}

#[inline(always)]
fn product(a: &Wide, b: &Wide) -> Wide {
    let mut product = *a;
    for (value, factor) in product.iter_mut().zip(b) {
        *value *= factor;
    }
    product
}

#[inline(always)]
fn scaled(values: &Wide, factor: f64) -> Wide {
    product(values, &[factor; LANES])
}

/// The sum of all lanes, by halves.
#[inline(always)]
fn sum(values: &Wide) -> f64 {
    let quarters: [f64; 4] = std::array::from_fn(|lane| values[lane] + values[lane + 4]);
    (quarters[0] + quarters[2]) + (quarters[1] + quarters[3])
}

/// The logarithm of a product of many factors, with few logarithms.
struct LogProduct {
    product: f64,
    logs: f64,
}

impl Default for LogProduct {
    fn default() -> Self {
        LogProduct {
            product: 1.0,
            logs: 0.0,
        }
    }
}

impl LogProduct {
    /// Factors lie between exp(-[`SCALED_RANGE`]) and the number of labels.
    #[inline(always)]
    fn multiply(&mut self, factor: f64) {
        self.product *= factor;
        if !(1e-100..1e100).contains(&self.product) {
            self.logs += self.product.ln();
            self.product = 1.0;
        }
    }

    fn finish(self) -> f64 {
        self.logs + self.product.ln()
    }
}

/// The logarithm of the sum of exponentials.
fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = values.clone().fold(f64::NEG_INFINITY, f64::max);
    top + values.map(|value| (value - top).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests;
