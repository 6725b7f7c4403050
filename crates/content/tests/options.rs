//! What the settings of a training do, each against the definition.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod synthetic;
mod twin;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use gleaner_content::{Label, Model, Progress, Tagger, TrainConfig, train, train_with_dev};
use gleaner_crf::{Attribute, PageWeight};
use synthetic::{Page, Shape};

const SHAPE: Shape = Shape {
    pages: 40,
    blocks: 25,
    columns: 5,
    cardinality: 6,
    run: 10,
    tokens: 3,
    buckets: 60,
};

/// Trains, and gives what was told of each iteration.
fn watched(shape: &Shape, pages: &[Page], dev: &[Page], config: &TrainConfig) -> (Model, Vec<Progress>) {
    let mut told = Vec::new();
    let model = train_with_dev(&shape.space(), pages, dev, config, &mut |progress| {
        told.push(*progress);
        ControlFlow::Continue(())
    });
    (model.unwrap(), told)
}

fn trained(pages: &[Page], config: &TrainConfig) -> Model {
    watched(&SHAPE, pages, &[], config).0
}

fn chains(config: &TrainConfig, pages: &[Page]) -> Vec<twin::Chain> {
    twin::chains(&SHAPE.space(), &config.template, &config.labels, pages)
}

/// The objective as the settings define it, of a model of theirs.
fn defined(model: &Model, pages: &[Page], config: &TrainConfig) -> f64 {
    let weights = twin::Weights::of(model);
    let mut chains = chains(config, pages);
    let PageWeight { blocks, exponent } = config.page_weight;
    for chain in &mut chains {
        chain.weight = (blocks / chain.gold.len() as f64).powf(exponent);
    }
    let cost = |label: &Label| config.label_weights.get(label).copied().unwrap_or(1.0).ln();
    let costs: Vec<f64> = config.labels.as_slice().iter().map(cost).collect();
    let names = weights
        .state
        .iter()
        .filter(|((name, _), _)| name.starts_with('#'));
    let of_names: f64 = names.map(|(_, weight)| weight * weight).sum();
    let more = config.l2_names.map_or(0.0, |l2_names| l2_names - config.l2);
    weights.objective(&chains, (config.l1, config.l2), &costs) + more * of_names
}

#[test]
fn the_objective_told_is_that_of_the_definition() {
    let plain = TrainConfig {
        l2: 0.3,
        ..TrainConfig::default()
    };
    let settings = [
        TrainConfig {
            label_weights: BTreeMap::from([(Label::Header, 3.0), (Label::Other, 0.5)]),
            ..plain.clone()
        },
        TrainConfig {
            page_weight: PageWeight {
                blocks: 10.0,
                exponent: 1.0,
            },
            ..plain.clone()
        },
        TrainConfig {
            l2_names: Some(2.0),
            ..plain.clone()
        },
        TrainConfig {
            l1: 0.5,
            l2_names: Some(0.0),
            ..plain.clone()
        },
        TrainConfig {
            min_count: 0,
            ..plain
        },
    ];
    let pages = SHAPE.pages(21);
    for config in settings {
        let (model, told) = watched(&SHAPE, &pages, &[], &config);
        let falls = told.is_sorted_by(|before, after| before.objective >= after.objective);
        assert!(falls, "{config:?}");
        let (found, expected) = (told[told.len() - 1].objective, defined(&model, &pages, &config));
        assert!(
            (found / expected - 1.0).abs() < 1e-5,
            "{found} {expected} {config:?}"
        );
    }
}

/// The weights of hashed tokens shrink, and the others take over what they told.
#[test]
fn names_have_a_regularisation_of_their_own() {
    let length = |model: &Model, names: bool| -> f64 {
        let rows = model
            .attributes()
            .filter(|(attribute, _)| matches!(attribute, Attribute::Token(_)) == names);
        rows.flat_map(|(_, row)| row.to_vec())
            .map(|weight| f64::from(weight.abs()))
            .sum()
    };
    let of = |l2_names| {
        let config = TrainConfig {
            l2_names,
            ..TrainConfig::default()
        };
        let model = trained(&SHAPE.pages(21), &config);
        (length(&model, true), length(&model, false))
    };
    let (common, strict) = (of(None), of(Some(100.0)));
    assert_eq!(common, of(Some(1.0)));
    assert!(strict.0 * 10.0 < common.0, "{strict:?} {common:?}");
    assert!(strict.1 * 2.0 > common.1, "{strict:?} {common:?}");
}

/// The F measure of a page's words, each kept with the probability that its block is content.
fn expected_f(page: &Page, content: &[f32]) -> f64 {
    let (columns, gold) = page;
    let sum = |of: &dyn Fn(usize) -> f64| -> f64 {
        (0..gold.len())
            .map(|block| f64::from(columns.words(block)) * of(block))
            .sum()
    };
    let kept = |block: usize| f64::from(content[block]);
    let is_content = |block: usize| f64::from(u8::from(gold[block].is_content()));
    2.0 * sum(&|block| kept(block) * is_content(block)) / (sum(&kept) + sum(&is_content))
}

