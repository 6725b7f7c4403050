//! Which blocks have the same text, outside of tables and listings.

use gleaner_html::NONE;
use gleaner_page::Page;
use xxhash_rust::xxh3::xxh3_64;

use super::{Facts, clear_for};

impl Facts {
    /// Finds for each block the first one that has the same text, character by character. Of blocks whose letters no
    /// other has nothing is asked.
    pub(super) fn compare_texts(&mut self, page: &Page) {
        clear_for(&mut self.first_of_text, self.blocks.len());
        for (at, block) in self.blocks.iter_mut().enumerate() {
            block.same_text = block.index;
            if block.duplicates == 1 || !stands_alone(page, at) {
                continue;
            }
            let text = page.text(&page.blocks[at]);
            let first = *self
                .first_of_text
                .entry(xxh3_64(text.as_bytes()))
                .or_insert(block.index);
            // Texts may have the same hash and differ.
            if page.text(&page.blocks[first as usize]) == text {
                block.same_text = first;
            }
        }
    }
}

/// Whether a block is neither in a cell of a table nor a line among others of a preformatted text.
fn stands_alone(page: &Page, block: usize) -> bool {
    let continues = || block + 1 < page.blocks.len() && page.is_same_pre(block + 1);
    page.blocks[block].td == NONE && !page.is_same_pre(block) && !continues()
}
