//! What commands read.

pub(crate) mod each_page;
pub(crate) mod gold;
pub(crate) mod output;
pub(crate) mod pages;

use std::ffi::OsStr;

use anyhow::{Result, bail};
use gleaner_corpus::Unread;
use gleaner_store::{Error, Shard, Store};
use gleaner_training::warn_of_notes;

use crate::terminal::console;

/// The files that inputs stand for. Warns of what a user may not expect of them.
pub(crate) fn expand(store: &Store, inputs: &[String], base_url: Option<&str>) -> Result<Vec<Shard>> {
    let found = store.expand(inputs, base_url)?;
    warn_of_notes(&found, &console::say);
    Ok(found.shards)
}

/// The same, and what is out of reach. Only what a later run may find there is that, unless all may be missing.
pub(crate) fn expand_listed(
    store: &Store,
    inputs: &[String],
    base_url: Option<&str>,
    allow_missing: bool,
    say: &(dyn Fn(&str) + Sync),
) -> Result<(Vec<Shard>, Vec<Unread>)> {
    let mut found = store.expand_listed(inputs, base_url)?;
    let is_refusal = |error: &Error| !allow_missing && !error.is_passing();
    if let Some(refusal) = found.unlisted.iter().position(is_refusal) {
        return Err(found.unlisted.swap_remove(refusal).into());
    }
    found.check_names()?;
    warn_of_notes(&found, say);
    let unread = found.unlisted.iter().map(|error| Unread {
        input: error.input().to_owned(),
        cause: error.to_string(),
        changed: false,
    });
    Ok((found.shards, unread.collect()))
}

/// Only one process has it, and only once.
pub(crate) fn refuse_standard_input(inputs: &[String]) -> Result<()> {
    if inputs.iter().any(is_standard_input) {
        bail!(
            "several processes cannot read standard input ('-'): write it to a file that all of them can read"
        );
    }
    Ok(())
}

/// Whether an input is standard input, or a list that comes from there.
pub(crate) fn is_standard_input(input: impl AsRef<OsStr>) -> bool {
    matches!(input.as_ref().as_encoded_bytes(), b"-" | b"@-")
}
