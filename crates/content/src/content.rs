//! Content or noise, judged by the kind of the page.
//!
//! Which blocks are content depends on what a page is: comments are noise under an article and all
//! there is in a forum, a list of links is a menu or the page itself. So a page's kind is told
//! first, as a probability a kind, from the mean of its blocks. Then each block has a score a kind,
//! and the mean of those over the kinds is the log odds that the block is content: a mixture of
//! experts (Jacobs, Jordan, Nowlan and Hinton 1991) whose gate is trained by itself, on the kinds
//! that the gold names.
//!
//! Beside the weights, and in a mean with them, boosted [`Trees`] may judge the blocks. Blocks that look
//! alike (the items of a list, the paragraphs of a text) are content together or not at all, mostly: so the
//! mean of a group's log odds may count beside a block's own. A program between paragraphs belongs to them,
//! and a caption to what it is about. And a text that the page has twice is needed once.
//!
//! Blocks are judged one by one here: transitions that are right for labels make the probabilities
//! of content too sure of themselves, and decoders that weigh probabilities pay for it.

use std::collections::BTreeMap;

use gleaner_columns::{Columns, Runs, sigmoid};
use gleaner_crf::{LANES, Template, TemplateConfig};
use gleaner_gbdt::{Asking, Forest, Trees};

use crate::captions;
use crate::conventions::{Conventions, KindSet};
use crate::mixture::{Gate, Mixed, Mixture};
use crate::preformatted::Preformatted;
use crate::repeats::Repeats;
use crate::votes::Votes;
use crate::{BlockSize, Error, FeatureSpace};

/// How many kinds of pages a model tells apart at most.
pub const MAX_KINDS: usize = LANES;

/// Whether columns tell kinds and content, by the beginnings of their names: the longest that fits decides, and where none
/// does they don't.
pub type ContentColumns = BTreeMap<String, bool>;

/// The weights that tell kinds and content. An attribute is a code of a column of the block itself.
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
    /// How much the mean of the blocks that look alike counts beside the block itself, 0 to 1.
    pub(crate) alike: f32,
    /// What a text that stands elsewhere on the page, too, loses of its log odds.
    pub(crate) repeated: f32,
    /// What a preformatted text between blocks of content gains in log odds.
    pub(crate) preformatted: f32,
    /// Whether captions go with what they are about.
    pub(crate) captions: bool,
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
            return Err(Error::Setting {
                setting: "kinds",
                detail,
            });
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
            alike: 0.0,
            repeated: 0.0,
            preformatted: 0.0,
            captions: false,
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
    alike: f64,
    repeated: f64,
    preformatted: f64,
    captions: bool,
}

/// The probability of each kind of page, then zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kinds {
    /// As they are told.
    pub(crate) told: [f32; LANES],
    /// As content is judged by them: given that the page is of the convention's.
    pub(crate) judged: [f32; LANES],
}

/// What pages are judged in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judging {
    votes: Votes,
    mixed: Mixed,
    asking: Asking,
    groups: Groups,
    preformatted: Preformatted,
    pub(crate) repeats: Repeats,
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
            alike: f64::from(model.alike),
            repeated: f64::from(model.repeated),
            preformatted: f64::from(model.preformatted),
            captions: model.captions,
        }
    }

    /// How many kinds there are.
    pub(crate) fn count(&self) -> usize {
        self.kinds
    }

    /// What kinds a page is of.
    pub(crate) fn kinds(
        &self,
        (page, runs): (&Columns, &Runs),
        blocks: &[BlockSize],
        judging: &mut Judging,
    ) -> Kinds {
        let logits = self.gate.mean((page, runs), blocks, &mut judging.votes);
        let logits = &logits[..self.kinds];
        let told = softmax(logits).map(|probability| probability as f32);
        let judged = self.convention.map(|kinds| kinds.softmax(logits));
        Kinds {
            judged: judged.map_or(told, |kinds| kinds.map(|probability| probability as f32)),
            told,
        }
    }

    /// The probability of each block to be content, on a page of some kinds.
    pub(crate) fn content(
        &self,
        (page, runs): (&Columns, &Runs),
        blocks: &[BlockSize],
        kinds: &[f32; LANES],
        judging: &mut Judging,
        content: &mut Vec<f32>,
    ) {
        content.clear();
        if page.rows() == 0 {
            return;
        }
        let scores = self.weights.score((page, runs), kinds, &mut judging.mixed);
        match &self.trees {
            None => content.extend(scores),
            Some(trees) => {
                let codes = kinds.map(kind_code);
                let sums = trees.ask((page, runs), &codes, &mut judging.asking);
                let both = scores.iter().zip(sums);
                content.extend(both.map(|(&score, &sum)| trees.join(score, sum)));
            }
        }
        if self.alike > 0.0 {
            judging.groups.pool(page.groups(), blocks, self.alike, content);
        }
        for content in &mut *content {
            *content = sigmoid(f64::from(*content)) as f32;
        }
        if self.preformatted > 0.0 {
            let gain = self.preformatted;
            judging.preformatted.lift(gain, page, blocks, content);
        }
        if self.captions {
            captions::lift(page, blocks, content);
        }
        if self.repeated > 0.0 {
            judging.repeats.find(page);
            self.repeat(blocks, judging, content);
        }
    }

    /// Takes from the probabilities of content what texts lose that stand elsewhere on the page, too.
    pub(crate) fn repeat(&self, blocks: &[BlockSize], judging: &mut Judging, content: &mut [f32]) {
        judging.repeats.take(self.repeated, blocks, content);
    }
}

