//! Training [`Trees`]: gradient boosting of the logistic loss by its first two derivatives (Friedman
//! 2001; Chen and Guestrin 2016, equations 6 and 7), over histograms of codes.
//!
//! Each tree is grown leaf by leaf: of all questions to all leaves the one is asked that lowers the loss most (Shi
//! 2007, best-first). Of the two halves of a leaf only the smaller is added up; the other is what is left.

mod labels;

use gleaner_columns::{in_parallel, sigmoid};
use serde::{Deserialize, Serialize};

use crate::trees::{Leaves, MAX_LEAVES, MAX_TREES, Question, Split, Trees};
pub use labels::{LabelBlocks, boost_labels};

/// The settings of boosted trees; in TOML each may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TreesConfig {
    /// How many trees.
    pub count: usize,
    /// How many leaves each of them has at most, 2 to 64.
    pub leaves: usize,
    /// Learning rate.
    pub rate: f64,
    /// L2 regularisation of the leaves' values.
    pub l2: f64,
    /// Fraction of columns sampled per tree.
    pub columns: f64,
    /// Fraction of blocks sampled per tree, by which its questions are chosen.
    pub blocks: f64,
    /// How much the trees count beside the weights, 0 to 1, in a mean of their log odds.
    pub share: f64,
    /// Seed of the samples of columns and blocks.
    #[serde(skip_serializing_if = "is_zero")]
    pub seed: u32,
}

/// Older models have no such setting.
fn is_zero(seed: &u32) -> bool {
    *seed == 0
}

impl Default for TreesConfig {
    fn default() -> Self {
        TreesConfig {
            count: 300,
            leaves: 63,
            rate: 0.1,
            l2: 20.0,
            columns: 0.2,
            blocks: 0.6,
            share: 0.5,
            seed: 0,
        }
    }
}

impl TreesConfig {
    /// # Errors
    /// Settings out of range.
    pub fn check(&self) -> Result<(), String> {
        let share = |value: f64| value > 0.0 && value <= 1.0;
        let sound = (1..=MAX_TREES).contains(&self.count)
            && (2..=MAX_LEAVES).contains(&self.leaves)
            && self.l2.is_finite()
            && self.l2 > 0.0
            && [self.rate, self.columns, self.blocks].into_iter().all(share)
            && (0.0..=1.0).contains(&self.share);
        if sound {
            return Ok(());
        }
        Err(format!(
            "count must be from 1 to {MAX_TREES}, leaves from 2 to {MAX_LEAVES}, l2 above zero, share \
             from 0 to 1, rate, columns and blocks above 0 and not above 1"
        ))
    }
}

/// Blocks to learn from.
#[derive(Debug)]
pub struct Blocks {
    /// The codes of each input, a column, or after the columns what all blocks of a page share; none where it is not to
    /// be asked about.
    pub inputs: Vec<Vec<u8>>,
    /// Whether each block is content.
    pub is_content: Vec<bool>,
    /// How much each block counts.
    pub weights: Vec<f32>,
}

/// How the loss changes with a block's score: first and second derivative.
type Slope = [f32; 2];
type Sum = [f64; 2];

/// The best question about an input to a leaf.
#[derive(Clone, Copy)]
struct Choice {
    gain: f64,
    question: Question,
}

impl Choice {
    const NOTHING: Choice = Choice {
        gain: 0.0,
        question: Question::NOTHING,
    };
}

/// Blocks whose slopes are computed at once.
const PORTION: usize = 1 << 14;

