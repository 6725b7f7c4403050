//! A chunk that is written, as journals have it.

use gleaner_corpus::{ChunkEntry, DocumentRow, Part, Row, UnitEntry};
use serde::{Deserialize, Serialize};

use crate::data::page_tables::{OfTables, PAGE_TABLES};
use crate::data::summary::Summary;
use crate::staging::staged_file::{Digest, UnitFile};

/// A chunk that is written: its units and its files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WrittenChunk {
    pub(crate) units: Vec<WrittenUnit>,
    pub(crate) files: Vec<Part>,
    pub(crate) summary: Summary,
}

impl WrittenChunk {
    /// The chunk as the corpus keeps it.
    pub(crate) fn entry(&self) -> ChunkEntry {
        ChunkEntry {
            units: self.units.iter().map(WrittenUnit::entry).collect(),
            files: self.files.clone(),
            counts: self.summary.counts(),
        }
    }

    /// The file of its documents, if it has some.
    pub(crate) fn documents(&self) -> Option<&Part> {
        let of_documents = |file: &&Part| file.name.split('/').next() == Some(DocumentRow::TABLE.name);
        self.files.iter().find(of_documents)
    }
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
    fn entry(&self) -> UnitEntry {
        let groups = PAGE_TABLES
            .iter()
            .zip(self.groups)
            .filter(|(_, groups)| *groups > 0);
        UnitEntry {
            start: self.start.clone(),
            records: self.records,
            inputs: self.inputs.into(),
            state: self.state.file_name(),
            bytes: self.bytes,
            groups: groups
                .map(|(table, groups)| (table.name.to_owned(), groups))
                .collect(),
        }
    }
}
