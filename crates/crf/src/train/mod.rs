//! Training: the weights under which the gold labels are most probable.

mod config;
mod inference;
mod pages;
mod problem;
mod progress;
mod strips;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Instant;

use gleaner_columns::Columns;

use crate::Error;
use crate::lbfgs::{self, DescentState, Settings};
use crate::template::Template;
pub use config::{ChainConfig, PageWeight};
use pages::Pages;
use problem::Problem;
use progress::Forecast;
pub use progress::Iteration;

/// A page's columns and the labels of its blocks, checked.
#[derive(Clone, Debug)]
pub struct TrainingPage<'a> {
    columns: &'a Columns,
    gold: Vec<u8>,
}

/// The weights of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainWeights {
    /// Row by row: the label before, the label after.
    pub transitions: Vec<f32>,
    /// Attribute by attribute, a weight a label.
    pub attributes: Vec<f32>,
}

/// Trains the weights of a template for `labels` labels. `progress` is called after each iteration and may end the training
/// there, with the weights as they are.
///
/// With pages in `dev`, which are held out, the weights are those of all met on the way with which the loss of these pages is
/// smallest. The training ends when it has not fallen for [`patience`](ChainConfig::patience) iterations.
///
/// # Errors
/// Settings out of range, no blocks at all.
pub fn train(
    template: &Template,
    labels: usize,
    pages: &[TrainingPage<'_>],
    dev: &[TrainingPage<'_>],
    config: &ChainConfig,
    progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<ChainWeights, Error> {
    config.check()?;
    let mut problem = Problem::new(template, labels, pages, config)?;
    let dev = Pages::new(template.reach, dev, config.page_weight);
    let weights = minimise(&mut problem, &dev, config, progress);
    let mut transitions = problem.expand(&weights);
    let attributes = transitions.split_off(labels * labels);
    Ok(ChainWeights {
        transitions,
        attributes,
    })
}

/// The weights of the lowest objective, or of those on the way there the best on pages held out.
fn minimise(
    problem: &mut Problem<'_>,
    dev: &Pages<'_>,
    config: &ChainConfig,
    progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Vec<f64> {
    let mut weights = vec![0.0; problem.size()];
    let curvature = problem.curvature().to_vec();
    let settings = Settings {
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
            let DescentState {
                iteration,
                objective,
                gradient_norm,
                evaluations,
            } = *state;
            let flow = progress(&Iteration {
                number: iteration,
                objective,
                gradient_norm,
                evaluations,
                dev_loss,
                elapsed: start.elapsed(),
                left: forecast.iterations_left(iteration, objective),
            });
            if stale { ControlFlow::Break(()) } else { flow }
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
