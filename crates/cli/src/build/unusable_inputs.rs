//! Inputs of a build that are no archives: named ones stop it before it begins, and others may be all there are.

use std::fmt::Write;

use gleaner_dataflow::FirstLook;
use gleaner_store::{Shard, Store};
use gleaner_warc::Format;

use super::failure::{Failure, FailureKind};
use crate::terminal::{console, plain};

const NAMED: usize = 10;

/// Looks at the inputs that the user named; gives the formats of those that could be read.
///
/// # Errors
/// Names those that are neither archives nor pages.
pub(crate) fn look(store: &Store, shards: &[Shard]) -> Result<Vec<Option<Format>>, Failure> {
    let look = FirstLook::at(store, shards);
    if look.foreign.is_empty() {
        return Ok(look.formats);
    }
    let mut text = String::new();
    for error in look.foreign.iter().take(NAMED) {
        let line_end = if text.is_empty() { "" } else { "\n" };
        write!(text, "{line_end}{}", plain::line(&error.to_string()))?;
    }
    let more = look.foreign.len().saturating_sub(NAMED);
    if more > 0 {
        write!(
            text,
            "\nand {} more inputs that are neither archives nor pages",
            console::grouped(more as u64)
        )?;
    }
    let input = look.foreign.first().map(|error| error.file().to_owned());
    Err(Failure {
        kind: FailureKind::Input(input),
        error: console::Lines(text).into(),
    })
}

/// A sentence where nothing could be read of any input, or a named one turned out to be neither an archive nor a page when it
/// was read (a pipe, for one).
pub(crate) fn note(captures: u64, damage: u64, refused: u64) -> Option<String> {
    if captures == 0 && damage > 0 {
        let places = console::damaged_places(damage);
        return Some(format!(
            "no input could be used: no capture, and {places}; see the rejects table"
        ));
    }
    let (plural, verb) = if refused == 1 { ("", "is") } else { ("s", "are") };
    (refused > 0).then(|| {
        let count = console::grouped(refused);
        format!("{count} input{plural} that you named {verb} neither archive nor page; see the rejects table")
    })
}
