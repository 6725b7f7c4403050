//! Row groups in, one Parquet file out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use gleaner_store::{Commit, Upload};
use parking_lot::Mutex;
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use serde::{Deserialize, Serialize};

use crate::group::LONGEST_ROW;
use crate::table::{BLOOM_VALUES, Row, begin};
use crate::{EncodedGroup, Error, GroupEncoder, StoredFile, Table};

/// How tables are cut, and the metadata of their files. The same settings and rows give
/// the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of a row group, before they are encoded: it ends with the row that reaches them.
    /// Readers take a row group at a time, and an open writer holds one.
    pub row_group_bytes: usize,
    /// Maximum rows per row group, however small they are: a bloom filter is made for as many values.
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
            row_group_rows: BLOOM_VALUES as usize,
            batch_bytes: 1 << 20,
            longest_row: LONGEST_ROW,
            metadata: BTreeMap::new(),
        }
    }
}

/// Writes a file of a table, row group by row group. The same row groups give the same bytes, whether they were just
/// encoded or are copied.
///
/// It ends in [`FileWriter::finish`]; dropped before, it leaves no file.
pub struct FileWriter<W: Write + Send = Upload> {
    name: String,
    writer: SerializedFileWriter<Sink<W>>,
    /// What the sink said first.
    failure: Failure,
    rows: u64,
}

impl<W: Write + Send> FileWriter<W> {
    /// A writer into `sink`. `name` is the file's in errors.
    ///
    /// # Errors
    /// Where `sink` takes no bytes.
    pub fn new(sink: W, name: &str, table: &Table, settings: &Settings) -> Result<FileWriter<W>, Error> {
        let failure = Failure::default();
        let sink = Sink {
            inner: sink,
            hasher: blake3::Hasher::new(),
            failure: failure.clone(),
        };
        let begun = begin(table, settings, sink);
        let (writer, _) = begun.map_err(|error| failure.error(name, error))?;
        Ok(FileWriter {
            name: name.to_owned(),
            writer,
            failure,
            rows: 0,
        })
    }

    /// Adds a row group of the same table.
    ///
    /// # Errors
    /// The file cannot be written. No more row groups can be added then.
    pub fn append(&mut self, group: EncodedGroup) -> Result<(), Error> {
        self.rows += group.rows();
        let appended = self.writer.next_row_group().and_then(|mut into| {
            let mut columns = group.columns.into_iter();
            columns.try_for_each(|column| column.append_to_row_group(&mut into))?;
            into.close()
        });
        appended.map_err(|error| self.failure.error(&self.name, error))?;
        Ok(())
    }

    /// Adds some row groups of another file of the same table, as they are. The other file is `&mut` because reading moves
    /// its one position.
    ///
    /// # Errors
    /// As [`FileWriter::append`]; or the other file is of another table, or has no such row groups.
    pub fn copy(&mut self, from: &mut StoredFile, groups: Range<usize>) -> Result<(), Error> {
        let refused = |detail: String| Err(Error::Read(from.name.clone(), detail));
        if from.schema() != self.writer.schema_descr().root_schema() {
            return refused("its columns are not those of the table".to_owned());
        }
        let Some(rows) = from.rows(groups.clone()) else {
            return refused(format!("it has no row groups {groups:?}"));
        };
        self.rows += rows;
        for group in groups {
            let copied = from.copy(group, &mut self.writer);
            copied.map_err(|error| match self.failure.is_kept() {
                true => self.failure.error(&self.name, error),
                false => Error::Read(from.name.clone(), error.to_string()),
            })?;
        }
        Ok(())
    }

    /// Ends the file and gives the sink back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn into_inner(self) -> Result<W, Error> {
        Ok(self.into_sink()?.inner)
    }

    fn into_sink(self) -> Result<Sink<W>, Error> {
        let sink = self.writer.into_inner();
        sink.map_err(|error| self.failure.error(&self.name, error))
    }
}

impl FileWriter {
    /// Ends the file and makes it appear under the BLAKE3 digest of its bytes; a local one is there when this returns.
    ///
    /// # Errors
    /// The file cannot be written; nothing appears.
    pub fn finish(self) -> Result<Finishing, Error> {
        let (name, rows) = (self.name.clone(), self.rows);
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

/// Writes the rows of one file, in the order in which they are given.
///
/// It ends in [`TableWriter::finish`]; dropped before, it leaves no file.
pub struct TableWriter<R: Row, W: Write + Send = Upload> {
    encoder: GroupEncoder<R>,
    file: FileWriter<W>,
}

impl<R: Row, W: Write + Send> TableWriter<R, W> {
    /// A writer into `sink`. `name` is the file's in errors.
    ///
    /// # Errors
    /// Where `sink` takes no bytes.
    pub fn new(sink: W, name: &str, settings: &Settings) -> Result<TableWriter<R, W>, Error> {
        Ok(TableWriter {
            encoder: GroupEncoder::of_file(name, settings)?,
            file: FileWriter::new(sink, name, &R::TABLE, settings)?,
        })
    }

    /// Adds a row, see [`GroupEncoder::push`].
    ///
    /// # Errors
    /// The file cannot be written, or the row is too long. No more rows can be added then.
    pub fn push(&mut self, row: &R) -> Result<(), Error> {
        self.encoder.push(row)?;
        let mut whole = self.encoder.take_whole().into_iter();
        whole.try_for_each(|group| self.file.append(group))
    }

    /// Ends the file and gives the sink back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn into_inner(self) -> Result<W, Error> {
        self.ended()?.into_inner()
    }

    /// The file with all rows.
    fn ended(mut self) -> Result<FileWriter<W>, Error> {
        let mut last = self.encoder.finish()?.into_iter();
        last.try_for_each(|group| self.file.append(group))?;
        Ok(self.file)
    }
}

impl<R: Row> TableWriter<R> {
    /// See [`FileWriter::finish`].
    ///
    /// # Errors
    /// The file cannot be written; nothing appears.
    pub fn finish(self) -> Result<Finishing, Error> {
        self.ended()?.finish()
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

    fn is_kept(&self) -> bool {
        self.0.lock().is_some()
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
    /// The store refused it; it did not appear.
    pub fn poll(&mut self) -> Result<Option<Part>, Error> {
        Ok(self.commit.poll()?.then(|| self.part.clone()))
    }

    /// Waits until the file is there. Not for worker threads.
    ///
    /// # Errors
    /// As [`Finishing::poll`].
    pub fn wait(self) -> Result<Part, Error> {
        self.commit.wait()?;
        Ok(self.part)
    }
}
