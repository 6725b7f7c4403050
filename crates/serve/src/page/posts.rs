//! The posts of a page.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gleaner_posts::{About, Posted, XML_BEGIN, XML_END};
use http::header::CONTENT_TYPE;

use super::query::{Params, PostsFormat, PostsParams};
use super::request::{SentPage, no_page};
use super::schema::PostsOfPage;
use super::{BODY, FILE, JSON};
use crate::Error;
use crate::context::Shared;
use crate::error::ErrorBody;
use crate::worker::Worker;

/// The posts of a page, as `gleaner posts` prints them
#[utoipa::path(
    post,
    path = "/posts",
    tag = "page",
    params(PostsParams),
    request_body(content((String = "text/html"), (String = "application/xhtml+xml"), (String = "text/plain")), description = BODY),
    responses(
        (status = 200, description = "In the format that was asked for", content(
            (PostsOfPage = "application/json"),
            (String = "application/xml"),
            (String = "text/plain"),
        )),
        (status = "4XX", description = "The request is refused", body = ErrorBody),
        (status = "5XX", description = "The service is busy, or failed", body = ErrorBody),
    )
)]
pub(crate) async fn posts(
    State(context): State<Shared>,
    Params(PostsParams { url, format }): Params<PostsParams>,
    page: SentPage,
) -> Result<Response, Error> {
    let text = context
        .pool
        .run(move |worker| text(worker, &page, &url, format))
        .await?;
    Ok(([(CONTENT_TYPE, media(format))], text).into_response())
}

fn media(format: PostsFormat) -> &'static str {
    match format {
        PostsFormat::Json => JSON,
        PostsFormat::Xml => "application/xml; charset=utf-8",
        PostsFormat::Text => "text/plain; charset=utf-8",
    }
}

fn text(worker: &mut Worker, sent: &SentPage, url: &str, format: PostsFormat) -> Result<String, Error> {
    let page = worker.parser.parse(&sent.body, sent.content_type.as_deref());
    let page = page.map_err(|error| no_page(&error))?;
    let about = About {
        url,
        ..About::default()
    };
    let found = worker.posts.extract(page, about);
    let truncated: Vec<&str> = page.truncated.names().chain(found.truncated.names()).collect();
    let posted = Posted {
        file: FILE,
        url,
        found: &found,
        truncated: &truncated,
    };
    Ok(match format {
        PostsFormat::Json => serde_json::to_string(&posted).map_err(Error::internal)? + "\n",
        PostsFormat::Xml => format!("{XML_BEGIN}{}{XML_END}", posted.xml()),
        PostsFormat::Text => posted.text(FILE),
    })
}
