//! Training [`Trees`]: gradient boosting of the logistic loss by its first two derivatives (Friedman
//! 2001; Chen and Guestrin 2016, equations 6 and 7), over histograms of codes.
//!
//! Each tree is grown level by level. All leaves of a level are split by the same question: the one
//! that lowers the loss most, summed over them. Of each question's two halves only the smaller is
//! added up; the other is what is left of their parent.

use serde::{Deserialize, Serialize};

use super::parallel::in_parallel;
use crate::Error;
use crate::content::sigmoid;
use crate::trees::{Leaves, MAX_DEPTH, MAX_TREES, Question, Trees};

/// The settings of boosted trees; in TOML each may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TreesConfig {
    /// How many trees.
    pub count: usize,
    /// How many questions each of them asks, 1 to 8.
    pub depth: usize,
    /// What each adds, as a share of what would be best by itself.
    pub rate: f64,
    /// L2 regularisation of the leaves' values.
    pub l2: f64,
    /// The share of the columns that a tree may ask about, drawn for each anew.
    pub columns: f64,
    /// The share of the blocks that a tree's questions are chosen by, drawn for each anew.
    pub blocks: f64,
    /// How much the trees count beside the weights, 0 to 1, in a mean of their log odds.
    pub share: f64,
}

impl Default for TreesConfig {
    fn default() -> Self {
        TreesConfig {
            count: 250,
            depth: 8,
            rate: 0.15,
            l2: 20.0,
            columns: 0.2,
            blocks: 0.6,
            share: 0.5,
        }
    }
}

impl TreesConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        let share = |value: f64| value > 0.0 && value <= 1.0;
        let sound = (1..=MAX_TREES).contains(&self.count)
            && (1..=MAX_DEPTH).contains(&self.depth)
            && self.l2.is_finite()
            && self.l2 > 0.0
            && [self.rate, self.columns, self.blocks].into_iter().all(share)
            && (0.0..=1.0).contains(&self.share);
        if sound {
            return Ok(());
        }
        Err(Error::Setting {
            setting: "content.trees",
            detail: format!(
                "count must be from 1 to {MAX_TREES}, depth from 1 to {MAX_DEPTH}, l2 above zero, share \
                 from 0 to 1, rate, columns and blocks above 0 and not above 1"
            ),
        })
    }
}

/// Blocks to learn from.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The codes of each input, a column, or after the columns a kind; none where it is not to be
    /// asked about.
    pub(super) inputs: Vec<Vec<u8>>,
    pub(super) is_content: Vec<bool>,
    /// How much each block counts.
    pub(super) weights: Vec<f32>,
}

/// How the loss changes with a block's score: first and second derivative.
type Slope = [f32; 2];
type Sum = [f64; 2];

/// The best question about an input.
#[derive(Clone, Copy)]
struct Choice {
    gain: f64,
    question: Question,
}

/// Blocks whose slopes are computed at a time.
const PORTION: usize = 1 << 14;

