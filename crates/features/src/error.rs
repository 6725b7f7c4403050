//! What can be wrong with a configuration.

/// Why a feature configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text is not TOML, or has a field or module that is not known.
    #[error("the feature configuration cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// A table has a feature that is not known or not of its kind.
    #[error(
        "the feature configuration has {feature:?} in [{table}], which no feature with {table} is called"
    )]
    UnknownFeature {
        /// The table.
        table: &'static str,
        /// The name in it.
        feature: String,
    },
    /// A list of values is empty, too long or not ascending.
    #[error("the values of feature {feature} have to ascend and be between 1 and 256 numbers")]
    Values {
        /// The feature.
        feature: String,
    },
    /// A scale of no steps, or of too many.
    #[error("the scale of feature {feature} has to be between 1 and 256 steps")]
    Scale {
        /// The feature.
        feature: String,
    },
    /// More expressions than a column has codes for.
    #[error("feature {feature} has too many expressions: a bullet can have 8, the others 255")]
    TooManyExpressions {
        /// The feature.
        feature: &'static str,
    },
    /// More keyword groups than there is room for.
    #[error("the feature configuration has more than 64 groups of keywords")]
    TooManyKeywordGroups,
    /// A regular expression that does not compile.
    #[error("an expression of feature {feature} cannot be used: {source}")]
    Expression {
        /// The feature.
        feature: &'static str,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
}
