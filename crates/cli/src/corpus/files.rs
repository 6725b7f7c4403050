//! `gleaner files`: the files of a table.

use anyhow::Result;
use gleaner_corpus::{Corpus, TableFile};
use gleaner_store::{Options, Store};
use serde::Serialize;

use crate::args::Files;
use crate::terminal::{Outcome, console};

/// A file, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
pub(crate) struct Listed {
    #[serde(flatten)]
    file: TableFile,
    pub(crate) path: String,
}

/// The files of a table in the version that `gleaner.json` names.
pub(crate) fn list(corpus: &str, table: &str) -> Result<Vec<Listed>> {
    let output = Store::new(Options::default())?.output(corpus)?;
    let files = Corpus::files(&output, table)?.into_iter();
    let listed = |file: TableFile| Listed {
        path: output.place_of(&file.name).to_string(),
        file,
    };
    Ok(files.map(listed).collect())
}

/// `gleaner files`.
pub(crate) fn run(arguments: &Files) -> Result<Outcome> {
    let files = list(&arguments.corpus, &arguments.table)?;
    let words = || files.iter().map(|file| format!("{}\n", file.path)).collect();
    console::out_as(arguments.json, &files, words)?;
    Ok(Outcome::Done)
}
