//! How a change ended, in words and as JSON.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use gleaner_corpus::Unread;
use gleaner_dataflow::scale::Rates;
use gleaner_dataflow::{ChangeOutline, ChangeReport, FoundInFile, Searched, Summary};
use serde::Serialize;

use super::{Asked, Changed, Decided, RobotsFound};
use crate::terminal::console::{self, bytes, counted, grouped, seconds};
use crate::terminal::{Outcome, plain};

/// How a change ended, short of an error.
pub(super) enum Ended {
    /// What it would do: `--dry-run`.
    Planned(Plan),
    /// An earlier run of the command had committed this version, and it is finished now.
    Finished(u64),
    /// There was nothing to do, for this reason.
    Nothing(String),
    /// Nothing that is in the corpus is selected: what was typed, and the words for it.
    Unselected {
        missed: Vec<String>,
        text: String,
    },
    /// Archives could not be read to their end: the same command reads the rest.
    Missing(Vec<Unread>),
    Changed(Box<ChangeAnswer>),
}

/// What a change has come to, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
pub(super) struct ChangeAnswer {
    corpus: String,
    #[serde(flatten)]
    report: ChangeReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    robots: Option<RobotsFound>,
    documents: u64,
    adds_up: bool,
    seconds: f64,
    cpu_seconds: f64,
    peak_memory_bytes: Option<u64>,
}

impl ChangeAnswer {
    pub(super) fn new(
        corpus: &str,
        summary: &Summary,
        report: ChangeReport,
        robots: Option<RobotsFound>,
        begin: Instant,
    ) -> ChangeAnswer {
        ChangeAnswer {
            corpus: corpus.to_owned(),
            robots,
            documents: summary.documents,
            adds_up: summary.adds_up(),
            report,
            seconds: begin.elapsed().as_secs_f64(),
            cpu_seconds: crate::terminal::usage::cpu_seconds(),
            peak_memory_bytes: crate::terminal::usage::peak_memory(),
        }
    }

    fn text(&self) -> String {
        let report = &self.report;
        let mut lines = Vec::new();
        if report.archives.added + report.archives.removed > 0 {
            let [added, removed] = [report.archives.added, report.archives.removed].map(grouped);
            lines.push(("archives".to_owned(), format!("{added} added, {removed} removed")));
        }
        lines.extend(self.robots.iter().flat_map(RobotsFound::lines));
        lines.extend(left_out_lines(&report.found.left_out));
        let (labelled, kept) = (
            grouped(report.found.units_labelled),
            grouped(report.found.units_kept),
        );
        lines.push((
            "units".to_owned(),
            format!("{labelled} labelled, {kept} kept as they were"),
        ));
        for (name, table) in &report.tables {
            let files = match (table.files_removed, table.files_written) {
                (0, 0) => continue,
                (removed, written) => format!(
                    "{} written, {} removed",
                    counted(written, "file"),
                    grouped(removed)
                ),
            };
            let [before, after] = [table.rows_before, table.rows_after].map(grouped);
            lines.push((name.clone(), format!("{before} rows, now {after}; {files}")));
        }
        let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text: String = lines
            .iter()
            .map(|(name, value)| format!("{name:width$}  {value}\n"))
            .collect();
        if let Some(search) = &report.found.search {
            text += &searched(search);
        }
        let elapsed = seconds(Duration::from_secs_f64(self.seconds));
        let memory = self
            .peak_memory_bytes
            .map(|peak| format!(", peak memory {}", bytes(peak)));
        text += &format!(
            "version {} of {}: {} in {elapsed}{}",
            report.version,
            plain::line(&self.corpus),
            counted(self.documents, "document"),
            memory.unwrap_or_default()
        );
        text
    }
}

/// What rules leave out: a line for each, or one for all where they are many.
fn left_out_lines(left_out: &BTreeMap<String, u64>) -> Vec<(String, String)> {
    const LINES: usize = 10;
    let leaves_out = |count: u64| format!("leaves out {}", counted(count, "capture"));
    if left_out.len() > LINES {
        let rules = grouped(left_out.len() as u64);
        let captures = counted(left_out.values().sum(), "capture");
        return vec![("rules".to_owned(), format!("{rules} leave out {captures}"))];
    }
    let each = left_out.iter();
    each.map(|(rule, count)| (format!("rule {rule}"), leaves_out(*count)))
        .collect()
}

/// What the search of a takedown came to.
fn searched(search: &Searched) -> String {
    let (files, windows) = (counted(search.files, "file"), counted(search.windows, "passage"));
    let pages = counted(search.pages, "capture");
    let mut text = format!(
        "searched  {files}, {} unpacked, for {pages} and {windows} of 40 characters: ",
        bytes(search.bytes)
    );
    match search.found.as_slice() {
        [] => text += "nothing is left\n",
        found => {
            text += "these files still have some, delete them\n";
            for FoundInFile { file, .. } in found {
                text += &format!("  {}\n", plain::line(file));
            }
        }
    }
    if search.shared > 0 {
        text += &format!(
            "shared    {} that other pages have, too\n",
            grouped(search.shared)
        );
    }
    text
}

