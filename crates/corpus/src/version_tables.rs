//! The files of all tables in a version of a corpus, so that rows of several tables can be read side by side.

use std::collections::BTreeMap;

use gleaner_store::Output;

use crate::check::tables;
use crate::{Arguments, Corpus, Error, FORMAT, Marker, TableFile};

/// The files of a version of a complete corpus.
#[derive(Clone, Debug)]
pub struct VersionTables {
    /// The number of the version.
    pub version: u64,
    /// The files of each table. Those of tables of pages stand in the order of their chunks: the first of one table has the pages of
    /// the first of another one.
    pub files: BTreeMap<String, Vec<TableFile>>,
}

impl VersionTables {
    /// The files of a table.
    ///
    /// # Errors
    /// The version has no such table.
    pub fn of(&self, output: &Output, table: &str) -> Result<&[TableFile], Error> {
        let names = || {
            self.files
                .keys()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let files = self.files.get(table).map(Vec::as_slice);
        files.ok_or_else(|| Error::NoTable {
            table: table.to_owned(),
            folder: output.place().to_string(),
            tables: names(),
        })
    }
}

impl Corpus {
    /// The files of a version of a complete corpus; of the current one, if none is named. Waits for the store.
    ///
    /// # Errors
    /// As [`Corpus::complete`]; its tables are of another format, there is no such version, its files are deleted, or what names
    /// them is damaged.
    pub fn version_tables(output: &Output, version: Option<u64>) -> Result<VersionTables, Error> {
        let marker = Corpus::complete(output)?;
        if marker.format != FORMAT {
            return Err(Error::Format {
                folder: output.place().to_string(),
                there: marker.format,
            });
        }
        let version = version.unwrap_or(marker.version);
        let arguments = match version == marker.version {
            true => marker.arguments.as_ref(),
            false => Some(kept(output, &marker, version)?),
        };
        let Some(arguments) = arguments else {
            return of_logs(output, &marker);
        };
        let parts = Corpus::version_files(output, arguments)?.tables;
        let files = parts.into_iter().map(|(table, parts)| {
            let files = parts.into_iter().map(|part| TableFile {
                name: part.name,
                rows: Some(part.rows),
                bytes: part.bytes,
            });
            (table, files.collect())
        });
        Ok(VersionTables {
            version,
            files: files.collect(),
        })
    }
}

/// A corpus that keeps no state is never changed: the files of its logs are in the order of its chunks.
fn of_logs(output: &Output, marker: &Marker) -> Result<VersionTables, Error> {
    let names = tables(marker).into_iter().map(|(name, _)| name.to_owned());
    let files = names.map(|name| Ok((name.clone(), Corpus::files(output, &name)?)));
    Ok(VersionTables {
        version: marker.version,
        files: files.collect::<Result<_, Error>>()?,
    })
}

/// What an older version is made of.
fn kept<'m>(output: &Output, marker: &'m Marker, version: u64) -> Result<&'m Arguments, Error> {
    let kept = marker.kept.iter().find(|kept| kept.version == version);
    kept.map(|kept| &kept.arguments).ok_or_else(|| {
        let there = marker
            .kept
            .iter()
            .map(|kept| kept.version)
            .chain([marker.version]);
        let there: Vec<String> = there.map(|version| version.to_string()).collect();
        Error::NoVersion {
            version,
            folder: output.place().to_string(),
            versions: there.join(", "),
        }
    })
}
