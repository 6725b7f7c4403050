//! What a crawl did, in words.

use std::fmt::Display;
use std::time::Duration;

use gleaner_crawl::Summary;

use crate::terminal::console::{bytes, counted, grouped, seconds};
use crate::terminal::plain;
use crate::terminal::usage::peak_memory;

/// Seeds without a page that are named.
const SEEDS: usize = 20;

/// The summary in some lines: what is in the archive, and what is not and why.
pub(super) fn summary(summary: &Summary, time: Duration) -> String {
    let mut rows = vec![("pages".to_owned(), summary.pages)];
    let statuses = summary.statuses.iter();
    rows.extend(statuses.map(|(status, &count)| (format!("  status {status}"), count)));
    if summary.unchanged > 0 {
        rows.push(("  unchanged".to_owned(), summary.unchanged));
    }
    rows.push(("robots.txt files".to_owned(), summary.robots_files));
    add_group("URLs not fetched", &summary.not_fetched, &mut rows);
    add_group("links not followed", &summary.links_not_followed, &mut rows);
    lines(rows) + &end(summary, time) + &lost_seeds(summary)
}

fn add_group<'a, K: Display + 'a>(
    name: &str,
    counts: impl IntoIterator<Item = (&'a K, &'a u64)>,
    rows: &mut Vec<(String, u64)>,
) {
    let counts: Vec<(String, u64)> = counts
        .into_iter()
        .map(|(reason, &count)| (format!("  {reason}"), count))
        .collect();
    let sum = counts.iter().map(|(_, count)| count).sum();
    if sum > 0 {
        rows.push((name.to_owned(), sum));
        rows.extend(counts);
    }
}

/// Names and counts in two columns.
fn lines(rows: Vec<(String, u64)>) -> String {
    let rows: Vec<(String, String)> = rows
        .into_iter()
        .map(|(name, count)| (name, grouped(count)))
        .collect();
    let name = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let count = rows
        .iter()
        .map(|(_, count)| count.len())
        .max()
        .unwrap_or_default();
    let line = |(of, number): &(String, String)| format!("{of:<name$}  {number:>count$}\n");
    rows.iter().map(line).collect()
}

/// Speed, the limit, and where the pages are.
fn end(summary: &Summary, time: Duration) -> String {
    let rate = (summary.pages - summary.pages_before) as f64 / time.as_secs_f64().max(0.001);
    let mut text = format!(
        "{} in {}: {} pages/s, peak memory {}\n",
        bytes(summary.bytes),
        seconds(time),
        grouped(rate.round() as u64),
        peak_memory().map_or_else(|| "unknown".to_owned(), bytes),
    );
    if let Some(limit) = summary.limit {
        let waiting = counted(summary.waiting, "URL");
        text += &format!("ended by --{limit}: {waiting} found and not fetched\n");
    }
    let files = match summary.files.as_slice() {
        [first, .., last] => format!("{first} to {last}"),
        files => files.concat(),
    };
    let (pages, hosts) = (counted(summary.pages, "page"), counted(summary.hosts, "host"));
    text + &format!("{pages} of {hosts} written to {}\n", plain::line(&files))
}

fn lost_seeds(summary: &Summary) -> String {
    let seeds = &summary.lost_seeds;
    let line = |seed: &gleaner_crawl::LostSeed| {
        let url = plain::line(&seed.url).into_owned();
        format!("seed without a page: {url}: {}\n", seed.reason)
    };
    let mut text: String = seeds.iter().take(SEEDS).map(line).collect();
    if seeds.len() > SEEDS {
        text += &format!(
            "and {} more; --json names all\n",
            counted((seeds.len() - SEEDS) as u64, "seed")
        );
    }
    text
}
