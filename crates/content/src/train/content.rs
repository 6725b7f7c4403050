//! Training of the judgement of content by kinds of pages. See [`crate::content`].

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::time::Instant;

use gleaner_columns::{Columns, Runs, in_parallel, portions, sigmoid};
use gleaner_crf::lbfgs::{self, DescentState, Settings};
use gleaner_crf::{LANES, Row, Scores, Tables, Template};
use gleaner_gbdt::{Blocks, TreesConfig, boost};
use serde::{Deserialize, Serialize};

use super::config::check_trees;
use super::gate::GateProblem;
use super::pages::training_page;
use super::progress::rounds;
use super::{Progress, TrainingPart};
use crate::adjust::Adjustments;
use crate::content::{ContentColumns, ContentModel, kind_code};
use crate::conventions::Conventions;
use crate::{Error, Label, Model};

/// A page to learn content from.
#[derive(Clone, Copy, Debug)]
pub struct ContentPage<'a> {
    /// Its features.
    pub columns: &'a Columns,
    /// The label of each block.
    pub labels: &'a [Label],
    /// How many words each block has.
    pub words: &'a [u32],
    /// What kind of page it is.
    pub kind: &'a str,
    /// By what name what its gold set keeps may be chosen, see [`Model::set_convention`].
    pub convention: Option<&'a str>,
    /// Pages with the same number stand or fall together when the gate is trained on some pages to
    /// judge others: a hash of the host.
    pub group: u64,
}

/// The settings of this training; in TOML each may be left out.
///
/// The regularisation is that of a sum over blocks whose weights have the mean 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContentConfig {
    /// L2 regularisation of the weights that all kinds share.
    pub l2: f64,
    /// L2 regularisation of what a kind's weights differ by.
    pub l2_kind: f64,
    /// L2 regularisation of the weights for kinds, in a sum over pages.
    pub l2_gate: f64,
    /// A block of `w` words counts in proportion to `(w + 3)^word_exponent`.
    pub word_exponent: f64,
    /// A block counts in inverse proportion to this power of its page's words: those of the gold, a
    /// fifth of all, and 50. For a word F measure an error costs the more, the less text there is.
    pub page_exponent: f64,
    /// Which columns kind and content are judged by; without it those of the labels' template. So labels may use fewer
    /// columns than content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<ContentColumns>,
    /// Columns that begin so are not used for the kind: they only show which gold a page is from.
    pub gate_without: Vec<String>,
    /// Maximum iterations.
    pub max_iterations: usize,
    /// How much the mean over the blocks that look alike counts beside a block's own log odds, from 0, not at
    /// all, to 1. Nothing is learned for it: it is how the model judges.
    #[serde(rename = "alike")]
    pub group_smoothing: f64,
    /// What a text that stands elsewhere on the page, too, loses of its log odds; twice that where a block next to it
    /// is repeated with it, half of it where both blocks look alike. Nothing is learned for it, either.
    pub repeated: f64,
    /// What a preformatted text gains in log odds that stands between two blocks of content, which are the nearest ones
    /// of 4 words or more; less where those are doubtful. Nothing is learned for it, either.
    pub preformatted: f64,
    /// Has the head of a table and each part of a short list of definitions be at least as probable as the rest of it is on
    /// average, where that is content with even odds. Nothing is learned for it, either.
    pub captions: bool,
    /// Has boosted trees judge beside the weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreesConfig>,
}

impl Default for ContentConfig {
    fn default() -> Self {
        ContentConfig {
            l2: 100.0,
            l2_kind: 200.0,
            l2_gate: 1.5,
            word_exponent: 0.7,
            page_exponent: 0.6,
            columns: None,
            gate_without: Vec::new(),
            max_iterations: 60,
            group_smoothing: 0.0,
            repeated: 0.0,
            preformatted: 0.0,
            captions: false,
            trees: None,
        }
    }
}

/// Maximum exponent: with larger ones weights overflow.
const MOST_EXPONENT: f64 = 10.0;

/// Maximum change of log odds: beyond it a repeated text is never kept, and a preformatted one always.
const MOST_CHANGE: f64 = 20.0;

