//! A corpus that is opened for the service.

use std::sync::Arc;

use anyhow::{Result, bail};
use gleaner_corpus::{Corpus, Marker};
use gleaner_serve::{Error, OpenCorpus, PageSource};
use gleaner_store::{Options, Output, Store};
use serde_json::Value;

use crate::args::Serve;
use crate::model::Models;
use crate::{explain, inputs};

/// A corpus, and what is needed to explain its pages.
struct Opened {
    store: Store,
    output: Output,
    name: String,
    input: Vec<String>,
    models: Models,
}

/// Opens a corpus, whose pages are explained by these models.
pub(super) fn open(name: &str, arguments: &Serve, models: Models) -> Result<OpenCorpus> {
    let store = Store::new(Options::default())?;
    let output = store.output(name)?;
    let marker = Corpus::complete(&output)?;
    check_input(&store, &arguments.input)?;
    let opened = Arc::new(Opened {
        store,
        output: output.clone(),
        name: name.to_owned(),
        input: arguments.input.clone(),
        models,
    });
    let explaining = Arc::clone(&opened);
    Ok(OpenCorpus {
        name: name.to_owned(),
        output,
        marker,
        has_archives: !arguments.input.is_empty(),
        explain: Box::new(move |row_id| {
            let value = explaining.explain(row_id).map_err(failed)?;
            value.ok_or_else(|| no_page(row_id))
        }),
        page: Box::new(move |row_id| opened.page(row_id)),
    })
}

/// Checks that the archives are there. They are looked up again for each page: some may come with a new version.
fn check_input(store: &Store, input: &[String]) -> Result<()> {
    if input.iter().any(inputs::is_standard_input) {
        bail!(
            "a service reads its archives again for each page, and standard input ('-') only once: write it to a file"
        );
    }
    if !input.is_empty() {
        inputs::expand(store, input, None)?;
    }
    Ok(())
}

impl Opened {
    fn explain(&self, row_id: &str) -> Result<Option<Value>> {
        explain::value(&self.corpus(&self.marker()?), row_id, &self.models)
    }

    fn page(&self, row_id: &str) -> Result<PageSource, Error> {
        if self.input.is_empty() {
            let why = "the archives of the corpus are not named: start the service with --input";
            return Ok(unread(why.to_owned()));
        }
        let marker = self.marker().map_err(failed)?;
        match explain::source(&self.corpus(&marker), row_id) {
            Ok(Some(html)) => Ok(PageSource {
                html: Some(html),
                why: None,
            }),
            Ok(None) => Err(no_page(row_id)),
            Err(error) => Ok(unread(format!("{error:#}"))),
        }
    }

    /// What the corpus is made from now: it may have changed since the service was started.
    fn marker(&self) -> Result<Marker> {
        Ok(Corpus::complete(&self.output)?)
    }

    fn corpus<'a>(&'a self, marker: &'a Marker) -> explain::OpenCorpus<'a> {
        explain::OpenCorpus {
            name: &self.name,
            input: &self.input,
            store: &self.store,
            output: &self.output,
            marker,
        }
    }
}

fn unread(why: String) -> PageSource {
    PageSource {
        html: None,
        why: Some(why),
    }
}

/// The answer for a failure, which is no fault of the program: the corpus was changed or removed meanwhile, or the models and
/// archives that the service was started with are not those of the corpus.
fn failed(failure: anyhow::Error) -> Error {
    let of_corpus = failure.downcast::<gleaner_corpus::Error>();
    of_corpus.map_or_else(|other| Error::conflict(format!("{other:#}")), Error::from)
}

fn no_page(row_id: &str) -> Error {
    Error::not_found(format!("no page of the corpus has the row id '{row_id}'"))
}
