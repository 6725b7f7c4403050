//! How far a training has come.

use std::collections::VecDeque;
use std::time::Duration;

use super::ChainConfig;

/// Where a training stands after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// How many iterations are done.
    pub number: usize,
    /// What is minimised: negative log-likelihood, regularisation, and what else is set.
    pub objective: f64,
    /// The length of the gradient.
    pub gradient_norm: f64,
    /// How often the objective was computed, all iterations together.
    pub evaluations: usize,
    /// The same of the pages held out, if there are any: without regularisation, in the mean of a
    /// block.
    pub dev_loss: Option<f64>,
    /// Time since the training began.
    pub elapsed: Duration,
    /// Estimate of the iterations left, from how the objective falls.
    pub left: usize,
}

/// Guesses when the objective will have stalled, from how its fall slows down.
pub(super) struct Forecast {
    max_iterations: usize,
    period: usize,
    delta: f64,
    /// The objective after each of the last iterations: two periods.
    past: VecDeque<f64>,
}

impl Forecast {
    pub(super) fn new(config: &ChainConfig) -> Forecast {
        Forecast {
            max_iterations: config.max_iterations,
            period: config.period,
            delta: config.delta,
            past: VecDeque::new(),
        }
    }

    /// Takes note of an iteration; gives how many more there will be.
    pub(super) fn iterations_left(&mut self, iteration: usize, objective: f64) -> usize {
        let most = self.max_iterations.saturating_sub(iteration);
        self.past.push_back(objective);
        if self.past.len() <= 2 * self.period {
            return most;
        }
        let left = self.until_stalled();
        self.past.pop_front();
        left.map_or(most, |left| left.min(most))
    }

    /// Assumes that the decrease per period keeps shrinking at the current rate.
    fn until_stalled(&self) -> Option<usize> {
        let fall = |from: usize| {
            let (before, after) = (self.past.get(from)?, self.past.get(from + self.period)?);
            Some((before - after) / after.abs().max(f64::MIN_POSITIVE))
        };
        let (earlier, latest) = (fall(0)?, fall(self.period)?);
        if self.period == 0 || latest >= earlier || latest <= 0.0 || self.delta <= 0.0 {
            return None;
        }
        let periods = (self.delta / latest).ln() / (latest / earlier).ln();
        Some((periods.max(0.0) * self.period as f64).ceil() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(max_iterations: usize, period: usize) -> Forecast {
        Forecast {
            max_iterations,
            period,
            delta: 1e-5,
            past: VecDeque::new(),
        }
    }

    #[test]
    fn an_objective_that_falls_by_halves_stalls_when_it_should() {
        // 1 + 2^(-i / 5): in ten iterations it falls by 3 * 2^(-i / 5), which is 1e-5 at i = 91.
        let objective = |iteration: usize| 1.0 + (iteration as f64 / -5.0).exp2();
        let mut forecast = forecast(1000, 10);
        for iteration in 1..=60 {
            let left = forecast.iterations_left(iteration, objective(iteration));
            match iteration {
                ..=20 => assert_eq!(left, 1000 - iteration),
                21..=40 => assert!((70..=100).contains(&(iteration + left)), "{iteration} {left}"),
                _ => assert!((89..=95).contains(&(iteration + left)), "{iteration} {left}"),
            }
        }
    }

    #[test]
    fn without_a_trend_the_limit_is_all_there_is() {
        let mut forecast = forecast(50, 2);
        for iteration in 1..=60usize {
            // (It halves, again and again.)
            let left = forecast.iterations_left(iteration, (-(iteration as f64)).exp2());
            assert_eq!(left, 50usize.saturating_sub(iteration));
        }
    }
}
