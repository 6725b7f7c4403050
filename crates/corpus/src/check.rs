//! Whether the files of a corpus are those that its tables' logs name.
//!
//! Looked at are names and sizes only: one listing a table, and its log from the last checkpoint on. It finds a file
//! that is missing or cut, a version of a log that is missing or cut, and a file of a table that is not part of it, unless a
//! kept version has it. While the corpus is changed, files that come or go are not looked for.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_store::Output;

use crate::delta::{self, log_folder};
use crate::fault::{Fault, FaultKind, Listing};
use crate::kept::read_versions;
use crate::log::{Log, gaps, versions};
use crate::marker::MARKER;
use crate::next::NEXT;
use crate::tables::TABLES;
use crate::{Corpus, Error, KeptVersion, Marker, Part};

impl Corpus {
    /// Compares the files of a complete corpus with the logs of its tables. Waits for the store.
    ///
    /// # Errors
    /// The output cannot be listed or read, or its marker cannot be understood.
    pub fn check(output: &Output) -> Result<Vec<Fault>, Error> {
        let Some(marker) = Corpus::marker(output)? else {
            return Ok(vec![Fault::new(MARKER, FaultKind::Missing)]);
        };
        let is_changing = output.get(NEXT)?.is_some();
        let of_kept = files_of_kept(output, &marker.kept)?;
        let mut faults = Vec::new();
        for (table, version) in tables(&marker) {
            let mut found = check_table(output, table, version, &of_kept)?;
            found.retain(|fault| !is_changing || fault.kind != FaultKind::Unknown);
            faults.extend(found);
        }
        Ok(faults)
    }

    /// Which of `parts` are missing, or have another size than they were written with. Waits for the store: one
    /// listing a table.
    ///
    /// # Errors
    /// The output cannot be listed.
    pub fn check_parts<'a>(
        output: &Output,
        parts: impl IntoIterator<Item = &'a Part>,
    ) -> Result<Vec<Fault>, Error> {
        let mut by_folder: BTreeMap<&str, Vec<&Part>> = BTreeMap::new();
        for part in parts {
            let folder = part.name.split('/').next().unwrap_or_default();
            by_folder.entry(folder).or_default().push(part);
        }
        let mut faults = Vec::new();
        for (folder, parts) in by_folder {
            let there = listing(output, folder)?;
            let parts = parts.into_iter();
            faults.extend(parts.filter_map(|part| compare(&there, &part.name, part.bytes)));
        }
        Ok(faults)
    }
}

/// The tables of a corpus, each with the last version of its log where the marker says it.
pub(crate) fn tables(marker: &Marker) -> Vec<(&str, Option<u64>)> {
    if marker.tables.is_empty() {
        // It was written before markers named versions: tables without rows had no files then.
        let counted = marker.totals.iter().filter(|&(_, &rows)| rows > 0);
        let names = counted.map(|(name, _)| name.as_str());
        let tables = names.filter(|name| TABLES.iter().any(|table| table.name == *name));
        return tables.map(|table| (table, None)).collect();
    }
    let versions = marker.tables.iter();
    versions
        .map(|(table, &version)| (table.as_str(), Some(version)))
        .collect()
}

pub(crate) fn listing(output: &Output, folder: &str) -> Result<Listing, Error> {
    let files = output.list(folder)?.into_iter();
    Ok(files.map(|file| (file.name, file.size)).collect())
}

/// What is wrong with a file that should be there.
pub(crate) fn compare(there: &Listing, name: &str, expected: u64) -> Option<Fault> {
    match there.get(name) {
        None => Some(Fault::new(name, FaultKind::Missing)),
        Some(&bytes) if bytes != expected => Some(Fault::new(name, FaultKind::Size { bytes, expected })),
        Some(_) => None,
    }
}

/// The files of tables that kept versions have, as far as they are known.
pub(crate) fn files_of_kept(output: &Output, kept: &[KeptVersion]) -> Result<BTreeSet<Part>, Error> {
    let versions: Vec<_> = kept.iter().map(|version| &version.arguments).collect();
    let (files, _) = read_versions(output, &versions)?;
    let tables = files.into_iter().flat_map(|files| files.tables.into_values());
    Ok(tables.flatten().collect())
}

fn check_table(
    output: &Output,
    table: &str,
    version: Option<u64>,
    of_kept: &BTreeSet<Part>,
) -> Result<Vec<Fault>, Error> {
    let there = listing(output, table)?;
    let log_folder = log_folder(table);
    let is_log = |name: &String| name.starts_with(&log_folder);
    if !there.keys().any(is_log) {
        let gone = if there.is_empty() { table } else { &log_folder };
        return Ok(vec![Fault::new(gone, FaultKind::Missing)]);
    }
    let versions = versions(&there);
    let last = versions.last().copied().max(version);
    let mut log = Log::at(output, table, &there, last)?;
    let mut faults = std::mem::take(&mut log.faults);
    // Versions that a checkpoint stands for may be gone, but not in the middle.
    if let (Some(&first), Some(last)) = (versions.first(), log.first.checked_sub(1)) {
        faults.extend(gaps(table, &versions, first..=last));
    }
    let has_gaps = !faults.is_empty();
    let files = log.files();
    faults.extend(files.filter_map(|file| compare(&there, &file.name, file.bytes)));
    // It is unknown what a log names that cannot be read to its end.
    if !has_gaps {
        let current = match version {
            Some(_) if version != last => Some(Log::at(output, table, &there, version)?),
            _ => None,
        };
        let of_logs = [Some(&log), current.as_ref()]
            .into_iter()
            .flatten()
            .flat_map(Log::files);
        let known: BTreeSet<&str> = of_logs
            .map(|file| file.name.as_str())
            .chain(of_kept.iter().map(|file| file.name.as_str()))
            .collect();
        let is_part = |name: &str| delta::below(table, name).is_some_and(delta::is_part);
        let unknown = there
            .keys()
            .filter(|name| is_part(name) && !known.contains(name.as_str()));
        faults.extend(unknown.map(|name| Fault::new(name, FaultKind::Unknown)));
    }
    Ok(faults)
}
