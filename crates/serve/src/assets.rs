//! The web page: files that are part of the program.

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};

use crate::context::Shared;
use crate::guard::{POLICY_OF_FRAME, POLICY_OF_PAGE};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/", get(index))
        .route("/frame.html", get(frame))
        .route("/gleaner.css", get(style))
        .route("/gleaner.js", get(script))
}

/// The web page
#[utoipa::path(get, path = "/", tag = "service", responses((status = 200, description = "A file", content_type = "text/html", body = String)))]
pub(crate) async fn index() -> Response {
    file("text/html; charset=utf-8", include_str!("../assets/index.html"))
}

/// The empty document in which a page is shown
#[utoipa::path(get, path = "/frame.html", tag = "service", responses((status = 200, description = "A file", content_type = "text/html", body = String)))]
pub(crate) async fn frame() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY_OF_FRAME),
    ];
    (headers, include_str!("../assets/frame.html")).into_response()
}

/// The style of the web page
#[utoipa::path(get, path = "/gleaner.css", tag = "service", responses((status = 200, description = "A file", content_type = "text/css", body = String)))]
pub(crate) async fn style() -> Response {
    file("text/css; charset=utf-8", include_str!("../assets/gleaner.css"))
}

/// The script of the web page
#[utoipa::path(
    get,
    path = "/gleaner.js",
    tag = "service",
    responses((status = 200, description = "A file", content_type = "text/javascript", body = String))
)]
pub(crate) async fn script() -> Response {
    file(
        "text/javascript; charset=utf-8",
        include_str!("../assets/gleaner.js"),
    )
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let headers = [(CONTENT_TYPE, kind), (CONTENT_SECURITY_POLICY, POLICY_OF_PAGE)];
    (headers, text).into_response()
}
