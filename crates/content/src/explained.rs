//! Why blocks are kept or dropped, with names and in words: what `gleaner explain` and the service show.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_features::FeatureConfig;
use serde::Serialize;

use crate::{BlockReasons, FeatureShare, Model};

/// Why a block is kept or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// Its probability is above the threshold, or is not.
    Probability,
    /// The page is expected to have too few words of content.
    TooFewWords,
    /// It is the main heading.
    Heading,
    /// The text of the page is that of structured data.
    StructuredData,
    /// A method without probabilities labelled it.
    Method,
    /// The evidence of the site, of which the corpus keeps no state, changed the label.
    Site,
    /// The tables have no more of it.
    Unknown,
}

impl Because {
    /// Why a model kept or dropped a block, by the block's probability of content and the threshold of its page.
    pub fn of(is_kept: bool, probability: f32, threshold: Option<f32>) -> Because {
        match threshold {
            Some(threshold) if is_kept != (probability > threshold) => Because::Heading,
            Some(f32::INFINITY) => Because::TooFewWords,
            _ => Because::Probability,
        }
    }
}

/// What the log odds of a block are made of, by the page alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reasons {
    /// The mean of the page's blocks.
    pub mean: f64,
    /// What features add to it, the largest numbers first.
    pub features: Vec<Feature>,
    /// What all other features add, each of them next to nothing.
    pub rest: f64,
    /// What changed them afterwards.
    pub adjustments: Vec<NamedAdjustment>,
    /// What the block is if it is content.
    pub content_label: ContentLabel,
}

/// What a feature adds to the log odds of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Feature {
    /// Its name.
    pub feature: String,
    /// Of which block: 0 is the block itself, 1 the next.
    pub offset: i32,
    /// Its value, in words.
    pub value: String,
    /// What it adds to the log odds.
    pub adds: f64,
}

/// What is adjusted behind the features.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedAdjustment {
    /// Its name.
    pub by: &'static str,
    /// What it adds to the log odds.
    pub adds: f64,
}

/// What the block is if it is content.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContentLabel {
    /// The name of the label.
    pub label: &'static str,
    /// Its probability.
    pub probability: f64,
    /// Without the labels of the blocks beside it.
    pub alone: f64,
}

/// A feature that adds less is not named.
const LEAST_SHARE: f64 = 0.005;

/// The names of the features of a model.
pub struct FeatureNames<'m> {
    model: &'m Model,
    config: Option<FeatureConfig>,
}

impl FeatureNames<'_> {
    /// The names of the features of a model.
    pub fn of(model: &Model) -> FeatureNames<'_> {
        FeatureNames {
            model,
            config: FeatureConfig::from_toml(&model.space().config).ok(),
        }
    }

    /// The reasons of a block, in words.
    pub fn reasons(&self, reasons: &BlockReasons) -> Reasons {
        let (named, others): (Vec<&FeatureShare>, Vec<&FeatureShare>) = reasons
            .features
            .iter()
            .partition(|share| share.value.abs() >= LEAST_SHARE);
        let adjustments = reasons.adjustments.iter().map(|adjusted| NamedAdjustment {
            by: adjusted.by.name(),
            adds: rounded(adjusted.value),
        });
        let rest: f64 = others.iter().map(|share| share.value).sum();
        Reasons {
            mean: rounded(reasons.mean),
            features: named.into_iter().map(|share| self.feature(share)).collect(),
            rest: rounded(rest),
            adjustments: adjustments.collect(),
            content_label: ContentLabel {
                label: reasons.label.label.name(),
                probability: rounded(f64::from(reasons.label.probability)),
                alone: rounded(f64::from(reasons.label.alone)),
            },
        }
    }

    fn feature(&self, share: &FeatureShare) -> Feature {
        let name = &self.model.space().columns[share.column].name;
        let meaning = |code: u8| match &self.config {
            Some(config) => config.meaning(name, u16::from(code)),
            None => code.to_string(),
        };
        Feature {
            feature: name.clone(),
            offset: share.offset,
            value: share.code.map_or("no such block".to_owned(), meaning),
            adds: rounded(share.value),
        }
    }

    /// What the features measure that reasons name.
    pub fn definitions<'r>(
        &self,
        reasons: impl IntoIterator<Item = &'r Reasons>,
    ) -> BTreeMap<String, String> {
        let named: BTreeSet<&String> = reasons
            .into_iter()
            .flat_map(|reasons| &reasons.features)
            .map(|feature| &feature.feature)
            .collect();
        let config = self.config.iter();
        let defined = config.flat_map(|config| {
            let named = named.iter();
            named.map(|name| ((*name).clone(), config.definition(name)))
        });
        defined.collect()
    }
}

/// A number with four digits behind the point.
pub fn rounded(number: f64) -> f64 {
    // (No minus before a zero.)
    (number * 1e4).round() / 1e4 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_the_threshold_does_not_explain_is_the_heading() {
        assert_eq!(Because::of(true, 0.6, Some(0.5)), Because::Probability);
        assert_eq!(Because::of(false, 0.4, Some(0.5)), Because::Probability);
        assert_eq!(Because::of(true, 0.4, Some(0.5)), Because::Heading);
        assert_eq!(Because::of(false, 0.9, Some(f32::INFINITY)), Because::TooFewWords);
    }
}
