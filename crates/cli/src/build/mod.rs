//! `gleaner build`: the main job.

mod dry_run;
mod hosts;
mod incomplete;
mod progress_bar;
mod settings;
mod setup;
mod summary;
mod unfinished;
mod unusable_inputs;
mod watching;

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use gleaner_corpus::{Corpus, Identity, Settings, State, Unread};
use gleaner_dataflow::{BuildConfig, Continued, Error, Summary};
use gleaner_store::{Options as StoreOptions, Output, Place, Store};

use self::hosts::Together;
use self::progress_bar::Drawn;
use self::setup::{BuildSetup, Models};
use self::summary::{Read, Report, Run};
use self::unfinished::Unfinished;
use self::watching::Watchers;
use crate::args::Build;
use crate::corpus::changed_files;
use crate::inputs;
use crate::terminal::signals::stop_on_signals;
use crate::terminal::{Outcome, console};

pub(crate) fn run(arguments: &Build) -> Result<Outcome> {
    let begin = Instant::now();
    let default = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = arguments
        .memory
        .workers(arguments.workers.map(usize::from), default)?;
    let watchers = Watchers::start(&arguments.watching)?;
    let models = Models::choose(arguments)?;
    if arguments.processes.hosts.is_some() {
        inputs::refuse_standard_input(&arguments.inputs)?;
    }
    let place = hosts::place(&arguments.processes)?;
    let together = Together::at(place.as_ref());
    let run = Run {
        arguments,
        begin,
        together,
    };
    let written = match Place::parse(&arguments.out) {
        Ok(Place::Local(out)) => vec![out],
        _ => Vec::new(),
    };
    let store = Store::new(StoreOptions {
        written,
        ..arguments.stores.options(&watchers.counts)
    })?;
    let (shards, unlisted) = inputs::expand_listed(
        &store,
        &arguments.inputs,
        arguments.base_url.as_deref(),
        arguments.allow_missing,
    )?;
    let is_open = !unlisted.is_empty() && (!arguments.allow_missing || shards.is_empty());
    if is_open && !arguments.dry_run {
        return incomplete::report_unlisted(&run, &unlisted);
    }
    if shards.is_empty() && unlisted.is_empty() {
        bail!("no input: the named lists and folders hold no WARC, ARC, WET, WACZ or HTML file");
    }
    let identity = settings::identity(arguments, &shards, &models);
    let output = store.output(&arguments.out)?;
    let stop = stop_on_signals()?;
    let is_dry = arguments.dry_run;
    if place.is_some() && !is_dry && !arguments.force && is_complete(&output, &identity)? {
        return report_existing(&run, &output);
    }
    let formats = unusable_inputs::look(&store, &shards)?;
    let group = match place {
        Some(place) if !is_dry => hosts::join(place, &arguments.processes, &identity, &stop)?,
        _ => None,
    };
    let given = BuildSetup {
        run,
        workers,
        store,
        shards,
        unlisted,
        formats,
        models,
        identity,
        output,
        stop,
        watchers,
        group: group.clone(),
    };
    if is_dry {
        return dry_run::print(arguments, &given);
    }
    let outcome = build(arguments, given);
    if let (Some(group), Err(error)) = (&group, &outcome) {
        group.leave(&hosts::why(error));
    }
    outcome
}

fn build(arguments: &Build, given: BuildSetup<'_>) -> Result<Outcome> {
    let mut run = given.run;
    let settings = Settings {
        metadata: given.models.metadata(),
        ..Settings::default()
    };
    let written = given.output.clone();
    let corpus = match &given.group {
        // The first process has taken it.
        Some(group) if group.process() > 0 => {
            group.started()?;
            Corpus::join(given.output, &given.identity, settings)?
        }
        _ => match Corpus::resume(given.output, &given.identity, arguments.force, settings) {
            Err(gleaner_corpus::Error::Complete(..)) => return report_existing(&run, &written),
            corpus => corpus?,
        },
    };
    let mut config = BuildConfig::new(given.store, given.shards, corpus, given.models.pages.model);
    settings::set(&mut config, arguments);
    config.formats = given.formats;
    config.text_model = Some(given.models.texts.model);
    config.method = given.models.method.map(|method| method.labels);
    config.group = given.group.clone();
    config.workers = given.workers;
    config.unlisted = given.unlisted;
    config.stop = given.stop;
    config.progress = Arc::clone(&given.watchers.progress);
    let progress = Arc::clone(&config.progress);
    watching::log_begin(&given.identity, &arguments.out, arguments.force);
    let mut build = match gleaner_dataflow::Build::begin(config) {
        // Where the captures end that it is limited to is not known.
        Err(Error::Incomplete { missing }) => {
            if let Some(group) = &given.group {
                group.leave("an input could not be read");
            }
            return incomplete::report(&run, &missing, Summary::default(), Read::default());
        }
        Err(error @ Error::Interrupted) => return Err(Unfinished::new(error, &written).into()),
        build => build?,
    };
    let continued = build.continued();
    if let Some(continued) = &continued {
        watching::log_continued(continued);
        console::say(&continued_text(continued));
    }
    let drawn = Drawn::start(&progress);
    let built = build.run();
    drawn.stop();
    if let Some(group) = &given.group {
        run.together = Together::of(group);
    }
    let read = Read::of(&progress);
    let built = match built {
        Err(Error::Incomplete { missing }) => {
            return incomplete::report(&run, &missing, build.summary(), read);
        }
        built => built.map_err(|error| Unfinished::new(error, &written))?,
    };
    let Some(summary) = built else {
        return report_phase(&run, read);
    };
    let read = match continued {
        Some(_) => read,
        None => Read::all(&summary),
    };
    report(&run, summary, read)
}

