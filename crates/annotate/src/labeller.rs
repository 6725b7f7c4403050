//! A page's bytes to blocks with what a model makes of them.

use gleaner_columns::Columns;
use gleaner_content::{BlockSize, Model, Tagger};
use gleaner_features::{Extractor, unspaced_words};
use gleaner_page::{Page, Parser};

use crate::certainty::{page_uncertainty, uncertainty};
use crate::{Block, Error, Suggestion};

/// Parses pages and asks a model about their blocks. Keeps its memory from page to page.
pub(crate) struct Labeller {
    parser: Parser,
    features: Extractor,
    tagger: Tagger,
    /// How many labels the model tells apart.
    labels: usize,
    columns: Columns,
}

impl Labeller {
    pub(crate) fn new(model: &Model) -> Result<Labeller, Error> {
        let features = model.extractor()?;
        Ok(Labeller {
            parser: Parser::new(features.config().page.clone()),
            features,
            tagger: Tagger::new(model),
            labels: model.labels().len(),
            columns: Columns::default(),
        })
    }

    /// The blocks of a page, with suggestions.
    pub(crate) fn blocks(
        &mut self,
        body: &[u8],
        content_type: Option<&str>,
        url: &str,
    ) -> Result<Vec<Block>, Error> {
        let page = self.parser.parse(body, content_type)?;
        self.features.extract(page, url, &mut self.columns);
        let sizes = sizes(page, &self.features);
        let tagged = self.tagger.tag_blocks(&self.columns, sizes.iter().copied());
        let mut blocks: Vec<Block> = (0..page.blocks.len())
            .map(|block| block_of(page, block))
            .collect();
        for (index, block) in blocks.iter_mut().enumerate() {
            block.suggestion = Some(Suggestion {
                label: tagged.labels[index],
                confidence: tagged.confidence[index],
                uncertainty: uncertainty(&tagged.marginals[index][..self.labels]),
            });
        }
        Ok(blocks)
    }

    /// How uncertain the model is of a page.
    pub(crate) fn uncertainty(
        &mut self,
        body: &[u8],
        content_type: Option<&str>,
        url: &str,
    ) -> Result<f32, Error> {
        let page = self.parser.parse(body, content_type)?;
        self.features.extract(page, url, &mut self.columns);
        let sizes = sizes(page, &self.features);
        let tagged = self.tagger.tag_blocks(&self.columns, sizes.iter().copied());
        let doubts = tagged
            .marginals
            .iter()
            .map(|row| uncertainty(&row[..self.labels]));
        Ok(page_uncertainty(doubts.zip(sizes.iter().map(|size| size.words))))
    }
}

/// What the tagger wants to know of the blocks of the page that was measured last.
fn sizes(page: &Page, features: &Extractor) -> Vec<BlockSize> {
    let size = |(index, words): (usize, u32)| BlockSize {
        words: words + unspaced_words(page.text(&page.blocks[index])),
        same_pre: page.is_same_pre(index),
    };
    features.word_counts().enumerate().map(size).collect()
}

fn block_of(page: &Page, index: usize) -> Block {
    let block = &page.blocks[index];
    Block {
        next_line: page.is_next_line(index),
        ..Block::new(page.text(block), page.tag_path(block))
    }
}
