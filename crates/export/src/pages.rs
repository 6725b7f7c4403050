//! The pages of a corpus, piece by piece: tables that have one row for each page are read side by side.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use gleaner_corpus::{Limits, TableFile, TableReader, VersionTables};
use gleaner_store::Output;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::recipe::Column;

/// The column by which rows of several tables are one page.
pub(crate) const ROW_ID: &str = "row_id";
const DOCUMENTS: &str = "documents";

/// Where a piece is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The number of its file of documents.
    pub file: usize,
    /// The number of its row group.
    pub group: usize,
}

/// The files of pages of a corpus.
#[derive(Clone, Debug)]
pub struct PageFiles {
    output: Output,
    /// By table, each with a file for each file of documents.
    tables: BTreeMap<&'static str, Vec<TableFile>>,
}

/// Files that stand side by side.
#[derive(Debug)]
struct Chunk {
    readers: BTreeMap<&'static str, TableReader>,
    crawl: Option<String>,
}

/// Pages that are read together: a row group of documents.
#[derive(Clone, Debug)]
pub struct Piece {
    pub(crate) position: Position,
    chunk: Arc<Chunk>,
    rows: Range<u64>,
}

/// Columns of the pages of a piece.
#[derive(Debug, Default)]
pub struct PageColumns {
    batches: BTreeMap<&'static str, RecordBatch>,
}

impl PageFiles {
    /// The files of some tables that have a row for each page; those of documents always.
    ///
    /// # Errors
    /// The corpus has no such table, or its files are not side by side with those of documents.
    pub fn new(
        output: &Output,
        version: &VersionTables,
        tables: impl IntoIterator<Item = &'static str>,
    ) -> Result<PageFiles, Error> {
        let mut files = BTreeMap::new();
        for table in tables.into_iter().chain([DOCUMENTS]) {
            files.insert(table, files_of(output, version, table)?.to_vec());
        }
        let documents = &files[DOCUMENTS];
        for (table, others) in &files {
            if others.len() != documents.len() {
                let folder = |name: &str| output.place_of(name).to_string();
                return Err(Error::OtherPages(folder(DOCUMENTS), folder(table)));
            }
        }
        Ok(PageFiles {
            output: output.clone(),
            tables: files,
        })
    }

    /// How much of the corpus is before a piece, from 0 to 1.
    pub(crate) fn share_before(&self, piece: &Piece) -> f64 {
        let files = self.tables[DOCUMENTS].len().max(1);
        (piece.position.file as f64 + piece.share_of_file()) / files as f64
    }

    /// The pieces from one on. Waits for the store.
    pub fn pieces(&self, from: Position) -> impl Iterator<Item = Result<Piece, Error>> + Send {
        let files = from.file..self.tables[DOCUMENTS].len();
        files.flat_map(move |file| {
            let first = if file == from.file { from.group } else { 0 };
            let (pieces, error) = match self.chunk(file) {
                Ok(chunk) => (pieces_of(file, first, &Arc::new(chunk)), None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            pieces.into_iter().map(Ok).chain(error)
        })
    }

    fn chunk(&self, file: usize) -> Result<Chunk, Error> {
        let mut readers: BTreeMap<&'static str, TableReader> = BTreeMap::new();
        for (table, files) in &self.tables {
            readers.insert(table, TableReader::open(&self.output, &files[file])?);
        }
        let documents = &readers[DOCUMENTS];
        if let Some(other) = readers.values().find(|other| other.rows() != documents.rows()) {
            let [one, other] = [documents, other].map(|reader| reader.file().to_owned());
            return Err(Error::OtherPages(one, other));
        }
        let folders = documents.file().split('/');
        let crawl = folders.filter_map(|folder| folder.strip_prefix("crawl=")).next();
        Ok(Chunk {
            crawl: crawl.map(str::to_owned),
            readers,
        })
    }
}

fn pieces_of(file: usize, first: usize, chunk: &Arc<Chunk>) -> Vec<Piece> {
    let groups = chunk.readers[DOCUMENTS].groups().enumerate().skip(first);
    let pieces = groups.map(|(group, rows)| Piece {
        position: Position { file, group },
        chunk: Arc::clone(chunk),
        rows,
    });
    pieces.filter(|piece| !piece.rows.is_empty()).collect()
}

/// The files of a table that a recipe needs.
pub(crate) fn files_of<'v>(
    output: &Output,
    version: &'v VersionTables,
    table: &str,
) -> Result<&'v [TableFile], Error> {
    let files = version.files.get(table).map(Vec::as_slice);
    files.ok_or_else(|| Error::NoTable {
        folder: output.place().to_string(),
        table: table.to_owned(),
        mend: match table {
            "signals" => "build it without --no-signals, or use a recipe without columns of signals",
            "rights" => "build it without --no-rights, or use a recipe without the table rights",
            "contamination" => "build it with --benchmarks",
            "blocks" => "build it with --blocks",
            "posts" => "build it with --posts",
            _ => "build it with this version of gleaner",
        },
    })
}

