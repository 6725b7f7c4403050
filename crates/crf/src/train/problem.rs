//! The function that training minimises, and its gradient.
//!
//! Two passes, each spread over threads and each with a result that does not depend on how:
//! pages to residuals (for each block and label, the probability less 1 for the gold label), then
//! columns to gradients (each attribute sums the residuals of its blocks, in the order of pages).

use std::ops::Range;

use gleaner_features::Columns;

use super::TrainConfig;
use super::bags::Bags;
use super::parallel::in_parallel;
use crate::chain::{Chain, Lattice, Wide};
use crate::lanes::{LANES, Row};
use crate::scores::Tables;
use crate::simd::widest;
use crate::template::{Conjunction, Strip, Template};
use crate::{Error, Label, Model};

/// Pages are handed to threads in portions of about so many blocks. Sums are made in portions too,
/// so that this number is part of the result.
const PORTION: usize = 4096;

/// Labelled pages and settings, laid out for the evaluation.
pub(crate) struct Problem<'a> {
    template: &'a Template,
    labels: usize,
    l2: f64,
    threads: usize,
    /// Added to the scores of all labels but the gold one, by gold label.
    costs: [f32; LANES],
    pages: Vec<Page<'a>>,
    /// The pages of each portion.
    portions: Vec<Range<usize>>,
    /// The hashed tokens, by bucket.
    bags: Bags,
    /// Which of the model's weights may differ from zero: those that are trained.
    free: Vec<u32>,
    /// For each weight that is trained, about how fast the slope of the objective changes with it.
    curvature: Vec<f64>,
    /// The gradient for all of the model's weights.
    gradient: Vec<f64>,
    /// Residuals of all blocks. Around each page are `reach` rows of zeros.
    residuals: Vec<Row>,
}

pub(super) struct Page<'a> {
    pub(super) columns: &'a Columns,
    gold: Vec<u8>,
    /// How many times its log-likelihood counts.
    weight: f64,
    /// Of the first block's residuals.
    pub(super) row: usize,
}

/// What a portion adds up.
#[derive(Clone, Default)]
struct Sums {
    loss: f64,
    pairs: [Wide; LANES],
}