/// Trees for the blocks. `may_continue(trees, loss)` is called after each tree, with the loss before it; `false` stops.
pub fn boost(
    blocks: &Blocks,
    config: &TreesConfig,
    threads: usize,
    may_continue: &mut dyn FnMut(usize, f64) -> bool,
) -> Trees {
    let mut trees = Trees::zero(0, config.leaves, config.share as f32);
    let mut scores = vec![0f32; blocks.weights.len()];
    let mut slopes = vec![Slope::default(); scores.len()];
    for tree in 0..config.count {
        let loss = differentiate(blocks, &scores, threads, &mut slopes);
        grow(
            &blocks.inputs,
            &slopes,
            config,
            tree,
            threads,
            &mut scores,
            &mut trees,
        );
        if !may_continue(trees.count(), loss) {
            break;
        }
    }
    trees
}

/// Numbers of draws per seed: more than a training makes.
const DRAWS: u64 = 10 * MAX_TREES as u64;

/// Grows one more tree from the slopes, and adds what it says to the scores. `draw` is the number of what it draws at random.
fn grow(
    inputs: &[Vec<u8>],
    slopes: &[Slope],
    config: &TreesConfig,
    draw: usize,
    threads: usize,
    scores: &mut [f32],
    trees: &mut Trees,
) {
    let draw = u64::from(config.seed) * DRAWS + draw as u64;
    let mut splits = Growth::new(inputs, slopes, config, draw).splits(config.leaves, threads);
    let leaves = leaves(inputs, slopes.len(), &splits, threads);
    let values = values(&leaves, slopes, config);
    for (score, &leaf) in scores.iter_mut().zip(&leaves) {
        *score += values[usize::from(leaf)];
    }
    splits.resize(config.leaves - 1, Split::NOTHING);
    trees.splits.extend(splits);
    trees.leaves.push(values);
}

/// Fills in the slopes; gives the loss.
fn differentiate(blocks: &Blocks, scores: &[f32], threads: usize, slopes: &mut [Slope]) -> f64 {
    let mut losses = vec![0.0; scores.len().div_ceil(PORTION)];
    let tasks = slopes.chunks_mut(PORTION).zip(&mut losses).enumerate().collect();
    in_parallel(
        threads,
        tasks,
        || (),
        |(), (portion, (slopes, loss))| {
            let first = portion * PORTION;
            for (block, slope) in slopes.iter_mut().enumerate() {
                let block = first + block;
                let (weight, is_content) = (blocks.weights[block], blocks.is_content[block]);
                let probability = sigmoid(f64::from(scores[block]));
                let right = if is_content {
                    probability
                } else {
                    1.0 - probability
                };
                *loss -= f64::from(weight) * right.max(1e-300).ln();
                let probability = probability as f32;
                let gold = f32::from(u8::from(is_content));
                *slope = [
                    weight * (probability - gold),
                    weight * probability * (1.0 - probability),
                ];
            }
        },
    );
    losses.iter().sum()
}

/// The leaf that each of `count` blocks comes to.
fn leaves(inputs: &[Vec<u8>], count: usize, splits: &[Split], threads: usize) -> Vec<u8> {
    let mut leaves = vec![0; count];
    let tasks = leaves.chunks_mut(PORTION).enumerate().collect();
    in_parallel(
        threads,
        tasks,
        || (),
        |(), (portion, numbers)| {
            for (new, Split { question, leaf }) in (1..).zip(splits) {
                let codes = &inputs[usize::from(question.input)][portion * PORTION..];
                for (number, &code) in numbers.iter_mut().zip(codes) {
                    let moves = (code >= question.threshold) & (*number == *leaf);
                    *number = if moves { new } else { *number };
                }
            }
        },
    );
    leaves
}

/// The leaves' values, from all blocks: a Newton step each, shortened.
fn values(leaves: &[u8], slopes: &[Slope], config: &TreesConfig) -> Leaves {
    let mut sums = [Sum::default(); MAX_LEAVES];
    for (&leaf, slope) in leaves.iter().zip(slopes) {
        add(&mut sums[usize::from(leaf)], slope);
    }
    let value = |[first, second]: &Sum| -config.rate * first / (second + config.l2);
    sums.map(|sum| value(&sum) as f32)
}

