//! A report as a page: one file that loads nothing and runs nothing. Each chart has its numbers in a table beside or below it.

mod charts;
mod sections;
mod table;
#[cfg(test)]
mod tests;

use gleaner_document::html::{About, END, begin, escape};

use crate::numbers::Report;
use crate::words::{counted, grouped, percent};

/// What the head of each report has, by which a report is known.
pub const MARK: &str = "<meta name=\"generator\" content=\"gleaner report\">";

/// The policy lets nothing run or load, whatever pages have in their names.
const HEAD: &str = concat!(
    "\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n",
    include_str!("style.css"),
    "</style>"
);

/// A section of the page.
pub(crate) struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

/// The page.
pub fn html(report: &Report) -> String {
    let about = About {
        language: Some("en".to_owned()),
        direction: "ltr",
    };
    let title = format!("Corpus report: {}", report.corpus);
    let mut html = begin(&title, &format!("\n{MARK}{HEAD}"), Some(&about));
    let sections = sections::all(report);
    html += "<a class=\"skip\" href=\"#main\">Skip to the numbers</a>\n";
    html += &header(report);
    html += "<nav aria-label=\"Sections\"><ul>\n";
    for Section { id, title, .. } in &sections {
        html += &format!("<li><a href=\"#{id}\">{title}</a></li>\n");
    }
    html += "</ul></nav>\n<main id=\"main\">\n";
    html += &tiles(report);
    for Section { id, title, body } in &sections {
        html +=
            &format!("<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>\n{body}</section>\n");
    }
    html += "</main>\n";
    html += &format!(
        "<footer><p>Made by gleaner {} with <code>gleaner report</code>. With <code>--json</code> it prints all of these numbers.</p></footer>\n",
        escape(&report.gleaner)
    );
    html + END
}

fn header(report: &Report) -> String {
    format!(
        "<header>\n<h1>Corpus report</h1>\n<p><code dir=\"auto\">{}</code>, version {}</p>\n</header>\n",
        escape(&report.corpus),
        report.corpus_version
    )
}

/// The numbers that are asked for first.
fn tiles(report: &Report) -> String {
    let totals = &report.totals;
    let words = totals.kept_words + totals.dropped_words;
    let rejects = report.rejects.iter().map(|reject| reject.rejects).sum();
    let languages = report
        .languages
        .iter()
        .filter(|group| group.name.as_deref() != Some("und"));
    let tiles = [
        ("Documents", grouped(totals.documents)),
        ("Sites", grouped(report.sites.count)),
        ("Languages", grouped(languages.count() as u64)),
        ("Words kept", grouped(totals.kept_words)),
        (
            "Words dropped",
            format!(
                "{} ({})",
                grouped(totals.dropped_words),
                percent(totals.dropped_words, words)
            ),
        ),
        (
            "Copies of other documents",
            format!(
                "{} ({})",
                grouped(report.duplicates.copies),
                percent(report.duplicates.copies, totals.documents)
            ),
        ),
        ("Rejects", grouped(rejects)),
    ];
    let tile = |(name, value): &(&str, String)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n");
    let tiles: String = tiles.iter().map(tile).collect();
    let mean = totals
        .kept_words
        .checked_div(totals.documents)
        .unwrap_or_default();
    format!(
        "<dl class=\"tiles\">\n{tiles}</dl>\n<p>A document has {} on the average. Without a word: {}. Cut by a limit: {}.</p>\n",
        counted(mean, "word"),
        counted(totals.empty_documents, "document"),
        counted(totals.truncated_documents, "document")
    )
}