impl ContentConfig {
    /// # Errors
    /// Settings out of range.
    pub fn check(&self) -> Result<(), Error> {
        let numbers = [
            self.l2,
            self.l2_kind,
            self.l2_gate,
            self.word_exponent,
            self.page_exponent,
        ];
        let fail = |detail: &str| Err(Error::Setting("content", detail.into()));
        if !numbers.iter().all(|value| value.is_finite() && *value >= 0.0) {
            return fail("l2, l2_kind, l2_gate and the exponents must be numbers not below zero");
        }
        if self.word_exponent.max(self.page_exponent) > MOST_EXPONENT {
            return fail("word_exponent and page_exponent must not be above 10");
        }
        if !(0.0..=1.0).contains(&self.group_smoothing) {
            return fail("alike must be from 0 to 1");
        }
        if !(0.0..=MOST_CHANGE).contains(&self.repeated) {
            return fail("repeated must be from 0 to 20");
        }
        if !(0.0..=MOST_CHANGE).contains(&self.preformatted) {
            return fail("preformatted must be from 0 to 20");
        }
        if let Some(columns) = &self.columns
            && !columns.values().any(|&is_one| is_one)
        {
            return fail("columns must name some: \"\" = true is all of them");
        }
        self.trees
            .as_ref()
            .map_or(Ok(()), |trees| check_trees(trees, "content.trees"))
    }

    fn settings(&self) -> Settings {
        Settings {
            memory: 8,
            max_iterations: self.max_iterations,
            epsilon: 1e-5,
            delta: 1e-6,
            period: 10,
        }
    }
}

/// The pages are split into this many parts. The kinds of the pages of each are predicted by a gate that was trained on the
/// others, so that the rest is trained with kinds as uncertain as they will be.
const GATE_FOLDS: u64 = 5;

/// A page as this training sees it.
pub(super) struct Sample<'a> {
    pub(super) columns: &'a Columns,
    pub(super) words: &'a [u32],
    pub(super) kind: u8,
    group: u64,
    is_content: Vec<bool>,
    /// How much each block counts.
    weights: Vec<f64>,
}

