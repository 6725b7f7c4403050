//! Why a build failed: its sentence, and its kind, which programs that call it need.

use std::path::{Path, PathBuf};

use gleaner_dataflow::Error;
use gleaner_store::Error as StoreError;

use super::unfinished::Unfinished;

/// Why a build failed, with its sentence.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) error: anyhow::Error,
}

/// What it is that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// An option that cannot be used.
    Option,
    /// A model, in this file if it is from one.
    Model(Option<PathBuf>),
    /// An input, of this name if it is a single one.
    Input(Option<String>),
    /// The build was stopped, and can be continued.
    Interrupted,
    /// gleaner itself.
    Internal,
    /// Anything else: the output, a store, another process.
    Build,
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        let error = error.into();
        let unfinished = error.downcast_ref::<Unfinished>();
        let kind = match unfinished.map(|unfinished| &unfinished.error) {
            Some(Error::Interrupted) => FailureKind::Interrupted,
            Some(Error::Worker(_)) => FailureKind::Internal,
            _ => FailureKind::Build,
        };
        Failure { kind, error }
    }
}

impl Failure {
    pub(crate) fn of_option(error: anyhow::Error) -> Failure {
        let kind = FailureKind::Option;
        Failure { kind, error }
    }

    pub(super) fn of_model(file: Option<&Path>) -> impl Fn(anyhow::Error) -> Failure {
        let kind = FailureKind::Model(file.map(Path::to_owned));
        move |error| Failure {
            kind: kind.clone(),
            error,
        }
    }

    pub(crate) fn of_inputs(error: anyhow::Error) -> Failure {
        let input = error.downcast_ref::<StoreError>().map(StoreError::input);
        let input = input.filter(|input| !input.is_empty()).map(str::to_owned);
        Failure {
            kind: FailureKind::Input(input),
            error,
        }
    }
}
