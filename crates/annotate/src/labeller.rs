//! A page's bytes to blocks with the labels that a model suggests.

use gleaner_content::Model;
use gleaner_document::{Cleaner, Options, Origin};
use gleaner_page::Page;
use std::sync::Arc;

use crate::certainty::{page_uncertainty, uncertainty};
use crate::{Block, Error, Suggestion};

/// Suggests labels for the blocks of pages. Its memory is kept from page to page.
pub(crate) struct Labeller {
    cleaner: Cleaner,
    /// How many labels the model knows.
    labels: usize,
}

impl Labeller {
    pub(crate) fn new(model: &Model) -> Result<Labeller, Error> {
        Ok(Labeller {
            cleaner: Cleaner::new(&Arc::new(model.clone()), Options::default())?,
            labels: model.labels().len(),
        })
    }

    /// The blocks of a page, with suggestions.
    pub(crate) fn blocks(
        &mut self,
        body: &[u8],
        content_type: Option<&str>,
        url: &str,
    ) -> Result<Vec<Block>, Error> {
        let read = self.cleaner.read(body, &origin(content_type, url))?;
        let page = self.cleaner.page();
        let mut blocks: Vec<Block> = (0..page.blocks.len())
            .map(|block| block_of(page, block))
            .collect();
        let tagged = self.cleaner.tag(&read);
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
        let read = self.cleaner.read(body, &origin(content_type, url))?;
        let tagged = self.cleaner.tag(&read);
        let doubts = tagged
            .marginals
            .iter()
            .map(|row| uncertainty(&row[..self.labels]));
        Ok(page_uncertainty(doubts.zip(read.layout.sizes().iter().copied())))
    }
}

fn origin<'a>(content_type: Option<&'a str>, url: &'a str) -> Origin<'a> {
    Origin {
        url,
        content_type,
        ..Origin::default()
    }
}

fn block_of(page: &Page, index: usize) -> Block {
    let block = &page.blocks[index];
    Block {
        next_line: page.is_next_line(index),
        ..Block::new(page.text(block), page.tag_path(block))
    }
}
