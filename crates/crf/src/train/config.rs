//! The settings of a training.

use serde::{Deserialize, Serialize};

use crate::Error;

/// The settings of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainConfig {
    /// L2 regularisation: `l2 * |w|^2` is added to the negative log-likelihood (CRFsuite's `c2`).
    pub l2: f64,
    /// An attribute and a label that occur together fewer times have no weight; nor have label
    /// bigrams. With 0 an attribute that occurs at all has a weight for each label.
    pub min_count: u32,
    /// How many times a page's log-likelihood counts.
    pub page_weight: PageWeight,
    /// How many corrections L-BFGS remembers: two vectors each, of a number a weight.
    pub memory: usize,
    /// Maximum iterations.
    pub max_iterations: usize,
    /// It ends when `|gradient| <= epsilon * max(1, |w|)`.
    pub epsilon: f64,
    /// It ends when the objective fell by less than this fraction in `period` iterations.
    pub delta: f64,
    /// See `delta`; 0 switches that test off.
    pub period: usize,
    /// With pages held out, it ends when their loss has not fallen for this many iterations.
    pub patience: usize,
    /// Threads. The weights do not depend on it.
    pub threads: usize,
}

/// A page of `n` blocks counts `(blocks / n)^exponent` times: with exponent 0 all blocks of the
/// training data count alike, with 1 all pages do. `blocks` is the size of a page that counts once,
/// and so only sets the weight of the regularisation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageWeight {
    /// The size of a page that counts once.
    pub blocks: f64,
    /// From 0 to 1.
    pub exponent: f64,
}

impl Default for PageWeight {
    fn default() -> Self {
        PageWeight {
            blocks: 200.0,
            exponent: 0.0,
        }
    }
}

impl PageWeight {
    /// The weight of a page.
    pub fn weight(self, blocks: usize) -> f64 {
        (self.blocks / blocks as f64).powf(self.exponent)
    }

    /// # Errors
    /// Settings out of range.
    pub fn check(self) -> Result<(), Error> {
        let PageWeight { blocks, exponent } = self;
        if blocks.is_finite() && blocks > 0.0 && (0.0..=1.0).contains(&exponent) {
            return Ok(());
        }
        Err(Error::Setting(
            "page_weight",
            "blocks must be a number above zero, exponent one from 0 to 1".into(),
        ))
    }
}

impl ChainConfig {
    /// # Errors
    /// Settings out of range.
    pub fn check(&self) -> Result<(), Error> {
        let fail = |setting, detail: &str| Err(Error::Setting(setting, detail.into()));
        let not_negative = |value: f64| value.is_finite() && value >= 0.0;
        if !not_negative(self.l2) {
            return fail("l2", "must be a number not below zero");
        }
        if !not_negative(self.epsilon) || !not_negative(self.delta) {
            return fail("epsilon and delta", "must be numbers not below zero");
        }
        if self.memory == 0 {
            return fail("memory", "must be at least 1");
        }
        if self.patience == 0 {
            return fail("patience", "must be at least 1");
        }
        self.page_weight.check()
    }
}
