//! Why a build ends without a corpus.

use thiserror::Error as ThisError;

/// Why a build ends without a corpus. What is wrong with an input is not among it: that becomes
/// rows of the rejects table.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The tables can't be written.
    #[error(transparent)]
    Corpus(#[from] gleaner_corpus::Error),
    /// The model's features can't be made.
    #[error(transparent)]
    Model(#[from] gleaner_crf::Error),
    /// Pages that wait for their sites can't be kept on disk.
    #[error("could not {what} the pages that are staged in '{place}': {source}")]
    Staging {
        /// What was tried.
        what: &'static str,
        /// The output, or where it is.
        place: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// It was told to stop.
    #[error("interrupted; what was written is incomplete, and the same command builds it anew")]
    Interrupted,
    /// A worker ended in a way that no input may cause.
    #[error("a worker failed: {0}; this is a fault of gleaner, please report it")]
    Worker(String),
}
