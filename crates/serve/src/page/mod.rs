//! One page: its text, its posts, why its blocks are kept or dropped, and its features.
//!
//! In: the bytes of a page, its address, and its `Content-Type`, which counts as that of the page. Out: what the commands `clean`
//! and `posts` print of the same page, and JSON.

pub(crate) mod clean;
pub(crate) mod explain;
pub(crate) mod features;
pub(crate) mod posts;
mod query;
mod request;
pub(crate) mod schema;

use axum::Router;
use axum::routing::post;

use crate::context::Shared;

/// What the commands call a page that has no file.
const FILE: &str = "standard input";

pub(crate) const JSON: &str = "application/json";

/// What the body of a request is, for the description of the API.
const BODY: &str = "The page: HTML, or with text/plain a text whose lines are blocks. Content-Type counts as the HTTP header of the page.";

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/clean", post(clean::clean))
        .route("/posts", post(posts::posts))
        .route("/explain", post(explain::explain))
        .route("/features", post(features::features))
}
