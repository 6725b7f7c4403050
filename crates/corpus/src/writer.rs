//! Rows in, one Parquet file out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use gleaner_store::{Commit, Upload};
use parking_lot::Mutex;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::table::{Columns, Row, descriptor, properties};

/// The longest row, in bytes: Arrow counts the bytes of a batch's text in 31 bits.
const LONGEST_ROW: usize = 1 << 30;

/// How tables are cut, and the metadata of their files. The same settings and rows give
/// the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of a row group, before they are encoded: it ends with the row that reaches them.
    /// Readers take a row group at a time, and an open writer holds one.
    pub row_group_bytes: usize,
    /// Maximum rows per row group, however small they are.
    pub row_group_rows: usize,
    /// Bytes of rows at which they are encoded.
    pub batch_bytes: usize,
    /// A row with more bytes is an error; at most a gibibyte.
    pub longest_row: usize,
    /// Keys and values of each file, such as the model's name and checksum. No time and no name
    /// of a machine belongs here.
    pub metadata: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            row_group_bytes: 32 << 20,
            row_group_rows: 262_144,
            batch_bytes: 1 << 20,
            longest_row: LONGEST_ROW,
            metadata: BTreeMap::new(),
        }
    }
}

/// Writes the rows of one file, in the order in which they are given.
///
/// It ends in [`TableWriter::finish`]; dropped before, it leaves no file.
pub struct TableWriter<R: Row, W: Write + Send = Upload> {
    name: String,
    settings: Settings,
    writer: ArrowWriter<Sink<W>>,
    /// What the sink said first.
    failure: Failure,
    schema: SchemaRef,
    columns: R::Columns,
    batch: Size,
    group: Size,
    total: Size,
}

/// Rows, and their bytes before they are encoded.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    rows: usize,
    bytes: usize,
}

impl Size {
    fn add(&mut self, bytes: usize) {
        self.rows += 1;
        self.bytes += bytes;
    }
}

impl<R: Row, W: Write + Send> TableWriter<R, W> {
    /// A writer into `sink`. `name` is the file's in errors.
    ///
    /// # Errors
    ///
    /// Where `sink` takes no bytes.
    pub fn new(sink: W, name: &str, settings: &Settings) -> Result<TableWriter<R, W>, Error> {
        let options = ArrowWriterOptions::new()
            .with_properties(properties(&R::TABLE, settings))
            .with_parquet_schema(descriptor(&R::TABLE));
        let failure = Failure::default();
        let sink = Sink {
            inner: sink,
            hasher: blake3::Hasher::new(),
            failure: failure.clone(),
        };
        let schema = R::TABLE.schema();
        let writer = ArrowWriter::try_new_with_options(sink, Arc::clone(&schema), options);
        Ok(TableWriter {
            name: name.to_owned(),
            settings: settings.clone(),
            writer: writer.map_err(|error| failure.error(name, error))?,
            failure,
            schema,
            columns: R::Columns::default(),
            batch: Size::default(),
            group: Size::default(),
            total: Size::default(),
        })
    }

    /// Adds a row. Most calls only copy it; every megabyte a batch is encoded, and every 32 a
    /// row group is written.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or the row is too long. No more rows can be added then.
    pub fn push(&mut self, row: &R) -> Result<(), Error> {
        let bytes = row.bytes();
        if bytes > self.settings.longest_row.min(LONGEST_ROW) {
            return Err(Error::LongRow(self.name.clone(), bytes));
        }
        self.columns.append(row);
        for size in [&mut self.batch, &mut self.group, &mut self.total] {
            size.add(bytes);
        }
        let settings = &self.settings;
        if self.group.bytes >= settings.row_group_bytes || self.group.rows >= settings.row_group_rows {
            self.end_group()
        } else if self.batch.bytes >= settings.batch_bytes {
            self.end_batch()
        } else {
            Ok(())
        }
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.total.rows as u64
    }

    /// Bytes of the file so far: what is written, and a guess at what is not.
    pub fn bytes(&self) -> u64 {
        (self.writer.bytes_written() + self.writer.in_progress_size()) as u64
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.batch.bytes + self.writer.memory_size()
    }

