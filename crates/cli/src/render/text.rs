//! What was drawn, in words.

use std::time::Duration;

use gleaner_render::Summary;

use crate::terminal::console::{bytes, counted, grouped, seconds};
use crate::terminal::plain;

/// Pages that are not drawn and are named.
const PAGES: usize = 20;

/// The summary in some lines: what was drawn, what was not and why, and what the pages asked for.
pub(super) fn summary(summary: &Summary, out: &str, time: Duration) -> String {
    let failed: u64 = summary.failed.values().sum();
    let mut rows = vec![
        ("pages".to_owned(), summary.pages),
        ("  drawn".to_owned(), summary.drawn),
        ("  text without scripts".to_owned(), summary.not_needed),
    ];
    rows.extend(
        [("  failed".to_owned(), failed)]
            .into_iter()
            .filter(|_| failed > 0),
    );
    let reasons = summary.failed.iter();
    rows.extend(reasons.map(|(reason, &count)| (format!("    {reason}"), count)));
    let requests = summary.requests;
    rows.extend([
        (
            "requests".to_owned(),
            requests.answered + requests.missing + requests.refused,
        ),
        ("  answered".to_owned(), requests.answered),
        ("  not in the archives".to_owned(), requests.missing),
        ("  refused".to_owned(), requests.refused),
    ]);
    lines(&rows) + &end(summary, out, time) + &failed_pages(summary)
}

/// Names and counts in two columns.
fn lines(rows: &[(String, u64)]) -> String {
    let rows: Vec<(&str, String)> = rows
        .iter()
        .map(|(name, count)| (name.as_str(), grouped(*count)))
        .collect();
    let name = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let count = rows
        .iter()
        .map(|(_, count)| count.len())
        .max()
        .unwrap_or_default();
    let line = |(of, number): &(&str, String)| format!("{of:<name$}  {number:>count$}\n");
    rows.iter().map(line).collect()
}

/// Speed, what was cut or damaged, and where the pages are.
fn end(summary: &Summary, out: &str, time: Duration) -> String {
    let rate = summary.drawn as f64 / time.as_secs_f64().max(0.001);
    let mut text = format!(
        "{} in {}: {rate:.1} pages/s, with {}\n",
        bytes(summary.bytes),
        seconds(time),
        plain::line(&summary.browser),
    );
    if summary.cut > 0 {
        let cut = counted(summary.cut, "page");
        text += &format!("{cut} cut off at --max-page\n");
    }
    if summary.damaged > 0 {
        let damaged = counted(summary.damaged, "damaged place");
        text += &format!("{damaged} of the archives skipped\n");
    }
    let drawn = counted(summary.drawn, "page");
    text + &format!("{drawn} written to {}\n", plain::line(out))
}

fn failed_pages(summary: &Summary) -> String {
    let pages = &summary.failed_pages;
    let line = |page: &gleaner_render::FailedPage| {
        format!("page not drawn: {}: {}\n", plain::line(&page.url), page.reason)
    };
    let mut text: String = pages.iter().take(PAGES).map(line).collect();
    if pages.len() > PAGES {
        text += &format!(
            "and {} more; --json names the first 100\n",
            counted((pages.len() - PAGES) as u64, "page")
        );
    }
    text
}
