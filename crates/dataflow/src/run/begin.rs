//! The beginning of a build: the plan, what earlier runs have done of it, and where the rest is noted.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;

use gleaner_cluster::Group;
use gleaner_corpus::OptionalTables;
use gleaner_curate::Signer;
use gleaner_document::{Cleaner, Options};

use crate::data::message::Notice;
use crate::data::packing::{sealed, unsealed};
use crate::data::signed::DocumentSigner;
use crate::data::summary::Summary;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::memory::Memory;
use crate::memory::large::LargePages;
use crate::outline;
use crate::outline::first_captures::Inputs;
use crate::plan::formats::Formats;
use crate::plan::input::Input;
use crate::plan::{Plan, PlanSizes};
use crate::run::Continued;
use crate::run::config::{BuildConfig, Phase};
use crate::run::phases::Phases;
use crate::settings::Settings;
use crate::staging::Staging;
use crate::state::Durable;
use crate::state::done::Done;
use crate::state::groups::Groups;
use crate::state::journal::Journal;
use crate::state::parts::Parts;
use crate::state::publish::Publisher;
use crate::state::share::Share;
use crate::watch::Progress;
use crate::work::ledger::Ledger;
use crate::work::order::Seams;
use crate::work::running::{Outcome, Running};

/// A build that is about to run: its phases, what is done of it, and the notices for other processes.
type Begun = (Phases, Option<Continued>, Option<Receiver<Notice>>);

/// Plans a build, and finds what earlier runs have done.
pub(crate) fn begin(mut config: BuildConfig, workers: usize) -> Result<Begun, Error> {
    let mut settings = settings(&config, workers)?;
    let input = input(&mut config)?;
    let BuildStart {
        journal,
        done,
        share,
        notices,
    } = start(&config, &input.plan, workers)?;
    let continued = continued(&done, &input.plan, &share, &config.progress);
    // A part waits for what another process finds at its beginning. Meanwhile the rest of it, or other parts, can be read: only the
    // ends of units wait.
    let reach = match share.group() {
        Some(_) => {
            settings.epochs_in_flight += 1;
            settings.window *= settings.epochs_in_flight as u32;
            u32::MAX / 2
        }
        None => settings.window,
    };
    let running = running(&config, &input.plan, reach, &done, &share);
    let durable = durable(&config, &input.plan, journal, done, share)?;
    let phases = Phases::new(input, settings, durable, running, config.last);
    Ok((phases, continued, notices))
}

fn settings(config: &BuildConfig, workers: usize) -> Result<Settings, Error> {
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
        posts: config.posts.clone(),
        duplicates: config.duplicates,
        signer: signer?.map(DocumentSigner::new),
        repeats: config.repeats,
        chunk_size: config.chunk_size,
        keeps_state: config.keeps_state,
        window: 2 * workers as u32 + 2,
        epochs_in_flight: workers as Epoch + 1,
    })
}

fn input(config: &mut BuildConfig) -> Result<Input, Error> {
    let inputs = Inputs {
        store: &config.store,
        shards: std::mem::take(&mut config.shards),
        formats: std::mem::take(&mut config.formats),
        sizes: config.sizes,
        limit: config.limit,
        record_bytes: config.record_bytes,
        allow_missing: config.allow_missing,
    };
    let planned = outline::plan(inputs, &config.stop)?;
    let mut unlisted = std::mem::take(&mut config.unlisted);
    unlisted.extend(planned.left_out);
    Ok(Input {
        store: config.store.clone(),
        shards: planned.shards,
        formats: Formats::new(planned.formats),
        plan: planned.plan,
        unlisted,
    })
}

/// What is done, the work of this process in the rest, and the notices for the others.
struct BuildStart {
    journal: Journal,
    done: Done,
    share: Share,
    notices: Option<Receiver<Notice>>,
}

fn start(config: &BuildConfig, plan: &Plan, mut workers: usize) -> Result<BuildStart, Error> {
    let Some(group) = &config.group else {
        let (journal, done) = Journal::open(&config.corpus, plan)?;
        return Ok(BuildStart {
            journal,
            done,
            share: Share::default(),
            notices: None,
        });
    };
    let (journal, done) = match group.process() {
        0 => {
            let (journal, done) = Journal::open(&config.corpus, plan)?;
            group.start(sealed(&(done.numbers(), workers)));
            (journal, done)
        }
        process => {
            let (numbers, of_first) = unsealed(&group.start_message())?;
            workers = of_first;
            Journal::join(&config.corpus, plan, process, &numbers)?
        }
    };
    let (share, notices) = Share::new(group, plan, &done.numbers(), workers);
    Ok(BuildStart {
        journal,
        done,
        share,
        notices: Some(notices),
    })
}

