//! What can go wrong, in sentences.

/// Why a chain could not be set up or trained.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The template names a column that the features do not have.
    #[error("template: no column matches {0:?} (in {1})")]
    UnknownColumn(String, String),
    /// The template cannot be compiled.
    #[error("template: {0}")]
    Template(String),
    /// A setting of the training is out of range.
    #[error("training setting {0}: {1}")]
    Setting(&'static str, String),
    /// There is nothing to learn from.
    #[error("no labelled blocks to train on")]
    NoData,
}
