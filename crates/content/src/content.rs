//! Content or noise, judged by the kind of the page.
//!
//! Which blocks are content depends on what a page is: comments are noise under an article and all
//! there is in a forum, a list of links is a menu or the page itself. So a page's kind is predicted
//! first, as a probability a kind, from the mean of its blocks. Then each block has a score a kind,
//! and the mean of those over the kinds is the log odds that the block is content: a mixture of
//! experts (Jacobs, Jordan, Nowlan and Hinton 1991) whose gate is trained by itself, on the kinds
//! that the gold names.
//!
//! Beside the weights, and in a mean with them, boosted [`Trees`] may judge the blocks. Then blocks that belong together
//! are adjusted to each other: see [`adjust`].
//!
//! Blocks are judged one by one here: transitions that are right for labels make the probabilities
//! of content overconfident, and decoders that weigh probabilities pay for it.

use std::collections::BTreeMap;

use gleaner_columns::{Columns, Runs, sigmoid};
use gleaner_crf::{LANES, Template, TemplateConfig};
use gleaner_gbdt::{Forest, Scratch, Trees};

use crate::adjust::{self, Adjustments, Stage};
use crate::conventions::{Conventions, KindSet};
use crate::mixture::{Gate, Mixed, Mixture};
use crate::votes::Votes;
use crate::{BlockSize, Error, FeatureSpace};

/// Maximum kinds of pages per model.
pub const MAX_KINDS: usize = LANES;

/// Whether columns are used for kinds and content, by the beginnings of their names: the longest that fits decides, and where none
/// does they don't.
pub type ContentColumns = BTreeMap<String, bool>;

/// The weights that predict kinds and content. An attribute is a code of a column of the block itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContentModel {
    pub(crate) kinds: Vec<String>,
    /// What gold sets keep, each by its kinds.
    pub(crate) conventions: Conventions,
    /// Which columns are looked at, where they are not those of the labels' template.
    pub(crate) columns: Option<ContentColumns>,
    pub(crate) template: Template,
    /// Attribute by attribute, a weight a kind: how it speaks for the kind.
    pub(crate) gate: Vec<f32>,
    /// Attribute by attribute, a weight a kind: how it speaks for content on such pages.
    pub(crate) weights: Vec<f32>,
    /// What else speaks for content.
    pub(crate) trees: Option<Trees>,
    /// What adjusts the probabilities of content.
    pub(crate) adjustments: Adjustments,
}

impl ContentModel {
    /// A model all of whose weights are zero.
    pub(crate) fn zero(
        kinds: Vec<String>,
        columns: Option<ContentColumns>,
        template: &TemplateConfig,
        space: &FeatureSpace,
    ) -> Result<ContentModel, Error> {
        if kinds.is_empty() || kinds.len() > MAX_KINDS {
            let detail = format!(
                "{} kinds of pages, not 1 to {MAX_KINDS}: {}",
                kinds.len(),
                kinds.join(", ")
            );
            return Err(Error::Setting("kinds", detail));
        }
        let template = match &columns {
            Some(columns) => Template::compile(&of_columns(columns), &space.columns)?,
            None => Template::compile(&own_columns(template), &space.columns)?,
        };
        let weights = vec![0.0; template.attributes() * kinds.len()];
        Ok(ContentModel {
            gate: weights.clone(),
            weights,
            kinds,
            conventions: Conventions::default(),
            columns,
            template,
            trees: None,
            adjustments: Adjustments::default(),
        })
    }
}

/// The block's own codes of each column that a template does not leave out.
fn own_columns(template: &TemplateConfig) -> TemplateConfig {
    let own = |offsets: &Vec<i32>| if offsets.is_empty() { vec![] } else { vec![0] };
    let offsets = template.offsets.iter();
    own_codes(offsets.map(|(name, offsets)| (name.clone(), own(offsets))))
}

/// The block's own codes of such columns.
fn of_columns(columns: &ContentColumns) -> TemplateConfig {
    let own = |&is_one: &bool| if is_one { vec![0] } else { vec![] };
    own_codes(columns.iter().map(|(name, is_one)| (name.clone(), own(is_one))))
}

fn own_codes(offsets: impl Iterator<Item = (String, Vec<i32>)>) -> TemplateConfig {
    TemplateConfig {
        bigrams: false,
        offsets: offsets.collect(),
    }
}

/// The weights laid out for tagging.
#[derive(Clone, Debug)]
pub(crate) struct ContentTables {
    kinds: usize,
    /// Of the convention that pages are judged by.
    convention: Option<KindSet>,
    gate: Gate,
    weights: Mixture,
    trees: Option<Forest>,
    adjustments: Adjustments,
}

