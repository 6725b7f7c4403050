//! `gleaner vacuum`: files of older versions of a corpus are deleted.

use anyhow::Result;
use gleaner_corpus::{Corpus, Vacuum as Wanted, Vacuumed};
use gleaner_store::{Options, Store};
use serde::Serialize;

use crate::args::Vacuum;
use crate::terminal::console::{bytes, counted};
use crate::terminal::{Outcome, console};

/// What was deleted, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Answer {
    corpus: String,
    dry_run: bool,
    versions: Vec<u64>,
    files: u64,
    bytes: u64,
    log_files: u64,
}

impl Answer {
    fn text(&self) -> String {
        let done = if self.dry_run { "would delete" } else { "deleted" };
        let versions: Vec<String> = self.versions.iter().map(u64::to_string).collect();
        let versions = match versions.as_slice() {
            [] => "no version".to_owned(),
            [one] => format!("version {one}"),
            all => format!("versions {}", all.join(", ")),
        };
        let of_logs = match self.log_files {
            0 => String::new(),
            files => format!(", {} of logs among them", console::grouped(files)),
        };
        let files = counted(self.files, "file");
        if self.files == 0 && self.versions.is_empty() {
            return "nothing to delete: the files that are there are of versions that stay\n".to_owned();
        }
        format!("{done} {versions}: {files} of {}{of_logs}\n", bytes(self.bytes))
    }
}

/// `gleaner vacuum`.
pub(crate) fn run(arguments: &Vacuum) -> Result<Outcome> {
    let output = Store::new(Options::default())?.output(&arguments.corpus)?;
    let wanted = Wanted {
        keep_versions: arguments.keep_versions.unwrap_or(u64::MAX),
        logs: arguments.logs,
        dry_run: arguments.dry_run,
    };
    let Vacuumed {
        versions,
        files,
        bytes,
        logs,
    } = Corpus::vacuum(&output, &wanted)?;
    let answer = Answer {
        corpus: arguments.corpus.clone(),
        dry_run: arguments.dry_run,
        versions,
        files,
        bytes,
        log_files: logs,
    };
    console::out_as(arguments.json, &answer, || answer.text())?;
    Ok(Outcome::Done)
}
