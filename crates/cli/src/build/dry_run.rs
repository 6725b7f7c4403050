//! `gleaner build --dry-run`: what a build would do, without doing any of it.

use std::time::Duration;

use anyhow::Result;
use gleaner_corpus::{Corpus, Crawl, Error, OptionalTables, Unread};
use gleaner_dataflow::scale::{Rates, Size, StepCost, costs};
use gleaner_dataflow::{Cutting, Outline, PHASES, Phase};
use serde::Serialize;

use super::incomplete;
use super::settings::sizes;
use super::setup::BuildSetup;
use crate::args::Build;
use crate::terminal::{
    Outcome,
    console::{self, bytes, counted, grouped},
    plain,
};

#[derive(Debug, Serialize)]
pub(crate) struct Plan {
    /// What stands in the way of the build; none where nothing does.
    refused: Option<String>,
    output: Standing,
    out: String,
    inputs: u64,
    shards: u64,
    bytes: u64,
    unknown_sizes: u64,
    missing: Vec<Unread>,
    limit: Option<u64>,
    parts: u64,
    units: u64,
    workers: usize,
    processes: usize,
    memory_bytes: Option<u64>,
    model: String,
    tables: Vec<&'static str>,
    crawl: Option<String>,
    phases: Vec<&'static str>,
    steps: Vec<StepCost>,
}

/// What the build would find at its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Standing {
    /// Nothing.
    New,
    Continues,
    Complete,
    Replaced,
    /// Something that it does not touch.
    Taken,
}

pub(crate) fn plan(arguments: &Build, given: BuildSetup<'_>) -> Result<Plan> {
    let (output, mut refused) = standing(arguments, &given)?;
    if refused.is_none() && !given.unlisted.is_empty() && !arguments.allow_missing {
        refused = Some("some inputs could not be listed".to_owned());
    }
    let outline = match refused.is_some() || output == Standing::Complete {
        // What is not read need not be counted.
        true => Outline::default(),
        false => outline(arguments, &given)?,
    };
    let steps = match outline.shards {
        0 => Vec::new(),
        _ => costs(&size(arguments, &given, &outline), &Rates::default()),
    };
    Ok(Plan {
        refused,
        output,
        out: arguments.out.clone(),
        inputs: given.shards.len() as u64,
        shards: outline.shards,
        bytes: outline.bytes,
        unknown_sizes: outline.unknown_sizes,
        missing: given.unlisted,
        limit: arguments.limit,
        parts: outline.parts,
        units: outline.units,
        workers: given.workers,
        processes: given.run.together.processes,
        memory_bytes: arguments.memory.memory,
        model: given.identity.model,
        tables: tables(arguments).all().map(|table| table.name).collect(),
        crawl: arguments.crawl.as_ref().map(Crawl::to_string),
        phases: phases(arguments, &outline),
        steps,
    })
}

fn outline(arguments: &Build, given: &BuildSetup<'_>) -> Result<Outline> {
    let cutting = Cutting {
        sizes: sizes(arguments),
        limit: arguments.limit,
        record_bytes: (arguments.limits.max_record as usize) << 20,
        allow_missing: arguments.allow_missing,
    };
    let (shards, formats) = (given.shards.clone(), given.formats.clone());
    Ok(Outline::of(&given.store, shards, formats, cutting, &given.stop)?)
}

fn size(arguments: &Build, given: &BuildSetup<'_>, outline: &Outline) -> Size {
    Size {
        outline: *outline,
        chunk_size: arguments.pages_of_chunk(),
        tables: tables(arguments).of_chunks().count() as u64,
        keeps_state: !arguments.no_state,
        duplicates: !arguments.no_clusters,
        repeats: arguments.repeats > 0,
        processes: given.run.together.processes as u64,
        workers: given.workers as u64,
    }
}

/// What is there, and why the build would be refused for it.
fn standing(arguments: &Build, given: &BuildSetup<'_>) -> Result<(Standing, Option<String>)> {
    let is_there = || -> Result<bool> { Ok(Corpus::marker(&given.output)?.is_some()) };
    match Corpus::inspect(&given.output, &given.identity, arguments.force) {
        Ok(()) if arguments.force && is_there()? => Ok((Standing::Replaced, None)),
        Ok(()) if is_there()? => Ok((Standing::Continues, None)),
        Ok(()) => Ok((Standing::New, None)),
        Err(Error::Complete(..)) => Ok((Standing::Complete, None)),
        Err(error) => {
            let error = anyhow::Error::from(error);
            Ok((Standing::Taken, Some(console::sentence(error.chain()))))
        }
    }
}

