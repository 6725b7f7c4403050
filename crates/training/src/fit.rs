//! From pages to a model.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_content::{
    ContentPage, FeatureSpace, LabelledPage, Model, Progress, TrainConfig, train_content, train_with_dev,
};
use gleaner_features::Extractor;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Error;
use crate::gold_pages::{GoldReader, Sample};
use crate::job::TrainJob;
use crate::prepared::Prepared;

/// How a training reports and ends.
pub struct Watch<'w> {
    /// Ends the training when it is set.
    pub stop: &'w AtomicBool,
    /// Called after each iteration.
    pub report: &'w mut dyn FnMut(&Progress),
}

/// Pages to train on.
#[derive(Default)]
pub(crate) struct TrainingSet {
    pub(crate) labelled: Vec<LabelledPage>,
    /// Of the same pages.
    facts: Vec<PageFacts>,
}

/// What the training of content needs of a page beside features and labels.
struct PageFacts {
    words: Vec<u32>,
    kind: String,
    convention: Option<String>,
    group: u64,
}

impl TrainingSet {
    pub(crate) fn new(job: &TrainJob, samples: Vec<Sample<Prepared>>) -> TrainingSet {
        let mut set = TrainingSet::default();
        for sample in samples {
            set.facts.push(PageFacts::new(job, &sample));
            set.labelled
                .push((sample.value.page.columns, sample.value.labels));
        }
        set
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
    fn new(job: &TrainJob, sample: &Sample<Prepared>) -> PageFacts {
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

/// Trains on some of the samples as the job says.
pub(crate) fn fit_samples<'a>(
    job: &TrainJob,
    samples: impl Iterator<Item = &'a Sample<Prepared>>,
    reader: GoldReader<'_>,
    stop: &AtomicBool,
) -> Result<Model, Error> {
    let report = &mut |_: &Progress| {};
    let (mut pages, mut dev) = (TrainingSet::default(), Vec::new());
    let samples: Vec<_> = samples.collect();
    for (sample, is_chosen) in samples.iter().zip(job.choose(&samples)) {
        let page = (sample.value.page.columns.clone(), sample.value.labels.clone());
        if job.dev.holds_out(job.host_key(&sample.gold)) {
            dev.push(page);
        } else if is_chosen {
            pages.labelled.push(page);
            pages.facts.push(PageFacts::new(job, sample));
        }
    }
    if !job.dev.gold.is_empty() {
        let extractor = Extractor::new(job.features.clone())?;
        dev.extend(labelled(reader.prepare(&job.dev.gold, &extractor)?));
    }
    fit(job, &pages, &dev, reader.workers, Watch { stop, report })
}

/// Trains on pages, with early stopping if there are any in `dev`. Ends with an error once it is stopped.
pub(crate) fn fit(
    job: &TrainJob,
    pages: &TrainingSet,
    dev: &[LabelledPage],
    workers: usize,
    Watch { stop, report }: Watch<'_>,
) -> Result<Model, Error> {
    if job.dev.is_asked_for() && dev.is_empty() {
        return Err(Error::NothingHeldOut);
    }
    let config = TrainConfig {
        threads: workers,
        ..job.training.clone()
    };
    let space = FeatureSpace::of(&job.features);
    let mut follow = |progress: &Progress| {
        report(progress);
        if stop.load(Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut trained = train_with_dev(&space, &pages.labelled, dev, &config, &mut follow);
    if let Some(content) = &job.content
        && !stop.load(Relaxed)
    {
        let learn = |model| train_content(model, &pages.content_pages(), content, workers, &mut follow);
        trained = trained.and_then(learn);
    }
    if stop.load(Relaxed) {
        return Err(Error::Interrupted);
    }
    Ok(trained?)
}
