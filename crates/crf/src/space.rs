//! The features a model stands on: their configuration and the columns it gives.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// The features of a model: the text that configures the extractor, and the columns that come of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureSpace {
    /// The extractor's configuration, TOML.
    pub config: String,
    /// The columns, in the extractor's order.
    pub columns: Vec<ColumnSpec>,
    /// Buckets of the hashed features; 0 without any.
    #[serde(default)]
    pub buckets: u32,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSpec {
    /// Its name, which templates refer to.
    pub name: String,
    /// Its codes are below this; 1 to 256.
    pub cardinality: u16,
}

impl FeatureSpace {
    /// A hash (XXH3, 64 bits) of the configuration, the columns and the buckets: two spaces with
    /// the same fingerprint give the same codes for the same page.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Xxh3::new();
        let mut text = |part: &str| {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        };
        text(&self.config);
        for column in &self.columns {
            text(&column.name);
            text(&column.cardinality.to_string());
        }
        text(&self.buckets.to_string());
        hash.digest()
    }
}
