//! `gleaner build`: the main job.

mod dry_run;
mod hosts;
mod incomplete;
mod progress_bar;
mod setup;
mod summary;
mod unfinished;
mod unusable_inputs;
mod watching;

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use gleaner_corpus::{Corpus, Crawl, Identity, Inputs, Settings, State, Unread};
use gleaner_dataflow::{BuildConfig, Continued, DuplicateConfig, Error, SignatureConfig, Summary};
use gleaner_document::built_in;
use gleaner_html::TreeBuilder;
use gleaner_page::Limits;
use gleaner_posts::Rules;
use gleaner_store::{Options as StoreOptions, Output, Place, Shard, Store};
use xxhash_rust::xxh3::xxh3_64;

use self::hosts::Together;
use self::progress_bar::Drawn;
use self::setup::{Given, Models, sizes};
use self::summary::{Read, Report, Run};
use self::unfinished::Unfinished;
use self::watching::Watchers;
use crate::args::{Build, ImageStyle, LinkStyle, MILLION, PageLimits, StructuredData, markdown_options};
use crate::corpus::changed_files;
use crate::inputs;
use crate::terminal::Outcome;
use crate::terminal::console;
use crate::terminal::signals::stop_on_signals;

/// Builds a corpus and says what came of it.
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
        return incomplete::tell_unlisted(&run, &unlisted);
    }
    if shards.is_empty() && unlisted.is_empty() {
        bail!("no input: the named lists and folders hold no WARC, ARC, WET, WACZ or HTML file");
    }
    let identity = identity(arguments, &shards, &models);
    let output = store.output(&arguments.out)?;
    let stop = stop_on_signals()?;
    let is_dry = arguments.dry_run;
    if place.is_some() && !is_dry && !arguments.force && is_complete(&output, &identity)? {
        return tell_done(&run, &output);
    }
    let formats = unusable_inputs::look(&store, &shards)?;
    let group = match place {
        Some(place) if !is_dry => hosts::join(place, &arguments.processes, &identity, &stop)?,
        _ => None,
    };
    let given = Given {
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
        return dry_run::tell(arguments, &given);
    }
    let outcome = build(arguments, given);
    if let (Some(group), Err(error)) = (&group, &outcome) {
        group.leave(&hosts::why(error));
    }
    outcome
}

fn build(arguments: &Build, given: Given<'_>) -> Result<Outcome> {
    let mut run = given.run;
    let settings = Settings {
        metadata: metadata(&given.models),
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
            Err(gleaner_corpus::Error::Complete(..)) => return tell_done(&run, &written),
            corpus => corpus?,
        },
    };
    let mut config = BuildConfig::new(given.store, given.shards, corpus, given.models.pages.model);
    config.formats = given.formats;
    config.text_model = Some(given.models.texts.model);
    config.templates = arguments.uses_sites();
    config.method = given.models.method.map(|method| method.labels);
    config.group = given.group.clone();
    config.workers = given.workers;
    config.allow_missing = arguments.allow_missing;
    config.unlisted = given.unlisted;
    config.memory = arguments.memory.memory;
    config.blocks = arguments.blocks;
    let markdown = markdown_options(arguments.links, arguments.images);
    config.markdown = arguments.markdown.then_some(markdown);
    config.without_title = arguments.decision.no_title;
    config.posts = arguments.posts.then(Rules::default_rules);
    config.last = arguments.phase.unwrap_or_default();
    config.site = arguments.site;
    if let Some(pages) = arguments.site_sample {
        config.site_sample = pages as usize;
    }
    config.duplicates = duplicates(arguments);
    config.repeats = (arguments.repeats > 0).then_some(arguments.repeats);
    config.structured_data = arguments.decision.structured_data == StructuredData::Fallback;
    config.limits = limits(&arguments.limits);
    config.parser = arguments.parser.parser;
    config.sizes = sizes(arguments);
    config.chunk_size = arguments.chunk_size;
    config.limit = arguments.limit;
    config.record_bytes = (arguments.limits.max_record as usize) << 20;
    config.stop = given.stop;
    config.progress = Arc::clone(&given.watchers.progress);
    let progress = Arc::clone(&config.progress);
    watching::tell_begin(&given.identity, &arguments.out, arguments.force);
    let mut build = match gleaner_dataflow::Build::begin(config) {
        // Where the captures end that it is limited to is not known.
        Err(Error::Incomplete { missing }) => {
            if let Some(group) = &given.group {
                group.leave("an input could not be read");
            }
            return incomplete::tell(&run, &missing, Summary::default(), Read::default());
        }
        Err(error @ Error::Interrupted) => return Err(Unfinished::new(error, &written).into()),
        build => build?,
    };
    let continued = build.continued();
    if let Some(continued) = &continued {
        watching::tell_continued(continued);
        console::say(&told(continued));
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
            return incomplete::tell(&run, &missing, build.summary(), read);
        }
        built => built.map_err(|error| Unfinished::new(error, &written))?,
    };
    let Some(summary) = built else {
        return tell_phase(&run, read);
    };
    let read = match continued {
        Some(_) => read,
        None => Read::all(&summary),
    };
    tell(&run, summary, read)
}

/// Whether there is nothing left to do.
fn is_complete(output: &Output, identity: &Identity) -> Result<bool> {
    let marker = Corpus::marker(output)?;
    Ok(marker.is_some_and(|marker| marker.state == State::Complete && marker.identity == *identity))
}

