//! Why blocks have their probabilities of content, by the page alone.
//!
//! In: a model, and the columns of a page. Out: for each block its log odds as a sum: the mean of the page, what each feature adds
//! to it ([`FeatureShare`]), and what is adjusted afterwards ([`Adjusted`]).
//!
//! Features are measured against the page: what all blocks share is in the mean. Weights are linear, so a feature adds its weight
//! less the mean weight of the page's blocks; of trees it adds its Shapley value ([`Shapley`]). Both are Shapley values against the
//! same page, and so is their mean by the share of the trees. Where the chain judges content, the score of a label is compared with
//! that of noise, and what the labels beside it change is an adjustment.

use gleaner_columns::{Columns, Runs, logit};
use gleaner_crf::{Chain, Lattice, Row, Scores, Tables, Wide};
use gleaner_gbdt::{Contributions, Shapley, Trees};
use strum::IntoStaticStr;

use crate::adjust::Stage;
use crate::content::{ContentModel, ContentTables, Judging, kind_code};
use crate::decoder::{best_content, content_probability, pool_lines};
use crate::label_trees::{Joining, LabelForests, shifted, transitions};
use crate::{BlockSize, Label, Model};

/// Explains pages by a model.
pub struct Explainer<'m> {
    model: &'m Model,
    tables: Tables,
    label_trees: Option<LabelForests>,
    chain: Chain,
    by_kind: Option<ContentTables>,
}

/// Why a block has its probability of content.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockReasons {
    /// The mean log odds of the page's blocks.
    pub mean: f64,
    /// What the features add to it, the largest numbers first. Features that add nothing are left out.
    pub features: Vec<FeatureShare>,
    /// What changed the log odds afterwards, in this order.
    pub adjustments: Vec<Adjusted>,
    /// What the block is if it is content.
    pub label: LabelReason,
}

/// What a feature adds to the log odds of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureShare {
    /// The number of its column in the model's features.
    pub column: usize,
    /// Of which block it is: 0 is the block itself, 1 the next one.
    pub offset: i32,
    /// The code of that block; none before the first block and behind the last.
    pub code: Option<u8>,
    /// What it adds.
    pub value: f64,
}

/// A step behind the features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjusted {
    /// What it is.
    pub by: Adjustment,
    /// What it adds to the log odds.
    pub value: f64,
}

/// What changes the log odds of content behind the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Adjustment {
    /// It may be content of more than one label.
    OtherLabels,
    /// The labels of the blocks beside it.
    Neighbours,
    /// The blocks that look alike.
    Group,
    /// It is preformatted, between blocks of content.
    Preformatted,
    /// It is a caption of what is content.
    Caption,
    /// Its text stands elsewhere on the page, too.
    Repeated,
    /// It is decided together with the other lines of its text.
    Lines,
}

impl Adjustment {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The most probable label of a block, if that is content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelReason {
    /// The label.
    pub label: Label,
    /// Its probability among the labels of content.
    pub probability: f32,
    /// The same without the labels of the blocks beside it.
    pub alone: f32,
}

impl BlockReasons {
    /// The log odds by the features alone.
    pub fn by_features(&self) -> f64 {
        self.mean + self.features.iter().map(|feature| feature.value).sum::<f64>()
    }