/// The objective is that of the definition with it, too, and the expected scores rise.
#[test]
fn pages_may_count_by_their_expected_score() {
    let pages = SHAPE.pages(21);
    let of = |page_score: f64| {
        let config = TrainConfig {
            page_score,
            l2: 3.0,
            ..TrainConfig::default()
        };
        let (model, told) = watched(&SHAPE, &pages, &[], &config);
        let mut tagger = Tagger::new(&model);
        let scores: Vec<f64> = pages
            .iter()
            .map(|page| expected_f(page, tagger.tag(&page.0).content))
            .collect();
        let sizes = pages.iter().map(|(page, _)| page.rows() as f64);
        let lost: f64 = sizes.zip(&scores).map(|(blocks, f)| blocks * (1.0 - f)).sum();
        let defined = defined(&model, &pages, &config) + page_score * lost;
        let found = told[told.len() - 1].objective;
        assert!((found / defined - 1.0).abs() < 1e-5, "{found} {defined}");
        scores.iter().sum::<f64>() / scores.len() as f64
    };
    let (plain, scored) = (of(0.0), of(3.0));
    assert!(scored > plain + 0.01, "{scored} {plain}");
}

/// How often each attribute occurs with each label, and on how many pages.
fn counted(pages: &[Page], config: &TrainConfig) -> (HashMap<(String, usize), u32>, HashMap<String, usize>) {
    let mut together = HashMap::new();
    let mut found: HashMap<String, HashSet<usize>> = HashMap::new();
    for (page, chain) in chains(config, pages).into_iter().enumerate() {
        for (names, label) in chain.blocks.into_iter().zip(chain.gold) {
            for name in names {
                found.entry(name.clone()).or_default().insert(page);
                *together.entry((name, label)).or_insert(0) += 1;
            }
        }
    }
    let found = found.into_iter().map(|(name, pages)| (name, pages.len()));
    (together, found.collect())
}

#[test]
fn names_that_stand_on_few_pages_have_no_weight() {
    let config = TrainConfig {
        min_name_pages: 34,
        ..TrainConfig::default()
    };
    let pages = SHAPE.pages(21);
    let weights = twin::Weights::of(&trained(&pages, &config));
    let (together, pages) = counted(&pages, &config);
    let rare = |name: &str| name.starts_with('#') && pages[name] < 34;
    assert!(pages.keys().any(|name| name.starts_with('#') && !rare(name)));
    assert!(pages.keys().any(|name| rare(name)));
    for key in together.keys() {
        assert_eq!(weights.state.contains_key(key), !rare(&key.0), "{key:?}");
    }
}

#[test]
fn without_a_least_count_all_labels_have_a_weight_for_what_occurs() {
    let config = TrainConfig {
        min_count: 0,
        ..TrainConfig::default()
    };
    let few = &SHAPE.pages(21)[..2];
    let (together, pages) = counted(few, &config);
    assert!(
        together.len() < pages.len() * 5,
        "no attribute lacks a label: nothing is tested"
    );
    let weights = twin::Weights::of(&trained(few, &config));
    assert_eq!(weights.state.len(), pages.len() * 5);
}

/// Columns that tell nothing are learned by heart where nothing holds the weights down.
const NOISE: Shape = Shape {
    pages: 30,
    blocks: 12,
    columns: 40,
    cardinality: 12,
    run: 10,
    tokens: 0,
    buckets: 0,
};

#[test]
fn early_stopping_keeps_the_weights_that_are_best_on_pages_held_out() {
    let (pages, dev) = (NOISE.pages(1), NOISE.pages(2));
    let config = |threads, max_iterations, patience| TrainConfig {
        l2: 0.01,
        threads,
        max_iterations,
        patience,
        ..TrainConfig::default()
    };
    let (model, told) = watched(&NOISE, &pages, &dev, &config(1, 100, 4));
    let losses: Vec<f64> = told.iter().map(|progress| progress.dev_loss.unwrap()).collect();
    let best = (0..losses.len())
        .min_by(|&a, &b| losses[a].total_cmp(&losses[b]))
        .unwrap();
    assert_eq!(losses.len(), best + 1 + 4, "{losses:?}");
    assert!(losses.len() < 60, "it ends on its own");
    let (there, _) = watched(&NOISE, &pages, &[], &config(1, best + 1, 4));
    assert!(model == there, "not the weights of iteration {}", best + 1);
    let (again, _) = watched(&NOISE, &pages, &dev, &config(3, 100, 4));
    assert!(model == again, "it depends on the number of threads");

    let space = NOISE.space();
    let chains = twin::chains(&space, &config(1, 1, 1).template, model.labels(), &dev);
    let weights = twin::Weights::of(&model);
    let likelihood: f64 = chains
        .iter()
        .map(|chain| weights.log_likelihood(chain, &[0.0; 5]))
        .sum();
    let blocks: usize = chains.iter().map(|chain| chain.gold.len()).sum();
    assert!((losses[best] + likelihood / blocks as f64).abs() < 1e-5);
}

#[test]
fn pages_held_out_are_checked_too() {
    let (pages, mut dev) = (NOISE.pages(1), NOISE.pages(2));
    dev[1].1.pop();
    let (space, config) = (NOISE.space(), TrainConfig::default());
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
fn the_time_left_is_told() {
    let config = TrainConfig {
        max_iterations: 7,
        ..TrainConfig::default()
    };
    let (_, told) = watched(&SHAPE, &SHAPE.pages(21), &[], &config);
    let left: Vec<usize> = told.iter().map(|progress| progress.iterations_left).collect();
    assert_eq!(left, [6, 5, 4, 3, 2, 1, 0]);
    assert!(told[0].time_left() > told[0].elapsed);
    assert!(told[6].time_left().is_zero());
}
