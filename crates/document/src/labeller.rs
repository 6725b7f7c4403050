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
        assert_eq!(logits.len(), blocks.layout.len(), "as many log odds as blocks");
        let alone = blocks.alone();
        let mut content = alone.unrepeated();
        let mut is_same = true;
        for (content, &after) in content.iter_mut().zip(logits) {
            if !after.is_nan() && after != logit(*content) {
                *content = sigmoid(f64::from(after)) as f32;
                is_same = false;
            }
        }
        let sizes = blocks.layout.block_sizes();
        (!is_same).then(|| Decision::of(&self.tagger.decide_blocks(alone, &content, sizes)))
    }
}