    /// The log odds that the block is content, by the page alone.
    pub fn logit(&self) -> f64 {
        self.by_features()
            + self
                .adjustments
                .iter()
                .map(|adjusted| adjusted.value)
                .sum::<f64>()
    }
}

impl<'m> Explainer<'m> {
    /// Lays the weights out.
    pub fn new(model: &'m Model) -> Explainer<'m> {
        let count = model.labels.len();
        Explainer {
            model,
            tables: Tables::new(&model.template, count, &model.weights),
            label_trees: LabelForests::new(&model.label_trees, model.label_inputs()),
            chain: Chain::new(count, &transitions(&model.transitions, &model.label_trees)),
            by_kind: model.content.as_ref().map(ContentTables::new),
        }
    }

    /// Why the blocks of a page have the probabilities of content that a [`Tagger`](crate::Tagger) gives them.
    ///
    /// # Panics
    /// The page has other columns than the model, or there are not as many sizes as blocks.
    pub fn explain(&self, page: &Columns, blocks: &[BlockSize]) -> Vec<BlockReasons> {
        assert_eq!(blocks.len(), page.rows(), "as many sizes as blocks");
        if blocks.is_empty() {
            return Vec::new();
        }
        assert_eq!(
            page.columns(),
            self.model.space.columns.len(),
            "the model's columns"
        );
        let mut runs = Runs::default();
        runs.read(page);
        let labels = self.labels(page, &runs);
        match (&self.model.content, &self.by_kind) {
            (Some(model), Some(tables)) => by_kind(model, tables, page, &runs, blocks, &labels),
            _ => self.by_labels(page, blocks, &labels),
        }
    }

    /// The scores of the labels of a page, and their marginal probabilities.
    fn labels(&self, page: &Columns, runs: &Runs) -> Labelling<'_> {
        let mut scores = Scores::default();
        let scores = self.tables.score(page, runs, &mut scores);
        if let Some(trees) = &self.label_trees {
            trees.join(page, runs, &mut Joining::default(), scores);
        }
        let mut marginals = vec![Wide::default(); scores.len()];
        self.chain
            .marginals(scores, &mut Lattice::default(), &mut marginals, None);
        Labelling {
            labels: &self.model.labels,
            scores: scores.to_vec(),
            marginals,
        }
    }

    /// The reasons where content is what the chain gives a label of content.
    fn by_labels(&self, page: &Columns, blocks: &[BlockSize], labels: &Labelling<'_>) -> Vec<BlockReasons> {
        let other = self.model.labels.other();
        let mut content: Vec<f32> = labels
            .marginals
            .iter()
            .map(|row| content_probability(row, other))
            .collect();
        let by_chain = content.clone();
        pool_lines(&mut content, blocks);
        let best: Vec<usize> = (0..blocks.len()).map(|block| labels.best(block)).collect();
        let mut reasons = vec![None; blocks.len()];
        for label in (0..self.model.labels.len()).filter(|label| best.contains(label)) {
            let shares = self.label_shares(page, label);
            let own = (0..blocks.len()).filter(|&block| best[block] == label);
            for block in own {
                let (of_label, of_labels) = labels.content_scores(block, label);
                let mut adjustments = Vec::new();
                let mut add =
                    |by, value| adjustments.extend((value != 0.0).then_some(Adjusted { by, value }));
                add(Adjustment::OtherLabels, of_labels - of_label);
                add(
                    Adjustment::Neighbours,
                    f64::from(logit(by_chain[block])) - of_labels,
                );
                add(Adjustment::Lines, step(by_chain[block], content[block]));
                reasons[block] = Some(shares.reasons(block, page, adjustments, labels));
            }
        }
        reasons.into_iter().flatten().collect()
    }

