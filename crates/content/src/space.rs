//! The features a model stands on: their configuration and the columns it gives.

use gleaner_columns::ColumnInfo;
use gleaner_features::{Extractor, FeatureConfig};
use serde::{Deserialize, Serialize};

use crate::Error;

/// The features of a model: the text that configures the extractor, and its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureSpace {
    /// The extractor's configuration, TOML.
    pub config: String,
    /// The extractor's hash of all that decides what a code means. TOML has no unsigned 64-bit integers: model files have it
    /// in a place of its own.
    #[serde(skip)]
    pub fingerprint: u64,
    /// The columns, in the extractor's order.
    pub columns: Vec<ColumnInfo>,
}

impl FeatureSpace {
    /// What an extractor of this configuration gives.
    pub fn of(config: &FeatureConfig) -> FeatureSpace {
        FeatureSpace {
            config: config.to_toml(),
            fingerprint: config.fingerprint(),
            columns: config.columns(),
        }
    }

    /// The extractor that gives these features.
    ///
    /// # Errors
    /// The configuration is refused, or means something else to this program than it did when the
    /// model was trained.
    pub fn extractor(&self) -> Result<Extractor, Error> {
        let config = FeatureConfig::from_toml(&self.config)?;
        let given = FeatureSpace::of(&config);
        self.check(&given)?;
        if given.columns != self.columns {
            return Err(Error::Description(
                "its columns are not those of its feature configuration".into(),
            ));
        }
        Ok(Extractor::new(config)?)
    }

    /// Makes sure that features at hand are these.
    ///
    /// # Errors
    /// The fingerprints differ.
    pub fn check(&self, given: &FeatureSpace) -> Result<(), Error> {
        if self.fingerprint == given.fingerprint {
            return Ok(());
        }
        Err(Error::Fingerprint {
            model: self.fingerprint,
            given: given.fingerprint,
        })
    }
}