/// What a change would do, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
pub(super) struct Plan {
    corpus: String,
    command: &'static str,
    version: u64,
    archives_read: u64,
    archives_removed: u64,
    input_bytes: u64,
    #[serde(flatten)]
    outline: ChangeOutline,
    #[serde(skip_serializing_if = "Option::is_none")]
    robots: Option<RobotsFound>,
    /// Of all cores, as a usual crawl takes them.
    cpu_seconds: u64,
}

impl Plan {
    pub(super) fn new(asked: &Asked<'_>, changed: &Changed, decided: &Decided) -> Result<Plan> {
        let outline = changed.outline(asked, decided)?;
        let input_bytes = decided.shards.iter().filter_map(|shard| shard.size).sum();
        let documents = changed.marker.totals.get("documents").copied().unwrap_or(0);
        let Rates {
            pages,
            times: [read, _, label, finish],
            ..
        } = Rates::default();
        let read_pages = input_bytes as f64 * pages;
        let milliseconds = read_pages * (read + label)
            + outline.records_labelled as f64 * label
            + (documents as f64 + read_pages) * finish;
        Ok(Plan {
            corpus: asked.corpus.to_owned(),
            command: asked.command,
            version: changed.marker.version + 1,
            archives_read: decided.shards.len() as u64,
            archives_removed: decided.removed.values().map(|names| names.len() as u64).sum(),
            input_bytes,
            outline,
            robots: decided.robots,
            cpu_seconds: (milliseconds / 1e3).ceil() as u64,
        })
    }

    fn text(&self) -> String {
        let ChangeOutline {
            units_labelled,
            units_kept,
            chunks_written,
            chunks_kept,
            bytes_written,
            left_out,
            ..
        } = &self.outline;
        let mut text = format!(
            "would make version {} of {} (nothing is changed)\n",
            self.version,
            plain::line(&self.corpus)
        );
        let mut line = |name: &str, value: String| text += &format!("{name:10} {value}\n");
        if self.archives_read > 0 {
            let read = counted(self.archives_read, "archive");
            line(
                "read",
                format!(
                    "{read} of {}; their pages add to what follows",
                    bytes(self.input_bytes)
                ),
            );
        }
        if self.archives_removed > 0 {
            line("removed", counted(self.archives_removed, "archive"));
        }
        for (name, value) in self.robots.iter().flat_map(RobotsFound::lines) {
            line(&name, value);
        }
        for (name, value) in left_out_lines(left_out) {
            line(&name, value);
        }
        let [labelled, kept] = [units_labelled, units_kept].map(|units| grouped(*units));
        line("units", format!("{labelled} labelled, {kept} kept as they are"));
        let [written, kept] = [chunks_written, chunks_kept].map(|chunks| grouped(*chunks));
        line(
            "chunks",
            format!(
                "{written} written, {kept} kept as they are; about {}",
                bytes(*bytes_written)
            ),
        );
        line(
            "CPU",
            format!(
                "about {} of a core",
                seconds(Duration::from_secs(self.cpu_seconds))
            ),
        );
        text
    }
}

impl Ended {
    pub(super) fn print(&self, as_json: bool) -> Result<Outcome> {
        match self {
            Ended::Planned(plan) => {
                console::out_as(as_json, plan, || plan.text())?;
                Ok(Outcome::Done)
            }
            Ended::Finished(version) => {
                console::say(&format!(
                    "finished version {version}, which this command had committed before"
                ));
                if as_json {
                    console::out_as(true, &BTreeMap::from([("finished", version)]), String::new)?;
                }
                Ok(Outcome::Done)
            }
            Ended::Nothing(why) => {
                console::say_lines(&format!("nothing to do: {why}"));
                if as_json {
                    console::out_as(true, &BTreeMap::from([("nothing", why)]), String::new)?;
                }
                Ok(Outcome::Done)
            }
            Ended::Unselected { missed, text } => {
                console::say_lines(text);
                if as_json {
                    console::out_as(true, &BTreeMap::from([("unselected", missed)]), String::new)?;
                }
                Ok(Outcome::Negative)
            }
            Ended::Missing(missing) => {
                for unread in missing {
                    console::say_lines(&format!("could not read '{}': {}", unread.input, unread.cause));
                }
                console::say("the corpus is as it was: run the same command again to read what is missing");
                Ok(Outcome::Negative)
            }
            Ended::Changed(answer) => {
                console::say_lines(&answer.text());
                if as_json {
                    console::out_as(true, answer, String::new)?;
                }
                let search = answer.report.found.search.as_ref();
                let is_clean = search.is_none_or(|search| search.found.is_empty());
                Ok(match answer.adds_up && is_clean {
                    true => Outcome::Done,
                    false => Outcome::Negative,
                })
            }
        }
    }
}
