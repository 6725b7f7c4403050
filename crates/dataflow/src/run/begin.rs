//! The beginning of a build: the plan, what earlier runs have done of it, and where the rest is noted.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, channel};

use gleaner_cluster::Group;
use gleaner_corpus::{OptionalTables, Rules, rules_file};
use gleaner_curate::Signer;
use gleaner_document::{Cleaner, Options};
use parking_lot::Mutex;

use crate::change::Change;
use crate::data::packing::{sealed, unsealed};
use crate::data::signed::DocumentSigner;
use crate::error::Error;
use crate::outline;
use crate::outline::first_captures::{Cutting, Inputs};
use crate::plan::formats::Formats;
use crate::plan::input::{ArchiveTerms, Input};
use crate::plan::{Plan, PlanSizes};
use crate::run::Continued;
use crate::run::config::{BuildConfig, Phase};
use crate::run::control::Sent;
use crate::run::phases::Phases;
use crate::settings::Settings;
use crate::staging::Staging;
use crate::state::done::Done;
use crate::state::journal::Journal;
use crate::state::publish::Publisher;
use crate::state::{Durable, Peers};
use crate::watch::Progress;
use crate::work::running::Running;

/// A build that is about to run: its phases, what is done of it, and the notices for other processes.
type Begun = (Phases, Option<Continued>, Option<Receiver<Sent>>);

/// Plans a build, and finds what earlier runs have done.
pub(crate) fn begin(mut config: BuildConfig, workers: usize) -> Result<Begun, Error> {
    let settings = settings(&config)?;
    let input = input(&mut config)?;
    let stop = config
        .group
        .as_ref()
        .map_or_else(|| Arc::clone(&config.stop), Group::stop);
    let running = Running::new(config.memory, &config.progress, stop);
    if let Some(group) = &config.group {
        config.progress.watch.group.get_or_init(|| group.clone());
    }
    let (journal, done, workers) = start(&config, &input.plan, workers)?;
    let continued = continued(&done, &input.plan, &config.progress);
    let (notices, own) = channel();
    let peers = config.group.clone().map(|group| Peers {
        group,
        notices,
        workers,
    });
    let own = peers.is_some().then_some(own);
    let durable = durable(&config, &input.plan, journal, done, peers)?;
    let phases = Phases {
        input: Arc::new(input),
        settings: Arc::new(settings),
        durable: Arc::new(durable),
        running: Arc::new(running),
        last: config.last,
    };
    Ok((phases, continued, own))
}

fn settings(config: &BuildConfig) -> Result<Settings, Error> {
    let options = Options {
        text_model: config.text_model.clone(),
        method: config.method.clone(),
        limits: Some(config.limits.clone()),
        parser: config.parser,
        structured_data: config.structured_data,
        markdown: config.markdown,
        without_title: config.without_title,
        without_kinds: false,
    };
    let signer = config
        .duplicates
        .map(|config| Signer::new(config.signatures))
        .transpose();
    Ok(Settings {
        cleaner: Cleaner::new(&config.model, options)?,
        record_bytes: config.record_bytes,
        allow_missing: config.allow_missing,
        site: config.site,
        site_sample: config.templates.then_some(config.site_sample),
        blocks: config.blocks,
        block_languages: config.block_languages,
        posts: config.posts.clone(),
        signals: config.signals,
        language_model: config.language_model.clone(),
        url_lists: Arc::clone(&config.url_lists),
        pii_spans: config.pii_spans,
        rights: config.rights.clone(),
        benchmarks: config.benchmarks.clone(),
        duplicates: config.duplicates,
        signer: signer?.map(DocumentSigner::new),
        repeats: config.repeats,
        chunk_size: config.chunk_size,
        keeps_state: config.keeps_state,
        rules: rules_file(config.rules.clone())?,
    })
}