fn running(config: &BuildConfig, plan: &Plan, reach: u32, done: &Done, share: &Share) -> Running {
    let of_half: BTreeSet<(Epoch, u32)> = done.units_of_half().collect();
    let is_read =
        |epoch, unit| done.read.contains_key(&epoch) || of_half.contains(&(epoch, unit)) || !share.has(epoch);
    let seams = Seams::new(share.crossings(plan));
    seams.restore(done.seams());
    let mut summary = Summary::default();
    // The first process sums up for all.
    if share.is_first() {
        done.read.values().for_each(|part| summary.add(&part.sums));
        done.written
            .values()
            .for_each(|chunk| summary.add(&chunk.summary));
    }
    Running {
        reading: Arc::new(Ledger::new(plan.unit_counts(), reach, is_read)),
        seams,
        memory: Memory::new(config.memory),
        large: Arc::new(LargePages::new(Memory::new(config.memory))),
        progress: Arc::clone(&config.progress),
        stop: config
            .group
            .as_ref()
            .map_or_else(|| Arc::clone(&config.stop), Group::stop),
        outcome: Outcome::new(summary),
    }
}

fn durable(
    config: &BuildConfig,
    plan: &Plan,
    journal: Journal,
    done: Done,
    share: Share,
) -> Result<Durable, Error> {
    let publisher = Publisher::new(
        &config.corpus,
        OptionalTables {
            blocks: config.blocks,
            posts: config.posts.is_some(),
        },
    )?;
    if share.is_first() {
        for (&chunk, written) in &done.written {
            publisher.written(chunk, written.files.clone())?;
        }
    }
    let is_durable = !may_be_read_again(config, plan, &done);
    // The rest of a part is read by the process that it is dealt to.
    let half = done.half.into_iter().filter(|(epoch, _)| share.has(*epoch));
    let parts = Parts::new(Staging::new(config.corpus.output()), is_durable, half.collect());
    for (epoch, part) in done.read {
        parts.add_part(epoch, part);
    }
    let groups = Groups::of(plan);
    for (group, of_group) in groups.all() {
        if let Some(runs) = done.sorted.get(&group) {
            parts.add_sorted(group, of_group, *runs);
        }
    }
    Ok(Durable {
        corpus: config.corpus.clone(),
        journal,
        publisher,
        parts,
        groups,
        chunks_done: done.written.keys().copied().collect(),
        share,
    })
}

/// Whether pages need not be made safe while they wait: those of a crawl of one small part are soon read again.
fn may_be_read_again(config: &BuildConfig, plan: &Plan, done: &Done) -> bool {
    let is_small = plan.parts.len() == 1 && plan.bytes(0) <= PlanSizes::default().smallest_part;
    let is_for_this_run = config.last == Phase::Label && config.group.is_none() && config.memory.is_none();
    is_small && is_for_this_run && done.read.is_empty() && done.half.is_empty()
}

/// What is done, and how far it brings the bar.
fn continued(done: &Done, plan: &Plan, share: &Share, progress: &Progress) -> Option<Continued> {
    let read = (0..plan.parts.len() as Epoch).filter(|part| done.read.contains_key(part));
    let seen = read.clone().filter(|&part| share.sees(part));
    let of_half = done.units_of_half();
    let of_half = of_half.filter(|(part, _)| share.has(*part));
    let bytes: u64 = seen
        .map(|part| plan.bytes(part))
        .chain(of_half.map(|(part, unit)| plan.unit_bytes(part, unit)))
        .sum();
    progress.stored_bytes.fetch_add(bytes, Relaxed);
    let continued = Continued {
        parts: plan.parts.len() as u64,
        read: read.count() as u64,
        written: done.written.len() as u64,
        documents: done.written.values().map(|chunk| chunk.summary.documents).sum(),
    };
    (continued.read > 0).then_some(continued)
}
