//! The gradient against differences of the objective.

use std::collections::BTreeMap;

use super::*;
use crate::synthetic::Shape;
use crate::{Label, PageWeight, TemplateConfig};

const SHAPE: Shape = Shape {
    pages: 8,
    blocks: 12,
    columns: 4,
    cardinality: 4,
    run: 10,
    tokens: 2,
    buckets: 20,
};

/// Settings that take every way through the evaluation.
fn config() -> TrainConfig {
    TrainConfig {
        l2: 0.3,
        l2_names: Some(0.7),
        label_weights: BTreeMap::from([(Label::Header, 3.0), (Label::Other, 0.5)]),
        page_weight: PageWeight {
            blocks: 10.0,
            exponent: 0.8,
        },
        template: TemplateConfig {
            conjunctions: vec![vec!["c0@0".into(), "c1@-1".into()]],
            offsets: BTreeMap::from([
                (String::new(), vec![-1, 0, 1]),
                ("c2".into(), vec![-3, 0, 4]),
                ("c3".into(), vec![-3, 0, 4]),
            ]),
            ..TemplateConfig::default()
        },
        ..TrainConfig::default()
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_objective() {
    check_gradient(&config());
    let scored = TrainConfig {
        page_score: 2.0,
        label_weights: BTreeMap::new(),
        ..config()
    };
    check_gradient(&scored);
}

fn check_gradient(config: &TrainConfig) {
    let pages = SHAPE.pages(1);
    let model = Model::zero(
        SHAPE.space(),
        config.labels.clone(),
        config.template.clone(),
        config.decoder,
    );
    let model = model.unwrap();
    let mut problem = Problem::new(&model, &pages, config).unwrap();
    let mut at: Vec<f64> = (0..problem.size())
        .map(|place| (place as f64 * 1.7).sin() * 0.5)
        .collect();
    let (mut gradient, mut unused) = (vec![0.0; at.len()], vec![0.0; at.len()]);
    problem.evaluate(&at, &mut gradient);
    let largest = gradient
        .iter()
        .fold(0.0, |largest: f64, slope| largest.max(slope.abs()));
    for place in 0..at.len() {
        let here = at[place];
        let mut objective = |step: f64| {
            at[place] = here + step;
            problem.evaluate(&at, &mut unused)
        };
        // (Scores are sums in f32: a smaller step would measure their rounding.)
        let slope = (objective(0.01) - objective(-0.01)) / 0.02;
        at[place] = here;
        let off = (slope - gradient[place]).abs();
        assert!(
            off < 1e-3 * largest,
            "weight {place}: {slope}, not {}",
            gradient[place]
        );
    }
}
