//! What a build is made of, beside its options.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use gleaner_cluster::Group;
use gleaner_corpus::{Identity, Unread};
use gleaner_curate::Benchmarks;
use gleaner_store::{Output, Shard, Store};
use gleaner_warc::Format;

use super::failure::Failure;
use super::summary::Run;
use crate::args::{Build, ModelChoice};
use crate::model::{self, Chosen};
use crate::result_pages::method::PageLabels;

pub(crate) struct BuildSetup<'a> {
    pub(crate) run: Run<'a>,
    pub(crate) workers: usize,
    pub(crate) store: Store,
    pub(crate) shards: Vec<Shard>,
    /// Inputs that were out of reach.
    pub(crate) unlisted: Vec<Unread>,
    pub(crate) formats: Vec<Option<Format>>,
    pub(crate) models: Models,
    pub(crate) identity: Identity,
    pub(crate) output: Output,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) group: Option<Group>,
}

pub(crate) struct Models {
    pub(crate) pages: Chosen,
    pub(crate) texts: Chosen,
    pub(crate) method: Option<PageLabels>,
    /// The passages that are looked for in texts, if there are any.
    pub(crate) benchmarks: Option<Arc<Benchmarks>>,
}

impl Models {
    pub(crate) fn choose(arguments: &Build) -> Result<Models, Failure> {
        let of_texts = arguments.text_model.as_deref();
        let texts = model::choose_for_texts(of_texts, &arguments.decision);
        let of_pages = arguments.model.model.as_deref();
        let benchmarks = arguments.benchmarks.as_deref().map(Benchmarks::read);
        let benchmarks = benchmarks
            .transpose()
            .map_err(|error| Failure::of_option(error.into()))?;
        let (pages, method) = Models::of_pages(arguments).map_err(Failure::of_model(of_pages))?;
        Ok(Models {
            pages,
            method,
            texts: texts.map_err(Failure::of_model(of_texts))?,
            benchmarks: benchmarks.map(Arc::new),
        })
    }

    fn of_pages(arguments: &Build) -> Result<(Chosen, Option<PageLabels>)> {
        let method = PageLabels::choose(arguments.method, &arguments.model, &arguments.query)?;
        let pages = match &method {
            // (The built-in model is not used.)
            Some(method) => Chosen {
                identity: method.identity.clone(),
                ..model::choose(&ModelChoice { model: None })?
            },
            None => model::choose_deciding(&arguments.model, &arguments.decision)?,
        };
        Ok((pages, method))
    }

    /// The digest of the benchmarks, as it stands in the identity of a corpus.
    pub(crate) fn digest_of_benchmarks(&self) -> Option<String> {
        let benchmarks = self.benchmarks.as_ref();
        benchmarks.map(|benchmarks| format!("{:032x}", benchmarks.digest()))
    }

    pub(crate) fn metadata(&self) -> BTreeMap<String, String> {
        let names = [
            ("gleaner.model", &self.pages),
            ("gleaner.text_model", &self.texts),
        ];
        names
            .map(|(key, model)| (key.to_owned(), model.identity.clone()))
            .into()
    }
}
