//! What all commands print with: the two streams, text made safe for a terminal, HTML, signals, used resources.

pub(crate) mod console;
pub(crate) mod plain;
pub(crate) mod signals;
pub(crate) mod status_line;
pub(crate) mod table;
pub(crate) mod usage;

/// How a command ended, short of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well: status 0.
    Done,
    /// Done, but the answer is no (the counts do not add up, `--strict` forbids a reject): status 1.
    Negative,
}
