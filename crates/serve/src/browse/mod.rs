//! The pages of a corpus: search, filters, histograms, rejects and clusters.
//!
//! In: requests, and the tables of a complete corpus. Out: JSON. Nothing is written, and there is no index beside the tables: a search
//! reads the columns that it needs of the row groups that may have what is wanted ([`scan`]), and ends with the answer, with the time of
//! the request, or when its client leaves ([`budget`]).
//!
//! Memory holds some row groups of these columns for each worker, the rows of the answer, and which documents are duplicates.

mod bins;
mod budget;
mod by_id;
mod clusters;
mod columns;
mod cursor;
mod diff;
mod document;
mod duplicates;
mod filters;
mod histogram;
pub(crate) mod parameters;
mod rejects;
mod row;
mod row_ids;
mod scan;
mod search;
mod sort;
mod values;
mod version;
pub(crate) mod versions;
mod words;

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::Value;

use crate::Error;
use crate::context::{PageSource, Shared};
use crate::extract::{Name, NoParameters, Pairs};
use budget::Budget;
use version::Version;

type Answer<T> = Result<Json<T>, Error>;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/documents", get(documents))
        .route("/api/count", get(count))
        .route("/api/documents/{row_id}", get(document))
        .route("/api/documents/{row_id}/explain", get(explain))
        .route("/api/documents/{row_id}/html", get(html))
        .route("/api/columns", get(columns))
        .route("/api/histogram", get(histogram))
        .route("/api/rejects", get(rejects))
        .route("/api/clusters", get(clusters))
        .route("/api/clusters/{cluster}", get(members))
}

async fn documents(State(context): State<Shared>, Pairs(pairs): Pairs) -> Answer<search::Documents> {
    on_worker(&context, move |corpus, budget| {
        search::documents(corpus, pairs, budget)
    })
    .await
}

async fn count(State(context): State<Shared>, Pairs(pairs): Pairs) -> Answer<search::Count> {
    on_worker(&context, move |corpus, budget| {
        search::count(corpus, pairs, budget)
    })
    .await
}

async fn document(
    State(context): State<Shared>,
    Name(row_id): Name,
    _: NoParameters,
) -> Answer<document::Document> {
    on_worker(&context, move |corpus, _| document::document(corpus, &row_id)).await
}

async fn columns(State(context): State<Shared>, _: NoParameters) -> Answer<columns::Columns> {
    on_worker(&context, |corpus, _| Ok(columns::Columns::of(corpus))).await
}

async fn histogram(State(context): State<Shared>, Pairs(pairs): Pairs) -> Answer<histogram::Histogram> {
    on_worker(&context, move |corpus, budget| {
        histogram::histogram(corpus, pairs, budget)
    })
    .await
}

async fn rejects(State(context): State<Shared>, Pairs(pairs): Pairs) -> Answer<rejects::Rejects> {
    on_worker(&context, move |corpus, budget| {
        rejects::rejects(corpus, pairs, budget)
    })
    .await
}

async fn clusters(State(context): State<Shared>, Pairs(pairs): Pairs) -> Answer<clusters::Clusters> {
    on_worker(&context, move |corpus, budget| {
        clusters::clusters(corpus, pairs, budget)
    })
    .await
}

async fn members(
    State(context): State<Shared>,
    Name(cluster): Name,
    Pairs(pairs): Pairs,
) -> Answer<clusters::Members> {
    on_worker(&context, move |corpus, budget| {
        clusters::members(corpus, &cluster, pairs, budget)
    })
    .await
}

async fn explain(State(context): State<Shared>, Name(row_id): Name, _: NoParameters) -> Answer<Value> {
    let corpus = Arc::clone(context.corpus()?);
    on_worker(&context, move |_, _| {
        document::check(&row_id)?;
        (corpus.explain)(&row_id)
    })
    .await
}

async fn html(State(context): State<Shared>, Name(row_id): Name, _: NoParameters) -> Answer<PageSource> {
    let corpus = Arc::clone(context.corpus()?);
    on_worker(&context, move |_, _| {
        document::check(&row_id)?;
        (corpus.page)(&row_id)
    })
    .await
}

/// Reads the newest version of the corpus on a worker.
async fn on_worker<T, F>(context: &Shared, read: F) -> Answer<T>
where
    T: Serialize + Send + 'static,
    F: FnOnce(&Version, &Budget) -> Result<T, Error> + Send + 'static,
{
    let corpus = Arc::clone(context.versions()?);
    let (budget, waiting) = Budget::new(context.limits.workers, context.limits.timeout);
    let read = context.pool.run(move |_| read(&*corpus.newest()?, &budget));
    let answer = read.await;
    drop(waiting);
    answer.map(Json)
}

impl From<gleaner_export::Error> for Error {
    fn from(failure: gleaner_export::Error) -> Error {
        match failure {
            gleaner_export::Error::Corpus(failure) => failure.into(),
            gleaner_export::Error::Store(failure) => gleaner_corpus::Error::Store(failure).into(),
            other => Error::internal(other),
        }
    }
}
