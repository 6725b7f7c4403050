//! `gleaner build`: the main job.

mod allocator;
mod answer;
pub(crate) mod by_spec;
mod curation;
mod dry_run;
mod failure;
mod hosts;
mod incomplete;
mod progress_bar;
mod session;
pub(crate) mod settings;
mod setup;
mod summary;
mod unfinished;
mod unusable_inputs;
mod watching;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use gleaner_corpus::{Corpus, Identity, Inputs, Rule, Settings, State, Unread};
use gleaner_dataflow::{ArchiveTerms, BuildConfig, Continued, Error, Summary};
use gleaner_store::{Counts, Error as StoreError, Options as StoreOptions, Output, Place, Store};

use self::dry_run::Plan;
use self::hosts::{GroupPlace, Together};
use self::setup::BuildSetup;
use self::summary::{Read, Report, Run};
use crate::args::Build;
use crate::corpus::changed_files;
use crate::inputs::{self, FoundInputs};
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console, plain};

pub(crate) use self::answer::Answer;
pub(crate) use self::by_spec::BuildSpec;
pub(crate) use self::failure::{Failure, FailureKind};
pub(crate) use self::progress_bar::Drawn;
pub(crate) use self::session::Session;
pub(crate) use self::setup::Models;
pub(crate) use self::unfinished::Unfinished;
pub(crate) use self::watching::Watchers;

/// `gleaner build`.
pub(crate) fn run(arguments: &Build, signals: Signals<'_>) -> Result<Outcome> {
    let watchers = Watchers::start(&arguments.watching)?;
    let session = Session {
        signals,
        say: Arc::new(console::say),
        watchers: &watchers,
        draws: console::draws_progress(),
    };
    match build(arguments, &session).map_err(|failure| failure.error)? {
        Ended::Planned(plan) => plan.print(arguments),
        Ended::Built(answer) => answer.print(arguments),
    }
}

/// What a build gives.
pub(crate) enum Ended {
    /// What it would do: `--dry-run`.
    Planned(Box<Plan>),
    Built(Box<Answer>),
}

/// Builds a corpus, or plans to. Prints nothing by itself.
pub(crate) fn build(arguments: &Build, session: &Session<'_>) -> Result<Ended, Failure> {
    let Some(spec) = arguments.spec.as_deref() else {
        return build_by(arguments, None, session);
    };
    let spec = BuildSpec::read(spec).map_err(Failure::of_option)?;
    let arguments = spec.options(arguments).map_err(Failure::of_option)?;
    build_by(&arguments, Some(&spec), session)
}

