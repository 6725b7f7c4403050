//! How far a training has come.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use gleaner_crf::Iteration;

/// What of a model is being trained: one after the other, those that its settings ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingPart {
    /// The weights of the labels: iterations are steps down the objective.
    Labels,
    /// The trees of the labels: iterations are trees, one for each label.
    LabelTrees,
    /// The weights of content.
    Content,
    /// The trees of content: iterations are trees.
    ContentTrees,
}

/// Where a training stands after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is being trained: the iterations, objective and times are its own.
    pub part: TrainingPart,
    /// How many iterations are done.
    pub iteration: usize,
    /// What is minimised: negative log-likelihood, regularisation, and what else is set.
    pub objective: f64,
    /// The length of the gradient; none where trees are added and no gradient is followed.
    pub gradient_norm: Option<f64>,
    /// How often the objective was computed, all iterations together.
    pub evaluations: usize,
    /// The same of the pages held out, if there are any: without regularisation, in the mean of a
    /// block.
    pub dev_loss: Option<f64>,
    /// Time since the training began.
    pub elapsed: Duration,
    /// Estimate of the iterations left, from how the objective falls.
    pub iterations_left: usize,
}

impl Progress {
    /// Of an iteration of the chain's training.
    pub(super) fn of_labels(iteration: &Iteration) -> Progress {
        Progress {
            part: TrainingPart::Labels,
            iteration: iteration.number,
            objective: iteration.objective,
            gradient_norm: Some(iteration.gradient_norm),
            evaluations: iteration.evaluations,
            dev_loss: iteration.dev_loss,
            elapsed: iteration.elapsed,
            iterations_left: iteration.left,
        }
    }

    /// How long the iterations left will take, if they take as long as those before.
    pub fn time_left(&self) -> Duration {
        self.elapsed / self.iteration.max(1) as u32 * self.iterations_left as u32
    }
}

/// Reports each boosting round of a part as an iteration, of `count`. The function takes the number of trees and the loss;
/// `false` stops the training.
pub(super) fn rounds<'p>(
    part: TrainingPart,
    count: usize,
    progress: &'p mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> impl FnMut(usize, f64) -> bool + use<'p> {
    let start = Instant::now();
    move |trees, loss| {
        let stands = Progress {
            part,
            iteration: trees,
            objective: loss,
            gradient_norm: None,
            evaluations: trees,
            dev_loss: None,
            elapsed: start.elapsed(),
            iterations_left: count - trees,
        };
        progress(&stands).is_continue()
    }
}
