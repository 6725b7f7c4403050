//! Inference against the enumeration of all sequences of labels.

use proptest::prelude::*;

use super::*;

/// A small chain: labels, transitions, scores a block.
#[derive(Clone, Debug)]
struct Case {
    labels: usize,
    transitions: Vec<f32>,
    scores: Vec<Vec<f32>>,
}

impl Case {
    fn chain(&self) -> Chain {
        Chain::new(self.labels, &self.transitions)
    }

    fn rows(&self) -> Vec<Row> {
        let fill = |scores: &Vec<f32>| {
            let mut row = Row::empty(self.labels);
            row.0[..self.labels].copy_from_slice(scores);
            row
        };
        self.scores.iter().map(fill).collect()
    }

    /// The score of a path, added up as it is defined.
    fn score(&self, path: &[usize]) -> f64 {
        let state = path
            .iter()
            .zip(&self.scores)
            .map(|(&label, scores)| f64::from(scores[label]));
        let pair = |pair: &[usize]| f64::from(self.transitions[pair[0] * self.labels + pair[1]]);
        state.sum::<f64>() + path.windows(2).map(pair).sum::<f64>()
    }

    fn paths(&self) -> Vec<Vec<usize>> {
        let mut paths = vec![Vec::new()];
        for _ in &self.scores {
            let longer = |path: Vec<usize>| {
                (0..self.labels).map(move |label| path.iter().copied().chain([label]).collect::<Vec<_>>())
            };
            paths = paths.into_iter().flat_map(longer).collect();
        }
        paths
    }
}

/// What enumeration says.
struct Truth {
    log_z: f64,
    marginals: Vec<Wide>,
    pairs: [Wide; LANES],
}

fn enumerate(case: &Case) -> Truth {
    let paths = case.paths();
    let best = paths
        .iter()
        .map(|path| case.score(path))
        .fold(f64::NEG_INFINITY, f64::max);
    let mass: f64 = paths.iter().map(|path| (case.score(path) - best).exp()).sum();
    let log_z = best + mass.ln();
    let mut marginals = vec![[0.0; LANES]; case.scores.len()];
    let mut pairs = [[0.0; LANES]; LANES];
    for path in &paths {
        let probability = (case.score(path) - log_z).exp();
        path.iter()
            .zip(&mut marginals)
            .for_each(|(&label, row)| row[label] += probability);
        path.windows(2)
            .for_each(|pair| pairs[pair[0]][pair[1]] += probability);
    }
    Truth {
        log_z,
        marginals,
        pairs,
    }
}

fn cases(limit: f32) -> impl Strategy<Value = Case> {
    let scores = move |count: usize| prop::collection::vec(-limit..=limit, count);
    (2usize..=5, 1usize..=5).prop_flat_map(move |(labels, blocks)| {
        let blocks = prop::collection::vec(scores(labels), blocks);
        (scores(labels * labels), blocks).prop_map(move |(transitions, scores)| Case {
            labels,
            transitions,
            scores,
        })
    })
}

fn close(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-5 * scale.max(1.0)
}

type Method = fn(&Chain, &[Row], &mut Lattice, &mut [Wide], Option<&mut [Wide; LANES]>) -> f64;

fn agrees(case: &Case, method: Method) {
    let truth = enumerate(case);
    let mut marginals = vec![[0.0; LANES]; case.scores.len()];
    let mut pairs = [[0.0; LANES]; LANES];
    let log_z = method(
        &case.chain(),
        &case.rows(),
        &mut Lattice::default(),
        &mut marginals,
        Some(&mut pairs),
    );
    assert!(
        close(log_z, truth.log_z, truth.log_z.abs()),
        "{log_z} {}",
        truth.log_z
    );
    for (row, expected) in marginals
        .iter()
        .chain(&pairs)
        .zip(truth.marginals.iter().chain(&truth.pairs))
    {
        for (value, expected) in row.iter().zip(expected) {
            assert!(close(*value, *expected, 1.0), "{value} {expected}");
        }
    }
}

proptest! {
    #[test]
    fn both_forms_agree_with_enumeration(case in cases(8.0)) {
        agrees(&case, Chain::scaled);
        agrees(&case, Chain::logarithmic);
    }

    #[test]
    fn scores_of_a_thousand_do_no_harm(case in cases(1000.0)) {
        agrees(&case, Chain::marginals);
    }
}

#[test]
fn a_forbidden_turn_is_never_taken() {
    // The first block is label 0 for certain, the second label 1, but 1 hardly ever follows 0.
    let transitions = vec![0.0, -1000.0, 0.0, 0.0];
    let case = Case {
        labels: 2,
        transitions,
        scores: vec![vec![1000.0, -1000.0], vec![-1000.0, 1000.0]],
    };
    agrees(&case, Chain::marginals);
}

#[test]
fn a_long_page_keeps_its_digits() {
    let scores: Vec<Vec<f32>> = (0..20_000)
        .map(|block| vec![3.0, 3.0 + (block % 2) as f32 * 0.01])
        .collect();
    let case = Case {
        labels: 2,
        transitions: vec![0.0; 4],
        scores,
    };
    let (rows, mut lattice) = (case.rows(), Lattice::default());
    let mut marginals = vec![[0.0; LANES]; rows.len()];
    let log_z = case.chain().marginals(&rows, &mut lattice, &mut marginals, None);
    let expected =
        10_000.0 * (2.0 * 3f64.exp()).ln() + 10_000.0 * (3f64.exp() + f64::from(3.01f32).exp()).ln();
    assert!((log_z / expected - 1.0).abs() < 1e-9);
}

#[test]
fn no_blocks_have_nothing_to_add_up() {
    let chain = Chain::new(2, &[0.0; 4]);
    assert_eq!(chain.marginals(&[], &mut Lattice::default(), &mut [], None), 0.0);
}
