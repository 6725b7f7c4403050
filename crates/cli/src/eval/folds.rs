//! Cross-validation: pages scored by models that have not seen them.

use anyhow::Result;

use super::page::{Scored, score};
use crate::gold_pages::{Sample, host_key};
use crate::prepared::Prepared;
use crate::train::fit_samples;
use crate::train_job::TrainJob;

/// Each fold scored by a model trained on the others, in the order of the samples. Tells of each
/// fold that is done.
pub(super) fn cross_validate<'a>(
    job: &TrainJob,
    samples: &'a [Sample<Prepared>],
    folds: u16,
    workers: usize,
    tell: &mut dyn FnMut(u16),
) -> Result<Vec<Scored<'a>>> {
    let fold_of: Vec<u16> = samples
        .iter()
        .map(|sample| fold(&sample.gold.url, folds))
        .collect();
    let mut scored: Vec<Option<Scored<'a>>> = samples.iter().map(|_| None).collect();
    for held_out in 0..folds {
        let others = samples
            .iter()
            .zip(&fold_of)
            .filter(|&(_, &fold)| fold != held_out);
        let trained = fit_samples(job, others.map(|(sample, _)| sample), workers)?;
        let places: Vec<usize> = (0..samples.len()).filter(|&at| fold_of[at] == held_out).collect();
        let pages = places.iter().map(|&at| &samples[at]);
        for (&at, page) in places.iter().zip(score(pages, &trained, held_out)) {
            scored[at] = Some(page);
        }
        tell(held_out + 1);
    }
    Ok(scored.into_iter().flatten().collect())
}

/// The fold of a page by its host, the same in every run.
pub(super) fn fold(url: &str, folds: u16) -> u16 {
    (xxhash_rust::xxh3::xxh3_64(host_key(url).as_bytes()) % u64::from(folds)) as u16
}
