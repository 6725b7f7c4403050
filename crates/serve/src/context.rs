//! What a service is given, and what all routes share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gleaner_annotate::SessionConfig;
use gleaner_content::Model;
use gleaner_corpus::Marker;
use gleaner_store::Output;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::browse::versions::Versions;
use crate::label::desk::Labels;
use crate::pool::Pool;
use crate::worker::Models;
use crate::{Error, StartError};

/// What a service is given.
pub struct Settings {
    /// The port of 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// Limits of requests.
    pub limits: Limits,
    /// The model of pages.
    pub model: Arc<Model>,
    /// The model of plain texts.
    pub text_model: Arc<Model>,
    /// Name and checksum of the model.
    pub model_name: String,
    /// A corpus that is browsed.
    pub corpus: Option<OpenCorpus>,
    /// Pages that are labelled.
    pub to_label: Option<PagesToLabel>,
}

/// Limits of requests.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Threads that do the work.
    pub workers: usize,
    /// Bytes of the body of a request.
    pub body_bytes: usize,
    /// The time in which a request has to arrive.
    pub timeout: Duration,
}

/// A complete corpus.
pub struct OpenCorpus {
    /// As the user called it.
    pub name: String,
    /// Where its files are.
    pub output: Output,
    /// What it is made from.
    pub marker: Marker,
    /// Whether its archives were named, so that pages can be read again.
    pub has_archives: bool,
    /// Explains the page of a row id: the value that `gleaner explain --json` prints. 404 where there is no such row.
    pub explain: Look<Value>,
    /// The HTML of the page of a row id, read again. 404 where there is no such row.
    pub page: Look<PageSource>,
}

/// Looks something up by a row id. It takes long: call it on a worker.
pub type Look<T> = Box<dyn Fn(&str) -> Result<T, Error> + Send + Sync>;

/// A page of a corpus that was read again from its archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct PageSource {
    /// The page, decoded; none if it cannot be read again
    pub html: Option<String>,
    /// Why it cannot
    pub why: Option<String>,
}

/// Pages to look at and to label.
pub struct PagesToLabel {
    /// The settings of the session. Without `annotations`, its `out` is not looked at.
    pub session: SessionConfig,
    /// The model that makes suggestions.
    pub model: Arc<Model>,
    /// The folder as the user called it; none if nothing is saved.
    pub annotations: Option<PathBuf>,
}

/// What all routes share.
pub(crate) struct Context {
    pub(crate) pool: Pool,
    pub(crate) limits: Limits,
    pub(crate) model_name: String,
    pub(crate) corpus: Option<Arc<OpenCorpus>>,
    pub(crate) versions: Option<Arc<Versions>>,
    pub(crate) labels: Option<Arc<Labels>>,
}

/// The state of the routers.
pub(crate) type Shared = Arc<Context>;

impl Context {
    pub(crate) fn new(settings: Settings) -> Result<Shared, StartError> {
        let models = Models::new(settings.model, settings.text_model)?;
        let pool = Pool::start(settings.limits.workers, models)?;
        let versions = settings.corpus.as_ref();
        let versions = versions.map(|corpus| Versions::open(&corpus.output, &corpus.marker));
        let labels = settings.to_label;
        let labels = labels.map(|pages| Labels::open(pages.session, &pages.model, pages.annotations));
        Ok(Arc::new(Context {
            pool,
            limits: settings.limits,
            model_name: settings.model_name,
            corpus: settings.corpus.map(Arc::new),
            versions: versions.transpose()?.map(Arc::new),
            labels: labels.transpose()?.map(Arc::new),
        }))
    }

    /// The corpus.
    ///
    /// # Errors
    /// 404: none was named.
    pub(crate) fn corpus(&self) -> Result<&Arc<OpenCorpus>, Error> {
        let none = "no corpus is open: start the service with one, as in gleaner serve CORPUS";
        self.corpus.as_ref().ok_or_else(|| Error::not_found(none))
    }

    /// The versions of the corpus.
    ///
    /// # Errors
    /// As [`Context::corpus`].
    pub(crate) fn versions(&self) -> Result<&Arc<Versions>, Error> {
        self.corpus()?;
        let none = || Error::not_found("no corpus is open");
        self.versions.as_ref().ok_or_else(none)
    }

    /// The pages to label.
    ///
    /// # Errors
    /// 404: none were named.
    pub(crate) fn labels(&self) -> Result<&Arc<Labels>, Error> {
        let none = "there are no pages to label: start the service with files, as in gleaner serve FILE";
        self.labels.as_ref().ok_or_else(|| Error::not_found(none))
    }
}
