//! Row groups of a file that is there already, to be copied as they are.

use std::fs::File;
use std::io::{Seek, Write};
use std::ops::Range;

use gleaner_store::{Output, Place};
use parquet::bloom_filter::Sbbf;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader,
    RowGroupMetaData,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::fault::{Fault, FaultKind};
use crate::{Error, delta};

/// A file of a table whose row groups can be copied to another file of the table, see
/// [`FileWriter::copy`](crate::FileWriter::copy).
pub struct StoredFile {
    pub(crate) name: String,
    /// Where the file is in a bucket, its copy.
    file: File,
    metadata: ParquetMetaData,
}

impl StoredFile {
    /// Opens a file by its name, such as `documents/6f2a…e1.parquet`. It is read to its end, because a copy of damaged
    /// bytes would get a name that fits them. One in a bucket is fetched. Waits for the store.
    ///
    /// # Errors
    /// The file cannot be read, or is not what was written.
    pub fn open(output: &Output, name: &str) -> Result<StoredFile, Error> {
        let mut hasher = blake3::Hasher::new();
        let mut file = opened(output, name)?;
        let read = file.rewind().and_then(|()| hasher.update_reader(&file).map(drop));
        read.map_err(|error| Error::Read(name.to_owned(), error.to_string()))?;
        let digest = delta::digest_of(name.rsplit('/').next().unwrap_or_default());
        if digest != Some(hasher.finalize().to_hex().as_str()) {
            let fault = Fault::new(name, FaultKind::Digest);
            return Err(Error::Damaged { fault });
        }
        // What is to be written again has to be read in full.
        let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
        let metadata = ParquetMetaDataReader::new()
            .with_page_index_policy(PageIndexPolicy::Optional)
            .with_metadata_options(Some(options))
            .parse_and_finish(&file);
        Ok(StoredFile {
            name: name.to_owned(),
            file,
            metadata: metadata.map_err(|error| Error::Read(name.to_owned(), error.to_string()))?,
        })
    }

    /// The number of its row groups.
    pub fn groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    /// The rows of some of its row groups; nothing where it does not have them all.
    pub fn rows(&self, groups: Range<usize>) -> Option<u64> {
        let groups = self.metadata.row_groups().get(groups)?.iter();
        Some(groups.map(|group| group.num_rows() as u64).sum())
    }

    pub(crate) fn schema(&self) -> &Type {
        self.metadata.file_metadata().schema()
    }

    /// Appends a row group to another file.
    pub(crate) fn copy<W: Write + Send>(
        &self,
        group: usize,
        into: &mut SerializedFileWriter<W>,
    ) -> Result<(), ParquetError> {
        let stored = self.metadata.row_group(group);
        let mut copied = into.next_row_group()?;
        for (place, column) in stored.columns().iter().enumerate() {
            copied.append_column(&self.file, self.closed(stored, column, [group, place])?)?;
        }
        copied.close().map(drop)
    }

    /// A column of a row group as its encoder left it.
    fn closed(
        &self,
        group: &RowGroupMetaData,
        column: &ColumnChunkMetaData,
        [group_number, place]: [usize; 2],
    ) -> Result<ColumnCloseResult, ParquetError> {
        let column_index = self.metadata.column_index().map(|all| &all[group_number][place]);
        let offset_index = self.metadata.offset_index().map(|all| &all[group_number][place]);
        Ok(ColumnCloseResult {
            bytes_written: column.compressed_size() as u64,
            rows_written: group.num_rows() as u64,
            metadata: with_signed_bounds(column)?,
            bloom_filter: Sbbf::read_from_column_chunk(column, &self.file)?,
            column_index: column_index
                .filter(|index| !matches!(index, ColumnIndexMetaData::NONE))
                .cloned(),
            offset_index: offset_index.cloned(),
        })
    }
}

/// The writer puts bounds of signed values in two places, of which the reader does not say that both had them.
fn with_signed_bounds(column: &ColumnChunkMetaData) -> Result<ColumnChunkMetaData, ParquetError> {
    fn both<T: Clone>(statistics: &ValueStatistics<T>) -> ValueStatistics<T> {
        statistics.clone().with_backwards_compatible_min_max(true)
    }
    let is_signed = column.column_descr().sort_order().is_signed();
    let statistics = match column.statistics().filter(|_| is_signed) {
        Some(Statistics::Int32(statistics)) => both(statistics).into(),
        Some(Statistics::Int64(statistics)) => both(statistics).into(),
        Some(Statistics::Float(statistics)) => both(statistics).into(),
        Some(Statistics::Double(statistics)) => both(statistics).into(),
        _ => return Ok(column.clone()),
    };
    column.clone().into_builder().set_statistics(statistics).build()
}

/// A file of an output; of one in a bucket a copy without a name.
fn opened(output: &Output, name: &str) -> Result<File, Error> {
    if let Place::Local(_) = output.place_of(name) {
        return Ok(output.open_local(name)?);
    }
    let mut copy = output.scratch()?;
    output.fetch(name, &mut copy)?;
    Ok(copy)
}
