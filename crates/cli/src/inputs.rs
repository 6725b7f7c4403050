//! What is given to be read.

use anyhow::{Result, bail};
use gleaner_store::{Shard, Store};

use crate::console;

/// Warnings of one sort that are printed; the rest is counted.
const MOST_WARNINGS: usize = 20;

/// The files that inputs stand for. Warns of what a user may not expect of them.
pub(crate) fn expand(store: &Store, inputs: &[String], base_url: Option<&str>) -> Result<Vec<Shard>> {
    let found = store.expand(inputs, base_url)?;
    for note in found.notes.iter().take(MOST_WARNINGS) {
        console::say(&format!("warning: {note}"));
    }
    if let Some(more @ 1..) = found.notes.len().checked_sub(MOST_WARNINGS) {
        console::say(&format!(
            "warning: {} more inputs have a second name: each is read once",
            console::grouped(more as u64)
        ));
    }
    Ok(found.shards)
}

/// Only one process has it, and only once.
pub(crate) fn refuse_standard_input(inputs: &[String]) -> Result<()> {
    if inputs.iter().any(|input| input == "-") {
        bail!(
            "standard input ('-') cannot be read by several processes: write it to a file that all of them see"
        );
    }
    Ok(())
}
