//! What commands read.

pub(crate) mod each_page;
pub(crate) mod gold;
pub(crate) mod output;
pub(crate) mod pages;

use std::ffi::OsStr;

use anyhow::{Context, Result, bail};
use gleaner_corpus::Unread;
use gleaner_store::{Error, Expanded, Shard, Store};
use gleaner_training::warn_of_notes;

use crate::terminal::console;

/// The files that inputs stand for. Warns once of what a user may not expect of them.
pub(crate) fn expand(store: &Store, inputs: &[String], base_url: Option<&str>) -> Result<Vec<Shard>> {
    let found = store.expand(inputs, base_url)?;
    warn_of_notes(&found, &console::say_once);
    Ok(found.shards)
}

/// The files that the inputs of a build stand for.
pub(crate) struct FoundInputs {
    pub(crate) shards: Vec<Shard>,
    /// By what the bytes of each are known.
    pub(crate) fingerprints: Vec<Option<String>>,
    /// What is out of reach.
    pub(crate) unlisted: Vec<Unread>,
}

impl FoundInputs {
    /// Checks that no two files have one name.
    pub(crate) fn check_names(&self) -> Result<()> {
        Ok(gleaner_store::check_names(&self.shards)?)
    }
}

/// The files of a build, and what is out of reach. Only what a later run may find there is that, unless all may be missing.
pub(crate) fn expand_listed(
    store: &Store,
    inputs: &[String],
    base_url: Option<&str>,
    allow_missing: bool,
    say: &(dyn Fn(&str) + Sync),
) -> Result<FoundInputs> {
    let mut found = store.expand_listed(inputs, base_url)?;
    let fingerprints = take_fingerprints(store, &mut found);
    let is_refusal = |error: &Error| !allow_missing && !error.is_passing();
    if let Some(refusal) = found.unlisted.iter().position(is_refusal) {
        return Err(found.unlisted.swap_remove(refusal).into());
    }
    warn_of_notes(&found, say);
    let unread = found.unlisted.iter().map(|error| Unread {
        input: error.input().to_owned(),
        cause: error.to_string(),
        changed: false,
    });
    Ok(FoundInputs {
        unlisted: unread.collect(),
        shards: found.shards,
        fingerprints,
    })
}

/// The fingerprints of the shards; those that cannot be read are as out of reach as those that cannot be listed.
fn take_fingerprints(store: &Store, found: &mut Expanded) -> Vec<Option<String>> {
    let each = store.fingerprints(&found.shards);
    let (mut shards, mut fingerprints) = (Vec::new(), Vec::new());
    for (shard, fingerprint) in found.shards.drain(..).zip(each) {
        match fingerprint {
            Ok(fingerprint) => {
                shards.push(shard);
                fingerprints.push(fingerprint);
            }
            Err(error) => found.unlisted.push(error),
        }
    }
    found.shards = shards;
    fingerprints
}

/// The digest of all bytes of an archive.
pub(crate) fn digest(shard: &Shard, store: &Store) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut stream = store.open(shard, 0, None)?;
    let failed = || format!("could not read '{}'", shard.location);
    while let Some(bytes) = stream.wait().with_context(failed)? {
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().to_string())
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
