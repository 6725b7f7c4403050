//! Commands that change a complete corpus: `add`, `remove`, `takedown`, `optout`, `relabel` and `restore`. Each changes what the
//! corpus is made from (its archives, its rules or its settings), and the same engine computes what follows.

mod answer;
mod archives;
mod missed;
mod optout;
mod robots;
mod selected;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use chrono::{SecondsFormat, Utc};
use gleaner_content::Favor;
use gleaner_corpus::{
    Corpus, Crawl, Identity, KeptKind, Marker, Next, Rule, RuleKind, digest_of, kept_json, read_rules,
};
use gleaner_curate::Agents;
use gleaner_dataflow::{
    Again, ArchiveTerms, BuildConfig, ChangeConfig, ChangeOutline, InputLine, OutlineSettings, Request,
    change_outline,
};
use gleaner_store::{Output, Shard, Store};
use serde::Serialize;

use self::answer::{ChangeAnswer, Ended};
use self::archives::{NewArchives, Reread};
use self::missed::Missed;
use self::optout::{Optout, RobotsFound};
use self::selected::Selected;
use crate::args::{Add, Build, ChangeOptions, Optout as OptoutOptions, Relabel, Remove, Restore, Takedown};
use crate::build::{BuildSpec, Drawn, Failure, Models, Session, Unfinished, Watchers, settings};
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console};

/// What a command asks for, in one form.
#[derive(Default)]
struct Asked<'a> {
    command: &'static str,
    corpus: &'a str,
    inputs: &'a [String],
    base_url: Option<&'a str>,
    allow_missing: bool,
    crawl: Option<&'a Crawl>,
    reason: Option<&'a str>,
    selected: Selected,
    /// The kind of the rule that it makes, if it makes one.
    kind: Option<RuleKind>,
    /// The wishes of sites that it obeys.
    optout: Option<Optout<'a>>,
    /// The rule that it lifts.
    lifts: Option<&'a str>,
    /// Whether all pages are labelled again, with what is other then.
    relabels: Option<Relabelled>,
    purge: bool,
    /// Whether a rule is made if nothing in the corpus is selected.
    for_later_archives: bool,
    /// Where the receipt is written in full.
    receipt: Option<&'a Path>,
    /// Options that need not be as in the corpus, with their values.
    replaced: Vec<(&'static str, String)>,
}

/// The options of a relabel that name files: what these hold takes the place of what the corpus was built with.
fn replaced(options: &ChangeOptions) -> Vec<(&'static str, String)> {
    let models = [
        ("--model", &options.model.model),
        ("--text-model", &options.text_model),
        ("--language-model", &options.language_model),
        ("--benchmarks", &options.benchmarks),
    ];
    let models = models.into_iter().filter_map(|(option, file)| {
        let file = file.as_deref()?;
        Some((option, file.display().to_string()))
    });
    let lists = options.url_list.iter().map(|list| {
        let file = list.path.display();
        ("--url-list", format!("{}={file}", list.name))
    });
    models.chain(lists).collect()
}

/// What is other when pages are labelled again.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Relabelled {
    #[serde(serialize_with = "as_text")]
    favor: Option<Favor>,
    no_title: Option<bool>,
}

/// `gleaner add`.
pub(crate) fn add(arguments: &Add, signals: Signals<'_>) -> Result<Outcome> {
    let asked = Asked {
        command: "add",
        corpus: &arguments.corpus,
        inputs: &arguments.inputs,
        base_url: arguments.base_url.as_deref(),
        allow_missing: arguments.allow_missing,
        crawl: arguments.crawl.as_ref(),
        ..Asked::default()
    };
    change(&asked, &arguments.options, signals)
}

/// `gleaner remove`.
pub(crate) fn remove(arguments: &Remove, signals: Signals<'_>) -> Result<Outcome> {
    let asked = Asked {
        command: "remove",
        corpus: &arguments.corpus,
        reason: Some(&arguments.reason),
        selected: Selected::of(&arguments.selectors)?,
        kind: Some(RuleKind::Remove),
        ..Asked::default()
    };
    change(&asked, &arguments.options, signals)
}

/// `gleaner takedown`.
pub(crate) fn takedown(arguments: &Takedown, signals: Signals<'_>) -> Result<Outcome> {
    let asked = Asked {
        command: "takedown",
        corpus: &arguments.corpus,
        reason: Some(&arguments.reason),
        selected: Selected::of(&arguments.selectors)?,
        kind: Some(RuleKind::Takedown),
        purge: true,
        for_later_archives: arguments.for_later_archives,
        receipt: arguments.receipt.as_deref(),
        ..Asked::default()
    };
    change(&asked, &arguments.options, signals)
}

