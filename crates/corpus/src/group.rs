//! Rows in, row groups out: in memory, encoded, for any file of their table.

use std::mem::take;

use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::errors::ParquetError;

use crate::table::{Columns, Row, begin};
use crate::{Error, Settings};

/// The longest row, in bytes: Arrow counts the bytes of a batch's text in 31 bits.
pub(crate) const LONGEST_ROW: usize = 1 << 30;

/// Encodes rows, in the order in which they are given, to row groups of their table.
///
/// A row group is a function of its rows. It ends where [`Settings`] say, and in [`GroupEncoder::finish`].
pub struct GroupEncoder<R: Row> {
    /// What errors call the file, or the table if the file is not known.
    name: String,
    settings: Settings,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    columns: R::Columns,
    batch: Size,
    /// What encodes the columns of the row group that is open; none before its first batch.
    writers: Vec<ArrowColumnWriter>,
    group: Size,
    whole: Vec<EncodedGroup>,
}

/// A row group, encoded: for [`FileWriter::append`](crate::FileWriter::append).
#[derive(Debug)]
pub struct EncodedGroup {
    rows: u64,
    pub(crate) columns: Vec<ArrowColumnChunk>,
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

impl<R: Row> GroupEncoder<R> {
    /// An encoder without rows. It can be used for one unit of rows after the other.
    ///
    /// # Errors
    /// None is known.
    pub fn new(settings: &Settings) -> Result<GroupEncoder<R>, Error> {
        GroupEncoder::of_file(R::TABLE.name, settings)
    }

    /// The same for the file of this name alone.
    pub(crate) fn of_file(name: &str, settings: &Settings) -> Result<GroupEncoder<R>, Error> {
        let begun = begin(&R::TABLE, settings, std::io::sink());
        let (_, factory) = begun.map_err(|error| Error::Parquet(name.to_owned(), error))?;
        Ok(GroupEncoder {
            name: name.to_owned(),
            settings: settings.clone(),
            factory,
            schema: R::TABLE.schema(),
            columns: R::Columns::default(),
            batch: Size::default(),
            writers: Vec::new(),
            group: Size::default(),
            whole: Vec::new(),
        })
    }

    /// Adds a row. Most calls only copy it; every megabyte a batch is encoded, and every 32 a
    /// row group ends.
    ///
    /// # Errors
    /// The row is too long. No more rows can be added then.
    pub fn push(&mut self, row: &R) -> Result<(), Error> {
        let bytes = row.bytes();
        if bytes > self.settings.longest_row.min(LONGEST_ROW) {
            return Err(Error::LongRow(self.name.clone(), bytes));
        }
        self.columns.append(row);
        self.batch.add(bytes);
        self.group.add(bytes);
        let settings = &self.settings;
        if self.group.bytes >= settings.row_group_bytes || self.group.rows >= settings.row_group_rows {
            self.end_group()
        } else if self.batch.bytes >= settings.batch_bytes {
            self.end_batch()
        } else {
            Ok(())
        }
    }

    /// Ends a unit of rows: gives its row groups, none if it has no rows, and begins the next.
    ///
    /// # Errors
    /// As [`GroupEncoder::push`].
    pub fn finish(&mut self) -> Result<Vec<EncodedGroup>, Error> {
        self.end_group()?;
        Ok(self.take_whole())
    }

    /// The row groups that ended since the last call.
    pub(crate) fn take_whole(&mut self) -> Vec<EncodedGroup> {
        take(&mut self.whole)
    }

    fn end_batch(&mut self) -> Result<(), Error> {
        let encoded = self.encode_batch();
        encoded.map_err(|error| Error::Parquet(self.name.clone(), error))
    }

    fn encode_batch(&mut self) -> Result<(), ParquetError> {
        if take(&mut self.batch).rows == 0 {
            return Ok(());
        }
        if self.writers.is_empty() {
            // Only encryption makes a difference between row groups.
            self.writers = self.factory.create_column_writers(0)?;
        }
        let mut writers = self.writers.iter_mut();
        for (field, column) in self.schema.fields().iter().zip(self.columns.finish()) {
            for leaf in compute_leaves(field, &column)? {
                let writer = writers.next().expect("each leaf of the schema has a writer");
                writer.write(&leaf)?;
            }
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Error> {
        self.end_batch()?;
        let rows = take(&mut self.group).rows as u64;
        if rows == 0 {
            return Ok(());
        }
        let writers = take(&mut self.writers).into_iter();
        let columns: Result<_, ParquetError> = writers.map(ArrowColumnWriter::close).collect();
        let columns = columns.map_err(|error| Error::Parquet(self.name.clone(), error))?;
        self.whole.push(EncodedGroup { rows, columns });
        Ok(())
    }
}

impl EncodedGroup {
    /// Its rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Its bytes in a file, without those of bloom filters and of its part of the footer.
    pub fn bytes(&self) -> usize {
        let columns = self.columns.iter();
        columns.map(|column| column.close().bytes_written as usize).sum()
    }
}
