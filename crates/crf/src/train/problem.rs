//! The function that training minimises, and its gradient.
//!
//! Two passes, each spread over threads and each with a result that does not depend on how:
//! pages to residuals (for each block and label, the probability less 1 for the gold label), then
//! columns to gradients (each attribute sums the residuals of its blocks, in the order of pages).

use gleaner_columns::in_parallel;

use super::inference::{PageSums, Scorer, Worker};
use super::pages::{Page, Pages};
use super::strips::{StripScratch, groups, rows};
use super::{ChainConfig, TrainingPage};
use crate::Error;
use crate::chain::Chain;
use crate::lanes::Row;
use crate::scores::Tables;
use crate::template::Template;

/// Labelled pages and settings, laid out for the evaluation.
pub(super) struct Problem<'a> {
    template: &'a Template,
    labels: usize,
    l2: f64,
    threads: usize,
    pages: Pages<'a>,
    /// Which of the model's weights may differ from zero: those that are trained.
    free: Vec<u32>,
    /// For each weight that is trained, about how fast the slope of the objective changes with it.
    curvature: Vec<f64>,
    /// The gradient for all of the model's weights.
    gradient: Vec<f64>,
    /// Residuals of all blocks. Around each page are `reach` rows of zeros.
    residuals: Vec<Row>,
}