/// How much of a build that goes on is done.
fn told(continued: &Continued) -> String {
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

/// Says that a phase is done, and that it was not the last.
fn tell_phase(run: &Run<'_>, read: Read) -> Result<Outcome> {
    console::say(&format!(
        "this phase is done, but the corpus in '{}' is not complete: run the same command with a later --phase, or without --phase, to continue",
        run.arguments.out
    ));
    Report::new(run, Summary::default(), read).print(run.arguments)?;
    Ok(Outcome::Done)
}

/// Says that a corpus is there already, if its files are as they were written. The answer is that of the run that
/// completed it.
fn tell_done(run: &Run<'_>, output: &Output) -> Result<Outcome> {
    let arguments = run.arguments;
    let faulty_files = changed_files::tell(output, &arguments.out)?;
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

/// Whether `--strict` makes the answer no, for places of the input are damaged. Says so.
fn is_forbidden(arguments: &Build, damage: u64) -> bool {
    let is_forbidden = arguments.strict && damage > 0;
    if is_forbidden {
        let places = console::damaged_places(damage);
        console::say(&format!("--strict: {places}; see the rejects table"));
    }
    is_forbidden
}

fn tell(run: &Run<'_>, summary: Summary, read: Read) -> Result<Outcome> {
    let mut report = Report::new(run, summary, read);
    report.complete = true;
    if !watching::tell_end(&report) {
        console::say_lines(report.text().trim_end());
    }
    report.print(run.arguments)?;
    let missing: Vec<Unread> = report.summary.missing.iter().cloned().collect();
    answer(run.arguments, &report.summary, &missing, !report.adds_up)
}

/// Says what is wrong with a corpus that is complete, and whether that makes the answer no.
fn answer(arguments: &Build, summary: &Summary, missing: &[Unread], is_negative: bool) -> Result<Outcome> {
    if !missing.is_empty() {
        incomplete::say(missing);
    }
    let is_forbidden = is_forbidden(arguments, summary.damage);
    let is_unusable = unusable_inputs::tell(summary.captures, summary.damage, summary.refused_inputs);
    Ok(match is_negative || is_forbidden || is_unusable {
        true => Outcome::Negative,
        false => Outcome::Done,
    })
}

/// What the tables follow from, so that a folder with other tables is not mixed up with them.
fn identity(arguments: &Build, shards: &[Shard], models: &Models) -> Identity {
    let limits = &arguments.limits;
    let options = [
        ("text-model", models.texts.identity.clone()),
        (
            "page-kinds",
            format!("{:016x}", xxh3_64(built_in::KINDS.as_bytes())),
        ),
        ("blocks", arguments.blocks.to_string()),
        ("posts", arguments.posts.to_string()),
        ("templates", arguments.uses_sites().to_string()),
        ("site-sample", sample(arguments)),
        ("site", arguments.site.to_string()),
        ("favor", arguments.decision.favor.to_string()),
        ("structured-data", arguments.decision.structured_data.to_string()),
        ("max-record", limits.max_record.to_string()),
        ("max-page", limits.max_page.to_string()),
        ("max-steps", limits.max_steps.to_string()),
        ("duplicates", told_duplicates(arguments)),
        ("repeats", arguments.repeats.to_string()),
        ("chunk-size", arguments.chunk_size.to_string()),
    ];
    let markdown = arguments.markdown.then(|| ("markdown", true.to_string()));
    let links = (arguments.links == LinkStyle::Inline).then(|| ("links", "inline".to_owned()));
    let images = (arguments.images == ImageStyle::Inline).then(|| ("images", "inline".to_owned()));
    let title = arguments
        .decision
        .no_title
        .then(|| ("no-title", true.to_string()));
    let limit = arguments.limit.map(|limit| ("limit", limit.to_string()));
    let parser = Some(arguments.parser.parser).filter(|parser| *parser != TreeBuilder::default());
    let parser = parser.map(|parser| ("parser", parser.to_string()));
    let crawl = arguments.crawl.as_ref();
    let crawl = crawl.map(|crawl| (Crawl::COLUMN, crawl.to_string()));
    let options = options
        .into_iter()
        .chain(markdown)
        .chain(links)
        .chain(images)
        .chain(title)
        .chain(limit)
        .chain(parser)
        .chain(crawl);
    Identity {
        inputs: Inputs::of(shards),
        model: models.pages.identity.clone(),
        options: options.map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

/// How duplicates are found, if they are.
fn duplicates(arguments: &Build) -> Option<DuplicateConfig> {
    let signatures = SignatureConfig {
        shingle: arguments.shingle as usize,
        bands: arguments.bands as usize,
        rows: arguments.band_rows as usize,
    };
    let config = DuplicateConfig {
        signatures,
        verify: arguments.verify_duplicates.map(|least| least as f32),
    };
    (!arguments.no_clusters).then_some(config)
}

/// The same, as the identity of a corpus has it.
fn told_duplicates(arguments: &Build) -> String {
    let Some(DuplicateConfig { signatures, verify }) = duplicates(arguments) else {
        return "none".to_owned();
    };
    let SignatureConfig { shingle, bands, rows } = signatures;
    let verified = verify
        .map(|least| format!(", verified at {least}"))
        .unwrap_or_default();
    format!("shingles of {shingle}, {bands} bands of {rows}{verified}")
}

/// How many pages of a site are mined, as the user said it.
fn sample(arguments: &Build) -> String {
    arguments
        .site_sample
        .map_or_else(|| "default".to_owned(), |pages| pages.to_string())
}

fn metadata(models: &Models) -> std::collections::BTreeMap<String, String> {
    let names = [
        ("gleaner.model", &models.pages),
        ("gleaner.text_model", &models.texts),
    ];
    names
        .map(|(key, model)| (key.to_owned(), model.identity.clone()))
        .into()
}

fn limits(arguments: &PageLimits) -> Limits {
    Limits {
        bytes: (arguments.max_page as usize) << 20,
        steps: arguments.max_steps * MILLION,
        ..Limits::default()
    }
}
