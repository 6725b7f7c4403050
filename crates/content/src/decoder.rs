//! How labels are chosen from probabilities.

use gleaner_crf::{Wide, argmax};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use crate::{BlockSize, Error};

/// The way from a page's probabilities to its labels; part of a model's settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Decoder {
    /// A block is kept when it is content with more than this probability, and then has its most
    /// probable content label.
    Marginal {
        /// On 1 - P(other), from 0 to 1.
        threshold: f32,
    },
    /// The blocks are kept that make the expected F measure of the page's words largest, taken as
    /// `(1 + beta^2) * expected words right / (words kept + beta^2 * expected words of content)`.
    /// Needs the number of words of each block: [`Tagger::tag_blocks`](crate::Tagger::tag_blocks).
    ExpectedF {
        /// 1 weighs precision and recall alike, less favours precision, more favours recall.
        beta: f32,
        /// Nothing is kept of a page that is expected to have fewer words of content.
        least_words: f32,
    },
}

/// Which mistake weighs more: noise that is kept, or content that is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Favor {
    /// Less is kept, and of that more is content.
    Precision,
    /// As the model decides by itself.
    #[default]
    Balanced,
    /// More is kept, so that less content is lost.
    Recall,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::Marginal { threshold: 0.3 }
    }
}

impl Decoder {
    /// The same, moved to one side. The beta of an expected F measure is halved for precision,
    /// doubled for recall; a threshold moves by one on the scale of log odds.
    pub fn favoring(self, favor: Favor) -> Decoder {
        let side = match favor {
            Favor::Balanced => return self,
            Favor::Precision => 1.0,
            Favor::Recall => -1.0,
        };
        match self {
            Decoder::Marginal { threshold } => moved(threshold, side),
            Decoder::ExpectedF { beta, least_words } => Decoder::ExpectedF {
                beta: match favor {
                    Favor::Recall => beta * BETA_FACTOR,
                    _ => beta / BETA_FACTOR,
                },
                // What is expected to be too little to be the text of a page is dropped for the sake
                // of precision.
                least_words: match favor {
                    Favor::Recall => 0.0,
                    _ => least_words,
                },
            },
        }
    }

    /// Makes sure that the settings are numbers in their range.
    pub(crate) fn check(self) -> Result<(), Error> {
        let (setting, sound) = match self {
            Decoder::Marginal { threshold } => ("threshold", (0.0..=1.0).contains(&threshold)),
            Decoder::ExpectedF { beta, least_words } => (
                "beta and least_words",
                beta.is_finite() && beta > 0.0 && least_words >= 0.0,
            ),
        };
        if sound {
            return Ok(());
        }
        Err(Error::Setting(setting, "decoder setting out of range".into()))
    }
}

/// Factor of the beta of an expected F measure that favors recall.
const BETA_FACTOR: f32 = 2.0;

/// Change of a threshold that favors one side, in log odds.
const THRESHOLD_SHIFT: f32 = 1.0;

/// A threshold moved to one side.
fn moved(threshold: f32, side: f32) -> Decoder {
    let odds = threshold / (1.0 - threshold) * (side * THRESHOLD_SHIFT).exp();
    // Certainty has no odds, and stays what it is.
    let threshold = if odds.is_finite() {
        odds / (1.0 + odds)
    } else {
        1.0
    };
    Decoder::Marginal { threshold }
}

/// The probability above which blocks are kept when the expected F measure is to be largest.
///
/// With R the words of kept blocks that are expected to be content, K the words kept and E all words expected to be content,
/// the measure is taken as (1 + beta^2) R / (K + beta^2 E): the ratio of the means, not the mean of the ratio, which would
/// need the distribution of all sums. Whatever the number of blocks kept, the best are those of highest probability, so only
/// as many choices are compared as there are blocks. `content` has the probability of each block to be
/// content, `order` is overwritten.
pub(crate) fn expected_f_threshold(
    content: &[f32],
    blocks: &[BlockSize],
    beta: f32,
    least_words: f32,
    order: &mut Vec<u64>,
) -> f32 {
    let block = |key: u64| key as u32 as usize;
    let of = |key: u64| {
        (
            f64::from(blocks[block(key)].words),
            f64::from(content[block(key)]),
        )
    };
    order.clear();
    order.extend(
        (0..)
            .zip(content)
            .map(|(block, &content)| order_key(content, block)),
    );
    order.sort_unstable();
    let expected: f64 = order.iter().map(|&key| of(key)).map(|(words, p)| words * p).sum();
    if expected < f64::from(least_words) {
        return f32::INFINITY;
    }
    let beta_squared = f64::from(beta) * f64::from(beta);
    let (mut right, mut kept) = (0.0, 0.0);
    let (mut best, mut threshold) = (0.0, f32::INFINITY);
    for (place, &key) in order.iter().enumerate() {
        let (words, probability) = of(key);
        right += words * probability;
        kept += words;
        let value = right / (kept + beta_squared * expected);
        // Blocks as probable as the next are taken or left together.
        let next = order.get(place + 1).map_or(-1.0, |&next| content[block(next)]);
        if value > best && next < content[block(key)] {
            (best, threshold) = (value, next);
        }
    }
    threshold
}

/// A number that is smaller the more probable a block is, and of equals that of the first is: they are compared
/// without a look at anything else.
fn order_key(content: f32, block: u32) -> u64 {
    let bits = content.to_bits();
    // Bits of negative numbers count down.
    let ascending = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(!ascending) << 32 | u64::from(block)
}

