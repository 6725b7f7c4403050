//! Answers that are no results: a status and a sentence.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use axum::Json;
use axum::response::{IntoResponse, Response};
use gleaner_corpus::FaultKind;
use http::StatusCode;
use http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use utoipa::ToSchema;

/// What is answered where there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// 400 and above.
    pub status: StatusCode,
    /// What failed, where, and what to do.
    pub sentence: String,
}

/// The body of such an answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// What failed, and what to do
    pub(crate) error: String,
}

impl Error {
    /// An answer with a status and a sentence.
    pub fn new(status: StatusCode, sentence: impl Into<String>) -> Error {
        Error {
            status,
            sentence: sentence.into(),
        }
    }

    /// 400: the request has a wrong value.
    pub fn bad_request(sentence: impl Into<String>) -> Error {
        Error::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// 404: there is no such thing.
    pub fn not_found(sentence: impl Into<String>) -> Error {
        Error::new(StatusCode::NOT_FOUND, sentence)
    }

    /// 409: what is to be read or changed has changed, or is not what the service was started for.
    pub fn conflict(sentence: impl Into<String>) -> Error {
        Error::new(StatusCode::CONFLICT, sentence)
    }

    /// 500: what should work does not, such as reading a file. `failure` is any error, with its causes.
    pub fn internal(failure: impl Into<Box<dyn std::error::Error>>) -> Error {
        let failure = failure.into();
        let mut sentence = failure.to_string();
        let mut cause = failure.source();
        while let Some(inner) = cause {
            let said = inner.to_string();
            if !sentence.contains(&said) {
                sentence += &format!(": {said}");
            }
            cause = inner.source();
        }
        Error::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    }
}

/// A corpus may be changed or removed while it is read: 404 if it is gone, 409 if a file of the version that is read is.
impl From<gleaner_corpus::Error> for Error {
    fn from(failure: gleaner_corpus::Error) -> Error {
        use gleaner_corpus::Error::{Absent, Incomplete};
        match &failure {
            Absent(folder) => Error::not_found(format!(
                "the corpus '{folder}' is gone: build it again, or start the service with another one"
            )),
            Incomplete(_) => Error::conflict(failure.to_string()),
            _ => match missing(&failure) {
                Some(file) => Error::conflict(format!(
                    "the corpus was changed while it was read, '{file}' is gone: send the request again, and if that does \
                     not help check the corpus with gleaner verify"
                )),
                None => Error::internal(failure),
            },
        }
    }
}

/// The file of a corpus that is not there, if a failure is that.
fn missing(failure: &gleaner_corpus::Error) -> Option<&str> {
    use gleaner_corpus::Error::{Damaged, Log, Store};
    match failure {
        Store(gleaner_store::Error::Missing(file, _) | gleaner_store::Error::Changed(file, _)) => Some(file),
        Store(gleaner_store::Error::Io { path, source, .. }) if source.kind() == ErrorKind::NotFound => {
            Some(path)
        }
        Damaged { fault } | Log { fault, .. } if fault.kind == FaultKind::Missing => Some(&fault.file),
        _ => None,
    }
}

/// Seconds after which a request that was refused may be sent again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let Error { status, sentence } = self;
        let mut response = (status, Json(ErrorBody { error: sentence })).into_response();
        let headers = response.headers_mut();
        match status {
            StatusCode::SERVICE_UNAVAILABLE => drop(headers.insert(RETRY_AFTER, RETRY_SECONDS)),
            // The rest of the request is not read.
            StatusCode::REQUEST_TIMEOUT | StatusCode::PAYLOAD_TOO_LARGE => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another program has the port.
    #[error("port {} of {} is taken: choose another with --port, or --port 0 for any that is free", .0.port(), .0.ip())]
    Taken(SocketAddr),
    /// It cannot be listened at.
    #[error("could not listen at {0}: choose another port with --port")]
    Listen(SocketAddr, #[source] io::Error),
    /// The machine has no thread left.
    #[error("could not start a thread of the service")]
    Thread(#[source] io::Error),
    /// The features of the model are not those of this program.
    #[error("the model cannot be used")]
    Model(#[from] gleaner_content::Error),
    /// What names the files of the corpus is damaged.
    #[error(transparent)]
    Corpus(#[from] gleaner_corpus::Error),
    /// The pages to label cannot be read.
    #[error(transparent)]
    Label(#[from] gleaner_annotate::Error),
}