/// Adds the judgement of content by kinds of pages to a model: its labels are those of before, given
/// that a block is content. The kinds are those of the pages, in alphabetical order.
///
/// # Errors
/// Settings out of range, more kinds than [`MAX_KINDS`](crate::MAX_KINDS), pages that do not fit the
/// model's features.
pub fn train_content(
    mut model: Model,
    pages: &[ContentPage<'_>],
    config: &ContentConfig,
    threads: usize,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Model, Error> {
    config.check()?;
    let names: BTreeSet<&str> = pages.iter().map(|page| page.kind).collect();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let mut content = ContentModel::zero(
        names,
        config.columns.clone(),
        &model.template_config,
        &model.space,
    )?;
    content.adjustments = Adjustments {
        group_smoothing: config.group_smoothing as f32,
        repeated: config.repeated as f32,
        preformatted: config.preformatted as f32,
        captions: config.captions,
    };
    content.conventions = conventions(&content.kinds, pages);
    let samples = samples(&model, &content.kinds, pages, config)?;
    let gate = Gate::train(&model, &content, &samples, config, threads);
    content.gate = gate.weights;
    let problem = Problem::new(&content, &samples, &gate.kinds, config, threads);
    content.weights = problem.minimise(config, progress);
    if let Some(trees) = &config.trees {
        let blocks = blocks(&model, &content, &samples, &gate.kinds);
        content.trees = Some(boost(
            &blocks,
            trees,
            threads,
            &mut rounds(TrainingPart::ContentTrees, trees.count, progress),
        ));
    }
    model.content = Some(content);
    Ok(model)
}

/// The conventions of the pages, and which kinds of pages each has.
fn conventions(kinds: &[String], pages: &[ContentPage<'_>]) -> Conventions {
    let mut conventions = Conventions::default();
    for page in pages {
        if let Some(name) = page.convention {
            conventions.add(name, number_of(kinds, page.kind));
        }
    }
    conventions
}

fn number_of(kinds: &[String], kind: &str) -> usize {
    let number = kinds.iter().position(|known| known == kind);
    number.expect("the kinds are those of the pages")
}

fn samples<'a>(
    model: &Model,
    kinds: &[String],
    pages: &[ContentPage<'a>],
    config: &ContentConfig,
) -> Result<Vec<Sample<'a>>, Error> {
    let mut samples = Vec::with_capacity(pages.len());
    for (at, page) in pages.iter().enumerate() {
        let fits = training_page(model, page.columns, page.labels).and_then(|_| {
            let same = page.words.len() == page.labels.len();
            same.then_some(())
                .ok_or_else(|| "not as many word counts as blocks".to_owned())
        });
        fits.map_err(|detail| Error::Page {
            set: "training",
            page: at,
            detail,
        })?;
        samples.push(Sample {
            columns: page.columns,
            words: page.words,
            kind: number_of(kinds, page.kind) as u8,
            group: page.group,
            is_content: page.labels.iter().map(|label| label.is_content()).collect(),
            weights: block_weights(page, config),
        });
    }
    samples.retain(|sample| !sample.words.is_empty());
    let blocks: usize = samples.iter().map(|sample| sample.words.len()).sum();
    let total: f64 = samples.iter().flat_map(|sample| &sample.weights).sum();
    if blocks == 0 {
        return Err(gleaner_crf::Error::NoData.into());
    }
    let factor = blocks as f64 / total;
    let weights = samples.iter_mut().flat_map(|sample| &mut sample.weights);
    weights.for_each(|weight| *weight *= factor);
    Ok(samples)
}

/// See [`ContentConfig`].
fn block_weights(page: &ContentPage<'_>, config: &ContentConfig) -> Vec<f64> {
    let words = || page.words.iter().map(|&words| f64::from(words));
    let gold: f64 = words()
        .zip(page.labels)
        .filter(|(_, label)| label.is_content())
        .map(|(words, _)| words)
        .sum();
    let size = gold + 0.2 * words().sum::<f64>() + 50.0;
    let weight = |words: f64| (words + 3.0).powf(config.word_exponent) / size.powf(config.page_exponent);
    words().map(weight).collect()
}

/// The blocks of all pages as the trees see them.
fn blocks(model: &Model, content: &ContentModel, samples: &[Sample<'_>], kinds: &[[f32; LANES]]) -> Blocks {
    let columns = model.space.columns.len();
    let mut inputs = vec![Vec::new(); columns + content.kinds.len()];
    for strip in content.template.strips() {
        let codes = samples
            .iter()
            .flat_map(|sample| sample.columns.column(strip.column));
        inputs[strip.column] = codes.copied().collect();
    }
    for (kind, input) in inputs[columns..].iter_mut().enumerate() {
        for (sample, kinds) in samples.iter().zip(kinds) {
            input.resize(input.len() + sample.words.len(), kind_code(kinds[kind]));
        }
    }
    let weights = samples.iter().flat_map(|sample| &sample.weights);
    Blocks {
        inputs,
        is_content: samples
            .iter()
            .flat_map(|sample| &sample.is_content)
            .copied()
            .collect(),
        weights: weights.map(|&weight| weight as f32).collect(),
    }
}

/// The weights for kinds.
struct Gate {
    /// Trained on all pages.
    weights: Vec<f32>,
    /// The kinds of each page, as predicted by gates that were trained on pages of other groups.
    kinds: Vec<[f32; LANES]>,
}

impl Gate {
    fn train(
        model: &Model,
        content: &ContentModel,
        samples: &[Sample<'_>],
        config: &ContentConfig,
        threads: usize,
    ) -> Gate {
        let begins = |name: &str| config.gate_without.iter().any(|prefix| name.starts_with(prefix));
        let columns = model.space.columns.iter();
        let left_out: Vec<bool> = columns.map(|column| begins(&column.name)).collect();
        let problem = GateProblem::new(&content.template, samples, content.kinds.len(), &left_out);
        let mut gates = vec![Vec::new(); GATE_FOLDS as usize + 1];
        let tasks: Vec<(usize, &mut Vec<f64>)> = gates.iter_mut().enumerate().collect();
        in_parallel(
            threads,
            tasks,
            || (),
            |(), (fold, weights)| {
                let learns = |page: usize| samples[page].group % GATE_FOLDS != fold as u64;
                *weights = problem.fit(config.l2_gate, &config.settings(), learns);
            },
        );
        let kinds = samples.iter().enumerate().map(|(page, sample)| {
            let weights = &gates[(sample.group % GATE_FOLDS) as usize];
            problem.probabilities(page, weights).map(|kind| kind as f32)
        });
        Gate {
            kinds: kinds.collect(),
            weights: gates[GATE_FOLDS as usize]
                .iter()
                .map(|&weight| weight as f32)
                .collect(),
        }
    }
}

/// The weighted logistic loss of content, and its gradient.
///
/// What is minimised over has for each attribute a weight that all kinds share and, kind by kind,
/// what the kind's own weight differs from it by.
struct Problem<'a> {
    template: &'a Template,
    count: usize,
    samples: &'a [Sample<'a>],
    kinds: &'a [[f32; LANES]],
    portions: Vec<Range<usize>>,
    l2: f64,
    l2_kind: f64,
    threads: usize,
}

/// What a portion of pages adds up.
struct PortionSums {
    loss: f64,
    /// A row an attribute.
    slopes: Vec<Row>,
}

/// What a thread works in.
#[derive(Default)]
struct Worker {
    runs: Runs,
    scores: Scores,
    /// A slope an attribute, of a page.
    slopes: Vec<f32>,
}

impl<'a> Problem<'a> {
    fn new(
        content: &'a ContentModel,
        samples: &'a [Sample<'a>],
        kinds: &'a [[f32; LANES]],
        config: &ContentConfig,
        threads: usize,
    ) -> Problem<'a> {
        Problem {
            template: &content.template,
            count: content.kinds.len(),
            samples,
            kinds,
            portions: portions(samples.iter().map(|sample| sample.words.len())),
            l2: config.l2,
            l2_kind: config.l2_kind,
            threads,
        }
    }

    /// The best weights, attribute by attribute, a weight a kind.
    fn minimise(
        &self,
        config: &ContentConfig,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Vec<f32> {
        let mut weights = vec![0.0; self.template.attributes() * (1 + self.count)];
        let curvature = self.curvature();
        let start = Instant::now();
        let mut report = |state: &DescentState, _: &[f64]| {
            progress(&Progress {
                part: TrainingPart::Content,
                iteration: state.iteration,
                objective: state.objective,
                gradient_norm: Some(state.gradient_norm),
                evaluations: state.evaluations,
                dev_loss: None,
                elapsed: start.elapsed(),
                iterations_left: config.max_iterations.saturating_sub(state.iteration),
            })
        };
        let mut function = |at: &[f64], slope: &mut [f64]| self.evaluate(at, slope);
        lbfgs::minimise(
            &mut weights,
            &curvature,
            &config.settings(),
            &mut function,
            &mut report,
        );
        self.by_kind(&weights)
    }

    /// Shared weight and difference to the weight of each kind.
    fn by_kind(&self, weights: &[f64]) -> Vec<f32> {
        let (shared, own) = weights.split_at(self.template.attributes());
        let rows = own.chunks_exact(self.count).zip(shared);
        rows.flat_map(|(row, shared)| row.iter().map(move |own| (own + shared) as f32))
            .collect()
    }

    fn evaluate(&self, weights: &[f64], slope: &mut [f64]) -> f64 {
        let tables = Tables::new(self.template, self.count, &self.by_kind(weights));
        let sums = self.pass(|worker, page, sums| self.add_page(&tables, worker, page, sums));
        let loss = self.collect(&sums, slope);
        loss + self.regularise(weights, slope)
    }

    /// Goes over all pages; what they add up, portion by portion.
    fn pass(&self, add: impl Fn(&mut Worker, usize, &mut PortionSums) + Sync) -> Vec<PortionSums> {
        let new = || PortionSums {
            loss: 0.0,
            slopes: vec![Row::default(); self.template.attributes()],
        };
        let mut all: Vec<PortionSums> = self.portions.iter().map(|_| new()).collect();
        let tasks: Vec<_> = self.portions.iter().cloned().zip(&mut all).collect();
        in_parallel(self.threads, tasks, Worker::default, |worker, (pages, sums)| {
            for page in pages {
                add(worker, page, sums);
            }
        });
        all
    }

    fn add_page(&self, tables: &Tables, worker: &mut Worker, page: usize, sums: &mut PortionSums) {
        let (sample, kinds) = (&self.samples[page], &self.kinds[page]);
        worker.runs.read(sample.columns);
        let rows = tables.score(sample.columns, &worker.runs, &mut worker.scores);
        let gold = sample.is_content.iter().zip(&sample.weights);
        let residuals: Vec<f32> = rows
            .iter()
            .zip(gold)
            .map(|(row, (&is_content, &weight))| {
                let score = mean_score(row, kinds, self.count);
                let probability = sigmoid(score);
                let right = if is_content { score } else { -score };
                sums.loss += weight * softplus(-right);
                (weight * (probability - f64::from(u8::from(is_content)))) as f32
            })
            .collect();
        self.spread(sample, &residuals, kinds, &mut worker.slopes, &mut sums.slopes);
    }

    /// Adds a number a block to the rows of its attributes, in proportion to the page's kinds.
    fn spread(
        &self,
        sample: &Sample<'_>,
        values: &[f32],
        kinds: &[f32; LANES],
        page: &mut Vec<f32>,
        rows: &mut [Row],
    ) {
        page.clear();
        page.resize(rows.len(), 0.0);
        for strip in self.template.strips() {
            let table = &mut page[strip.base..strip.base + strip.codes];
            let codes = sample.columns.column(strip.column);
            for (&code, value) in codes.iter().zip(values) {
                table[usize::from(code)] += value;
            }
        }
        for (row, &value) in rows.iter_mut().zip(page.iter()) {
            if value != 0.0 {
                row.add(&Row(kinds.map(|kind| kind * value)));
            }
        }
    }

    /// Sums what the portions have, in their order.
    fn collect(&self, sums: &[PortionSums], slope: &mut [f64]) -> f64 {
        slope.fill(0.0);
        let (shared, own) = slope.split_at_mut(self.template.attributes());
        for portion in sums {
            let slopes = shared.iter_mut().zip(own.chunks_exact_mut(self.count));
            for ((shared, own), row) in slopes.zip(&portion.slopes) {
                for (own, value) in own.iter_mut().zip(&row.0) {
                    *own += f64::from(*value);
                    *shared += f64::from(*value);
                }
            }
        }
        sums.iter().map(|portion| portion.loss).sum()
    }

    fn regularise(&self, weights: &[f64], slope: &mut [f64]) -> f64 {
        let shared = self.template.attributes();
        let mut norm = 0.0;
        for (place, (slope, weight)) in slope.iter_mut().zip(weights).enumerate() {
            let l2 = if place < shared { self.l2 } else { self.l2_kind };
            *slope += 2.0 * l2 * weight;
            norm += l2 * weight * weight;
        }
        norm
    }

    /// A guess at the second derivatives: a quarter of what an attribute's blocks weigh.
    fn curvature(&self) -> Vec<f64> {
        let sums = self.pass(|worker, page, sums| {
            let (sample, kinds) = (&self.samples[page], &self.kinds[page]);
            let quarters: Vec<f32> = sample
                .weights
                .iter()
                .map(|weight| (weight / 4.0) as f32)
                .collect();
            let squares = kinds.map(|kind| kind * kind);
            self.spread(sample, &quarters, &squares, &mut worker.slopes, &mut sums.slopes);
        });
        let mut curvature = vec![0.0; self.template.attributes() * (1 + self.count)];
        self.collect(&sums, &mut curvature);
        let shared = self.template.attributes();
        for (place, value) in curvature.iter_mut().enumerate() {
            *value += 2.0 * if place < shared { self.l2 } else { self.l2_kind } + 1e-6;
        }
        curvature
    }
}

/// ln(1 + exp(x)).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The mean of a row's scores by the page's kinds.
fn mean_score(row: &Row, kinds: &[f32; LANES], count: usize) -> f64 {
    let products = row.0[..count].iter().zip(kinds);
    products
        .map(|(&score, &kind)| f64::from(score) * f64::from(kind))
        .sum()
}

#[cfg(test)]
mod tests {
    use gleaner_columns::ColumnInfo;

    use super::*;
    use crate::{Decoder, FeatureSpace, Labels};
    use gleaner_crf::TemplateConfig;

    /// The definition, word for word: every block's scores summed code by code.
    fn loss(problem: &Problem<'_>, weights: &[f64]) -> f64 {
        let attributes = problem.template.attributes();
        let mut loss = 0.0;
        for (sample, kinds) in problem.samples.iter().zip(problem.kinds) {
            for block in 0..sample.words.len() {
                let mut score = 0.0;
                for strip in problem.template.strips() {
                    let attribute = strip.base + usize::from(sample.columns.column(strip.column)[block]);
                    score += weights[attribute];
                    for (kind, share) in kinds[..problem.count].iter().enumerate() {
                        let own = weights[attributes + attribute * problem.count + kind];
                        score += f64::from(*share) * own;
                    }
                }
                let sign = if sample.is_content[block] { -1.0 } else { 1.0 };
                loss += sample.weights[block] * (1.0 + (sign * score).exp()).ln();
            }
        }
        let norm = |weights: &[f64]| weights.iter().map(|weight| weight * weight).sum::<f64>();
        let (shared, own) = weights.split_at(attributes);
        loss + problem.l2 * norm(shared) + problem.l2_kind * norm(own)
    }

    #[test]
    fn loss_and_slope_are_those_of_the_definition() {
        let column = |place| ColumnInfo {
            name: format!("c{place}"),
            cardinality: 3,
        };
        let space = FeatureSpace {
            columns: (0..2).map(column).collect(),
            ..FeatureSpace::default()
        };
        let names = vec!["a".to_owned(), "b".to_owned()];
        let template = TemplateConfig::default();
        let model = Model::zero(space, Labels::default(), template, Decoder::default()).unwrap();
        let content = ContentModel::zero(names, None, &model.template_config, &model.space).unwrap();
        let mut columns = Columns::default();
        columns.reset(4, 2);
        columns.column_mut(0).copy_from_slice(&[0, 1, 2, 1]);
        columns.column_mut(1).copy_from_slice(&[2, 2, 0, 1]);
        let labels = [Label::Paragraph, Label::Other, Label::List, Label::Other];
        let page = |kind| ContentPage {
            columns: &columns,
            labels: &labels,
            words: &[10, 0, 3, 200],
            kind,
            convention: None,
            group: 0,
        };
        let config = ContentConfig::default();
        let samples = samples(&model, &content.kinds, &[page("a"), page("b")], &config).unwrap();
        let mut kinds = [[0.0; LANES]; 2];
        kinds[0][..2].copy_from_slice(&[0.75, 0.25]);
        kinds[1][..2].copy_from_slice(&[0.0, 1.0]);
        let problem = Problem::new(&content, &samples, &kinds, &config, 2);
        let weights: Vec<f64> = (0..18)
            .map(|place| (f64::from(place) * 0.7).sin() / 8.0)
            .collect();
        let mut slope = vec![0.0; 18];
        let found = problem.evaluate(&weights, &mut slope);
        assert!((found - loss(&problem, &weights)).abs() < 1e-5);
        for place in 0..18 {
            let at = |step: f64| {
                let mut moved = weights.clone();
                moved[place] += step;
                loss(&problem, &moved)
            };
            let expected = (at(1e-4) - at(-1e-4)) / 2e-4;
            assert!(
                (slope[place] - expected).abs() < 1e-4,
                "{place}: {} {expected}",
                slope[place]
            );
        }
        let total: f64 = samples.iter().flat_map(|sample| &sample.weights).sum();
        assert!((total - 8.0).abs() < 1e-9, "the mean weight of a block is 1");
    }
}