    /// What features add to the score of a label less that of noise.
    fn label_shares(&self, page: &Columns, label: usize) -> Shares {
        let model = self.model;
        let (count, other) = (model.labels.len(), model.labels.other());
        let inputs = model.label_inputs();
        let of_trees = model
            .label_trees
            .first()
            .map_or(0.0, |trees| f64::from(trees.share));
        let weight = |attribute: usize| {
            let weights = &model.weights[attribute * count..][..count];
            f64::from(weights[label]) - f64::from(weights[other])
        };
        let columns = (0..inputs.count()).map(|number| inputs.column(number)).collect();
        let mut shares = Shares::new(page.rows(), columns);
        for strip in model.template.strips() {
            for place in 0..strip.span {
                let offset = strip.last - place as i32;
                let codes = page.column(strip.column);
                let values = (0..codes.len()).map(|block| {
                    let code = code_at(codes, block, offset);
                    let of_code = |code| weight(strip.base + usize::from(code) * strip.span + place);
                    (1.0 - of_trees) * code.map_or(0.0, of_code)
                });
                shares.add_linear(inputs.number(strip.column, offset), values);
            }
        }
        if !model.label_trees.is_empty() {
            let spread = spread(page, inputs.count(), |number| inputs.column(number));
            let mut add = |trees: &Trees, factor: f64| {
                let found = Shapley::new(trees).contributions(&spread, &[]);
                shares.add_trees(&found, factor);
            };
            add(&model.label_trees[label], of_trees);
            add(&model.label_trees[other], -of_trees);
        }
        shares
    }
}

/// A page with what blocks see of their neighbours.
fn spread(page: &Columns, inputs: usize, column: impl Fn(usize) -> (usize, i32)) -> Columns {
    let mut spread = Columns::default();
    spread.reset(page.rows(), inputs);
    for input in 0..inputs {
        let (column, offset) = column(input);
        let codes = shifted(page.column(column), offset);
        let own = spread.column_mut(input).iter_mut();
        own.zip(codes).for_each(|(own, code)| *own = code);
    }
    spread
}

fn code_at(codes: &[u8], block: usize, offset: i32) -> Option<u8> {
    codes.get(block.checked_add_signed(offset as isize)?).copied()
}

/// The reasons where content is judged by the kind of the page.
fn by_kind(
    model: &ContentModel,
    tables: &ContentTables,
    page: &Columns,
    runs: &Runs,
    blocks: &[BlockSize],
    labels: &Labelling<'_>,
) -> Vec<BlockReasons> {
    let mut judging = Judging::default();
    let kinds = tables.kinds(page, runs, blocks, &mut judging).judged;
    let shares = kind_shares(model, page, &kinds);
    let mut content = Vec::new();
    let mut adjustments = vec![Vec::new(); blocks.len()];
    let mut before = Vec::new();
    let watch = |stage: Stage, values: &[f32]| {
        let (by, difference): (_, fn(f32, f32) -> f64) = match stage {
            Stage::Scores | Stage::Probabilities => {
                before = values.to_vec();
                return;
            }
            Stage::Groups => (Adjustment::Group, |before, after| {
                f64::from(after) - f64::from(before)
            }),
            Stage::Preformatted => (Adjustment::Preformatted, step),
            Stage::Captions => (Adjustment::Caption, step),
            Stage::Repeats => (Adjustment::Repeated, step),
        };
        for ((adjusted, &before), &after) in adjustments.iter_mut().zip(&before).zip(values) {
            let value = difference(before, after);
            adjusted.extend((value != 0.0).then_some(Adjusted { by, value }));
        }
        before = values.to_vec();
    };
    tables.watch_content(page, runs, blocks, &kinds, &mut judging, &mut content, watch);
    let single = content.clone();
    pool_lines(&mut content, blocks);
    for (block, adjusted) in adjustments.iter_mut().enumerate() {
        let (by, value) = (Adjustment::Lines, step(single[block], content[block]));
        adjusted.extend((value != 0.0).then_some(Adjusted { by, value }));
    }
    let each = adjustments.into_iter().enumerate();
    each.map(|(block, adjustments)| shares.reasons(block, page, adjustments, labels))
        .collect()
}

/// What features add to the score of content on a page of such kinds.
fn kind_shares(model: &ContentModel, page: &Columns, kinds: &[f32]) -> Shares {
    let count = model.kinds.len();
    let of_trees = model.trees.as_ref().map_or(0.0, |trees| f64::from(trees.share));
    let weight = |attribute: usize| {
        let weights = model.weights[attribute * count..][..count].iter().zip(kinds);
        weights
            .map(|(weight, kind)| f64::from(*weight) * f64::from(*kind))
            .sum::<f64>()
    };
    let columns = (0..page.columns()).map(|column| (column, 0));
    // (Behind them stand the kinds, which all blocks share.)
    let mut shares = Shares::new(page.rows(), columns.collect());
    for strip in model.template.strips() {
        let codes = page.column(strip.column).iter();
        let values = codes.map(|&code| (1.0 - of_trees) * weight(strip.base + usize::from(code)));
        shares.add_linear(strip.column, values);
    }
    if let Some(trees) = &model.trees {
        let codes: Vec<u8> = kinds.iter().map(|&kind| kind_code(kind)).collect();
        let found = Shapley::new(trees).contributions(page, &codes);
        shares.add_trees(&found, of_trees);
    }
    shares
}

/// By how much the log odds differ of two probabilities.
fn step(before: f32, after: f32) -> f64 {
    match before == after {
        true => 0.0,
        false => f64::from(logit(after)) - f64::from(logit(before)),
    }
}

/// The labels of a page by the chain.
struct Labelling<'a> {
    labels: &'a crate::Labels,
    /// By features alone.
    scores: Vec<Row>,
    marginals: Vec<Wide>,
}