/// `gleaner optout`.
pub(crate) fn optout(arguments: &OptoutOptions, signals: Signals<'_>) -> Result<Outcome> {
    let asked = Asked {
        command: "optout",
        corpus: &arguments.corpus,
        base_url: arguments.base_url.as_deref(),
        kind: Some(RuleKind::Optout),
        optout: Some(Optout {
            robots: &arguments.robots,
            agents: Agents::read(&arguments.agents)?,
            agents_file: &arguments.agents,
        }),
        ..Asked::default()
    };
    change(&asked, &arguments.options, signals)
}

/// `gleaner restore`.
pub(crate) fn restore(arguments: &Restore, signals: Signals<'_>) -> Result<Outcome> {
    let asked = Asked {
        command: "restore",
        corpus: &arguments.corpus,
        inputs: &arguments.inputs,
        base_url: arguments.base_url.as_deref(),
        reason: arguments.reason.as_deref(),
        lifts: Some(&arguments.rule),
        ..Asked::default()
    };
    change(&asked, &arguments.options, signals)
}

/// `gleaner relabel`.
pub(crate) fn relabel(arguments: &Relabel, signals: Signals<'_>) -> Result<Outcome> {
    let asked = Asked {
        command: "relabel",
        corpus: &arguments.corpus,
        inputs: &arguments.inputs,
        base_url: arguments.base_url.as_deref(),
        reason: arguments.reason.as_deref(),
        relabels: Some(Relabelled {
            favor: arguments.favor,
            no_title: arguments.no_title,
        }),
        replaced: replaced(&arguments.options),
        ..Asked::default()
    };
    change(&asked, &arguments.options, signals)
}

fn change(asked: &Asked<'_>, options: &ChangeOptions, signals: Signals<'_>) -> Result<Outcome> {
    let watchers = Watchers::start(&options.watching)?;
    let session = Session {
        signals,
        say: Arc::new(console::say),
        watchers: &watchers,
        draws: console::draws_progress(),
    };
    let ended = run(asked, options, &session).map_err(|failure| failure.error)?;
    ended.print(options.json)
}

/// A complete corpus that is to be changed.
struct Changed {
    store: Store,
    output: Output,
    marker: Marker,
    lines: Vec<InputLine>,
    rules: Vec<Rule>,
    /// The options of its build.
    build: Build,
    models: Models,
    /// What the new version is made from, beside its inputs.
    identity: Identity,
    /// What of its pages is computed again.
    again: Again,
}

impl Changed {
    fn open(
        asked: &Asked<'_>,
        options: &ChangeOptions,
        store: Store,
        output: Output,
    ) -> Result<Changed, Failure> {
        let marker = Corpus::complete(&output)?;
        let spec = BuildSpec::of_corpus(&output, &marker).map_err(Failure::of_option)?;
        let mut build = spec.options(&given(asked, options)).map_err(Failure::of_option)?;
        if let Some(Relabelled { favor, no_title }) = asked.relabels {
            build.decision.favor = favor.unwrap_or(build.decision.favor);
            build.decision.no_title = no_title.unwrap_or(build.decision.no_title);
        }
        let mut models = Models::choose(&build)?;
        let is_replaced = |option: &str| asked.replaced.iter().any(|(name, _)| *name == option);
        spec.take_models(&mut models, &is_replaced)
            .map_err(Failure::of_option)?;
        let identity = settings::identity(&build, &marker.identity.inputs, &models);
        if asked.relabels.is_none() {
            spec.check_settings(&identity).map_err(Failure::of_option)?;
        }
        let arguments = marker.arguments.clone();
        let arguments = arguments.ok_or_else(|| anyhow!("the corpus keeps no state"))?;
        let kept = |kind, digest: &str| Corpus::kept(&output, kind, digest);
        Ok(Changed {
            lines: InputLine::read(&kept(KeptKind::Inputs, &arguments.inputs)?)?,
            rules: read_rules(&kept(KeptKind::Rules, &arguments.rules)?)?,
            store,
            output,
            build,
            models,
            again: match asked.relabels {
                None => Again::Nothing,
                Some(_) => again(&marker.identity, &identity),
            },
            identity,
            marker,
        })
    }
}

