//! The end of a change, in steps that can be repeated: who is killed in the middle leaves what the next command finishes.
//!
//! 1. The receipt, and the marker of the new version in `state/next.json`. From here on the change only goes forward.
//! 2. A version in the log of each table whose files differ, documents last, and checkpoints.
//! 3. `gleaner.json`: the new version is the current one.
//! 4. What no version names is deleted: files of tables, of state and of logs; then `.staging`, and `next.json` last.
//!
//! What is written follows from the markers and manifests of both versions, so to write it again changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_store::{Entry, Output};

use crate::checkpoint::{self, EVERY};
use crate::delta::{self, LogVersion, below, log_folder, number_of, version_file};
use crate::fault::Fault;
use crate::garbage::{STAGING, garbage, named_files};
use crate::kept::{Arguments, VersionFiles, files_of_versions};
use crate::log::is_log;
use crate::marker::{KeptVersion, MARKER, Marker, State};
use crate::next::{NEXT, NewVersion, Next, receipt_file};
use crate::tables::TABLES;
use crate::{Corpus, Error, FORMAT, Part, Table};

/// A committed change.
pub(crate) struct Commit<'a> {
    output: &'a Output,
    /// With the marker of the new version.
    next: Next,
    /// What has to be written before it is committed; nothing once it is.
    receipt: Option<Vec<u8>>,
    /// The version before, with its files; nothing once the new version is the current one.
    before: Option<(Marker, VersionFiles)>,
    after: VersionFiles,
}

/// What is written or deleted as a whole.
#[derive(Debug)]
pub(crate) enum Write {
    /// A file in the place of an older one.
    Put(String, Vec<u8>),
    /// A file that is not there, or has these bytes.
    New(String, Vec<u8>),
    /// Files that go, one after the other.
    Delete(Vec<String>),
    /// A folder that goes.
    Remove(&'static str),
}

impl Write {
    /// Does it. Waits for the store.
    pub(crate) fn apply(self, output: &Output) -> Result<(), Error> {
        match self {
            Write::Put(name, bytes) => output.put(&name, &bytes)?,
            Write::New(name, bytes) if delta::put_same(output, &name, &bytes)? => {}
            Write::New(name, _) => return Err(Error::ForeignVersion(output.place_of(&name).to_string())),
            Write::Delete(names) => output.delete_all(&names)?,
            Write::Remove(folder) => output.remove(folder)?,
        }
        Ok(())
    }
}

impl<'a> Commit<'a> {
    /// The change of `base` that ends with this version.
    pub(crate) fn new(
        output: &'a Output,
        base: &Marker,
        next: &Next,
        new: NewVersion,
    ) -> Result<Commit<'a>, Error> {
        let [before, after] = two_versions(output, [base.made_of(output)?, &new.arguments])?;
        let marker = Marker {
            format: FORMAT,
            state: State::Complete,
            application: base.build().application.to_string(),
            tables: log_versions(base, &before, &after),
            version: base.version + 1,
            kept: kept_after(base, &new),
            last_rule: base.last_rule.max(new.last_rule),
            identity: new.identity,
            totals: new.totals,
            summary: new.summary,
            missing: new.missing,
            arguments: Some(new.arguments),
        };
        Ok(Commit {
            output,
            next: Next {
                committed: Some(Box::new(marker)),
                purge: new.purge,
                ..next.clone()
            },
            receipt: Some(new.receipt),
            before: Some((base.clone(), before)),
            after,
        })
    }

