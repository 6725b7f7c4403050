//! Parts of requests whose refusals are sentences, too.

use axum::extract::{FromRequestParts, Path, Query};
use http::request::Parts;

use crate::Error;

/// A name in the path, such as a row id.
pub(crate) struct Name(pub(crate) String);

/// Names and values behind the `?`.
pub(crate) struct Pairs(pub(crate) Vec<(String, String)>);

/// For an address that takes no parameters: any is refused, as an unknown one is elsewhere.
pub(crate) struct NoParameters;

impl<S: Send + Sync> FromRequestParts<S> for NoParameters {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<NoParameters, Error> {
        let Pairs(pairs) = Pairs::from_request_parts(parts, state).await?;
        match pairs.first() {
            None => Ok(NoParameters),
            Some((name, _)) => Err(Error::bad_request(format!(
                "there is no parameter '{name}': {} takes none",
                parts.uri.path()
            ))),
        }
    }
}

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