impl Changed {
    /// The change, as the engine takes it.
    fn config(
        &self,
        asked: &Asked<'_>,
        decided: &Decided,
        request: Request,
        keep_versions: u64,
    ) -> ChangeConfig {
        ChangeConfig {
            base: self.marker.clone(),
            removed: decided.removed.clone(),
            rules_before: self.rules.clone(),
            ranges: decided.ranges.clone(),
            again: self.again,
            identity: self.identity.clone(),
            keep_versions,
            purge: asked.purge,
            request,
            full_receipt: asked.receipt.map(std::path::PathBuf::from),
        }
    }

    /// What the change would do.
    fn outline(&self, asked: &Asked<'_>, decided: &Decided) -> Result<ChangeOutline> {
        let config = self.config(asked, decided, Request::default(), 1);
        let settings = OutlineSettings {
            site: self.build.site,
            site_sample: self.build.sampled_pages(),
            chunk_size: self.build.pages_of_chunk(),
        };
        Ok(change_outline(&self.output, config, &decided.rules, settings)?)
    }
}

/// What has to be computed again where options or models are others: labels follow from what the corpus keeps if pages are
/// read and scored as before.
fn again(before: &Identity, after: &Identity) -> Again {
    let of_labels = [
        "no-title",
        "versions",
        "language-model",
        "url-lists",
        "benchmarks",
    ];
    let same_others = |identity: &Identity| {
        let mut options = identity.options.clone();
        options.retain(|name, _| !of_labels.contains(&&**name));
        (
            options,
            identity.model.clone(),
            version(identity, "READ"),
            version(identity, "TABLE"),
        )
    };
    match same_others(before) == same_others(after) {
        true => Again::Labels,
        false => Again::All,
    }
}

/// The number of what a program computes.
fn version(identity: &Identity, name: &str) -> Option<u64> {
    let versions: serde_json::Value = serde_json::from_str(identity.options.get("versions")?).ok()?;
    versions[name].as_u64()
}

fn as_text<S: serde::Serializer>(favor: &Option<Favor>, serializer: S) -> Result<S::Ok, S::Error> {
    favor.map(|favor| favor.to_string()).serialize(serializer)
}

/// The store of a command, and the corpus there.
fn store(
    asked: &Asked<'_>,
    options: &ChangeOptions,
    session: &Session<'_>,
) -> Result<(Store, Output), Failure> {
    let mut stores = options.stores.options(&session.watchers.counts);
    stores.written = crate::build::written(asked.corpus);
    let store = Store::new(stores)?;
    let output = store.output(asked.corpus)?;
    Ok((store, output))
}

/// The options of a build that a command gives.
fn given(asked: &Asked<'_>, options: &ChangeOptions) -> Build {
    let mut build = crate::args::build_with(asked.inputs, asked.corpus);
    build.workers = options.workers;
    build.memory = options.memory.clone();
    build.model = options.model.clone();
    build.text_model.clone_from(&options.text_model);
    build.language_model.clone_from(&options.language_model);
    build.url_list.clone_from(&options.url_list);
    build.benchmarks.clone_from(&options.benchmarks);
    build.stores = options.stores.clone();
    build.watching = options.watching.clone();
    build.allow_missing = asked.allow_missing;
    build.base_url = asked.base_url.map(str::to_owned);
    build
}

/// What is read, what goes, and what is left out from now on.
struct Decided {
    shards: Vec<Shard>,
    terms: Vec<ArchiveTerms>,
    removed: BTreeMap<String, std::collections::HashSet<String>>,
    rules: Vec<Rule>,
    ranges: Option<Vec<std::ops::Range<Vec<u8>>>>,
    unlisted: Vec<gleaner_corpus::Unread>,
    /// What archives of robots.txt have.
    robots: Option<RobotsFound>,
}

