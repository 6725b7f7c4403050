//! What can go wrong, in sentences.

use std::path::PathBuf;

/// Why a model could not be trained, written, read or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A model file could not be read or written.
    #[error("could not access model {0}: {1}")]
    Io(PathBuf, #[source] std::io::Error),
    /// A model file that was read is not one.
    #[error("model {0}: {1}")]
    File(PathBuf, #[source] Box<Error>),
    /// The first bytes are not those of a model.
    #[error("not a gleaner model (it does not begin with the magic bytes)")]
    Magic,
    /// Written by another version of the format.
    #[error(
        "model format version {found}, but this program reads version {supported}: train the model again"
    )]
    Version {
        /// The version in the file.
        found: u32,
        /// The version of this program.
        supported: u32,
    },
    /// The file ends too early.
    #[error("model is truncated: {what} needs {needed} bytes at offset {offset}, {left} are left")]
    Truncated {
        /// The part that was being read.
        what: &'static str,
        /// Where it begins.
        offset: usize,
        /// How many bytes it needs.
        needed: u64,
        /// How many there are.
        left: usize,
    },
    /// The content does not have the checksum at its end.
    #[error("model is damaged: checksum {found:016x}, its content has {computed:016x}")]
    Checksum {
        /// What the file says.
        found: u64,
        /// What its content gives.
        computed: u64,
    },
    /// A model does not know the convention that it is to judge by.
    #[error("the model knows no convention '{name}' ({})", known_conventions(.known))]
    Convention {
        /// The one asked for.
        name: String,
        /// Those that it knows.
        known: Vec<String>,
    },
    /// A part of the file contradicts another, though the checksum is right.
    #[error("model is inconsistent at offset {0}: {1}")]
    Inconsistent(usize, String),
    /// The model's description is not valid TOML of the expected form.
    #[error("model description: {0}")]
    Description(String),
    /// The model was trained with other features.
    #[error("features differ: the model was trained with fingerprint {model:016x}, these have {given:016x}")]
    Fingerprint {
        /// The model's.
        model: u64,
        /// Those at hand.
        given: u64,
    },
    /// The model's feature configuration is refused.
    #[error("features of the model: {0}")]
    Features(#[from] gleaner_features::Error),
    /// The template does not fit the features, or a setting of the chain's training is out of range.
    #[error(transparent)]
    Chain(#[from] gleaner_crf::Error),
    /// The list of labels is of no use.
    #[error("labels: {0}")]
    Labels(String),
    /// A setting of the training is out of range.
    #[error("training setting {0}: {1}")]
    Setting(&'static str, String),
    /// A labelled page does not fit the features.
    #[error("{set} page {page}: {detail}")]
    Page {
        /// The list it stands in: training or dev.
        set: &'static str,
        /// Its place in the list.
        page: usize,
        /// What is wrong.
        detail: String,
    },
}

fn known_conventions(known: &[String]) -> String {
    match known {
        [] => "nor any other: it was trained without".to_owned(),
        known => format!("it knows {}", known.join(", ")),
    }
}
