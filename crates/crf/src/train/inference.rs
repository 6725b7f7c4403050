//! The probabilities of a page's labels under given weights, and what is learned from them.

use gleaner_columns::Runs;

use super::pages::Page;
use super::soft_f::{Decision, soft_f};
use crate::chain::{Chain, Lattice, Wide};
use crate::lanes::{LANES, Row};
use crate::scores::{Scores, Tables};

/// Weights laid out for inference.
pub(super) struct Scorer {
    pub(super) tables: Tables,
    pub(super) chain: Chain,
    /// Added to the scores of all labels but the gold one, by gold label.
    pub(super) costs: [f32; LANES],
    /// How many labels there are, and which is noise.
    pub(super) labels: usize,
    pub(super) other: usize,
    /// See the setting.
    pub(super) page_score: f64,
}

/// What a portion of pages adds up.
#[derive(Clone, Default)]
pub(super) struct Sums {
    pub(super) loss: f64,
    pub(super) pairs: [Wide; LANES],
}

impl Sums {
    /// Adds what a page or a portion has, `weight` times.
    pub(super) fn add(&mut self, weight: f64, loss: f64, pairs: &[Wide; LANES]) {
        self.loss += weight * loss;
        for (sum, value) in self.pairs.iter_mut().flatten().zip(pairs.iter().flatten()) {
            *sum += weight * value;
        }
    }
}

/// What a thread works in.
pub(super) struct Worker {
    runs: Runs,
    scores: Scores,
    lattice: Lattice,
    marginals: Vec<Wide>,
    decisions: Vec<Decision>,
    /// Of the page's score: along the probability of each block to be content, along that of each
    /// of its labels, along the score of each.
    content_slopes: Vec<f64>,
    gains: Vec<Wide>,
    slopes: Vec<Wide>,
}

impl Worker {
    /// One for what a scorer asks for.
    pub(super) fn new(scorer: &Scorer) -> Worker {
        let lattice = match scorer.page_score > 0.0 {
            true => Lattice::with_joint(),
            false => Lattice::default(),
        };
        Worker {
            lattice,
            runs: Runs::default(),
            scores: Scores::default(),
            marginals: Vec::new(),
            decisions: Vec::new(),
            content_slopes: Vec::new(),
            gains: Vec::new(),
            slopes: Vec::new(),
        }
    }

    /// What a page adds to the objective.
    pub(super) fn loss(&mut self, page: &Page<'_>, scorer: &Scorer) -> f64 {
        let loss = self.infer(page, scorer, &mut [[0.0; LANES]; LANES]);
        page.weight * (loss + self.score_loss(page, scorer))
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
        sums: &mut Sums,
    ) {
        let mut pairs = [[0.0; LANES]; LANES];
        let mut loss = self.infer(page, scorer, &mut pairs);
        for pair in page.gold.windows(2) {
            pairs[usize::from(pair[0])][usize::from(pair[1])] -= 1.0;
        }
        if scorer.page_score > 0.0 {
            loss += self.score_loss(page, scorer);
            self.score_slopes(page, scorer, &mut pairs);
        }
        for (marginal, &gold) in self.marginals.iter_mut().zip(page.gold) {
            marginal[usize::from(gold)] -= 1.0;
        }
        // (Without a page score there are no slopes.)
        for (marginal, slopes) in self.marginals.iter_mut().zip(&self.slopes) {
            marginal
                .iter_mut()
                .zip(slopes)
                .for_each(|(sum, slope)| *sum += slope);
        }
        sums.add(page.weight, loss, &pairs);
        for (residual, slopes) in residuals.iter_mut().zip(&self.marginals) {
            residual.0 = slopes.map(|slope| (slope * page.weight) as f32);
        }
    }

    /// What the page's expected score adds to its loss; notes the slopes.
    fn score_loss(&mut self, page: &Page<'_>, scorer: &Scorer) -> f64 {
        if scorer.page_score == 0.0 {
            return 0.0;
        }
        self.decisions.clear();
        let blocks = self.marginals.iter().zip(page.gold).enumerate();
        self.decisions
            .extend(blocks.map(|(block, (marginal, &gold))| Decision {
                words: f64::from(page.columns.words(block)),
                is_content: usize::from(gold) != scorer.other,
                probability: 1.0 - marginal[scorer.other],
            }));
        let measure = soft_f(&self.decisions, &mut self.content_slopes);
        scorer.page_score * page.len() as f64 * (1.0 - measure)
    }

    /// From slopes along probabilities to slopes along scores and transitions.
    fn score_slopes(&mut self, page: &Page<'_>, scorer: &Scorer, pairs: &mut [Wide; LANES]) {
        let scale = -scorer.page_score * page.len() as f64;
        self.gains.clear();
        self.gains.extend(self.content_slopes.iter().map(|slope| {
            let gain = |label| label < scorer.labels && label != scorer.other;
            std::array::from_fn(|label| if gain(label) { scale * slope } else { 0.0 })
        }));
        let (lattice, marginals) = (&self.lattice, &self.marginals);
        scorer
            .chain
            .slopes(lattice, marginals, &self.gains, &mut self.slopes, pairs);
    }

    /// Fills in the marginals, and adds the expected number of each transition to `pairs`; gives the
    /// negative log-likelihood.
    fn infer(&mut self, page: &Page<'_>, scorer: &Scorer, pairs: &mut [Wide; LANES]) -> f64 {
        self.runs.read(page.columns);
        let scores = scorer.tables.score(page.columns, &self.runs, &mut self.scores);
        for (row, &gold) in scores.iter_mut().zip(page.gold) {
            let own = row.0[usize::from(gold)];
            let cost = scorer.costs[usize::from(gold)];
            row.0.iter_mut().for_each(|score| *score += cost);
            row.0[usize::from(gold)] = own;
        }
        self.marginals.clear();
        self.marginals.resize(page.len(), [0.0; LANES]);
        let log_z = scorer
            .chain
            .marginals(scores, &mut self.lattice, &mut self.marginals, Some(pairs));
        log_z - scorer.chain.score(scores, page.gold)
    }
}