impl<'a> Problem<'a> {
    /// Checks the pages and counts what occurs.
    pub(crate) fn new(
        model: &'a Model,
        pages: &'a [(Columns, Vec<Label>)],
        config: &TrainConfig,
    ) -> Result<Problem<'a>, Error> {
        let labels = model.labels.len();
        let mut costs = [0.0; LANES];
        for (&label, weight) in &config.label_weights {
            costs[model.labels.class(label)] = weight.ln() as f32;
        }
        let mut problem = Problem {
            template: &model.template,
            labels,
            l2: config.l2,
            threads: config.threads(),
            costs,
            pages: Vec::with_capacity(pages.len()),
            portions: Vec::new(),
            bags: Bags::default(),
            free: Vec::new(),
            curvature: Vec::new(),
            gradient: vec![0.0; labels * (labels + model.template.attributes())],
            residuals: Vec::new(),
        };
        for (page, (columns, gold)) in pages.iter().enumerate() {
            check_page(model, columns, gold).map_err(|detail| Error::Page { page, detail })?;
            let gold = gold
                .iter()
                .map(|&label| model.labels.class(label) as u8)
                .collect();
            let weight = config.page_weight.of(columns.rows());
            problem.add_page(columns, gold, weight);
        }
        if problem.pages.is_empty() {
            return Err(Error::NoData);
        }
        problem.bags = Bags::new(model.template.buckets(), &problem.pages);
        problem.count(config.min_count);
        Ok(problem)
    }

    fn add_page(&mut self, columns: &'a Columns, gold: Vec<u8>, weight: f64) {
        if gold.is_empty() {
            return;
        }
        let reach = self.template.reach;
        let row = self.residuals.len().max(reach);
        self.residuals.resize(row + gold.len() + reach, Row::default());
        let place = self.pages.len();
        match self.portions.last_mut() {
            Some(portion) if self.pages[portion.clone()].iter().map(Page::len).sum::<usize>() < PORTION => {
                portion.end = place + 1;
            }
            _ => self.portions.push(place..place + 1),
        }
        self.pages.push(Page {
            columns,
            gold,
            weight,
            row,
        });
    }

    /// How many weights there are to train.
    pub(crate) fn size(&self) -> usize {
        self.free.len()
    }

    /// All of the model's weights, transitions first, of those that were trained.
    pub(crate) fn expand(&self, weights: &[f64]) -> Vec<f32> {
        let mut all = vec![0.0; self.gradient.len()];
        self.free
            .iter()
            .zip(weights)
            .for_each(|(&place, &weight)| all[place as usize] = weight as f32);
        all
    }

    /// The negative log-likelihood with regularisation, and its gradient.
    pub(crate) fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let sums = self.pass_pages(weights);
        let mut all = std::mem::take(&mut self.gradient);
        let (pairs, state) = all.split_at_mut(self.labels * self.labels);
        for (from, row) in pairs.chunks_exact_mut(self.labels).enumerate() {
            row.copy_from_slice(&sums.pairs[from][..self.labels]);
        }
        self.pass_columns(state);
        let mut objective = sums.loss;
        for ((slope, &weight), &place) in gradient.iter_mut().zip(weights).zip(&self.free) {
            *slope = all[place as usize] + 2.0 * self.l2 * weight;
            objective += self.l2 * weight * weight;
        }
        self.gradient = all;
        objective
    }

    /// Fills in the residuals; gives the loss and the surplus of each transition.
    fn pass_pages(&mut self, weights: &[f64]) -> Sums {
        let narrow = self.expand(weights);
        let (transitions, state) = narrow.split_at(self.labels * self.labels);
        let chain = Chain::new(self.labels, transitions);
        let tables = Tables::new(self.template, self.labels, state);
        let pages = &self.pages;
        let costs = &self.costs;
        let mut results = vec![Sums::default(); self.portions.len()];
        let mut rest = self.residuals.as_mut_slice();
        let mut passed = 0;
        let mut tasks = Vec::new();
        for (portion, sums) in self.portions.iter().zip(&mut results) {
            let pages = &pages[portion.clone()];
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
                    worker.page(page, &tables, &chain, costs, rows, sums);
                }
            },
        );
        results.iter().fold(Sums::default(), |mut total, sums| {
            total.add(1.0, sums.loss, &sums.pairs);
            total
        })
    }

    /// Sums the residuals of each attribute's blocks.
    fn pass_columns(&self, gradient: &mut [f64]) {
        let mut rest = gradient;
        let mut tasks = Vec::new();
        for strip in &self.template.strips {
            let (own, after) = rest.split_at_mut(strip.codes * strip.span * self.labels);
            rest = after;
            tasks.push((Term::Strip(strip), own));
        }
        for conjunction in &self.template.conjunctions {
            let (own, after) = rest.split_at_mut(conjunction.codes * self.labels);
            rest = after;
            tasks.push((Term::Conjunction(conjunction), own));
        }
        for buckets in self.bags.ranges() {
            let (own, after) = rest.split_at_mut(buckets.len() * self.labels);
            rest = after;
            tasks.push((Term::Bags(buckets), own));
        }
        in_parallel(
            self.threads,
            tasks,
            Vec::new,
            |table, (term, gradient)| match term {
                Term::Bags(buckets) => self.bags.sum(buckets, &self.residuals, self.labels, gradient),
                term => self.sum(&term, table, gradient),
            },
        );
    }

    /// The gradient of a strip or conjunction: portion by portion in `f32`, all in `f64`.
    fn sum(&self, term: &Term<'_>, table: &mut Vec<Row>, gradient: &mut [f64]) {
        gradient.fill(0.0);
        for portion in &self.portions {
            table.clear();
            table.resize(gradient.len() / self.labels, Row::default());
            let pages = &self.pages[portion.clone()];
            widest(
                #[inline(always)]
                || {
                    for page in pages {
                        term.add(page, &self.residuals, table);
                    }
                },
            );
            for (slopes, row) in gradient.chunks_exact_mut(self.labels).zip(table.iter()) {
                slopes
                    .iter_mut()
                    .zip(&row.0)
                    .for_each(|(slope, sum)| *slope += f64::from(*sum));
            }
        }
    }

    /// A guess at the second derivatives. The one along a weight is the variance of how often its
    /// attribute and label occur together, and so in proportion to the attribute's occurrences.
    pub(crate) fn curvature(&self) -> &[f64] {
        &self.curvature
    }

    /// Finds out which weights belong to something that occurs often enough, and how often.
    fn count(&mut self, min_count: u32) {
        let counts = self.occurrences(|_| 1.0);
        let weighed = self.occurrences(|page| page.weight);
        let enough = f64::from(min_count.max(1));
        let labels = self.labels as f64;
        let rows = counts
            .chunks_exact(self.labels)
            .zip(weighed.chunks_exact(self.labels));
        for (first, (counts, weighed)) in (0u32..).step_by(self.labels).zip(rows) {
            let occurrences: f64 = weighed.iter().sum();
            for (place, _) in (first..).zip(counts).filter(|(_, count)| **count >= enough) {
                self.free.push(place);
                self.curvature
                    .push(occurrences / labels * (1.0 - 1.0 / labels) + 2.0 * self.l2);
            }
        }
    }

    /// How often what each weight belongs to occurs, a page of some weight counting so many times.
    fn occurrences(&mut self, weight: impl Fn(&Page<'_>) -> f64) -> Vec<f64> {
        for page in &self.pages {
            for (row, &label) in self.residuals[page.row..].iter_mut().zip(&page.gold) {
                row.0[usize::from(label)] = weight(page) as f32;
            }
        }
        let mut counts = vec![0.0; self.gradient.len()];
        let (pairs, state) = counts.split_at_mut(self.labels * self.labels);
        for page in self.pages.iter().filter(|_| self.template.bigrams) {
            for pair in page.gold.windows(2) {
                pairs[usize::from(pair[0]) * self.labels + usize::from(pair[1])] += weight(page);
            }
        }
        self.pass_columns(state);
        self.residuals.fill(Row::default());
        counts
    }
}

