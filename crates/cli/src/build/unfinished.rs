//! An error that ended a build.

use gleaner_corpus::Corpus;
use gleaner_dataflow::Error;
use gleaner_store::Output;

use crate::terminal::console;

/// An error that ended a build, and what the next run does.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) error: Error,
    next: String,
}

impl Unfinished {
    /// Checks what can be resumed: the output may be gone.
    pub(crate) fn new(error: Error, output: &Output) -> Unfinished {
        let is_there = || Corpus::marker(output).is_ok_and(|marker| marker.is_some());
        let out = output.place();
        let next = match &error {
            // These say it themselves.
            Error::Group(gleaner_cluster::Error::Gone(..)) | Error::Damaged | Error::Begun(..) => {
                String::new()
            }
            Error::Interrupted => ": run the same command again to continue".to_owned(),
            _ if is_there() => format!("; '{out}' is not complete: run the same command again to continue"),
            _ => format!("; '{out}' is gone: run the same command again for a new corpus"),
        };
        Unfinished { error, next }
    }
}

impl std::fmt::Display for Unfinished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let error = console::sentence(anyhow::Chain::new(&self.error));
        write!(f, "{error}{}", self.next)
    }
}

impl std::error::Error for Unfinished {}
