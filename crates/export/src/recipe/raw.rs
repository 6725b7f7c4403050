//! A recipe as TOML has it: names are not looked up yet.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

/// A recipe file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRecipe {
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) filter: Vec<Spanned<RawFilter>>,
    #[serde(default)]
    pub(super) personal: Option<Spanned<RawPersonal>>,
    #[serde(default)]
    pub(super) sample: Option<RawSample>,
    #[serde(default)]
    pub(super) lines: Option<Spanned<RawLines>>,
    #[serde(default)]
    pub(super) shuffle: Option<RawShuffle>,
    #[serde(default)]
    pub(super) output: Option<RawOutput>,
}

/// A filter: tests of a column, or of the rows that a page has in a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFilter {
    pub(super) name: Option<String>,
    pub(super) column: Option<Spanned<String>>,
    pub(super) min: Option<Spanned<Value>>,
    pub(super) max: Option<Spanned<Value>>,
    #[serde(rename = "in")]
    pub(super) one_of: Option<Spanned<Value>>,
    pub(super) not_in: Option<Spanned<Value>>,
    pub(super) is_null: Option<bool>,
    pub(super) any_row: Option<Spanned<String>>,
    pub(super) no_row: Option<Spanned<String>>,
    #[serde(rename = "where", default)]
    pub(super) conditions: Vec<Spanned<RawCondition>>,
}

/// A test of a column.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCondition {
    pub(super) column: Spanned<String>,
    pub(super) min: Option<Spanned<Value>>,
    pub(super) max: Option<Spanned<Value>>,
    #[serde(rename = "in")]
    pub(super) one_of: Option<Spanned<Value>>,
    pub(super) not_in: Option<Spanned<Value>>,
    pub(super) is_null: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSample {
    pub(super) fraction: Option<Spanned<f64>>,
    pub(super) seed: Option<u32>,
    pub(super) most_per_language: Option<Spanned<RawCaps>>,
}

/// One number for all languages, or some by language.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum RawCaps {
    All(u64),
    By(BTreeMap<String, u64>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLines {
    pub(super) rules: Option<Spanned<String>>,
    pub(super) repeated_on_sites: Option<u64>,
    pub(super) min_words: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPersonal {
    pub(super) action: Spanned<String>,
    pub(super) kinds: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawShuffle {
    pub(super) seed: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawOutput {
    pub(super) columns: Option<Vec<Spanned<String>>>,
}
