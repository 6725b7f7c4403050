//! Trees for labels: boosting of the multinomial loss, a tree a label in each round (Friedman 2001, section 4.6 and
//! algorithm 6). Where several labels may be right, they share the block as the trees so far judge them.

use gleaner_columns::{in_parallel, softmax};

use super::{PORTION, Slope, TreesConfig, grow};
use crate::trees::Trees;

/// Blocks to learn labels from.
#[derive(Debug)]
pub struct LabelBlocks {
    /// The codes of each input, a column; none where it is not to be asked about.
    pub inputs: Vec<Vec<u8>>,
    /// The labels that each block may have, a bit each: more than one where it is not known which.
    pub gold: Vec<u8>,
    /// How many labels there are.
    pub labels: usize,
    /// How much each block counts.
    pub weights: Vec<f32>,
}

/// What a label's trees are grown from.
struct OfLabel {
    scores: Vec<f32>,
    slopes: Vec<Slope>,
    trees: Trees,
}

/// Trees for each label, as many of each. The first of them have the labels' frequencies. `may_continue(rounds, loss)` is called
/// after each round, with the loss before it; `false` stops.
pub fn boost_labels(
    blocks: &LabelBlocks,
    config: &TreesConfig,
    threads: usize,
    may_continue: &mut dyn FnMut(usize, f64) -> bool,
) -> Vec<Trees> {
    let count = blocks.gold.len();
    let begin = |frequency: f64| OfLabel {
        scores: vec![frequency.ln() as f32; count],
        slopes: vec![Slope::default(); count],
        trees: Trees::zero(0, config.leaves, config.share as f32),
    };
    let frequencies = frequencies(blocks);
    let mut labels: Vec<OfLabel> = frequencies.iter().map(|&frequency| begin(frequency)).collect();
    for round in 0..config.count {
        let loss = differentiate(blocks, &mut labels, threads);
        let tasks = labels.iter_mut().enumerate().collect();
        in_parallel(
            threads,
            tasks,
            || (),
            |(), (place, label)| {
                let OfLabel {
                    scores,
                    slopes,
                    trees,
                } = label;
                let draw = round * blocks.labels + place;
                grow(&blocks.inputs, slopes, config, draw, 1, scores, trees);
            },
        );
        if !may_continue(round + 1, loss) {
            break;
        }
    }
    let begun = labels.into_iter().zip(frequencies);
    begun
        .map(|(label, frequency)| from(frequency.ln() as f32, label.trees))
        .collect()
}

/// How frequent each label is; never zero.
fn frequencies(blocks: &LabelBlocks) -> Vec<f64> {
    let mut sums = vec![1.0; blocks.labels];
    for (&gold, &weight) in blocks.gold.iter().zip(&blocks.weights) {
        let share = f64::from(weight) / f64::from(gold.count_ones().max(1));
        for (label, sum) in sums.iter_mut().enumerate() {
            *sum += share * f64::from(may_be(gold, label));
        }
    }
    let total: f64 = sums.iter().sum();
    sums.iter().map(|sum| sum / total).collect()
}

/// Trees that begin with a score.
fn from(score: f32, mut trees: Trees) -> Trees {
    let width = trees.width;
    if let Some(first) = trees.leaves.first_mut() {
        first[..width].iter_mut().for_each(|leaf| *leaf += score);
    }
    trees
}

/// Fills in the slopes of each label's scores; gives the loss.
fn differentiate(blocks: &LabelBlocks, labels: &mut [OfLabel], threads: usize) -> f64 {
    let portions = blocks.gold.len().div_ceil(PORTION);
    let mut losses = vec![0.0; portions];
    let mut parts: Vec<Vec<(&[f32], &mut [Slope])>> = (0..portions).map(|_| Vec::new()).collect();
    for OfLabel { scores, slopes, .. } in labels {
        let chunks = scores.chunks(PORTION).zip(slopes.chunks_mut(PORTION));
        parts
            .iter_mut()
            .zip(chunks)
            .for_each(|(part, chunk)| part.push(chunk));
    }
    let tasks = parts.into_iter().zip(&mut losses).enumerate().collect();
    in_parallel(
        threads,
        tasks,
        Vec::new,
        |probabilities: &mut Vec<f64>, (portion, (mut part, loss))| {
            let first = portion * PORTION;
            let weights = &blocks.weights[first..];
            for (block, (&gold, &weight)) in
                blocks.gold[first..].iter().zip(weights).take(PORTION).enumerate()
            {
                probabilities.clear();
                probabilities.extend(part.iter().map(|(scores, _)| f64::from(scores[block])));
                softmax(probabilities);
                let all = probabilities.iter().enumerate();
                let right: f64 = all.map(|(label, of)| of * f64::from(may_be(gold, label))).sum();
                let right = right.max(1e-300);
                *loss -= f64::from(weight) * right.ln();
                for (label, (_, slopes)) in part.iter_mut().enumerate() {
                    let share = f64::from(may_be(gold, label)) * probabilities[label] / right;
                    slopes[block] = slope(probabilities[label], share, weight, blocks.labels);
                }
            }
        },
    );
    losses.iter().sum()
}

