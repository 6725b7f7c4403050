//! The settings of a training.

use gleaner_crf::{ChainConfig, PageWeight, TemplateConfig};
use gleaner_gbdt::TreesConfig;
use serde::{Deserialize, Serialize};

use crate::{Decoder, Error, Labels};

/// The settings of a training. In TOML each may be left out and then has its default:
///
/// ```
/// # use gleaner_content::{Decoder, Label, TrainConfig};
/// let config: TrainConfig = toml::from_str(
///     r#"
///     labels = ["header", "paragraph", "list", "continuation", "other"]
///     l2 = 1.0
///     page_weight = { exponent = 0.5 }
///     decoder = { kind = "marginal", threshold = 0.3 }
///
///     [template]
///     offsets = { "" = [-2, -1, 0, 1, 2], "doc." = [0] }
///     "#,
/// )?;
/// assert_eq!(config.labels.as_slice()[0], Label::Header);
/// assert_eq!(config.decoder, Decoder::Marginal { threshold: 0.3 });
/// assert_eq!(config.template.offsets["doc."], [0]);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// The labels to distinguish.
    pub labels: Labels,
    /// L2 regularisation: `l2 * |w|^2` is added to the negative log-likelihood (CRFsuite's `c2`).
    pub l2: f64,
    /// An attribute and a label that occur together fewer times have no weight; nor have label
    /// bigrams. 1 leaves out what never occurs, as CRFsuite does; with 0 an attribute that occurs
    /// at all has a weight for each label (CRFsuite's `feature.possible_states`).
    pub min_count: u32,
    /// How many times a page's log-likelihood counts. By default a page counts in proportion to its blocks, although
    /// models are scored by pages.
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
    /// Threads; 0 for as many as there are cores. The model does not depend on it.
    pub threads: usize,
    /// How the model decides.
    pub decoder: Decoder,
    /// Which features of which neighbours count.
    pub template: TemplateConfig,
    /// Has boosted trees judge labels beside the weights. They ask about what the template has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreesConfig>,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            labels: Labels::default(),
            l2: 1.0,
            min_count: 1,
            page_weight: PageWeight::default(),
            memory: 20,
            max_iterations: 1000,
            epsilon: 1e-5,
            delta: 1e-5,
            period: 10,
            patience: 10,
            threads: 0,
            decoder: Decoder::default(),
            template: TemplateConfig::default(),
            trees: None,
        }
    }
}

impl TrainConfig {
    /// # Errors
    /// Settings out of range.
    pub fn check(&self) -> Result<(), Error> {
        self.chain().check()?;
        let trees = self.trees.as_ref();
        trees.map_or(Ok(()), |trees| check_trees(trees, "trees"))
    }

    /// Whether what is decided hangs on weights at all.
    pub(super) fn counts_weights(&self) -> bool {
        self.trees.as_ref().is_none_or(|trees| trees.share < 1.0)
    }

    /// The settings of the chain's training.
    pub(super) fn chain(&self) -> ChainConfig {
        ChainConfig {
            l2: self.l2,
            min_count: self.min_count,
            page_weight: self.page_weight,
            memory: self.memory,
            max_iterations: self.max_iterations,
            epsilon: self.epsilon,
            delta: self.delta,
            period: self.period,
            patience: self.patience,
            threads: self.threads(),
        }
    }

    pub(super) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// Checks the settings of trees, which errors call `setting`.
pub(super) fn check_trees(trees: &TreesConfig, setting: &'static str) -> Result<(), Error> {
    let checked = trees.check();
    checked.map_err(|detail| Error::Setting(setting, detail))
}
