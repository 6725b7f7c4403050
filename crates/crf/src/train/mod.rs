//! Training: the weights under which the gold labels are most probable.

mod bags;
mod boost;
mod config;
mod content;
mod gate;
mod inference;
mod label_trees;
mod lbfgs;
mod pages;
mod parallel;
mod problem;
mod progress;
mod soft_f;
mod strips;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Instant;

use gleaner_features::Columns;

use crate::{Error, FeatureSpace, Label, Model};
pub use boost::TreesConfig;
pub use config::{PageWeight, TrainConfig};
pub use content::{ContentConfig, ContentPage, train_content};
use lbfgs::{Settings, State};
use pages::Pages;
use problem::Problem;
use progress::Forecast;
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
        return Err(Error::Setting {
            setting: "trees",
            detail: "that count alone do not stop early: hold no pages out, or have share below 1".into(),
        });
    }
    let mut model = Model::zero(
        space.clone(),
        config.labels.clone(),
        config.template.clone(),
        config.decoder,
    )?;
    let weights = if config.counts_weights() {
        train_weights(&model, pages, dev, config, progress)?
    } else {
        Vec::new()
    };
    if let Some(trees) = &config.trees {
        let pages = Pages::new(&model, pages, config.page_weight, "training")?;
        model.label_trees = label_trees::train(&model, &pages, trees, config.threads(), progress)?;
    }
    model
        .transitions
        .iter_mut()
        .chain(&mut model.weights)
        .zip(weights)
        .for_each(|(to, from)| *to = from);
    Ok(model)
}

/// The weights of a model: transitions, then a weight a label for each attribute.
fn train_weights(
    model: &Model,
    pages: &[LabelledPage],
    dev: &[LabelledPage],
    config: &TrainConfig,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<f32>, Error> {
    let mut problem = Problem::new(model, pages, config)?;
    let dev = Pages::new(model, dev, config.page_weight, "dev")?;
    let weights = minimise(&mut problem, &dev, config, progress);
    Ok(problem.expand(&weights))
}

/// The weights of the lowest objective, or of those on the way there the best on pages held out.
fn minimise(
    problem: &mut Problem<'_>,
    dev: &Pages<'_>,
    config: &TrainConfig,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Vec<f64> {
    let mut weights = vec![0.0; problem.size()];
    let curvature = problem.curvature().to_vec();
    let settings = Settings {
        l1: config.l1,
        memory: config.memory,
        max_iterations: config.max_iterations,
        epsilon: config.epsilon,
        delta: config.delta,
        period: config.period,
    };
    let start = Instant::now();
    let mut forecast = Forecast::new(config);
    let mut best = Best::default();
    // (Evaluation and report take turns, but the compiler cannot know.)
    let problem = RefCell::new(problem);
    let mut function = |at: &[f64], gradient: &mut [f64]| problem.borrow_mut().evaluate(at, gradient);
    lbfgs::minimise(
        &mut weights,
        &curvature,
        &settings,
        &mut function,
        &mut |state, at| {
            let dev_loss = (!dev.list.is_empty()).then(|| problem.borrow().loss_on(dev, at));
            let stale = dev_loss.is_some_and(|loss| best.offer(state.iteration, loss, at) >= config.patience);
            let State {
                iteration,
                objective,
                gradient_norm,
                evaluations,
            } = *state;
            let told = progress(&Progress {
                part: TrainingPart::Labels,
                iteration,
                objective,
                gradient_norm: Some(gradient_norm),
                evaluations,
                dev_loss,
                elapsed: start.elapsed(),
                iterations_left: forecast.iterations_left(iteration, objective),
            });
            if stale { ControlFlow::Break(()) } else { told }
        },
    );
    if best.weights.is_empty() {
        weights
    } else {
        best.weights
    }
}

/// The weights with the smallest loss on the pages held out.
#[derive(Default)]
struct Best {
    iteration: usize,
    loss: f64,
    weights: Vec<f64>,
}

impl Best {
    /// Keeps the weights if they are better; gives how many iterations ago the best were found.
    fn offer(&mut self, iteration: usize, loss: f64, weights: &[f64]) -> usize {
        if self.weights.is_empty() || loss < self.loss {
            self.weights.clear();
            self.weights.extend_from_slice(weights);
            (self.iteration, self.loss) = (iteration, loss);
        }
        iteration - self.iteration
    }
}
