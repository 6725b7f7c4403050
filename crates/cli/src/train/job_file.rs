//! Reads job files of trainings.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use gleaner_training::{Job, TrainJob};

use crate::args::job_text::{JobText, is_training};

/// Reads a job file.
///
/// # Errors
/// The file cannot be read, or a key or a value is wrong.
pub(super) fn read(path: &Path) -> Result<Job> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read the job file {}", path.display()))?;
    let job = Job::from_toml(&text).map_err(|error| not_for_training(path, &text, &error))?;
    job.check()
        .with_context(|| format!("the job file {} has an error", path.display()))?;
    Ok(job)
}

/// Reads the job file of a model.
///
/// # Errors
/// As [`read`], or the job is for page kinds.
pub(crate) fn read_model_job(path: &Path) -> Result<TrainJob> {
    match read(path)? {
        Job::Model(job) => Ok(*job),
        Job::Kinds(_) => bail!(
            "{} is a job for page kinds: name a job for a model",
            path.display()
        ),
    }
}

/// Why a file is no training job: it may be one of `gleaner run`.
fn not_for_training(path: &Path, text: &str, error: &toml::de::Error) -> anyhow::Error {
    let of_a_build = toml::from_str(text).is_ok_and(|job: toml::Table| {
        (job.contains_key("inputs") || job.contains_key("out"))
            && !is_training(job.keys().map(String::as_str))
    });
    if of_a_build {
        return anyhow!("{0} is a job of a build: use gleaner run {0}", path.display());
    }
    JobText::new(path, text).error(error)
}
