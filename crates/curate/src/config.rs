//! Settings of signatures.

use serde::{Deserialize, Serialize};

/// Settings of signatures. Signatures of different settings cannot be compared.
///
/// ```
/// use gleaner_curate::SignatureConfig;
///
/// let config = SignatureConfig { bands: 0, ..SignatureConfig::default() };
/// assert_eq!(config.check().unwrap_err().to_string(), "bands is 0: give a number from 1 to 1024");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignatureConfig {
    /// Words in a shingle: 1 to 64.
    pub shingle: usize,
    /// Bands. More bands find more pairs, also of texts that are less similar.
    pub bands: usize,
    /// Minima in a band. More rows find fewer pairs of texts that are less similar. `bands` times `rows` is at most 1024.
    pub rows: usize,
}

impl SignatureConfig {
    /// Maximum words per shingle.
    pub const MAX_SHINGLE: usize = 64;

    /// Maximum minima per signature.
    pub const MAX_MINIMA: usize = 1024;

    /// An error if a setting is out of its range.
    pub fn check(&self) -> Result<(), ConfigError> {
        in_range("shingle", self.shingle, SignatureConfig::MAX_SHINGLE)?;
        in_range("bands", self.bands, SignatureConfig::MAX_MINIMA)?;
        in_range("rows", self.rows, SignatureConfig::MAX_MINIMA)?;
        if self.minima() > SignatureConfig::MAX_MINIMA {
            return Err(ConfigError::TooManyMinima {
                bands: self.bands,
                rows: self.rows,
            });
        }
        Ok(())
    }

    /// The number of minima in a signature.
    pub(crate) fn minima(&self) -> usize {
        self.bands * self.rows
    }
}

impl Default for SignatureConfig {
    fn default() -> SignatureConfig {
        SignatureConfig {
            shingle: 5,
            bands: 14,
            rows: 8,
        }
    }
}

/// Why no signatures can be made with some settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A setting is 0 or too large.
    #[error("{name} is {value}: give a number from 1 to {most}")]
    OutOfRange {
        /// The name of the setting.
        name: &'static str,
        /// Its value.
        value: usize,
        /// Its largest value.
        most: usize,
    },
    /// A signature would have too many minima.
    #[error(
        "{bands} bands of {rows} rows are {} minima: give at most {} in all",
        .bands * .rows,
        SignatureConfig::MAX_MINIMA
    )]
    TooManyMinima {
        /// Bands.
        bands: usize,
        /// Minima in a band.
        rows: usize,
    },
}

fn in_range(name: &'static str, value: usize, most: usize) -> Result<(), ConfigError> {
    match value {
        value if (1..=most).contains(&value) => Ok(()),
        value => Err(ConfigError::OutOfRange { name, value, most }),
    }
}
