//! The pessimistic error estimate for pruning.

/// Estimates errors on unseen rows: the upper confidence limit of the binomial distribution in the normal approximation, as
/// in C4.5.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    confidence: f64,
    /// The normal quantile of the confidence.
    z: f64,
}

impl Estimate {
    pub(crate) fn new(confidence: f64) -> Estimate {
        Estimate {
            confidence,
            z: normal_quantile(1.0 - confidence),
        }
    }

    /// The errors to add to the `errors` among `rows` training rows.
    pub(crate) fn extra_errors(&self, rows: f64, errors: f64) -> f64 {
        if errors < 1.0 {
            let none = rows * (1.0 - self.confidence.powf(1.0 / rows));
            if errors == 0.0 {
                return none;
            }
            return none + errors * (self.extra_errors(rows, 1.0) - none);
        }
        if errors + 0.5 >= rows {
            return (rows - errors).max(0.0);
        }
        let (z, share) = (self.z, (errors + 0.5) / rows);
        let spread = z * (share / rows - share * share / rows + z * z / (4.0 * rows * rows)).sqrt();
        let limit = (share + z * z / (2.0 * rows) + spread) / (1.0 + z * z / rows);
        limit * rows - errors
    }
}

/// The quantile of the standard normal distribution.
fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if normal_below(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The cumulative distribution function of the standard normal distribution: a series around zero, a continued fraction
/// in the tails.
fn normal_below(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x.abs() < 5.0 {
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 + density * sum;
    }
    let tail = (1..=60)
        .rev()
        .fold(0.0, |tail, k| f64::from(k) / (x.abs() + tail));
    let outside = density / (x.abs() + tail);
    if x < 0.0 { outside } else { 1.0 - outside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (probability, expected) in [
            (0.5, 0.0),
            (0.75, 0.674_489_750_196_081_7),
            (0.975, 1.959_963_984_540_054),
        ] {
            assert!((normal_quantile(probability) - expected).abs() < 1e-12);
        }
        assert!((normal_below(-6.0) - 9.865_876_450_377e-10).abs() < 1e-20);
    }

    #[test]
    fn estimates_are_those_of_c45() {
        // Quinlan 1993, 4.2: U25%(0,6) = .206, U25%(0,9) = .143, U25%(1,16) = .157.
        let estimate = Estimate::new(0.25);
        let limit = |errors: f64, rows: f64| (errors + estimate.extra_errors(rows, errors)) / rows;
        assert!((limit(0.0, 6.0) - 0.206).abs() < 1e-3);
        assert!((limit(0.0, 9.0) - 0.143).abs() < 1e-3);
        assert!((limit(1.0, 16.0) - 0.157).abs() < 3e-3);
        assert_eq!(estimate.extra_errors(3.0, 3.0), 0.0);
        assert!(limit(0.5, 10.0) > limit(0.0, 10.0) && limit(0.5, 10.0) < limit(1.0, 10.0));
    }
}
