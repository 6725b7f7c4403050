//! The summary of a build: as text, and as JSON.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use gleaner_dataflow::{EmptyArchives, Progress, RejectExample, Summary};
use serde::Serialize;

use super::hosts::Together;
use crate::args::Build;
use crate::terminal::{
    console::{self, bytes, counted, grouped, seconds},
    plain,
};

/// What a build answers, whatever became of it: always the same keys, of the same types. docs/json.md describes them.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Whether the corpus is there, whole.
    pub(crate) complete: bool,
    limit: Option<u64>,
    #[serde(flatten)]
    pub(crate) summary: Summary,
    pub(crate) adds_up: bool,
    /// Files of a complete corpus that are not as they were written.
    pub(crate) faulty_files: Vec<String>,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
    pages_per_second: f64,
    megabytes_per_second: f64,
    read_bytes: u64,
    pub(crate) peak_memory_bytes: Option<u64>,
    pub(crate) out: String,
    #[serde(flatten)]
    together: Together,
    /// Where the files of the examples are.
    #[serde(skip)]
    locations: Locations,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a> {
    pub(crate) arguments: &'a Build,
    pub(crate) begin: Instant,
    pub(crate) together: Together,
    pub(crate) locations: &'a Locations,
}

/// Where the inputs are, by their names in the tables.
pub(crate) type Locations = BTreeMap<String, String>;

/// What this process has read: less than the corpus holds if it resumed a build.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Read {
    pages: u64,
    bytes: u64,
}

impl Read {
    /// What was counted while it ran.
    pub(crate) fn of(progress: &Progress) -> Read {
        Read {
            pages: progress.pages.load(Relaxed),
            bytes: progress.page_bytes.load(Relaxed),
        }
    }

    /// All there is.
    pub(crate) fn all(summary: &Summary) -> Read {
        Read {
            pages: summary.captures,
            bytes: summary.page_bytes,
        }
    }
}

impl Report {
    pub(crate) fn new(run: &Run<'_>, summary: Summary, read: Read) -> Report {
        let examples = summary.reject_examples.values();
        let located = examples.filter_map(|example| run.locations.get_key_value(&example.warc_file));
        let locations = located
            .map(|(name, location)| (name.clone(), location.clone()))
            .collect();
        let seconds = run.begin.elapsed().as_secs_f64().max(1e-9);
        Report {
            complete: false,
            limit: run.arguments.limit,
            // Others label what a process has read: only the sums of all have to.
            adds_up: summary.adds_up() || !run.together.is_first(),
            summary,
            faulty_files: Vec::new(),
            seconds,
            cpu_seconds: crate::terminal::usage::cpu_seconds(),
            pages_per_second: read.pages as f64 / seconds,
            megabytes_per_second: read.bytes as f64 / 1e6 / seconds,
            read_bytes: read.bytes,
            peak_memory_bytes: crate::terminal::usage::peak_memory(),
            out: run.arguments.out.clone(),
            together: run.together,
            locations,
        }
    }

