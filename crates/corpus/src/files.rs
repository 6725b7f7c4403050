//! The files of a table, as a reader of a complete corpus needs them.

use gleaner_store::Output;

use crate::check::{listing, tables};
use crate::log::{Log, TableFile};
use crate::{Corpus, Error, Marker, State};

impl Corpus {
    /// The marker of a complete corpus. Waits for the store.
    ///
    /// # Errors
    /// There is no corpus, or it is not complete; or the marker cannot be read.
    pub fn complete(output: &Output) -> Result<Marker, Error> {
        let folder = || output.place().to_string();
        let marker = match Corpus::marker(output) {
            Err(Error::Marker(file, detail)) => Err(Error::DamagedMarker(file, detail)),
            marker => marker,
        };
        match marker? {
            None => Err(Error::Absent(folder())),
            Some(marker) if marker.state == State::Building => Err(Error::Incomplete(folder())),
            Some(marker) => Ok(marker),
        }
    }

    /// The files of a table in the version that the marker of a complete corpus names, in the order in which they were
    /// added. Waits for the store.
    ///
    /// # Errors
    /// As [`Corpus::complete`]; the corpus has no such table, or the table's log is damaged.
    pub fn files(output: &Output, table: &str) -> Result<Vec<TableFile>, Error> {
        let mut marker = Corpus::complete(output)?;
        loop {
            let files = files_of(output, table, &marker);
            let now = match &files {
                // The log of a version that a change has just made an old one may be gone.
                Err(Error::Log { .. }) => Corpus::complete(output)?,
                _ => return files,
            };
            if now == marker {
                return files;
            }
            marker = now;
        }
    }
}

/// The files of a table in the version of a marker.
fn files_of(output: &Output, table: &str, marker: &Marker) -> Result<Vec<TableFile>, Error> {
    let tables = tables(marker);
    let Some(&(_, version)) = tables.iter().find(|(name, _)| *name == table) else {
        let names: Vec<&str> = tables.into_iter().map(|(name, _)| name).collect();
        return Err(Error::NoTable {
            table: table.to_owned(),
            folder: output.place().to_string(),
            tables: names.join(", "),
        });
    };
    let mut log = Log::at(output, table, &listing(output, table)?, version)?;
    match log.faults.pop() {
        Some(fault) => Err(Error::Log {
            folder: output.place().to_string(),
            fault,
        }),
        None => Ok(log.files().cloned().collect()),
    }
}