/// What means over groups of blocks are computed in, kept from page to page: a weight and a weighted sum a
/// group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups(Vec<[f64; 2]>);

impl Groups {
    /// Moves each score towards the mean of its group, by a share of the way: a word a vote, and one for each
    /// block. Without groups every block stands for itself.
    fn pool(&mut self, groups: &[u32], blocks: &[BlockSize], share: f64, scores: &mut [f32]) {
        self.0.clear();
        self.0.resize(scores.len(), [0.0; 2]);
        for ((&group, block), &score) in groups.iter().zip(blocks).zip(&*scores) {
            let weight = word_votes(block.words);
            let [total, sum] = &mut self.0[group as usize];
            *total += weight;
            *sum += weight * f64::from(score);
        }
        for (&group, score) in groups.iter().zip(scores) {
            let [total, sum] = self.0[group as usize];
            let own = f64::from(*score);
            *score = (own + share * (sum / total - own)) as f32;
        }
    }
}

/// How much a block says of its page's kind, or of its group: a word a vote, and one for itself.
pub(crate) fn word_votes(words: u32) -> f64 {
    f64::from(words) + 1.0
}

/// Probabilities of kinds have so many codes.
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn kinds_have_the_codes_of_their_log_odds() {
        let codes = [0.0, 0.001, 0.003, 0.5, 0.5001, 0.9, 1.0].map(kind_code);
        assert_eq!(codes, [0, 0, 1, 16, 16, 21, 30]);
    }

    proptest! {
        #[test]
        fn groups_go_towards_their_weighted_mean(
            blocks in prop::collection::vec((0u32..6, 0u32..40, -9f32..9.0), 6..60),
            share in 0f64..=1.0,
        ) {
            let groups: Vec<u32> = blocks.iter().map(|block| block.0).collect();
            let sizes: Vec<BlockSize> = blocks.iter().map(|block| size(block.1)).collect();
            let mut scores: Vec<f32> = blocks.iter().map(|block| block.2).collect();
            Groups::default().pool(&groups, &sizes, share, &mut scores);
            for (&(group, _, own), found) in blocks.iter().zip(scores) {
                // A block as many times as it has words, and once more.
                let votes = blocks.iter().filter(|block| block.0 == group);
                let votes = votes.flat_map(|block| vec![f64::from(block.2); block.1 as usize + 1]);
                let (count, sum) = votes.fold((0.0, 0.0), |(count, sum), vote| (count + 1.0, sum + vote));
                let expected = (1.0 - share) * f64::from(own) + share * sum / count;
                prop_assert!((f64::from(found) - expected).abs() < 1e-4, "{found} {expected}");
            }
        }
    }

    fn size(words: u32) -> BlockSize {
        BlockSize {
            words,
            same_pre: false,
        }
    }

    #[test]
    fn without_groups_every_block_stands_for_itself() {
        let mut scores = [1.0, -2.0, 0.5];
        Groups::default().pool(&[], &[1, 2, 3].map(size), 0.75, &mut scores);
        assert_eq!(scores, [1.0, -2.0, 0.5]);
    }

    #[test]
    fn too_many_kinds_are_refused_by_name() {
        let kinds = (0..9).map(|kind| format!("k{kind}")).collect();
        let error = ContentModel::zero(kinds, None, &TemplateConfig::default(), &FeatureSpace::default())
            .unwrap_err();
        assert!(error.to_string().contains("k0, k1"), "{error}");
    }
}
