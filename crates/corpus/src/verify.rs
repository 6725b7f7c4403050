//! Whether a complete corpus is what was written: its files are read to the last byte.
//!
//! [`Corpus::check`] compares names and sizes. Beyond it, the bytes of each file are compared with the digest in its name,
//! the rows in its footer with those in the log of its table, and the rows of the tables with the counts of the marker.
//! Checked are the files of the version that the marker names, and of the older versions that it keeps. Memory is bounded by the number of files: of each one that
//! is being read, a few pieces are held, and then its footer.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gleaner_store::Output;

use crate::check::{compare, listing, tables};
use crate::delta::below;
use crate::fault::{Fault, FaultKind, Listing};
use crate::footer::footer;
use crate::garbage::garbage;
use crate::kept::{STATE, VersionFiles, read_versions};
use crate::log::Log;
use crate::marker::MARKER;
use crate::next::NEXT;
use crate::parallel::each;
use crate::tables::TABLES;
use crate::{Corpus, Error, Marker, Part, TableFile, delta};

/// The most files that are read at a time.
const READERS: usize = 8;

/// What was checked, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The tables of the corpus.
    pub tables: u64,
    /// Their files, missing ones included.
    pub files: u64,
    /// The files of state that the corpus keeps beside them, missing ones included.
    pub kept: u64,
    /// The bytes that were read.
    pub bytes: u64,
    /// What is wrong, by file.
    pub faults: Vec<Fault>,
}

/// How far a check is, and what stops it.
#[derive(Debug, Default)]
pub struct Checking {
    /// Bytes of the files that are read; 0 until their sizes are known.
    pub all: AtomicU64,
    /// Bytes that were read.
    pub done: AtomicU64,
    /// Ends the check.
    pub stop: AtomicBool,
}

/// A table as it should be.
struct CheckedTable {
    name: String,
    /// Its files, and what is wrong with their names and sizes.
    files: Vec<(TableFile, Option<Fault>)>,
    /// Whether its log could be read as a whole.
    is_known: bool,
}

/// What the versions of a corpus keep beside the tables, and what is wrong with it.
struct CheckedState {
    /// The names of kept files.
    kept: Vec<String>,
    /// The files of tables that only older versions have, and what is wrong with their names and sizes.
    older: Vec<(TableFile, Option<Fault>)>,
    /// The files that are there.
    there: Listing,
    faults: Vec<Fault>,
}

/// What was found in a file.
#[derive(Default)]
struct FileContents {
    fault: Option<Fault>,
    bytes: u64,
    rows: Option<u64>,
}

impl Corpus {
    /// Reads all files of a complete corpus and compares them with what was written. Waits for the store.
    ///
    /// # Errors
    /// There is no complete corpus, or it cannot be read; or the check was stopped.
    pub fn verify(output: &Output, checking: &Checking) -> Result<Verified, Error> {
        let marker = Corpus::complete(output)?;
        let mut faults: BTreeSet<Fault> = Corpus::check(output)?.into_iter().collect();
        let tables = tables(&marker).into_iter();
        let tables = tables.map(|(name, version)| CheckedTable::open(output, name, version));
        let tables: Vec<CheckedTable> = tables.collect::<Result<_, _>>()?;
        let state = CheckedState::open(output, &marker, &tables)?;
        let current = tables.iter().flat_map(|table| &table.files);
        let files: Vec<&(TableFile, Option<Fault>)> = current.chain(&state.older).collect();
        faults.extend(files.iter().filter_map(|(_, fault)| fault.clone()));
        faults.extend(state.faults.iter().cloned());
        let whole = files.iter().filter(|(_, fault)| fault.is_none());
        let whole: Vec<&TableFile> = whole.map(|(file, _)| file).collect();
        let of_state = state.kept.iter().filter_map(|name| state.there.get(name));
        let sizes = whole.iter().map(|file| file.bytes).chain(of_state.copied());
        checking.all.store(sizes.sum(), Ordering::Relaxed);
        let kept = each(READERS, &state.kept, |name| state.read(output, name, checking))?;
        let found = each(READERS, &whole, |file| read(output, file, checking))?;
        let rows = whole.iter().zip(&found);
        let rows: BTreeMap<&str, u64> = rows
            .filter_map(|(file, found)| Some((file.name.as_str(), found.rows?)))
            .collect();
        faults.extend(wrong_totals(&marker, &tables, &rows));
        faults.extend(wrong_sum(&marker));
        let of_state = kept.len() as u64;
        let found: Vec<FileContents> = found.into_iter().chain(kept).collect();
        let bytes = found.iter().map(|found| found.bytes).sum();
        faults.extend(found.into_iter().filter_map(|found| found.fault));
        Ok(Verified {
            tables: tables.len() as u64,
            files: files.len() as u64,
            kept: of_state,
            bytes,
            faults: faults.into_iter().collect(),
        })
    }
}