    /// Ends the file and gives the sink back.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn into_inner(self) -> Result<W, Error> {
        Ok(self.into_sink()?.inner)
    }

    fn into_sink(mut self) -> Result<Sink<W>, Error> {
        self.end_batch()?;
        let sink = self.writer.into_inner();
        sink.map_err(|error| self.failure.error(&self.name, error))
    }

    fn end_batch(&mut self) -> Result<(), Error> {
        if self.batch.rows == 0 {
            return Ok(());
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), self.columns.finish())
            .map_err(|error| self.failure.error(&self.name, error.into()))?;
        self.batch = Size::default();
        self.writer
            .write(&batch)
            .map_err(|error| self.failure.error(&self.name, error))
    }

    fn end_group(&mut self) -> Result<(), Error> {
        self.end_batch()?;
        self.group = Size::default();
        self.writer
            .flush()
            .map_err(|error| self.failure.error(&self.name, error))
    }
}

impl<R: Row> TableWriter<R, Upload> {
    /// Ends the file and makes it appear under the BLAKE3 digest of its bytes; a local one is there when this returns.
    ///
    /// # Errors
    ///
    /// The file cannot be written; nothing appears.
    pub fn finish(self) -> Result<Finishing, Error> {
        let (name, rows) = (self.name.clone(), self.rows());
        let Sink { inner, hasher, .. } = self.into_sink()?;
        let mut upload = inner;
        upload
            .flush()
            .map_err(|source| Error::Write(name.clone(), source))?;
        let bytes = upload.bytes();
        let file = file_name(&hasher.finalize());
        upload.rename(&file);
        let name = match name.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{file}"),
            None => file,
        };
        Ok(Finishing {
            commit: upload.finish()?,
            part: Part { name, rows, bytes },
        })
    }
}

impl<R: Row, W: Write + Send> std::fmt::Debug for TableWriter<R, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWriter")
            .field("name", &self.name)
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

/// The first error of a sink. Parquet's own errors keep the text of those of the sink at best.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    /// Keeps `error` if it is the first, and gives one like it.
    fn keep(&self, error: io::Error) -> io::Error {
        let like = error.kind().into();
        self.0.lock().get_or_insert(error);
        like
    }

    /// The sink's error where there was one, else Parquet's.
    fn error(&self, file: &str, error: ParquetError) -> Error {
        let file = file.to_owned();
        match self.0.lock().take() {
            Some(source) => Error::Write(file, source),
            None => Error::Parquet(file, error),
        }
    }
}

/// The name of a table's file within its folder: the BLAKE3 digest of its bytes, in hexadecimal.
pub(crate) fn file_name(digest: &blake3::Hash) -> String {
    format!("{digest}.parquet")
}

/// A sink of which the digest of all bytes is taken, and whose first error is kept.
struct Sink<W> {
    inner: W,
    hasher: blake3::Hasher,
    failure: Failure,
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self
            .inner
            .write(bytes)
            .map_err(|error| self.failure.keep(error))?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().map_err(|error| self.failure.keep(error))
    }
}

/// A file of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// Its name within the corpus, such as `documents/6f2a…e1.parquet` or `documents/crawl=2024-18/6f2a…e1.parquet`.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// A finished file on its way to its store.
#[derive(Debug)]
pub struct Finishing {
    commit: Commit,
    part: Part,
}

impl Finishing {
    /// The file, once it is there; `None` until then. Returns at once.
    ///
    /// # Errors
    ///
    /// The store refused it; it did not appear.
    pub fn poll(&mut self) -> Result<Option<Part>, Error> {
        Ok(self.commit.poll()?.then(|| self.part.clone()))
    }

    /// Waits until the file is there. Not for worker threads.
    ///
    /// # Errors
    ///
    /// As [`Finishing::poll`].
    pub fn wait(self) -> Result<Part, Error> {
        self.commit.wait()?;
        Ok(self.part)
    }
}
