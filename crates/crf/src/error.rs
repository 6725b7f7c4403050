//! What can go wrong, in sentences.

/// Why a chain could not be set up or trained.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The template names a column that the features do not have.
    #[error("template: no column matches {name:?} (in {place})")]
    UnknownColumn {
        /// The name or prefix.
        name: String,
        /// The setting it stands in.
        place: String,
    },
    /// The template cannot be compiled.
    #[error("template: {0}")]
    Template(String),
    /// A setting of the training is out of range.
    #[error("training setting {setting}: {detail}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What is wrong.
        detail: String,
    },
    /// There is nothing to learn from.
    #[error("no labelled blocks to train on")]
    NoData,
}
