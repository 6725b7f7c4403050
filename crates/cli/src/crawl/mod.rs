//! `gleaner crawl`: an archive of pages, from seeds.

mod text;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use clap::FromArgMatches;
use gleaner_crawl::{Error, Limits, Pace, Progress, Settings, Summary, read_seeds};
use serde::Serialize;

use crate::args::{Build, Crawl, TypedCrawl, build_with};
use crate::build;
use crate::run::job::Job;
use crate::run::settings::crawl_settings;
use crate::terminal::Outcome;
use crate::terminal::console::{self, bytes, grouped};
use crate::terminal::signals::Signals;
use crate::terminal::status_line::StatusLine;
use crate::terminal::usage::peak_memory;

/// A crawl, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Answer {
    out: String,
    #[serde(flatten)]
    summary: Summary,
    seconds: f64,
    pages_per_second: f64,
    peak_memory_bytes: Option<u64>,
}

/// `gleaner crawl`.
pub(crate) fn run(typed: &TypedCrawl, signals: Signals<'_>) -> Result<Outcome> {
    let arguments = &match &typed.job {
        Some(job) => Job::read(job, crawl_settings(), &typed.options)?.crawl()?,
        None => Crawl::from_arg_matches(&typed.options)?,
    };
    let settings = settings(arguments)?;
    let stop = signals.stop()?;
    let progress = Arc::new(Progress::default());
    let line = StatusLine::start(state(Arc::clone(&progress)));
    let begin = Instant::now();
    let crawled = gleaner_crawl::crawl(settings, &stop, &progress);
    line.stop();
    let summary = crawled.map_err(unfinished)?;
    let seconds = begin.elapsed().as_secs_f64();
    let answer = Answer {
        out: arguments.out.display().to_string(),
        seconds,
        pages_per_second: (summary.pages - summary.pages_before) as f64 / seconds.max(0.001),
        summary,
        peak_memory_bytes: peak_memory(),
    };
    console::out_as(arguments.json, &answer, || {
        text::summary(&answer.summary, begin.elapsed())
    })?;
    let built = match &arguments.build {
        Some(out) => build_corpus(&answer.summary.files, out, arguments.json, signals)?,
        None => Outcome::Done,
    };
    Ok(match answer.summary.lost_seeds.is_empty() {
        true => built,
        false => Outcome::Negative,
    })
}

/// Builds a corpus of an archive that is whole.
fn build_corpus(files: &[String], out: &str, json: bool, signals: Signals<'_>) -> Result<Outcome> {
    let arguments = Build {
        json,
        ..build_with(files, out)
    };
    let files = files.join(" ");
    build::run(&arguments, signals)
        .with_context(|| format!("the archive is whole, and `gleaner build {files} --out {out}` continues"))
}

/// The error of a crawl that did not end, and how to continue it.
fn unfinished(error: Error) -> anyhow::Error {
    match error {
        Error::Interrupted => anyhow!("interrupted: run the same command again to continue"),
        Error::Write { .. } => {
            anyhow!(
                "{error}; what was fetched is whole: mend that, and run the same command again to continue"
            )
        }
        error => error.into(),
    }
}

fn settings(arguments: &Crawl) -> Result<Settings> {
    let Crawl {
        scope, pace, limits, ..
    } = arguments;
    Ok(Settings {
        seeds: read_seeds(&arguments.seeds, &mut io::stdin().lock())?,
        out: arguments.out.clone(),
        file_size: arguments.file_size,
        contact: arguments.contact.clone(),
        reach: scope.scope,
        include: scope.include.clone(),
        exclude: scope.exclude.clone(),
        types: scope
            .types
            .iter()
            .map(|name| name.trim().to_ascii_lowercase())
            .collect(),
        sitemaps: !scope.no_sitemaps,
        since: arguments.since.clone(),
        resolve: pace.resolve.clone(),
        pace: Pace {
            delay: pace.delay,
            most_delay: pace.max_delay,
            connections: pace.connections as usize,
            connections_per_host: pace.connections_per_host as usize,
            retries: pace.retries,
        },
        limits: Limits {
            depth: scope.depth,
            pages: limits.max_pages,
            pages_per_host: limits.max_pages_per_host,
            bytes: limits.max_bytes,
            time: limits.max_time,
            page_bytes: usize::try_from(limits.max_page_size).unwrap_or(usize::MAX),
            page_time: limits.max_page_time,
            redirects: limits.max_redirects,
            variants: limits.max_variants,
        },
    })
}

/// What gives the state of a crawl, in a line.
fn state(progress: Arc<Progress>) -> impl FnMut() -> String {
    let begin = Instant::now();
    let mut first = None;
    move || {
        let pages = progress.pages.load(Relaxed);
        // (A crawl that continues has pages at its beginning.)
        let first = *first.get_or_insert(pages);
        let rate = (pages - first.min(pages)) as f64 / begin.elapsed().as_secs_f64().max(0.1);
        format!(
            "crawl  {} pages  {}  {rate:.0} pages/s  {} URLs waiting  {} requests under way",
            grouped(pages),
            bytes(progress.bytes.load(Relaxed)),
            grouped(progress.waiting.load(Relaxed)),
            progress.active.load(Relaxed),
        )
    }
}
