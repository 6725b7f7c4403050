//! The features of a model by their names, and what they add to the log odds of blocks.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_content::{BlockReasons, FeatureShare, Model};
use gleaner_features::FeatureConfig;

use super::answer::{Adjustment, Block, ContentLabel, Feature, Reasons, rounded};

/// A feature that adds less is not named.
const LEAST_SHARE: f64 = 0.005;

/// The names of the features of a model.
pub(super) struct Names<'m> {
    model: &'m Model,
    config: Option<FeatureConfig>,
}

impl Names<'_> {
    pub(super) fn of(model: &Model) -> Names<'_> {
        Names {
            model,
            config: FeatureConfig::from_toml(&model.space().config).ok(),
        }
    }

    pub(super) fn reasons(&self, reasons: &BlockReasons) -> Reasons {
        let (named, others): (Vec<&FeatureShare>, Vec<&FeatureShare>) = reasons
            .features
            .iter()
            .partition(|share| share.value.abs() >= LEAST_SHARE);
        let adjustments = reasons.adjustments.iter().map(|adjusted| Adjustment {
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

    /// What the features measure that blocks name.
    pub(super) fn definitions(&self, blocks: &[Block]) -> BTreeMap<String, String> {
        let reasons = blocks.iter().filter_map(|block| block.reasons.as_ref());
        let named: BTreeSet<&String> = reasons
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
