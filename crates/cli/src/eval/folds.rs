//! Cross-validation: pages scored by models that have not seen them.

use std::path::PathBuf;

use anyhow::Result;
use gleaner_features::Extractor;

use super::page::{Scored, score};
use crate::console;
use crate::gold_pages::Sample;
use crate::prepared::{Prepared, prepare};
use crate::train::fit;
use crate::train_job::TrainJob;

/// Each fold scored by a model trained on the others.
pub(super) fn cross_validate(
    job: &TrainJob,
    files: &[PathBuf],
    folds: u16,
    workers: usize,
) -> Result<Vec<Scored>> {
    let samples = prepare(files, &Extractor::new(job.features.clone())?, workers)?;
    let fold_of = |sample: &Sample<Prepared>| fold(&sample.gold.url, folds);
    let mut scored = Vec::new();
    for held_out in 0..folds {
        let others = samples.iter().filter(|sample| fold_of(sample) != held_out);
        let pages: Vec<_> = others
            .map(|sample| (sample.value.columns.clone(), sample.value.labels.clone()))
            .collect();
        let trained = fit(job, &pages, workers, false)?;
        scored.extend(score(
            samples.iter().filter(|sample| fold_of(sample) == held_out),
            &trained,
        ));
        console::say(&format!("fold {} of {folds} is done", held_out + 1));
    }
    Ok(scored)
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