impl Piece {
    /// Reads columns of tables that have one row for each page. Waits for the store.
    ///
    /// # Errors
    /// A file cannot be read, or its rows are not of these pages.
    pub fn read(&self, columns: &[Column]) -> Result<PageColumns, Error> {
        let mut by_table: BTreeMap<&'static str, Vec<&'static str>> = [(DOCUMENTS, vec![ROW_ID])].into();
        for column in columns {
            let names = by_table.entry(column.table).or_insert_with(|| vec![ROW_ID]);
            if !names.contains(&column.name) {
                names.push(column.name);
            }
        }
        let mut read = PageColumns::default();
        for (table, names) in by_table {
            let batch = self.chunk.readers[table].read(&names, self.rows.clone())?;
            read.batches.insert(table, batch);
        }
        self.check(&read)?;
        Ok(read)
    }

    /// Reads columns of documents of some pages, whose numbers ascend, a few at a time, until it is enough: each page with its number, a
    /// batch, and its row there. Waits for the store.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read_some(
        &self,
        columns: &[&str],
        pages: &[usize],
        give: &mut dyn FnMut(usize, &RecordBatch, usize) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let rows: Vec<u64> = pages.iter().map(|page| self.rows.start + *page as u64).collect();
        let documents = &self.chunk.readers[DOCUMENTS];
        documents.read_some(columns, &rows, &mut |row, batch, place| {
            give((row - self.rows.start) as usize, batch, place)
        })?;
        Ok(())
    }

    /// The limits of a column among these pages; none if they are not known.
    pub fn limits(&self, column: &Column) -> Option<Limits> {
        let reader = self.chunk.readers.get(column.table)?;
        reader.limits(column.name, &self.rows)
    }

    /// The number of pages.
    pub fn pages(&self) -> usize {
        (self.rows.end - self.rows.start) as usize
    }

    /// Rows that stand side by side have one id.
    fn check(&self, read: &PageColumns) -> Result<(), Error> {
        let id = |batch: &RecordBatch| batch.column_by_name(ROW_ID).cloned();
        let documents = id(&read.batches[DOCUMENTS]);
        let other = read.batches.iter().find(|(_, batch)| id(batch) != documents);
        match other {
            Some((table, _)) => {
                let files = [DOCUMENTS, table].map(|table| self.chunk.readers[table].file().to_owned());
                let [one, other] = files;
                Err(Error::OtherPages(one, other))
            }
            None => Ok(()),
        }
    }

    /// Where it is.
    pub fn position(&self) -> Position {
        self.position
    }

    /// How much of its file is before it, from 0 to 1.
    pub(crate) fn share_of_file(&self) -> f64 {
        let groups = self.chunk.readers[DOCUMENTS].groups().count().max(1);
        self.position.group as f64 / groups as f64
    }

    /// The crawl of the pages, if it has a name.
    pub fn crawl(&self) -> Option<&str> {
        self.chunk.crawl.as_deref()
    }

    /// The file of documents.
    pub fn file(&self) -> &str {
        self.chunk.readers[DOCUMENTS].file()
    }
}

impl PageColumns {
    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.batches[DOCUMENTS].num_rows()
    }

    /// A column that was read.
    ///
    /// # Panics
    /// It was not.
    pub fn column(&self, column: &Column) -> &ArrayRef {
        let batch = &self.batches[column.table];
        batch.column_by_name(column.name).expect("it was read")
    }
}