fn build_by(arguments: &Build, spec: Option<&BuildSpec>, session: &Session<'_>) -> Result<Ended, Failure> {
    let begin = Instant::now();
    let workers = workers(arguments).map_err(Failure::of_option)?;
    let mut models = Models::choose(arguments)?;
    if let Some(spec) = spec {
        spec.take_models(&mut models, &|_| false)
            .map_err(Failure::of_option)?;
    }
    models.curation.warn(&*session.say);
    let place = place(arguments).map_err(Failure::of_option)?;
    let together = Together::at(place.as_ref());
    let store = store(arguments, &session.watchers.counts)?;
    let found = inputs::expand_listed(
        &store,
        &arguments.inputs,
        arguments.base_url.as_deref(),
        arguments.allow_missing,
        &*session.say,
    )
    .map_err(Failure::of_inputs)?;
    if spec.is_none_or(|spec| !spec.has_same_names()) {
        found.check_names().map_err(Failure::of_inputs)?;
    }
    let located = found.shards.iter().filter(|shard| shard.name != shard.location);
    let locations = located
        .map(|shard| (shard.name.clone(), shard.location.clone()))
        .collect();
    let run = Run {
        arguments,
        begin,
        together,
        locations: &locations,
    };
    let is_open = !found.unlisted.is_empty() && (!arguments.allow_missing || found.shards.is_empty());
    if is_open && !arguments.dry_run {
        return Ok(Ended::Built(Box::new(incomplete::unlisted(
            &run,
            &found.unlisted,
        ))));
    }
    if found.shards.is_empty() && found.unlisted.is_empty() {
        return Err(Failure::of_inputs(anyhow!(
            "no input: the named lists and folders hold no WARC, ARC, WET, WACZ or HTML file"
        )));
    }
    let stop = session.stop()?;
    let inputs = Inputs::of(&found.shards, &found.fingerprints);
    let identity = settings::identity(arguments, &inputs, &models);
    if let Some(spec) = spec {
        spec.check_settings(&identity).map_err(Failure::of_option)?;
        spec.check_names(&found.shards).map_err(Failure::of_inputs)?;
    }
    let FoundInputs { shards, unlisted, .. } = found;
    let output = store.output(&arguments.out)?;
    let is_dry = arguments.dry_run;
    let is_costly = place.is_some() || spec.is_some();
    if is_costly && !is_dry && !arguments.force && is_complete(&output, &identity)? {
        return Ok(Ended::Built(Box::new(existing(&run, &output)?)));
    }
    let formats = unusable_inputs::look(&store, &shards)?;
    let group = match place {
        Some(place) if !is_dry => {
            let say = Arc::clone(&session.say);
            hosts::join(place, &arguments.processes, &identity, &stop, say)?
        }
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
        group: group.clone(),
    };
    if is_dry {
        return Ok(Ended::Planned(Box::new(dry_run::plan(arguments, given)?)));
    }
    let of_spec = spec.map(|spec| {
        let terms = spec.check_bytes(&given, &session.say)?;
        Ok((terms, spec.rules().to_vec()))
    });
    let answer = of_spec
        .transpose()
        .and_then(|of_spec| run_to_end(arguments, given, of_spec.unwrap_or_default(), session));
    if let (Some(group), Err(failure)) = (&group, &answer) {
        group.leave(&hosts::why(&failure.error));
    }
    answer.map(|answer| Ended::Built(Box::new(answer)))
}

/// The number of worker threads.
pub(crate) fn workers(arguments: &Build) -> Result<usize> {
    let default = std::thread::available_parallelism().map_or(1, usize::from);
    let typed = arguments.workers.map(usize::from);
    arguments.memory.workers(typed, default)
}

fn place(arguments: &Build) -> Result<Option<GroupPlace>> {
    if arguments.processes.hosts.is_some() {
        inputs::refuse_standard_input(&arguments.inputs)?;
    }
    hosts::place(&arguments.processes)
}

fn store(arguments: &Build, counts: &Arc<Counts>) -> Result<Store, StoreError> {
    Store::new(StoreOptions {
        written: written(&arguments.out),
        ..arguments.stores.options(counts)
    })
}

/// The local folder of a corpus, in which no inputs are looked for.
pub(crate) fn written(out: &str) -> Vec<PathBuf> {
    match Place::parse(out) {
        Ok(Place::Local(out)) => vec![out],
        _ => Vec::new(),
    }
}