/// The most probable content label.
pub(crate) fn best_content(row: &Wide, other: usize) -> u8 {
    let mut content = row.map(|value| value as f32);
    content[other] = -1.0;
    argmax(&content) as u8
}

/// Gives blocks that are decided together, such as the lines of a preformatted text, the mean of their probabilities,
/// weighted by words.
pub(crate) fn pool_lines(content: &mut [f32], blocks: &[BlockSize]) {
    let mut start = 0;
    for lines in blocks.chunk_by(|_, line| line.with_before) {
        let own = &mut content[start..start + lines.len()];
        start += lines.len();
        if lines.len() > 1 {
            own.fill(mean(own, lines));
        }
    }
}

/// The mean of the blocks' probabilities, weighted by words; all alike where there is no word.
fn mean(content: &[f32], blocks: &[BlockSize]) -> f32 {
    let words: f32 = blocks.iter().map(|block| block.words as f32).sum();
    if words == 0.0 {
        return content.iter().sum::<f32>() / content.len() as f32;
    }
    let votes = content.iter().zip(blocks);
    votes.map(|(&p, block)| p * block.words as f32).sum::<f32>() / words
}

/// Makes 1 - P(other) what is given; the labels of content keep their shares of it.
pub(crate) fn set_content(row: &mut Wide, other: usize, content: f64) {
    // (A sum of small numbers, not 1 less a number near 1: the shares would be rounded away.)
    row[other] = 0.0;
    let [a, b, c, d, e, f, g, h] = *row;
    let before = ((a + b) + (c + d)) + ((e + f) + (g + h));
    if before > 0.0 {
        let share = content / before;
        row.iter_mut().for_each(|value| *value *= share);
    } else {
        row[usize::from(other == 0)] = content;
    }
    row[other] = 1.0 - content;
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

    fn alone(words: &[u32]) -> Vec<BlockSize> {
        let block = |&words| BlockSize {
            words,
            with_before: false,
        };
        words.iter().map(block).collect()
    }

    #[test]
    fn blocks_that_are_decided_together_share_a_probability() {
        let mut blocks = alone(&[5, 1, 3, 2, 0, 0]);
        for line in [2, 3, 5] {
            blocks[line].with_before = true;
        }
        let mut content = [0.9, 0.5, 0.1, 1.0, 0.2, 0.4];
        pool_lines(&mut content, &blocks);
        let shared = (0.5 * 1.0 + 0.1 * 3.0 + 1.0 * 2.0) / 6.0;
        let expected = [0.9, shared, shared, shared, 0.3, 0.3];
        for (found, expected) in content.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{content:?}");
        }
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_probabilities(content in prop::collection::vec(
            prop_oneof![any::<f32>(), prop::sample::select(vec![0.0, -0.0, 0.5, 1.0])], 0..20,
        )) {
            let mut order: Vec<usize> = (0..content.len()).collect();
            order.sort_by(|&one, &other| content[other].total_cmp(&content[one]));
            let mut keys: Vec<u64> = (0..).zip(&content).map(|(block, &content)| order_key(content, block)).collect();
            keys.sort_unstable();
            prop_assert!(keys.into_iter().map(|key| key as u32 as usize).eq(order));
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
            let threshold = expected_f_threshold(&content, &alone(&words), beta, 0.0, &mut Vec::new());
            let beta = f64::from(beta);
            let chosen = expected_f(|block| content[block] > threshold, &content, &words, beta);
            for choice in 0..1usize << content.len() {
                let other = expected_f(|block| choice >> block & 1 == 1, &content, &words, beta);
                prop_assert!(other <= chosen + 1e-9, "{} {}", other, chosen);
            }
        }
    }

    #[test]
    fn favored_sides_are_on_both_sides() {
        let default = Decoder::ExpectedF {
            beta: 1.0,
            least_words: 20.0,
        };
        for decoder in [Decoder::default(), default] {
            assert_eq!(decoder.favoring(Favor::Balanced), decoder);
            let kept = |favor| kept_words(decoder.favoring(favor));
            let (precision, recall) = (kept(Favor::Precision), kept(Favor::Recall));
            assert!(precision < recall, "{decoder:?}: {precision}, {recall}");
        }
        for threshold in [0.0, 1.0] {
            let extreme = Decoder::Marginal { threshold };
            assert_eq!(extreme.favoring(Favor::Precision), extreme);
            assert_eq!(extreme.favoring(Favor::Recall), extreme);
        }
    }

    /// How many of some blocks are kept by a decoder that goes by a threshold.
    fn kept_words(decoder: Decoder) -> usize {
        decoder.check().unwrap();
        let content: Vec<f32> = (1..20).map(|block| block as f32 / 20.0).collect();
        let threshold = match decoder {
            Decoder::Marginal { threshold } => threshold,
            Decoder::ExpectedF { beta, least_words } => {
                let blocks = alone(&[10; 19]);
                expected_f_threshold(&content, &blocks, beta, least_words, &mut Vec::new())
            }
        };
        content.iter().filter(|&&content| content > threshold).count()
    }

    #[test]
    fn too_few_words_are_none() {
        let blocks = alone(&[10, 10]);
        let threshold = |least| expected_f_threshold(&[0.9, 0.8], &blocks, 1.0, least, &mut Vec::new());
        assert_eq!(threshold(17.1), f32::INFINITY);
        assert_eq!(threshold(16.9), -1.0);
    }
}
