//! Limited-memory BFGS (Nocedal and Wright 2006, algorithms 7.4 and 7.5).

use std::collections::VecDeque;
use std::ops::ControlFlow;

/// When to stop, and how much to remember.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many corrections are remembered.
    pub memory: usize,
    /// Maximum iterations.
    pub max_iterations: usize,
    /// It ends when `|gradient| <= epsilon * max(1, |w|)`.
    pub epsilon: f64,
    /// It ends when the objective fell by less than this fraction in `period` iterations.
    pub delta: f64,
    /// See `delta`; 0 switches that test off.
    pub period: usize,
}

/// Where the minimisation stands.
#[derive(Clone, Copy, Debug)]
pub struct DescentState {
    /// How many iterations are done.
    pub iteration: usize,
    /// The objective.
    pub objective: f64,
    /// The length of the gradient.
    pub gradient_norm: f64,
    /// How often the objective was computed.
    pub evaluations: usize,
}

/// Sufficient decrease (Armijo): the share of the decrease that the gradient promises.
const DECREASE: f64 = 1e-4;

/// Curvature (weak Wolfe): the slope must have lost this share of its steepness.
const CURVATURE: f64 = 0.9;

/// Maximum steps per line search.
const MAX_STEPS: usize = 20;

type Function<'a> = dyn FnMut(&[f64], &mut [f64]) -> f64 + 'a;

/// One correction: the step, the change of the gradient, and 1 / (their product).
struct Correction {
    step: Vec<f64>,
    change: Vec<f64>,
    factor: f64,
}

/// Minimises `function`, which gives its value and writes its gradient, from `x` on. `curvature` is a guess at the second derivative along each axis, up to a common factor:
/// what is not known yet of the Hessian is taken to be that.
pub fn minimise(
    x: &mut [f64],
    curvature: &[f64],
    settings: &Settings,
    function: &mut Function<'_>,
    report: &mut dyn FnMut(&DescentState, &[f64]) -> ControlFlow<()>,
) -> DescentState {
    let mut gradient = vec![0.0; x.len()];
    let objective = function(x, &mut gradient);
    let mut state = DescentState {
        iteration: 0,
        objective,
        gradient_norm: norm(&gradient),
        evaluations: 1,
    };
    let mut history: VecDeque<Correction> = VecDeque::new();
    let mut past = VecDeque::from([objective]);
    let mut direction = vec![0.0; x.len()];
    while state.iteration < settings.max_iterations
        && state.gradient_norm > settings.epsilon * norm(x).max(1.0)
    {
        descend(&gradient, curvature, &history, &mut direction);
        let first = if history.is_empty() {
            1.0 / norm(&direction)
        } else {
            1.0
        };
        let Some(found) = search(x, &gradient, &direction, first, &mut state, function) else {
            if history.is_empty() {
                break;
            }
            // The remembered corrections gave no descent: once more along the gradient.
            history.clear();
            continue;
        };
        remember(&mut history, settings.memory, x, &gradient, &found);
        x.copy_from_slice(&found.x);
        gradient.copy_from_slice(&found.gradient);
        state.iteration += 1;
        state.objective = found.objective;
        state.gradient_norm = norm(&gradient);
        if report(&state, x).is_break() || stalled(&mut past, state.objective, settings) {
            break;
        }
    }
    state
}

/// Whether the objective has fallen too little over the last `period` iterations.
fn stalled(past: &mut VecDeque<f64>, objective: f64, stop: &Settings) -> bool {
    past.push_back(objective);
    if past.len() <= stop.period || stop.period == 0 {
        return false;
    }
    let before = past.pop_front().unwrap_or(objective);
    (before - objective) / objective.abs().max(f64::MIN_POSITIVE) < stop.delta
}

