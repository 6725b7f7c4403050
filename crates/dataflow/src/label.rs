//! The last step with a page: with the evidence of its site, its labels, text and rows.

use gleaner_corpus::{BlockRow, DocumentRow, Share};
use gleaner_document::{Cleaner, Content};
use xxhash_rust::xxh3::xxh3_128;

use crate::answer::Answer;
use crate::message::{Labelled, Parts, Scored};

/// Labels a page's blocks and completes its rows. Without an answer of its site the labels are those of the page by
/// itself.
pub(crate) fn label(cleaner: &mut Cleaner, page: Scored, answer: Option<&Answer>) -> Labelled {
    let Scored {
        mut document,
        blocks,
        parts,
    } = page;
    let logits = answer.map(|answer| answer.logits.as_slice());
    let content = cleaner.decide(blocks, logits.filter(|logits| !logits.is_empty()));
    describe(&content, &mut document);
    Labelled {
        blocks: block_rows(&document, &content, &parts, answer),
        document,
        template_words: template_words(content.layout.words(), answer),
        posts: parts.posts,
        held: None,
    }
}

/// Writes the text and what is counted of it into the row of a page.
fn describe(content: &Content, document: &mut DocumentRow) {
    document.text.clone_from(&content.text);
    document.text_source = content.source().to_owned();
    document.word_count = content.word_count();
    document.dropped_words = content.dropped_words();
    document.content_digest = format!("{:032x}", xxh3_128(document.text.as_bytes()));
    document.block_count = content.layout.len() as u32;
    document.kept_blocks = content.kept_blocks() as u32;
    document.confidence = content.confidence().map(Share);
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

/// Rows of the blocks table, where the page came with its tag paths.
fn block_rows(
    document: &DocumentRow,
    content: &Content,
    parts: &Parts,
    answer: Option<&Answer>,
) -> Vec<BlockRow> {
    let labels = content.decision.labels.iter().zip(&content.decision.confidence);
    let rows = parts.paths.iter().zip(labels).enumerate();
    rows.map(|(block, (path, (&label, &confidence)))| BlockRow {
        record_id: document.record_id.clone(),
        url: document.url.clone(),
        block: block as u32,
        label,
        confidence: Share(confidence),
        text: content.layout.text(block).to_owned(),
        path: path.clone(),
        template_pages: answer.map_or(0, |answer| answer.pages[block]),
        template_coverage: Share(coverage(answer, block)),
    })
    .collect()
}
