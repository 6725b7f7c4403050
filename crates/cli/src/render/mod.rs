//! `gleaner render`: pages as a browser draws them from their archive.

mod text;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use anyhow::{Result, bail};
use gleaner_render::browser::is_superuser;
use gleaner_render::{Progress, Settings, Summary};
use gleaner_store::{Options, Store};
use serde::Serialize;

use crate::args::Render;
use crate::inputs;
use crate::inputs::output::check_output;
use crate::terminal::Outcome;
use crate::terminal::console::{self, grouped};
use crate::terminal::signals::Signals;
use crate::terminal::status_line::StatusLine;
use crate::terminal::usage::peak_memory;

/// What was drawn, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Answer {
    out: String,
    #[serde(flatten)]
    summary: Summary,
    seconds: f64,
    pages_per_second: f64,
    peak_memory_bytes: Option<u64>,
}

/// `gleaner render`.
pub(crate) fn run(arguments: &Render, signals: Signals<'_>) -> Result<Outcome> {
    check_output(&arguments.out, std::iter::empty())?;
    let stop = signals.stop()?;
    let store = Store::new(Options {
        written: vec![arguments.out.clone()],
        ..Options::default()
    })?;
    let shards = inputs::expand(&store, &arguments.archives, None)?;
    if is_superuser() {
        console::say("note: Chromium runs without its sandbox, because this user is the superuser");
    }
    let progress = Arc::new(Progress::default());
    let shown = Arc::clone(&progress);
    let line = StatusLine::start(move || state(&shown));
    let begin = Instant::now();
    let rendered = gleaner_render::render(store, shards, &settings(arguments), &stop, &progress);
    line.stop();
    let summary = match rendered {
        Err(gleaner_render::Error::Interrupted) => bail!("interrupted: nothing was written"),
        rendered => rendered?,
    };
    let seconds = begin.elapsed().as_secs_f64();
    let has_failed = summary.drawn == 0 && !summary.failed.is_empty();
    let answer = Answer {
        out: arguments.out.display().to_string(),
        seconds,
        pages_per_second: summary.drawn as f64 / seconds.max(0.001),
        summary,
        peak_memory_bytes: peak_memory(),
    };
    console::out_as(arguments.json, &answer, || {
        text::summary(&answer.summary, &answer.out, begin.elapsed())
    })?;
    Ok(match has_failed {
        true => Outcome::Negative,
        false => Outcome::Done,
    })
}

fn settings(arguments: &Render) -> Settings {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    Settings {
        out: arguments.out.clone(),
        all: arguments.all,
        limit: arguments.limit,
        tabs: arguments.tabs.map_or_else(cores, usize::from),
        virtual_time: arguments.virtual_seconds,
        page_timeout: arguments.page_timeout,
        max_page: usize::try_from(arguments.max_page).unwrap_or(usize::MAX),
        max_memory: arguments.page_memory,
        browser: arguments.browser.as_ref().map(PathBuf::from),
    }
}

/// The state of the work, in a line.
fn state(progress: &Progress) -> String {
    format!(
        "render  {} pages read  {} of {} drawn",
        grouped(progress.looked_at.load(Relaxed)),
        grouped(progress.done.load(Relaxed)),
        grouped(progress.to_draw.load(Relaxed)),
    )
}