/// A tree that is being grown, on a sample of blocks and inputs.
struct Growth {
    l2: f64,
    slopes: Vec<Slope>,
    /// The blocks of the sample that have come to each leaf, ascending.
    members: Vec<Vec<u32>>,
    inputs: Vec<Input>,
}

/// An input that may be asked about.
struct Input {
    number: u16,
    /// The codes of the sample.
    codes: Vec<u8>,
    /// How many codes there are.
    width: usize,
    /// Leaf by leaf, the sum of each code's slopes.
    sums: Vec<Sum>,
    /// The best question to each leaf.
    best: Vec<Choice>,
}

impl Growth {
    fn new(inputs: &[Vec<u8>], slopes: &[Slope], config: &TreesConfig, tree: u64) -> Growth {
        let sample: Vec<u32> = (0..slopes.len() as u32)
            .filter(|&block| random(2 * tree, u64::from(block)) < config.blocks)
            .collect();
        let of_sample = |codes: &[u8]| sample.iter().map(|&block| codes[block as usize]).collect();
        let drawn = inputs.iter().enumerate();
        let drawn = drawn.filter(|(number, codes)| {
            !codes.is_empty() && random(2 * tree + 1, *number as u64) < config.columns
        });
        Growth {
            l2: config.l2,
            slopes: sample.iter().map(|&block| slopes[block as usize]).collect(),
            members: vec![(0..sample.len() as u32).collect()],
            inputs: drawn
                .map(|(number, codes)| Input::new(number, of_sample(codes)))
                .collect(),
        }
    }

    /// The splits of a tree of at most `leaves` leaves; of fewer where no more of them gain.
    fn splits(mut self, leaves: usize, threads: usize) -> Vec<Split> {
        self.each_input(threads, |input, members, slopes, l2| {
            input.add(0, &members[0], slopes);
            input.choose(0, l2);
        });
        let mut splits = Vec::with_capacity(leaves - 1);
        while splits.len() + 1 < leaves
            && let Some(split) = self.best()
        {
            self.divide(split);
            let (old, new) = (usize::from(split.leaf), self.members.len() - 1);
            self.each_input(threads, |input, members, slopes, l2| {
                input.divide(old, new, members, slopes);
                input.choose(old, l2);
                input.choose(new, l2);
            });
            splits.push(split);
        }
        splits
    }

    fn each_input(&mut self, threads: usize, work: impl Fn(&mut Input, &[Vec<u32>], &[Slope], f64) + Sync) {
        let (members, slopes, l2) = (&self.members, &self.slopes, self.l2);
        let tasks: Vec<&mut Input> = self.inputs.iter_mut().collect();
        in_parallel(
            threads,
            tasks,
            || (),
            |(), input| work(input, members, slopes, l2),
        );
    }

    /// The split that gains most, of equal ones the first; none where none gains.
    fn best(&self) -> Option<Split> {
        let mut best = (0.0, None);
        for leaf in 0..self.members.len() {
            for input in &self.inputs {
                let Choice { gain, question } = input.best[leaf];
                if gain > best.0 {
                    let leaf = leaf as u8;
                    best = (gain, Some(Split { question, leaf }));
                }
            }
        }
        best.1
    }

    /// Moves the blocks that say yes to a new leaf.
    fn divide(&mut self, split: Split) {
        let asked = self
            .inputs
            .iter()
            .find(|input| input.number == split.question.input);
        let codes = asked.map_or(&[][..], |input| &input.codes);
        let members = &mut self.members[usize::from(split.leaf)];
        let moved = members
            .extract_if(.., |block| codes[*block as usize] >= split.question.threshold)
            .collect();
        self.members.push(moved);
    }
}

impl Input {
    fn new(number: usize, codes: Vec<u8>) -> Input {
        let width = codes.iter().max().map_or(1, |&largest| usize::from(largest) + 1);
        Input {
            number: number as u16,
            codes,
            width,
            sums: vec![Sum::default(); width],
            best: vec![Choice::NOTHING],
        }
    }

