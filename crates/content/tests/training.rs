//! Training and tagging as their users see them, against a twin and against the crate `crfs`.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

mod synthetic;
mod twin;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use gleaner_content::{BlockSize, Decoder, FeatureSpace, Label, Labels, Model, Tagger, TrainConfig, train};
use gleaner_crf::{PageWeight, TemplateConfig};
use synthetic::{Page, Shape};

const SHAPE: Shape = Shape {
    pages: 60,
    blocks: 30,
    columns: 7,
    cardinality: 6,
    run: 10,
};

fn template() -> TemplateConfig {
    TemplateConfig {
        offsets: BTreeMap::from([
            (String::new(), vec![-2, -1, 0, 1, 2]),
            ("c1".into(), vec![0]),
            ("c2".into(), vec![-3, 1, 2]),
            ("c3".into(), vec![]),
            ("c4".into(), vec![-3, -2, -1, 0, 1, 2, 3]),
        ]),
        ..TemplateConfig::default()
    }
}

fn silent(space: &FeatureSpace, pages: &[Page], config: &TrainConfig) -> Model {
    train(space, pages, config, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_model_is_the_same_whatever_the_number_of_threads() {
    let shape = Shape { pages: 600, ..SHAPE };
    let pages = synthetic::pages(&shape, 1);
    let bytes = |threads| {
        let config = TrainConfig {
            threads,
            max_iterations: 15,
            template: template(),
            ..TrainConfig::default()
        };
        silent(&synthetic::space(&shape), &pages, &config)
            .to_bytes()
            .unwrap()
    };
    let one = bytes(1);
    assert_eq!(one, bytes(2));
    assert_eq!(one, bytes(5));
}

/// The objective of plain settings on all kinds of attributes. (Those of `options.rs` have plain offsets,
/// but all settings.)
#[test]
fn the_objective_is_that_of_the_definition() {
    let (space, pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 2));
    let config = TrainConfig {
        l2: 0.3,
        template: template(),
        ..TrainConfig::default()
    };
    let mut objective = f64::INFINITY;
    let model = train(&space, &pages, &config, &mut |progress| {
        assert!(progress.objective <= objective);
        objective = progress.objective;
        ControlFlow::Continue(())
    })
    .unwrap();
    let chains = twin::chains(&space, &config.template, &config.labels, &pages);
    let expected = twin::Weights::of(&model).objective(&chains, config.l2);
    assert!(
        (objective / expected - 1.0).abs() < 1e-5,
        "{objective} {expected}"
    );
}

/// A minimum of a strictly convex function: no weight can be moved either way and gain.
#[test]
fn the_weights_found_are_the_best_there_are() {
    let shape = Shape {
        pages: 4,
        blocks: 6,
        columns: 2,
        cardinality: 3,
        run: 10,
    };
    let (space, pages) = (synthetic::space(&shape), synthetic::pages(&shape, 3));
    let config = TrainConfig {
        l2: 0.1,
        epsilon: 1e-6,
        period: 0,
        ..TrainConfig::default()
    };
    let best = twin::Weights::of(&silent(&space, &pages, &config));
    let chains = twin::chains(&space, &config.template, &config.labels, &pages);
    let objective = |weights: &twin::Weights| weights.objective(&chains, config.l2);
    let lowest = objective(&best);
    let mut moved = best.clone();
    for key in best.state.keys() {
        for step in [-1e-2, 1e-2] {
            *moved.state.get_mut(key).unwrap() = best.state[key] + step;
            assert!(objective(&moved) > lowest, "{key:?}");
        }
        moved.state.insert(key.clone(), best.state[key]);
    }
    for key in best.between.keys().filter(|key| best.between[key] != 0.0) {
        for step in [-1e-2, 1e-2] {
            *moved.between.get_mut(key).unwrap() = best.between[key] + step;
            assert!(objective(&moved) > lowest, "{key:?}");
        }
        moved.between.insert(*key, best.between[key]);
    }
}

/// Same data, same L2: the same log-likelihood and the same weights as CRFsuite's algorithm gives.
#[test]
fn crfs_finds_the_same_model() {
    let shape = Shape {
        pages: 25,
        blocks: 20,
        ..SHAPE
    };
    let (space, pages) = (synthetic::space(&shape), synthetic::pages(&shape, 4));
    // To the bottom, or else the two stop at different distances from it and near ties differ.
    let config = TrainConfig {
        l2: 0.5,
        period: 0,
        template: template(),
        ..TrainConfig::default()
    };
    let chains = twin::chains(&space, &config.template, &config.labels, &pages);
    let bytes = trained_by_crfs(&chains, &config);
    let theirs = crfs::Model::new(&bytes).unwrap();
    let ours = silent(&space, &pages, &config);

    let likelihood = |weights: &twin::Weights| weights.objective(&chains, config.l2);
    let (our_weights, their_weights) = (twin::Weights::of(&ours), dumped(&theirs));
    let (a, b) = (likelihood(&our_weights), likelihood(&their_weights));
    assert!((a / b - 1.0).abs() < 1e-4, "{a} {b}");
    assert_eq!(our_weights.state.len(), their_weights.state.len());
    for (key, weight) in &their_weights.state {
        let off = (our_weights.state[key] - weight).abs();
        assert!(off < 0.01, "{key:?}: {} {weight}", our_weights.state[key]);
    }
    for (key, weight) in &their_weights.between {
        let off = (our_weights.between[key] - weight).abs();
        assert!(off < 0.01, "{key:?}: {} {weight}", our_weights.between[key]);
    }
}

/// The model file that crfs makes of the same data and settings.
fn trained_by_crfs(chains: &[twin::Chain], config: &TrainConfig) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut trainer = crfs::train::Trainer::lbfgs();
    let params = trainer.params_mut();
    params.set_c2(config.l2).unwrap();
    params.set_period(config.period);
    for chain in chains {
        let gold: Vec<&str> = chain.gold.iter().map(|&label| Label::ALL[label].name()).collect();
        trainer.append(&items(chain), &gold).unwrap();
    }
    trainer.train(file.path()).unwrap();
    std::fs::read(file.path()).unwrap()
}

