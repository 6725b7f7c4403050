//! `gleaner explain`: why each block of a page was kept or dropped, and what else is known of the page.
//!
//! The tables have the page, the state of the corpus has its blocks as they waited for the evidence of their site, and the archive
//! has the page itself: each adds what the ones before it lack.

mod answer;
mod archive;
mod blocks;
mod find;
mod html;
mod page;
mod setup;
mod text;

use anyhow::Result;
use gleaner_corpus::Corpus;
use gleaner_html::decode_body;
use gleaner_store::{Options, Store};
use serde_json::Value;

use crate::args::Explain;
use crate::model::Models;
use crate::terminal::{Outcome, console};

pub(crate) use page::OpenCorpus;

/// What `gleaner explain --json` prints of a page; none if there is no such page.
pub(crate) fn value(corpus: &OpenCorpus<'_>, page: &str, models: &Models) -> Result<Option<Value>> {
    let Some(found) = find::find(corpus.output, page)? else {
        return Ok(None);
    };
    let page = page::explain(corpus, found, models)?;
    Ok(Some(serde_json::to_value(&page)?))
}

/// The decoded bytes of a page, read again from the archives of the corpus; none if there is no such page.
pub(crate) fn source(corpus: &OpenCorpus<'_>, page: &str) -> Result<Option<String>> {
    let Some(found) = find::find(corpus.output, page)? else {
        return Ok(None);
    };
    let document = &found.document;
    let (_, capture) = archive::capture(
        corpus.store,
        corpus.input,
        document,
        setup::record_bytes(corpus.marker, corpus.name)?,
    )?;
    Ok(Some(
        decode_body(&capture.body, capture.content_type.as_deref()).into_owned(),
    ))
}

/// `gleaner explain`.
pub(crate) fn run(arguments: &Explain) -> Result<Outcome> {
    let store = Store::new(Options::default())?;
    let output = store.output(&arguments.corpus)?;
    let marker = Corpus::complete(&output)?;
    let Some(found) = find::find(&output, &arguments.page)? else {
        let nearest = find::nearest(&output, &arguments.corpus, &arguments.page)?;
        console::out_as(arguments.json, &nearest, || text::nearest(&nearest))?;
        return Ok(Outcome::Negative);
    };
    let corpus = OpenCorpus {
        name: &arguments.corpus,
        input: &arguments.input,
        store: &store,
        output: &output,
        marker: &marker,
    };
    let models = Models::choose(&arguments.model, arguments.text_model.as_deref())?;
    let page = page::explain(&corpus, found, &models)?;
    match arguments.html {
        true => console::out(&html::found(&page))?,
        false => console::out_as(arguments.json, &page, || text::found(&page))?,
    }
    Ok(Outcome::Done)
}
