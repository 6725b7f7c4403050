//! `gleaner build`: the main job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use gleaner_corpus::{Corpus, Identity, Inputs, Marker, Settings, State, Unread};
use gleaner_dataflow::plan::PlanSizes;
use gleaner_dataflow::{BuildConfig, Continued, Error, Group, Progress, SiteOf, Summary};
use gleaner_page::Limits;
use gleaner_posts::Rules;
use gleaner_store::{Output, Shard, Store};
use gleaner_warc::Format;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{Build, MILLION, ModelChoice, PageLimits, Phase, Site, StructuredData};
use crate::hosts::{self, Together};
use crate::method::BuildMethod;
use crate::model::Chosen;
use crate::signals::stop_on_signals;
use crate::summary::{Read, Report};
use crate::watching::{self, Watchers};
use crate::{Outcome, console, faults, incomplete, inputs, model, unusable};

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
    let store = Store::new(arguments.stores.options(&watchers.counts))?;
    let (shards, unlisted) = inputs::expand_listed(
        &store,
        &arguments.inputs,
        arguments.base_url.as_deref(),
        arguments.allow_missing,
    )?;
    if !unlisted.is_empty() && (!arguments.allow_missing || shards.is_empty()) {
        return incomplete::tell_unlisted(arguments, &unlisted);
    }
    if shards.is_empty() {
        bail!("there is no input: the lists and folders named hold no WARC, ARC, WET, WACZ or HTML file");
    }
    let identity = identity(arguments, &shards, &models);
    let output = store.output(&arguments.out)?;
    let stop = stop_on_signals()?;
    let place = hosts::place(&arguments.processes)?;
    if place.is_some() && !arguments.force && is_complete(&output, &identity)? {
        return tell_done(arguments, &output);
    }
    let formats = unusable::look(&store, &shards)?;
    let group = match place {
        Some(place) => hosts::join(place, &arguments.processes, &identity, &stop)?,
        None => None,
    };
    let given = Given {
        begin,
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
    let outcome = build(arguments, given);
    if let (Some(group), Err(error)) = (&group, &outcome) {
        group.leave(&hosts::why(error));
    }
    outcome
}

/// The labellers of a build.
struct Models {
    pages: Chosen,
    /// That of plain texts.
    texts: Chosen,
    /// What labels pages in place of the model.
    method: Option<BuildMethod>,
}

impl Models {
    fn choose(arguments: &Build) -> Result<Models> {
        let texts = arguments.text_model.as_deref();
        let method = BuildMethod::choose(arguments)?;
        let pages = match &method {
            // (The built-in model is there, and nobody looks at it.)
            Some(method) => Chosen {
                identity: method.identity.clone(),
                ..model::choose(&ModelChoice { model: None })?
            },
            None => model::choose_deciding(&arguments.model, &arguments.decision)?,
        };
        Ok(Models {
            pages,
            method,
            texts: model::choose_for_texts_among_pages(texts, &arguments.decision)?,
        })
    }
}

/// What a build is made of, beside its options.
struct Given {
    begin: Instant,
    workers: usize,
    store: Store,
    shards: Vec<Shard>,
    /// Inputs that were out of reach.
    unlisted: Vec<Unread>,
    /// Formats of those that were looked at.
    formats: Vec<Option<Format>>,
    models: Models,
    identity: Identity,
    output: Output,
    stop: Arc<AtomicBool>,
    watchers: Watchers,
    group: Option<Group>,
}

