//! The report: one page for a browser, with the tables and the worst pages block by block.
//!
//! It loads nothing and needs no scripts. All text of pages is escaped.

use gleaner_content::Label;
use gleaner_gold::{BINS, Bin, Summary};
use gleaner_training::{Calibration, Measures, Scored, SetScores};

use super::Results;
use super::ablation::Ablation;
use super::side_by_side;
use super::tables::{bin_name, seen_text};
use crate::terminal::console::grouped;
use gleaner_document::html::escape;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h2{margin-top:2.5rem;border-bottom:1px solid #ccc}
table{border-collapse:collapse;margin:1rem 0}
th,td{padding:.15rem .6rem;text-align:right;vertical-align:top}
th{font-weight:600}
th:first-child,td:first-child{text-align:left}
thead th{border-bottom:1px solid #999}
caption{text-align:left;color:#555;padding-bottom:.3rem}
.n{font-variant-numeric:tabular-nums}
.bar{display:inline-block;height:.7rem;background:#4a7dbd;vertical-align:baseline}
.bars{width:14rem;text-align:left}
.up{color:#2e7d32}.down{color:#c62828}
.note{color:#555;max-width:50rem}
details{margin:1rem 0;border-top:1px solid #ddd;padding-top:.5rem}
summary{cursor:pointer;overflow-wrap:anywhere}
.page{width:100%;table-layout:fixed}
.page td,.page th{text-align:left;overflow-wrap:anywhere;border-left:4px solid transparent}
.page .c{width:6.5rem;font:12px/1.8 ui-monospace,monospace;color:#555}
.page .kept{border-color:#2e7d32;background:#eef7ee}
.page .added{border-color:#c62828;background:#fbe3e3}
.page .lost{border-color:#b26a00;background:#fdf0d5}
.page .none{color:#777;font-size:13px}
.k{font-weight:600;font-size:12px;color:#555}
.key span{padding:.1rem .5rem;border-left:4px solid}
.key .kept{border-color:#2e7d32;background:#eef7ee}
.key .added{border-color:#c62828;background:#fbe3e3}
.key .lost{border-color:#b26a00;background:#fdf0d5}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}.note,caption,.k,.page .c,.page .none{color:#aaa}
.page .kept,.key .kept{background:#16301a}.page .added,.key .added{background:#451c1c}.page .lost,.key .lost{background:#3d2e0e}
.bar{background:#6b9bd8}.up{color:#7cc47f}.down{color:#ef8a8a}}
";

/// The whole page; `worst` pages are shown at most.
pub(super) fn render(results: &Results<'_>, scored: &[Scored<'_>], worst: usize) -> String {
    let mut page = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>gleaner eval</title>\n<style>\n",
    );
    page.push_str(STYLE);
    page.push_str("</style></head>\n<body><h1>What is kept, and what should be</h1>\n");
    page += &format!(
        "<p>Scored: {}. {} pages.</p>\n",
        escape(&results.scored),
        grouped(scored.len() as u64)
    );
    if let Some(seen) = &results.seen {
        page += &format!("<p>{}.</p>\n", seen_text(seen));
    }
    page.push_str(
        "<p class=\"note\">The gold is the text that annotators keep of each page. Precision (P) is the \
         share of the words kept that the gold has, recall (R) the share of the gold's words that are kept, \
         F1 their harmonic mean; each is a mean over pages.</p>\n",
    );
    results.sets.iter().for_each(|set| append_set(&mut page, set));
    if let Some(ablation) = &results.ablation {
        append_ablation(&mut page, ablation);
    }
    append_worst(&mut page, scored, worst);
    page.push_str("</body></html>\n");
    page
}

fn append_set(page: &mut String, set: &SetScores) {
    *page += &format!("<h2>{}</h2>\n", escape(&set.set));
    append_scores(page, set);
    append_measures(page, set);
    append_confusion(page, set);
    append_calibration(page, &set.calibration);
}

fn append_scores(page: &mut String, set: &SetScores) {
    page.push_str(
        "<table><caption>Words, by the kind of page. <i>LCS</i> counts words in order only. <i>with</i> and \
         <i>without</i>: snippets that have to be kept, or left out, and are.</caption>\
         <thead><tr><th><th>pages<th>P<th>R<th>F1<th><th>LCS<th>with<th>without</thead>\n",
    );
    append_score_row(page, "all pages", &set.all);
    for (name, scores) in set.by_page_type.iter().filter(|(name, _)| !name.is_empty()) {
        append_score_row(page, name, scores);
    }
    append_score_row(page, "(if exactly the gold's blocks were kept)", &set.oracle);
    append_score_row(page, "(if everything were kept)", &set.keep_all);
    page.push_str("</table>\n");
}

fn append_score_row(page: &mut String, name: &str, scores: &Summary) {
    let words = &scores.words;
    *page += &format!(
        "<tr class=\"n\"><td>{}<td>{}<td>{:.4}<td>{:.4}<td>{:.4}<td class=\"bars\">{}<td>{:.4}<td>{}<td>{}\n",
        escape(name),
        grouped(scores.pages as u64),
        words.precision,
        words.recall,
        words.f1,
        bar(words.f1),
        scores.lcs.f1,
        cell(scores.with),
        cell(scores.without),
    );
}

fn append_measures(page: &mut String, set: &SetScores) {
    page.push_str(
        "<table><caption>The measures of the Victor thesis: (1) blocks with the right label, (2) blocks \
         rightly kept or dropped, then CleanEval's scores of (3) markup, (4) text alone, (5) both.\
         </caption><thead><tr><th>",
    );
    for (name, _) in set.measures.cells() {
        *page += &format!("<th>{name}");
    }
    page.push_str("</thead>\n");
    let mut row = |name: String, measures: &Measures| {
        *page += &format!("<tr class=\"n\"><td>{name}");
        for (_, value) in measures.cells() {
            *page += &format!("<td>{}", cell(value));
        }
        page.push('\n');
    };
    row("all pages".into(), &set.measures);
    for (fold, measures) in set.folds.iter().enumerate() {
        row(format!("fold {}", fold + 1), measures);
    }
    page.push_str("</table>\n");
}

fn append_confusion(page: &mut String, set: &SetScores) {
    page.push_str(
        "<table><caption>Blocks by their label in the gold (rows) and the one given (columns); the darker, \
         the larger a share of its row.</caption><thead><tr><th>",
    );
    for label in Label::ALL {
        *page += &format!("<th>{}", label.name());
    }
    page.push_str("<th>recall</thead>\n");
    for gold in Label::ALL {
        let row = &set.confusion.counts[gold as usize];
        let sum = row.iter().sum::<u64>().max(1);
        *page += &format!("<tr class=\"n\"><th>{}", gold.name());
        for &count in row {
            let shade = 0.6 * count as f64 / sum as f64;
            *page += &format!(
                "<td style=\"background:rgba(74,125,189,{shade:.2})\">{}",
                grouped(count)
            );
        }
        *page += &format!("<td>{:.4}\n", set.labels[&gold].recall);
    }
    page.push_str("<tr class=\"n\"><th>precision");
    for label in Label::ALL {
        *page += &format!("<td>{:.4}", set.labels[&label].precision);
    }
    page.push_str("</table>\n");
}

fn append_calibration(page: &mut String, calibration: &Calibration) {
    *page += &format!(
        "<table><caption>Whether the probabilities can be trusted: of the blocks that are content with a \
             probability in a range, how many are; the same of the label given. Expected calibration \
             error: {:.4} of content, {:.4} of the label. On the right, the pages with a confidence in the range, \
             its mean, and the mean of their word F1; error: {:.4}.</caption>\
             <thead><tr><th>probability<th>blocks<th>mean<th>are content<th><th>blocks<th>mean<th>are right\
             <th>pages<th>mean<th>word F1</thead>\n",
        calibration.content.expected_calibration_error,
        calibration.label.expected_calibration_error,
        calibration.page.expected_calibration_error
    );
    for bin in 0..BINS {
        let Calibration {
            content,
            label,
            page: of_page,
        } = calibration;
        let [content, label, of_page] = [content, label, of_page].map(|claims| &claims.table.bins[bin]);
        *page += &format!(
            "<tr class=\"n\"><td>{}<td>{}<td>{}<td>{}<td class=\"bars\">{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}\n",
            bin_name(bin),
            grouped(content.claims),
            cell(content.claimed()),
            cell(content.observed()),
            content.observed().map(bar).unwrap_or_default(),
            grouped(label.claims),
            cell(Bin::claimed(label)),
            cell(label.observed()),
            grouped(of_page.claims),
            cell(of_page.claimed()),
            cell(of_page.observed()),
        );
    }
    page.push_str("</table>\n");
}

fn append_ablation(page: &mut String, ablation: &Ablation) {
    *page += &format!(
        "<h2>Ablation</h2>\n<table><caption>What the measures are over all pages when {} are left out one \
             by one, and how far from those with all.</caption><thead><tr><th>without<th>columns",
        ablation.by
    );
    for (name, _) in ablation.baseline.cells() {
        *page += &format!("<th>{name}<th>");
    }
    page.push_str("</thead>\n<tr class=\"n\"><td>(nothing left out)<td>");
    for (_, value) in ablation.baseline.cells() {
        *page += &format!("<td>{}<td>", cell(value));
    }
    for row in &ablation.rows {
        *page += &format!(
            "\n<tr class=\"n\"><td>{}<td>{}",
            escape(&row.without),
            row.columns
        );
        let cells = row.measures.cells().into_iter().zip(ablation.baseline.cells());
        for ((_, value), (_, before)) in cells {
            let change = value.zip(before).map(|(value, before)| value - before);
            *page += &format!(
                "<td>{}<td>{}",
                cell(value),
                change.map(change_cell).unwrap_or_default()
            );
        }
    }
    page.push_str("</table>\n");
}

fn change_cell(change: f64) -> String {
    let class = if change < 0.0 { "down" } else { "up" };
    format!("<span class=\"{class}\">{change:+.4}</span>")
}

fn append_worst(page: &mut String, scored: &[Scored<'_>], worst: usize) {
    let mut pages: Vec<&Scored<'_>> = scored.iter().collect();
    pages.sort_by(|one, other| one.words.words.f1.total_cmp(&other.words.words.f1));
    pages.truncate(worst);
    if pages.is_empty() {
        return;
    }
    *page += &format!("<h2>The {} worst pages</h2>\n", pages.len());
    page.push_str(
        "<p class=\"note\">By word F1, worst first. Click on a line to open a page. On the left is what the \
         gold keeps, on the right what was kept, block by block, in the order of the page; between them the \
         probability of being content.</p>\n<p class=\"key\"><span class=\"kept\">in the gold and kept</span> \
         <span class=\"lost\">in the gold, wrongly dropped</span> \
         <span class=\"added\">not in the gold, wrongly kept</span></p>\n",
    );
    for scored in pages {
        side_by_side::append_page(page, scored);
    }
}

fn bar(share: f64) -> String {
    format!(
        "<span class=\"bar\" style=\"width:{:.1}%\"></span>",
        100.0 * share.clamp(0.0, 1.0)
    )
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.4}"))
}
