//! Tagging and training on columns of the size of real ones, and the crate `crfs` on the same.
//!
//! 120,000 blocks, 47 columns of 12 codes at five offsets, five labels; for tagging also with two labels, and with the columns at offset 0 alone. And 222 columns, of which half keep their
//! codes for long, with what the default model has beside the labels: kinds of pages, boosted trees, blocks
//! that look alike.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gleaner_content::{
    ContentConfig, ContentPage, Decoder, Label, Labels, Model, Tagger, TrainConfig, train, train_content,
};
use gleaner_crf::TemplateConfig;
use gleaner_gbdt::TreesConfig;
use gleaner_testing::columns::items;
use synthetic::{Page, Shape};

const SHAPE: Shape = Shape {
    pages: 1000,
    blocks: 120,
    columns: 47,
    cardinality: 12,
    run: 1,
};

const WHOLE: Shape = Shape {
    pages: 400,
    blocks: 300,
    columns: 222,
    run: 12,
    ..SHAPE
};

fn offsets(offsets: &[i32]) -> TemplateConfig {
    TemplateConfig {
        offsets: BTreeMap::from([(String::new(), offsets.to_vec())]),
        ..TemplateConfig::default()
    }
}

/// A model of a few iterations: the weights do not matter, but are not zero.
fn model(shape: &Shape, pages: &[Page], config: TrainConfig) -> Model {
    let config = TrainConfig {
        max_iterations: 5,
        ..config
    };
    train(&synthetic::space(shape), pages, &config, &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("the pages fit")
}

/// A model like the default one.
fn whole_model(pages: &[Page], content: &ContentConfig) -> Model {
    let training = TrainConfig {
        template: offsets(&[0]),
        decoder: Decoder::ExpectedF {
            beta: 1.0,
            least_words: 8.0,
        },
        ..TrainConfig::default()
    };
    let kinds: Vec<String> = (0..8).map(|kind| format!("k{kind}")).collect();
    let words: Vec<Vec<u32>> = pages.iter().map(|(page, _)| vec![5; page.rows()]).collect();
    let learnt = pages.iter().zip(&words).enumerate();
    let learnt: Vec<_> = learnt
        .map(|(number, ((columns, labels), words))| ContentPage {
            columns,
            labels,
            words,
            kind: &kinds[number % 8],
            convention: None,
            group: number as u64,
        })
        .collect();
    let model = model(&WHOLE, pages, training);
    train_content(model, &learnt, content, 2, &mut |_| ControlFlow::Continue(())).expect("the pages fit")
}

/// The whole of what the default model does, and the same without trees.
fn whole_tagging(group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>) {
    let mut pages = synthetic::pages(&WHOLE, 1);
    for (page, _) in &mut pages {
        let rows = page.rows() as u32;
        page.set_groups((0..rows).map(|block| block / 3));
    }
    let kinds = ContentConfig {
        max_iterations: 5,
        group_smoothing: 0.75,
        ..ContentConfig::default()
    };
    let trees = ContentConfig {
        trees: Some(TreesConfig::default()),
        ..kinds.clone()
    };
    group.throughput(Throughput::Elements(blocks(&pages)));
    for (name, content) in [
        ("222 columns, kinds", kinds),
        ("222 columns, kinds, trees", trees),
    ] {
        let mut tagger = Tagger::new(&whole_model(&pages[..60], &content));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for (page, _) in &pages {
                    black_box(tagger.tag(page));
                }
            });
        });
    }
}

fn blocks(pages: &[Page]) -> u64 {
    pages.iter().map(|(page, _)| page.rows() as u64).sum()
}

fn tagging(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tag");
    group.sample_size(10);
    let two = Labels::new(vec![Label::Paragraph, Label::Other]).expect("content and noise");
    let settings = [
        ("47 columns, 5 offsets, 5 labels", SHAPE, TrainConfig::default()),
        (
            "offset 0",
            SHAPE,
            TrainConfig {
                template: offsets(&[0]),
                ..TrainConfig::default()
            },
        ),
        (
            "2 labels",
            SHAPE,
            TrainConfig {
                labels: two,
                ..TrainConfig::default()
            },
        ),
    ];
    for (name, shape, config) in settings {
        let pages = synthetic::pages(&shape, 1);
        let mut tagger = Tagger::new(&model(&shape, &pages[..200], config));
        group.throughput(Throughput::Elements(blocks(&pages)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for (page, _) in &pages {
                    black_box(tagger.tag(page));
                }
            });
        });
    }
    whole_tagging(&mut group);
    crfs_tagging(&mut group);
    group.finish();
}

/// The same look-ups in crfs, on pages already written as strings; 5,000 blocks are enough.
fn crfs_tagging(group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>) {
    let pages = synthetic::pages(&Shape { pages: 40, ..SHAPE }, 1);
    let chains: Vec<_> = pages.iter().map(|(page, _)| items(page)).collect();
    let path = std::env::temp_dir().join(format!("gleaner-bench-{}.crfsuite", std::process::id()));
    let mut trainer = crfs::Trainer::lbfgs()
        .with_max_iterations(2)
        .expect("two is in range");
    for (chain, (_, gold)) in chains.iter().zip(&pages) {
        let gold: Vec<&str> = gold.iter().map(|label| label.name()).collect();
        trainer.append(chain, &gold).expect("as many labels as blocks");
    }
    trainer.train(&path).expect("crfs trains");
    let bytes = std::fs::read(&path).expect("crfs wrote its model");
    std::fs::remove_file(&path).expect("it is ours");
    let model = crfs::Model::new(&bytes).expect("crfs reads its model");
    let tagger = model.tagger().expect("crfs tags");
    group.throughput(Throughput::Elements(blocks(&pages)));
    group.bench_function("crfs, 47 columns, 5 offsets", |bencher| {
        bencher.iter(|| {
            chains
                .iter()
                .map(|chain| tagger.tag(chain).expect("crfs tags").len())
                .sum::<usize>()
        });
    });
}

/// Time of an evaluation of the objective: the training's, divided by how often it is computed.
fn training(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("train, an iteration");
    group.sample_size(10);
    for (name, shape) in [("120,000 blocks", SHAPE)] {
        let pages = synthetic::pages(&shape, 1);
        for threads in [1, 2] {
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                bencher.iter_custom(|count| iterations(&shape, &pages, threads, count));
            });
        }
    }
    group.finish();
}

fn iterations(shape: &Shape, pages: &[Page], threads: usize, count: u64) -> Duration {
    let config = TrainConfig {
        threads,
        max_iterations: count as usize + 3,
        epsilon: 0.0,
        period: 0,
        ..TrainConfig::default()
    };
    let mut marks = Vec::new();
    train(&synthetic::space(shape), pages, &config, &mut |_| {
        marks.push(Instant::now());
        ControlFlow::Continue(())
    })
    .expect("the pages fit");
    // Without the first ones, in which steps are still being found.
    marks[marks.len() - 1] - marks[marks.len() - 1 - count as usize]
}

criterion_group!(benches, tagging, training);
criterion_main!(benches);
