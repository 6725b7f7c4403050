//! The probabilities of a page's labels under given weights, and what is learned from them.

use gleaner_columns::Runs;

use super::pages::Page;
use crate::chain::{Chain, Lattice, Wide};
use crate::lanes::{LANES, Row};
use crate::scores::{Scores, Tables};

/// Weights laid out for inference.
pub(super) struct Scorer {
    pub(super) tables: Tables,
    pub(super) chain: Chain,
}

/// What a portion of pages adds up.
#[derive(Clone, Default)]
pub(super) struct PageSums {
    pub(super) loss: f64,
    pub(super) pairs: [Wide; LANES],
}

impl PageSums {
    /// Adds what a page or a portion has, `weight` times.
    pub(super) fn add(&mut self, weight: f64, loss: f64, pairs: &[Wide; LANES]) {
        self.loss += weight * loss;
        for (sum, value) in self.pairs.iter_mut().flatten().zip(pairs.iter().flatten()) {
            *sum += weight * value;
        }
    }
}

/// What a thread works in.
#[derive(Default)]
pub(super) struct Worker {
    runs: Runs,
    scores: Scores,
    lattice: Lattice,
    marginals: Vec<Wide>,
}

impl Worker {
    /// What a page adds to the objective.
    pub(super) fn loss(&mut self, page: &Page<'_>, scorer: &Scorer) -> f64 {
        page.weight * self.infer(page, scorer, &mut [[0.0; LANES]; LANES])
    }

    /// Writes the slope of the page's loss along the score of each block and label: for its
    /// likelihood the probability, less 1 for the gold label. Adds the loss and its slope along
    /// each transition: how much more often it is expected than it is there. All as often as the
    /// page counts.
    pub(super) fn residuals(
        &mut self,
        page: &Page<'_>,
        scorer: &Scorer,
        residuals: &mut [Row],
        sums: &mut PageSums,
    ) {
        let mut pairs = [[0.0; LANES]; LANES];
        let loss = self.infer(page, scorer, &mut pairs);
        for pair in page.gold.windows(2) {
            pairs[usize::from(pair[0])][usize::from(pair[1])] -= 1.0;
        }
        for (marginal, &gold) in self.marginals.iter_mut().zip(page.gold) {
            marginal[usize::from(gold)] -= 1.0;
        }
        sums.add(page.weight, loss, &pairs);
        for (residual, slopes) in residuals.iter_mut().zip(&self.marginals) {
            residual.0 = slopes.map(|slope| (slope * page.weight) as f32);
        }
    }

    /// Fills in the marginals, and adds the expected number of each transition to `pairs`; gives the
    /// negative log-likelihood.
    fn infer(&mut self, page: &Page<'_>, scorer: &Scorer, pairs: &mut [Wide; LANES]) -> f64 {
        self.runs.read(page.columns);
        let scores = scorer.tables.score(page.columns, &self.runs, &mut self.scores);
        self.marginals.clear();
        self.marginals.resize(page.len(), [0.0; LANES]);
        let log_z = scorer
            .chain
            .marginals(scores, &mut self.lattice, &mut self.marginals, Some(pairs));
        log_z - scorer.chain.score(scores, page.gold)
    }
}
