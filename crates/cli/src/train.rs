//! `gleaner train`: a model from pages with gold text.

use std::ops::ControlFlow;

use anyhow::{Context, Result, bail};
use gleaner_crf::{FeatureSpace, Label, Model, TrainConfig, train as train_crf};
use gleaner_features::{Columns, Extractor};

use crate::args::Train;
use crate::prepared::{prepare, threads};
use crate::train_job::TrainJob;
use crate::{Outcome, console};

/// Trains a model as a job file says.
pub(crate) fn run(arguments: &Train) -> Result<Outcome> {
    let job = TrainJob::read(&arguments.job)?;
    let Some(out) = arguments.out.clone().or(job.out.clone()) else {
        bail!(
            "{} does not say where the model goes: add out = \"NAME.gcrf\", or --out",
            arguments.job.display()
        );
    };
    let files = job.gold_files(&arguments.gold, &arguments.job)?;
    let workers = threads(arguments.workers);
    let extractor = Extractor::new(job.features.clone())?;
    let samples = prepare(&files, &extractor, workers)?;
    let blocks: usize = samples.iter().map(|sample| sample.value.labels.len()).sum();
    console::say(&format!(
        "{} pages, {} blocks",
        console::grouped(samples.len() as u64),
        console::grouped(blocks as u64)
    ));
    let pages: Vec<_> = samples
        .into_iter()
        .map(|sample| (sample.value.columns, sample.value.labels))
        .collect();
    let mut trained = fit(&job, &pages, workers, true)?;
    trained.set_card(toml::to_string(&job.card).context("the card cannot be written")?);
    trained.save(&out)?;
    console::say(&format!(
        "{}: {} weights",
        out.display(),
        console::grouped(trained.nonzero() as u64)
    ));
    Ok(Outcome::Done)
}

/// Trains on pages; tells of the progress if asked to.
pub(crate) fn fit(
    job: &TrainJob,
    pages: &[(Columns, Vec<Label>)],
    workers: usize,
    tell: bool,
) -> Result<Model> {
    let config = TrainConfig {
        threads: workers,
        ..job.training.clone()
    };
    let space = FeatureSpace::of(&job.features);
    let trained = train_crf(&space, pages, &config, &mut |progress| {
        if tell && progress.iteration % 10 == 0 {
            console::say(&format!(
                "iteration {:4}  objective {:.1}  gradient {:.2}  {}",
                progress.iteration,
                progress.objective,
                progress.gradient_norm,
                console::seconds(progress.elapsed),
            ));
        }
        ControlFlow::Continue(())
    })?;
    Ok(trained)
}