/// Trees for the blocks. `go_on` hears how many there are and the loss before the last, and may end it
/// there.
pub(super) fn boost(
    blocks: &Blocks,
    config: &TreesConfig,
    threads: usize,
    go_on: &mut dyn FnMut(usize, f64) -> bool,
) -> Trees {
    let mut trees = Trees::zero(0, config.depth, config.share as f32);
    let mut scores = vec![0f32; blocks.weights.len()];
    let mut slopes = vec![Slope::default(); scores.len()];
    for tree in 0..config.count {
        let loss = differentiate(blocks, &scores, threads, &mut slopes);
        let questions = Growth::new(blocks, &slopes, config, tree as u64).questions(threads);
        let leaves = leaves(blocks, &questions);
        let values = values(&leaves, &slopes, config);
        for (score, &leaf) in scores.iter_mut().zip(&leaves) {
            *score += values[usize::from(leaf)];
        }
        trees.questions.extend(questions);
        trees.leaves.push(values);
        if !go_on(trees.count(), loss) {
            break;
        }
    }
    trees
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

/// The leaf that each block comes to.
fn leaves(blocks: &Blocks, questions: &[Question]) -> Vec<u8> {
    let mut leaves = vec![0; blocks.weights.len()];
    for (level, question) in questions.iter().enumerate() {
        let codes = &blocks.inputs[usize::from(question.input)];
        for (leaf, &code) in leaves.iter_mut().zip(codes) {
            *leaf |= u8::from(code >= question.least) << level;
        }
    }
    leaves
}

/// The leaves' values, from all blocks: a Newton step each, shortened.
fn values(leaves: &[u8], slopes: &[Slope], config: &TreesConfig) -> Leaves {
    let mut sums = [Sum::default(); 1 << MAX_DEPTH];
    for (&leaf, slope) in leaves.iter().zip(slopes) {
        add(&mut sums[usize::from(leaf)], slope);
    }
    let value = |[first, second]: &Sum| -config.rate * first / (second + config.l2);
    sums.map(|sum| value(&sum) as f32)
}

/// A tree that is being grown, on a sample of blocks and inputs.
struct Growth {
    depth: usize,
    l2: f64,
    slopes: Vec<Slope>,
    /// The leaf that each block of the sample has come to.
    leaves: Vec<u8>,
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
    best: Choice,
}

impl Growth {
    fn new(blocks: &Blocks, slopes: &[Slope], config: &TreesConfig, tree: u64) -> Growth {
        let sample: Vec<u32> = (0..slopes.len() as u32)
            .filter(|&block| random(2 * tree, u64::from(block)) < config.blocks)
            .collect();
        let of_sample = |codes: &[u8]| sample.iter().map(|&block| codes[block as usize]).collect();
        let inputs = blocks.inputs.iter().enumerate();
        let drawn = inputs.filter(|(number, codes)| {
            !codes.is_empty() && random(2 * tree + 1, *number as u64) < config.columns
        });
        Growth {
            depth: config.depth,
            l2: config.l2,
            slopes: sample.iter().map(|&block| slopes[block as usize]).collect(),
            leaves: vec![0; sample.len()],
            inputs: drawn
                .map(|(number, codes)| Input::new(number, of_sample(codes)))
                .collect(),
        }
    }

    fn questions(mut self, threads: usize) -> Vec<Question> {
        let everything: Vec<u32> = (0..self.slopes.len() as u32).collect();
        let mut half = (everything, true);
        let mut questions = Vec::with_capacity(self.depth);
        for level in 0..self.depth {
            let (added, is_high) = (half.0.as_slice(), half.1);
            let (slopes, leaves, l2) = (&self.slopes, &self.leaves, self.l2);
            let tasks: Vec<&mut Input> = self.inputs.iter_mut().collect();
            in_parallel(
                threads,
                tasks,
                || (),
                |(), input| {
                    input.split(added, is_high, level, leaves, slopes);
                    input.choose(l2);
                },
            );
            let question = self.best();
            half = self.ask(question, level);
            questions.push(question);
        }
        questions
    }

    /// The question that gains most, of equal ones the first; where none gains, one that says nothing.
    fn best(&self) -> Question {
        let nothing = Choice {
            gain: 0.0,
            question: Question {
                input: 0,
                least: u8::MAX,
            },
        };
        let choices = self.inputs.iter().map(|input| input.best);
        choices
            .fold(
                nothing,
                |best, choice| if choice.gain > best.gain { choice } else { best },
            )
            .question
    }

    /// Sets the leaves' bits of a level; gives the blocks of the smaller half, and whether that is the
    /// one with the bit set.
    fn ask(&mut self, question: Question, level: usize) -> (Vec<u32>, bool) {
        let asked = self.inputs.iter().find(|input| input.number == question.input);
        let mut halves = [Vec::new(), Vec::new()];
        for block in 0..self.leaves.len() {
            let is_high = asked.is_some_and(|input| input.codes[block] >= question.least);
            self.leaves[block] |= u8::from(is_high) << level;
            halves[usize::from(is_high)].push(block as u32);
        }
        let [low, high] = halves;
        if high.len() <= low.len() {
            (high, true)
        } else {
            (low, false)
        }
    }
}

impl Input {
    fn new(number: usize, codes: Vec<u8>) -> Input {
        let width = codes.iter().max().map_or(1, |&largest| usize::from(largest) + 1);
        Input {
            number: number as u16,
            codes,
            width,
            sums: Vec::new(),
            best: Choice {
                gain: 0.0,
                question: Question::default(),
            },
        }
    }

    /// Splits the sums of the level before by the last question: one half is added up, the other is
    /// the rest. On the first level the half is everything.
    fn split(&mut self, half: &[u32], is_high: bool, level: usize, leaves: &[u8], slopes: &[Slope]) {
        let (width, before) = (self.width, self.sums.len());
        self.sums.resize(width << level, Sum::default());
        // The leaves whose last bit is set come after all the others.
        let own = if is_high { 0 } else { before };
        for &block in half {
            let block = block as usize;
            let place = usize::from(leaves[block]) * width + usize::from(self.codes[block]);
            add(&mut self.sums[place + own], &slopes[block]);
        }
        let (low, high) = self.sums.split_at_mut(before);
        for (low, high) in low.iter_mut().zip(high) {
            *low = [low[0] - high[0], low[1] - high[1]];
            if !is_high {
                std::mem::swap(low, high);
            }
        }
    }

    /// The code to ask for that lowers the loss most, over all leaves.
    fn choose(&mut self, l2: f64) {
        let part = |[first, second]: Sum| first * first / (second.max(0.0) + l2);
        let mut gains = vec![0.0; self.width];
        for sums in self.sums.chunks_exact(self.width) {
            let whole = sums
                .iter()
                .fold(Sum::default(), |a, b| [a[0] + b[0], a[1] + b[1]]);
            let mut high = Sum::default();
            for (gain, sum) in gains.iter_mut().zip(sums).skip(1).rev() {
                high = [high[0] + sum[0], high[1] + sum[1]];
                *gain += part(high) + part([whole[0] - high[0], whole[1] - high[1]]) - part(whole);
            }
        }
        let nothing = Choice {
            gain: 0.0,
            question: Question::default(),
        };
        let choices = gains.iter().enumerate().map(|(least, &gain)| Choice {
            gain,
            question: Question {
                input: self.number,
                least: least as u8,
            },
        });
        self.best = choices.fold(
            nothing,
            |best, choice| if choice.gain > best.gain { choice } else { best },
        );
    }
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
    fn gain(blocks: &Blocks, slopes: &[Slope], questions: &[Question], l2: f64) -> f64 {
        let mut sums = vec![Sum::default(); 1 << questions.len()];
        for (&leaf, slope) in leaves(blocks, questions).iter().zip(slopes) {
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
        fn each_question_gains_most_of_all(blocks in some_blocks(), depth in 1usize..5) {
            let config = TreesConfig { depth, l2: 0.5, columns: 1.0, blocks: 1.0, ..TreesConfig::default() };
            let scores = vec![0.3; blocks.weights.len()];
            let mut slopes = vec![Slope::default(); scores.len()];
            let found = differentiate(&blocks, &scores, 2, &mut slopes);
            prop_assert!((found - loss(&blocks, &scores)).abs() < 1e-4);
            let questions = Growth::new(&blocks, &slopes, &config, 0).questions(2);
            prop_assert_eq!(questions.len(), depth);
            for level in 0..depth {
                let with = |question| {
                    let asked = [&questions[..level], &[question]].concat();
                    gain(&blocks, &slopes, &asked, config.l2)
                };
                let all = [0, 2, 3].into_iter().flat_map(|input| (0..6).map(move |least| Question { input, least }));
                let best = all.map(with).fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(with(questions[level]) > best - 1e-6, "{} {best}", with(questions[level]));
            }
        }

        #[test]
        fn each_tree_lowers_the_loss(blocks in some_blocks()) {
            let config = TreesConfig { count: 6, depth: 2, blocks: 0.7, columns: 0.7, ..TreesConfig::default() };
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