impl Page<'_> {
    pub(super) fn len(&self) -> usize {
        self.gold.len()
    }
}

impl Sums {
    /// Adds what a page or a portion has, `weight` times.
    fn add(&mut self, weight: f64, loss: f64, pairs: &[Wide; LANES]) {
        self.loss += weight * loss;
        for (sum, value) in self.pairs.iter_mut().flatten().zip(pairs.iter().flatten()) {
            *sum += weight * value;
        }
    }
}

/// What a thread works in.
#[derive(Default)]
struct Worker {
    scores: Vec<Row>,
    lattice: Lattice,
    marginals: Vec<Wide>,
}

impl Worker {
    fn page(
        &mut self,
        page: &Page<'_>,
        tables: &Tables,
        chain: &Chain,
        costs: &[f32; LANES],
        residuals: &mut [Row],
        sums: &mut Sums,
    ) {
        let scores = tables.score(page.columns, &mut self.scores);
        for (row, &gold) in scores.iter_mut().zip(&page.gold) {
            let own = row.0[usize::from(gold)];
            row.0
                .iter_mut()
                .for_each(|score| *score += costs[usize::from(gold)]);
            row.0[usize::from(gold)] = own;
        }
        self.marginals.clear();
        self.marginals.resize(page.len(), [0.0; LANES]);
        let mut pairs = [[0.0; LANES]; LANES];
        let log_z = chain.marginals(scores, &mut self.lattice, &mut self.marginals, &mut pairs);
        for pair in page.gold.windows(2) {
            pairs[usize::from(pair[0])][usize::from(pair[1])] -= 1.0;
        }
        sums.add(page.weight, log_z - chain.score(scores, &page.gold), &pairs);
        for ((residual, marginal), &gold) in residuals.iter_mut().zip(&self.marginals).zip(&page.gold) {
            let gold = usize::from(gold);
            residual.0 = marginal.map(|value| (value * page.weight) as f32);
            residual.0[gold] = ((marginal[gold] - 1.0) * page.weight) as f32;
        }
    }
}

/// A part of the template that has its own range of the gradient.
enum Term<'a> {
    Strip(&'a Strip),
    Conjunction(&'a Conjunction),
    Bags(Range<usize>),
}

impl Term<'_> {
    /// Adds a page's residuals to the rows of their attributes.
    #[inline(always)]
    fn add(&self, page: &Page<'_>, residuals: &[Row], table: &mut [Row]) {
        match self {
            Term::Strip(strip) => {
                let residuals = &residuals[strip.first_row(page.row)..];
                let codes = page.columns.column(strip.column);
                match strip.span {
                    1 => sum_strip::<1>(codes, residuals, table),
                    2 => sum_strip::<2>(codes, residuals, table),
                    3 => sum_strip::<3>(codes, residuals, table),
                    4 => sum_strip::<4>(codes, residuals, table),
                    _ => sum_strip::<5>(codes, residuals, table),
                }
            }
            Term::Conjunction(conjunction) => {
                for block in 0..page.len() {
                    if let Some(attribute) = conjunction.attribute(page.columns, block) {
                        table[attribute - conjunction.base].add(&residuals[page.row + block]);
                    }
                }
            }
            Term::Bags(_) => unreachable!("bags are summed by bucket"),
        }
    }
}

/// Adds the `SPAN` residuals from each block on to the rows of its code.
#[inline(always)]
fn sum_strip<const SPAN: usize>(codes: &[u8], residuals: &[Row], table: &mut [Row]) {
    let (table, _) = table.as_chunks_mut::<SPAN>();
    for (&code, residuals) in codes.iter().zip(residuals.array_windows::<SPAN>()) {
        let rows = &mut table[usize::from(code)];
        for place in 0..SPAN {
            // (Through a copy, or else the compiler takes it apart into scalars.)
            let mut sum = rows[place];
            sum.add(&residuals[place]);
            rows[place] = sum;
        }
    }
}

fn check_page(model: &Model, columns: &Columns, gold: &[Label]) -> Result<(), String> {
    let expected = model.space.columns.len();
    if columns.rows() != gold.len() {
        return Err(format!("{} blocks, but {} labels", columns.rows(), gold.len()));
    }
    if columns.rows() > 0 && columns.columns() != expected {
        return Err(format!(
            "{} columns, but the features have {expected}",
            columns.columns()
        ));
    }
    for (place, spec) in model
        .space
        .columns
        .iter()
        .enumerate()
        .filter(|_| columns.rows() > 0)
    {
        let largest = columns.column(place).iter().copied().max().unwrap_or(0);
        if u16::from(largest) >= spec.cardinality {
            return Err(format!(
                "column {:?} has code {largest}, not below {}",
                spec.name, spec.cardinality
            ));
        }
    }
    Ok(())
}