    pub(crate) fn text(&self) -> String {
        let summary = &self.summary;
        let mut lines = Lines::default();
        lines.add("records", total(&summary.records), "");
        for (kind, count) in &summary.records {
            lines.add(&format!("  {kind}"), *count, "");
        }
        if let Some(limit) = self.limit {
            let note = match summary.captures < limit {
                true => "the crawl has fewer captures",
                false => "only the first captures of the crawl",
            };
            lines.add("limit", limit, note);
        }
        lines.add("captures", summary.captures, "");
        if summary.damage > 0 {
            lines.add("damaged places", summary.damage, "");
        }
        let empty = &summary.empty_archives;
        if empty.count > 0 {
            lines.add("empty archives", empty.count, &names(empty));
        }
        lines.add("documents", summary.documents, "");
        if summary.truncated > 0 {
            lines.add("  truncated", summary.truncated, "");
        }
        if summary.posts > 0 {
            lines.add("posts", summary.posts, "");
        }
        let rules = summary.left_out.len() as u64;
        if rules > 0 {
            lines.add(
                "left out",
                total(&summary.left_out),
                &format!("by {}", counted(rules, "rule")),
            );
        }
        lines.add("rejects", total(&summary.rejects), "");
        for (reason, count) in &summary.rejects {
            let example = summary.reject_examples.get(reason);
            let example = example.map(|example| example_text(example, &self.locations));
            lines.add(&format!("  {reason}"), *count, &example.unwrap_or_default());
        }
        if summary.mined_sites > 0 {
            lines.add("sites mined", summary.mined_sites, "");
            lines.add("  expressions", summary.templates, "");
        }
        if summary.clusters > 0 {
            lines.add("clusters", summary.clusters, "of copies");
            lines.add("  documents", summary.clustered_documents, "");
        }
        if summary.repeats > 0 {
            lines.add("repeated lines", summary.repeats, "");
        }
        let words = summary.kept_words + summary.dropped_words;
        lines.add(
            "words kept",
            summary.kept_words,
            &share(summary.kept_words, words),
        );
        if summary.copied_words > 0 {
            let copied = share(summary.copied_words, summary.kept_words);
            lines.add("  copied", summary.copied_words, &copied);
        }
        lines.add(
            "words dropped",
            summary.dropped_words,
            &share(summary.dropped_words, words),
        );
        let mut text = lines.render();
        let elapsed = std::time::Duration::from_secs_f64(self.seconds);
        let memory = self
            .peak_memory_bytes
            .map(|peak| format!(", peak memory {}", bytes(peak)))
            .unwrap_or_default();
        text += &format!(
            "{} in {}: {} pages/s, {:.1} MB/s{memory}\n",
            bytes(self.read_bytes),
            seconds(elapsed),
            grouped(self.pages_per_second.round() as u64),
            self.megabytes_per_second,
        );
        text.push_str(&self.together.text());
        let rejects = total(&summary.rejects);
        if !self.together.is_first() {
            return text;
        }
        let verdict = match self.adds_up {
            true => "all accounted for",
            false => "the counts do not add up",
        };
        let left_out = match total(&summary.left_out) {
            0 => String::new(),
            count => format!(" + {} that rules leave out", grouped(count)),
        };
        let verdict = format!(
            "{} + {} {} {} + {}{left_out}: {verdict}; written to {}\n",
            counted(summary.captures, "capture"),
            console::damaged_places(summary.damage),
            if self.adds_up { "=" } else { "and not" },
            counted(summary.documents, "document"),
            counted(rejects, "reject"),
            plain::line(&self.out)
        );
        text.push_str(&verdict);
        text
    }
}

fn names(empty: &EmptyArchives) -> String {
    let printable = |name: &String| -> String {
        name.chars()
            .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
            .collect()
    };
    let names: Vec<String> = empty.names.iter().map(printable).collect();
    let more = match empty.count - names.len() as u64 {
        0 => String::new(),
        more => format!(" and {} more", grouped(more)),
    };
    names.join(", ") + &more
}

/// A reject in a phrase. What comes from a crawl may be long, and may try to steer the terminal.
fn example_text(example: &RejectExample, locations: &Locations) -> String {
    const LONGEST: usize = 120;
    let RejectExample {
        warc_file,
        warc_offset,
        detail,
    } = example;
    let location = locations.get(warc_file).unwrap_or(warc_file);
    let place = match detail.contains(location) {
        true => String::new(),
        false => format!(" ({location} at {warc_offset})"),
    };
    let mut phrase: String = detail.chars().take(LONGEST).collect();
    if detail.chars().nth(LONGEST).is_some() {
        phrase.push('…');
    }
    plain::line(&(phrase + &place)).into_owned()
}

/// Names and numbers in two columns.
#[derive(Default)]
struct Lines(Vec<(String, String, String)>);

impl Lines {
    fn add(&mut self, name: &str, number: u64, note: &str) {
        let note = plain::line(note).into_owned();
        self.0.push((name.to_owned(), grouped(number), note));
    }

    fn render(&self) -> String {
        let names = self
            .0
            .iter()
            .map(|line| line.0.chars().count())
            .max()
            .unwrap_or(0);
        let numbers = self.0.iter().map(|line| line.1.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, number, note) in &self.0 {
            let line = format!("{name:names$}  {number:>numbers$}  {note}");
            text += &format!("{}\n", line.trim_end());
        }
        text
    }
}

fn total(counts: &BTreeMap<String, u64>) -> u64 {
    counts.values().sum()
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        String::new()
    } else {
        format!("{:.1}%", 100.0 * part as f64 / whole as f64)
    }
}