impl Labelling<'_> {
    /// The most probable label of content.
    fn best(&self, block: usize) -> usize {
        usize::from(best_content(&self.marginals[block], self.labels.other()))
    }

    /// By the scores alone, the log odds of a label against noise, and those of content.
    fn content_scores(&self, block: usize, label: usize) -> (f64, f64) {
        let other = self.labels.other();
        let scores = self.scores[block].0[..self.labels.len()].iter();
        let odds: Vec<f64> = scores
            .map(|&score| f64::from(score) - f64::from(self.scores[block].0[other]))
            .collect();
        let content = || {
            (0..odds.len())
                .filter(|&label| label != other)
                .map(|label| odds[label])
        };
        let top = content().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = content().map(|score| (score - top).exp()).sum();
        (odds[label], top + sum.ln())
    }

    fn reason(&self, block: usize) -> LabelReason {
        let (best, other) = (self.best(block), self.labels.other());
        let among_content = |values: &[f64]| {
            let content = values.iter().enumerate().filter(|(label, _)| *label != other);
            let sum: f64 = content.map(|(_, value)| value).sum();
            if sum > 0.0 {
                (values[best] / sum) as f32
            } else {
                1.0
            }
        };
        let scores = &self.scores[block].0[..self.labels.len()];
        let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let alone: Vec<f64> = scores.iter().map(|score| f64::from(score - top).exp()).collect();
        LabelReason {
            label: self.labels.as_slice()[best],
            probability: among_content(&self.marginals[block][..self.labels.len()]),
            alone: among_content(&alone),
        }
    }
}

/// What each feature adds to the score of each block.
struct Shares {
    mean: f64,
    /// The column and the offset of each input.
    inputs: Vec<(usize, i32)>,
    /// Block by block, a number an input.
    values: Vec<f64>,
}

impl Shares {
    fn new(blocks: usize, inputs: Vec<(usize, i32)>) -> Shares {
        Shares {
            mean: 0.0,
            values: vec![0.0; blocks * inputs.len()],
            inputs,
        }
    }

    /// Adds what an input adds to each block: to the mean what it adds on average, and the rest to the block.
    fn add_linear(&mut self, input: usize, values: impl Iterator<Item = f64>) {
        let values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        self.mean += mean;
        let own = self.values.iter_mut().skip(input).step_by(self.inputs.len());
        own.zip(values).for_each(|(own, value)| *own += value - mean);
    }

    fn add_trees(&mut self, found: &Contributions, factor: f64) {
        self.mean += factor * found.mean;
        for (block, own) in self.values.chunks_exact_mut(self.inputs.len()).enumerate() {
            let values = own.iter_mut().zip(found.of(block));
            values.for_each(|(own, value)| *own += factor * value);
        }
    }

    fn own(&self, block: usize) -> &[f64] {
        &self.values[block * self.inputs.len()..][..self.inputs.len()]
    }