fn build(arguments: &Build, given: Given) -> Result<Outcome> {
    let Given {
        begin,
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
        group,
    } = given;
    let settings = Settings {
        metadata: metadata(&models),
        ..Settings::default()
    };
    let written = output.clone();
    let corpus = match &group {
        // The first process has taken it.
        Some(group) if group.process() > 0 => {
            group.started()?;
            Corpus::join(output, &identity, settings)?
        }
        _ => match Corpus::resume(output, &identity, arguments.force, settings) {
            Err(gleaner_corpus::Error::Complete { .. }) => return tell_done(arguments, &written),
            corpus => corpus?,
        },
    };
    let mut config = BuildConfig::new(store, shards, corpus, models.pages.model);
    config.formats = formats;
    config.text_model = Some(models.texts.model);
    config.templates = !arguments.no_templates && models.method.is_none();
    config.method = models.method.map(|method| method.judge);
    config.group = group.clone();
    config.workers = workers;
    config.allow_missing = arguments.allow_missing;
    config.unlisted = unlisted;
    config.memory = arguments.memory.memory;
    config.blocks = arguments.blocks;
    config.posts = arguments.posts.then(Rules::default_rules);
    config.last = match arguments.phase {
        Some(Phase::Extract) => gleaner_dataflow::Phase::Extract,
        Some(Phase::Mine) => gleaner_dataflow::Phase::Mine,
        Some(Phase::Label) | None => gleaner_dataflow::Phase::Label,
    };
    config.site = match arguments.site {
        Site::Host => SiteOf::Host,
        Site::Domain => SiteOf::Domain,
    };
    if let Some(pages) = arguments.template_sample {
        config.template_sample = pages as usize;
    }
    config.structured_data = arguments.decision.structured_data == StructuredData::Fallback;
    config.limits = limits(&arguments.limits);
    if let Some(bytes) = arguments.part_size {
        config.sizes = PlanSizes::parts_of(bytes);
    }
    config.record_bytes = (arguments.limits.max_record as usize) << 20;
    config.stop = Arc::clone(&stop);
    let is_known = config.shards.iter().all(|shard| shard.size.is_some());
    config.progress = Arc::clone(&watchers.progress);
    let progress = Arc::clone(&config.progress);
    watching::tell_begin(&identity, &arguments.out, arguments.force);
    let build = gleaner_dataflow::Build::begin(config)?;
    let continued = build.continued();
    if let Some(continued) = &continued {
        watching::tell_continued(continued);
        console::say(&told(continued));
    }
    let drawn = Drawn::start(Arc::clone(&progress), is_known.then(|| build.input_bytes()));
    let built = build.run();
    drawn.stop();
    let built = match built {
        Err(Error::Incomplete { missing }) => return incomplete::tell(arguments, &missing),
        built => built.map_err(|error| Unfinished::new(error, &written))?,
    };
    let Some(summary) = built else {
        return tell_phase(arguments);
    };
    let read = match continued {
        Some(_) => Read::of(&progress),
        None => Read::all(&summary),
    };
    tell(arguments, &summary, read, begin.elapsed(), group.as_ref())
}

/// An error that ended a build, and what the next run does.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) error: Error,
    next: String,
}

impl Unfinished {
    /// Looks what there is to go on from: the output may be gone.
    fn new(error: Error, output: &Output) -> Unfinished {
        let is_there = || Corpus::marker(output).is_ok_and(|marker| marker.is_some());
        let out = output.place();
        let next = match &error {
            // These say it themselves.
            Error::Gone { .. } | Error::Damaged | Error::Begun { .. } => String::new(),
            Error::Interrupted => ": run the same command again to continue".to_owned(),
            _ if is_there() => format!("; '{out}' is not complete: run the same command again to continue"),
            _ => format!("; '{out}' is gone: the same command begins a new corpus"),
        };
        Unfinished { error, next }
    }
}

impl std::fmt::Display for Unfinished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let error = console::sentence(anyhow::Chain::new(&self.error));
        write!(f, "{error}{}", self.next)
    }
}

impl std::error::Error for Unfinished {}

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
            "{} of {parts} parts are in place, with {} documents",
            console::grouped(written),
            console::grouped(continued.documents)
        ),
    };
    format!("goes on with an interrupted build: {what}")
}

/// Says that a phase is done, and that it was not the last.
fn tell_phase(arguments: &Build) -> Result<Outcome> {
    console::say(&format!(
        "this phase is done, and '{}' is not complete: run the same command with a later --phase, or with none, to continue",
        arguments.out
    ));
    if arguments.json {
        let told = serde_json::json!({ "complete": false, "out": arguments.out });
        console::out(&format!("{}\n", serde_json::to_string_pretty(&told)?))?;
    }
    Ok(Outcome::Done)
}

/// Says that a corpus is there already, if its files are as they were written. The answer is that of the run that
/// completed it.
fn tell_done(arguments: &Build, output: &Output) -> Result<Outcome> {
    if let Some(outcome) = faults::tell(output, &arguments.out, arguments.json)? {
        return Ok(outcome);
    }
    let Some(Marker { totals, missing, .. }) = Corpus::marker(output)? else {
        bail!("the corpus in '{}' is gone", arguments.out);
    };
    let total = |name: &str| totals.get(name).copied().unwrap_or(0);
    console::say(&format!(
        "'{}' holds this corpus, complete, with {} documents: nothing is left to do (--force builds it again)",
        arguments.out,
        console::grouped(total("documents"))
    ));
    if arguments.json {
        let told = serde_json::json!({
            "complete": true, "totals": totals, "missing": missing, "out": arguments.out,
        });
        console::out(&format!("{}\n", serde_json::to_string_pretty(&told)?))?;
    }
    let is_missing = !missing.is_empty() && !arguments.allow_missing;
    if !missing.is_empty() {
        incomplete::say(&missing);
    }
    let is_forbidden = is_forbidden(arguments, total("damaged places"));
    let [captures, damage, refused] = ["captures", "damaged places", "refused inputs"].map(total);
    let is_unusable = unusable::tell(captures, damage, refused);
    Ok(match is_missing || is_forbidden || is_unusable {
        true => Outcome::Negative,
        false => Outcome::Done,
    })
}

