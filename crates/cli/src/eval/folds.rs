//! Cross-validation: pages scored by models that have not seen them.

use anyhow::Result;

use super::page::{Scored, score};
use crate::gold_pages::Sample;
use crate::prepared::Prepared;
use crate::train::fit;
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
        let pages: Vec<_> = samples
            .iter()
            .zip(&fold_of)
            .filter(|&(_, &fold)| fold != held_out)
            .map(|(sample, _)| (sample.value.columns.clone(), sample.value.labels.clone()))
            .collect();
        let trained = fit(job, &pages, workers, false)?;
        let places: Vec<usize> = (0..samples.len()).filter(|&at| fold_of[at] == held_out).collect();
        let pages = places.iter().map(|&at| &samples[at]);
        for (&at, page) in places.iter().zip(score(pages, &trained, held_out)) {
            scored[at] = Some(page);
        }
        tell(held_out + 1);
    }
    Ok(scored.into_iter().flatten().collect())
}

/// The fold of a page by its host, the same in every run. A host under the reserved domain
/// `example` stands for one that is not known: such a page goes by its whole URL.
fn fold(url: &str, folds: u16) -> u16 {
    let host = url.split_once("://").map_or(url, |(_, rest)| {
        rest.split(['/', '?', '#']).next().unwrap_or(rest)
    });
    let key = if host.ends_with(".example") { url } else { host };
    (xxhash_rust::xxh3::xxh3_64(key.as_bytes()) % u64::from(folds)) as u16
}
