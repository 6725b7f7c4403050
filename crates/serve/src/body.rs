//! The bodies of requests: read whole before anything is done with them, up to a length, within a time, and not too many at once.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_LENGTH, HeaderMap};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::Error;
use crate::context::Limits;

/// How many of the largest bodies fit into memory at once.
const LARGEST_AT_ONCE: usize = 16;

/// What is read, and how much memory is left for it.
#[derive(Clone)]
pub(crate) struct Bodies {
    limits: Limits,
    /// A permit for each unit.
    room: Arc<Semaphore>,
}

/// Bytes that a permit is for.
const UNIT: usize = 4 << 10;

impl Bodies {
    pub(crate) fn new(limits: Limits) -> Bodies {
        Bodies {
            limits,
            room: Arc::new(Semaphore::new(units(limits.body_bytes) * LARGEST_AT_ONCE)),
        }
    }

    /// The room for the body of a request.
    fn room(&self, headers: &HeaderMap) -> Result<OwnedSemaphorePermit, Error> {
        let most = self.limits.body_bytes;
        let length = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let length = match length.map(usize::try_from) {
            Some(Ok(length)) if length <= most => length,
            Some(_) => return Err(self.too_large()),
            // (Without a length it may be as long as any, and GET has none at all.)
            None if headers.contains_key(http::header::TRANSFER_ENCODING) => most,
            None => 0,
        };
        let permits = u32::try_from(units(length)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).try_acquire_many_owned(permits);
        room.map_err(|_| {
            let sentence = "too many large requests at once: send it again in a second";
            Error::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
        })
    }

    async fn read(&self, body: Body) -> Result<Bytes, Error> {
        let read = Limited::new(body, self.limits.body_bytes).collect();
        match timeout(self.limits.timeout, read).await {
            Ok(Ok(read)) => Ok(read.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(self.too_large()),
            Ok(Err(error)) => Err(Error::bad_request(format!(
                "the body of the request broke off: {error}"
            ))),
            Err(_) => {
                let seconds = self.limits.timeout.as_secs_f64();
                let sentence =
                    format!("the request did not arrive within {seconds} seconds: --timeout sets the limit");
                Err(Error::new(StatusCode::REQUEST_TIMEOUT, sentence))
            }
        }
    }

    fn too_large(&self) -> Error {
        let most = self.limits.body_bytes;
        let sentence = format!("the body has more than {most} bytes, which is the limit: --max-body sets it");
        Error::new(StatusCode::PAYLOAD_TOO_LARGE, sentence)
    }
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT)
}

/// Reads the body of a request before its handler runs, and keeps its room until it is answered.
pub(crate) async fn read(State(bodies): State<Bodies>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let read = async {
        let room = bodies.room(&parts.headers)?;
        Ok::<_, Error>((room, bodies.read(body).await?))
    };
    match read.await {
        Ok((_room, body)) => next.run(Request::from_parts(parts, Body::from(body))).await,
        Err(error) => error.into_response(),
    }
}
