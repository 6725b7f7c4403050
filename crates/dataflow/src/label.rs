//! Label phase: blocks and columns to labels, text and rows.

use std::sync::Arc;

use gleaner_corpus::{BlockRow, Share};
use gleaner_crf::{BlockSize, Label, Model, Piece, Tagged, Tagger, assemble};
use gleaner_features::unspaced_words;
use xxhash_rust::xxh3::xxh3_128;

use crate::job::Job;
use crate::message::{Extracted, Labelled};

/// Labels pages. One a worker; its memory is kept from page to page.
pub(crate) struct Labeller {
    model: Arc<Model>,
    tagger: Tagger,
}

impl Labeller {
    pub(crate) fn new(job: &Arc<Job>) -> Labeller {
        Labeller {
            model: Arc::clone(&job.model),
            tagger: Tagger::new(&job.model),
        }
    }

    /// Labels a page's blocks and completes its row.
    pub(crate) fn label(&mut self, mut page: Extracted) -> Labelled {
        let mut document = std::mem::take(&mut page.document);
        let texts = page
            .blocks
            .iter()
            .map(|range| &page.text[range.start as usize..range.end as usize]);
        let counts = &page.words;
        let sizes = texts
            .clone()
            .zip(counts)
            .zip(&page.same_pre)
            .map(|((text, count), &same_pre)| BlockSize {
                words: count + unspaced_words(text),
                same_pre,
            });
        let tagged = self.tagger.tag_blocks(&page.columns, sizes);
        let blocks = block_rows(&document.record_id, &page, &tagged);
        let pieces = texts.zip(tagged.labels).zip(&page.next_line);
        document.text = assemble(pieces.map(|((text, &label), &next_line)| Piece {
            text,
            label,
            next_line,
        }));
        document.content_digest = format!("{:032x}", xxh3_128(document.text.as_bytes()));
        document.block_count = page.blocks.len() as u32;
        document.kept_blocks = tagged.labels.iter().filter(|label| label.is_content()).count() as u32;
        let kept = |label: &Label| label.is_content();
        let sum = |wanted: bool| -> u32 {
            counts
                .iter()
                .zip(tagged.labels)
                .filter(|(_, label)| kept(label) == wanted)
                .map(|(count, _)| count)
                .sum()
        };
        (document.word_count, document.dropped_words) = (sum(true), sum(false));
        document.confidence = mean_confidence(tagged.confidence, counts);
        if let Some((kind, probability)) = self.model.kind_of(&tagged) {
            document.page_kind = Some(kind.to_owned());
            document.page_kind_probability = Some(Share(probability));
        }
        Labelled { document, blocks }
    }
}

/// Mean probability of the labels, a word a vote.
fn mean_confidence(confidence: &[f32], words: &[u32]) -> Option<Share> {
    let total: f64 = words.iter().map(|&count| f64::from(count)).sum();
    let sum: f64 = confidence
        .iter()
        .zip(words)
        .map(|(&share, &count)| f64::from(share) * f64::from(count))
        .sum();
    (total > 0.0).then(|| Share((sum / total) as f32))
}

/// Rows of the blocks table, where the page came with its tag paths.
fn block_rows(record_id: &str, page: &Extracted, tagged: &Tagged<'_>) -> Vec<BlockRow> {
    let labels = tagged.labels.iter().zip(tagged.confidence);
    let rows = page.paths.iter().zip(&page.blocks).zip(labels).enumerate();
    rows.map(|(block, ((path, range), (&label, &confidence)))| BlockRow {
        record_id: record_id.to_owned(),
        block: block as u32,
        label,
        confidence: Share(confidence),
        text: page.text[range.start as usize..range.end as usize].to_owned(),
        path: path.clone(),
        template_pages: 0,
        template_coverage: Share(0.0),
    })
    .collect()
}
