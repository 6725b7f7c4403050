//! The text of a page.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gleaner_document::html::{self, About};
use gleaner_document::{Document, JsonDocument, JsonLine, MarkdownOptions, Origin};
use http::header::CONTENT_TYPE;

use super::query::{CleanFormat, CleanParams, Params};
use super::request::{SentPage, no_page};
use super::schema::CleanedPage;
use super::{BODY, FILE, JSON};
use crate::Error;
use crate::context::Shared;
use crate::error::ErrorBody;
use crate::worker::Worker;

/// The text of a page, as `gleaner clean` prints it
#[utoipa::path(
    post,
    path = "/clean",
    tag = "page",
    params(CleanParams),
    request_body(content((String = "text/html"), (String = "application/xhtml+xml"), (String = "text/plain")), description = BODY),
    responses(
        (status = 200, description = "In the format that was asked for", content(
            (CleanedPage = "application/json"),
            (String = "text/plain"),
            (String = "text/markdown"),
            (String = "text/html"),
        )),
        (status = "4XX", description = "The request is refused", body = ErrorBody),
        (status = "5XX", description = "The service is busy, or failed", body = ErrorBody),
    )
)]
pub(crate) async fn clean(
    State(context): State<Shared>,
    Params(CleanParams { url, format }): Params<CleanParams>,
    page: SentPage,
) -> Result<Response, Error> {
    let text = context
        .pool
        .run(move |worker| text(worker, &page, &url, format))
        .await?;
    Ok(([(CONTENT_TYPE, media(format))], text).into_response())
}

fn media(format: CleanFormat) -> &'static str {
    match format {
        CleanFormat::Json => JSON,
        CleanFormat::Text => "text/plain; charset=utf-8",
        CleanFormat::Markdown => "text/markdown; charset=utf-8",
        CleanFormat::Html => "text/html; charset=utf-8",
    }
}

fn text(worker: &mut Worker, sent: &SentPage, url: &str, format: CleanFormat) -> Result<String, Error> {
    let cleaner = match format {
        CleanFormat::Json => &mut worker.with_kinds,
        _ => &mut worker.cleaner,
    };
    let cleaned = cleaner.clean(&sent.body, &sent.origin(url));
    let Document { facts, content } = cleaned.map_err(|error| no_page(&error))?;
    let page = cleaner.page();
    Ok(match format {
        CleanFormat::Text => content.text,
        CleanFormat::Markdown => content.markdown_of(page, url, MarkdownOptions::default()),
        CleanFormat::Html => {
            let title = facts.metadata.title.as_deref().unwrap_or(url);
            html::document(title, "", &About::of_page(page, &facts), &content.html(page))
        }
        CleanFormat::Json => {
            let blocks = content.shown_blocks(page);
            let document = JsonDocument::new(url, &facts, &content, &blocks);
            let line = JsonLine { file: FILE, document };
            serde_json::to_string(&line).map_err(Error::internal)? + "\n"
        }
    })
}

impl SentPage {
    pub(super) fn origin<'a>(&'a self, url: &'a str) -> Origin<'a> {
        Origin {
            url,
            content_type: self.content_type.as_deref(),
            is_text: self.is_text,
            query: None,
            captured: None,
        }
    }
}
