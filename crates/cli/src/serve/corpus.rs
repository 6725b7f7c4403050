//! A corpus that is opened for the service.

use std::sync::Arc;

use anyhow::Result;
use gleaner_corpus::{Corpus, Marker};
use gleaner_serve::{Error, OpenCorpus, PageSource};
use gleaner_store::{Options, Output, Store};
use serde_json::Value;

use crate::args::{Explain, ModelChoice, Serve};
use crate::explain;

/// A corpus, and what is needed to explain its pages.
struct Opened {
    store: Store,
    output: Output,
    name: String,
    input: Vec<String>,
    model: ModelChoice,
}

/// Opens a corpus.
pub(super) fn open(name: &str, arguments: &Serve) -> Result<OpenCorpus> {
    let store = Store::new(Options::default())?;
    let output = store.output(name)?;
    let marker = Corpus::complete(&output)?;
    let opened = Arc::new(Opened {
        store,
        output: output.clone(),
        name: name.to_owned(),
        input: arguments.input.clone(),
        model: arguments.model.clone(),
    });
    let explaining = Arc::clone(&opened);
    Ok(OpenCorpus {
        name: name.to_owned(),
        output,
        marker,
        has_archives: !arguments.input.is_empty(),
        explain: Box::new(move |row_id| {
            let value = explaining.explain(row_id).map_err(Error::internal)?;
            value.ok_or_else(|| no_page(row_id))
        }),
        page: Box::new(move |row_id| opened.page(row_id)),
    })
}

impl Opened {
    fn explain(&self, row_id: &str) -> Result<Option<Value>> {
        explain::value(&self.corpus(&self.marker()?), &self.arguments(row_id))
    }

    fn page(&self, row_id: &str) -> Result<PageSource, Error> {
        if self.input.is_empty() {
            let why = "the archives of the corpus are not named: start the service with --input";
            return Ok(unread(why.to_owned()));
        }
        let marker = self.marker().map_err(Error::internal)?;
        match explain::source(&self.corpus(&marker), &self.arguments(row_id)) {
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
            store: &self.store,
            output: &self.output,
            marker,
        }
    }

    fn arguments(&self, row_id: &str) -> Explain {
        Explain {
            corpus: self.name.clone(),
            page: row_id.to_owned(),
            input: self.input.clone(),
            model: self.model.clone(),
            text_model: None,
            json: true,
            html: false,
        }
    }
}

fn unread(why: String) -> PageSource {
    PageSource {
        html: None,
        why: Some(why),
    }
}

fn no_page(row_id: &str) -> Error {
    Error::not_found(format!("no page of the corpus has the row id '{row_id}'"))
}
