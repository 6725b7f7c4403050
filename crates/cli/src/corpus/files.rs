//! `gleaner files`: the files of a table.

use anyhow::Result;
use gleaner_corpus::{Corpus, TableFile};
use gleaner_store::{Options, Store};
use serde::Serialize;

use crate::args::Files;
use crate::terminal::{Outcome, console};

/// A file, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    file: TableFile,
    path: String,
}

/// Prints the files of a table in the version that `gleaner.json` names.
pub(crate) fn run(arguments: &Files) -> Result<Outcome> {
    let output = Store::new(Options::default())?.output(&arguments.corpus)?;
    let files = Corpus::files(&output, &arguments.table)?.into_iter();
    let files: Vec<Listed> = files
        .map(|file| Listed {
            path: output.place_of(&file.name).to_string(),
            file,
        })
        .collect();
    let words = || files.iter().map(|file| format!("{}\n", file.path)).collect();
    console::out_as(arguments.json, &files, words)?;
    Ok(Outcome::Done)
}
