//! What can be seen of a build from outside while it runs: events, metrics, and what each worker does.

mod http;
mod log;
mod metrics;
mod status;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use gleaner_corpus::Identity;
use gleaner_dataflow::{Continued, Progress};
use gleaner_store::Counts;

use crate::args::Watching;
use crate::build::summary::Report;
use crate::terminal::console;

/// Everybody who watches a build; they go when this is dropped.
pub(crate) struct Watchers {
    /// How far the build is.
    pub(crate) progress: Arc<Progress>,
    /// Requests to stores.
    pub(crate) counts: Arc<Counts>,
    _server: Option<http::Server>,
    _status: Option<status::Status>,
}

/// Where metrics are served, if they are.
fn serve(
    arguments: &Watching,
    progress: &Arc<Progress>,
    counts: &Arc<Counts>,
) -> Result<Option<http::Server>> {
    let Some(address) = arguments.metrics else {
        return Ok(None);
    };
    let (progress, counts) = (Arc::clone(progress), Arc::clone(counts));
    let page = move || metrics::page(&progress, &counts);
    http::Server::start(address, page).map(Some)
}

impl Watchers {
    /// Begins to watch, before anything is done.
    ///
    /// # Errors
    /// The address for metrics can't be listened at.
    pub(crate) fn start(arguments: &Watching) -> Result<Watchers> {
        let (progress, counts) = (Arc::<Progress>::default(), Arc::<Counts>::default());
        if let Some(form) = arguments.log {
            log::install(form, arguments.log_level);
            console::log();
        }
        Ok(Watchers {
            _server: serve(arguments, &progress, &counts)?,
            _status: status::Status::start(&progress, arguments.status)?,
            progress,
            counts,
        })
    }

    /// The same for a program that runs a build within itself: nothing is printed, and signals are its own.
    ///
    /// # Errors
    /// The address for metrics can't be listened at.
    pub(crate) fn within(arguments: &Watching, progress: Arc<Progress>) -> Result<Watchers> {
        let counts = Arc::<Counts>::default();
        Ok(Watchers {
            _server: serve(arguments, &progress, &counts)?,
            _status: None,
            progress,
            counts,
        })
    }
}

/// Wait for a store before it is reported.
const LONG: Duration = Duration::from_secs(5);

/// The worker that has waited longest for a store, in words for the end of a line; nothing where none has for
/// long.
pub(crate) fn what_waits(progress: &Progress) -> String {
    const LONGEST: usize = 70;
    let workers = progress.watch.workers().into_iter();
    let waits = workers.filter(|worker| worker.state == "waiting-for-store" && worker.lasts >= LONG);
    let words = waits
        .max_by_key(|worker| worker.lasts)
        .map(|worker| status::line(&worker));
    words.map_or_else(String::new, |words| {
        format!("  {}", words.chars().take(LONGEST).collect::<String>())
    })
}

/// Says what is built, and of what.
pub(crate) fn log_begin(identity: &Identity, out: &str, is_fresh: bool) {
    let Identity {
        inputs,
        model,
        options,
    } = identity;
    let options: Vec<String> = options
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    tracing::info!(
        inputs = inputs.files,
        input_bytes = inputs.bytes,
        input_digest = inputs.digest,
        model,
        options = options.join(" "),
        out,
        is_fresh,
        "build begun"
    );
}

/// Says what earlier runs have done.
pub(crate) fn log_continued(continued: &Continued) {
    tracing::info!(
        parts = continued.parts,
        read = continued.read,
        written = continued.written,
        documents = continued.documents,
        "build resumed"
    );
}

pub(crate) fn log_end(report: &Report) -> bool {
    if !console::logs() {
        return false;
    }
    let summary = &report.summary;
    for (reason, count) in &summary.rejects {
        tracing::info!(reason, count, "rejects");
    }
    for archive in &summary.empty_archives.names {
        tracing::warn!(archive, "archive is empty");
    }
    tracing::info!(
        adds_up = report.adds_up,
        captures = summary.captures,
        damage = summary.damage,
        documents = summary.documents,
        rejects = summary.rejects.values().sum::<u64>(),
        kept_words = summary.kept_words,
        dropped_words = summary.dropped_words,
        seconds = report.seconds,
        cpu_seconds = report.cpu_seconds,
        peak_memory_bytes = report.peak_memory_bytes,
        out = report.out,
        "build ended"
    );
    true
}
