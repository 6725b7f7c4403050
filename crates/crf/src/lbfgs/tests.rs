//! Minima that are known otherwise.

use proptest::prelude::*;

use super::*;

const SETTINGS: Settings = Settings {
    memory: 10,
    max_iterations: 2000,
    epsilon: 1e-10,
    delta: 0.0,
    period: 0,
};

/// `|A x - b|^2 / 2 + l2 |x|^2 / 2`, least squares with a ridge: strictly convex.
#[derive(Clone, Debug)]
struct Squares {
    rows: Vec<Vec<f64>>,
    targets: Vec<f64>,
    l2: f64,
}

impl Squares {
    fn residuals(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.rows.iter().zip(&self.targets);
        rows.map(|(row, target)| dot(row, x) - target).collect()
    }

    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let residuals = self.residuals(x);
        for (place, slope) in gradient.iter_mut().enumerate() {
            let column = self.rows.iter().zip(&residuals);
            *slope = column.map(|(row, residual)| row[place] * residual).sum::<f64>() + self.l2 * x[place];
        }
        (dot(&residuals, &residuals) + self.l2 * dot(x, x)) / 2.0
    }

    /// The minimum, coordinate by coordinate, each of which has a closed form.
    fn by_coordinates(&self) -> Vec<f64> {
        let size = self.rows[0].len();
        let mut x = vec![0.0; size];
        for _ in 0..20_000 {
            for place in 0..size {
                let residuals = self.residuals(&x);
                let column: Vec<f64> = self.rows.iter().map(|row| row[place]).collect();
                let square = dot(&column, &column);
                let pull = square * x[place] - dot(&column, &residuals);
                x[place] = pull / (square + self.l2);
            }
        }
        x
    }

    fn minimised(&self, curvature: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; curvature.len()];
        let mut function = |x: &[f64], gradient: &mut [f64]| self.evaluate(x, gradient);
        minimise(&mut x, curvature, &SETTINGS, &mut function, &mut |_, _| {
            ControlFlow::Continue(())
        });
        x
    }
}

fn squares() -> impl Strategy<Value = Squares> {
    let row = || prop::collection::vec(-2.0..2.0f64, 5);
    let rows = prop::collection::vec((row(), -5.0..5.0f64), 6..10);
    (rows, 0.1..2.0f64).prop_map(|(rows, l2)| {
        let (rows, targets) = rows.into_iter().unzip();
        Squares { rows, targets, l2 }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is guessed of the curvature.
    #[test]
    fn the_minimum_is_that_of_coordinate_descent(
        problem in squares(),
        curvature in prop::collection::vec(0.1..10.0f64, 5),
    ) {
        let (found, expected) = (problem.minimised(&curvature), problem.by_coordinates());
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
    }
}

/// Rosenbrock's valley: not convex, and the minimum lies at (1, 1).
#[test]
fn a_bent_valley_is_followed_to_its_end() {
    let mut function = |x: &[f64], gradient: &mut [f64]| {
        let (across, along) = (x[1] - x[0] * x[0], 1.0 - x[0]);
        gradient[0] = -400.0 * x[0] * across - 2.0 * along;
        gradient[1] = 200.0 * across;
        100.0 * across * across + along * along
    };
    let mut x = [-1.2, 1.0];
    let mut reports = 0;
    let state = minimise(&mut x, &[1.0; 2], &SETTINGS, &mut function, &mut |state, _| {
        reports += 1;
        assert_eq!(state.iteration, reports);
        ControlFlow::Continue(())
    });
    assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6, "{x:?}");
    assert!(state.iteration == reports && state.evaluations < 100, "{state:?}");
}

#[test]
fn it_ends_when_it_gets_no_further() {
    let mut function = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = x[0].signum() * x[0].abs().sqrt() * 1.5;
        x[0].abs().powf(1.5)
    };
    let settings = Settings {
        delta: 0.1,
        period: 3,
        epsilon: 0.0,
        ..SETTINGS
    };
    let mut x = [1.0];
    let mut objectives = vec![1.0];
    minimise(&mut x, &[1.0], &settings, &mut function, &mut |state, _| {
        objectives.push(state.objective);
        ControlFlow::Continue(())
    });
    let fall =
        |end: usize| (objectives[end - 3] - objectives[end]) / objectives[end].abs().max(f64::MIN_POSITIVE);
    let last = objectives.len() - 1;
    assert!((3..last).all(|end| fall(end) >= 0.1), "{objectives:?}");
}
