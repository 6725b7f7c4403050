//! Preformatted texts between blocks of content. What an article shows of a program belongs to it, but golds that leave
//! programs out have taught models to doubt all of a page's.

use gleaner_columns::{Columns, shifted};

use crate::BlockSize;

/// A shorter block is no text that a program would belong to, as a button to copy it.
const LEAST_WORDS: u32 = 4;

/// What preformatted texts are judged in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preformatted {
    /// Text by text the probability of the block before it.
    before: Vec<f32>,
}

impl Preformatted {
    /// Adds to the log odds of each preformatted text `gain` times the probability that it stands between two blocks of
    /// content: the nearest ones of 4 words or more that are not preformatted themselves.
    pub(crate) fn lift(&mut self, gain: f64, page: &Columns, blocks: &[BlockSize], content: &mut [f32]) {
        let texts = page.preformatted();
        let is_text = |&at: &usize| blocks[at].words >= LEAST_WORDS;
        self.before.clear();
        let (mut end, mut before) = (0, 0.0);
        for text in texts {
            let nearest = (end..text.start as usize).rev().find(is_text);
            before = nearest.map_or(before, |at| content[at]);
            self.before.push(before);
            end = text.end as usize;
        }
        let (mut start, mut behind) = (content.len(), 0.0);
        for (text, &before) in texts.iter().zip(&self.before).rev() {
            let lines = text.start as usize..text.end as usize;
            let nearest = (lines.end..start).find(is_text);
            behind = nearest.map_or(behind, |at| content[at]);
            start = lines.start;
            let by = gain * f64::from(before) * f64::from(behind);
            for line in &mut content[lines] {
                *line = shifted(*line, by);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_gain_by_the_nearest_blocks_of_some_words(
            blocks in prop::collection::vec((0u32..3, any::<bool>(), 2u32..7, 0.01f32..0.99), 1..30),
        ) {
            // Blocks next to each other with the same number are lines of a text where that is not 0.
            let lines = || (0..blocks.len()).collect::<Vec<usize>>();
            let texts = lines();
            let texts = texts.chunk_by(|&one, &next| blocks[one].0 == blocks[next].0);
            let texts = texts.filter(|text| blocks[text[0]].0 != 0);
            let mut page = Columns::default();
            page.reset(blocks.len(), 0);
            page.set_preformatted(texts.map(|text| text[0] as u32..text[text.len() - 1] as u32 + 1));
            let sizes: Vec<BlockSize> =
                blocks.iter().map(|block| BlockSize { words: block.2, same_pre: block.1 }).collect();
            let own: Vec<f32> = blocks.iter().map(|block| block.3).collect();
            let mut content = own.clone();
            Preformatted::default().lift(1.5, &page, &sizes, &mut content);
            for at in lines() {
                let is_text = |&other: &usize| blocks[other].0 == 0 && blocks[other].2 >= 4;
                let before = (0..at).rev().find(is_text).map_or(0.0, |other| own[other]);
                let behind = (at..blocks.len()).find(is_text).map_or(0.0, |other| own[other]);
                let gain = if blocks[at].0 == 0 { 0.0 } else { 1.5 * before * behind };
                let log_odds = |p: f32| (p / (1.0 - p)).ln();
                let found = log_odds(content[at]) - log_odds(own[at]);
                prop_assert!((found - gain).abs() < 1e-3, "{} {} {}", at, found, gain);
            }
        }
    }
}
