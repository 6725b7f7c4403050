//! `gleaner report`: what is in a corpus, as a page.

mod change;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_content::write_whole;
use gleaner_corpus::{Corpus, VersionTables};
use gleaner_export::{Recipe, Work};
use gleaner_report::{MARK, Request, html};
use gleaner_store::{Options, Store};

use crate::args::Report;
use crate::export;
use crate::export::recipe_file::RecipeFile;
use crate::inputs::output::check_output;
use crate::terminal::signals::Signals;
use crate::terminal::{Outcome, console, plain};

/// The recipe that is counted where none is named.
const RECIPE: &str = "fineweb2";

/// The bytes of a report in which its mark is.
const HEAD: u64 = 10_000;

/// `gleaner report`.
pub(crate) fn run(arguments: &Report, signals: Signals<'_>) -> Result<Outcome> {
    if let Some(out) = &arguments.out {
        check(out, Path::new(&arguments.corpus))?;
    }
    let named = recipes(&arguments.recipe)?;
    let output = Store::new(Options::default())?.output(&arguments.corpus)?;
    let version = Corpus::version_tables(&output, arguments.corpus_version)?;
    let mut work = Work::of(export::workers(arguments.workers));
    work.stop = signals.stop()?;
    let request = Request {
        corpus: arguments.corpus.clone(),
        version: Some(version.version),
        recipes: with_default(named, &version)?,
        change: change::before(&output, version.version)?,
    };
    let report = gleaner_report::read(&output, request, &work)?;
    if let Some(out) = &arguments.out {
        write_whole(out, html(&report).as_bytes())
            .with_context(|| format!("could not write {}", out.display()))?;
    }
    console::out_as(arguments.json, &report, || {
        let documents = console::counted(report.totals.documents, "document");
        let out = arguments
            .out
            .as_deref()
            .unwrap_or(Path::new(""))
            .display()
            .to_string();
        format!("{documents}: {}\n", plain::line(&out))
    })?;
    Ok(Outcome::Done)
}

fn recipes(files: &[PathBuf]) -> Result<Vec<(String, Recipe)>> {
    let read = |file: &PathBuf| Ok((file.display().to_string(), RecipeFile::read(file, None)?.recipe));
    files.iter().map(read).collect()
}

fn with_default(mut named: Vec<(String, Recipe)>, version: &VersionTables) -> Result<Vec<(String, Recipe)>> {
    if named.is_empty() && version.files.contains_key("signals") {
        named = recipes(&[PathBuf::from(RECIPE)])?;
    }
    Ok(named)
}

/// Whether a report may be written to a file: outside of the corpus, and in the place of another report only.
fn check(out: &Path, corpus: &Path) -> Result<()> {
    check_output(out, [])?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    if let (Ok(folder), Ok(corpus)) = (folder, corpus.canonicalize())
        && folder.starts_with(&corpus)
    {
        bail!("{} is inside the corpus: name a file elsewhere", out.display());
    }
    if let Ok(file) = File::open(out) {
        let mut start = Vec::new();
        file.take(HEAD).read_to_end(&mut start)?;
        if !start.is_empty() && !String::from_utf8_lossy(&start).contains(MARK) {
            bail!("{} is there, and no report: name another file", out.display());
        }
    }
    Ok(())
}