fn items(chain: &twin::Chain) -> Vec<Vec<crfs::Attribute>> {
    let item = |names: &Vec<String>| {
        names
            .iter()
            .map(|name| crfs::Attribute::new(name.as_str(), 1.0))
            .collect()
    };
    chain.blocks.iter().map(item).collect()
}

/// The weights of a crfs model, from its dump: lines like `  (0) attribute --> label: 0.5`.
fn dumped(model: &crfs::Model<'_>) -> twin::Weights {
    let mut text = Vec::new();
    model.dump(&mut text).unwrap();
    let number = |name: &str| Label::ALL.iter().position(|label| label.name() == name).unwrap();
    let mut weights = twin::Weights {
        labels: 5,
        ..twin::Weights::default()
    };
    for line in std::str::from_utf8(&text)
        .unwrap()
        .lines()
        .filter(|line| line.contains(" --> "))
    {
        let (kind, line) = line.trim().split_once(' ').unwrap();
        let (source, line) = line.split_once(" --> ").unwrap();
        let (target, weight) = line.split_once(": ").unwrap();
        let (target, weight) = (number(target), weight.parse().unwrap());
        if kind == "(0)" {
            weights.state.insert((source.to_owned(), target), weight);
        } else {
            weights.between.insert((number(source), target), weight);
        }
    }
    weights
}

#[test]
fn rare_attributes_have_no_weight() {
    let (space, pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 6));
    let config = TrainConfig {
        min_count: 40,
        template: template(),
        max_iterations: 5,
        ..TrainConfig::default()
    };
    let weights = twin::Weights::of(&silent(&space, &pages, &config));
    let mut counts = std::collections::HashMap::new();
    for chain in twin::chains(&space, &config.template, &config.labels, &pages) {
        for (names, label) in chain.blocks.into_iter().zip(chain.gold) {
            names
                .into_iter()
                .for_each(|name| *counts.entry((name, label)).or_insert(0) += 1);
        }
    }
    assert!(counts.values().any(|&count| count < 40));
    for (key, count) in counts {
        assert_eq!(weights.state.contains_key(&key), count >= 40, "{key:?}");
    }
}

#[test]
fn two_labels_learn_from_gold_with_five() {
    let (space, pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 7));
    let labels = Labels::new(vec![Label::Other, Label::Paragraph]).unwrap();
    let model = silent(
        &space,
        &pages,
        &TrainConfig {
            labels,
            l2: 0.1,
            ..TrainConfig::default()
        },
    );
    let (mut tagger, mut right, mut blocks) = (Tagger::new(&model), 0, 0);
    for (page, gold) in &pages {
        let tagged = tagger.tag(page);
        assert!(
            tagged
                .labels
                .iter()
                .all(|label| matches!(label, Label::Other | Label::Paragraph))
        );
        right += tagged
            .labels
            .iter()
            .zip(gold)
            .filter(|(a, b)| a.is_content() == b.is_content())
            .count();
        blocks += gold.len();
    }
    assert!(right * 10 > blocks * 8, "{right} of {blocks}");
}

