//! Older versions are forgotten, and what only they name is deleted.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_store::{Entry, Output};

use crate::change::{changeable, check_logs};
use crate::commit::{self, older_log_files};
use crate::garbage::{self, garbage, named_files};
use crate::kept::VersionFiles;
use crate::marker::{KeptVersion, MARKER, Marker};
use crate::tables::TABLES;
use crate::{Corpus, Error, Table, checkpoint, delta};

/// What is to be forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacuum {
    /// How many versions keep their files, the current one included.
    pub keep_versions: u64,
    /// Whether the versions of logs before the oldest of them are deleted.
    pub logs: bool,
    /// Whether nothing is written, and the answer says what would be.
    pub dry_run: bool,
}

/// What was forgotten and deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vacuumed {
    /// The versions whose files are gone now.
    pub versions: Vec<u64>,
    /// Files that were deleted, of tables, state and logs.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many of them were of logs.
    pub logs: u64,
}

/// A version of a table's log before which nothing is needed.
struct LogStart<'t> {
    table: &'t Table,
    version: u64,
    /// The version of the corpus that has it.
    of: KeptVersion,
}

impl Corpus {
    /// The files that are deleted when this version is the only one that is kept: those of other versions, what is staged, and the
    /// announcement of a change. Logs and receipts are not among them. Waits for the store.
    ///
    /// # Errors
    /// The corpus cannot be listed.
    pub fn files_to_delete(output: &Output, version: &VersionFiles) -> Result<BTreeSet<String>, Error> {
        garbage::files_to_delete(output, version)
    }

    /// Forgets older versions of a corpus: deletes all files that no other version names. A committed change that a killed
    /// command left is finished first. Waits for the store.
    ///
    /// # Errors
    /// There is no complete corpus, or it keeps no state; another process holds it; a change is unfinished; or it cannot be
    /// read or written.
    pub fn vacuum(output: &Output, vacuum: &Vacuum) -> Result<Vacuumed, Error> {
        changeable(output, None)?;
        let _hold = match vacuum.dry_run {
            true => None,
            false => Some(output.hold()?),
        };
        if !vacuum.dry_run {
            commit::recover(output)?;
        }
        let (mut marker, _) = changeable(output, None)?;
        check_logs(output, &marker)?;
        let forgotten = forget(&mut marker, vacuum.keep_versions);
        let log_files = match vacuum.logs {
            true => shorten_logs(output, &marker, vacuum.dry_run)?,
            false => Vec::new(),
        };
        if !vacuum.dry_run && !forgotten.is_empty() {
            // What is deleted is not needed by then.
            output.put(MARKER, &marker.to_json())?;
        }
        let mut files = garbage(output, &marker, &named_files(output, &marker)?)?;
        let logs = log_files.len() as u64;
        files.extend(log_files);
        if !vacuum.dry_run {
            output.delete_all(&files.iter().map(|file| file.name.clone()).collect::<Vec<_>>())?;
        }
        Ok(Vacuumed {
            versions: forgotten,
            files: files.len() as u64,
            bytes: files.iter().map(|Entry { size, .. }| size).sum(),
            logs,
        })
    }
}

/// Keeps the newest of the older versions only. Gives the others.
fn forget(marker: &mut Marker, keep_versions: u64) -> Vec<u64> {
    let more = (marker.kept.len() as u64).saturating_sub(keep_versions.saturating_sub(1));
    let forgotten = marker.kept.drain(..more as usize);
    forgotten.map(|version| version.version).collect()
}

/// Writes a checkpoint at the oldest version of each log that is needed. Gives the files of the log before it.
fn shorten_logs(output: &Output, marker: &Marker, dry_run: bool) -> Result<Vec<Entry>, Error> {
    let mut files = BTreeMap::<String, VersionFiles>::new();
    let mut older = Vec::new();
    for start in TABLES.iter().filter_map(|table| LogStart::of(marker, table)) {
        let there = older_log_files(output, start.table.name, start.version)?;
        if there.is_empty() {
            continue;
        }
        older.extend(there);
        if !dry_run {
            let arguments = &start.of.arguments;
            let files = match files.entry(arguments.manifest.clone()) {
                std::collections::btree_map::Entry::Occupied(there) => there.into_mut(),
                std::collections::btree_map::Entry::Vacant(empty) => {
                    empty.insert(Corpus::version_files(output, arguments)?)
                }
            };
            start.write(output, marker, files)?;
        }
    }
    Ok(older)
}

impl LogStart<'_> {
    /// The oldest version of a table's log that a version of the corpus names.
    fn of<'t>(marker: &Marker, table: &'t Table) -> Option<LogStart<'t>> {
        let versions = marker.kept.iter().cloned().chain(marker.as_kept());
        let starts = versions.filter_map(|of| {
            Some(LogStart {
                table,
                version: *of.tables.get(table.name)?,
                of,
            })
        });
        starts.min_by_key(|start| start.version)
    }

    /// Writes its checkpoint. The name of a later one stays in `_last_checkpoint`.
    fn write(&self, output: &Output, marker: &Marker, files: &VersionFiles) -> Result<(), Error> {
        let (table, version) = (self.table, self.version);
        let transaction = delta::transaction_of(output, table.name, version)?;
        let files = files.of(table.name);
        let [checkpoint, last] =
            checkpoint::written(table, output, &marker.build(), version, transaction, files)?;
        output.put(&checkpoint.0, &checkpoint.1)?;
        if checkpoint::last(output, table.name)?.is_none_or(|there| there < version) {
            output.put(&last.0, &last.1)?;
        }
        Ok(())
    }
}