fn run(asked: &Asked<'_>, options: &ChangeOptions, session: &Session<'_>) -> Result<Ended, Failure> {
    let begin = Instant::now();
    let (store, output) = store(asked, options, session)?;
    // What a killed command has committed is finished first.
    if let Some(finished) = Corpus::recover(&output)?
        && finished.asked == asked_digest(asked, &[])
    {
        return Ok(Ended::Finished(finished.base + 1));
    }
    let changed = Changed::open(asked, options, store, output)?;
    let stop = session.stop()?;
    let decided = match decide(asked, &changed, session)? {
        Ok(decided) => decided,
        Err(nothing) => return Ok(Ended::Nothing(nothing)),
    };
    let missed = Missed::of(&asked.selected, &changed)?;
    if let Some(ended) = nothing_selected(asked, &changed, &decided, &missed) {
        return Ok(ended);
    }
    for missed in &missed {
        (session.say)(&format!(
            "warning: the corpus has no capture for {}",
            missed.text()
        ));
    }
    if options.dry_run {
        return Ok(Ended::Planned(answer::Plan::new(asked, &changed, &decided)?));
    }
    if let Some(receipt) = asked.receipt {
        check_receipt(receipt, &changed.output).map_err(Failure::of_option)?;
    }
    let request = request(asked);
    let next = Next {
        command: asked.command.to_owned(),
        asked: asked_digest(
            asked,
            if asked.optout.is_some() {
                &decided.rules
            } else {
                &[]
            },
        ),
        time: request.time.clone(),
        ..Next::default()
    };
    let corpus_settings = gleaner_corpus::Settings {
        metadata: changed.models.metadata(),
        ..gleaner_corpus::Settings::default()
    };
    let (corpus, base) = Corpus::begin_change(changed.output.clone(), next, corpus_settings)?;
    let request = Request {
        time: corpus.next().map_or(request.time, |next| next.time.clone()),
        ..request
    };
    let change = ChangeConfig {
        base,
        ..changed.config(asked, &decided, request, options.keep_versions)
    };
    let mut config = BuildConfig::new(changed.store, decided.shards, corpus, changed.models.pages.model);
    settings::set(&mut config, &changed.build);
    changed.models.curation.set(&mut config);
    config.text_model = Some(changed.models.texts.model);
    config.method = changed.models.method.map(|method| method.labels);
    config.workers = crate::build::workers(&changed.build).map_err(Failure::of_option)?;
    config.unlisted = decided.unlisted;
    config.terms = decided.terms;
    config.rules = decided.rules;
    config.stop = stop;
    config.progress = Arc::clone(&session.watchers.progress);
    config.change = Some(change);
    let progress = Arc::clone(&config.progress);
    let unfinished = |error| Unfinished::new(error, &changed.output);
    let mut build = gleaner_dataflow::Build::begin(config).map_err(unfinished)?;
    if build.continued().is_some() {
        (session.say)(&format!("continues an interrupted `gleaner {}`", asked.command));
    }
    let drawn = Drawn::start(&progress, session.draws);
    let built = build.run();
    drawn.stop();
    match built {
        Err(gleaner_dataflow::Error::Incomplete { missing }) => Ok(Ended::Missing(missing)),
        built => {
            let summary = built.map_err(unfinished)?.unwrap_or_default();
            let report = build.report().cloned().unwrap_or_default();
            Ok(Ended::Changed(Box::new(ChangeAnswer::new(
                asked.corpus,
                &summary,
                report,
                decided.robots,
                begin,
            ))))
        }
    }
}

/// What the command comes to, in archives and rules; or why there is nothing to do.
fn decide(
    asked: &Asked<'_>,
    changed: &Changed,
    session: &Session<'_>,
) -> Result<Result<Decided, String>, Failure> {
    let mut decided = Decided {
        shards: Vec::new(),
        terms: Vec::new(),
        removed: BTreeMap::new(),
        rules: changed.rules.clone(),
        ranges: Some(Vec::new()),
        unlisted: Vec::new(),
        robots: None,
    };
    if asked.relabels.is_some() {
        return Reread::all(asked, changed, decided, session);
    }
    if let Some(rule) = asked.lifts {
        return Reread::decide(rule, asked, changed, decided, session);
    }
    if let Some(optout) = &asked.optout {
        return optout.decide(asked, changed, decided, session);
    }
    if !asked.inputs.is_empty() {
        return NewArchives::decide(asked, changed, decided, session);
    }
    decided.removed = asked.selected.archives(changed).map_err(Failure::of_option)?;
    if decided.removed.values().map(|names| names.len()).sum::<usize>() == changed.lines.len() {
        return Err(Failure::of_option(anyhow!(
            "this would remove all archives of the corpus in '{}': delete the folder instead",
            asked.corpus
        )));
    }
    if let (Some(kind), false) = (asked.kind, asked.selected.selectors.is_empty()) {
        let version = changed.marker.version;
        let matcher = gleaner_corpus::Matcher::names(kind, &asked.selected.selectors);
        let is_there =
            |rule: &&Rule| kind != RuleKind::Remove && (rule.kind, &rule.matcher) == (kind, &matcher);
        if let Some(rule) = changed.rules.iter().find(is_there) {
            return Ok(Err(format!("the rule {} leaves that out already", rule.id)));
        }
        decided.rules.push(Rule {
            id: Rule::id(next_number(changed)),
            kind,
            matcher,
            since: version + 1,
            until: (kind == RuleKind::Remove).then_some(version),
            reason: asked.reason.unwrap_or_default().to_owned(),
            source: None,
        });
        decided.ranges = asked.selected.ranges();
    }
    Ok(Ok(decided))
}

