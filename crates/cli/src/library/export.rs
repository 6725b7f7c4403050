//! Training data from a corpus, for programs that call it.

use std::ffi::{OsStr, OsString};
use std::sync::atomic::Ordering::Relaxed;

use gleaner_export::{Error as ExportError, Work};
use gleaner_store::Error as StoreError;

use super::failed::{Failed, FailedKind};
use super::options::{OptionFault, check, joined, parse};
use crate::args::{Action, Export};
use crate::export;
use crate::run::settings::export_settings;
use crate::terminal::console::sentence;

/// An export whose options are checked. Other threads can look at it and stop it.
#[derive(Debug)]
pub struct ExportJob {
    arguments: Export,
    work: Work,
}

impl ExportJob {
    /// An export of a corpus by a recipe, a file or the name of a built-in one; without an output it only counts. Options are those of
    /// the command, by their names there, each with its value.
    ///
    /// # Errors
    /// An option has a value that it cannot have.
    pub fn new(
        corpus: &OsStr,
        recipe: &OsStr,
        out: Option<&OsStr>,
        options: &[(&str, String)],
    ) -> Result<ExportJob, OptionFault> {
        let mut arguments: Vec<OsString> =
            vec!["gleaner".into(), "export".into(), joined("--recipe", recipe)];
        arguments.push(match out {
            Some(out) => joined("--out", out),
            None => "--dry-run".into(),
        });
        for (option, value) in options {
            let mut known = export_settings();
            if let Some(setting) = known.find(|setting| setting.key == option.replace('-', "_")) {
                check(&setting, OsStr::new(value))?;
            }
            arguments.push(format!("--{option}={value}").into());
        }
        arguments.extend(["--".into(), corpus.to_owned()]);
        match parse(arguments)? {
            Action::Export(arguments) => Ok(ExportJob {
                work: Work::of(export::workers(arguments.workers)),
                arguments,
            }),
            other => unreachable!("the arguments begin with the name of another command: {other:?}"),
        }
    }

    /// Exports, and gives what the command prints as JSON.
    ///
    /// # Errors
    /// The recipe or the corpus cannot be read, the output cannot be written to, or it was stopped.
    pub fn run(&self) -> Result<String, Failed> {
        let answer = export::export(&self.arguments, &self.work)
            .and_then(|answer| Ok(serde_json::to_string(&answer)?));
        answer.map_err(|error| failed(&self.arguments, error))
    }

    /// Ends it soon; the same call continues it.
    pub fn stop(&self) {
        self.work.stop.store(true, Relaxed);
    }

    /// How much is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.work.share()
    }
}

fn failed(arguments: &Export, error: anyhow::Error) -> Failed {
    let corpus = arguments.corpus.as_deref().unwrap_or_default();
    let sentence = sentence(error.chain());
    match error.downcast() {
        Ok(ExportError::Corpus(error)) => Failed::of_corpus(corpus, &error.into()),
        Ok(ExportError::Interrupted) => Failed::new(FailedKind::Interrupted, &sentence),
        Ok(_) => Failed::new(FailedKind::Build, &sentence),
        Err(error) if error.is::<StoreError>() => Failed::of_corpus(corpus, &error),
        // What is left is wrong with the recipe.
        Err(_) => Failed::new(FailedKind::Option, &sentence),
    }
}