    /// Adds up the slopes of a leaf.
    fn add(&mut self, leaf: usize, members: &[u32], slopes: &[Slope]) {
        let sums = &mut self.sums[leaf * self.width..][..self.width];
        for &block in members {
            let block = block as usize;
            add(&mut sums[usize::from(self.codes[block])], &slopes[block]);
        }
    }

    /// Divides the sums of a leaf between it and a new one: the smaller one is added up, the other is the rest.
    // To grow a tree of n leaves from the top, each block would be added once for each level above its leaf. By the difference
    // at most half of a leaf's blocks are added.
    fn divide(&mut self, old: usize, new: usize, members: &[Vec<u32>], slopes: &[Slope]) {
        self.sums.resize((new + 1) * self.width, Sum::default());
        self.best.push(Choice::NOTHING);
        let is_new_smaller = members[new].len() <= members[old].len();
        self.add(new, &members[if is_new_smaller { new } else { old }], slopes);
        let (before, added) = self.sums.split_at_mut(new * self.width);
        for (old, new) in before[old * self.width..].iter_mut().zip(added) {
            *old = [old[0] - new[0], old[1] - new[1]];
            if !is_new_smaller {
                std::mem::swap(old, new);
            }
        }
    }

    /// The code to ask a leaf for that lowers the loss most.
    // The best value of a leaf with the slopes' sums G and H lowers the loss by G^2 / (H + l2) / 2 (Chen and Guestrin, equation
    // 7). So the gain of each threshold follows from sums over codes, and all thresholds are compared in one pass from the
    // highest code down.
    fn choose(&mut self, leaf: usize, l2: f64) {
        let part = |[first, second]: Sum| first * first / (second.max(0.0) + l2);
        let sums = &self.sums[leaf * self.width..][..self.width];
        let whole = sums.iter().fold(Sum::default(), plus);
        let mut best = Choice::NOTHING;
        let mut high = Sum::default();
        for (threshold, sum) in sums.iter().enumerate().skip(1).rev() {
            high = plus(high, sum);
            let low = [whole[0] - high[0], whole[1] - high[1]];
            let gain = part(high) + part(low) - part(whole);
            if gain > best.gain {
                let question = Question {
                    input: self.number,
                    threshold: threshold as u8,
                };
                best = Choice { gain, question };
            }
        }
        self.best[leaf] = best;
    }
}

fn plus(a: Sum, b: &Sum) -> Sum {
    [a[0] + b[0], a[1] + b[1]]
}

#[inline(always)]
fn add(sum: &mut Sum, slope: &Slope) {
    sum[0] += f64::from(slope[0]);
    sum[1] += f64::from(slope[1]);
}

