//! What the service was started with.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Error;
use crate::context::Shared;
use crate::extract::NoParameters;

/// What the service was started with.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Session {
    /// The version of gleaner
    version: &'static str,
    /// Name and checksum of the model
    model: String,
    /// The corpus that is open
    corpus: Option<CorpusName>,
    /// The number of pages to label
    pages: Option<usize>,
    /// The folder of annotation files, if labels are saved
    annotations: Option<String>,
    limits: RequestLimits,
}

/// The corpus that is open.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CorpusName {
    /// The folder or URL as it was typed
    name: String,
    /// The version that is shown
    version: u64,
    /// The number of documents
    documents: u64,
    /// Whether pages can be read again from archives
    archives: bool,
}

/// Limits of requests.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RequestLimits {
    /// Largest body
    body_bytes: usize,
    /// Time for a request to arrive
    seconds: f64,
}

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/api/session", get(session))
}

/// What the service was started with
#[utoipa::path(get, path = "/api/session", tag = "service", responses((status = 200, description = "Version, model, limits, and what is open", body = Session)))]
pub(crate) async fn session(State(context): State<Shared>, _: NoParameters) -> Result<Json<Session>, Error> {
    let corpus = match (&context.corpus, context.versions.clone()) {
        (Some(corpus), Some(versions)) => {
            let newest = context.pool.run(move |_| versions.newest()).await?;
            Some(CorpusName {
                name: corpus.name.clone(),
                version: newest.marker.version,
                documents: newest.documents(),
                archives: corpus.has_archives,
            })
        }
        _ => None,
    };
    let labels = context.labels.as_ref();
    let folder = labels.and_then(|labels| labels.annotations.as_ref());
    Ok(Json(Session {
        version: env!("CARGO_PKG_VERSION"),
        model: context.model_name.clone(),
        corpus,
        pages: labels.map(|labels| labels.count),
        annotations: folder.map(|folder| folder.display().to_string()),
        limits: RequestLimits {
            body_bytes: context.limits.body_bytes,
            seconds: context.limits.timeout.as_secs_f64(),
        },
    }))
}
