//! A chunk that is written, as journals have it.

use std::ops::Range;

use gleaner_corpus::{ChunkEntry, Crawl, Part, Table, UnitEntry};
use serde::{Deserialize, Serialize};

use crate::data::key::crawl_prefix;

use crate::data::page_tables::{OfTables, PAGE_TABLES};
use crate::data::summary::Summary;
use crate::error::Error;
use crate::staging::staged_file::{Digest, UnitFile};

/// A chunk that is written: its units and its files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WrittenChunk {
    /// Its crawl, if the corpus is labelled.
    pub(crate) crawl: Option<Crawl>,
    pub(crate) units: Vec<WrittenUnit>,
    pub(crate) files: Vec<Part>,
    pub(crate) summary: Summary,
}

impl WrittenChunk {
    /// The chunk as the corpus keeps it.
    pub(crate) fn entry(&self) -> ChunkEntry {
        let prefix = crawl_prefix(self.crawl.as_ref()).len();
        ChunkEntry {
            units: self.units.iter().map(|unit| unit.entry(prefix)).collect(),
            files: self.files.clone(),
            counts: self.summary.counts(),
        }
    }

    /// A chunk that the corpus keeps.
    ///
    /// # Errors
    /// Another program wrote it.
    pub(crate) fn of_entry(crawl: Option<Crawl>, entry: ChunkEntry) -> Result<WrittenChunk, Error> {
        let prefix = crawl_prefix(crawl.as_ref());
        let units = entry
            .units
            .into_iter()
            .map(|unit| WrittenUnit::of_entry(unit, &prefix));
        Ok(WrittenChunk {
            units: units.collect::<Result<_, _>>()?,
            files: entry.files,
            summary: Summary::of_counts(entry.counts).ok_or(Error::Damaged)?,
            crawl,
        })
    }

    /// The first SURT, behind the name of the crawl; empty where it has the first pages of a crawl.
    pub(crate) fn start(&self) -> String {
        let prefix = crawl_prefix(self.crawl.as_ref()).len();
        let first = self.units.first();
        first.map_or_else(String::new, |unit| unit.start[prefix..].to_owned())
    }

    /// The file of a table, if it has one.
    pub(crate) fn file(&self, table: &Table) -> Option<&Part> {
        let is_of = |file: &&Part| file.name.split('/').next() == Some(table.name);
        self.files.iter().find(is_of)
    }

    /// The row groups of a unit in the file of each table.
    pub(crate) fn groups_of(&self, unit: usize) -> OfTables<Range<usize>> {
        std::array::from_fn(|table| {
            let groups = |unit: &WrittenUnit| unit.groups[table] as usize;
            let begin = self.units[..unit].iter().map(groups).sum();
            begin..begin + groups(&self.units[unit])
        })
    }
}

/// The number of a chunk, and of a unit there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitPlace {
    pub(crate) chunk: usize,
    pub(crate) unit: usize,
}

/// A unit of a chunk that is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WrittenUnit {
    /// The SURT at which it begins.
    pub(crate) start: String,
    pub(crate) records: u64,
    /// The digest of all that its rows follow from, beside the settings.
    pub(crate) inputs: Digest,
    /// Its state, and the bytes of that.
    pub(crate) state: UnitFile,
    pub(crate) bytes: u64,
    /// Its row groups in the file of each table.
    pub(crate) groups: OfTables<u32>,
}

impl WrittenUnit {
    /// The unit as the corpus keeps it, without the `prefix` of its crawl.
    fn entry(&self, prefix: usize) -> UnitEntry {
        let groups = PAGE_TABLES
            .iter()
            .zip(self.groups)
            .filter(|(_, groups)| *groups > 0);
        UnitEntry {
            start: self.start[prefix..].to_owned(),
            records: self.records,
            inputs: self.inputs.into(),
            state: self.state.file_name(),
            bytes: self.bytes,
            groups: groups
                .map(|(table, groups)| (table.name.to_owned(), groups))
                .collect(),
        }
    }
    fn of_entry(entry: UnitEntry, prefix: &[u8]) -> Result<WrittenUnit, Error> {
        let digest = |text: String| Digest::try_from(text).map_err(|_| Error::Damaged);
        let groups = |table: &Table| entry.groups.get(table.name).copied().unwrap_or_default();
        let crawl = str::from_utf8(prefix).map_err(|_| Error::Damaged)?;
        Ok(WrittenUnit {
            start: format!("{crawl}{}", entry.start),
            records: entry.records,
            inputs: digest(entry.inputs)?,
            state: UnitFile {
                digest: digest(entry.state)?,
                is_kept: true,
            },
            bytes: entry.bytes,
            groups: PAGE_TABLES.each_ref().map(groups),
        })
    }
}
