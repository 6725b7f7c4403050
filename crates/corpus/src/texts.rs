//! The texts of documents, back from a file of their table.

use std::ops::Range;
use std::sync::Arc;
use std::vec;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use gleaner_store::Output;
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, RowSelection};
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use crate::footer::footer;
use crate::{Error, Part};

/// Rows that are decoded at a time: some texts may be long.
const BATCH: usize = 8;

/// Reads texts of rows of a file of documents, each with a second column, and only the columns and row groups that have them: from a
/// bucket, each column of a row group is one request.
pub struct Texts {
    output: Output,
    file: String,
    columns: [&'static str; 2],
    decoder: ParquetPushDecoder,
    batch: vec::IntoIter<(String, String)>,
}

impl Texts {
    /// Sites and texts of some row groups: of all their rows, or of the rows of these numbers, in ascending order, from 0
    /// for the first row of the first of the row groups. Waits for the store.
    ///
    /// # Errors
    /// The file can't be read, or has another form.
    pub fn open(
        output: &Output,
        file: &Part,
        groups: Range<usize>,
        rows: Option<&[usize]>,
    ) -> Result<Texts, Error> {
        let metadata = footer(output, &file.name, file.bytes)?;
        Texts::of(output, file, metadata, ["site", "text"], groups, rows)
    }

    /// The row ids and texts of a file. Waits for the store.
    ///
    /// # Errors
    /// As [`Texts::open`].
    pub fn with_ids(output: &Output, file: &Part) -> Result<Texts, Error> {
        let metadata = footer(output, &file.name, file.bytes)?;
        let groups = 0..metadata.num_row_groups();
        Texts::of(output, file, metadata, ["row_id", "text"], groups, None)
    }

    fn of(
        output: &Output,
        file: &Part,
        metadata: ParquetMetaData,
        names: [&'static str; 2],
        groups: Range<usize>,
        rows: Option<&[usize]>,
    ) -> Result<Texts, Error> {
        let failed = |detail: String| Error::Read(file.name.clone(), detail);
        let broken = |error: ParquetError| failed(error.to_string());
        let wanted = metadata.row_groups().get(groups.clone());
        let wanted = wanted.ok_or_else(|| failed(format!("it has no row groups {groups:?}")))?;
        let all = wanted.iter().map(|group| group.num_rows() as usize).sum();
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = ParquetPushDecoderBuilder::try_new_decoder_with_options(Arc::new(metadata), options);
        let mut builder = builder.map_err(broken)?;
        if let Some(rows) = rows {
            let rows = rows.iter().filter(|row| **row < all).map(|&row| row..row + 1);
            builder = builder.with_row_selection(RowSelection::from_consecutive_ranges(rows, all));
        }
        let columns = ProjectionMask::columns(builder.parquet_schema(), names);
        let builder = builder.with_projection(columns).with_row_groups(groups.collect());
        Ok(Texts {
            output: output.clone(),
            file: file.name.clone(),
            columns: names,
            decoder: builder.with_batch_size(BATCH).build().map_err(broken)?,
            batch: Vec::new().into_iter(),
        })
    }

    fn next_batch(&mut self) -> Result<Option<Vec<(String, String)>>, Error> {
        let failed = |detail: String| Error::Read(self.file.clone(), detail);
        let broken = |error: ParquetError| failed(error.to_string());
        loop {
            match self.decoder.try_decode().map_err(broken)? {
                DecodeResult::NeedsData(ranges) => {
                    let read = ranges
                        .iter()
                        .map(|range| self.output.get_range(&self.file, range.clone()));
                    let bytes = read.collect::<Result<Vec<_>, _>>()?;
                    self.decoder.push_ranges(ranges, bytes).map_err(broken)?;
                }
                DecodeResult::Data(batch) => {
                    let rows = texts(&batch, self.columns);
                    let lacks = || failed(format!("it has no {} and {}", self.columns[0], self.columns[1]));
                    return rows.map(Some).ok_or_else(lacks);
                }
                DecodeResult::Finished => return Ok(None),
            }
        }
    }
}

fn texts(batch: &RecordBatch, columns: [&str; 2]) -> Option<Vec<(String, String)>> {
    let column = |name| Some(batch.column_by_name(name)?.as_string_opt::<i32>()?.iter());
    let [others, texts] = [column(columns[0])?, column(columns[1])?];
    let owned = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let pairs = others.zip(texts);
    Some(pairs.map(|(other, text)| (owned(other), owned(text))).collect())
}

impl Iterator for Texts {
    type Item = Result<(String, String), Error>;

    fn next(&mut self) -> Option<Result<(String, String), Error>> {
        loop {
            if let Some(row) = self.batch.next() {
                return Some(Ok(row));
            }
            match self.next_batch() {
                Ok(batch) => self.batch = batch?.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::{Corpus, DocumentRow, Identity, Row};

    fn document(row: usize) -> DocumentRow {
        let text = "é tide ".repeat(row * 7919 % 3000 / 2) + &row.to_string();
        DocumentRow {
            site: format!("site{}.example", row / 100),
            text: if row % 5 == 2 { String::new() } else { text },
            ..DocumentRow::default()
        }
    }

    #[test]
    fn sites_and_texts_are_those_that_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let mut table = corpus.file(&DocumentRow::TABLE, None, 0).unwrap();
        let mut encoder = corpus.encoder().unwrap();
        // Row groups of several pages.
        for group in 0..4 {
            let mut rows = (0..1500).map(|row| document(1500 * group + row));
            rows.try_for_each(|row| encoder.push(&row)).unwrap();
            let mut groups = encoder.finish().unwrap().into_iter();
            groups.try_for_each(|group| table.append(group)).unwrap();
        }
        let file = table.finish().unwrap().wait().unwrap();
        let check = |groups: &Range<usize>, rows: Option<&[usize]>, wanted: &[usize]| {
            let mut texts = Texts::open(&output, &file, groups.clone(), rows).unwrap();
            for &row in wanted {
                let DocumentRow { site, text, .. } = document(row);
                assert!(
                    texts.next().unwrap().unwrap() == (site, text),
                    "{row} of {groups:?}"
                );
            }
            assert!(texts.next().is_none());
        };
        for groups in [0..4, 1..3, 2..2] {
            let first = groups.start * 1500;
            let all: Vec<usize> = (0..groups.len() * 1500).collect();
            for every in [1, 3, 701, 6000] {
                let rows = all.iter().copied().filter(|row| row % every == every / 2);
                let rows: Vec<usize> = rows.collect();
                let wanted: Vec<usize> = rows.iter().map(|row| first + row).collect();
                check(&groups, Some(&rows), &wanted);
            }
            let wanted: Vec<usize> = all.iter().map(|row| first + row).collect();
            check(&groups, None, &wanted);
        }
        let error = Texts::open(&output, &file, 3..5, None).err().unwrap().to_string();
        assert_eq!(
            error,
            format!("could not read '{}': it has no row groups 3..5", file.name)
        );
        let name = "documents/none.parquet".to_owned();
        assert!(Texts::open(&output, &Part { name, ..file }, 0..1, None).is_err());
    }
}
