//! `gleaner diff`: two versions of a corpus.
//!
//! What both are made of is compared where the files of both are there; of others, receipts have digests and rows.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use gleaner_corpus::{Arguments, ChunkEntry, Corpus, KeptKind, Manifest, ManifestChunk, TableChange};
use gleaner_store::{Options, Output, Store};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::versions::{self, Version};
use crate::args::Diff;
use crate::terminal::console::{counted, grouped};
use crate::terminal::{Outcome, console, plain};

/// Names of archives and rules that are printed.
const NAMED: usize = 20;

/// Two versions, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Answer {
    corpus: String,
    from: u64,
    to: u64,
    inputs_differ: Option<bool>,
    rules_differ: Option<bool>,
    inputs: Option<Difference>,
    rules: Option<Difference>,
    rows: BTreeMap<String, [Option<u64>; 2]>,
    files: Option<BTreeMap<String, Shared>>,
    chunks: Option<Shared>,
    units: Option<Changed>,
}

/// What comes and goes from one version to the other, by name.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Difference {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) changed: Vec<String>,
}

/// How many things both versions have, and one of them.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Shared {
    shared: u64,
    removed: u64,
    added: u64,
}

/// How many things only one of both versions has.
#[derive(Clone, Copy, Debug, Serialize)]
struct Changed {
    removed: u64,
    added: u64,
}

/// A line of the list of inputs.
#[derive(Deserialize)]
struct InputLine {
    crawl: Option<String>,
    name: String,
    digest: Option<String>,
}

impl Shared {
    fn of<T: Ord>([one, other]: [&BTreeSet<T>; 2]) -> Shared {
        let shared = one.intersection(other).count();
        Shared {
            shared: shared as u64,
            removed: (one.len() - shared) as u64,
            added: (other.len() - shared) as u64,
        }
    }

    fn text(self, what: &str) -> String {
        let Shared {
            shared,
            removed,
            added,
        } = self;
        format!(
            "{} shared, {} removed, {} added",
            counted(shared, what),
            grouped(removed),
            grouped(added)
        )
    }
}

impl Difference {
    /// The difference of two lists, of which each thing has a name and something that it is known by.
    fn of([one, other]: [BTreeMap<String, String>; 2]) -> Difference {
        let missing = |from: &BTreeMap<String, String>, of: &BTreeMap<String, String>| {
            let names = of.keys().filter(|name| !from.contains_key(*name));
            names.cloned().collect()
        };
        let changed = other
            .iter()
            .filter(|(name, known)| one.get(*name).is_some_and(|old| old != *known));
        Difference {
            added: missing(&one, &other),
            removed: missing(&other, &one),
            changed: changed.map(|(name, _)| name.clone()).collect(),
        }
    }

    fn text(&self, what: &str) -> String {
        let mut text = String::new();
        for (sign, names) in [('+', &self.added), ('-', &self.removed), ('~', &self.changed)] {
            for name in names.iter().take(NAMED) {
                text += &format!("{what:<10}{sign} {}\n", plain::line(name));
            }
            if let Some(more @ 1..) = names.len().checked_sub(NAMED) {
                text += &format!("{what:<10}{sign} {} more\n", grouped(more as u64));
            }
        }
        match text.is_empty() {
            true => format!("{what:<10}the same\n"),
            false => text,
        }
    }
}

impl Answer {
    fn text(&self) -> String {
        let difference = |what: &str, names: &Option<Difference>, differ: Option<bool>| match (names, differ)
        {
            (Some(names), _) => names.text(what),
            (None, Some(true)) => format!(
                "{what:<10}differ; in what is not known, because the files of a version are deleted\n"
            ),
            (None, Some(false)) => format!("{what:<10}the same\n"),
            (None, None) => format!("{what:<10}unknown\n"),
        };
        let mut text = difference("inputs", &self.inputs, self.inputs_differ);
        text += &difference("rules", &self.rules, self.rules_differ);
        for (table, rows) in &self.rows {
            let [from, to] = rows.map(|rows| rows.map_or("none".to_owned(), grouped));
            let change = match rows {
                [Some(from), Some(to)] if from == to => continue,
                [Some(from), Some(to)] if from < to => format!(" (+{})", grouped(to - from)),
                [Some(from), Some(to)] => format!(" (-{})", grouped(from - to)),
                _ => String::new(),
            };
            text += &format!("{:<10}{table} {from} -> {to}{change}\n", "rows");
        }
        for (table, files) in self.files.iter().flatten() {
            text += &format!("{:<10}{table}: {}\n", "files", files.text("file"));
        }
        if let Some(chunks) = self.chunks {
            text += &format!("{:<10}{}\n", "chunks", chunks.text("chunk"));
        }
        if let Some(Changed { removed, added }) = self.units {
            let [removed, added] = [removed, added].map(grouped);
            text += &format!("{:<10}{removed} removed, {added} added\n", "units");
        }
        text
    }
}

/// The kept file of a digest, a line a value.
pub(super) fn lines<T: DeserializeOwned>(output: &Output, kind: KeptKind, digest: &str) -> Result<Vec<T>> {
    let bytes = Corpus::kept(output, kind, digest)?;
    let values = serde_json::Deserializer::from_slice(&bytes).into_iter();
    Ok(values.collect::<Result<_, _>>()?)
}

