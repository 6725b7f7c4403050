//! Training of a whole model: the chain of its labels, trees that judge beside it, and the judgement of content.

mod config;
mod content;
mod gate;
mod label_trees;
mod page_kinds;
mod pages;
mod progress;

use std::ops::ControlFlow;

use gleaner_columns::Columns;
use gleaner_crf::TrainingPage;

use crate::{Error, FeatureSpace, Label, Model};
pub use config::TrainConfig;
pub use content::{ContentConfig, ContentPage, train_content};
pub use page_kinds::{PageKindsConfig, PageOfKind, train_page_kinds};
use pages::training_pages;
pub use progress::{Progress, TrainingPart};

/// A page's columns and the labels of its blocks.
pub type LabelledPage = (Columns, Vec<Label>);

/// Trains a model on pages whose blocks are labelled. `progress` is called after each iteration
/// and may end the training there, with the weights as they are.
///
/// # Errors
/// Settings out of range, a template or pages that do not fit the features, no blocks at all.
pub fn train(
    space: &FeatureSpace,
    pages: &[LabelledPage],
    config: &TrainConfig,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Model, Error> {
    train_with_dev(space, pages, &[], config, progress)
}

/// The same with early stopping: the weights are those of all met on the way with which the loss of
/// `dev`, pages that are held out, is smallest. The training ends when it has not fallen for
/// [`patience`](TrainConfig::patience) iterations. (Without any block in `dev` this is [`train()`].)
///
/// # Errors
/// As [`train()`].
pub fn train_with_dev(
    space: &FeatureSpace,
    pages: &[LabelledPage],
    dev: &[LabelledPage],
    config: &TrainConfig,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Model, Error> {
    config.check()?;
    if !dev.is_empty() && !config.counts_weights() {
        return Err(Error::Setting(
            "trees",
            "that count alone do not stop early: hold no pages out, or have share below 1".into(),
        ));
    }
    let mut model = Model::zero(
        space.clone(),
        config.labels.clone(),
        config.template.clone(),
        config.decoder,
    )?;
    let pages = training_pages(&model, pages, "training")?;
    let dev = training_pages(&model, dev, "dev")?;
    if config.counts_weights() {
        train_chain(&mut model, &pages, &dev, config, progress)?;
    }
    if let Some(trees) = &config.trees {
        let weight = config.page_weight;
        model.label_trees = label_trees::train(&model, &pages, weight, trees, config.threads(), progress)?;
    }
    Ok(model)
}

/// Trains the weights of a model's chain.
fn train_chain(
    model: &mut Model,
    pages: &[TrainingPage<'_>],
    dev: &[TrainingPage<'_>],
    config: &TrainConfig,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(), Error> {
    let labels = model.labels.len();
    let weights = gleaner_crf::train(
        &model.template,
        labels,
        pages,
        dev,
        &config.chain(),
        &mut |iteration| progress(&Progress::of_labels(iteration)),
    )?;
    model.transitions = weights.transitions;
    model.weights = weights.attributes;
    Ok(())
}