impl<'a> Problem<'a> {
    /// Lays out the pages and counts what occurs.
    pub(super) fn new(
        template: &'a Template,
        labels: usize,
        pages: &'a [TrainingPage<'a>],
        config: &ChainConfig,
    ) -> Result<Problem<'a>, Error> {
        let pages = Pages::new(template.reach, pages, config.page_weight);
        if pages.list.is_empty() {
            return Err(Error::NoData);
        }
        let mut problem = Problem {
            template,
            labels,
            l2: config.l2,
            threads: config.threads,
            residuals: vec![Row::default(); pages.rows],
            pages,
            free: Vec::new(),
            curvature: Vec::new(),
            gradient: vec![0.0; labels * (labels + template.attributes())],
        };
        problem.count(config.min_count);
        Ok(problem)
    }

    /// How many weights there are to train.
    pub(super) fn size(&self) -> usize {
        self.free.len()
    }

    /// All of the model's weights, transitions first, of those that were trained.
    pub(super) fn expand(&self, weights: &[f64]) -> Vec<f32> {
        let mut all = vec![0.0; self.gradient.len()];
        self.free
            .iter()
            .zip(weights)
            .for_each(|(&place, &weight)| all[place as usize] = weight as f32);
        all
    }

    /// The negative log-likelihood with regularisation, and its gradient.
    // Two passes: by pages, which leaves the slope of the loss along the score of each block and label; then by columns, which
    // adds these up for each attribute. In both, each thread writes a part of its own and adds in a fixed order, so that the
    // weights do not depend on the number of threads, and no thread waits for another.
    pub(super) fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let sums = self.pass_pages(weights);
        let mut all = std::mem::take(&mut self.gradient);
        let (pairs, state) = all.split_at_mut(self.labels * self.labels);
        for (from, row) in pairs.chunks_exact_mut(self.labels).enumerate() {
            row.copy_from_slice(&sums.pairs[from][..self.labels]);
        }
        self.pass_columns(state);
        for (slope, &place) in gradient.iter_mut().zip(&self.free) {
            *slope = all[place as usize];
        }
        self.gradient = all;
        sums.loss + regularise(self.l2, weights, gradient)
    }

    /// Computes the probabilities of labels under some weights.
    fn scorer(&self, weights: &[f64]) -> Scorer {
        let narrow = self.expand(weights);
        let (transitions, state) = narrow.split_at(self.labels * self.labels);
        Scorer {
            chain: Chain::new(self.labels, transitions),
            tables: Tables::new(self.template, self.labels, state),
        }
    }

    /// What a block of other pages adds to the objective in the mean.
    pub(super) fn loss_on(&self, pages: &Pages<'_>, weights: &[f64]) -> f64 {
        let scorer = self.scorer(weights);
        let mut losses = vec![0.0; pages.portions.len()];
        let tasks = pages.portions().zip(&mut losses).collect();
        in_parallel(self.threads, tasks, Worker::default, |worker, (pages, loss)| {
            *loss = pages.iter().map(|page| worker.loss(page, &scorer)).sum();
        });
        losses.iter().sum::<f64>() / pages.weight()
    }

    /// Fills in the residuals; gives the loss and the surplus of each transition.
    fn pass_pages(&mut self, weights: &[f64]) -> PageSums {
        let scorer = self.scorer(weights);
        let mut results = vec![PageSums::default(); self.pages.portions.len()];
        let mut rest = self.residuals.as_mut_slice();
        let mut passed = 0;
        let mut tasks = Vec::new();
        for (pages, sums) in self.pages.portions().zip(&mut results) {
            let first = pages.first().map_or(passed, |page| page.row);
            let end = pages.last().map_or(passed, |page| page.row + page.len());
            let (_, from) = rest.split_at_mut(first - passed);
            let (own, after) = from.split_at_mut(end - first);
            (rest, passed) = (after, end);
            tasks.push((pages, own, sums));
        }
        in_parallel(
            self.threads,
            tasks,
            Worker::default,
            |worker, (pages, rows, sums)| {
                let first = pages.first().map_or(0, |page| page.row);
                for page in pages {
                    let rows = &mut rows[page.row - first..][..page.len()];
                    worker.residuals(page, &scorer, rows, sums);
                }
            },
        );
        results.iter().fold(PageSums::default(), |mut total, sums| {
            total.add(1.0, sums.loss, &sums.pairs);
            total
        })
    }

    /// Sums the residuals of each attribute's blocks.
    fn pass_columns(&self, gradient: &mut [f64]) {
        let mut rest = gradient;
        let mut tasks = Vec::new();
        for strips in groups(&self.template.strips) {
            let (own, after) = rest.split_at_mut(rows(strips) * self.labels);
            rest = after;
            tasks.push((strips, own));
        }
        in_parallel(
            self.threads,
            tasks,
            StripScratch::default,
            |scratch, (strips, gradient)| {
                scratch.sum(strips, &self.pages, &self.residuals, self.labels, gradient);
            },
        );
    }

    /// A guess at the second derivatives.
    pub(super) fn curvature(&self) -> &[f64] {
        &self.curvature
    }

    /// Finds out which weights belong to something that occurs often enough, and how often.
    fn count(&mut self, min_count: u32) {
        let counts = self.occurrences(|_| 1.0);
        let weighed = self.occurrences(|page| page.weight);
        let least = f64::from(min_count);
        // (The rows of transitions come first, one a label.)
        let rows = counts
            .chunks_exact(self.labels)
            .zip(weighed.chunks_exact(self.labels));
        for (row, (counts, weighed)) in rows.enumerate() {
            if counts.iter().all(|count| *count <= 0.0) {
                continue;
            }
            let curvature = curvature(weighed) + 2.0 * self.l2;
            for place in (0..self.labels).filter(|&label| counts[label] >= least) {
                self.free.push((row * self.labels + place) as u32);
                self.curvature.push(curvature);
            }
        }
    }

    /// How often what each weight belongs to occurs, a page counted as many times as its weight.
    fn occurrences(&mut self, weight: impl Fn(&Page<'_>) -> f64) -> Vec<f64> {
        for page in &self.pages.list {
            for (row, &label) in self.residuals[page.row..].iter_mut().zip(page.gold) {
                row.0[usize::from(label)] = weight(page) as f32;
            }
        }
        let mut counts = vec![0.0; self.gradient.len()];
        let (pairs, state) = counts.split_at_mut(self.labels * self.labels);
        for page in self.pages.list.iter().filter(|_| self.template.bigrams) {
            for pair in page.gold.windows(2) {
                pairs[usize::from(pair[0]) * self.labels + usize::from(pair[1])] += weight(page);
            }
        }
        self.pass_columns(state);
        self.residuals.fill(Row::default());
        counts
    }
}

/// A guess at the second derivative along the weights of an attribute that occurs so often with each
/// label. It is the variance of how often attribute and label occur together, and so in proportion
/// to the attribute's occurrences.
fn curvature(occurrences: &[f64]) -> f64 {
    let labels = occurrences.len() as f64;
    occurrences.iter().sum::<f64>() / labels * (1.0 - 1.0 / labels)
}

/// The L2 norm of some weights; its slope is added to theirs.
fn regularise(l2: f64, weights: &[f64], gradient: &mut [f64]) -> f64 {
    let mut norm = 0.0;
    for (slope, &weight) in gradient.iter_mut().zip(weights) {
        *slope += 2.0 * l2 * weight;
        norm += l2 * weight * weight;
    }
    norm
}

#[cfg(test)]
mod tests;