fn inputs(output: &Output, arguments: &Arguments) -> Result<BTreeMap<String, String>> {
    let lines = lines::<InputLine>(output, KeptKind::Inputs, &arguments.inputs)?.into_iter();
    let named = lines.map(|line| {
        let name = match line.crawl {
            Some(crawl) => format!("{} (crawl {crawl})", line.name),
            None => line.name,
        };
        (name, line.digest.unwrap_or_default())
    });
    Ok(named.collect())
}

/// Rules by their ids, else by all that they say.
fn rules(output: &Output, arguments: &Arguments) -> Result<BTreeMap<String, String>> {
    let lines = lines::<Value>(output, KeptKind::Rules, &arguments.rules)?.into_iter();
    let named = lines.map(|rule| {
        let id = rule["id"].as_str().map(str::to_owned);
        (id.unwrap_or_else(|| rule.to_string()), rule.to_string())
    });
    Ok(named.collect())
}

/// A chunk: its crawl, where it begins, and the digest of its entry.
type Chunk = (Option<String>, String, String);

fn chunks(output: &Output, arguments: &Arguments) -> Result<BTreeSet<Chunk>> {
    let bytes = Corpus::kept(output, KeptKind::Manifest, &arguments.manifest)?;
    let manifest: Manifest = serde_json::from_slice(&bytes)?;
    let chunks = manifest.chunks.into_iter();
    let chunks = chunks.map(|ManifestChunk { crawl, start, entry }| (crawl, start, entry));
    Ok(chunks.collect())
}

/// The units of chunks, each by its crawl, where it begins, and what it is.
fn units<'c>(
    output: &Output,
    chunks: impl Iterator<Item = &'c Chunk>,
) -> Result<BTreeSet<(Option<String>, String, String)>> {
    let mut units = BTreeSet::new();
    for (crawl, _, entry) in chunks {
        let bytes = Corpus::kept(output, KeptKind::Chunks, entry)?;
        let entry: ChunkEntry = serde_json::from_slice(&bytes)?;
        let of_chunk = entry.units.into_iter();
        units.extend(of_chunk.map(|unit| (crawl.clone(), unit.start, unit.inputs + &unit.state)));
    }
    Ok(units)
}

/// The inputs and the rules of two versions whose files are there.
pub(crate) fn made_of(output: &Output, [from, to]: [&Arguments; 2]) -> Result<[Difference; 2]> {
    Ok([
        Difference::of([inputs(output, from)?, inputs(output, to)?]),
        Difference::of([rules(output, from)?, rules(output, to)?]),
    ])
}

/// What can be compared where the files of both versions are there.
fn compare_files(output: &Output, versions: [&Arguments; 2], answer: &mut Answer) -> Result<()> {
    let [from, to] = versions;
    let [inputs, rules] = made_of(output, versions)?;
    answer.inputs = Some(inputs);
    answer.rules = Some(rules);
    let files = [
        Corpus::version_files(output, from)?,
        Corpus::version_files(output, to)?,
    ];
    let shared = |(table, change): (String, TableChange)| {
        let there = files[0].of(&table).len() as u64;
        let shared = Shared {
            shared: there.saturating_sub(change.files_removed),
            removed: change.files_removed,
            added: change.files_written,
        };
        (table, shared)
    };
    answer.files = Some(
        TableChange::between(&files[0], &files[1])
            .into_iter()
            .map(shared)
            .collect(),
    );
    let [one, other] = [chunks(output, from)?, chunks(output, to)?];
    answer.chunks = Some(Shared::of([&one, &other]));
    // Units of chunks that both have are the same.
    let old = units(output, one.difference(&other))?;
    let new = units(output, other.difference(&one))?;
    let Shared { removed, added, .. } = Shared::of([&old, &new]);
    answer.units = Some(Changed { removed, added });
    Ok(())
}

/// `gleaner diff`.
pub(crate) fn run(arguments: &Diff) -> Result<Outcome> {
    let output = Store::new(Options::default())?.output(&arguments.corpus)?;
    let marker = Corpus::complete(&output)?;
    let versions = versions::all(&output, &marker)?;
    let find = |number: u64| -> Result<&Version> {
        match versions.iter().find(|version| version.number == number) {
            Some(version) => Ok(version),
            None => bail!(
                "no version {number} of '{}': it has versions 1 to {}",
                arguments.corpus,
                marker.version
            ),
        }
    };
    let pair = [find(arguments.from)?, find(arguments.to)?];
    let [one, other] = pair.map(|version| version.arguments.as_ref());
    let both = one.zip(other);
    let mut answer = Answer {
        corpus: arguments.corpus.clone(),
        from: arguments.from,
        to: arguments.to,
        inputs_differ: both.map(|(one, other)| one.inputs != other.inputs),
        rules_differ: both.map(|(one, other)| one.rules != other.rules),
        inputs: None,
        rules: None,
        rows: rows(pair),
        files: None,
        chunks: None,
        units: None,
    };
    if let Some((one, other)) = both.filter(|_| pair.iter().all(|version| version.is_there)) {
        compare_files(&output, [one, other], &mut answer)?;
    }
    console::out_as(arguments.json, &answer, || answer.text())?;
    Ok(Outcome::Done)
}

/// The rows of each table in two versions.
pub(crate) fn rows(pair: [&Version; 2]) -> BTreeMap<String, [Option<u64>; 2]> {
    let tables: BTreeSet<&String> = pair
        .iter()
        .flat_map(|version| version.rows.iter().flatten())
        .map(|(table, _)| table)
        .collect();
    let of_table = |table: &String| pair.map(|version| version.rows.as_ref()?.get(table).copied());
    tables
        .into_iter()
        .map(|table| (table.clone(), of_table(table)))
        .collect()
}
