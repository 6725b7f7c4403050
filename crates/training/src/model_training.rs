//! Trainings of models.

use std::path::PathBuf;

use gleaner_content::{Calibration, LabelledPage, Model, TrainingPages};
use gleaner_features::Extractor;
use gleaner_gold::Reliability;

use crate::Error;
use crate::fit::{TrainingSet, Watch, fit, labelled};
use crate::folds::{Validation, calibrate_by_others, calibration, cross_validate};
use crate::gold_pages::{GoldReader, Sample};
use crate::job::TrainJob;
use crate::prepared::Prepared;
use crate::set_scores::confidence_claims;

/// The pages of a job's gold files.
pub struct JobPages {
    /// To train on.
    pub learned: Vec<Sample<Prepared>>,
    /// For early stopping.
    pub held_out: Vec<Sample<Prepared>>,
    /// How many are neither, because their gold is not found on them.
    pub left_out: usize,
}

impl JobPages {
    /// Reads gold files, and those for early stopping.
    ///
    /// # Errors
    /// A file cannot be read, or a feature cannot be used.
    pub fn read(job: &TrainJob, files: &[PathBuf], reader: GoldReader<'_>) -> Result<JobPages, Error> {
        let extractor = Extractor::new(job.features.clone())?;
        let samples = reader.prepare(files, &extractor)?;
        let is_held_out = |sample: &Sample<Prepared>| job.dev.holds_out(job.host_key(&sample.gold));
        let (of_share, samples): (Vec<_>, Vec<_>) = samples.into_iter().partition(is_held_out);
        let mut held_out = reader.prepare(&job.dev.gold, &extractor)?;
        held_out.extend(of_share);
        let left_out = samples.iter().filter(|sample| !job.learns_from(sample)).count();
        let is_chosen = job.choose(&samples.iter().collect::<Vec<_>>());
        let chosen = samples.into_iter().zip(is_chosen);
        Ok(JobPages {
            learned: chosen
                .filter_map(|(sample, is_chosen)| is_chosen.then_some(sample))
                .collect(),
            held_out,
            left_out,
        })
    }

    /// The digests of the pages that the training uses.
    pub fn training_pages(&self) -> TrainingPages {
        let pages = self.learned.iter().chain(&self.held_out);
        pages.map(|sample| sample.digest).collect()
    }
}

/// Calibrates the expected word F1 of pages, by models that were not trained on them. The second value is the reliability
/// of each fold, calibrated by the others.
///
/// # Errors
/// There is one page only, or a training fails.
pub fn calibrate(
    job: &TrainJob,
    samples: &[Sample<Prepared>],
    validation: Validation<'_>,
    report: &mut dyn FnMut(u16),
) -> Result<(Calibration, Reliability), Error> {
    let mut scored = cross_validate(job, samples, validation, report)?;
    let calibration = calibration(scored.iter());
    calibrate_by_others(&mut scored, validation.folds);
    Ok((calibration, confidence_claims(scored.iter())))
}

/// Trains a model with its card and the record of its pages.
///
/// # Errors
/// No page is held out, the training is stopped or fails, or it ends without numbers.
pub fn train_model(
    job: &TrainJob,
    pages: JobPages,
    calibration: Calibration,
    workers: usize,
    watch: Watch<'_>,
) -> Result<Model, Error> {
    let training_pages = pages.training_pages();
    let dev: Vec<LabelledPage> = labelled(pages.held_out);
    let training_set = TrainingSet::new(job, pages.learned);
    let mut trained = fit(job, &training_set, &dev, workers, watch)?;
    trained.set_card(toml::to_string(&job.card(training_set.labelled.len())?)?);
    trained.set_calibration(calibration);
    trained.set_training_pages(Some(training_pages));
    let read = trained.to_bytes().and_then(|bytes| Model::from_bytes(&bytes));
    read.map_err(Error::NoNumbers)?;
    Ok(trained)
}