/// Refuses a file for the receipt that cannot be written, or that has another receipt, before the work begins.
fn check_receipt(file: &Path, output: &Output) -> Result<()> {
    let name = file.display();
    if file.is_dir() {
        bail!("the receipt '{name}' is a folder: name a file");
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!(
            "the folder '{}' of the receipt is not there: make it first",
            folder.display()
        );
    }
    // (A command that was killed may have written it.)
    if file.exists() && Corpus::unfinished(output)?.is_none() {
        bail!("the receipt '{name}' is there already: name another file");
    }
    Ok(())
}

/// How a command ends whose selectors select no capture, unless it also removes archives.
fn nothing_selected(
    asked: &Asked<'_>,
    changed: &Changed,
    decided: &Decided,
    missed: &[Missed],
) -> Option<Ended> {
    let selectors = asked.selected.selectors.len();
    if selectors == 0 || missed.len() < selectors || !decided.removed.is_empty() || asked.for_later_archives {
        return None;
    }
    let made = decided.rules.last();
    let is_known =
        |rule: &&Rule| made.is_some_and(|made| (made.kind, &made.matcher) == (rule.kind, &rule.matcher));
    if let Some(rule) = changed.rules.iter().find(is_known) {
        return Some(Ended::Nothing(format!(
            "the rule {} leaves that out already",
            rule.id
        )));
    }
    Some(Ended::Unselected {
        missed: missed.iter().map(|missed| missed.typed().to_owned()).collect(),
        text: unselected_text(asked, missed),
    })
}

fn unselected_text(asked: &Asked<'_>, missed: &[Missed]) -> String {
    let missed: Vec<String> = missed.iter().map(Missed::text).collect();
    let mut text = format!(
        "nothing was changed, because the corpus has no capture for\n{}",
        crate::corpus::names::names_text(&missed)
    );
    if asked.kind == Some(RuleKind::Takedown) {
        text += "\nadd --for-later-archives to make a rule for later archives";
    }
    text
}

/// The number of the next rule: no rule of the corpus has had it.
fn next_number(changed: &Changed) -> u64 {
    let numbers = changed.rules.iter().filter_map(|rule| rule.number().ok());
    numbers.fold(changed.marker.last_rule, u64::max) + 1
}

fn request(asked: &Asked<'_>) -> Request {
    let mut words: Vec<String> = Vec::new();
    words.extend(asked.lifts.map(str::to_owned));
    words.extend(asked.inputs.iter().cloned());
    words.extend(asked.crawl.map(|crawl| format!("--crawl {crawl}")));
    words.extend(asked.optout.iter().flat_map(Optout::words));
    // (The names of what is taken down are nowhere in the corpus.)
    if asked.kind == Some(RuleKind::Remove) {
        words.extend(asked.selected.words());
    }
    Request {
        command: asked.command.to_owned(),
        asked_text: words.join(" "),
        time: Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
        reason: asked.reason.map(str::to_owned),
    }
}

/// The same command has the same digest. What an `optout` asks for is in its archives: the rules that these make.
fn asked_digest(asked: &Asked<'_>, rules: &[Rule]) -> String {
    #[derive(Serialize)]
    struct Digested<'a> {
        command: &'a str,
        inputs: &'a [String],
        base_url: Option<&'a str>,
        allow_missing: bool,
        crawl: Option<&'a str>,
        reason: Option<&'a str>,
        selected: Vec<String>,
        lifts: Option<&'a str>,
        relabels: Option<Relabelled>,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        replaced: &'a [(&'static str, String)],
        rules: &'a [Rule],
    }
    digest_of(&kept_json(&Digested {
        command: asked.command,
        inputs: asked.inputs,
        base_url: asked.base_url,
        allow_missing: asked.allow_missing,
        crawl: asked.crawl.map(Crawl::as_str),
        reason: asked.reason,
        selected: asked.selected.names().collect(),
        lifts: asked.lifts,
        relabels: asked.relabels,
        replaced: &asked.replaced,
        rules,
    }))
}
