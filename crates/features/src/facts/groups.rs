//! Div groups and td groups: blocks with the same nearest `<div>` or table cell.

use gleaner_html::NONE;
use gleaner_page::{Block, Page};

use super::{BlockFacts, Facts, share};

impl Facts {
    /// Gives each block the share its groups have of the document's words outside of links.
    pub(super) fn measure_groups(&mut self, page: &Page) {
        self.document.max_div_share = self.share_out(page, |block| block.div, |block| &mut block.div_share);
        self.document.max_td_share = self.share_out(page, |block| block.td, |block| &mut block.td_share);
    }

    fn share_out(
        &mut self,
        page: &Page,
        group: fn(&Block) -> u32,
        field: fn(&mut BlockFacts) -> &mut f32,
    ) -> f32 {
        self.group_words.clear();
        self.group_words.resize(page.elements.len(), 0);
        for (block, facts) in page.blocks.iter().zip(&self.blocks) {
            if group(block) != NONE {
                self.group_words[group(block) as usize] += facts.text.words - facts.text.link_words;
            }
        }
        let (mut largest, whole) = (0.0f32, self.document.words - self.document.link_words);
        for (block, facts) in page.blocks.iter().zip(&mut self.blocks) {
            if group(block) != NONE {
                *field(facts) = share(self.group_words[group(block) as usize], whole);
                largest = largest.max(*field(facts));
            }
        }
        largest
    }
}
