//! Why a call failed.

use std::path::PathBuf;

use gleaner_corpus::{Error as CorpusError, Unread};
use gleaner_store::{Error as StoreError, scrubbed};

use super::names::in_python;
use crate::build::{Answer, Failure, FailureKind};
use crate::terminal::console;

/// Why a call failed, in a sentence that says what, where, and what to do.
#[derive(Clone, Debug)]
pub struct Failed {
    /// What failed.
    pub kind: FailedKind,
    /// The sentence; some have several lines.
    pub sentence: String,
    /// The counts of the corpus as JSON, where the build came so far.
    pub summary: Option<String>,
}

/// What failed.
#[derive(Clone, Debug)]
pub enum FailedKind {
    /// An option, or its value.
    Option,
    /// A model, in this file if it is from one.
    Model(Option<PathBuf>),
    /// An input, or the corpus that is to be read: its name, if it is a single one.
    Input(Option<String>),
    /// These inputs could not be read.
    Incomplete(Vec<Unread>),
    /// It was stopped.
    Interrupted,
    /// gleaner itself.
    Internal,
    /// Anything else.
    Build,
}

impl Failed {
    pub(super) fn new(kind: FailedKind, sentence: &str) -> Failed {
        Failed {
            kind,
            sentence: in_python(&scrubbed(sentence)),
            summary: None,
        }
    }

    pub(super) fn of_build(failure: &Failure) -> Failed {
        let kind = match &failure.kind {
            FailureKind::Option => FailedKind::Option,
            FailureKind::Model(file) => FailedKind::Model(file.clone()),
            FailureKind::Input(input) => FailedKind::Input(input.clone()),
            FailureKind::Interrupted => FailedKind::Interrupted,
            FailureKind::Internal => FailedKind::Internal,
            FailureKind::Build => FailedKind::Build,
        };
        Failed::new(kind, &console::sentence(failure.error.chain()))
    }

    /// A build that ended with the answer no.
    pub(super) fn of_answer(answer: &Answer, summary: String) -> Failed {
        let missing: Vec<Unread> = answer.report.summary.missing.iter().cloned().collect();
        let kind = match missing.is_empty() {
            true => FailedKind::Build,
            false => FailedKind::Incomplete(missing),
        };
        let sentence = match answer.notes.is_empty() {
            true => "captures and damaged places are not documents and rejects: please report it".to_owned(),
            false => answer.notes.join("\n"),
        };
        Failed {
            summary: Some(summary),
            ..Failed::new(kind, &sentence)
        }
    }

    /// A corpus that could not be read.
    pub(super) fn of_corpus(corpus: &str, error: &anyhow::Error) -> Failed {
        let input = || FailedKind::Input(Some(corpus.to_owned()));
        let kind = match error.downcast_ref() {
            Some(CorpusError::NoTable { .. }) => FailedKind::Option,
            Some(CorpusError::Interrupted) => FailedKind::Interrupted,
            Some(CorpusError::Incomplete(_)) => FailedKind::Incomplete(Vec::new()),
            Some(CorpusError::Absent(_) | CorpusError::Store(_)) => input(),
            Some(_) => FailedKind::Build,
            None if error.is::<StoreError>() => input(),
            None => FailedKind::Build,
        };
        Failed::new(kind, &console::sentence(error.chain()))
    }
}
