//! How a build ended, short of an error.

use anyhow::Result;

use super::summary::Report;
use super::watching;
use crate::args::Build;
use crate::terminal::{Outcome, console};

/// How a build ended, short of an error.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) report: Report,
    /// Whether this run completed the corpus, whose counts are new.
    pub(crate) is_new: bool,
    /// Sentences about it; some have several lines. What comes from elsewhere in them was made fit.
    pub(crate) notes: Vec<String>,
    /// Whether something is not as it should be: an input is missing, `--strict` forbids what was found.
    pub(crate) is_negative: bool,
}

impl Answer {
    /// Prints the counts and the notes, and with `--json` the report.
    pub(crate) fn print(&self, arguments: &Build) -> Result<Outcome> {
        if self.is_new && !watching::log_end(&self.report) {
            console::say_lines(self.report.text().trim_end());
        }
        self.notes.iter().for_each(|note| console::say_lines(note));
        if arguments.json {
            console::out(&format!("{}\n", serde_json::to_string_pretty(&self.report)?))?;
        }
        Ok(match self.is_negative {
            true => Outcome::Negative,
            false => Outcome::Done,
        })
    }
}
