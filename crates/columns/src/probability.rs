//! Probabilities and log odds, the same on every machine.

use crate::exp::exp;
use crate::logarithm::ln;

/// Log odds beyond this are as good as certain.
const LARGEST_LOGIT: f64 = 12.0;

/// Odds whose logarithm is a little more than that.
const LARGEST_ODDS: f64 = 163_000.0;

/// 1 / (1 + exp(-x)).
pub fn sigmoid(x: f64) -> f64 {
    let small = exp(-x.abs());
    let larger = 1.0 / (1.0 + small);
    if x < 0.0 { small * larger } else { larger }
}

/// The log odds of a probability, from -12 to 12.
pub fn logit(probability: f32) -> f32 {
    let probability = f64::from(probability);
    let odds = (probability / (1.0 - probability)).clamp(1.0 / LARGEST_ODDS, LARGEST_ODDS);
    ln(odds).clamp(-LARGEST_LOGIT, LARGEST_LOGIT) as f32
}

/// A probability whose log odds have changed by something.
pub fn shifted(probability: f32, by: f64) -> f32 {
    let content = f64::from(probability) * exp(by);
    let noise = 1.0 - f64::from(probability);
    (content / (content + noise)) as f32
}

/// Turns scores into probabilities.
pub fn softmax(scores: &mut [f64]) {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for score in &mut *scores {
        *score = exp(*score - largest);
    }
    let sum: f64 = scores.iter().sum();
    for score in scores {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_definition() {
        for x in [-800.0, -3.0, -0.1, 0.0, 0.1, 3.0, 800.0f64] {
            assert!((sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 1e-12, "{x}");
        }
        let scores = [1.0, 3.0, -2.0f64];
        let mut found = scores;
        softmax(&mut found);
        let sum = 1f64.exp() + 3f64.exp() + (-2f64).exp();
        for (found, score) in found.iter().zip(scores) {
            assert!((found - score.exp() / sum).abs() < 1e-12);
        }
    }

    #[test]
    fn log_odds_are_those_of_the_definition_within_bounds() {
        for p in [0.001f32, 0.25, 0.4999, 0.5, 0.7, 0.99999] {
            let odds = f64::from(p) / (1.0 - f64::from(p));
            assert_eq!(logit(p), odds.ln() as f32, "{p}");
        }
        assert_eq!([0.0, 1e-9, 1.0].map(logit), [-12.0, -12.0, 12.0]);
    }

    #[test]
    fn log_odds_are_shifted() {
        for by in [-3.0, 0.0, 0.5] {
            let found = logit(shifted(0.3, by)) - logit(0.3);
            assert!((f64::from(found) - by).abs() < 1e-5, "{by} {found}");
        }
    }
}
