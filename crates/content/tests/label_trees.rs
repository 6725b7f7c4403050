//! Labels judged by boosted trees.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use std::ops::ControlFlow;

use gleaner_columns::{ColumnInfo, Columns};
use gleaner_content::{
    Decoder, Error, FeatureSpace, Label, Labels, Model, Tagger, TrainConfig, train, train_with_dev,
};
use gleaner_gbdt::TreesConfig;

const LABELS: [Label; 3] = [Label::Header, Label::Paragraph, Label::Other];

/// Two columns of two codes.
fn space() -> FeatureSpace {
    let column = |name: &str| ColumnInfo {
        name: name.to_owned(),
        cardinality: 2,
    };
    FeatureSpace {
        columns: vec![column("a"), column("b")],
        ..FeatureSpace::default()
    }
}

/// A page on which blocks are content where their codes are the same, and headers if those are 1.
fn page(number: usize) -> (Columns, Vec<Label>) {
    let codes: [Vec<u8>; 2] =
        [1, 2].map(|step| (0..9).map(|block| ((number + block) / step % 2) as u8).collect());
    let labels = codes[0].iter().zip(&codes[1]).map(|pair| match pair {
        (1, 1) => Label::Header,
        (0, 0) => Label::Paragraph,
        _ => Label::Other,
    });
    let mut columns = Columns::default();
    columns.reset(9, 2);
    for (place, codes) in codes.iter().enumerate() {
        columns.column_mut(place).copy_from_slice(codes);
    }
    (columns, labels.collect())
}

fn config(trees: Option<TreesConfig>) -> TrainConfig {
    let mut config = TrainConfig {
        labels: Labels::new(LABELS.to_vec()).unwrap(),
        max_iterations: 20,
        trees,
        ..TrainConfig::default()
    };
    config.template.offsets = [(String::new(), vec![0])].into();
    config.template.bigrams = true;
    config
}

/// Trees with this blend weight.
fn with_trees(share: f64) -> Option<TreesConfig> {
    Some(TreesConfig {
        count: 40,
        leaves: 4,
        rate: 0.2,
        l2: 1.0,
        columns: 1.0,
        blocks: 0.8,
        share,
        ..TreesConfig::default()
    })
}

fn learnt(config: &TrainConfig) -> Result<Model, Error> {
    let pages: Vec<_> = (0..40).map(page).collect();
    train(&space(), &pages, config, &mut |_| ControlFlow::Continue(()))
}

/// How many of the labels of a page are right.
fn right(model: &Model, (columns, gold): &(Columns, Vec<Label>)) -> usize {
    let mut tagger = Tagger::new(model);
    let tagged = tagger.tag(columns);
    tagged
        .labels
        .iter()
        .zip(gold)
        .filter(|(label, gold)| label == gold)
        .count()
}

#[test]
fn trees_learn_what_no_sum_of_weights_can() {
    // Content where two codes are the same.
    let merge = |label: &mut Label| {
        if *label == Label::Header {
            *label = Label::Paragraph;
        }
    };
    let mut pages: Vec<_> = (0..40).map(page).collect();
    pages
        .iter_mut()
        .for_each(|(_, labels)| labels.iter_mut().for_each(merge));
    let right = |trees| {
        let mut config = config(trees);
        config.template.bigrams = false;
        let model = train(&space(), &pages, &config, &mut |_| ControlFlow::Continue(())).unwrap();
        right(&model, &pages[3])
    };
    assert!(right(None) < 9);
    assert_eq!(right(with_trees(1.0)), 9);
}

/// The marginal probabilities of the geometric mean of two distributions over the labels of a page, sequence by sequence:
/// one has scores a block and label and transitions, the other probabilities a block and label.
fn marginals(scores: &[[f64; 3]], transitions: &[f32], trees: &[[f64; 3]], share: f64) -> Vec<[f64; 3]> {
    let blocks = scores.len();
    let mut sums = vec![[0.0; 3]; blocks];
    for number in 0..3usize.pow(blocks as u32) {
        let path: Vec<usize> = (0..blocks)
            .map(|block| number / 3usize.pow(block as u32) % 3)
            .collect();
        let by_weights: f64 = path
            .iter()
            .zip(scores)
            .map(|(&label, row)| row[label])
            .sum::<f64>()
            + path
                .windows(2)
                .map(|pair| f64::from(transitions[pair[0] * 3 + pair[1]]))
                .sum::<f64>();
        let by_trees: f64 = path.iter().zip(trees).map(|(&label, row)| row[label].ln()).sum();
        let weight = ((1.0 - share) * by_weights + share * by_trees).exp();
        path.iter()
            .zip(&mut sums)
            .for_each(|(&label, row)| row[label] += weight);
    }
    for row in &mut sums {
        let total: f64 = row.iter().sum();
        *row = row.map(|sum| sum / total);
    }
    sums
}