#[test]
fn marginals_and_decoders_agree_with_each_other() {
    let (space, pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 8));
    let mut model = silent(
        &space,
        &pages,
        &TrainConfig {
            template: template(),
            ..TrainConfig::default()
        },
    );
    let other = model.labels().other();
    model.set_decoder(Decoder::Marginal { threshold: 0.6 }).unwrap();
    assert!(
        model
            .set_decoder(Decoder::Marginal { threshold: f32::NAN })
            .is_err()
    );
    let mut tagger = Tagger::new(&model);
    for (page, _) in &synthetic::pages(&SHAPE, 9) {
        let tagged = tagger.tag(page);
        assert_eq!(tagged.labels.len(), page.rows());
        for (block, row) in tagged.marginals.iter().enumerate() {
            let label = tagged.labels[block];
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert_eq!(label.is_content(), tagged.content[block] > 0.6);
            assert_eq!(tagged.content[block], (1.0 - row[other]) as f32);
            assert_eq!(tagged.confidence[block], row[model.labels().class(label)] as f32);
            let best_content = (0..5)
                .filter(|&place| place != other)
                .all(|place| !label.is_content() || row[place] as f32 <= tagged.confidence[block]);
            assert!(best_content);
        }
    }
}

#[test]
fn the_expected_f_measure_weighs_blocks_by_their_words() {
    let (space, pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 13));
    let mut model = silent(&space, &pages, &TrainConfig::default());
    model
        .set_decoder(Decoder::ExpectedF {
            beta: 1.0,
            least_words: 20.0,
        })
        .unwrap();
    let mut tagger = Tagger::new(&model);
    for (page, _) in &pages {
        let plain = tagger.tag(page).labels.to_vec();
        let sizes = |words: &dyn Fn(usize) -> u32| -> Vec<BlockSize> {
            let size = |block| BlockSize {
                words: words(block),
                with_before: false,
            };
            (0..page.rows()).map(size).collect()
        };
        assert_eq!(tagger.tag_blocks(page, sizes(&|_| 1)).labels, plain);
        let none = tagger.tag_blocks(page, sizes(&|_| 0));
        assert!(none.labels.iter().all(|label| !label.is_content()));
        // If one block is nearly all of the page, it alone decides: kept, with all above it.
        let surest = (0..page.rows())
            .max_by(|&a, &b| none.content[a].total_cmp(&none.content[b]))
            .unwrap();
        let words = sizes(&|block| if block == surest { 1_000_000 } else { 1 });
        let tagged = tagger.tag_blocks(page, words);
        assert!(tagged.labels[surest].is_content() || tagged.content[surest] < 2e-5);
    }
}

#[test]
fn lines_of_preformatted_text_are_kept_or_dropped_together() {
    let (space, pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 17));
    let model = silent(&space, &pages, &TrainConfig::default());
    let mut tagger = Tagger::new(&model);
    let mut apart = 0;
    for (page, _) in &pages {
        let alone = tagger.tag(page).labels.to_vec();
        apart += usize::from(
            alone
                .iter()
                .any(|label| label.is_content() != alone[0].is_content()),
        );
        let line = |block| BlockSize {
            words: 1,
            with_before: block > 0,
        };
        let labels = tagger.tag_blocks(page, (0..page.rows()).map(line)).labels;
        assert!(
            labels
                .iter()
                .all(|label| label.is_content() == labels[0].is_content())
        );
    }
    assert!(apart > 0, "pages whose blocks differ when they stand alone");
}

#[test]
fn what_cannot_be_trained_on_is_said() {
    let (space, mut pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 10));
    let say = |pages: &[Page], config: TrainConfig| {
        train(&space, pages, &config, &mut |_| ControlFlow::Continue(()))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(say(&[], TrainConfig::default()), "no labelled blocks to train on");
    let setting = TrainConfig {
        l2: -1.0,
        ..TrainConfig::default()
    };
    assert_eq!(
        say(&pages, setting),
        "training setting l2: must be a number not below zero"
    );
    let page_weight = PageWeight {
        exponent: 1.5,
        ..PageWeight::default()
    };
    let setting = TrainConfig {
        page_weight,
        ..TrainConfig::default()
    };
    assert_eq!(
        say(&pages, setting),
        "training setting page_weight: blocks must be a number above zero, exponent one from 0 to 1"
    );
    let mut unknown = template();
    unknown.offsets.insert("d".into(), vec![0]);
    assert_eq!(
        say(
            &pages,
            TrainConfig {
                template: unknown,
                ..TrainConfig::default()
            }
        ),
        "template: no column matches \"d\" (in offsets)"
    );
    pages[3].1.pop();
    let blocks = pages[3].0.rows();
    assert_eq!(
        say(&pages, TrainConfig::default()),
        format!("training page 3: {blocks} blocks, but {} labels", blocks - 1)
    );
    pages.swap_remove(3);
    pages[0].0.column_mut(2)[0] = 6;
    assert_eq!(
        say(&pages, TrainConfig::default()),
        "training page 0: column \"c2\" has code 6, not below 6"
    );
}

#[test]
fn a_training_can_be_ended_early() {
    let mut iterations = 0;
    train(
        &synthetic::space(&SHAPE),
        &synthetic::pages(&SHAPE, 11),
        &TrainConfig::default(),
        &mut |progress| {
            iterations = progress.iteration;
            if iterations == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )
    .unwrap();
    assert_eq!(iterations, 3);
}
