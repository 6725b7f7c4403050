//! The end of the extract phase: blocks and columns to what the labeller takes them for, the page by
//! itself.

use std::sync::Arc;

use gleaner_corpus::Share;
use gleaner_crf::{BlockSize, Tagger};
use gleaner_features::unspaced_words;

use crate::extract::KEPT_BLOCKS;
use crate::job::Job;
use crate::judge::Made;
use crate::message::{Extracted, Scored};

/// Scores pages. One a worker; its memory is kept from page to page.
pub(crate) struct Scorer {
    job: Arc<Job>,
    tagger: Made<Tagger>,
    /// Whether sites are heard.
    sites: bool,
}

impl Scorer {
    pub(crate) fn new(job: &Arc<Job>) -> Scorer {
        Scorer {
            job: Arc::clone(job),
            tagger: Made::new(job.judges.pages.tagger()),
            sites: job.stage.is_some(),
        }
    }

    /// Labels a page's blocks by the page alone, and tells its kind.
    pub(crate) fn score(&mut self, page: Extracted) -> Scored {
        let sizes = sizes(&page);
        let judge = self.job.judges.of(page.plain_text);
        let tagger = self.tagger.of(page.plain_text, || judge.tagger());
        let tagged = tagger.tag_blocks(&page.columns, sizes.iter().copied());
        let mut document = page.document;
        if let Some((kind, probability)) = judge.model.kind_of(&tagged) {
            document.page_kind = Some(kind.to_owned());
            document.page_kind_probability = Some(Share(probability));
        }
        let scored = Scored {
            document,
            plain_text: page.plain_text,
            text: page.text,
            blocks: page.blocks,
            written: page.written,
            words: page.words,
            sizes: sizes.iter().map(|size| size.words).collect(),
            joints: page.joints,
            same_pre: page.same_pre,
            paths: page.paths,
            structured: page.structured,
            posts: page.posts,
            labels: tagged.labels.to_vec(),
            confidence: tagged.confidence.to_vec(),
            content: tagged.content.to_vec(),
            copies: match self.sites {
                true => tagged.copies.to_vec(),
                false => Vec::new(),
            },
            content_labels: match self.sites {
                true => tagged.content_labels(judge.model.labels()).collect(),
                false => Vec::new(),
            },
            in_hand: page.in_hand,
        };
        if scored.blocks.len() > KEPT_BLOCKS {
            self.tagger = Made::new(self.job.judges.pages.tagger());
        }
        scored
    }
}

/// What the tagger asks of each block.
fn sizes(page: &Extracted) -> Vec<BlockSize> {
    let texts = page
        .blocks
        .iter()
        .map(|range| &page.text[range.start as usize..range.end as usize]);
    let counts = page.words.iter().zip(&page.same_pre);
    let sizes = texts.zip(counts).map(|(text, (count, &same_pre))| BlockSize {
        words: count + unspaced_words(text),
        same_pre,
    });
    sizes.collect()
}
