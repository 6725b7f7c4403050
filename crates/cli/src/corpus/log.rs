//! `gleaner log`: the versions of a corpus, and what it is made from.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_corpus::{ArchivesChange, Corpus, Crawl, Inputs, Marker, TableChange};
use gleaner_store::{Options, Store};
use serde::Serialize;
use serde_json::Value;

use super::current::{Current, RuleEntry};
use super::spec::Spec;
use super::versions::{self, Version};
use crate::args::Log;
use crate::terminal::console::{bytes, counted, grouped};
use crate::terminal::{Outcome, console, plain};

/// A version of a corpus, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Entry {
    version: u64,
    command: String,
    asked: Option<String>,
    reason: Option<String>,
    time: Option<String>,
    program: Option<String>,
    /// Of the current version only, as model and crawl.
    inputs: Option<Inputs>,
    model: Option<String>,
    crawl: Option<String>,
    crawls: Option<BTreeMap<String, u64>>,
    rules: Option<Vec<RuleEntry>>,
    /// Of changes only.
    rules_changed: Option<Value>,
    left_out: Option<Value>,
    archives: Option<ArchivesChange>,
    rows: Option<BTreeMap<String, u64>>,
    /// What the change did to the tables; none of the first version.
    tables: Option<BTreeMap<String, TableChange>>,
    /// The digest of all that it keeps; none where it keeps nothing.
    manifest: Option<String>,
    /// Whether its files are there.
    kept: bool,
}

impl Entry {
    fn of(version: Version, marker: &Marker, made_from: &Current) -> Entry {
        let is_current = version.number == marker.version;
        let current = is_current.then_some(&marker.identity);
        let receipt = version.receipt;
        let of_receipt = receipt.as_ref();
        Entry {
            version: version.number,
            command: match of_receipt {
                Some(receipt) => receipt.command.clone(),
                None if version.number == 1 => "build".to_owned(),
                None => "unknown".to_owned(),
            },
            asked: of_receipt.map(|receipt| receipt.asked_text.clone()),
            reason: of_receipt.and_then(|receipt| receipt.reason.clone()),
            time: of_receipt.map(|receipt| receipt.time.clone()),
            program: of_receipt.map(|receipt| receipt.program.clone()),
            inputs: current.map(|identity| identity.inputs.clone()),
            model: current.map(|identity| identity.model.clone()),
            crawl: current.and_then(|identity| identity.options.get(Crawl::COLUMN).cloned()),
            crawls: is_current.then(|| made_from.crawls.clone()),
            rules: is_current.then(|| made_from.rules.clone()),
            rules_changed: of_receipt.and_then(|receipt| receipt.more.get("rules").cloned()),
            left_out: of_receipt.and_then(|receipt| receipt.more.get("left_out").cloned()),
            archives: of_receipt.and_then(|receipt| receipt.archives),
            tables: receipt.map(|receipt| receipt.tables),
            rows: version.rows,
            manifest: version.arguments.map(|arguments| arguments.manifest),
            kept: version.is_there,
        }
    }

    fn text(&self, made_from: &Current) -> String {
        let mut lines = vec![("version", self.version.to_string())];
        let asked = self.asked.as_deref().unwrap_or_default();
        let command = format!("{} {asked}", self.command);
        lines.push(("command", command.trim_end().to_owned()));
        let of_change = [("reason", &self.reason), ("time", &self.time)];
        lines.extend(
            of_change
                .into_iter()
                .filter_map(|(name, value)| Some((name, value.clone()?))),
        );
        if let Some(inputs) = &self.inputs {
            let files = counted(inputs.files, "file");
            lines.push(("inputs", format!("{files}, {}", bytes(inputs.bytes))));
            lines.push(("model", self.model.clone().unwrap_or_default()));
            lines.extend(made_from.lines());
        }
        if let Some(rules) = self.rules_text() {
            lines.push(("rules", rules));
        }
        if let Some(archives) = &self.archives {
            let ArchivesChange {
                after,
                added,
                removed,
                ..
            } = archives;
            let change = match added + removed {
                0 => String::new(),
                _ => format!(" (+{added} -{removed})"),
            };
            lines.push(("archives", format!("{}{change}", grouped(*after))));
        }
        lines.push(("rows", self.rows_text()));
        let manifest = self.manifest.as_deref().unwrap_or("none: it keeps no state");
        lines.push(("manifest", manifest.to_owned()));
        if !self.kept {
            lines.push(("files", "deleted".to_owned()));
        }
        let line = |(name, value): (&str, String)| format!("{name:<10}{}\n", plain::line(&value));
        lines.into_iter().map(line).collect()
    }

    /// The rules that the change made, lifted and ended, and how many captures each new one leaves out.
    fn rules_text(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let rules = self.rules_changed.as_ref()?;
        let of = |what: &str| {
            rules[what]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
        };
        let left_out = self.left_out.as_ref();
        let made = of("made").map(|id| {
            let captures = left_out.and_then(|left_out| left_out[id].as_u64()).unwrap_or(0);
            format!("+{id} ({})", counted(captures, "capture"))
        });
        let lifted = of("lifted").map(|id| format!("-{id}"));
        let ended = of("ended").map(|id| format!("{id} ended"));
        let mut all: Vec<String> = made.chain(lifted).chain(ended).collect();
        if let Some(more @ 1..) = all.len().checked_sub(SHOWN) {
            all.truncate(SHOWN);
            all.push(format!("and {} more", grouped(more as u64)));
        }
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Rows by table, and how many more or fewer than before.
    fn rows_text(&self) -> String {
        let rows = self.rows.iter().flatten();
        let of_table = |(table, &rows): (&String, &u64)| {
            let change = self.tables.as_ref().and_then(|tables| tables.get(table));
            let difference = change.map_or(0, |change| change.rows_after as i64 - change.rows_before as i64);
            match difference {
                0 => format!("{table} {}", grouped(rows)),
                more @ 1.. => format!("{table} {} (+{})", grouped(rows), grouped(more as u64)),
                fewer => format!("{table} {} (-{})", grouped(rows), grouped(fewer.unsigned_abs())),
            }
        };
        match self.rows {
            Some(_) => rows.map(of_table).collect::<Vec<_>>().join(", "),
            None => "unknown".to_owned(),
        }
    }
}

/// `gleaner log`.
pub(crate) fn run(arguments: &Log) -> Result<Outcome> {
    let output = Store::new(Options::default())?.output(&arguments.corpus)?;
    let marker = Corpus::complete(&output)?;
    match arguments.spec {
        true => console::out_as(true, &Spec::of(&output, &marker)?, String::new)?,
        false => {
            let versions = versions::all(&output, &marker)?.into_iter();
            let made_from = Current::read(&output, &marker)?;
            let entries = versions.map(|version| Entry::of(version, &marker, &made_from));
            let entries: Vec<Entry> = entries.collect();
            let text = |entry: &Entry| entry.text(&made_from);
            let texts = || entries.iter().map(text).collect::<Vec<_>>().join("\n");
            console::out_as(arguments.json, &entries, texts)?;
        }
    }
    Ok(Outcome::Done)
}
