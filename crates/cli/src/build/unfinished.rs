//! An error that ended a build.

use gleaner_corpus::{Corpus, State};
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
        let state = || Corpus::marker(output).ok().flatten().map(|marker| marker.state);
        let out = output.place();
        let next = match &error {
            // These say it themselves.
            Error::Group(gleaner_cluster::Error::Gone(..)) | Error::Damaged | Error::Begun(..) => {
                String::new()
            }
            Error::Interrupted => ": run the same command again to continue".to_owned(),
            _ => match state() {
                Some(State::Building) => {
                    format!("; '{out}' is not complete: run the same command again to continue")
                }
                // It was to be changed.
                Some(State::Complete) => format!(
                    "; '{out}' is as it was: run the same command again to continue, or `gleaner undo {out}`"
                ),
                None => format!("; '{out}' is gone: run the same command again for a new corpus"),
            },
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
