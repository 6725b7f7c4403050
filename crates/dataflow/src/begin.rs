//! The beginning of a build: the plan, what earlier runs have done of it, and where the rest is noted.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};

use gleaner_curate::Signer;
use gleaner_document::{Cleaner, Options};
use parking_lot::Mutex;

use crate::backlog::Backlog;
use crate::cluster::{Group, Share, Told};
use crate::done::Done;
use crate::duplicates::DocumentSigner;
use crate::error::Error;
use crate::evidence::EvidenceFinder;
use crate::first_captures::Inputs;
use crate::formats::Formats;
use crate::groups::Groups;
use crate::job::Job;
use crate::large::LargePages;
use crate::ledger::Ledger;
use crate::log::Log;
use crate::memory::Memory;
use crate::order::Seams;
use crate::outline;
use crate::parts::Parts;
use crate::plan::{Plan, PlanSizes};
use crate::publish::{Publisher, Wanted};
use crate::staging::Staging;
use crate::summary::Summary;
use crate::watch::Progress;
use crate::{BuildConfig, Continued, Epoch, Phase};

/// What a build is to do, what is done of it, and what there is to tell other processes.
type Planned = (Job, Option<Continued>, Option<Receiver<Told>>);

pub(crate) fn job(mut config: BuildConfig, workers: usize) -> Result<Planned, Error> {
    let cleaner = Cleaner::new(
        &config.model,
        Options {
            text_model: config.text_model.clone(),
            method: config.method.clone(),
            limits: Some(config.limits.clone()),
            parser: config.parser,
            structured_data: config.structured_data,
            markdown: config.markdown,
            without_title: config.without_title,
            without_kinds: false,
        },
    )?;
    let signer = config
        .duplicates
        .map(|config| Signer::new(config.signatures))
        .transpose();
    let signer = signer?.map(DocumentSigner::new);
    let inputs = Inputs {
        store: &config.store,
        shards: std::mem::take(&mut config.shards),
        formats: std::mem::take(&mut config.formats),
        sizes: config.sizes,
        limit: config.limit,
        record_bytes: config.record_bytes,
        allow_missing: config.allow_missing,
    };
    let outline::Planned {
        shards,
        formats,
        plan,
        left_out,
        ..
    } = outline::plan(inputs, &config.stop)?;
    config.unlisted.extend(left_out);
    let Begun {
        log,
        done,
        share,
        told,
    } = begin(&config, &plan)?;
    let window = 2 * workers as u32 + 2;
    let epochs_in_flight = workers as Epoch + 1 + Epoch::from(share.group().is_some());
    // Where a part waits for what another process finds at its beginning, the rest of it, or other parts, can be
    // read: what waits is the ends of units.
    let (window, reach) = match share.group() {
        Some(_) => (window * epochs_in_flight as u32, u32::MAX / 2),
        None => (window, window),
    };
    let of_half: BTreeSet<(Epoch, u32)> = done.units_of_half().collect();
    let is_read =
        |epoch, unit| done.read.contains_key(&epoch) || of_half.contains(&(epoch, unit)) || !share.has(epoch);
    let reading = Arc::new(Ledger::new(plan.unit_counts(), reach, is_read));
    let continued = continued(&done, &plan, &share, &config.progress);
    let mut summary = Summary::default();
    let seams = Seams::new(share.crossings(&plan));
    seams.restore(done.seams());
    let wanted = Wanted {
        blocks: config.blocks,
        posts: config.posts.is_some(),
    };
    let publisher = Publisher::new(&config.corpus, wanted)?;
    // The first process sums up for all.
    if share.is_first() {
        done.read.values().for_each(|part| summary.add(&part.sums));
        for (&chunk, written) in &done.written {
            publisher.written(chunk, written.files.clone())?;
            summary.add(&written.summary);
        }
    }
    let is_durable = !may_be_read_again(&config, &plan, &done);
    // The rest of a part is read by the process that it is dealt to.
    let half = done.half.into_iter().filter(|(epoch, _)| share.has(*epoch));
    let parts = Parts::new(Staging::new(config.corpus.output()), is_durable, half.collect());
    for (epoch, part) in done.read {
        parts.add_part(epoch, part);
    }
    let groups = Groups::of(&plan);
    for (group, of_group) in groups.all() {
        if let Some(runs) = done.sorted.get(&group) {
            parts.add_sorted(group, of_group, *runs);
        }
    }
    let job = Job {
        store: config.store,
        shards,
        formats: Formats::new(formats),
        reading,
        parts,
        groups,
        evidence: config
            .templates
            .then(|| EvidenceFinder::new(config.site_sample, config.blocks)),
        duplicates: config.duplicates,
        repeats: config.repeats,
        signer,
        chunks_done: done.written.keys().copied().collect(),
        labelling: OnceLock::new(),
        chunk_size: config.chunk_size,
        window,
        log,
        publisher,
        plan,
        seams,
        corpus: config.corpus,
        cleaner,
        record_bytes: config.record_bytes,
        memory: Memory::new(config.memory),
        large: Arc::new(LargePages::new(Memory::new(config.memory))),
        backlog: Backlog::new(Memory::new(config.memory), workers),
        site: config.site,
        blocks: config.blocks,
        posts: config.posts,
        last: config.last,
        epochs_in_flight,
        progress: config.progress,
        stop: config.group.as_ref().map_or(config.stop, Group::stop),
        share,
        summary: Mutex::new(summary),
        allow_missing: config.allow_missing,
        unlisted: config.unlisted,
        missing: Mutex::default(),
        failure: Mutex::default(),
    };
    Ok((job, continued, told))
}

/// What is done, what of the rest is this process's to do, and what there is to tell the others.
struct Begun {
    log: Log,
    done: Done,
    share: Share,
    told: Option<Receiver<Told>>,
}

fn begin(config: &BuildConfig, plan: &Plan) -> Result<Begun, Error> {
    let Some(group) = &config.group else {
        let (log, done) = Log::open(&config.corpus, plan)?;
        return Ok(Begun {
            log,
            done,
            share: Share::default(),
            told: None,
        });
    };
    let (log, done) = match group.process() {
        0 => {
            let (log, done) = Log::open(&config.corpus, plan)?;
            group.start(done.start());
            (log, done)
        }
        _ => Log::join(&config.corpus, plan, &group.start_of())?,
    };
    let (share, told) = Share::new(group, plan, &done.start());
    Ok(Begun {
        log,
        done,
        share,
        told: Some(told),
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
