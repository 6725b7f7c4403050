//! Some columns of some rows of a file.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use gleaner_store::Output;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, RowSelection};
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use crate::decode::decode;
use crate::footer::footer;
use crate::lookup::column_number;
use crate::{Error, Limits, TableFile};

/// A file of a table whose footer is read. Cheap to share.
#[derive(Clone, Debug)]
pub struct TableReader {
    pub(crate) output: Output,
    pub(crate) file: String,
    pub(crate) metadata: Arc<ParquetMetaData>,
}

/// Rows that [`TableReader::read_some`] decodes at a time: some texts may be long.
const FEW: usize = 32;

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
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let decoder = self.decoder(columns, std::slice::from_ref(&rows), count)?;
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

    /// The columns of these names of some rows, whose numbers ascend, a few rows at a time, until it is enough: each row with its
    /// number, a batch, and its place there. Memory holds few rows, and what a column of a row group has in the file. Waits for the store.
    ///
    /// # Errors
    /// As [`TableReader::read`].
    pub fn read_some(
        &self,
        columns: &[&str],
        rows: &[u64],
        give: &mut dyn FnMut(u64, &RecordBatch, usize) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let ranges: Vec<Range<u64>> = rows.iter().map(|row| *row..row + 1).collect();
        let decoder = self.decoder(columns, &ranges, FEW)?;
        let mut numbers = rows.iter();
        decode(&self.output, &self.file, decoder, &mut |batch| {
            for (place, number) in (0..batch.num_rows()).zip(&mut numbers) {
                if give(*number, &batch, place).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// The limits of a column in the row group that has all of these rows; none if several have them, or the footer has no limits.
    pub fn limits(&self, column: &str, rows: &Range<u64>) -> Option<Limits> {
        let mut groups = self.groups();
        let group = groups.position(|group| group.start <= rows.start && rows.end <= group.end)?;
        let number = column_number(&self.metadata, column)?;
        Limits::of(self.metadata.row_group(group).column(number))
    }

    /// Decodes columns of ranges of rows, which ascend.
    fn decoder(
        &self,
        columns: &[&str],
        rows: &[Range<u64>],
        batch: usize,
    ) -> Result<ParquetPushDecoder, Error> {
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
        let (groups, selection) = self.selection(rows);
        let builder = builder.with_projection(wanted).with_row_groups(groups);
        let builder = builder
            .with_row_selection(selection)
            .with_batch_size(batch.max(1));
        builder.build().map_err(broken)
    }

    /// The row groups that have some of these rows, with those between them, and which rows of them these are.
    fn selection(&self, rows: &[Range<u64>]) -> (Vec<usize>, RowSelection) {
        let first = rows.first().map_or(0, |range| range.start);
        let last = rows.last().map_or(0, |range| range.end);
        let touched = |group: &Range<u64>| group.start < last && first < group.end;
        let groups: Vec<(usize, Range<u64>)> = self
            .groups()
            .enumerate()
            .filter(|(_, group)| touched(group))
            .collect();
        let start = groups.first().map_or(0, |(_, group)| group.start);
        let end = groups.last().map_or(0, |(_, group)| group.end);
        let place = |row: u64| usize::try_from(row.clamp(start, end) - start).unwrap_or(usize::MAX);
        let own = rows.iter().map(|range| place(range.start)..place(range.end));
        let selection = RowSelection::from_consecutive_ranges(own, place(end));
        (groups.into_iter().map(|(number, _)| number).collect(), selection)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::{Corpus, Identity, RejectRow, Row};

    fn row(number: u64) -> RejectRow {
        RejectRow {
            detail: format!("No. {number}"),
            warc_offset: number,
            ..RejectRow::default()
        }
    }

    /// A file of row groups with these numbers of rows.
    fn written(groups: &[u64]) -> (tempfile::TempDir, Output, TableFile) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let mut file = corpus.file(&RejectRow::TABLE, None, 0).unwrap();
        let mut encoder = corpus.encoder().unwrap();
        let mut number = 0;
        for rows in groups {
            for _ in 0..*rows {
                encoder.push(&row(number)).unwrap();
                number += 1;
            }
            let encoded = encoder.finish().unwrap().into_iter();
            encoded.for_each(|group| file.append(group).unwrap());
        }
        let part = file.finish().unwrap().wait().unwrap();
        let file = TableFile {
            name: part.name,
            rows: Some(part.rows),
            bytes: part.bytes,
        };
        (folder, output, file)
    }

    #[test]
    fn any_rows_are_read_whatever_the_row_groups() {
        let (_folder, output, file) = written(&[3, 1, 5000, 7]);
        let reader = TableReader::open(&output, &file).unwrap();
        assert_eq!(reader.rows(), 5011);
        let groups: Vec<_> = reader.groups().collect();
        assert_eq!(groups, [0..3, 3..4, 4..5004, 5004..5011]);
        for rows in [0..1, 0..3, 2..4, 3..4, 1..5010, 4998..5011, 5010..5011, 0..5011] {
            let batch = reader.read(&["detail"], rows.clone()).unwrap();
            assert_eq!(batch.num_columns(), 1);
            let read = batch.column(0).as_string::<i32>().iter().map(Option::unwrap);
            let expected = rows.clone().map(|number| row(number).detail);
            assert!(read.eq(expected), "{rows:?}");
        }
    }

    #[test]
    fn some_rows_are_read_as_all_are() {
        let (_folder, output, file) = written(&[3, 1, 5000, 7]);
        let reader = TableReader::open(&output, &file).unwrap();
        for rows in [vec![], vec![0], vec![2, 3, 4], vec![5, 6, 3000, 5003, 5004, 5010]] {
            let mut read = Vec::new();
            let mut take = |number, batch: &RecordBatch, place| {
                read.push((number, batch.column(0).as_string::<i32>().value(place).to_owned()));
                ControlFlow::Continue(())
            };
            reader.read_some(&["detail"], &rows, &mut take).unwrap();
            let expected = rows.iter().map(|number| (*number, row(*number).detail));
            assert!(read.into_iter().eq(expected), "{rows:?}");
        }
        let mut seen = 0;
        let mut first = |_, _: &RecordBatch, _| {
            seen += 1;
            ControlFlow::Break(())
        };
        reader.read_some(&["detail"], &[1, 2], &mut first).unwrap();
        assert_eq!(seen, 1);
    }

    #[test]
    fn limits_are_those_of_one_row_group() {
        let (_folder, output, file) = written(&[3, 1, 5000, 7]);
        let reader = TableReader::open(&output, &file).unwrap();
        let limits = |rows| reader.limits("warc_offset", &rows);
        let numbers = |least, most| Some(Limits::Numbers { least, most });
        assert_eq!(limits(1..3), numbers(0.0, 2.0));
        assert_eq!(limits(4..5004), numbers(4.0, 5003.0));
        assert_eq!(limits(3..5), None);
        let texts = reader.limits("detail", &(0..3)).unwrap();
        assert!(texts.may_have("No. 1") && !texts.may_have("No. 3") && !texts.may_have("No"));
        assert!(texts.may_have_begin("No") && texts.may_have_begin("No. 2") && !texts.may_have_begin("P"));
    }

    #[test]
    fn rows_and_columns_that_are_not_there_are_named() {
        let (_folder, output, file) = written(&[3]);
        let reader = TableReader::open(&output, &file).unwrap();
        let said = |columns: &[&str], rows| reader.read(columns, rows).unwrap_err().to_string();
        assert!(said(&["none"], 0..1).ends_with("it has no column 'none'"));
        for rows in [2..4, 3..4, 9..10] {
            assert!(said(&["detail"], rows.clone()).ends_with(&format!("it has no rows {rows:?}")));
        }
    }
}
