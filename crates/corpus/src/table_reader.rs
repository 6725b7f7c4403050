//! Some columns of some rows of a file.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use gleaner_store::Output;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, RowSelection};
use parquet::arrow::push_decoder::ParquetPushDecoderBuilder;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use crate::decode::decode;
use crate::footer::footer;
use crate::{Error, TableFile};

/// A file of a table whose footer is read. Cheap to share.
#[derive(Clone, Debug)]
pub struct TableReader {
    output: Output,
    file: String,
    metadata: Arc<ParquetMetaData>,
}

impl TableReader {
    /// Reads the footer of a file. Waits for the store.
    ///
    /// # Errors
    /// The file cannot be read, or is no Parquet file.
    pub fn open(output: &Output, file: &TableFile) -> Result<TableReader, Error> {
        Ok(TableReader {
            output: output.clone(),
            metadata: Arc::new(footer(output, &file.name, file.bytes)?),
            file: file.name.clone(),
        })
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Its rows.
    pub fn rows(&self) -> u64 {
        self.groups().map(|group| group.end - group.start).sum()
    }

    /// The rows of each row group.
    pub fn groups(&self) -> impl Iterator<Item = Range<u64>> {
        let groups = self.metadata.row_groups().iter();
        groups.scan(0, |end, group| {
            let start = *end;
            *end += group.num_rows().max(0).cast_unsigned();
            Some(start..*end)
        })
    }

    /// The columns of these names of some rows, as one batch. Waits for the store.
    ///
    /// # Errors
    /// The file cannot be read, has no such column, or fewer rows.
    pub fn read(&self, columns: &[&str], rows: Range<u64>) -> Result<RecordBatch, Error> {
        let failed = |detail: String| Error::Read(self.file.clone(), detail);
        let broken = |error: ParquetError| failed(error.to_string());
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = Arc::clone(&self.metadata);
        let builder = ParquetPushDecoderBuilder::try_new_decoder_with_options(metadata, options);
        let builder = builder.map_err(broken)?;
        let schema = builder.schema();
        if let Some(lacks) = columns
            .iter()
            .find(|name| schema.column_with_name(name).is_none())
        {
            return Err(failed(format!("it has no column '{lacks}'")));
        }
        let wanted = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
        let (groups, selection) = self.selection(&rows);
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let decoder = builder
            .with_projection(wanted)
            .with_row_groups(groups)
            .with_row_selection(selection)
            .with_batch_size(count.max(1))
            .build()
            .map_err(broken)?;
        let mut batches = Vec::new();
        decode(&self.output, &self.file, decoder, &mut |batch| {
            batches.push(batch);
            Ok(ControlFlow::Continue(()))
        })?;
        let Some(first) = batches.first() else {
            return Err(failed(format!("it has no rows {rows:?}")));
        };
        let batch = match batches.as_slice() {
            [only] => only.clone(),
            all => concat_batches(first.schema_ref(), all).map_err(|error| failed(error.to_string()))?,
        };
        match batch.num_rows() == count {
            true => Ok(batch),
            false => Err(failed(format!("it has no rows {rows:?}"))),
        }
    }

    /// The row groups that have some of these rows, and which rows of them these are.
    fn selection(&self, rows: &Range<u64>) -> (Vec<usize>, RowSelection) {
        let touched = |group: &Range<u64>| group.start < rows.end && rows.start < group.end;
        let groups: Vec<(usize, Range<u64>)> = self
            .groups()
            .enumerate()
            .filter(|(_, group)| touched(group))
            .collect();
        let start = groups.first().map_or(0, |(_, group)| group.start);
        let end = groups.last().map_or(0, |(_, group)| group.end);
        let place = |row: u64| usize::try_from(row.clamp(start, end) - start).unwrap_or(usize::MAX);
        let own = place(rows.start)..place(rows.end);
        let selection = RowSelection::from_consecutive_ranges([own].into_iter(), place(end));
        (groups.into_iter().map(|(number, _)| number).collect(), selection)
    }
}
