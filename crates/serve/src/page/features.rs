//! The features of a page's blocks.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::BODY;
use super::query::{PageParams, Params};
use super::request::{SentPage, no_page};
use crate::Error;
use crate::context::Shared;
use crate::error::ErrorBody;
use crate::worker::Worker;

/// The features of a page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FeaturesOfPage {
    /// Names of the features of the model
    columns: Vec<String>,
    /// For each block the code of each feature
    blocks: Vec<Vec<u8>>,
}

/// The features that the model has of the blocks of a page
#[utoipa::path(
    post,
    path = "/features",
    tag = "page",
    params(PageParams),
    request_body(content((String = "text/html"), (String = "application/xhtml+xml"), (String = "text/plain")), description = BODY),
    responses(
        (status = 200, description = "A table", body = FeaturesOfPage),
        (status = "4XX", description = "The request is refused", body = ErrorBody),
        (status = "5XX", description = "The service is busy, or failed", body = ErrorBody),
    )
)]
pub(crate) async fn features(
    State(context): State<Shared>,
    Params(PageParams { url }): Params<PageParams>,
    page: SentPage,
) -> Result<Json<FeaturesOfPage>, Error> {
    let found = context
        .pool
        .run(move |worker| of_page(worker, &page, &url))
        .await?;
    Ok(Json(found))
}

fn of_page(worker: &mut Worker, sent: &SentPage, url: &str) -> Result<FeaturesOfPage, Error> {
    let read = worker.cleaner.read(&sent.body, &sent.origin(url));
    let read = read.map_err(|error| no_page(&error))?;
    let columns = &worker.models.of(read.is_text).space().columns;
    let block = |block: usize| {
        (0..columns.len())
            .map(|column| read.columns.column(column)[block])
            .collect()
    };
    Ok(FeaturesOfPage {
        columns: columns.iter().map(|column| column.name.clone()).collect(),
        blocks: (0..read.layout.len()).map(block).collect(),
    })
}