/// `of_spec` are the terms of all inputs, and the rules, where a spec has them.
fn run_to_end(
    arguments: &Build,
    given: BuildSetup<'_>,
    of_spec: (Vec<ArchiveTerms>, Vec<Rule>),
    session: &Session<'_>,
) -> Result<Answer, Failure> {
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
            Err(gleaner_corpus::Error::Complete(..)) => return Ok(existing(&run, &written)?),
            corpus => corpus?,
        },
    };
    let mut config = BuildConfig::new(given.store, given.shards, corpus, given.models.pages.model);
    settings::set(&mut config, arguments);
    given.models.curation.set(&mut config);
    config.formats = given.formats;
    (config.terms, config.rules) = of_spec;
    config.text_model = Some(given.models.texts.model);
    config.method = given.models.method.map(|method| method.labels);
    config.group = given.group.clone();
    config.workers = given.workers;
    config.unlisted = given.unlisted;
    config.stop = given.stop;
    config.progress = Arc::clone(&session.watchers.progress);
    let progress = Arc::clone(&config.progress);
    watching::log_begin(&given.identity, &arguments.out, arguments.force);
    let mut build = match gleaner_dataflow::Build::begin(config) {
        // Where the captures end that it is limited to is not known.
        Err(Error::Incomplete { missing }) => {
            if let Some(group) = &given.group {
                group.leave("an input could not be read");
            }
            return Ok(incomplete::answer(
                &run,
                &missing,
                Summary::default(),
                Read::default(),
            ));
        }
        Err(error @ Error::Interrupted) => return Err(Unfinished::new(error, &written).into()),
        build => build?,
    };
    let continued = build.continued();
    if let Some(continued) = &continued {
        watching::log_continued(continued);
        (session.say)(&continued_text(continued));
    }
    let drawn = Drawn::start(&progress, session.draws);
    let built = build.run();
    drawn.stop();
    if let Some(group) = &given.group {
        run.together = Together::of(group);
    }
    let read = Read::of(&progress);
    let built = match built {
        Err(Error::Incomplete { missing }) => {
            return Ok(incomplete::answer(&run, &missing, build.summary(), read));
        }
        built => built.map_err(|error| Unfinished::new(error, &written))?,
    };
    let Some(summary) = built else {
        return Ok(end_of_phase(&run, read));
    };
    let read = match continued {
        Some(_) => read,
        None => Read::all(&summary),
    };
    Ok(completed(&run, summary, read))
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

fn end_of_phase(run: &Run<'_>, read: Read) -> Answer {
    let note = format!(
        "this phase is done, but the corpus in '{}' is not complete: run the same command with a later --phase, or without --phase, to continue",
        run.arguments.out
    );
    Answer {
        report: Report::new(run, Summary::default(), read),
        is_new: false,
        notes: vec![plain::line(&note).into_owned()],
        is_negative: false,
    }
}

/// The answer where a corpus is complete already, if its files are unchanged. The summary is that of the run that completed it.
fn existing(run: &Run<'_>, output: &Output) -> Result<Answer> {
    let out = &run.arguments.out;
    let faults = Corpus::check(output)?;
    let Some(marker) = Corpus::marker(output)? else {
        bail!("the corpus in '{out}' is gone");
    };
    let mut report = Report::new(run, Summary::of_marker(&marker), Read::default());
    if !faults.is_empty() {
        let notes = vec![changed_files::text(&faults, out)];
        report.faulty_files = faults.into_iter().map(|fault| fault.file).collect();
        return Ok(Answer {
            report,
            is_new: false,
            notes,
            is_negative: true,
        });
    }
    report.complete = true;
    let note = format!(
        "the corpus in '{out}' is complete, with {} documents: nothing to do (--force builds it again)",
        console::grouped(report.summary.documents)
    );
    let is_missing = !marker.missing.is_empty() && !run.arguments.allow_missing;
    let note = plain::line(&note).into_owned();
    let mut answer = judged(run.arguments, report, &marker.missing, is_missing);
    answer.notes.insert(0, note);
    Ok(answer)
}

fn completed(run: &Run<'_>, summary: Summary, read: Read) -> Answer {
    let mut report = Report::new(run, summary, read);
    report.complete = true;
    let missing: Vec<Unread> = report.summary.missing.iter().cloned().collect();
    let is_negative = !report.adds_up;
    let answer = judged(run.arguments, report, &missing, is_negative);
    Answer {
        is_new: true,
        ..answer
    }
}

/// The answer of a complete corpus: its faults, and whether they make the exit status 1.
fn judged(arguments: &Build, report: Report, missing: &[Unread], is_negative: bool) -> Answer {
    let Summary {
        captures,
        damage,
        refused_inputs,
        ..
    } = report.summary;
    let listed = (!missing.is_empty()).then(|| incomplete::list(missing));
    let forbidden = (arguments.strict && damage > 0).then(|| {
        let places = console::damaged_places(damage);
        format!("--strict: {places}; see the rejects table")
    });
    let unusable = unusable_inputs::note(captures, damage, refused_inputs);
    let is_negative = is_negative || forbidden.is_some() || unusable.is_some();
    Answer {
        report,
        is_new: false,
        notes: listed.into_iter().chain(forbidden).chain(unusable).collect(),
        is_negative,
    }
}
