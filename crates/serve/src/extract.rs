//! Parts of requests whose refusals are sentences, too.

use axum::extract::{FromRequestParts, Path, Query};
use http::request::Parts;

use crate::Error;

/// A name in the path, such as a row id.
pub(crate) struct Name(pub(crate) String);

/// Names and values behind the `?`.
pub(crate) struct Pairs(pub(crate) Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Name, Error> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let refused = |_| Error::bad_request("the path is no text: write it in UTF-8, percent-encoded");
        path.map(|Path(name)| Name(name)).map_err(refused)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Pairs {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Pairs, Error> {
        let query = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let refused = |_| Error::bad_request("what stands behind the ? is no list of names and values");
        query.map(|Query(pairs)| Pairs(pairs)).map_err(refused)
    }
}
