//! What is given to be read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gleaner_corpus::Unread;
use gleaner_store::{Error, Expanded, Shard, Store, typed_path};

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

/// An argument that is an input, as the store reads it: a path that is not UTF-8 becomes a file URL.
pub(crate) fn typed(input: &OsStr) -> String {
    let bytes = input.as_encoded_bytes();
    match (input.to_str(), bytes.strip_prefix(b"@")) {
        (Some(text), _) => text.to_owned(),
        (None, Some(list)) => format!("@{}", typed_path(&from_bytes(list))),
        (None, None) => typed_pattern(Path::new(input)),
    }
}

/// The URL of a path that is not UTF-8. If nothing is there, its wildcards may mean something.
fn typed_pattern(path: &Path) -> String {
    let url = typed_path(path).into_owned();
    let wildcards = [("%2A", "*"), ("%3F", "?"), ("%5B", "[")];
    match path.exists() {
        true => url,
        false => wildcards
            .iter()
            .fold(url, |url, (code, letter)| url.replace(code, letter)),
    }
}

#[cfg(unix)]
fn from_bytes(path: &[u8]) -> PathBuf {
    PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path))
}

#[cfg(not(unix))]
fn from_bytes(path: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path).into_owned())
}
