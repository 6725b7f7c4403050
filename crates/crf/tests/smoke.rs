//! The crate as its users see it.

use std::ops::ControlFlow;

use gleaner_crf::{FeatureSpace, Label, Model, Tagger, TrainConfig, train};
use gleaner_features::{ColumnInfo, Columns};

fn space(columns: usize, cardinality: u16) -> FeatureSpace {
    let column = |place| ColumnInfo {
        name: format!("c{place}"),
        cardinality,
    };
    FeatureSpace {
        columns: (0..columns).map(column).collect(),
        ..FeatureSpace::default()
    }
}

/// Pages whose labels follow from the columns with some noise, the same on every run.
fn pages(count: usize, columns: usize, cardinality: u16) -> Vec<(Columns, Vec<Label>)> {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize
    };
    (0..count)
        .map(|_| {
            let rows = 5 + random() % 40;
            let gold: Vec<Label> = (0..rows).map(|_| Label::ALL[random() % 5]).collect();
            let mut page = Columns::default();
            page.reset(rows, columns);
            for column in 0..columns {
                for (code, label) in page.column_mut(column).iter_mut().zip(&gold) {
                    let hint = (*label as usize + column) % usize::from(cardinality);
                    *code = if random() % 3 == 0 {
                        hint
                    } else {
                        random() % usize::from(cardinality)
                    } as u8;
                }
            }
            (page, gold)
        })
        .collect()
}

#[test]
fn the_model_is_the_same_whatever_the_number_of_threads() {
    let pages = pages(600, 7, 6);
    let bytes = |threads| {
        let config = TrainConfig {
            threads,
            max_iterations: 15,
            ..TrainConfig::default()
        };
        let model = train(&space(7, 6), &pages, &config, &mut |_| ControlFlow::Continue(())).unwrap();
        model.to_bytes().unwrap()
    };
    let one = bytes(1);
    assert_eq!(one, bytes(2));
    assert_eq!(one, bytes(5));
}

#[test]
fn a_model_read_back_tags_the_same() {
    let pages = pages(50, 7, 6);
    let mut last = f64::INFINITY;
    let model = train(&space(7, 6), &pages, &TrainConfig::default(), &mut |progress| {
        assert!(progress.objective <= last);
        last = progress.objective;
        ControlFlow::Continue(())
    })
    .unwrap();
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(model, again);
    let (mut tagger, mut right, mut blocks) = (Tagger::new(&again), 0, 0);
    for (page, gold) in &pages {
        let tagged = tagger.tag(page);
        right += tagged.labels.iter().zip(gold).filter(|(a, b)| a == b).count();
        blocks += gold.len();
        for (row, content) in tagged.marginals.iter().zip(tagged.content) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!((0.0..=1.0).contains(content));
        }
    }
    assert!(right * 10 > blocks * 8, "{right} of {blocks}");
}