/// The two-loop recursion: `direction` = - (approximate inverse Hessian) * gradient.
///
/// The recursion starts from a guess at the inverse Hessian, usually a multiple of the identity. Here it is the inverse of
/// `curvature`, because attributes differ in frequency by a factor of thousands: with the identity, the step that suits the
/// frequent ones would hardly move the rare ones. The multiple is chosen so that the guess agrees with the last correction
/// (Nocedal and Wright, equation 7.20, in the norm of the curvature).
fn descend(gradient: &[f64], curvature: &[f64], history: &VecDeque<Correction>, direction: &mut [f64]) {
    for (value, slope) in direction.iter_mut().zip(gradient) {
        *value = -slope;
    }
    let mut shares = Vec::with_capacity(history.len());
    for correction in history.iter().rev() {
        let share = correction.factor * dot(&correction.step, direction);
        add(direction, -share, &correction.change);
        shares.push(share);
    }
    direction
        .iter_mut()
        .zip(curvature)
        .for_each(|(value, curvature)| *value /= curvature);
    if let Some(last) = history.back() {
        let weighed: f64 = last
            .change
            .iter()
            .zip(curvature)
            .map(|(change, c)| change * change / c)
            .sum();
        let scale = 1.0 / (last.factor * weighed);
        direction.iter_mut().for_each(|value| *value *= scale);
    }
    for (correction, share) in history.iter().zip(shares.iter().rev()) {
        let back = correction.factor * dot(&correction.change, direction);
        add(direction, share - back, &correction.step);
    }
}

/// A point that satisfies the conditions of Wolfe.
struct Searched {
    x: Vec<f64>,
    gradient: Vec<f64>,
    objective: f64,
}

/// Doubles the step while it is too short, and halves the interval once it was too long (Lewis and
/// Overton 2013, algorithm 4.6). Takes what decreases enough when the steps run out.
fn search(
    x: &[f64],
    gradient: &[f64],
    direction: &[f64],
    first: f64,
    state: &mut DescentState,
    function: &mut Function<'_>,
) -> Option<Searched> {
    let slope = dot(gradient, direction);
    if slope.is_nan() || slope >= 0.0 {
        return None;
    }
    let (mut low, mut high, mut step) = (0.0, f64::INFINITY, first);
    let mut found = Searched {
        x: x.to_vec(),
        gradient: gradient.to_vec(),
        objective: state.objective,
    };
    for _ in 0..MAX_STEPS {
        for ((to, from), along) in found.x.iter_mut().zip(x).zip(direction) {
            *to = from + step * along;
        }
        found.objective = function(&found.x, &mut found.gradient);
        state.evaluations += 1;
        let enough = found.objective <= state.objective + DECREASE * step * slope;
        if !enough {
            high = step;
        } else if dot(&found.gradient, direction) < CURVATURE * slope {
            low = step;
        } else {
            return Some(found);
        }
        step = if high.is_finite() {
            (low + high) / 2.0
        } else {
            2.0 * low
        };
    }
    (found.objective < state.objective).then_some(found)
}

fn remember(
    history: &mut VecDeque<Correction>,
    memory: usize,
    x: &[f64],
    gradient: &[f64],
    found: &Searched,
) {
    let mut correction = if history.len() == memory {
        history.pop_front()
    } else {
        None
    }
    .unwrap_or_else(|| Correction {
        step: vec![0.0; x.len()],
        change: vec![0.0; x.len()],
        factor: 0.0,
    });
    difference(&mut correction.step, &found.x, x);
    difference(&mut correction.change, &found.gradient, gradient);
    let curvature = dot(&correction.step, &correction.change);
    if curvature > 0.0 {
        correction.factor = 1.0 / curvature;
        history.push_back(correction);
    }
}

fn difference(out: &mut [f64], a: &[f64], b: &[f64]) {
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = a - b;
    }
}

fn add(sum: &mut [f64], factor: f64, values: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += factor * value;
    }
}

/// A product in eight partial sums: vectorised, and in an order that nothing changes.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_whole, a_rest) = a.as_chunks::<8>();
    let (b_whole, b_rest) = b.as_chunks::<8>();
    for (a, b) in a_whole.iter().zip(b_whole) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

#[cfg(test)]
mod tests;
