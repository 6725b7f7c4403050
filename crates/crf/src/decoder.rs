//! How labels are chosen from probabilities.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::chain::Wide;
use crate::lanes::argmax;

/// The way from a page's probabilities to its labels; part of a model's settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Decoder {
    /// The most probable sequence of labels.
    Viterbi,
    /// A block is kept when it is content with more than this probability, and then has its most
    /// probable content label.
    Marginal {
        /// On 1 - P(other), from 0 to 1.
        threshold: f32,
    },
    /// The blocks are kept that make the expected F measure of the page's words largest, taken as
    /// `(1 + beta^2) * expected words right / (words kept + beta^2 * expected words of content)`.
    /// Needs the number of words of each block: [`Tagger::tag_words`](crate::Tagger::tag_words).
    ExpectedF {
        /// 1 weighs precision and recall alike, less favours precision, more favours recall.
        beta: f32,
        /// Nothing is kept of a page that is expected to have fewer words of content.
        least_words: f32,
    },
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::Marginal { threshold: 0.3 }
    }
}

impl Decoder {
    /// Makes sure that the settings are numbers in their range.
    pub(crate) fn check(self) -> Result<(), Error> {
        let (setting, sound) = match self {
            Decoder::Viterbi => return Ok(()),
            Decoder::Marginal { threshold } => ("threshold", (0.0..=1.0).contains(&threshold)),
            Decoder::ExpectedF { beta, least_words } => (
                "beta and least_words",
                beta.is_finite() && beta > 0.0 && least_words >= 0.0,
            ),
        };
        if sound {
            return Ok(());
        }
        Err(Error::Setting {
            setting,
            detail: "decoder setting out of range".into(),
        })
    }
}

/// The probability above which blocks are kept when the expected F measure is to be largest.
///
/// Whatever the number of blocks kept, the best are those of highest probability, so only as many
/// choices are compared as there are blocks. `content` has the probability of each block to be
/// content, `order` is overwritten.
pub(crate) fn expected_f_threshold(
    content: &[f32],
    words: &[u32],
    (beta, least_words): (f32, f32),
    order: &mut Vec<u32>,
) -> f32 {
    let of = |block: u32| {
        (
            f64::from(words[block as usize]),
            f64::from(content[block as usize]),
        )
    };
    order.clear();
    order.extend(0..content.len() as u32);
    order.sort_by(|&a, &b| content[b as usize].total_cmp(&content[a as usize]));
    let expected: f64 = order
        .iter()
        .map(|&block| of(block))
        .map(|(words, p)| words * p)
        .sum();
    if expected < f64::from(least_words) {
        return f32::INFINITY;
    }
    let beta_squared = f64::from(beta) * f64::from(beta);
    let (mut right, mut kept) = (0.0, 0.0);
    let (mut best, mut threshold) = (0.0, f32::INFINITY);
    for (place, &block) in order.iter().enumerate() {
        let (words, probability) = of(block);
        right += words * probability;
        kept += words;
        let value = right / (kept + beta_squared * expected);
        // Blocks as probable as the next are taken or left together.
        let next = order.get(place + 1).map_or(-1.0, |&next| content[next as usize]);
        if value > best && next < content[block as usize] {
            (best, threshold) = (value, next);
        }
    }
    threshold
}

/// The most probable content label if content is more probable than the threshold, else other.
pub(crate) fn by_threshold(row: &Wide, other: usize, threshold: f32) -> u8 {
    if content_probability(row, other) <= threshold {
        return other as u8;
    }
    let mut content = row.map(|value| value as f32);
    content[other] = -1.0;
    argmax(&content) as u8
}

/// 1 - P(other).
pub(crate) fn content_probability(row: &Wide, other: usize) -> f32 {
    (1.0 - row[other]) as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expected_f(kept: impl Fn(usize) -> bool, content: &[f32], words: &[u32], beta: f64) -> f64 {
        let product = |block: usize| f64::from(words[block]) * f64::from(content[block]);
        let blocks = 0..content.len();
        let right: f64 = blocks.clone().filter(|&block| kept(block)).map(product).sum();
        let size: f64 = blocks
            .clone()
            .filter(|&block| kept(block))
            .map(|block| f64::from(words[block]))
            .sum();
        let expected: f64 = blocks.map(product).sum();
        let below = size + beta * beta * expected;
        if below == 0.0 {
            0.0
        } else {
            (1.0 + beta * beta) * right / below
        }
    }

    proptest! {
        #[test]
        fn no_other_choice_of_blocks_is_better(
            blocks in prop::collection::vec((0u32..=10, 0u32..30), 0..9),
            beta in prop::sample::select(vec![0.5f32, 1.0, 2.0]),
        ) {
            let content: Vec<f32> = blocks.iter().map(|block| block.0 as f32 / 10.0).collect();
            let words: Vec<u32> = blocks.iter().map(|block| block.1).collect();
            let threshold = expected_f_threshold(&content, &words, (beta, 0.0), &mut Vec::new());
            let beta = f64::from(beta);
            let chosen = expected_f(|block| content[block] > threshold, &content, &words, beta);
            for choice in 0..1usize << content.len() {
                let other = expected_f(|block| choice >> block & 1 == 1, &content, &words, beta);
                prop_assert!(other <= chosen + 1e-9, "{} {}", other, chosen);
            }
        }
    }

    #[test]
    fn too_few_words_are_none() {
        let threshold = |least| expected_f_threshold(&[0.9, 0.8], &[10, 10], (1.0, least), &mut Vec::new());
        assert_eq!(threshold(17.1), f32::INFINITY);
        assert_eq!(threshold(16.9), -1.0);
    }
}
