//! The description of the API, made from its functions and types. What the web page alone calls, below `/api/`, may change at any time
//! and is not described.

use axum::routing::get;
use axum::{Json, Router};
use utoipa::OpenApi;
use utoipa::openapi::{OpenApi as Description, Required};

use crate::context::Shared;
use crate::{assets, page, session};

/// Text, posts, features and explanations of web pages, from a service on this machine.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "gleaner",
        description = "Text, posts, features and explanations of web pages, from a service on this machine.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    servers((url = "/", description = "The service that this file is from")),
    tags(
        (name = "page", description = "One page: send it as the body"),
        (name = "service", description = "The service itself"),
    ),
    paths(
        page::clean::clean,
        page::posts::posts,
        page::explain::explain,
        page::features::features,
        session::session,
        assets::index,
        assets::frame,
        assets::style,
        assets::script,
        openapi,
    )
)]
struct Api;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/openapi.json", get(openapi))
}

/// This description
#[utoipa::path(get, path = "/openapi.json", tag = "service", responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
async fn openapi() -> Json<Description> {
    Json(description())
}

fn description() -> Description {
    let mut description = Api::openapi();
    let posts = description
        .paths
        .paths
        .values_mut()
        .filter_map(|path| path.post.as_mut());
    // An empty page is one, too.
    for body in posts.filter_map(|post| post.request_body.as_mut()) {
        body.required = Some(Required::False);
    }
    description
}
