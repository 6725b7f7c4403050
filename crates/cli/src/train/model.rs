//! Trains a model.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gleaner_content::{Calibration, Model, Progress};
use gleaner_gold::Reliability;
use gleaner_training::{JobPages, Prepared, Sample, TrainJob, Validation, Watch, calibrate, train_model};

use super::output;
use super::progress::ProgressLines;
use crate::args::Train;
use crate::inputs::gold::reader;
use crate::terminal::signals::Signals;
use crate::terminal::{
    Outcome,
    console::{self, grouped},
};

pub(super) fn train(arguments: &Train, job: &TrainJob, signals: Signals<'_>) -> Result<Outcome> {
    let files = gold_files(arguments, job)?;
    let read = files.iter().chain(&job.dev.gold).map(PathBuf::as_path);
    let out = output(arguments, job.out.as_ref(), "NAME.gcrf", read)?;
    let (reader, stop) = (reader(arguments.workers), signals.stop()?);
    let pages = JobPages::read(job, &files, reader)?;
    let validation = Validation {
        folds: job.confidence.folds,
        reader,
        convention: None,
        stop: &stop,
    };
    let calibration = match job.confidence.folds {
        0 => Calibration::default(),
        folds => {
            let (calibration, reliability) = calibrate(job, &pages.learned, validation, &mut |done| {
                console::say(&format!("confidence: fold {done} of {folds} is done"));
            })?;
            print_reliability(&reliability);
            calibration
        }
    };
    console::say(&counts(&pages.learned, "for training"));
    if job.dev.is_asked_for() {
        console::say(&counts(&pages.held_out, "held out"));
    }
    if pages.left_out > 0 {
        console::say(&format!(
            "left out {} more, on which less than {} of their gold's words are found",
            grouped(pages.left_out as u64),
            job.least_found
        ));
    }
    let mut lines = ProgressLines::new();
    let watch = Watch {
        stop: &stop,
        report: &mut |progress: &Progress| lines.add(progress),
    };
    let trained = train_model(job, pages, calibration, reader.workers, watch);
    lines.end();
    let trained = trained?;
    trained.save(&out)?;
    console::say(&format!("{}: {}", out.display(), parts(&trained)));
    Ok(Outcome::Done)
}

fn gold_files(arguments: &Train, job: &TrainJob) -> Result<Vec<PathBuf>> {
    let files = match arguments.gold.is_empty() {
        true => &job.gold,
        false => &arguments.gold,
    };
    if files.is_empty() {
        bail!(
            "{} has no gold files: add gold = [\"NAME.gold.jsonl\"], or name them after the job",
            arguments.job.display()
        );
    }
    Ok(files.clone())
}

/// Records in a model file which pages the job trains on.
///
/// # Errors
/// The card of the model counts other pages.
pub(super) fn record_pages(arguments: &Train, job: &TrainJob, path: &Path) -> Result<Outcome> {
    let mut model = Model::load(path)?;
    let files = gold_files(arguments, job)?;
    let read = JobPages::read(job, &files, reader(arguments.workers))?;
    let card: toml::Table = toml::from_str(model.card()).unwrap_or_default();
    let pages = read.learned.len();
    let of_card = card.get("pages").and_then(toml::Value::as_integer);
    if of_card != i64::try_from(pages).ok() {
        let of_card = of_card.map_or("no number of pages".to_owned(), |count| format!("{count} pages"));
        bail!(
            "{}: its card has {of_card}, but {} has {pages}: the model was trained on other pages",
            path.display(),
            arguments.job.display()
        );
    }
    let training_pages = read.training_pages();
    let count = grouped(training_pages.len() as u64);
    model.set_training_pages(Some(training_pages));
    model.save(path)?;
    console::say(&format!("{}: {count} training pages recorded", path.display()));
    Ok(Outcome::Done)
}

/// Prints the error, and a line per tenth of the confidence: the number of pages, their mean confidence and word F1.
fn print_reliability(claims: &Reliability) {
    let error = claims.expected_calibration_error();
    console::say(&format!(
        "confidence, each fold calibrated by the others: error {error:.4}"
    ));
    for bin in &claims.bins {
        if let Some((claimed, observed)) = bin.claimed().zip(bin.observed()) {
            let pages = grouped(bin.claims);
            console::say(&format!(
                "{pages:>8} pages  confidence {claimed:.3}  word F1 {observed:.3}"
            ));
        }
    }
}

fn parts(model: &Model) -> String {
    let trees = [model.label_trees(), model.trees()].into_iter().flatten();
    [
        ("weights", model.nonzero()),
        ("trees", trees.map(|trees| trees.count).sum()),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(what, count)| format!("{} {what}", grouped(count as u64)))
    .collect::<Vec<_>>()
    .join(", ")
}

fn counts(samples: &[Sample<Prepared>], what_for: &str) -> String {
    let blocks: usize = samples.iter().map(|sample| sample.value.labels.len()).sum();
    format!(
        "{} pages, {} blocks {what_for}",
        grouped(samples.len() as u64),
        grouped(blocks as u64)
    )
}
