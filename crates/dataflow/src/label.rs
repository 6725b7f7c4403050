//! Label phase: what the labeller takes a page for, and what is known of its site, to labels, text
//! and rows.

use std::sync::Arc;

use gleaner_content::{BlockSize, Label, Piece, Tagger, assemble};
use gleaner_corpus::{BlockRow, DocumentRow, Share};
use gleaner_page::{Parser, StructuredText};
use gleaner_template::evidence::probability;
use xxhash_rust::xxh3::xxh3_128;

use crate::answer::Answer;
use crate::job::Job;
use crate::judge::Made;
use crate::message::{Labelled, Scored};
use crate::structured::StructuredLines;

/// Labels pages. One a worker; its memory is kept from page to page.
pub(crate) struct Labeller {
    job: Arc<Job>,
    tagger: Made<Tagger>,
    parser: Parser,
}

impl Labeller {
    pub(crate) fn new(job: &Arc<Job>) -> Labeller {
        Labeller {
            job: Arc::clone(job),
            tagger: Made::new(job.judges.pages.tagger()),
            parser: Parser::new(job.page.clone()),
        }
    }

    /// Labels a page's blocks and completes its row. Without an answer of its site it is what it is
    /// by itself.
    pub(crate) fn label(&mut self, mut page: Scored, answer: Option<&Answer>) -> Labelled {
        if let Some(answer) = answer {
            self.decide_again(&mut page, answer);
        }
        let mut document = std::mem::take(&mut page.document);
        let structured = page.structured.take();
        let structured = structured.filter(|_| StructuredText::replaces(kept_words(&page)));
        let given = match &structured {
            Some(_) => Given::dropped(&page),
            None => Given::of(&page),
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
        let blocks = block_rows(&document, &page, &given, answer);
        Labelled {
            document,
            blocks,
            posts: std::mem::take(&mut page.posts),
            template_words: template_words(&page.words, answer),
            held: None,
        }
    }

    /// Has the labels follow what the page's site makes of its scores.
    fn decide_again(&mut self, page: &mut Scored, answer: &Answer) {
        if answer.logits.is_empty() {
            return;
        }
        let mut content = page.alone().unrepeated();
        let mut is_same = true;
        for (content, &after) in content.iter_mut().zip(&answer.logits) {
            if !after.is_nan() && *content != probability(after) {
                *content = probability(after);
                is_same = false;
            }
        }
        if is_same {
            return;
        }
        let sizes = page.sizes.iter().zip(&page.same_pre);
        let sizes = sizes.map(|(&words, &same_pre)| BlockSize { words, same_pre });
        let make = || self.job.judges.of(true).tagger();
        let tagger = self.tagger.of(page.plain_text, make);
        let tagged = tagger.decide_blocks(page.alone(), &content, sizes);
        tagged.labels.clone_into(&mut page.labels);
        tagged.confidence.clone_into(&mut page.confidence);
        tagged.content.clone_into(&mut page.content);
    }
}

/// What becomes of the blocks of a page.
struct Given {
    labels: Vec<Label>,
    /// The probabilities of the labels.
    confidence: Vec<f32>,
}

impl Given {
    fn of(page: &Scored) -> Given {
        Given {
            labels: page.labels.clone(),
            confidence: page.confidence.clone(),
        }
    }

    /// All blocks dropped, for the sake of a text that is not on the page.
    fn dropped(page: &Scored) -> Given {
        Given {
            labels: vec![Label::Other; page.labels.len()],
            confidence: page.content.iter().map(|content| 1.0 - content).collect(),
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

/// The words of what is kept, those of scripts without spaces as the tagger counts them.
fn kept_words(page: &Scored) -> u32 {
    let blocks = page.sizes.iter().zip(&page.labels);
    blocks
        .filter(|(_, label)| label.is_content())
        .map(|(words, _)| words)
        .sum()
}

fn texts(page: &Scored) -> impl Iterator<Item = &str> {
    let blocks = page.blocks.iter();
    blocks.map(|range| &page.text[range.start as usize..range.end as usize])
}

fn text(page: &Scored, given: &Given) -> String {
    let texts = texts(page).enumerate();
    let written = texts.map(|(block, text)| page.written.text(block).unwrap_or(text));
    let pieces = written.zip(&given.labels).zip(&page.joints);
    assemble(pieces.map(|((text, &label), &joint)| Piece { text, label, joint }))
}

/// The share of a block that the site's expressions match.
fn coverage(answer: Option<&Answer>, block: usize) -> f32 {
    let coverage = answer.and_then(|answer| answer.coverage.get(block));
    coverage.copied().unwrap_or_default()
}

/// The words of blocks whose text is on a fifth of the site's pages or more, on three at least: nearly
/// nothing of that is content.
fn template_words(words: &[u32], answer: Option<&Answer>) -> u32 {
    let Some(answer) = answer else { return 0 };
    let least = (answer.site_pages.div_ceil(5)).max(3);
    let blocks = words.iter().zip(&answer.pages);
    blocks
        .filter(|(_, pages)| **pages >= least)
        .map(|(words, _)| words)
        .sum()
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
fn block_rows(
    document: &DocumentRow,
    page: &Scored,
    given: &Given,
    answer: Option<&Answer>,
) -> Vec<BlockRow> {
    let labels = given.labels.iter().zip(&given.confidence);
    let rows = page.paths.iter().zip(&page.blocks).zip(labels).enumerate();
    rows.map(|(block, ((path, range), (&label, &confidence)))| BlockRow {
        record_id: document.record_id.clone(),
        url: document.url.clone(),
        block: block as u32,
        label: label.name().into(),
        confidence: Share(confidence),
        text: page.text[range.start as usize..range.end as usize].to_owned(),
        path: path.clone(),
        template_pages: answer.map_or(0, |answer| answer.pages[block]),
        template_coverage: Share(coverage(answer, block)),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use gleaner_content::Label;
    use gleaner_corpus::enumerations::LABELS;

    #[test]
    fn the_labels_of_the_table_are_those_of_the_labeller() {
        assert_eq!(LABELS.len(), Label::COUNT);
        for (label, value) in Label::ALL.iter().zip(LABELS) {
            assert_eq!(label.name(), value.name);
            assert_eq!(label.is_content(), value.meaning.ends_with("; kept."));
        }
    }
}
