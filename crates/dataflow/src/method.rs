//! Ways of telling content from noise without a model.

use gleaner_content::Label;
use gleaner_features::words;
use gleaner_page::{Page, PageConfig};

/// A method that labels the blocks of a page by the page alone.
pub trait PageMethod: Send + Sync {
    /// How pages are read for it.
    fn page_config(&self) -> PageConfig;

    /// The label of each block, in their order.
    fn labels(&self, page: &Page, source: &PageSource<'_>) -> Vec<Label>;
}

/// What a page was read from.
#[derive(Clone, Copy, Debug)]
pub struct PageSource<'a> {
    /// Its address.
    pub url: &'a str,
    /// Its bytes, in its own charset.
    pub body: &'a [u8],
    /// What its server said it is.
    pub content_type: Option<&'a str>,
}

/// The words of each block, as the labeller counts them.
pub(crate) fn word_counts(page: &Page) -> impl Iterator<Item = u32> {
    page.blocks
        .iter()
        .map(|block| words(page.text(block)).count() as u32)
}
