//! Why a build ends without a corpus.

use thiserror::Error as ThisError;

use gleaner_corpus::Unread;
use gleaner_store::Output;

/// Why a build ends without a corpus. Damage in an input is not among it: that becomes rows of the rejects table.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The tables can't be written.
    #[error(transparent)]
    Corpus(#[from] gleaner_corpus::Error),
    /// The output can't be read or written.
    #[error(transparent)]
    Store(#[from] gleaner_store::Error),
    /// The model's features can't be made.
    #[error(transparent)]
    Model(#[from] gleaner_content::Error),
    /// Pages that wait for their sites, or sums of these, can't be kept on disk.
    #[error("could not {what} the staged data in '{place}': {source}")]
    Staging {
        /// What was tried.
        what: &'static str,
        /// The output, or where it is.
        place: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The settings of signatures are no settings.
    #[error(transparent)]
    Signatures(#[from] gleaner_curate::ConfigError),
    /// What the corpus keeps of its rules is no list of rules.
    #[error(transparent)]
    Rules(#[from] gleaner_corpus::BadRules),
    /// What an earlier run left cannot be used to continue.
    #[error("the staged data of the interrupted build is damaged: use --force to start again")]
    Damaged,
    /// The state of a complete corpus is not what was written.
    #[error("the state in '{0}' is damaged: `gleaner verify` names all files that are")]
    DamagedState(String),
    /// Another version began the build.
    #[error("the interrupted build cannot be continued ({0}): use --force to start again")]
    Begun(String),
    /// The processes of the group cannot work together, or one is gone.
    #[error(transparent)]
    Group(gleaner_cluster::Error),
    /// Inputs could not be read to their end. What could be read is kept, and the next run reads the rest.
    #[error("{} of the inputs could not be read", missing.len())]
    Incomplete {
        /// These inputs, by name.
        missing: Vec<Unread>,
    },
    /// The receipt of a change can't be written in full.
    #[error("could not write the receipt '{file}': {source}")]
    Receipt {
        /// Where it was to be.
        file: String,
        /// The answer of the system.
        source: std::io::Error,
    },
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// The system refused something that no setting asked for.
    #[error("could not {0}: {1}")]
    System(&'static str, std::io::Error),
    /// A worker ended in a way that no input may cause.
    #[error("a worker failed: {0}; this is an error in gleaner, please report it")]
    Worker(String),
}

impl Error {
    /// The answer of the system where staging files of an output cannot be read or written.
    pub(crate) fn staging(what: &'static str, output: &Output, source: std::io::Error) -> Error {
        Error::Staging {
            what,
            place: output.place().to_string(),
            source,
        }
    }
}

impl From<gleaner_cluster::Error> for Error {
    fn from(error: gleaner_cluster::Error) -> Error {
        match error {
            gleaner_cluster::Error::Interrupted => Error::Interrupted,
            error => Error::Group(error),
        }
    }
}
