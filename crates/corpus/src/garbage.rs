//! What may be deleted: files in our folders that no version names.
//!
//! Named are the files of tables and of state that the current version and the kept ones consist of, the logs of their tables,
//! their receipts, and `state/next.json`. Files in these folders that are not of gleaner's kind are not touched.

use std::collections::BTreeSet;

use gleaner_store::{Entry, Output};

use crate::Error;
use crate::delta::{self, below};
use crate::kept::{STATE, VersionFiles, files_of_versions};
use crate::log::is_log;
use crate::marker::Marker;
use crate::next::{NEXT, receipt_of};
use crate::tables::TABLES;

/// The folder, within the corpus, of what a run keeps for the next if it is interrupted. It goes when the
/// corpus is complete.
pub const STAGING: &str = ".staging";

/// The files of tables and state that a corpus and its kept versions consist of. Waits for the store.
pub(crate) fn named_files(output: &Output, marker: &Marker) -> Result<BTreeSet<String>, Error> {
    let versions = files_of_versions(output, &marker.all_arguments())?.into_iter();
    Ok(versions.flat_map(VersionFiles::into_names).collect())
}

/// The files of ours that neither `named` has nor a version needs, what is staged aside. Waits for the store.
pub(crate) fn garbage(
    output: &Output,
    marker: &Marker,
    named: &BTreeSet<String>,
) -> Result<Vec<Entry>, Error> {
    let mut found = Vec::new();
    for table in TABLES.map(|table| table.name) {
        let kept = marker.kept.iter().map(|version| &version.tables);
        let has_log = kept
            .chain([&marker.tables])
            .any(|tables| tables.contains_key(table));
        let is_needed = |name: &str| has_log && below(table, name).is_some_and(is_log);
        let files = output.list(table)?.into_iter();
        let ours = files.filter(|file| is_ours(table, &file.name) && !is_needed(&file.name));
        found.extend(ours.filter(|file| !named.contains(&file.name)));
    }
    let is_receipt = |name: &str| receipt_of(name).is_some_and(|version| version <= marker.version);
    let is_needed = |name: &str| name == NEXT || is_receipt(name) || named.contains(name);
    let of_state = output.list(STATE)?.into_iter();
    found.extend(of_state.filter(|file| !is_needed(&file.name)));
    Ok(found)
}

/// As [`Corpus::files_to_delete`](crate::Corpus::files_to_delete).
pub(crate) fn files_to_delete(output: &Output, version: &VersionFiles) -> Result<BTreeSet<String>, Error> {
    let named: BTreeSet<String> = version.clone().into_names().collect();
    let mut found: BTreeSet<String> = [NEXT.to_owned()].into();
    for folder in TABLES.map(|table| table.name).into_iter().chain([STATE, STAGING]) {
        let is_kept = |name: &str| {
            let is_log = below(folder, name).is_some_and(is_log);
            is_log || receipt_of(name).is_some() || named.contains(name)
        };
        let files = output.list(folder)?.into_iter().map(|file| file.name);
        found.extend(files.filter(|name| is_ours(folder, name) && !is_kept(name)));
    }
    Ok(found)
}

/// Whether a file is one that a run of ours made in the folder of a table, or of state.
pub(crate) fn is_ours(folder: &str, name: &str) -> bool {
    let is_known = |file: &str| is_log(file) || delta::is_part(file) || Output::is_partial(file);
    below(folder, name).is_some_and(|file| folder == STATE || is_known(file))
}
