//! Pages on their way to a document.

use gleaner_columns::Columns;
use gleaner_columns::logit;
use gleaner_content::{Alone, Label, Model, Tagged, TextCopy};
use gleaner_metadata::{Metadata, StructuredText, TextSource};
use gleaner_page::Truncation;
use gleaner_site::KindShares;
use serde::{Deserialize, Serialize};

use crate::{Layout, Markup, built_in};

/// A page that is parsed and measured: [`PageReader::read`](crate::PageReader::read).
#[derive(Clone, Debug, Default)]
pub struct ReadPage {
    /// What is known of the page as a whole.
    pub facts: PageFacts,
    /// Its blocks.
    pub layout: Layout,
    /// Their features; none where a [method](crate::PageMethod) labels the page.
    pub columns: Columns,
    /// The text of its structured data.
    pub structured: Option<StructuredText>,
    /// Whether it is a plain text.
    pub is_text: bool,
    /// What Markdown needs of it, if that is wanted.
    pub(crate) markup: Option<Markup>,
    /// The labels of the blocks, where a method labels the page.
    pub(crate) labels: Option<Vec<Label>>,
}

/// What is known of a page as a whole.
#[derive(Clone, Debug, Default)]
pub struct PageFacts {
    /// Title, author, date, language.
    pub metadata: Metadata<'static>,
    /// The charset that the bytes were decoded from, by its name in the Encoding Standard.
    pub charset: &'static str,
    /// Where the page has a text in structured data, if it has one.
    pub structured_data: Option<TextSource>,
    /// The limits that the page met.
    pub truncated: Truncation,
    /// The probability of each kind of pages; none where they are left out, or no features are measured beyond the thesis's.
    pub kinds: Option<KindShares>,
}

impl PageFacts {
    /// The most probable kind of the page, and its probability.
    pub fn kind(&self) -> Option<(&'static str, f32)> {
        self.kinds
            .as_ref()
            .map(|shares| built_in::page_kinds().likeliest(shares))
    }
}

/// A page that is scored by itself: [`Cleaner::score`](crate::Cleaner::score).
#[derive(Clone, Debug)]
pub struct ScoredPage {
    /// What is known of the page as a whole.
    pub facts: PageFacts,
    /// Its blocks, which wait for the evidence of the site.
    pub blocks: ScoredBlocks,
}

/// The blocks of a page with the labels that the page by itself gives them. It can be stored: a page may wait for its
/// site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoredBlocks {
    /// The blocks.
    pub layout: Layout,
    /// Their labels.
    pub decision: Decision,
    /// The label of each block if it is content, with its probability then.
    #[serde(with = "crate::packed::bulk")]
    pub(crate) content_labels: Vec<(Label, f32)>,
    /// The blocks whose text another one has, too.
    #[serde(with = "crate::packed::bulk")]
    pub(crate) copies: Vec<TextCopy>,
    /// The text of the structured data, if it may be the page's text.
    pub structured: Option<StructuredText>,
    /// Whether the page is a plain text.
    pub is_text: bool,
    /// What Markdown needs of the page, if that is wanted.
    pub(crate) markup: Option<Markup>,
}

/// Labels of blocks, a value a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The labels.
    #[serde(with = "crate::packed::bulk")]
    pub labels: Vec<Label>,
    /// Their probabilities.
    #[serde(with = "crate::packed::bulk")]
    pub confidence: Vec<f32>,
    /// The probability that the block is content.
    #[serde(with = "crate::packed::bulk")]
    pub content: Vec<f32>,
}

impl Decision {
    /// Labels of probability 1.
    pub fn certain(labels: Vec<Label>) -> Decision {
        let content = labels.iter().map(|label| f32::from(u8::from(label.is_content())));
        Decision {
            confidence: vec![1.0; labels.len()],
            content: content.collect(),
            labels,
        }
    }

    /// What a labeller decided.
    pub fn of(tagged: &Tagged<'_>) -> Decision {
        Decision {
            labels: tagged.labels.to_vec(),
            confidence: tagged.confidence.to_vec(),
            content: tagged.content.to_vec(),
        }
    }

    /// All blocks dropped.
    pub(crate) fn dropped(self) -> Decision {
        Decision {
            labels: vec![Label::Other; self.labels.len()],
            confidence: self.content.iter().map(|content| 1.0 - content).collect(),
            content: self.content,
        }
    }
}

impl ScoredBlocks {
    /// Blocks with labels that no evidence changes.
    pub(crate) fn of_labels(layout: Layout, decision: Decision) -> ScoredBlocks {
        ScoredBlocks {
            layout,
            decision,
            ..ScoredBlocks::default()
        }
    }

    /// The log odds that each block is content by the page itself, which the evidence of its site is added to: if no
    /// text stood on the page twice.
    pub fn logits(&self) -> Vec<f32> {
        self.alone().unrepeated().into_iter().map(logit).collect()
    }

    /// The expected word F1 of the kept blocks; none where no model labelled them, or nothing is kept.
    pub(crate) fn confidence(&self, model: &Model) -> Option<f32> {
        let Decision { content, labels, .. } = &self.decision;
        let sizes = self.layout.block_sizes();
        let confidence = model.confidence(content, labels, sizes);
        confidence.filter(|_| self.is_by_model())
    }

    /// Whether a model labelled them; not where there are none.
    pub fn is_by_model(&self) -> bool {
        !self.content_labels.is_empty()
    }

    pub(crate) fn alone(&self) -> Alone<'_> {
        Alone {
            content: &self.decision.content,
            labels: &self.content_labels,
            copies: &self.copies,
        }
    }
}
