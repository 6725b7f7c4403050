//! What a build is made of, beside its options.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use gleaner_cluster::Group;
use gleaner_corpus::{Identity, Unread};
use gleaner_store::{Output, Shard, Store};
use gleaner_warc::Format;

use super::curation::Curation;
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
    pub(crate) curation: Curation,
}

impl Models {
    pub(crate) fn choose(arguments: &Build) -> Result<Models, Failure> {
        let of_texts = arguments.text_model.as_deref();
        let texts = model::choose_for_texts(of_texts, &arguments.decision);
        let of_pages = arguments.model.model.as_deref();
        let (pages, method) = Models::of_pages(arguments).map_err(Failure::of_model(of_pages))?;
        Ok(Models {
            pages,
            method,
            texts: texts.map_err(Failure::of_model(of_texts))?,
            curation: Curation::read(arguments)?,
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

    pub(crate) fn metadata(&self) -> BTreeMap<String, String> {
        let names = [
            ("gleaner.model", &self.pages),
            ("gleaner.text_model", &self.texts),
        ];
        let models = names.map(|(key, model)| (key.to_owned(), model.identity.clone()));
        let of_languages = self.curation.language_identity.clone();
        let of_languages = of_languages.map(|identity| ("gleaner.language_model".to_owned(), identity));
        models.into_iter().chain(of_languages).collect()
    }
}
