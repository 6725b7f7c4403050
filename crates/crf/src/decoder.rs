//! How labels are chosen from scores.

use serde::{Deserialize, Serialize};

/// The way from a page's probabilities to its labels; part of a model's settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decoder {
    /// The most probable sequence of labels.
    Viterbi,
    /// A block is kept when it is content with more than this probability, and then has its most
    /// probable content label.
    Marginal {
        /// On 1 - P(other), from 0 to 1.
        threshold: f32,
    },
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::Marginal { threshold: 0.3 }
    }
}
