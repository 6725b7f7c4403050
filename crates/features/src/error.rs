//! What can be wrong with a configuration.

/// Why a feature configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text is not TOML, or has a field or module that is not known.
    #[error("the feature configuration cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// A table has a feature that is not known or not of its kind.
    #[error("the feature configuration has {1:?} in [{0}]: there is no such feature with {0}")]
    UnknownFeature(&'static str, String),
    /// A list of values is empty, too long or not ascending.
    #[error("the values of feature {0} have to ascend and be between 1 and 256 numbers")]
    Values(String),
    /// A scale of no steps, or of too many.
    #[error("the scale of feature {0} has to be between 1 and 256 steps")]
    Scale(String),
    /// More expressions than a column has codes for.
    #[error("feature {0} has too many expressions: a bullet can have 8, the others 255")]
    TooManyExpressions(&'static str),
    /// More keyword groups than there is room for.
    #[error("the feature configuration has more than 64 groups of keywords")]
    TooManyKeywordGroups,
    /// A regular expression that does not compile.
    #[error("an expression of feature {0} cannot be used: {1}")]
    Expression(&'static str, #[source] Box<regex::Error>),
}