    fn reasons(
        &self,
        block: usize,
        page: &Columns,
        adjustments: Vec<Adjusted>,
        labels: &Labelling<'_>,
    ) -> BlockReasons {
        let shares = self.inputs.iter().zip(self.own(block));
        let shares = shares.filter(|(_, value)| **value != 0.0);
        let mut features: Vec<FeatureShare> = shares
            .map(|(&(column, offset), &value)| FeatureShare {
                column,
                offset,
                code: code_at(page.column(column), block, offset),
                value,
            })
            .collect();
        features.sort_by(|one, other| other.value.abs().total_cmp(&one.value.abs()));
        BlockReasons {
            mean: self.mean,
            features,
            adjustments,
            label: labels.reason(block),
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_columns::ColumnInfo;
    use gleaner_crf::TemplateConfig;
    use gleaner_gbdt::{Question, Split};
    use gleaner_testing::Random;
    use proptest::prelude::*;

    use super::*;
    use crate::adjust::Adjustments;
    use crate::{Decoder, FeatureSpace, Labels, Tagger};

    const COLUMNS: usize = 4;
    const CODES: usize = 5;

    /// A model with such labels, of random numbers.
    fn model(random: &mut Random, labels: &[Label], is_by_kind: bool, has_trees: bool) -> Model {
        let column = |place: usize| ColumnInfo {
            name: format!("c{place}"),
            cardinality: CODES as u16,
        };
        let space = FeatureSpace {
            columns: (0..COLUMNS).map(column).collect(),
            ..FeatureSpace::default()
        };
        let template = TemplateConfig {
            offsets: [("", vec![0]), ("c1", vec![-2, 0, 1]), ("c2", vec![])]
                .map(|(name, offsets)| (name.to_owned(), offsets))
                .into(),
            ..TemplateConfig::default()
        };
        let labels = Labels::new(labels.to_vec()).unwrap();
        let mut model = Model::zero(space, labels, template.clone(), Decoder::default()).unwrap();
        let mut fill = |weights: &mut Vec<f32>| weights.fill_with(|| random.below(200) as f32 / 100.0 - 1.0);
        fill(&mut model.weights);
        fill(&mut model.transitions);
        if is_by_kind {
            let kinds = vec!["article".to_owned(), "forum".to_owned()];
            let mut content = ContentModel::zero(kinds, None, &template, &model.space).unwrap();
            fill(&mut content.gate);
            fill(&mut content.weights);
            content.adjustments = Adjustments {
                group_smoothing: 0.5,
                repeated: 0.9,
                preformatted: 1.5,
                captions: true,
            };
            content.trees = has_trees.then(|| trees(random, COLUMNS + 2));
            model.content = Some(content);
        } else if has_trees {
            let inputs = model.label_inputs().count();
            model.label_trees = (0..model.labels.len()).map(|_| trees(random, inputs)).collect();
        }
        model
    }

    fn trees(random: &mut Random, inputs: usize) -> Trees {
        let mut trees = Trees::zero(6, 8, 0.85);
        for (place, split) in trees.splits.iter_mut().enumerate() {
            *split = Split {
                question: Question {
                    input: random.below(inputs) as u16,
                    threshold: random.below(CODES) as u8,
                },
                leaf: random.below(place % 7 + 1) as u8,
            };
        }
        for leaves in &mut trees.leaves {
            leaves[..8].fill_with(|| random.below(100) as f32 / 100.0 - 0.5);
        }
        trees
    }

    fn page(random: &mut Random, rows: usize) -> (Columns, Vec<BlockSize>) {
        let mut page = Columns::default();
        page.reset(rows, COLUMNS);
        for column in 0..COLUMNS {
            page.column_mut(column).fill_with(|| random.below(CODES) as u8);
        }
        page.set_groups((0..rows).map(|block| block as u32 / 2));
        page.set_texts((0..rows).map(|block| block as u32 % 5));
        page.set_preformatted(std::iter::once(1..3).filter(|_| rows > 3));
        let size = |block: usize| BlockSize {
            words: random.below(9) as u32,
            with_before: block == 2,
        };
        (page, (0..rows).map(size).collect())
    }

    proptest! {
        #[test]
        fn reasons_add_up_to_what_the_tagger_gives(
            seed: u64, rows in 0usize..12, is_by_kind: bool, has_trees: bool, has_two_labels: bool,
        ) {
            let mut random = Random::new(seed);
            let labels = if has_two_labels { &[Label::Other, Label::Paragraph][..] } else { &Label::ALL };
            let model = model(&mut random, labels, is_by_kind, has_trees);
            let (page, sizes) = page(&mut random, rows);
            let reasons = Explainer::new(&model).explain(&page, &sizes);
            let mut tagger = Tagger::new(&model);
            let tagged = tagger.tag_blocks(&page, sizes.iter().copied());
            prop_assert_eq!(reasons.len(), rows);
            let content_labels: Vec<(Label, f32)> = tagged.content_labels(model.labels()).collect();
            for (block, reason) in reasons.iter().enumerate() {
                let expected = f64::from(logit(tagged.content[block]));
                prop_assert!((reason.logit() - expected).abs() < 1e-3, "{block}: {reason:?} {expected}");
                prop_assert!(reason.features.is_sorted_by(|a, b| a.value.abs() >= b.value.abs()));
                let (label, share) = content_labels[block];
                prop_assert_eq!(reason.label.label, label);
                prop_assert!((reason.label.probability - share).abs() < 1e-3, "{reason:?} {share}");
                for feature in &reason.features {
                    let at = block.checked_add_signed(feature.offset as isize).filter(|&at| at < rows);
                    prop_assert_eq!(feature.code, at.map(|at| page.column(feature.column)[at]));
                    prop_assert!(has_trees || feature.column != 2, "the template leaves it out: {feature:?}");
                }
            }
            // Against the page: what features add is nothing on the whole, where all are compared with noise alike.
            if is_by_kind || has_two_labels {
                let sum: f64 = reasons.iter().flat_map(|reason| &reason.features).map(|feature| feature.value).sum();
                prop_assert!(sum.abs() < 1e-6, "{sum}");
            }
        }
    }
}