#[test]
fn what_counts_is_the_geometric_mean_of_chain_and_trees() {
    // (An odd number of pages and codes that hang together: or all weights would be zero.)
    let pages: Vec<_> = (0..5).map(page).collect();
    let learn = |share| {
        let mut model = train(&space(), &pages, &config(with_trees(share)), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        model.set_decoder(Decoder::Marginal { threshold: 0.5 }).unwrap();
        model
    };
    let (both, trees) = (learn(0.4), learn(1.0));
    let (columns, _) = page(2);
    let tag = |model: &Model| -> Vec<[f64; 3]> {
        let mut tagger = Tagger::new(model);
        tagger
            .tag(&columns)
            .marginals
            .iter()
            .map(|row| [row[0], row[1], row[2]])
            .collect()
    };
    let mut scores = vec![[0.0; 3]; 9];
    for (attribute, weights) in both.attributes() {
        let column = usize::from(attribute.column == "b");
        for (block, row) in scores.iter_mut().enumerate() {
            if u16::from(columns.column(column)[block]) == attribute.code {
                row.iter_mut()
                    .zip(weights)
                    .for_each(|(score, weight)| *score += f64::from(*weight));
            }
        }
    }
    assert!(both.transitions().iter().any(|weight| weight.abs() > 0.1));
    let expected = marginals(&scores, both.transitions(), &tag(&trees), 0.4);
    for (found, expected) in tag(&both).iter().zip(expected) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
    }
}

#[test]
fn trees_see_what_the_template_has_of_neighbours() {
    // Content is what stands behind a block whose first code is 1.
    let behind = |(columns, mut labels): (Columns, Vec<Label>)| {
        let codes = columns.column(0);
        for block in 0..labels.len() {
            let is_content = block > 0 && codes[block - 1] == 1;
            labels[block] = if is_content {
                Label::Paragraph
            } else {
                Label::Other
            };
        }
        (columns, labels)
    };
    // (Blocks that are drawn, or their own codes would show what stands before.)
    let drawn = |number: usize| {
        let (mut columns, labels) = page(number);
        let bits = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let codes = (0..9).map(|block| (bits >> (20 + 3 * block) & 1) as u8);
        columns
            .column_mut(0)
            .iter_mut()
            .zip(codes)
            .for_each(|(to, code)| *to = code);
        behind((columns, labels))
    };
    let pages: Vec<_> = (0..40).map(drawn).collect();
    let learn = |offsets: Vec<i32>| {
        let mut config = config(with_trees(1.0));
        config.template.offsets = [(String::new(), offsets)].into();
        train(&space(), &pages, &config, &mut |_| ControlFlow::Continue(())).unwrap()
    };
    let seen = learn(vec![-1, 0]);
    let seen = Model::from_bytes(&seen.to_bytes().unwrap()).unwrap();
    let asked = seen.label_trees().unwrap().asked;
    assert!(asked.iter().any(|(column, _)| column == "a@-1"), "{asked:?}");
    let right_on = |model: &Model| -> usize { (40..60).map(|number| right(model, &drawn(number))).sum() };
    assert_eq!(right_on(&seen), 20 * 9);
    assert!(right_on(&learn(vec![0])) < 20 * 9);
}

#[test]
fn trees_are_read_back_whatever_the_number_of_threads_and_need_no_weights() {
    let bytes = |threads| {
        learnt(&TrainConfig {
            threads,
            ..config(with_trees(1.0))
        })
        .unwrap()
        .to_bytes()
        .unwrap()
    };
    let once = bytes(1);
    assert!(once == bytes(3));
    let model = Model::from_bytes(&once).unwrap();
    assert_eq!(right(&model, &page(7)), 9);
    assert_eq!(model.nonzero(), 0);
    assert!(model.trees().is_none(), "those are of content");
    let trees = model.label_trees().unwrap();
    assert_eq!((trees.count, trees.leaves, trees.share), (3 * 40, 4, 1.0));
    let asked: Vec<&str> = trees.asked.iter().map(|(column, _)| column.as_str()).collect();
    assert_eq!(asked, ["a", "b"]);
}

#[test]
fn damage_is_named() {
    let bytes = learnt(&config(with_trees(1.0))).unwrap().to_bytes().unwrap();
    // The first split of the last label's trees: the lower byte of its input, then its leaf.
    let first = bytes.len() - 8 - 40 * (4 * 4) - 40 * (3 * 4);
    for (place, message) in [(first, "input 9 of 2"), (first + 3, "a split of leaf 9 of 1")] {
        let mut bytes = bytes.clone();
        bytes[place] = 9;
        let end = bytes.len() - 8;
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_le_bytes());
        let found = Model::from_bytes(&bytes).unwrap_err().to_string();
        assert!(found.contains(message), "{found}");
    }
    assert!(Model::from_bytes(&bytes[..bytes.len() - 100]).is_err());
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let found = learnt(&config(with_trees(1.5))).unwrap_err().to_string();
    assert!(found.contains("trees: count must be from 1 to"), "{found}");
    let pages = [page(0), page(1)];
    let found = train_with_dev(&space(), &pages, &pages, &config(with_trees(1.0)), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap_err()
    .to_string();
    assert!(
        found.contains("trees: that count alone do not stop early"),
        "{found}"
    );
    assert!(matches!(
        train(&space(), &[], &config(with_trees(1.0)), &mut |_| {
            ControlFlow::Continue(())
        }),
        Err(Error::Chain(gleaner_crf::Error::NoData))
    ));
}
