//! From pages to a model, as a job says.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Result, bail};
use gleaner_content::{
    ContentPage, FeatureSpace, LabelledPage, Model, Progress, TrainConfig, train_content, train_with_dev,
};
use gleaner_features::Extractor;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::gold_pages::Sample;
use crate::prepared::{Prepared, prepare};
use crate::signals::stop_on_signals;
use crate::train_job::TrainJob;
use crate::train_told::Told;

/// Pages to learn from.
#[derive(Default)]
pub(crate) struct Lesson {
    pub(crate) labelled: Vec<LabelledPage>,
    /// Of the same pages.
    facts: Vec<PageFacts>,
}

/// What the training of content asks of a page beside features and labels.
struct PageFacts {
    words: Vec<u32>,
    kind: String,
    convention: Option<String>,
    group: u64,
}

impl Lesson {
    pub(crate) fn of(job: &TrainJob, samples: Vec<Sample<Prepared>>) -> Lesson {
        let mut lesson = Lesson::default();
        for sample in samples {
            lesson.facts.push(PageFacts::of(job, &sample));
            lesson
                .labelled
                .push((sample.value.page.columns, sample.value.labels));
        }
        lesson
    }

    fn content_pages(&self) -> Vec<ContentPage<'_>> {
        let pages = self.labelled.iter().zip(&self.facts);
        pages
            .map(|((columns, labels), facts)| ContentPage {
                columns,
                labels,
                words: &facts.words,
                kind: &facts.kind,
                convention: facts.convention.as_deref(),
                group: facts.group,
            })
            .collect()
    }
}

impl PageFacts {
    fn of(job: &TrainJob, sample: &Sample<Prepared>) -> PageFacts {
        PageFacts {
            words: sample.value.page.layout.sizes().to_vec(),
            kind: job.kind(&sample.value.kind).to_owned(),
            convention: job.convention(&sample.value.set).map(str::to_owned),
            // (A seed of its own: cross-validation takes the remainder of the plain hash.)
            group: xxh3_64_with_seed(job.host_key(&sample.gold).as_bytes(), 2),
        }
    }
}

pub(crate) fn labelled(samples: Vec<Sample<Prepared>>) -> Vec<LabelledPage> {
    samples
        .into_iter()
        .map(|sample| (sample.value.page.columns, sample.value.labels))
        .collect()
}

/// Trains on some of the samples as the job says, without a word.
pub(crate) fn fit_samples<'a>(
    job: &TrainJob,
    samples: impl Iterator<Item = &'a Sample<Prepared>>,
    workers: usize,
) -> Result<Model> {
    let (mut pages, mut dev) = (Lesson::default(), Vec::new());
    let samples: Vec<_> = samples.collect();
    for (sample, is_chosen) in samples.iter().zip(job.choose(&samples)) {
        let page = (sample.value.page.columns.clone(), sample.value.labels.clone());
        if job.dev.holds_out(job.host_key(&sample.gold)) {
            dev.push(page);
        } else if is_chosen {
            pages.labelled.push(page);
            pages.facts.push(PageFacts::of(job, sample));
        }
    }
    if !job.dev.gold.is_empty() {
        let extractor = Extractor::new(job.features.clone())?;
        dev.extend(labelled(prepare(&job.dev.gold, &extractor, workers)?));
    }
    fit(job, &pages, &dev, workers, &mut Told::Nothing)
}

/// Trains on pages, with early stopping if there are any in `dev`. Ctrl-C ends it with an error.
pub(crate) fn fit(
    job: &TrainJob,
    pages: &Lesson,
    dev: &[LabelledPage],
    workers: usize,
    told: &mut Told,
) -> Result<Model> {
    if job.dev.is_asked_for() && dev.is_empty() {
        bail!("no page is held out for early stopping: give [dev] of the job a larger share, or gold files");
    }
    let config = TrainConfig {
        threads: workers,
        ..job.training.clone()
    };
    let space = FeatureSpace::of(&job.features);
    let stop = stop_on_signals()?;
    let mut go_on = |progress: &Progress| {
        told.tell(progress);
        if stop.load(Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut trained = train_with_dev(&space, &pages.labelled, dev, &config, &mut go_on);
    if let Some(content) = &job.content
        && !stop.load(Relaxed)
    {
        let learn = |model| train_content(model, &pages.content_pages(), content, workers, &mut go_on);
        trained = trained.and_then(learn);
    }
    told.end();
    if stop.load(Relaxed) {
        bail!("interrupted: no model was written");
    }
    Ok(trained?)
}