fn tables(arguments: &Build) -> OptionalTables {
    OptionalTables {
        blocks: arguments.blocks,
        posts: arguments.posts,
        signals: !arguments.no_signals,
        rights: !arguments.no_rights,
        contamination: arguments.benchmarks.is_some(),
    }
}

fn phases(arguments: &Build, outline: &Outline) -> Vec<&'static str> {
    let [read, sort, label, finish] = PHASES;
    match arguments.phase {
        Some(Phase::Read) => vec![read],
        _ if outline.groups > 0 => vec![read, sort, label, finish],
        _ => vec![read, label, finish],
    }
}

impl Plan {
    pub(crate) fn print(&self, arguments: &Build) -> Result<Outcome> {
        if !self.missing.is_empty() {
            console::say_lines(&incomplete::list(&self.missing));
        }
        console::out_as(arguments.json, self, || self.text())?;
        Ok(match self.refused {
            Some(_) => Outcome::Negative,
            None => Outcome::Done,
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut add = |name: &str, value: &str| {
            let line = format!("{name:9} {}", plain::line(value));
            text += &format!("{}\n", line.trim_end());
        };
        add("inputs", &counted(self.inputs, "file"));
        add("output", &self.output());
        if self.builds() {
            add("read", &self.read());
            add("parts", &grouped(self.parts));
            add("workers", &grouped(self.workers as u64));
            if self.processes > 1 {
                add("processes", &grouped(self.processes as u64));
            }
            let memory = self.memory_bytes.map_or_else(|| "no bound".to_owned(), bytes);
            add("memory", &memory);
            add("model", &self.model);
            add("tables", &self.tables.join(", "));
            if let Some(crawl) = &self.crawl {
                add("crawl", crawl);
            }
            add("phases", &self.phases.join(", "));
            for (number, step) in self.steps.iter().enumerate() {
                add(if number == 0 { "estimate" } else { "" }, &step_text(step));
            }
            let seconds = self.steps.iter().map(|step| step.seconds).sum();
            let machines = "on machines as in docs/scale.md";
            add("time", &format!("{}, {machines}", time(seconds)));
        }
        if let Some(refused) = &self.refused {
            add("refused", refused);
        }
        text.push_str("dry run: nothing was built or written\n");
        text
    }

    /// Whether the build would do anything.
    fn builds(&self) -> bool {
        self.refused.is_none() && self.output != Standing::Complete
    }

    fn read(&self) -> String {
        let mut read = format!("{}, {}", counted(self.shards, "file"), bytes(self.bytes));
        if self.unknown_sizes > 0 {
            read += &format!(" and {} of unknown size", counted(self.unknown_sizes, "file"));
        }
        if let Some(limit) = self.limit {
            read += &format!(": the first {}", counted(limit, "capture"));
        }
        read
    }

    fn output(&self) -> String {
        let what = match self.output {
            Standing::New => "new",
            Standing::Continues => "an interrupted build of the same corpus, which is continued",
            Standing::Complete => "this corpus, complete: nothing to do",
            Standing::Replaced => "an older corpus, which is replaced (--force)",
            Standing::Taken => "in use for something else",
        };
        format!("'{}': {what}", self.out)
    }
}

fn step_text(step: &StepCost) -> String {
    let mut text = format!(
        "{:7} {} read, {} written in {}, {}, {}, {} of memory a process",
        format!("{}:", step.step),
        bytes(step.read_bytes),
        bytes(step.written_bytes),
        counted(step.files, "file"),
        counted(step.requests(), "request"),
        time(step.seconds),
        bytes(step.memory_bytes),
    );
    if step.scratch_bytes > 0 {
        text += &format!(", {} of scratch", bytes(step.scratch_bytes));
    }
    if step.network_bytes > 0 {
        text += &format!(", {} between processes", bytes(step.network_bytes));
    }
    text
}

fn time(seconds: u64) -> String {
    match seconds {
        0 => "less than a second".to_owned(),
        _ => format!("about {}", console::seconds(Duration::from_secs(seconds))),
    }
}
