//! Label phase: blocks and columns to labels, text and rows.

use std::sync::Arc;

use gleaner_corpus::{BlockRow, Share};
use gleaner_crf::{BlockSize, Label, Model, Piece, Tagged, Tagger, assemble};
use gleaner_features::unspaced_words;
use gleaner_page::{Parser, StructuredText};
use xxhash_rust::xxh3::xxh3_128;

use crate::job::Job;
use crate::message::{Extracted, Labelled};
use crate::structured::StructuredLines;

/// Labels pages. One a worker; its memory is kept from page to page.
pub(crate) struct Labeller {
    model: Arc<Model>,
    tagger: Tagger,
    parser: Parser,
}

impl Labeller {
    pub(crate) fn new(job: &Arc<Job>) -> Labeller {
        Labeller {
            model: Arc::clone(&job.model),
            tagger: Tagger::new(&job.model),
            parser: Parser::new(job.page.clone()),
        }
    }

    /// Labels a page's blocks and completes its row.
    pub(crate) fn label(&mut self, mut page: Extracted) -> Labelled {
        let mut document = std::mem::take(&mut page.document);
        let sizes = sizes(&page);
        let tagged = self.tagger.tag_blocks(&page.columns, sizes.iter().copied());
        if let Some((kind, probability)) = self.model.kind_of(&tagged) {
            document.page_kind = Some(kind.to_owned());
            document.page_kind_probability = Some(Share(probability));
        }
        let structured = page.structured.take();
        let structured = structured.filter(|_| StructuredText::replaces(kept_words(&tagged, &sizes)));
        let given = match &structured {
            Some(_) => Given::dropped(&tagged),
            None => Given::of(&tagged),
        };
        document.text = text(&page, &given);
        document.word_count = given.words(&page.words, true);
        document.text_source = "page".to_owned();
        if let Some(structured) = structured {
            let lines = StructuredLines::read(&structured, &mut self.parser);
            document.text = lines.text();
            document.word_count = lines.word_count();
            document.text_source = structured.source.name().to_owned();
        }
        document.content_digest = format!("{:032x}", xxh3_128(document.text.as_bytes()));
        document.block_count = page.blocks.len() as u32;
        document.kept_blocks = given.labels.iter().filter(|label| label.is_content()).count() as u32;
        document.dropped_words = given.words(&page.words, false);
        document.confidence = mean_confidence(&given.confidence, &page.words);
        let blocks = block_rows(&document.record_id, &page, &given);
        Labelled { document, blocks }
    }
}

/// What becomes of the blocks of a page.
struct Given {
    labels: Vec<Label>,
    /// The probabilities of the labels.
    confidence: Vec<f32>,
}

impl Given {
    fn of(tagged: &Tagged<'_>) -> Given {
        Given {
            labels: tagged.labels.to_vec(),
            confidence: tagged.confidence.to_vec(),
        }
    }

    /// All blocks dropped, for the sake of a text that is not on the page.
    fn dropped(tagged: &Tagged<'_>) -> Given {
        Given {
            labels: vec![Label::Other; tagged.labels.len()],
            confidence: tagged.content.iter().map(|content| 1.0 - content).collect(),
        }
    }

    /// The sum of the counts of what is kept, or of what is dropped.
    fn words(&self, counts: &[u32], kept: bool) -> u32 {
        let own = counts
            .iter()
            .zip(&self.labels)
            .filter(|(_, label)| label.is_content() == kept);
        own.map(|(count, _)| count).sum()
    }
}

/// What the tagger asks of each block.
fn sizes(page: &Extracted) -> Vec<BlockSize> {
    let counts = page.words.iter().zip(&page.same_pre);
    let sizes = texts(page)
        .zip(counts)
        .map(|(text, (count, &same_pre))| BlockSize {
            words: count + unspaced_words(text),
            same_pre,
        });
    sizes.collect()
}

/// The words of what is kept, those of scripts without spaces as the tagger counts them.
fn kept_words(tagged: &Tagged<'_>, sizes: &[BlockSize]) -> u32 {
    let kept = sizes
        .iter()
        .zip(tagged.labels)
        .filter(|(_, label)| label.is_content());
    kept.map(|(size, _)| size.words).sum()
}

fn texts(page: &Extracted) -> impl Iterator<Item = &str> {
    let blocks = page.blocks.iter();
    blocks.map(|range| &page.text[range.start as usize..range.end as usize])
}

fn text(page: &Extracted, given: &Given) -> String {
    let pieces = texts(page).zip(&given.labels).zip(&page.next_line);
    assemble(pieces.map(|((text, &label), &next_line)| Piece {
        text,
        label,
        next_line,
    }))
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
fn block_rows(record_id: &str, page: &Extracted, given: &Given) -> Vec<BlockRow> {
    let labels = given.labels.iter().zip(&given.confidence);
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
