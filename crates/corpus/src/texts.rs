//! The texts of documents, back from a file of their table.

use std::vec;

use arrow_array::cast::AsArray;
use gleaner_store::Output;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::PageIndexPolicy;

use crate::Error;
use crate::stored::opened;

/// Texts that are decoded at a time: some may be long.
const BATCH: usize = 8;

/// Reads the texts of some rows of a file of documents, and only those pages of the file that have them.
pub struct Texts {
    file: String,
    batches: ParquetRecordBatchReader,
    batch: vec::IntoIter<String>,
}

impl Texts {
    /// Those of the rows of these numbers, from 0, in ascending order. A file in a bucket is fetched.
    ///
    /// # Errors
    ///
    /// The file can't be read, or has another form.
    pub fn open(output: &Output, file: &str, rows: &[usize]) -> Result<Texts, Error> {
        let options = ArrowReaderOptions::new()
            .with_skip_arrow_metadata(true)
            .with_page_index_policy(PageIndexPolicy::Optional);
        let broken = |error| broken(file, &error);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(opened(output, file)?, options);
        let builder = builder.map_err(broken)?;
        let all = builder.metadata().file_metadata().num_rows() as usize;
        let rows = rows.iter().filter(|row| **row < all).map(|&row| row..row + 1);
        let column = ProjectionMask::columns(builder.parquet_schema(), ["text"]);
        let batches = builder
            .with_projection(column)
            .with_row_selection(RowSelection::from_consecutive_ranges(rows, all))
            .with_batch_size(BATCH)
            .build();
        Ok(Texts {
            file: file.to_owned(),
            batches: batches.map_err(broken)?,
            batch: Vec::new().into_iter(),
        })
    }

    fn next_batch(&mut self) -> Result<Option<vec::IntoIter<String>>, Error> {
        let Some(batch) = self.batches.next() else {
            return Ok(None);
        };
        let batch = batch.map_err(|error| broken(&self.file, &error.into()))?;
        let texts = batch
            .columns()
            .first()
            .and_then(|column| column.as_string_opt::<i32>());
        let texts = texts.ok_or_else(|| broken(&self.file, &ParquetError::General("no texts".to_owned())))?;
        let texts: Vec<String> = texts
            .iter()
            .map(|text| text.unwrap_or_default().to_owned())
            .collect();
        Ok(Some(texts.into_iter()))
    }
}

impl Iterator for Texts {
    type Item = Result<String, Error>;

    fn next(&mut self) -> Option<Result<String, Error>> {
        loop {
            if let Some(text) = self.batch.next() {
                return Some(Ok(text));
            }
            match self.next_batch() {
                Ok(batch) => self.batch = batch?,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn broken(file: &str, error: &ParquetError) -> Error {
    Error::Read(file.to_owned(), error.to_string())
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::{Corpus, DocumentRow, Identity};

    #[test]
    fn texts_of_some_rows_are_those_that_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let mut table = corpus.table::<DocumentRow>(0).unwrap();
        // Of several pages and row groups, and some are empty.
        let text = |row: usize| "é tide ".repeat(row * 7919 % 3000 / 2) + &row.to_string();
        for row in 0..6000 {
            let text = if row % 5 == 2 { String::new() } else { text(row) };
            table
                .push(&DocumentRow {
                    text,
                    ..DocumentRow::default()
                })
                .unwrap();
        }
        let file = table.finish().unwrap().wait().unwrap();
        for every in [1, 3, 701, 6000] {
            let rows: Vec<usize> = (0..6000).filter(|row| row % every == every / 2).collect();
            let mut texts = Texts::open(&output, &file.name, &rows).unwrap();
            for &row in &rows {
                let expected = if row % 5 == 2 { String::new() } else { text(row) };
                assert!(
                    texts.next().unwrap().unwrap() == expected,
                    "{row} of every {every}"
                );
            }
            assert!(texts.next().is_none());
        }
        assert!(Texts::open(&output, "documents/none.parquet", &[0]).is_err());
    }
}
