//! Attributes and labels as people call them.

use gleaner_content::Model;
use gleaner_crf::Attribute;
use gleaner_features::FeatureConfig;
use serde::Serialize;

/// What an attribute is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Named {
    /// The column, and of which neighbour it is if not of the block itself.
    pub(super) feature: String,
    /// What its code stands for.
    pub(super) value: String,
}

/// The words for a model's attributes: its own feature configuration has them. Nothing if this version cannot read it: then
/// codes stay numbers.
pub(super) struct Names(Option<FeatureConfig>);

/// The module of columns that this version does not know.
const UNKNOWN: &str = "unknown";

impl Names {
    pub(super) fn of(model: &Model) -> Names {
        Names(FeatureConfig::from_toml(&model.space().config).ok())
    }

    /// Feature and value.
    pub(super) fn of_attribute(&self, attribute: &Attribute) -> Named {
        Named {
            feature: feature(attribute),
            value: match &self.0 {
                Some(config) => config.meaning(&attribute.column, attribute.code),
                None => attribute.code.to_string(),
            },
        }
    }

    pub(super) fn module_of(&self, column: &str) -> String {
        let module = self.0.as_ref().and_then(|config| config.module(column));
        module.map_or_else(|| UNKNOWN.to_owned(), |module| module.to_string())
    }

    pub(super) fn definition(&self, attribute: &Attribute) -> String {
        let config = self.0.as_ref();
        config.map_or_else(String::new, |config| config.definition(&attribute.column))
    }
}

/// The column, with the place of the neighbour.
fn feature(attribute: &Attribute) -> String {
    let place = match attribute.offset {
        0 => return attribute.column.clone(),
        -1 => "of the block before".to_owned(),
        1 => "of the next block".to_owned(),
        offset if offset < 0 => format!("{} blocks before", -offset),
        offset => format!("{offset} blocks on"),
    };
    format!("{} ({place})", attribute.column)
}
