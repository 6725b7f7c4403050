//! The settings of a training.

use std::collections::BTreeMap;

use gleaner_crf::{ChainConfig, LANES, PageWeight, TemplateConfig};
use gleaner_gbdt::TreesConfig;
use serde::{Deserialize, Serialize};

use crate::{Decoder, Error, Label, Labels};

/// The settings of a training. In TOML each may be left out and then has its default:
///
/// ```
/// # use gleaner_content::{Decoder, Label, TrainConfig};
/// let config: TrainConfig = toml::from_str(
///     r#"
///     labels = ["header", "paragraph", "list", "continuation", "other"]
///     l2 = 1.0
///     label_weights = { header = 2.0 }
///     page_weight = { exponent = 0.5 }
///     decoder = { kind = "marginal", threshold = 0.3 }
///
///     [template]
///     conjunctions = [["container.p@0", "container.p@-1"]]
///     offsets = { "" = [-2, -1, 0, 1, 2], "doc." = [0] }
///     "#,
/// )?;
/// assert_eq!(config.label_weights[&Label::Header], 2.0);
/// assert_eq!(config.decoder, Decoder::Marginal { threshold: 0.3 });
/// assert_eq!(config.template.offsets["doc."], [0]);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// The labels to tell apart.
    pub labels: Labels,
    /// L1 regularisation: `l1 * |w|` is added to the negative log-likelihood (CRFsuite's `c1`).
    /// Above zero most weights become zero, and with them the model file small.
    pub l1: f64,
    /// L2 regularisation: `l2 * |w|^2` is added to the negative log-likelihood (CRFsuite's `c2`).
    pub l2: f64,
    /// L2 regularisation of the weights of hashed tokens, where it is not [`l2`](Self::l2). There
    /// are many and each is rare: under one that is right for the columns they are learned by heart.
    pub l2_names: Option<f64>,
    /// An attribute and a label that occur together fewer times have no weight; nor have label
    /// bigrams. 1 leaves out what never occurs, as CRFsuite does; with 0 an attribute that occurs
    /// at all has a weight for each label (CRFsuite's `feature.possible_states`).
    pub min_count: u32,
    /// A hashed token that stands on fewer pages has no weights: what only one page says teaches
    /// nothing of others.
    pub min_name_pages: u32,
    /// A wrong label where the gold has this one costs `ln(weight)` more (softmax margin, Gimpel
    /// and Smith 2010): above 1 such blocks are found more often, below 1 less. 1 where not listed.
    pub label_weights: BTreeMap<Label, f64>,
    /// How many times a page's log-likelihood counts. Of itself a page counts in proportion to its
    /// blocks, though it is by pages that models are scored.
    pub page_weight: PageWeight,
    /// Beside the likelihood of the labels, how much a page's expected score counts: for a page of
    /// `n` blocks `page_score * n * (1 - F)` is added, where F is the F measure of its words, each
    /// kept with the probability that its block is content (Jansche 2005). Above zero the objective
    /// is that of the task, and no longer convex.
    pub page_score: f64,
    /// How many corrections L-BFGS remembers: two vectors each, of a number a weight.
    pub memory: usize,
    /// It ends after so many iterations at the latest.
    pub max_iterations: usize,
    /// It ends when `|gradient| <= epsilon * max(1, |w|)`.
    pub epsilon: f64,
    /// It ends when the objective fell by less than `delta` of itself in `period` iterations.
    pub delta: f64,
    /// See `delta`; 0 switches that test off.
    pub period: usize,
    /// With pages held out, it ends when their loss has not fallen for so many iterations.
    pub patience: usize,
    /// Threads; 0 for as many as there are cores. The model does not depend on it.
    pub threads: usize,
    /// How the model decides.
    pub decoder: Decoder,
    /// Which features of which neighbours count.
    pub template: TemplateConfig,
    /// Has boosted trees judge labels beside the weights. They ask about what the template has, but for conjunctions and hashed tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreesConfig>,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            labels: Labels::default(),
            l1: 0.0,
            l2: 1.0,
            l2_names: None,
            min_count: 1,
            min_name_pages: 1,
            label_weights: BTreeMap::new(),
            page_weight: PageWeight::default(),
            page_score: 0.0,
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
    /// Settings out of range, or that do not go together.
    pub fn check(&self) -> Result<(), Error> {
        let fail = |setting, detail: &str| {
            Err(Error::Setting {
                setting,
                detail: detail.into(),
            })
        };
        self.chain().check()?;
        if self
            .label_weights
            .values()
            .any(|weight| !weight.is_finite() || *weight <= 0.0)
        {
            return fail("label_weights", "must be numbers above zero");
        }
        let unknown = self
            .label_weights
            .keys()
            .find(|label| !self.labels.as_slice().contains(label));
        if let Some(label) = unknown {
            return fail(
                "label_weights",
                &format!("`{}` is not one of the labels", label.name()),
            );
        }
        if self.page_score > 0.0 && !self.label_weights.is_empty() {
            return fail("page_score", "does not go together with label_weights");
        }
        if let Some(trees) = &self.trees {
            check_trees(trees, "trees")?;
            if !self.label_weights.is_empty() {
                return fail("trees", "do not go together with label_weights");
            }
        }
        Ok(())
    }

    /// Whether what is decided hangs on weights at all.
    pub(super) fn counts_weights(&self) -> bool {
        self.trees.as_ref().is_none_or(|trees| trees.share < 1.0)
    }

    /// The settings of the chain's training.
    pub(super) fn chain(&self) -> ChainConfig {
        let mut costs = [0.0; LANES];
        for (&label, weight) in &self.label_weights {
            costs[self.labels.class(label)] = weight.ln() as f32;
        }
        ChainConfig {
            l1: self.l1,
            l2: self.l2,
            l2_names: self.l2_names,
            min_count: self.min_count,
            min_name_pages: self.min_name_pages,
            costs,
            page_weight: self.page_weight,
            page_score: self.page_score,
            other: self.labels.other(),
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
    checked.map_err(|detail| Error::Setting { setting, detail })
}