/// The probability of each kind of page, then zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kinds {
    /// Those of the page.
    pub(crate) predicted: [f32; LANES],
    /// As content is judged by them: given that the page is of the convention's.
    pub(crate) judged: [f32; LANES],
}

/// What pages are judged in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judging {
    votes: Votes,
    mixed: Mixed,
    scratch: Scratch,
    pub(crate) adjusting: adjust::Scratch,
}

impl ContentTables {
    pub(crate) fn new(model: &ContentModel) -> ContentTables {
        let kinds = model.kinds.len();
        ContentTables {
            kinds,
            convention: model.conventions.chosen(),
            gate: Gate::new(&model.template, kinds, &model.gate),
            weights: Mixture::new(&model.template, kinds, &model.weights),
            trees: model.trees.as_ref().map(Forest::new),
            adjustments: model.adjustments,
        }
    }

    /// How many kinds there are.
    pub(crate) fn count(&self) -> usize {
        self.kinds
    }

    /// What kinds a page is of.
    pub(crate) fn kinds(
        &self,
        page: &Columns,
        runs: &Runs,
        blocks: &[BlockSize],
        judging: &mut Judging,
    ) -> Kinds {
        let logits = self.gate.mean(page, runs, blocks, &mut judging.votes);
        let logits = &logits[..self.kinds];
        let predicted = softmax(logits).map(|probability| probability as f32);
        let judged = self.convention.map(|kinds| kinds.softmax(logits));
        Kinds {
            judged: judged.map_or(predicted, |kinds| kinds.map(|probability| probability as f32)),
            predicted,
        }
    }

    /// The probability of each block to be content, on a page of some kinds.
    pub(crate) fn content(
        &self,
        page: &Columns,
        runs: &Runs,
        blocks: &[BlockSize],
        kinds: &[f32; LANES],
        judging: &mut Judging,
        content: &mut Vec<f32>,
    ) {
        self.watch_content(page, runs, blocks, kinds, judging, content, |_, _| ());
    }

    /// The same. `watch` is given what there is behind each stage of the adjustments.
    #[expect(clippy::too_many_arguments, reason = "those of `content`, and one more")]
    #[inline(always)]
    pub(crate) fn watch_content(
        &self,
        page: &Columns,
        runs: &Runs,
        blocks: &[BlockSize],
        kinds: &[f32; LANES],
        judging: &mut Judging,
        content: &mut Vec<f32>,
        watch: impl FnMut(Stage, &[f32]),
    ) {
        content.clear();
        if page.rows() == 0 {
            return;
        }
        let scores = self.weights.score(page, runs, kinds, &mut judging.mixed);
        match &self.trees {
            None => content.extend(scores),
            Some(trees) => {
                let codes = kinds.map(kind_code);
                let sums = trees.ask(page, runs, &codes, &mut judging.scratch);
                let both = scores.iter().zip(sums);
                content.extend(both.map(|(&score, &sum)| trees.join(score, sum)));
            }
        }
        self.adjustments
            .apply(page, blocks, content, &mut judging.adjusting, watch);
    }

    /// Takes from the probabilities of content what texts lose that stand elsewhere on the page, too.
    pub(crate) fn repeat(&self, blocks: &[BlockSize], judging: &mut Judging, content: &mut [f32]) {
        self.adjustments.repeat(blocks, content, &mut judging.adjusting);
    }
}

/// The weight of a block in the means of its page and of its group: its words + 1.
pub(crate) fn word_votes(words: u32) -> f64 {
    f64::from(words) + 1.0
}

/// Number of codes of a probability of a kind.
const KIND_CODES: usize = 30;

/// The code of a kind's probability: how many steps of 0.4 its log odds are above -6.
pub(crate) fn kind_code(probability: f32) -> u8 {
    let limit = |step: usize| sigmoid(0.4 * step as f64 - 6.0) as f32;
    (0..KIND_CODES)
        .take_while(|&step| probability >= limit(step))
        .count() as u8
}

/// Scores to probabilities; beyond them zeros.
pub(crate) fn softmax(scores: &[f64]) -> [f64; LANES] {
    let mut probabilities = [0.0; LANES];
    let own = &mut probabilities[..scores.len()];
    own.copy_from_slice(scores);
    gleaner_columns::softmax(own);
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_codes_of_their_log_odds() {
        let codes = [0.0, 0.001, 0.003, 0.5, 0.5001, 0.9, 1.0].map(kind_code);
        assert_eq!(codes, [0, 0, 1, 16, 16, 21, 30]);
    }

    #[test]
    fn too_many_kinds_are_refused_by_name() {
        let kinds = (0..9).map(|kind| format!("k{kind}")).collect();
        let error = ContentModel::zero(kinds, None, &TemplateConfig::default(), &FeatureSpace::default())
            .unwrap_err();
        assert!(error.to_string().contains("k0, k1"), "{error}");
    }
}
