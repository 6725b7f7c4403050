//! `gleaner files`: the files of a table.

use anyhow::Result;
use gleaner_corpus::{Corpus, TableFile, digest_of};
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

/// The files of all tables in short, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct FilesDigest {
    digest: String,
    files: usize,
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

/// The digest of the names of all tables' files.
fn digest(corpus: &str) -> Result<FilesDigest> {
    let output = Store::new(Options::default())?.output(corpus)?;
    let mut names = Vec::new();
    for table in Corpus::complete(&output)?.tables.keys() {
        let files = Corpus::files(&output, table)?.into_iter();
        names.extend(files.map(|file| file.name + "\n"));
    }
    names.sort_unstable();
    Ok(FilesDigest {
        digest: digest_of(names.concat().as_bytes()),
        files: names.len(),
    })
}

/// `gleaner files`.
pub(crate) fn run(arguments: &Files) -> Result<Outcome> {
    match &arguments.table {
        Some(table) => {
            let files = list(&arguments.corpus, table)?;
            let words = || files.iter().map(|file| format!("{}\n", file.path)).collect();
            console::out_as(arguments.json, &files, words)?;
        }
        None => {
            let digest = digest(&arguments.corpus)?;
            console::out_as(arguments.json, &digest, || format!("{}\n", digest.digest))?;
        }
    }
    Ok(Outcome::Done)
}