    /// The change that a killed command has committed; nothing where none is. `current` is the marker of the corpus.
    fn interrupted(output: &'a Output, current: Marker) -> Result<Option<Commit<'a>>, Error> {
        let Some(next) = Next::read(output)? else {
            return Ok(None);
        };
        let Some(committed) = &next.committed else {
            return Ok(None);
        };
        let arguments = committed.made_of(output)?;
        let (before, after) = match current.version {
            version if version == next.base => {
                let [before, after] = two_versions(output, [current.made_of(output)?, arguments])?;
                (Some((current, before)), after)
            }
            version if version == committed.version => (None, Corpus::version_files(output, arguments)?),
            _ => return Err(not_of(&next, &current)),
        };
        Ok(Some(Commit {
            output,
            after,
            receipt: None,
            before,
            next,
        }))
    }

    fn marker(&self) -> &Marker {
        self.next.committed.as_deref().expect("this change is committed")
    }

    /// The marker of the new version.
    pub(crate) fn into_marker(self) -> Marker {
        *self.next.committed.expect("this change is committed")
    }

    /// Gives all steps to `apply`, which does them one after the other. What a step deletes is found by those before it.
    pub(crate) fn each_write(&self, apply: &mut dyn FnMut(Write) -> Result<(), Error>) -> Result<(), Error> {
        let marker = self.marker();
        if let Some(receipt) = &self.receipt {
            apply(Write::Put(receipt_file(marker.version), receipt.clone()))?;
            apply(Write::Put(NEXT.to_owned(), self.next.to_json()))?;
        }
        if let Some((base, before)) = &self.before {
            // The documents last: what belongs to them is there before.
            for table in TABLES.iter().rev() {
                self.log(table, base, before, apply)?;
            }
            apply(Write::Put(MARKER.to_owned(), marker.to_json()))?;
        }
        if self.next.purge {
            for (table, &version) in &marker.tables {
                let older = older_log_files(self.output, table, version)?.into_iter();
                apply(Write::Delete(older.map(|file| file.name).collect()))?;
            }
        }
        let files = garbage(self.output, marker, &self.named()?)?.into_iter();
        apply(Write::Delete(files.map(|file| file.name).collect()))?;
        apply(Write::Remove(STAGING))?;
        apply(Write::Delete(vec![NEXT.to_owned()]))
    }

    /// The files that the new version and those that it keeps consist of.
    fn named(&self) -> Result<BTreeSet<String>, Error> {
        match self.marker().kept.is_empty() {
            true => Ok(self.after.clone().into_names().collect()),
            false => named_files(self.output, self.marker()),
        }
    }

    /// The version in the log of a table, if its files differ, and its checkpoint.
    fn log(
        &self,
        table: &Table,
        base: &Marker,
        before: &VersionFiles,
        apply: &mut dyn FnMut(Write) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (marker, build) = (self.marker(), base.build());
        let (before, after) = (before.of(table.name), self.after.of(table.name));
        let version = match marker.tables.get(table.name) {
            Some(&version) => version,
            // The last version of a table that the corpus has no more.
            None if !before.is_empty() => next_log_version(base, table.name),
            None => return Ok(()),
        };
        let is_changed = names(before) != names(after);
        let transaction = match is_changed {
            true => marker.version,
            false if self.next.purge => delta::transaction_of(self.output, table.name, version)?,
            false => return Ok(()),
        };
        if is_changed {
            let text = delta::version_text(
                table,
                &build,
                &LogVersion {
                    number: version,
                    transaction,
                    command: Some(&self.next.command),
                    removed: without(before, after),
                    added: without(after, before),
                },
            );
            apply(Write::New(version_file(table.name, version), text.into_bytes()))?;
        }
        if version > 0 && (self.next.purge || version.is_multiple_of(EVERY)) {
            let files = checkpoint::written(table, self.output, &build, version, transaction, after)?;
            for (name, bytes) in files {
                apply(Write::Put(name, bytes))?;
            }
        }
        Ok(())
    }
}

/// Finishes the change that a killed command has committed, in a corpus that this process holds; gives it.
pub(crate) fn recover(output: &Output) -> Result<Option<Next>, Error> {
    let Some(commit) = Commit::interrupted(output, Corpus::complete(output)?)? else {
        return Ok(None);
    };
    commit.each_write(&mut |write| write.apply(output))?;
    Ok(Some(commit.next))
}

/// `next.json` is of another version than the corpus.
pub(crate) fn not_of(next: &Next, marker: &Marker) -> Error {
    let detail = format!(
        "it changes version {}, and the corpus has {}",
        next.base, marker.version
    );
    Error::Damaged {
        fault: Fault::unreadable(NEXT, detail),
    }
}

/// The files of a log that are of older versions than one.
pub(crate) fn older_log_files(output: &Output, table: &str, version: u64) -> Result<Vec<Entry>, Error> {
    let is_older = |name: &str| {
        let number = number_of(name).or_else(|| checkpoint::number_of(name));
        number.is_some_and(|number| number < version)
    };
    let files = output.list(&log_folder(table))?.into_iter();
    let ours = files.filter(|file| below(table, &file.name).is_some_and(is_log));
    Ok(ours.filter(|file| is_older(&file.name)).collect())
}

/// The files of two versions.
fn two_versions(output: &Output, versions: [&Arguments; 2]) -> Result<[VersionFiles; 2], Error> {
    let mut files = files_of_versions(output, &versions)?.into_iter();
    Ok([(); 2].map(|()| files.next().unwrap_or_default()))
}

/// The older versions that keep their files after a change.
fn kept_after(base: &Marker, new: &NewVersion) -> Vec<KeptVersion> {
    if new.purge {
        return Vec::new();
    }
    let mut kept = base.kept.clone();
    kept.extend(base.as_kept());
    let more = (kept.len() as u64).saturating_sub(new.keep_versions.saturating_sub(1));
    kept.split_off(more as usize)
}

/// The last version of each table's log after a change.
fn log_versions(base: &Marker, before: &VersionFiles, after: &VersionFiles) -> BTreeMap<String, u64> {
    let version = |table: &Table| {
        let (before, after) = (before.of(table.name), after.of(table.name));
        match base.tables.get(table.name) {
            _ if after.is_empty() => None,
            Some(&version) if names(before) == names(after) => Some(version),
            _ => Some(next_log_version(base, table.name)),
        }
    };
    let versions = TABLES
        .iter()
        .filter_map(|table| Some((table.name.to_owned(), version(table)?)));
    versions.collect()
}

/// The number of the next version of a table's log.
fn next_log_version(base: &Marker, table: &str) -> u64 {
    let last = base.tables.get(table).copied();
    // After the versions of a table that the corpus has no more there is one that removes its files.
    let of_kept = base.kept.iter().filter_map(|kept| kept.tables.get(table));
    let removed = || of_kept.max().map(|last| last + 1);
    last.or_else(removed).map_or(0, |last| last + 1)
}

fn names(files: &[Part]) -> BTreeSet<&str> {
    files.iter().map(|file| file.name.as_str()).collect()
}

/// Those of the files that are not among others, in their order.
fn without<'f>(files: &'f [Part], others: &[Part]) -> Vec<&'f Part> {
    let others = names(others);
    files
        .iter()
        .filter(|file| !others.contains(file.name.as_str()))
        .collect()
}
