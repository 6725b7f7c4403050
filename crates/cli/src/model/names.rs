//! Attributes and labels as people call them.

use gleaner_crf::{Attribute, Model, Part};
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

/// The words for a model's attributes: its own feature configuration has them.
pub(super) struct Names {
    /// Nothing if this version cannot read it: then codes stay numbers.
    config: Option<FeatureConfig>,
}

/// The module of columns that this version does not know.
const UNKNOWN: &str = "unknown";

/// The module of hashed tokens.
const TOKENS: &str = "name-tokens";

impl Names {
    pub(super) fn of(model: &Model) -> Names {
        Names {
            config: FeatureConfig::from_toml(&model.space().config).ok(),
        }
    }

    /// Feature and value; several of each, joined, for a conjunction.
    pub(super) fn of_attribute(&self, attribute: &Attribute) -> Named {
        match attribute {
            Attribute::Token(bucket) => Named {
                feature: "a class or id".to_owned(),
                value: format!("token {bucket}"),
            },
            Attribute::Codes(parts) => Named {
                feature: joined(parts.iter().map(feature)),
                value: joined(parts.iter().map(|part| self.value(part))),
            },
        }
    }

    /// The module that an attribute belongs to; several, joined, for a conjunction of several.
    pub(super) fn module(&self, attribute: &Attribute) -> String {
        match attribute {
            Attribute::Token(_) => TOKENS.to_owned(),
            Attribute::Codes(parts) => {
                let mut modules: Vec<String> =
                    parts.iter().map(|part| self.module_of(&part.column)).collect();
                modules.dedup();
                joined(modules.into_iter())
            }
        }
    }

    /// What an attribute's features measure.
    pub(super) fn definition(&self, attribute: &Attribute) -> String {
        match (attribute, &self.config) {
            (Attribute::Codes(parts), Some(config)) => {
                joined(parts.iter().map(|part| config.definition(&part.column)))
            }
            _ => String::new(),
        }
    }

    pub(super) fn module_of(&self, column: &str) -> String {
        let module = self.config.as_ref().and_then(|config| config.module(column));
        module.map_or_else(|| UNKNOWN.to_owned(), |module| module.to_string())
    }

    fn value(&self, part: &Part) -> String {
        match &self.config {
            Some(config) => config.meaning(&part.column, part.code),
            None => part.code.to_string(),
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" & ")
}

/// The column, with the place of the neighbour.
fn feature(part: &Part) -> String {
    let place = match part.offset {
        0 => return part.column.clone(),
        -1 => "of the block before".to_owned(),
        1 => "of the next block".to_owned(),
        offset if offset < 0 => format!("{} blocks before", -offset),
        offset => format!("{offset} blocks on"),
    };
    format!("{} ({place})", part.column)
}
