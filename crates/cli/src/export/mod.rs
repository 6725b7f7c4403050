//! `gleaner export`: the pages that a recipe selects, as training data.

mod progress;
pub(crate) mod recipe_file;
mod text;

use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use gleaner_corpus::Corpus;
use gleaner_export::{Compression, Fields, Format, Funnel, Manifest, Request, Selection, Work};
use gleaner_store::{Options, Output, Store};
use serde::Serialize;

use crate::args::Export;
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console};
use progress::Drawn;
use recipe_file::RecipeFile;

/// Bytes of a file before it is compressed.
const SHARD_BYTES: u64 = 1_000_000_000;

/// An export, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
pub(crate) struct Answer {
    corpus: String,
    corpus_version: u64,
    dry_run: bool,
    funnel: Funnel,
    files: Vec<gleaner_export::ShardFile>,
}

/// `gleaner export`.
pub(crate) fn run(arguments: &Export, signals: Signals<'_>) -> Result<Outcome> {
    if arguments.schema {
        console::out(&format!("{:#}\n", gleaner_export::schema()))?;
        return Ok(Outcome::Done);
    }
    let corpus = arguments.corpus.as_deref().context("no corpus: name one")?;
    if let Some(dialect) = arguments.sql {
        let recipe = read_recipe(arguments)?.recipe;
        let input = Store::new(Options::default())?.output(corpus)?;
        let version = Corpus::version_tables(&input, arguments.corpus_version)?;
        console::out(&gleaner_export::sql(&input, &version, &recipe, dialect)?)?;
        return Ok(Outcome::Done);
    }
    let mut work = Work::of(workers(arguments.workers));
    work.stop = signals.stop()?;
    let drawn = Drawn::start(&work);
    let answer = export(arguments, &work);
    drop(drawn);
    let answer = answer?;
    console::out_as(arguments.json, &answer, || {
        text::funnel(&answer.funnel) + &text::files(&answer.files, arguments.out.as_deref())
    })?;
    Ok(Outcome::Done)
}

/// Threads that read a corpus.
pub(crate) fn workers(given: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    given.map_or_else(cores, usize::from)
}

/// Writes the pages that a recipe selects, or only counts them.
pub(crate) fn export(arguments: &Export, work: &Work) -> Result<Answer> {
    let corpus = arguments.corpus.as_deref().context("no corpus: name one")?;
    let recipe = read_recipe(arguments)?;
    let store = Store::new(Options::default())?;
    let input = store.output(corpus)?;
    let out = arguments
        .out
        .as_deref()
        .map(|out| store.output(out))
        .transpose()?;
    let selection = Selection::open(&input, arguments.corpus_version, &recipe.recipe, work)?;
    let (funnel, files) = match &out {
        Some(out) => {
            let Manifest { funnel, files, .. } = write(arguments, &recipe, &selection, out)?;
            (funnel, files)
        }
        None => (gleaner_export::count(&selection)?, Vec::new()),
    };
    Ok(Answer {
        corpus: corpus.to_owned(),
        corpus_version: selection.version(),
        dry_run: arguments.dry_run,
        funnel,
        files,
    })
}

fn read_recipe(arguments: &Export) -> Result<RecipeFile> {
    let recipe = arguments.recipe.as_deref();
    RecipeFile::read(
        recipe.context("no recipe: name one with --recipe")?,
        arguments.pii,
    )
}

fn write(arguments: &Export, recipe: &RecipeFile, selection: &Selection, out: &Output) -> Result<Manifest> {
    let default = Format::Lines(Fields::Columns, Compression::Zstd);
    let format = arguments.format.unwrap_or(default);
    let bytes = arguments.shard_size.unwrap_or(SHARD_BYTES);
    let request = Request::new(selection, &recipe.text, format, bytes);
    Ok(gleaner_export::export(selection, request, format, out)?)
}
