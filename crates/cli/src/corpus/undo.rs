//! `gleaner undo`: an unfinished change of a corpus is undone.

use anyhow::Result;
use gleaner_corpus::{Corpus, Next, Undone};
use gleaner_store::{Options, Store};
use serde::Serialize;

use crate::args::Undo;
use crate::terminal::console::{bytes, counted};
use crate::terminal::{Outcome, console};

/// What became of an unfinished change, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Answer {
    corpus: String,
    dry_run: bool,
    result: &'static str,
    command: Option<String>,
    time: Option<String>,
    files: u64,
    bytes: u64,
    version: u64,
}

impl Answer {
    fn new(arguments: &Undo, undone: Undone, version: u64) -> Answer {
        let (result, change, files, bytes) = match undone {
            Undone::Nothing => ("nothing", None, 0, 0),
            Undone::Deleted { change, files, bytes } => ("undone", Some(*change), files, bytes),
            Undone::Finished { change } => ("finished", Some(*change), 0, 0),
        };
        let (command, time) = change.map(|Next { command, time, .. }| (command, time)).unzip();
        Answer {
            corpus: arguments.corpus.clone(),
            dry_run: arguments.dry_run,
            result,
            command,
            time,
            files,
            bytes,
            version,
        }
    }

    fn text(&self) -> String {
        let change = format!(
            "`{}` of {}",
            self.command.as_deref().unwrap_or_default(),
            self.time.as_deref().unwrap_or_default()
        );
        let written = format!("{} of {}", counted(self.files, "file"), bytes(self.bytes));
        let (corpus, version) = (&self.corpus, self.version);
        match (self.result, self.dry_run) {
            ("undone", false) => {
                format!("undone: {change}; deleted {written}; '{corpus}' has version {version}\n")
            }
            ("undone", true) => format!("would undo {change}, and delete {written}\n"),
            ("finished", false) => {
                format!("finished: {change} was too far to be undone; '{corpus}' has version {version}\n")
            }
            ("finished", true) => format!("would finish {change}: it is too far to be undone\n"),
            _ => format!(
                "nothing to undo: no change of '{corpus}' is unfinished; `gleaner restore` lifts the rule of a complete one\n"
            ),
        }
    }
}

/// `gleaner undo`.
pub(crate) fn run(arguments: &Undo) -> Result<Outcome> {
    let output = Store::new(Options::default())?.output(&arguments.corpus)?;
    let undone = Corpus::undo(&output, arguments.dry_run)?;
    let answer = Answer::new(arguments, undone, Corpus::complete(&output)?.version);
    console::out_as(arguments.json, &answer, || answer.text())?;
    Ok(Outcome::Done)
}