/// One if a block may have a label, else zero.
fn may_be(gold: u8, label: usize) -> u8 {
    gold >> label & 1
}

/// The derivatives of a block's loss by the score of one of `labels` labels, whose share of the block is given: all where no
/// other label may be right. The second one is that of the diagonal with these shares, made larger as in algorithm 6, for
/// all labels step at once.
fn slope(probability: f64, share: f64, weight: f32, labels: usize) -> Slope {
    let step = labels as f64 / (labels as f64 - 1.0);
    let (first, second) = (probability - share, step * probability * (1.0 - probability));
    [weight * first as f32, weight * second as f32]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LABELS: usize = 3;

    fn some_blocks() -> impl Strategy<Value = LabelBlocks> {
        let block = (prop::array::uniform2(0u8..5), 1u8..1 << LABELS, 0.1f32..3.0);
        prop::collection::vec(block, 1..80).prop_map(|blocks| LabelBlocks {
            inputs: (0..2)
                .map(|input| blocks.iter().map(|block| block.0[input]).collect())
                .collect(),
            gold: blocks.iter().map(|block| block.1).collect(),
            labels: LABELS,
            weights: blocks.iter().map(|block| block.2).collect(),
        })
    }

    /// The definition: the sum of -weight * ln(sum of exp(scores) of the gold labels / sum of exp(scores)).
    fn loss(blocks: &LabelBlocks, scores: &[[f64; LABELS]]) -> f64 {
        let gold = blocks.gold.iter().zip(&blocks.weights).zip(scores);
        gold.map(|((&gold, &weight), scores)| {
            let sum: f64 = scores.iter().map(|score| score.exp()).sum();
            let right = scores
                .iter()
                .enumerate()
                .map(|(label, score)| score.exp() * f64::from(may_be(gold, label)));
            f64::from(weight) * (sum.ln() - right.sum::<f64>().ln())
        })
        .sum()
    }

    proptest! {
        #[test]
        fn slopes_are_those_of_the_loss(blocks in some_blocks(), seed in 0u64..1000) {
            let count = blocks.gold.len();
            let score = |block: usize, label: usize| 4.0 * super::super::random(seed, (block * LABELS + label) as u64) - 2.0;
            let scores: Vec<[f64; LABELS]> =
                (0..count).map(|block| std::array::from_fn(|label| f64::from(score(block, label) as f32))).collect();
            let mut labels: Vec<OfLabel> = (0..LABELS)
                .map(|label| OfLabel {
                    scores: scores.iter().map(|row| row[label] as f32).collect(),
                    slopes: vec![Slope::default(); count],
                    trees: Trees::zero(0, 4, 1.0),
                })
                .collect();
            let found = differentiate(&blocks, &mut labels, 2);
            prop_assert!((found - loss(&blocks, &scores)).abs() < 1e-3);
            for (label, of_label) in labels.iter().enumerate() {
                let block = count / 2;
                let at = |step: f64| {
                    let mut moved = scores.clone();
                    moved[block][label] += step;
                    loss(&blocks, &moved)
                };
                let first = (at(1e-4) - at(-1e-4)) / 2e-4;
                let second = (at(1e-4) + at(-1e-4) - 2.0 * at(0.0)) / 1e-8 * 1.5;
                let [found_first, found_second] = of_label.slopes[block];
                prop_assert!((f64::from(found_first) - first).abs() < 1e-4);
                // Of several labels the shares are held, which bounds the loss from above.
                let (found, is_one) = (f64::from(found_second), blocks.gold[block].is_power_of_two());
                prop_assert!(found > second - 1e-3 && (!is_one || found < second + 1e-3), "{found} {second}");
            }
        }

        #[test]
        fn each_round_lowers_the_loss(blocks in some_blocks()) {
            let config = TreesConfig { count: 6, leaves: 4, blocks: 0.7, columns: 0.7, ..TreesConfig::default() };
            let mut losses = Vec::new();
            let trees = boost_labels(&blocks, &config, 2, &mut |_, loss| {
                losses.push(loss);
                true
            });
            prop_assert!(trees.iter().all(|trees| trees.count() == 6));
            prop_assert!(losses.is_sorted_by(|before, after| after <= before), "{:?}", losses);
        }
    }

    #[test]
    fn without_differences_the_trees_have_the_frequencies() {
        let blocks = LabelBlocks {
            inputs: vec![vec![0; 200]],
            gold: (0..200).map(|block| 1 << u8::from(block % 4 == 0)).collect(),
            labels: 2,
            weights: vec![1.0; 200],
        };
        let config = TreesConfig {
            count: 60,
            ..TreesConfig::default()
        };
        let trees = boost_labels(&blocks, &config, 1, &mut |_, _| true);
        let score = |label: usize| -> f32 { trees[label].leaves.iter().map(|leaves| leaves[0]).sum() };
        assert!((score(1) - score(0) - (1f32 / 3.0).ln()).abs() < 0.02);
    }
}
