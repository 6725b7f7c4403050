//! `gleaner train`: models, tables of page kinds, and trees.

mod job_file;
mod kinds;
mod model;
mod progress;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gleaner_training::Job;

pub(crate) use self::job_file::read_model_job;
use crate::args::Train;
use crate::inputs::output::check_output;
use crate::result_pages;
use crate::terminal::Outcome;
use crate::terminal::signals::Signals;

pub(crate) fn run(arguments: &Train, signals: Signals<'_>) -> Result<Outcome> {
    if arguments.tree.tree {
        return result_pages::train(arguments);
    }
    let path = &arguments.job;
    match job_file::read(path)? {
        Job::Model(job) => match &arguments.record_pages {
            Some(file) => model::record_pages(arguments, &job, file),
            None => model::train(arguments, &job, signals),
        },
        Job::Kinds(_) if !arguments.gold.is_empty() || arguments.record_pages.is_some() => bail!(
            "{} names the pages of known kinds, and makes no model: leave out GOLD and --record-pages",
            path.display()
        ),
        Job::Kinds(job) => kinds::train(arguments, &job),
    }
}

/// The file to write: that of `--out`, else that of the job. It must not be one of the inputs.
fn output<'p>(
    arguments: &'p Train,
    of_job: Option<&PathBuf>,
    example: &str,
    inputs: impl Iterator<Item = &'p Path>,
) -> Result<PathBuf> {
    let Some(out) = arguments.out.as_ref().or(of_job) else {
        bail!(
            "{} names no file to write: add out = \"{example}\", or give --out",
            arguments.job.display()
        );
    };
    check_output(out, inputs.chain([arguments.job.as_path()]))?;
    Ok(out.clone())
}
