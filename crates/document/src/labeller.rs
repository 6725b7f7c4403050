//! From layout and features to labels.

use std::sync::Arc;

use gleaner_columns::{logit, sigmoid};
use gleaner_content::{Model, Tagged, Tagger};

use crate::{Decision, ReadPage, ScoredBlocks, ScoredPage};

/// Labels pages that were read for its model. Its memory is kept from page to page; a clone shares the model.
#[derive(Clone)]
pub struct Labeller {
    model: Arc<Model>,
    tagger: Tagger,
}

impl Labeller {
    /// A labeller of a model.
    pub fn new(model: Arc<Model>) -> Labeller {
        Labeller {
            tagger: Tagger::new(&model),
            model,
        }
    }

    /// Its model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The labels of a page by itself, and what they were chosen by.
    ///
    /// # Panics
    /// The page was read for another model.
    pub fn tag(&mut self, page: &ReadPage) -> Tagged<'_> {
        self.tagger.tag_blocks(&page.columns, page.layout.block_sizes())
    }

    /// Labels a page by itself.
    ///
    /// # Panics
    /// As [`tag`](Labeller::tag).
    pub fn score(&mut self, page: ReadPage) -> ScoredPage {
        let tagged = self.tagger.tag_blocks(&page.columns, page.layout.block_sizes());
        ScoredPage {
            facts: page.facts,
            blocks: ScoredBlocks {
                decision: Decision::of(&tagged),
                content_labels: tagged.content_labels(self.model.labels()).collect(),
                copies: tagged.copies.to_vec(),
                layout: page.layout,
                structured: page.structured,
                is_text: page.is_text,
                markup: page.markup,
            },
        }
    }

    /// Labels the blocks of a scored page once more, given the log odds that each is content with the evidence of its
    /// site: [`ScoredBlocks::logits`] where that says nothing, or not a number.
    ///
    /// # Panics
    /// There are not as many log odds as blocks.
    pub fn decide(&mut self, blocks: &ScoredBlocks, logits: &[f32]) -> Option<Decision> {
        let content = adjusted(blocks, logits)?;
        let sizes = blocks.layout.block_sizes();
        let tagged = self.tagger.decide_blocks(blocks.alone(), &content, sizes);
        Some(Decision::of(&tagged))
    }

    /// The probability of content above which [`decide`](Labeller::decide) keeps blocks, or with `None` those of the page by
    /// itself are kept: infinite for a page that is expected to have too few words of content.
    ///
    /// # Panics
    /// As [`decide`](Labeller::decide); or no model labelled the blocks.
    pub fn threshold(&mut self, blocks: &ScoredBlocks, logits: Option<&[f32]>) -> f32 {
        let alone = blocks.alone();
        let content = logits.and_then(|logits| adjusted(blocks, logits));
        let content = content.unwrap_or_else(|| alone.unrepeated());
        let sizes = blocks.layout.block_sizes();
        self.tagger.decide_blocks(alone, &content, sizes).threshold
    }
}

/// The probabilities of content with other log odds; none if none differs.
fn adjusted(blocks: &ScoredBlocks, logits: &[f32]) -> Option<Vec<f32>> {
    assert_eq!(logits.len(), blocks.layout.len(), "as many log odds as blocks");
    let mut content = blocks.alone().unrepeated();
    let mut is_same = true;
    for (content, &after) in content.iter_mut().zip(logits) {
        if !after.is_nan() && after != logit(*content) {
            *content = sigmoid(f64::from(after)) as f32;
            is_same = false;
        }
    }
    (!is_same).then_some(content)
}