/// A number from 0 to 1 that only depends on what it is drawn for (SplitMix64).
fn random(what: u64, number: u64) -> f64 {
    let mut bits = what
        .wrapping_mul(0xd1b5_4a32_d192_ed03)
        .wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How much lower the loss is, to the second order, when each leaf has its best value.
    fn gain(blocks: &Blocks, slopes: &[Slope], splits: &[Split], l2: f64) -> f64 {
        let mut sums = vec![Sum::default(); 1 + splits.len()];
        for (&leaf, slope) in leaves(&blocks.inputs, slopes.len(), splits, 2).iter().zip(slopes) {
            add(&mut sums[usize::from(leaf)], slope);
        }
        sums.iter()
            .map(|[first, second]| first * first / (second + l2))
            .sum()
    }

    fn loss(blocks: &Blocks, scores: &[f32]) -> f64 {
        let gold = scores.iter().zip(&blocks.is_content).zip(&blocks.weights);
        gold.map(|((&score, &is_content), &weight)| {
            let right = if is_content { score } else { -score };
            f64::from(weight) * f64::from(-right).exp().ln_1p()
        })
        .sum()
    }

    fn some_blocks() -> impl Strategy<Value = Blocks> {
        let block = (prop::array::uniform3(0u8..5), any::<bool>(), 0.1f32..3.0);
        prop::collection::vec(block, 1..80).prop_map(|blocks| Blocks {
            // The second input is not to be asked about.
            inputs: [Some(0), None, Some(1), Some(2)]
                .map(|input| {
                    let codes = |place: usize| blocks.iter().map(|block| block.0[place]).collect();
                    input.map_or_else(Vec::new, codes)
                })
                .into(),
            is_content: blocks.iter().map(|block| block.1).collect(),
            weights: blocks.iter().map(|block| block.2).collect(),
        })
    }

    proptest! {
        #[test]
        fn each_split_gains_most_of_all(blocks in some_blocks(), leaves in 2usize..12) {
            let config = TreesConfig { l2: 0.5, columns: 1.0, blocks: 1.0, ..TreesConfig::default() };
            let scores = vec![0.3; blocks.weights.len()];
            let mut slopes = vec![Slope::default(); scores.len()];
            let found = differentiate(&blocks, &scores, 2, &mut slopes);
            prop_assert!((found - loss(&blocks, &scores)).abs() < 1e-4);
            let splits = Growth::new(&blocks.inputs, &slopes, &config, 0).splits(leaves, 2);
            prop_assert!(splits.len() < leaves);
            for place in 0..leaves - 1 {
                let before = &splits[..place.min(splits.len())];
                let with = |split| gain(&blocks, &slopes, &[before, &[split]].concat(), config.l2);
                let all = [0, 2, 3].into_iter().flat_map(|input| (0..6).map(move |threshold| Question { input, threshold }));
                let all = (0..=before.len() as u8).flat_map(|leaf| all.clone().map(move |question| Split { question, leaf }));
                let best = all.map(with).fold(f64::NEG_INFINITY, f64::max);
                let found = splits.get(place).map_or_else(|| gain(&blocks, &slopes, before, config.l2), |&split| with(split));
                prop_assert!(found > best - 1e-6, "{place}: {found} {best}");
            }
        }

        #[test]
        fn each_tree_lowers_the_loss(blocks in some_blocks()) {
            let config = TreesConfig { count: 6, leaves: 4, blocks: 0.7, columns: 0.7, ..TreesConfig::default() };
            let mut losses = Vec::new();
            let trees = boost(&blocks, &config, 2, &mut |_, loss| {
                losses.push(loss);
                true
            });
            prop_assert_eq!(trees.count(), 6);
            prop_assert!(losses.is_sorted_by(|before, after| after <= before), "{:?}", losses);
        }
    }

    #[test]
    fn another_seed_draws_other_columns() {
        let blocks = Blocks {
            inputs: (0..40)
                .map(|input| (0..64).map(|block| u8::from(block % 41 > input)).collect())
                .collect(),
            is_content: (0..64).map(|block| block % 3 == 0).collect(),
            weights: vec![1.0; 64],
        };
        let trees = |seed| {
            let config = TreesConfig {
                count: 5,
                seed,
                ..TreesConfig::default()
            };
            boost(&blocks, &config, 1, &mut |_, _| true)
        };
        assert_eq!(trees(3), trees(3));
        assert_ne!(trees(3).splits, trees(4).splits);
    }

    #[test]
    fn draws_are_even_and_do_not_hang_together() {
        let drawn = |what: u64| (0..4000).map(move |number| random(what, number) < 0.25);
        for tree in 0..20 {
            let count = drawn(tree).filter(|drawn| *drawn).count();
            assert!((850..1150).contains(&count), "{count}");
            let both = drawn(tree).zip(drawn(tree + 2)).filter(|(a, b)| *a && *b).count();
            assert!((180..320).contains(&both), "{both}");
        }
    }
}
