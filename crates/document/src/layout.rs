//! What the blocks of a page are, apart from their features and labels: what the text is put together from.

use std::ops::Range;

use gleaner_content::{BlockSize, Label};
use gleaner_features::{unspaced_letters, unspaced_words, word_count};
use gleaner_page::{Joint, Page, Tabs};
use serde::{Deserialize, Serialize};

use crate::{Piece, assemble};

/// The blocks of a page; what is by block has a value a block, in their order on the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The texts of all blocks.
    #[serde(with = "crate::packed::text")]
    text: String,
    /// The places of the blocks in `text`.
    #[serde(with = "crate::packed::bulk")]
    blocks: Vec<Range<u32>>,
    written: Written,
    #[serde(with = "crate::packed::small")]
    words: Vec<u32>,
    #[serde(with = "crate::packed::small")]
    sizes: Vec<u32>,
    #[serde(with = "crate::packed::bulk")]
    joints: Vec<Joint>,
    /// There are none where no block has tabs.
    #[serde(with = "crate::packed::bulk")]
    tabs: Vec<Tabs>,
    #[serde(with = "crate::packed::bulk")]
    with_before: Vec<bool>,
    /// The blocks that show the title of the page; an empty range if none do.
    heading: Range<u32>,
}

/// The blocks that are written otherwise than they read: preformatted ones, and those with marks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Written {
    #[serde(with = "crate::packed::text")]
    text: String,
    /// The places of the blocks in `text`, empty where a block is written as it reads. There are none where all are.
    #[serde(with = "crate::packed::bulk")]
    blocks: Vec<Range<u32>>,
}

impl Layout {
    /// The layout of a page, given the number of [words](gleaner_features::words) of each block.
    pub(crate) fn new(page: &Page, words: impl IntoIterator<Item = u32>) -> Layout {
        let mut words: Vec<u32> = words.into_iter().collect();
        let mut sizes = words.clone();
        for (block, (words, size)) in page.blocks.iter().zip(words.iter_mut().zip(&mut sizes)) {
            let text = page.text(block);
            if unspaced_letters(text) > 0 {
                *size += unspaced_words(text);
                *words = word_count(text);
            }
        }
        let joints = page.joints();
        Layout {
            sizes,
            words,
            text: page.text.clone(),
            blocks: page.blocks.iter().map(|block| block.text.clone()).collect(),
            written: Written::new(page),
            tabs: page.tabs(&joints),
            joints,
            with_before: page.with_before(),
            heading: 0..0,
        }
    }

    /// The same of a page whose title these blocks show.
    pub(crate) fn with_heading(self, heading: Range<u32>) -> Layout {
        Layout { heading, ..self }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The text of a block: white space collapsed.
    pub fn text(&self, block: usize) -> &str {
        slice(&self.text, &self.blocks[block])
    }

    /// The text of each block.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.blocks.iter().map(|range| slice(&self.text, range))
    }

    /// The text of a block as it is to be written: preformatted lines with their indentation, no marks that only lead to
    /// a place on the page.
    pub fn written(&self, block: usize) -> &str {
        let own = self.written.blocks.get(block).filter(|range| !range.is_empty());
        own.map_or_else(|| self.text(block), |range| slice(&self.written.text, range))
    }

    /// The blocks that show the title of the page; an empty range if none do.
    pub fn title_blocks(&self) -> Range<usize> {
        self.heading.start as usize..self.heading.end as usize
    }

    /// How each block hangs together with the one before it.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// What keeps a block in the column of its cell.
    pub fn tabs(&self, block: usize) -> Tabs {
        self.tabs.get(block).copied().unwrap_or_default()
    }

    /// The [number of words](word_count) of each block, as tables have it.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The number of words of each block as the labeller counts them: three letters of a script without spaces are one.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// What the labeller is given of each block beside its features.
    pub fn block_sizes(&self) -> impl ExactSizeIterator<Item = BlockSize> {
        let blocks = self.sizes.iter().zip(&self.with_before);
        blocks.map(|(&words, &with_before)| BlockSize { words, with_before })
    }

    /// The blocks with their labels, on their way into a text, in the order of the page.
    ///
    /// # Panics
    /// There are not as many labels as blocks.
    pub fn pieces(&self, labels: &[Label]) -> impl Iterator<Item = Piece<'_>> {
        assert_eq!(labels.len(), self.len(), "as many labels as blocks");
        let blocks = labels.iter().zip(&self.joints).enumerate();
        blocks.map(|(block, (&label, &joint))| Piece {
            text: self.written(block),
            label,
            joint,
            tabs: self.tabs(block),
        })
    }

    /// The same in the order of the text: the main heading first, if labels keep it.
    ///
    /// # Panics
    /// There are not as many labels as blocks.
    pub fn pieces_of_text(&self, labels: &[Label]) -> impl Iterator<Item = Piece<'_>> {
        let heading = self.kept_heading(labels).unwrap_or(0..0);
        let first = self.pieces(labels).take(heading.end).skip(heading.start);
        first.chain(self.pieces_behind(labels, heading))
    }

    /// The blocks in the order of the page, those of a heading that stands before all of them as if they were dropped.
    pub(crate) fn pieces_behind(
        &self,
        labels: &[Label],
        heading: Range<usize>,
    ) -> impl Iterator<Item = Piece<'_>> {
        let mut is_first = !heading.is_empty();
        self.pieces(labels).enumerate().map(move |(block, piece)| {
            let label = match piece.label {
                _ if heading.contains(&block) => Label::Other,
                // What begins the text behind the heading does not continue in that.
                Label::Continuation if is_first => Label::Paragraph,
                label => label,
            };
            is_first &= !label.is_content();
            Piece { label, ..piece }
        })
    }

    /// The text of the blocks that labels keep: the main heading first, the others in the order of the page.
    ///
    /// # Panics
    /// There are not as many labels as blocks.
    pub fn kept_text(&self, labels: &[Label]) -> String {
        assemble(self.pieces_of_text(labels))
    }

    /// The words of the blocks that labels keep, as [`sizes`](Layout::sizes) counts them.
    pub fn kept_size(&self, labels: &[Label]) -> u32 {
        let blocks = self.sizes.iter().zip(labels);
        let kept = blocks.filter(|(_, label)| label.is_content());
        kept.map(|(size, _)| size).sum()
    }
}

impl Written {
    fn new(page: &Page) -> Written {
        match page.written.is_empty() {
            true => Written::default(),
            false => Written {
                text: page.written.clone(),
                blocks: page.blocks.iter().map(|block| block.written.clone()).collect(),
            },
        }
    }
}

fn slice<'t>(text: &'t str, range: &Range<u32>) -> &'t str {
    &text[range.start as usize..range.end as usize]
}
