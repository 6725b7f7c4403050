//! What the settings of a training do, each against the definition.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

mod synthetic;
mod twin;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use gleaner_content::{Model, Progress, TrainConfig, train, train_with_dev};
use gleaner_crf::PageWeight;
use synthetic::{Page, Shape};

const SHAPE: Shape = Shape {
    pages: 40,
    blocks: 25,
    columns: 5,
    cardinality: 6,
    run: 10,
};

/// Trains, and returns the progress of each iteration.
fn watched(shape: &Shape, pages: &[Page], dev: &[Page], config: &TrainConfig) -> (Model, Vec<Progress>) {
    let mut reports = Vec::new();
    let model = train_with_dev(&synthetic::space(shape), pages, dev, config, &mut |progress| {
        reports.push(*progress);
        ControlFlow::Continue(())
    });
    (model.unwrap(), reports)
}

fn trained(pages: &[Page], config: &TrainConfig) -> Model {
    watched(&SHAPE, pages, &[], config).0
}

fn chains(config: &TrainConfig, pages: &[Page]) -> Vec<twin::Chain> {
    twin::chains(&synthetic::space(&SHAPE), &config.template, &config.labels, pages)
}

/// The objective as the settings define it, of a model of theirs.
fn defined(model: &Model, pages: &[Page], config: &TrainConfig) -> f64 {
    let weights = twin::Weights::of(model);
    let mut chains = chains(config, pages);
    let PageWeight { blocks, exponent } = config.page_weight;
    for chain in &mut chains {
        chain.weight = (blocks / chain.gold.len() as f64).powf(exponent);
    }
    weights.objective(&chains, config.l2)
}

#[test]
fn the_reported_objective_is_that_of_the_definition() {
    let plain = TrainConfig {
        l2: 0.3,
        ..TrainConfig::default()
    };
    let settings = [
        TrainConfig {
            page_weight: PageWeight {
                blocks: 10.0,
                exponent: 1.0,
            },
            ..plain.clone()
        },
        TrainConfig {
            min_count: 0,
            ..plain
        },
    ];
    let pages = synthetic::pages(&SHAPE, 21);
    for config in settings {
        let (model, reports) = watched(&SHAPE, &pages, &[], &config);
        let falls = reports.is_sorted_by(|before, after| before.objective >= after.objective);
        assert!(falls, "{config:?}");
        let (found, expected) = (
            reports[reports.len() - 1].objective,
            defined(&model, &pages, &config),
        );
        assert!(
            (found / expected - 1.0).abs() < 1e-5,
            "{found} {expected} {config:?}"
        );
    }
}

/// How often each attribute occurs with each label.
fn counted(pages: &[Page], config: &TrainConfig) -> HashMap<(String, usize), u32> {
    let mut together = HashMap::new();
    for chain in chains(config, pages) {
        for (names, label) in chain.blocks.into_iter().zip(chain.gold) {
            for name in names {
                *together.entry((name, label)).or_insert(0) += 1;
            }
        }
    }
    together
}

#[test]
fn without_a_least_count_all_labels_have_a_weight_for_what_occurs() {
    let config = TrainConfig {
        min_count: 0,
        ..TrainConfig::default()
    };
    let few = &synthetic::pages(&SHAPE, 21)[..2];
    let together = counted(few, &config);
    let attributes: HashSet<&String> = together.keys().map(|(name, _)| name).collect();
    assert!(
        together.len() < attributes.len() * 5,
        "no attribute lacks a label: nothing is tested"
    );
    let weights = twin::Weights::of(&trained(few, &config));
    assert_eq!(weights.state.len(), attributes.len() * 5);
}

/// Columns without information are learned by heart where nothing holds the weights down.
const NOISE: Shape = Shape {
    pages: 30,
    blocks: 12,
    columns: 40,
    cardinality: 12,
    run: 10,
};

#[test]
fn early_stopping_keeps_the_weights_that_are_best_on_pages_held_out() {
    let (pages, dev) = (synthetic::pages(&NOISE, 1), synthetic::pages(&NOISE, 2));
    let config = |threads, max_iterations, patience| TrainConfig {
        l2: 0.01,
        threads,
        max_iterations,
        patience,
        ..TrainConfig::default()
    };
    let (model, reports) = watched(&NOISE, &pages, &dev, &config(1, 100, 4));
    let losses: Vec<f64> = reports
        .iter()
        .map(|progress| progress.dev_loss.unwrap())
        .collect();
    let best = (0..losses.len())
        .min_by(|&a, &b| losses[a].total_cmp(&losses[b]))
        .unwrap();
    assert_eq!(losses.len(), best + 1 + 4, "{losses:?}");
    assert!(losses.len() < 60, "it ends on its own");
    let (there, _) = watched(&NOISE, &pages, &[], &config(1, best + 1, 4));
    assert!(model == there, "not the weights of iteration {}", best + 1);
    let (again, _) = watched(&NOISE, &pages, &dev, &config(3, 100, 4));
    assert!(model == again, "it depends on the number of threads");

    let space = synthetic::space(&NOISE);
    let chains = twin::chains(&space, &config(1, 1, 1).template, model.labels(), &dev);
    let weights = twin::Weights::of(&model);
    let likelihood: f64 = chains.iter().map(|chain| weights.log_likelihood(chain)).sum();
    let blocks: usize = chains.iter().map(|chain| chain.gold.len()).sum();
    assert!((losses[best] + likelihood / blocks as f64).abs() < 1e-5);
}

#[test]
fn pages_held_out_are_checked_too() {
    let (pages, mut dev) = (synthetic::pages(&NOISE, 1), synthetic::pages(&NOISE, 2));
    dev[1].1.pop();
    let (space, config) = (synthetic::space(&NOISE), TrainConfig::default());
    let refused = train_with_dev(&space, &pages, &dev, &config, &mut |_| ControlFlow::Continue(()));
    let blocks = dev[1].0.rows();
    assert_eq!(
        refused.unwrap_err().to_string(),
        format!("dev page 1: {blocks} blocks, but {} labels", blocks - 1)
    );
    let impatient = TrainConfig {
        patience: 0,
        ..config
    };
    let refused = train(&space, &pages, &impatient, &mut |_| ControlFlow::Continue(()));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "training setting patience: must be at least 1"
    );
}

#[test]
fn the_time_left_is_reported() {
    let config = TrainConfig {
        max_iterations: 7,
        ..TrainConfig::default()
    };
    let (_, reports) = watched(&SHAPE, &synthetic::pages(&SHAPE, 21), &[], &config);
    let left: Vec<usize> = reports.iter().map(|progress| progress.iterations_left).collect();
    assert_eq!(left, [6, 5, 4, 3, 2, 1, 0]);
    assert!(reports[0].time_left() > reports[0].elapsed);
    assert!(reports[6].time_left().is_zero());
}
