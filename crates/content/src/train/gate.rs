//! Training of the gate of kinds: softmax regression on the means of its blocks' attributes.

use gleaner_crf::{LANES, Template, lbfgs};

use super::content::Sample;
use crate::content::{softmax, word_votes};

/// The mean of a page's blocks: attributes, each with its share of them.
type Mean = Vec<(u32, f32)>;

/// Pages' means and kinds.
pub(super) struct GateProblem {
    pub(super) means: Vec<Mean>,
    /// The kinds that each may be of, a bit each.
    pub(super) kinds: Vec<u8>,
    /// How much each counts.
    pub(super) counts: Vec<f64>,
    /// Of those of the model.
    pub(super) attributes: usize,
    pub(super) count: usize,
}

impl GateProblem {
    /// `left_out` says which columns the gate must not see.
    pub(super) fn new(
        template: &Template,
        samples: &[Sample<'_>],
        count: usize,
        left_out: &[bool],
    ) -> GateProblem {
        let mut sums = vec![0.0f64; template.attributes()];
        let means = samples.iter().map(|sample| {
            sums.fill(0.0);
            mean(template, sample, left_out, &mut sums)
        });
        GateProblem {
            means: means.collect(),
            kinds: samples.iter().map(|sample| 1 << sample.kind).collect(),
            counts: vec![1.0; samples.len()],
            attributes: template.attributes(),
            count,
        }
    }

    /// The weights under which the kinds of the pages that `learns` names are most probable, less
    /// the regularisation: attribute by attribute, a weight a kind.
    pub(super) fn fit(
        &self,
        l2: f64,
        settings: &lbfgs::Settings,
        learns: impl Fn(usize) -> bool,
    ) -> Vec<f64> {
        let pages: Vec<usize> = (0..self.means.len())
            .filter(|&page| learns(page) && !self.means[page].is_empty())
            .collect();
        let mut weights = vec![0.0; self.attributes * self.count];
        let curvature = vec![1.0; weights.len()];
        let mut function = |at: &[f64], slope: &mut [f64]| self.evaluate(&pages, l2, at, slope);
        let never_stop = &mut |_: &lbfgs::DescentState, _: &[f64]| std::ops::ControlFlow::Continue(());
        lbfgs::minimise(&mut weights, &curvature, settings, &mut function, never_stop);
        weights
    }

    /// The probabilities of a page's kinds.
    pub(super) fn probabilities(&self, page: usize, weights: &[f64]) -> [f64; LANES] {
        let mut scores = [0.0; LANES];
        for &(attribute, share) in &self.means[page] {
            let row = &weights[attribute as usize * self.count..][..self.count];
            for (score, weight) in scores.iter_mut().zip(row) {
                *score += f64::from(share) * weight;
            }
        }
        softmax(&scores[..self.count])
    }

    fn evaluate(&self, pages: &[usize], l2: f64, weights: &[f64], slope: &mut [f64]) -> f64 {
        let mut loss = 0.0;
        for (slope, weight) in slope.iter_mut().zip(weights) {
            loss += l2 * weight * weight;
            *slope = 2.0 * l2 * weight;
        }
        for &page in pages {
            let mut residual = self.probabilities(page, weights);
            loss -= self.counts[page] * take_gold(&mut residual, self.kinds[page]).ln();
            residual
                .iter_mut()
                .for_each(|residual| *residual *= self.counts[page]);
            for &(attribute, share) in &self.means[page] {
                let row = &mut slope[attribute as usize * self.count..][..self.count];
                for (slope, residual) in row.iter_mut().zip(&residual) {
                    *slope += f64::from(share) * residual;
                }
            }
        }
        loss
    }
}

/// Takes from the probabilities of kinds those that they have if the page is of one of these, a bit each. Gives the
/// probability that it is.
fn take_gold(probabilities: &mut [f64; LANES], kinds: u8) -> f64 {
    let is_gold = |kind: usize| kinds >> kind & 1 == 1;
    let gold = (0..LANES).filter(|&kind| is_gold(kind));
    let sum: f64 = gold.clone().map(|kind| probabilities[kind]).sum();
    for kind in gold {
        probabilities[kind] -= match sum > 0.0 {
            true => probabilities[kind] / sum,
            false => 1.0 / f64::from(kinds.count_ones()),
        };
    }
    sum.max(1e-300)
}

fn mean(template: &Template, sample: &Sample<'_>, left_out: &[bool], sums: &mut [f64]) -> Mean {
    let total: f64 = sample.words.iter().map(|&words| word_votes(words)).sum();
    for strip in template.strips().iter().filter(|strip| !left_out[strip.column]) {
        let codes = sample.columns.column(strip.column);
        for (&code, &words) in codes.iter().zip(sample.words) {
            sums[strip.base + usize::from(code)] += word_votes(words) / total;
        }
    }
    let shares = sums.iter().enumerate().filter(|(_, share)| **share > 0.0);
    shares
        .map(|(attribute, &share)| (attribute as u32, share as f32))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_loss() {
        let problem = GateProblem {
            means: vec![
                vec![(0, 0.5), (2, 0.25)],
                vec![(1, 1.0)],
                vec![(0, 0.1), (1, 0.3), (2, 0.6)],
            ],
            kinds: vec![0b1, 0b101, 0b10],
            counts: vec![1.0, 0.5, 2.0],
            attributes: 3,
            count: 3,
        };
        let weights: Vec<f64> = (0..9).map(|place| (f64::from(place) * 1.3).sin()).collect();
        let loss = |weights: &[f64]| problem.evaluate(&[0, 1, 2], 0.7, weights, &mut [0.0; 9]);
        let mut slope = [0.0; 9];
        problem.evaluate(&[0, 1, 2], 0.7, &weights, &mut slope);
        for place in 0..9 {
            let at = |step: f64| {
                let mut moved = weights.clone();
                moved[place] += step;
                loss(&moved)
            };
            let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!(
                (slope[place] - expected).abs() < 1e-6,
                "{place}: {} {expected}",
                slope[place]
            );
        }
    }
}
