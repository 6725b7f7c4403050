//! `gleaner train`: a model from pages with gold text.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_content::{Calibration, LabelledPage, Model, TrainingPages};
use gleaner_features::Extractor;
use gleaner_gold::Reliability;

use crate::args::Train;
use crate::eval::{Validation, calibrate_by_others, calibration, confidence_claims, cross_validate};
use crate::fit::{Lesson, fit, labelled};
use crate::gold_pages::Sample;
use crate::output::check_output;
use crate::prepared::{Prepared, prepare, threads};
use crate::train_job::TrainJob;
use crate::train_told::Told;
use crate::{Outcome, console};

/// Trains a model as a job file says.
pub(crate) fn run(arguments: &Train) -> Result<Outcome> {
    let job = TrainJob::read(&arguments.job)?;
    if let Some(model) = &arguments.record_pages {
        return record_pages(arguments, &job, model);
    }
    let Some(out) = arguments.out.clone().or(job.out.clone()) else {
        bail!(
            "{} names no model file: add out = \"NAME.gcrf\", or give --out",
            arguments.job.display()
        );
    };
    let files = job.gold_files(&arguments.gold, &arguments.job)?;
    let read = files.iter().chain([&arguments.job]).chain(&job.dev.gold);
    check_output(&out, read.map(PathBuf::as_path))?;
    let workers = threads(arguments.workers);
    let read = PagesOfJob::read(&job, &files, workers)?;
    let training_pages = read.known_by();
    let PagesOfJob {
        learned,
        held_out,
        left_out,
    } = read;
    let calibration = calibrate(&job, &learned, workers)?;
    let (pages, dev) = (Lesson::of(&job, learned), labelled(held_out));
    console::say(&counted(&pages.labelled, "for training"));
    if job.dev.is_asked_for() {
        console::say(&counted(&dev, "held out"));
    }
    if left_out > 0 {
        console::say(&format!(
            "left out {} more, on which less than {} of their gold's words are found",
            console::grouped(left_out as u64),
            job.least_found
        ));
    }
    let mut trained = fit(&job, &pages, &dev, workers, &mut Told::new())?;
    let card = job
        .card(pages.labelled.len())
        .and_then(|card| Ok(toml::to_string(&card)?));
    trained.set_card(card.context("the card cannot be written")?);
    trained.set_calibration(calibration);
    trained.set_training_pages(Some(training_pages));
    check_numbers(&trained)?;
    trained.save(&out)?;
    console::say(&format!("{}: {}", out.display(), made(&trained)));
    Ok(Outcome::Done)
}

/// What the expected word F1 of pages comes to, by models that have not seen them.
fn calibrate(job: &TrainJob, samples: &[Sample<Prepared>], workers: usize) -> Result<Calibration> {
    let folds = job.confidence.folds;
    if folds == 0 {
        return Ok(Calibration::default());
    }
    let validation = Validation {
        folds,
        workers,
        convention: None,
    };
    let mut scored = cross_validate(job, samples, validation, &mut |done| {
        console::say(&format!("confidence: fold {done} of {folds} is done"));
    })?;
    let calibration = calibration(scored.iter());
    calibrate_by_others(&mut scored, folds);
    say_reliability(&confidence_claims(scored.iter()));
    Ok(calibration)
}

/// Prints the error, and a line a tenth of the confidence: how many pages, their mean confidence and word F1.
fn say_reliability(claims: &Reliability) {
    let error = claims.expected_calibration_error();
    console::say(&format!(
        "confidence, each fold calibrated by the others: error {error:.4}"
    ));
    for bin in &claims.bins {
        if let Some((claimed, observed)) = bin.claimed().zip(bin.observed()) {
            let pages = console::grouped(bin.claims);
            console::say(&format!(
                "{pages:>8} pages  confidence {claimed:.3}  word F1 {observed:.3}"
            ));
        }
    }
}

/// The pages of a job's gold files.
struct PagesOfJob {
    /// To learn from.
    learned: Vec<Sample<Prepared>>,
    /// To stop early on.
    held_out: Vec<Sample<Prepared>>,
    /// How many are neither.
    left_out: usize,
}

impl PagesOfJob {
    fn read(job: &TrainJob, files: &[PathBuf], workers: usize) -> Result<PagesOfJob> {
        let extractor = Extractor::new(job.features.clone())?;
        let samples = prepare(files, &extractor, workers)?;
        let is_held_out = |sample: &Sample<Prepared>| job.dev.holds_out(job.host_key(&sample.gold));
        let (of_share, samples): (Vec<_>, Vec<_>) = samples.into_iter().partition(is_held_out);
        let mut held_out = prepare(&job.dev.gold, &extractor, workers)?;
        held_out.extend(of_share);
        let left_out = samples.iter().filter(|sample| !job.learns_from(sample)).count();
        let is_chosen = job.choose(&samples.iter().collect::<Vec<_>>());
        let chosen = samples.into_iter().zip(is_chosen);
        Ok(PagesOfJob {
            learned: chosen
                .filter_map(|(sample, is_chosen)| is_chosen.then_some(sample))
                .collect(),
            held_out,
            left_out,
        })
    }

    /// What the pages are known by that the training looks at.
    fn known_by(&self) -> TrainingPages {
        let pages = self.learned.iter().chain(&self.held_out);
        pages.map(|sample| sample.digest).collect()
    }
}

/// Records in a model file which pages the job trains on.
///
/// # Errors
/// The card of the model counts other pages.
fn record_pages(arguments: &Train, job: &TrainJob, path: &Path) -> Result<Outcome> {
    let mut model = Model::load(path)?;
    let files = job.gold_files(&arguments.gold, &arguments.job)?;
    let read = PagesOfJob::read(job, &files, threads(arguments.workers))?;
    let card: toml::Table = toml::from_str(model.card()).unwrap_or_default();
    let pages = read.learned.len();
    let counted = card.get("pages").and_then(toml::Value::as_integer);
    if counted != i64::try_from(pages).ok() {
        let counted = counted.map_or("no number of pages".to_owned(), |count| format!("{count} pages"));
        bail!(
            "{}: its card has {counted}, but {} has {pages}: the model was trained on other pages",
            path.display(),
            arguments.job.display()
        );
    }
    let known_by = read.known_by();
    let count = console::grouped(known_by.len() as u64);
    model.set_training_pages(Some(known_by));
    model.save(path)?;
    console::say(&format!("{}: {count} training pages recorded", path.display()));
    Ok(Outcome::Done)
}

/// # Errors
/// The model could not be read again: its numbers are none.
fn check_numbers(trained: &Model) -> Result<()> {
    let read = trained.to_bytes().and_then(|bytes| Model::from_bytes(&bytes));
    read.context(
        "the training ended without numbers, and no model was written: l1, l2 or an exponent is too large",
    )?;
    Ok(())
}

/// What a model consists of: weights, trees.
fn made(model: &Model) -> String {
    let trees = [model.label_trees(), model.trees()].into_iter().flatten();
    [
        ("weights", model.nonzero()),
        ("trees", trees.map(|trees| trees.count).sum()),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(what, count)| format!("{} {what}", console::grouped(count as u64)))
    .collect::<Vec<_>>()
    .join(", ")
}

fn counted(pages: &[LabelledPage], what_for: &str) -> String {
    let blocks: usize = pages.iter().map(|(_, labels)| labels.len()).sum();
    format!(
        "{} pages, {} blocks {what_for}",
        console::grouped(pages.len() as u64),
        console::grouped(blocks as u64)
    )
}
