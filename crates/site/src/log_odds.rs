//! Probabilities and log odds.

/// Log odds are cut to this in both directions: what is beyond is as good as certain.
const LARGEST: f32 = 12.0;

/// The log odds of a probability: ln(p / (1 - p)), cut to -12 to 12.
pub fn logit(probability: f32) -> f32 {
    let probability = f64::from(probability);
    let odds = probability / (1.0 - probability);
    (odds.ln() as f32).clamp(-LARGEST, LARGEST)
}

/// The probability of log odds: 1 / (1 + exp(-x)).
pub fn probability(logit: f32) -> f32 {
    (1.0 / (1.0 + (-f64::from(logit)).exp())) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_and_probabilities_are_inverse() {
        assert_eq!((logit(0.5), probability(0.0)), (0.0, 0.5));
        assert_eq!((logit(0.0), logit(1.0)), (-12.0, 12.0));
        for p in [0.0, 1e-30, 0.1, 0.5, 0.75, 0.999, 1.0] {
            assert!((probability(logit(p)) - p).abs() < 1e-5, "{p}");
        }
        assert!((logit(0.75) - 3f32.ln()).abs() < 1e-6);
    }
}
