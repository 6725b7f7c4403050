//! A page of the report: what the gold keeps beside what was kept, block by block.

use gleaner_content::Label;
use gleaner_training::Scored;

use gleaner_document::html::escape;

/// Maximum blocks shown per page: of a longer page the beginning.
const MOST_BLOCKS: usize = 1500;

/// Maximum characters shown per block.
const MOST_CHARACTERS: usize = 600;

pub(super) fn append_page(page: &mut String, scored: &Scored<'_>) {
    let gold = &scored.sample.gold;
    let words = &scored.words.words;
    *page += &format!(
        "<details><summary><b>F1 {:.2}</b> {} <span class=\"k\">{}</span></summary>\n<p class=\"note\">P {:.2}, \
             R {:.2}; {} of {} blocks have the right label, and keeping exactly the gold's blocks would score \
             {:.2}.{}</p>\n",
        words.f1,
        escape(&gold.url),
        escape(gold.page_type.as_deref().unwrap_or_default()),
        words.precision,
        words.recall,
        right(scored),
        scored.decision.labels.len(),
        scored.oracle.words.f1,
        if gold.text.trim().is_empty() {
            " The gold is empty: nothing of this page should be kept."
        } else {
            ""
        },
    );
    page.push_str(
        "<table class=\"page\"><thead><tr><th>what the gold keeps<th class=\"c\"><th>what was kept</thead>\n",
    );
    append_blocks(page, scored);
    page.push_str("</table></details>\n");
}

fn right(scored: &Scored<'_>) -> usize {
    let gold = &scored.sample.value.labels;
    let pairs = scored.decision.labels.iter().zip(gold);
    pairs.filter(|(given, gold)| given == gold).count()
}

/// A row a block; one row for a run of blocks that are rightly dropped.
fn append_blocks(page: &mut String, scored: &Scored<'_>) {
    let blocks = scored.decision.labels.len();
    let labels = scored.sample.value.labels.iter().zip(&scored.decision.labels);
    let mut dropped = 0;
    for (block, (gold, given)) in labels.enumerate().take(MOST_BLOCKS) {
        if !gold.is_content() && !given.is_content() {
            dropped += 1;
            continue;
        }
        append_dropped(page, &mut dropped);
        append_block(page, scored, block);
    }
    append_dropped(page, &mut dropped);
    if blocks > MOST_BLOCKS {
        *page += &format!(
            "<tr><td class=\"none\" colspan=\"3\">and {} blocks more\n",
            blocks - MOST_BLOCKS
        );
    }
}

fn append_dropped(page: &mut String, count: &mut usize) {
    if *count > 0 {
        let blocks = if *count == 1 { "block" } else { "blocks" };
        *page += &format!("<tr><td class=\"none\" colspan=\"3\">{count} {blocks} rightly dropped\n");
    }
    *count = 0;
}

fn append_block(page: &mut String, scored: &Scored<'_>, block: usize) {
    let (gold, given) = (scored.sample.value.labels[block], scored.decision.labels[block]);
    let class = match (gold.is_content(), given.is_content()) {
        (true, true) => "kept",
        (true, false) => "lost",
        _ => "added",
    };
    let text = scored.sample.value.page.layout.text(block);
    *page += &format!(
        "<tr>{}<td class=\"c\">{:.2}{}\n",
        side(gold, class, text),
        scored.decision.content[block],
        side(given, class, text)
    );
}

/// A cell with the block's label and text; an empty one where it is not content.
fn side(label: Label, class: &str, text: &str) -> String {
    if !label.is_content() {
        return "<td>".to_owned();
    }
    let shown: String = text.chars().take(MOST_CHARACTERS).collect();
    let more = if shown.len() < text.len() { " […]" } else { "" };
    format!(
        "<td class=\"{class}\" dir=\"auto\"><span class=\"k\">{}</span> {}{more}",
        label.name(),
        escape(&shown)
    )
}