fn input(config: &mut BuildConfig) -> Result<Input, Error> {
    let inputs = Inputs {
        store: &config.store,
        shards: std::mem::take(&mut config.shards),
        formats: std::mem::take(&mut config.formats),
        cutting: Cutting {
            sizes: config.sizes,
            limit: config.limit,
            record_bytes: config.record_bytes,
            allow_missing: config.allow_missing,
        },
    };
    let planned = outline::plan(inputs, &config.stop)?;
    let mut unlisted = std::mem::take(&mut config.unlisted);
    unlisted.extend(planned.left_out);
    let mut input = Input {
        store: config.store.clone(),
        shards: planned.shards,
        terms: Vec::new(),
        prefixes: Vec::new(),
        rules: Vec::new(),
        only: config.only.take(),
        formats: Formats::new(planned.formats),
        plan: planned.plan,
        unlisted,
    };
    let of_first = ArchiveTerms {
        crawl: config.corpus.crawl().cloned(),
        since: 1,
        is_read_again: false,
    };
    let terms = match std::mem::take(&mut config.terms) {
        terms if terms.is_empty() => vec![of_first; input.shards.len()],
        terms => terms,
    };
    let before = config
        .change
        .as_ref()
        .map_or_else(Vec::new, |change| change.rules_before.clone());
    let rules = [before, config.rules.clone()].map(Rules::new);
    let [before, now] = rules;
    input.set_terms(terms, [&before?, &now?]);
    Ok(input)
}

/// The journal of this process, what is done, and the number of workers of process 0.
fn start(config: &BuildConfig, plan: &Plan, workers: usize) -> Result<(Journal, Done, usize), Error> {
    match &config.group {
        Some(group) if group.process() > 0 => {
            let of_first = unsealed(&group.started()?)?;
            let (journal, done) = Journal::join(&config.corpus, plan, group.process())?;
            Ok((journal, done, of_first))
        }
        group => {
            let (journal, done) = Journal::open(&config.corpus, plan)?;
            if let Some(group) = group {
                group.start(sealed(&workers));
            }
            Ok((journal, done, workers))
        }
    }
}

fn durable(
    config: &BuildConfig,
    plan: &Plan,
    journal: Journal,
    done: Done,
    peers: Option<Peers>,
) -> Result<Durable, Error> {
    let optional = OptionalTables {
        blocks: config.blocks,
        posts: config.posts.is_some(),
        signals: config.signals,
        rights: config.rights.is_some(),
        contamination: config.benchmarks.is_some(),
    };
    let durable = Durable {
        corpus: config.corpus.clone(),
        change: change(config)?,
        journal,
        publisher: Publisher::new(&config.corpus, optional)?,
        staging: Arc::new(Staging::new(config.corpus.output())),
        is_durable: !may_be_read_again(config, plan, &done),
        done: Mutex::new(done),
        open: Mutex::default(),
        peers,
    };
    durable.publish_all()?;
    Ok(durable)
}

/// What is changed, if it is not a first build.
fn change(config: &BuildConfig) -> Result<Option<Change>, Error> {
    let Some(change) = &config.change else {
        return Ok(None);
    };
    let (output, is_labelled) = (config.corpus.output(), config.corpus.is_labelled());
    Change::open(output, change.clone(), &config.rules, is_labelled).map(Some)
}

/// Whether pages need not be made safe while they wait: those of a crawl of one small part are soon read again.
fn may_be_read_again(config: &BuildConfig, plan: &Plan, done: &Done) -> bool {
    let is_small = plan.parts.len() == 1 && plan.bytes(0) <= PlanSizes::default().smallest_part;
    let is_for_this_run = config.last == Phase::Label && config.group.is_none() && config.memory.is_none();
    is_small && is_for_this_run && done.read.is_empty()
}

/// What is done, and how far it brings the bar.
fn continued(done: &Done, plan: &Plan, progress: &Progress) -> Option<Continued> {
    let units = done.read.iter().flat_map(|(&part, read)| {
        let units = &plan.parts[part as usize].units;
        read.units.keys().filter_map(|&unit| units.get(unit as usize))
    });
    let bytes = units.map(|unit| unit.bytes).sum();
    progress.stored_bytes.fetch_add(bytes, Relaxed);
    let parts = plan.parts.len() as u64;
    let continued = Continued {
        parts,
        read: (0..parts).filter(|&part| done.has_part(part, plan)).count() as u64,
        written: done.written.len() as u64,
        documents: done.written.values().map(|chunk| chunk.summary.documents).sum(),
    };
    (continued.read > 0).then_some(continued)
}
