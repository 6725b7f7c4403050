//! The files of a chunk: the row groups of its units, one behind the other.

use std::collections::BTreeMap;
use std::ops::Range;

use gleaner_corpus::{Corpus, Crawl, EncodedGroup, FileWriter, Finishing, StoredFile};
use gleaner_store::Commit;

use crate::data::page_tables::{OfTables, PAGE_TABLES};
use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::unit_labeller::{LabelledUnit, UnitGroups};
use crate::state::written::WrittenChunk;

/// Puts the units of a chunk in order, and writes its files.
#[derive(Default)]
pub(crate) struct ChunkFiles {
    chunk: Epoch,
    /// Units that are labelled, and wait for those before them.
    waiting: BTreeMap<u32, LabelledUnit>,
    files: OfTables<Option<FileWriter>>,
    /// The older file of each table from which row groups were copied last.
    stored: OfTables<Option<(String, StoredFile)>>,
    written: WrittenChunk,
    commits: Vec<Commit>,
}

/// A chunk whose files are whole, and on their way to their store.
pub(crate) struct EndedChunk {
    files: Vec<Finishing>,
    commits: Vec<Commit>,
    written: WrittenChunk,
}

impl ChunkFiles {
    pub(crate) fn new(chunk: Epoch, crawl: Option<Crawl>) -> ChunkFiles {
        ChunkFiles {
            chunk,
            written: WrittenChunk {
                crawl,
                ..WrittenChunk::default()
            },
            ..ChunkFiles::default()
        }
    }

    /// Takes a unit, and writes what is next in order.
    pub(crate) fn push(&mut self, number: u32, unit: LabelledUnit, corpus: &Corpus) -> Result<(), Error> {
        self.waiting.insert(number, unit);
        while let Some(unit) = self.waiting.remove(&(self.units() as u32)) {
            self.write(unit, corpus)?;
        }
        Ok(())
    }

    /// Bytes of the units that wait.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.values().map(LabelledUnit::bytes).sum()
    }

    /// How many units are written.
    pub(crate) fn units(&self) -> usize {
        self.written.units.len()
    }

    fn write(&mut self, unit: LabelledUnit, corpus: &Corpus) -> Result<(), Error> {
        let LabelledUnit {
            written,
            groups,
            commit,
            summary,
        } = unit;
        match groups {
            UnitGroups::Encoded(groups) => self.append(groups, corpus)?,
            UnitGroups::Stored(groups) => self.copy(groups, corpus)?,
        }
        self.written.summary.add(&summary);
        self.written.units.push(written);
        self.commits.extend(commit);
        Ok(())
    }

    fn append(&mut self, groups: OfTables<Vec<EncodedGroup>>, corpus: &Corpus) -> Result<(), Error> {
        for (table, groups) in groups
            .into_iter()
            .enumerate()
            .filter(|(_, groups)| !groups.is_empty())
        {
            let file = self.file(table, corpus)?;
            groups.into_iter().try_for_each(|group| file.append(group))?;
        }
        Ok(())
    }

    fn copy(
        &mut self,
        groups: OfTables<Option<(String, Range<usize>)>>,
        corpus: &Corpus,
    ) -> Result<(), Error> {
        for (table, groups) in groups.into_iter().enumerate() {
            let Some((name, groups)) = groups else { continue };
            let mut stored = match self.stored[table].take() {
                Some((known, stored)) if known == name => stored,
                _ => StoredFile::open(corpus.output(), &name)?,
            };
            self.file(table, corpus)?.copy(&mut stored, groups)?;
            self.stored[table] = Some((name, stored));
        }
        Ok(())
    }

    /// The file of a table, which is begun with its first rows.
    fn file(&mut self, table: usize, corpus: &Corpus) -> Result<&mut FileWriter, Error> {
        let number = u32::try_from(self.chunk).expect("there is an index of all chunks in memory");
        let begun = match self.files[table].take() {
            Some(file) => file,
            None => corpus.file(&PAGE_TABLES[table], self.written.crawl.as_ref(), number)?,
        };
        Ok(self.files[table].insert(begun))
    }

    /// Ends the files.
    pub(crate) fn end(mut self) -> Result<EndedChunk, Error> {
        let files = std::mem::take(&mut self.files).into_iter().flatten();
        Ok(EndedChunk {
            files: files.map(FileWriter::finish).collect::<Result<_, _>>()?,
            commits: self.commits,
            written: self.written,
        })
    }
}

impl EndedChunk {
    /// Waits until all files are in their store.
    pub(crate) fn wait(self) -> Result<WrittenChunk, Error> {
        let mut written = self.written;
        self.commits.into_iter().try_for_each(Commit::wait)?;
        for file in self.files {
            written.files.push(file.wait()?);
        }
        written.summary.files = written.files.len() as u64;
        Ok(written)
    }
}
