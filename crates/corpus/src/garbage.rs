//! What may be deleted: files in our folders that no version names.
//!
//! Named are the files of tables and of state that the current version and the kept ones consist of, the logs of their tables,
//! their receipts, and `state/next.json`. Files in these folders that are not of gleaner's kind are not touched.

use std::collections::BTreeSet;

use gleaner_store::{Entry, Output};

use crate::Error;
use crate::change::{NEXT, receipt_of};
use crate::corpus::is_ours;
use crate::delta::below;
use crate::kept::{STATE, VersionFiles, files_of_versions};
use crate::log::is_log;
use crate::marker::Marker;
use crate::tables::TABLES;

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
