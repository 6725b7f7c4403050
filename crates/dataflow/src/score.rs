//! The end of the extract phase: blocks and columns to what the labeller takes them for, the page by
//! itself.

use std::sync::Arc;

use gleaner_content::{BlockSize, Tagger};
use gleaner_corpus::Share;
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
        let scored = match page.labels.is_some() {
            true => of_method(page, &sizes),
            false => self.of_model(page, &sizes),
        };
        if scored.blocks.len() > KEPT_BLOCKS {
            self.tagger = Made::new(self.job.judges.pages.tagger());
        }
        scored
    }

    fn of_model(&mut self, page: Extracted, sizes: &[BlockSize]) -> Scored {
        let judge = self.job.judges.of(page.plain_text);
        let tagger = self.tagger.of(page.plain_text, || judge.tagger());
        let tagged = tagger.tag_blocks(&page.columns, sizes.iter().copied());
        let mut scored = unlabelled(page, sizes);
        if let Some((kind, probability)) = judge.model.kind_of(&tagged) {
            scored.document.page_kind = Some(kind.to_owned());
            scored.document.page_kind_probability = Some(Share(probability));
        }
        scored.labels = tagged.labels.to_vec();
        scored.confidence = tagged.confidence.to_vec();
        scored.content = tagged.content.to_vec();
        if self.sites {
            scored.copies = tagged.copies.to_vec();
            scored.content_labels = tagged.content_labels(judge.model.labels()).collect();
        }
        scored
    }
}

/// A page whose labels are those of a method, which is certain of them.
fn of_method(mut page: Extracted, sizes: &[BlockSize]) -> Scored {
    let labels = page.labels.take().unwrap_or_default();
    let content = labels.iter().map(|label| f32::from(u8::from(label.is_content())));
    Scored {
        confidence: vec![1.0; labels.len()],
        content: content.collect(),
        labels,
        ..unlabelled(page, sizes)
    }
}

/// A page without labels.
fn unlabelled(page: Extracted, sizes: &[BlockSize]) -> Scored {
    Scored {
        document: page.document,
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
        in_hand: page.in_hand,
        ..Scored::default()
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
