//! The gradient against differences of the objective.

use std::collections::BTreeMap;

use gleaner_testing::columns::{LABELS, Shape};

use super::*;
use crate::{PageWeight, TemplateConfig};

const SHAPE: Shape = Shape {
    pages: 8,
    blocks: 12,
    columns: 4,
    cardinality: 4,
    run: 10,
};

fn template() -> Template {
    let config = TemplateConfig {
        offsets: BTreeMap::from([
            (String::new(), vec![-1, 0, 1]),
            ("c2".into(), vec![-3, 0, 4]),
            ("c3".into(), vec![-3, 0, 4]),
        ]),
        ..TemplateConfig::default()
    };
    Template::compile(&config, &SHAPE.infos()).unwrap()
}

#[test]
fn the_gradient_is_the_slope_of_the_objective() {
    let config = ChainConfig {
        l2: 0.3,
        page_weight: PageWeight {
            blocks: 10.0,
            exponent: 0.8,
        },
        min_count: 1,
        memory: 20,
        max_iterations: 100,
        epsilon: 1e-5,
        delta: 1e-5,
        period: 10,
        patience: 10,
        threads: 2,
    };
    let (template, pages) = (template(), SHAPE.pages(1));
    let pages: Vec<TrainingPage<'_>> = pages
        .iter()
        .map(|(columns, gold)| TrainingPage::new(&template, LABELS, columns, gold.clone()).unwrap())
        .collect();
    let mut problem = Problem::new(&template, LABELS, &pages, &config).unwrap();
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
