//! The files of a chunk: the row groups of its units, one behind the other.

use std::collections::BTreeMap;

use gleaner_corpus::{Corpus, FileWriter, Finishing};
use gleaner_store::Commit;

use crate::data::page_tables::{OfTables, PAGE_TABLES};
use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::unit_labeller::LabelledUnit;
use crate::state::written::WrittenChunk;

/// Puts the units of a chunk in order, and writes its files.
#[derive(Default)]
pub(crate) struct ChunkFiles {
    chunk: Epoch,
    /// Units that are labelled, and wait for those before them.
    waiting: BTreeMap<u32, LabelledUnit>,
    files: OfTables<Option<FileWriter>>,
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
    pub(crate) fn new(chunk: Epoch) -> ChunkFiles {
        ChunkFiles {
            chunk,
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
        let number = u32::try_from(self.chunk).expect("there is an index of all chunks in memory");
        for ((table, file), groups) in PAGE_TABLES.iter().zip(&mut self.files).zip(groups) {
            if file.is_none() && !groups.is_empty() {
                *file = Some(corpus.file(table, corpus.crawl(), number)?);
            }
            let mut file = file.as_mut();
            let append = |group| file.as_mut().map_or(Ok(()), |file| file.append(group));
            groups.into_iter().try_for_each(append)?;
        }
        self.written.summary.add(&summary);
        self.written.units.push(written);
        self.commits.push(commit);
        Ok(())
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