/// Whether `--strict` makes the answer no, for places of the input are damaged. Says so.
fn is_forbidden(arguments: &Build, damage: u64) -> bool {
    let is_forbidden = arguments.strict && damage > 0;
    if is_forbidden {
        let places = console::damaged_places(damage);
        console::say(&format!("--strict: {places}, see the rejects table"));
    }
    is_forbidden
}

fn tell(
    arguments: &Build,
    summary: &Summary,
    read: Read,
    elapsed: Duration,
    group: Option<&Group>,
) -> Result<Outcome> {
    let mut report = Report::new(summary, read, elapsed, &arguments.out);
    report.together = group.map(Together::of);
    if !watching::tell_end(&report) {
        console::say_lines(report.text().trim_end());
    }
    if arguments.json {
        console::out(&format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    }
    if !summary.missing.is_empty() {
        let missing: Vec<Unread> = summary.missing.iter().cloned().collect();
        incomplete::say(&missing);
    }
    let is_forbidden = is_forbidden(arguments, summary.damage);
    let is_unusable = unusable::tell(summary.captures, summary.damage, summary.refused_inputs);
    Ok(if summary.adds_up() && !is_forbidden && !is_unusable {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

/// What the tables follow from, so that a folder with other tables is not mixed up with them.
fn identity(arguments: &Build, shards: &[Shard], models: &Models) -> Identity {
    let limits = &arguments.limits;
    let options = [
        ("text-model", models.texts.identity.clone()),
        ("blocks", arguments.blocks.to_string()),
        ("posts", arguments.posts.to_string()),
        (
            "templates",
            (!arguments.no_templates && models.method.is_none()).to_string(),
        ),
        ("template-sample", sample(arguments)),
        ("site", arguments.site.name().to_owned()),
        ("favor", arguments.decision.favor.name().to_owned()),
        (
            "structured-data",
            arguments.decision.structured_data.name().to_owned(),
        ),
        ("max-record", limits.max_record.to_string()),
        ("max-page", limits.max_page.to_string()),
        ("max-steps", limits.max_steps.to_string()),
        ("part-size", part_size(arguments)),
    ];
    // (Without one it is a build as all were before there were conventions.)
    let convention = arguments.decision.convention.name();
    let convention = convention.map(|name| ("convention", name.to_owned()));
    let options = options.into_iter().chain(convention);
    Identity {
        inputs: Inputs::of(shards),
        model: models.pages.identity.clone(),
        options: options.map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

/// Input of a part, as the user said it.
fn part_size(arguments: &Build) -> String {
    arguments
        .part_size
        .map_or_else(|| "default".to_owned(), |bytes| bytes.to_string())
}

/// How many pages of a site are mined, as the user said it.
fn sample(arguments: &Build) -> String {
    arguments
        .template_sample
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

/// The progress bar, drawn by a thread of its own; nothing where there is no terminal.
struct Drawn {
    done: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drawn {
    fn start(progress: Arc<Progress>, total: Option<u64>) -> Drawn {
        let done = Arc::new(AtomicBool::new(false));
        let thread = console::draws_progress().then(|| {
            let done = Arc::clone(&done);
            std::thread::spawn(move || draw(&progress, total, &done))
        });
        Drawn { done, thread }
    }

    fn stop(self) {
        self.done.store(true, Relaxed);
        if let Some(thread) = self.thread {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

fn draw(progress: &Progress, total: Option<u64>, done: &AtomicBool) {
    let begin = Instant::now();
    let bar = match total {
        Some(total) => ProgressBar::new(total).with_style(style("{wide_bar} {percent}%  {msg}  {eta} left")),
        None => ProgressBar::new_spinner().with_style(style("{spinner} {decimal_bytes} read  {msg}")),
    };
    while !done.load(Relaxed) {
        let seconds = begin.elapsed().as_secs_f64().max(0.1);
        let pages = progress.pages.load(Relaxed);
        let rate = progress.page_bytes.load(Relaxed) as f64 / 1e6 / seconds;
        bar.set_position(progress.stored_bytes.load(Relaxed));
        let waits = watching::what_waits(progress);
        bar.set_message(format!(
            "{} pages  {rate:.1} MB/s{waits}",
            console::grouped(pages)
        ));
        std::thread::park_timeout(Duration::from_millis(100));
    }
    bar.finish_and_clear();
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant that is well formed")
}
