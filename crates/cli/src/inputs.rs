//! What is given to be read.

use anyhow::{Result, bail};
use gleaner_corpus::Unread;
use gleaner_store::{Error, Expanded, Shard, Store};

use crate::console;

/// Warnings of one sort that are printed; the rest is counted.
const MOST_WARNINGS: usize = 20;

/// The files that inputs stand for. Warns of what a user may not expect of them.
pub(crate) fn expand(store: &Store, inputs: &[String], base_url: Option<&str>) -> Result<Vec<Shard>> {
    let found = store.expand(inputs, base_url)?;
    warn(&found);
    Ok(found.shards)
}

/// The same, and what is out of reach. Only what a later run may find there is that, unless all may be missing.
pub(crate) fn expand_listed(
    store: &Store,
    inputs: &[String],
    base_url: Option<&str>,
    allow_missing: bool,
) -> Result<(Vec<Shard>, Vec<Unread>)> {
    let mut found = store.expand_listed(inputs, base_url)?;
    let is_refusal = |error: &Error| !allow_missing && !error.is_passing();
    if let Some(refusal) = found.unlisted.iter().position(is_refusal) {
        return Err(found.unlisted.swap_remove(refusal).into());
    }
    warn(&found);
    let unread = found.unlisted.iter().map(|error| Unread {
        input: error.input().to_owned(),
        cause: error.to_string(),
        changed: false,
    });
    Ok((found.shards, unread.collect()))
}

fn warn(found: &Expanded) {
    for note in found.notes.iter().take(MOST_WARNINGS) {
        console::say(&format!("warning: {note}"));
    }
    if let Some(more @ 1..) = found.notes.len().checked_sub(MOST_WARNINGS) {
        console::say(&format!(
            "warning: {} more inputs have a second name: each is read once",
            console::grouped(more as u64)
        ));
    }
}

/// Only one process has it, and only once.
pub(crate) fn refuse_standard_input(inputs: &[String]) -> Result<()> {
    if inputs.iter().any(|input| input == "-") {
        bail!(
            "several processes cannot read standard input ('-'): write it to a file that all of them can read"
        );
    }
    Ok(())
}
