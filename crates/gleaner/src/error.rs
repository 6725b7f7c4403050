//! Why a page could not be cleaned, or a cleaner not be made.

use std::fmt;

use gleaner_content::Error as ModelError;
use gleaner_html::PageError;

/// Why a page could not be cleaned, or a cleaner not be made.
///
/// Its text names the fault and, where there is one, the file.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error {
    cause: Cause,
}

/// What an [`Error`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The body is no page: it is binary, or a file of another kind.
    Page,
    /// The model cannot be read, or cannot be used with this version.
    Model,
}

#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error(transparent)]
    Page(#[from] PageError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the model does not label plain texts: its unit is not \"text\"")]
    NotOfTexts,
}

impl Error {
    /// What it is about.
    pub fn kind(&self) -> ErrorKind {
        match self.cause {
            Cause::Page(_) => ErrorKind::Page,
            Cause::Model(_) | Cause::NotOfTexts => ErrorKind::Model,
        }
    }

    pub(crate) fn not_of_texts() -> Error {
        Error {
            cause: Cause::NotOfTexts,
        }
    }
}

impl From<PageError> for Error {
    fn from(error: PageError) -> Error {
        Error { cause: error.into() }
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Error {
        Error { cause: error.into() }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ErrorKind::Page => "page",
            ErrorKind::Model => "model",
        })
    }
}
