//! `gleaner explain`: why each block of a page was kept or dropped, and what else is known of the page.
//!
//! The tables have the page, the state of the corpus has its blocks as they waited for the evidence of their site, and the archive
//! has the page itself: each adds what the ones before it lack.

mod answer;
mod archive;
mod blocks;
mod find;
mod html;
mod names;
mod page;
mod setup;
mod text;

use anyhow::Result;
use gleaner_corpus::Corpus;
use gleaner_store::{Options, Store};

use crate::args::Explain;
use crate::terminal::{Outcome, console};
use page::OpenCorpus;

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
        store: &store,
        output: &output,
        marker: &marker,
    };
    let page = page::explain(&corpus, found, arguments)?;
    match arguments.html {
        true => console::out(&html::found(&page))?,
        false => console::out_as(arguments.json, &page, || text::found(&page))?,
    }
    Ok(Outcome::Done)
}