impl CheckedState {
    /// Reads what the versions of a corpus keep, but not yet the states of units.
    fn open(output: &Output, marker: &Marker, tables: &[CheckedTable]) -> Result<CheckedState, Error> {
        let (versions, mut faults) = read_versions(output, &marker.all_arguments())?;
        let kept = versions.iter().flat_map(|files| files.kept.iter().cloned());
        let kept: BTreeSet<String> = kept.collect();
        let current: BTreeSet<&str> = tables.iter().flat_map(CheckedTable::names).collect();
        // The files of the current version are checked by the logs of its tables.
        let older = versions
            .iter()
            .skip(1)
            .flat_map(|files| files.tables.values().flatten());
        let older = older.filter(|file| !current.contains(file.name.as_str()));
        let older: BTreeSet<Part> = older.cloned().collect();
        let named: BTreeSet<String> = versions.into_iter().flat_map(VersionFiles::into_names).collect();
        // What a damaged file names is unknown, and so is what a change in progress needs.
        if faults.is_empty() && output.get(NEXT)?.is_none() {
            let unused = garbage(output, marker, &named)?.into_iter();
            let is_whole = |name: &str| below(STATE, name).is_some() && !Output::is_partial(name);
            let unused = unused.filter(|file| is_whole(&file.name));
            faults.extend(unused.map(|file| Fault::new(file.name, FaultKind::Unused)));
        }
        let unlike = Corpus::check_parts(output, &older)?;
        let checked = |file: Part| {
            let fault = unlike.iter().find(|fault| fault.file == file.name);
            let file = TableFile {
                name: file.name,
                rows: Some(file.rows),
                bytes: file.bytes,
            };
            (file, fault.cloned())
        };
        Ok(CheckedState {
            kept: kept.into_iter().collect(),
            older: older.into_iter().map(checked).collect(),
            there: listing(output, STATE)?,
            faults,
        })
    }

    /// Reads a file that the corpus keeps.
    fn read(&self, output: &Output, name: &str, checking: &Checking) -> Result<FileContents, Error> {
        match self.there.contains_key(name) {
            true => hashed(output, name, checking),
            false => Ok(FileContents {
                fault: Some(Fault::new(name, FaultKind::Missing)),
                ..FileContents::default()
            }),
        }
    }
}

impl CheckedTable {
    fn open(output: &Output, name: &str, version: Option<u64>) -> Result<CheckedTable, Error> {
        let there = listing(output, name)?;
        let log = Log::at(output, name, &there, version)?;
        let checked = |file: &TableFile| (file.clone(), compare(&there, &file.name, file.bytes));
        Ok(CheckedTable {
            name: name.to_owned(),
            files: log.files().map(checked).collect(),
            is_known: log.faults.is_empty(),
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(file, _)| file.name.as_str())
    }

    /// Its rows, by its log or by those `found` in its files; nothing where they are not all known.
    fn rows(&self, found: &BTreeMap<&str, u64>) -> Option<u64> {
        let rows = |file: &TableFile| file.rows.or_else(|| found.get(file.name.as_str()).copied());
        let mut files = self.files.iter().map(|(file, _)| file);
        let sum = files.try_fold(0_u64, |sum, file| sum.checked_add(rows(file)?));
        sum.filter(|_| self.is_known)
    }
}

/// Reads a file, and compares its digest with its name if that is one.
fn hashed(output: &Output, file: &str, checking: &Checking) -> Result<FileContents, Error> {
    let mut reading = Hashed {
        hasher: blake3::Hasher::new(),
        checking,
    };
    let fetched = output.fetch(file, &mut reading);
    if checking.stop.load(Ordering::Relaxed) {
        return Err(Error::Interrupted);
    }
    fetched?;
    let name = file.rsplit('/').next().unwrap_or_default();
    let digest = match file.starts_with(STATE) {
        true => Some(name),
        false => delta::digest_of(name),
    };
    let is_other = digest.is_some_and(|digest| *reading.hasher.finalize().to_hex() != *digest);
    Ok(FileContents {
        fault: is_other.then(|| Fault::new(file, FaultKind::Digest)),
        bytes: reading.hasher.count(),
        rows: None,
    })
}

/// Reads a file of a table, and names the first thing that is wrong with it.
fn read(output: &Output, file: &TableFile, checking: &Checking) -> Result<FileContents, Error> {
    let mut found = hashed(output, &file.name, checking)?;
    if found.fault.is_some() {
        return Ok(found);
    }
    match footer(output, &file.name, found.bytes) {
        Err(Error::Read(_, detail)) => found.fault = Some(Fault::unreadable(&file.name, detail)),
        footer => {
            let rows = footer?.file_metadata().num_rows().max(0) as u64;
            found.rows = Some(rows);
            let other = file.rows.filter(|&expected| rows != expected);
            let fault = |expected| Fault::new(&*file.name, FaultKind::Rows { rows, expected });
            found.fault = other.map(fault);
        }
    }
    Ok(found)
}

/// A file that is being read: the digest of its bytes.
struct Hashed<'a> {
    hasher: blake3::Hasher,
    checking: &'a Checking,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.checking.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("interrupted"));
        }
        self.checking
            .done
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.hasher.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The tables of which the marker counts other rows than their logs. `found` are the rows in the footers of files.
fn wrong_totals(marker: &Marker, tables: &[CheckedTable], found: &BTreeMap<&str, u64>) -> Vec<Fault> {
    let wrong = |name: &str| {
        let &expected = marker.totals.get(name)?;
        let table = tables.iter().find(|table| table.name == name);
        let rows = table.map_or(Some(0), |table| table.rows(found))?;
        let table = name.to_owned();
        let kind = FaultKind::Total {
            table,
            rows,
            expected,
        };
        (rows != expected).then(|| Fault::new(MARKER, kind))
    };
    TABLES.iter().filter_map(|table| wrong(table.name)).collect()
}

/// Whether each capture is a document or a reject, where captures were counted.
fn wrong_sum(marker: &Marker) -> Option<Fault> {
    let total = |name: &str| marker.totals.get(name).copied();
    let (captures, documents, rejects) = (total("captures read")?, total("documents")?, total("rejects")?);
    let damaged = total("damaged places").unwrap_or(0);
    let left_out = total("left out").unwrap_or(0);
    let kind = FaultKind::Sum {
        captures,
        damaged,
        documents,
        rejects,
        left_out,
    };
    let read = captures.checked_add(damaged);
    let written = documents
        .checked_add(rejects)
        .and_then(|written| written.checked_add(left_out));
    (read.is_none() || read != written).then(|| Fault::new(MARKER, kind))
}
