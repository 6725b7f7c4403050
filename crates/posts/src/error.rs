//! What can be wrong with a rule file.

use std::path::PathBuf;

/// Why rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("could not read {0}")]
    Read(PathBuf, #[source] std::io::Error),
    /// It is not TOML, or a field is not one of a rule file's.
    #[error("{0} is not a rule file: {1}")]
    Syntax(PathBuf, #[source] Box<toml::de::Error>),
    /// An element or attribute that pages are not read for.
    #[error("{path}: {place}: there is no {kind} '{name}'")]
    Name {
        /// The rule file.
        path: PathBuf,
        /// The rule.
        place: String,
        /// "element" or "attribute that is kept".
        kind: &'static str,
        /// The name that is not known.
        name: String,
    },
    /// A rule without steps.
    #[error("{0}: {1} has no steps")]
    Empty(PathBuf, String),
    /// More different steps than fit.
    #[error("{path} has {count} steps; {most} are the most")]
    TooMany {
        /// The rule file.
        path: PathBuf,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}
