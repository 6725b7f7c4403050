//! Rows back from their files, for the tables that gleaner itself reads.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::table::Row;
use crate::{Error, HistogramRow, TemplateRow};

/// A row that can be read again.
pub trait Readable: Row {
    /// The rows of a file, in order. `name` is what errors call it.
    ///
    /// # Errors
    ///
    /// The bytes are no Parquet file, or one of another table.
    fn read(file: Bytes, name: &str) -> Result<Vec<Self>, Error> {
        let failed = |detail: String| Error::Read {
            file: name.to_owned(),
            detail,
        };
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .and_then(|builder| builder.build())
            .map_err(|error| failed(error.to_string()))?;
        let mut rows = Vec::new();
        for batch in reader {
            let batch = batch.map_err(|error| failed(error.to_string()))?;
            let read = Self::rows(&batch);
            rows.extend(
                read.map_err(|column| failed(format!("it has no column '{column}' of the right type")))?,
            );
        }
        Ok(rows)
    }

    /// The rows of a batch, or the name of a column that is missing.
    #[doc(hidden)]
    fn rows(batch: &RecordBatch) -> Result<Vec<Self>, &'static str>;
}

impl Readable for TemplateRow {
    fn rows(batch: &RecordBatch) -> Result<Vec<TemplateRow>, &'static str> {
        let texts = |name| texts(batch, name);
        let [mut site, mut expression, mut example] =
            [texts("site")?, texts("expression")?, texts("example")?];
        let counts = |name| numbers::<UInt32Type>(batch, name);
        let (pages, sampled_pages) = (counts("pages")?, counts("sampled_pages")?);
        let (cutoff, tokens, occurrences) = (counts("cutoff")?, counts("tokens")?, counts("occurrences")?);
        let row = |row: usize| TemplateRow {
            site: std::mem::take(&mut site[row]),
            expression: std::mem::take(&mut expression[row]),
            pages: pages[row],
            sampled_pages: sampled_pages[row],
            cutoff: cutoff[row],
            tokens: tokens[row],
            occurrences: occurrences[row],
            example: std::mem::take(&mut example[row]),
        };
        Ok((0..batch.num_rows()).map(row).collect())
    }
}

impl Readable for HistogramRow {
    fn rows(batch: &RecordBatch) -> Result<Vec<HistogramRow>, &'static str> {
        let mut site = texts(batch, "site")?;
        let (pages, tokens) = (
            numbers::<Int64Type>(batch, "pages")?,
            numbers::<Int64Type>(batch, "tokens")?,
        );
        let counts = |name| numbers::<UInt32Type>(batch, name);
        let (sampled, cutoff, bin) = (counts("sampled_pages")?, counts("cutoff")?, counts("cutoff_bin")?);
        let (bins, examples) = (lists(batch, "bins")?, lists(batch, "examples")?);
        let mut rows = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let bins = bins[row].as_primitive_opt::<Int64Type>().ok_or("bins")?;
            let examples = examples[row].as_string_opt::<i32>().ok_or("examples")?;
            rows.push(HistogramRow {
                site: std::mem::take(&mut site[row]),
                pages: pages[row] as u64,
                sampled_pages: sampled[row],
                tokens: tokens[row] as u64,
                cutoff: cutoff[row],
                cutoff_bin: bin[row],
                bins: bins.values().iter().map(|&count| count as u64).collect(),
                examples: examples
                    .iter()
                    .map(|text| text.unwrap_or_default().to_owned())
                    .collect(),
            });
        }
        Ok(rows)
    }
}

fn texts(batch: &RecordBatch, name: &'static str) -> Result<Vec<String>, &'static str> {
    let column = batch
        .column_by_name(name)
        .and_then(|column| column.as_string_opt::<i32>());
    let column = column.ok_or(name)?;
    Ok(column
        .iter()
        .map(|text| text.unwrap_or_default().to_owned())
        .collect())
}

fn numbers<T: ArrowPrimitiveType>(
    batch: &RecordBatch,
    name: &'static str,
) -> Result<Vec<T::Native>, &'static str> {
    let column = batch
        .column_by_name(name)
        .and_then(|column| column.as_primitive_opt::<T>());
    Ok(column.ok_or(name)?.values().to_vec())
}

fn lists(batch: &RecordBatch, name: &'static str) -> Result<Vec<Arc<dyn Array>>, &'static str> {
    let column = batch
        .column_by_name(name)
        .and_then(|column| column.as_list_opt::<i32>());
    let column = column.ok_or(name)?;
    Ok((0..column.len()).map(|row| column.value(row)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, TableWriter};

    fn written<R: Row>(rows: &[R]) -> Bytes {
        let mut writer =
            TableWriter::<R, Vec<u8>>::new(Vec::new(), "t.parquet", &Settings::default()).unwrap();
        for row in rows {
            writer.push(row).unwrap();
        }
        writer.into_inner().unwrap().into()
    }

    #[test]
    fn what_was_written_is_read() {
        let template = |number: u32| TemplateRow {
            site: format!("{}.example", number % 3),
            expression: format!(r"(\s+|^)a\s+é{number}(\s+|$)"),
            pages: number,
            sampled_pages: 512,
            cutoff: 40,
            tokens: 2,
            occurrences: number + 1,
            example: "http://a.example/".into(),
        };
        let rows: Vec<TemplateRow> = (0..3000).map(template).collect();
        assert_eq!(TemplateRow::read(written(&rows), "t.parquet").unwrap(), rows);
        let histogram = |number: u64| HistogramRow {
            site: format!("{number}.example"),
            pages: number,
            sampled_pages: 3,
            tokens: number * number,
            cutoff: 4,
            cutoff_bin: 5,
            bins: (0..number % 7).collect(),
            examples: vec!["a".into(); (number % 3) as usize],
        };
        let rows: Vec<HistogramRow> = (0..50).map(histogram).collect();
        assert_eq!(HistogramRow::read(written(&rows), "t.parquet").unwrap(), rows);
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let error = TemplateRow::read(Bytes::from_static(b"no Parquet"), "a/b.parquet")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("could not read 'a/b.parquet': "), "{error}");
        let error = TemplateRow::read(written(&[HistogramRow::default()]), "h.parquet")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("it has no column 'expression' of the right type"),
            "{error}"
        );
    }
}
