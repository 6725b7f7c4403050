//! Attributes and labels as people call them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use anyhow::Result;
use gleaner_content::Model;
use gleaner_crf::{Attribute, Part};
use gleaner_features::{FeatureConfig, name_buckets};
use gleaner_gold::GoldPage;
use gleaner_page::{Page, PageConfig};
use serde::Serialize;

use crate::gold_pages::load;

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
    /// What hashed tokens stand for, by bucket, as far as it is known.
    tokens: HashMap<u32, String>,
}

/// The module of columns that this version does not know.
const UNKNOWN: &str = "unknown";

/// The module of hashed tokens.
const TOKENS: &str = "name-tokens";

impl Names {
    pub(super) fn of(model: &Model) -> Names {
        Names {
            config: FeatureConfig::from_toml(&model.space().config).ok(),
            tokens: HashMap::new(),
        }
    }

    /// Learns from pages what hashed tokens stand for: of several the one that most pages have.
    pub(super) fn read_tokens(&mut self, files: &[PathBuf], workers: usize) -> Result<()> {
        let pages = load(files, &PageConfig::default(), workers, || {
            |page: &Page, _: &GoldPage| tokens_of(page)
        })?;
        let mut counts: BTreeMap<(u32, String), usize> = BTreeMap::new();
        for token in pages.into_iter().flat_map(|page| page.value) {
            *counts.entry(token).or_default() += 1;
        }
        let mut most: HashMap<u32, usize> = HashMap::new();
        for ((bucket, name), count) in counts {
            let most = most.entry(bucket).or_default();
            if count > *most {
                *most = count;
                self.tokens.insert(bucket, name);
            }
        }
        Ok(())
    }

    /// Feature and value; several of each, joined, for a conjunction.
    pub(super) fn of_attribute(&self, attribute: &Attribute) -> Named {
        match attribute {
            Attribute::Token(bucket) => Named {
                feature: "a class or id".to_owned(),
                value: match self.tokens.get(bucket) {
                    Some(name) => name.clone(),
                    None => format!("token {bucket}"),
                },
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

/// The hashed tokens of all names on a page, each once.
fn tokens_of(page: &Page) -> Vec<(u32, String)> {
    let names = page.attributes.iter();
    let mut values: Vec<_> = names
        .map(|(name, value)| {
            (
                *name as u8,
                *name,
                &page.values[value.start as usize..value.end as usize],
            )
        })
        .collect();
    values.sort_unstable_by_key(|&(number, _, text)| (number, text));
    values.dedup_by_key(|&mut (number, _, text)| (number, text));
    let mut tokens: Vec<_> = values
        .into_iter()
        .flat_map(|(_, name, text)| name_buckets(name, text))
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
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