/// Whether there is nothing left to do.
fn is_complete(output: &Output, identity: &Identity) -> Result<bool> {
    let marker = Corpus::marker(output)?;
    Ok(marker.is_some_and(|marker| marker.state == State::Complete && marker.identity == *identity))
}

fn continued_text(continued: &Continued) -> String {
    let parts = console::grouped(continued.parts);
    let what = match continued.written {
        0 => format!("{} of {parts} parts are read", console::grouped(continued.read)),
        written => format!(
            "all parts are read, and {} documents in {} chunks are in place",
            console::grouped(continued.documents),
            console::grouped(written)
        ),
    };
    format!("continues an interrupted build: {what}")
}

fn report_phase(run: &Run<'_>, read: Read) -> Result<Outcome> {
    console::say(&format!(
        "this phase is done, but the corpus in '{}' is not complete: run the same command with a later --phase, or without --phase, to continue",
        run.arguments.out
    ));
    Report::new(run, Summary::default(), read).print(run.arguments)?;
    Ok(Outcome::Done)
}

/// Reports that a corpus is complete already, if its files are unchanged. The summary is that of the run that completed it.
fn report_existing(run: &Run<'_>, output: &Output) -> Result<Outcome> {
    let arguments = run.arguments;
    let faulty_files = changed_files::report(output, &arguments.out)?;
    let Some(marker) = Corpus::marker(output)? else {
        bail!("the corpus in '{}' is gone", arguments.out);
    };
    let mut report = Report::new(run, Summary::of_marker(&marker), Read::default());
    report.complete = faulty_files.is_empty();
    report.faulty_files = faulty_files;
    if !report.complete {
        report.print(arguments)?;
        return Ok(Outcome::Negative);
    }
    console::say(&format!(
        "the corpus in '{}' is complete, with {} documents: nothing to do (--force builds it again)",
        arguments.out,
        console::grouped(report.summary.documents)
    ));
    report.print(arguments)?;
    let is_missing = !marker.missing.is_empty() && !arguments.allow_missing;
    answer(arguments, &report.summary, &marker.missing, is_missing)
}

/// Whether `--strict` makes the exit status 1, because places of the input are damaged.
fn is_forbidden(arguments: &Build, damage: u64) -> bool {
    let is_forbidden = arguments.strict && damage > 0;
    if is_forbidden {
        let places = console::damaged_places(damage);
        console::say(&format!("--strict: {places}; see the rejects table"));
    }
    is_forbidden
}

fn report(run: &Run<'_>, summary: Summary, read: Read) -> Result<Outcome> {
    let mut report = Report::new(run, summary, read);
    report.complete = true;
    if !watching::log_end(&report) {
        console::say_lines(report.text().trim_end());
    }
    report.print(run.arguments)?;
    let missing: Vec<Unread> = report.summary.missing.iter().cloned().collect();
    answer(run.arguments, &report.summary, &missing, !report.adds_up)
}

/// Reports faults of a complete corpus, and whether they make the exit status 1.
fn answer(arguments: &Build, summary: &Summary, missing: &[Unread], is_negative: bool) -> Result<Outcome> {
    if !missing.is_empty() {
        incomplete::say(missing);
    }
    let is_forbidden = is_forbidden(arguments, summary.damage);
    let is_unusable = unusable_inputs::report(summary.captures, summary.damage, summary.refused_inputs);
    Ok(match is_negative || is_forbidden || is_unusable {
        true => Outcome::Negative,
        false => Outcome::Done,
    })
}
