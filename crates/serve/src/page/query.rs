//! The parameters of requests about one page.

use axum::extract::{FromRequestParts, Query};
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::{IntoParams, ToSchema};

use crate::Error;

/// The address of the page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageParams {
    /// URL of the page; features and relative links use it
    #[serde(default)]
    pub(super) url: String,
}

/// The address of the page, and the format of its text.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CleanParams {
    /// URL of the page; features and relative links use it
    #[serde(default)]
    pub(super) url: String,
    /// Format of the answer
    #[serde(default)]
    #[param(inline)]
    pub(super) format: CleanFormat,
}

/// The address of the page, and the format of its posts.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PostsParams {
    /// URL of the page; relative links are resolved against it
    #[serde(default)]
    pub(super) url: String,
    /// Format of the answer
    #[serde(default)]
    #[param(inline)]
    pub(super) format: PostsFormat,
}

/// How text is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CleanFormat {
    #[default]
    Json,
    Text,
    Markdown,
    Html,
}

/// How posts are written.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PostsFormat {
    #[default]
    Json,
    Xml,
    Text,
}

/// Parameters; a wrong one is answered with a sentence.
pub(crate) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Params<T>, Error> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(params)) => Ok(Params(params)),
            Err(rejection) => {
                let path = parts.uri.path();
                let sentence = rejection.body_text();
                let reason = sentence
                    .rsplit_once("query string: ")
                    .map_or(&*sentence, |(_, reason)| reason);
                Err(Error::bad_request(format!("wrong parameter of {path}: {reason}")))
            }
        }
    }
}
