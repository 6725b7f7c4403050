//! Labels of pages, saved as annotation files: see [`desk`].

mod decision;
pub(crate) mod desk;

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::routing::get;
use axum::{Json, Router};

use crate::Error;
use crate::context::Shared;
use crate::extract::{Name, NoParameters, Pairs};
use desk::{Decisions, List, OpenedPage, Saved};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/pages", get(list))
        .route("/api/pages/{page}", get(open).put(save))
}

async fn list(State(context): State<Shared>, Pairs(pairs): Pairs) -> Result<Json<List>, Error> {
    let labels = Arc::clone(context.labels()?);
    let listed = context.pool.run(move |_| labels.list(pairs));
    listed.await.map(Json)
}

async fn open(
    State(context): State<Shared>,
    Name(page): Name,
    _: NoParameters,
) -> Result<Json<OpenedPage>, Error> {
    let labels = Arc::clone(context.labels()?);
    let opened = context.pool.run(move |_| labels.page(&page));
    opened.await.map(Json)
}

async fn save(
    State(context): State<Shared>,
    Name(page): Name,
    _: NoParameters,
    decisions: Result<Json<Decisions>, JsonRejection>,
) -> Result<Json<Saved>, Error> {
    let labels = Arc::clone(context.labels()?);
    let unreadable = |bad: JsonRejection| {
        let sentence = format!("the decisions cannot be read: {}", bad.body_text());
        Error::new(bad.status(), sentence)
    };
    let Json(decisions) = decisions.map_err(unreadable)?;
    let saved = context.pool.run(move |_| labels.save(&page, decisions));
    saved.await.map(Json)
}
