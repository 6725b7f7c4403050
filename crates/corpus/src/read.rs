//! Rows back from their files, for the tables that gleaner itself reads. Other programs may have rewritten them: with
//! another coding, other columns beside, and integers and texts of other types.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, NullArray, RecordBatch};
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use crate::table::Row;
use crate::{Error, HistogramRow, TemplateRow};

/// A row that can be read again.
pub trait Readable: Row {
    /// The columns that a file needs; others are zero or empty where they are missing.
    #[doc(hidden)]
    const NEEDED: &[&str];

    /// The rows of a file, in order. `name` is what errors call it.
    ///
    /// # Errors
    /// The bytes are no Parquet file, or one of another table.
    fn read(file: Bytes, name: &str) -> Result<Vec<Self>, Error> {
        let failed = |detail: String| Error::Read(name.to_owned(), detail);
        let broken = |error: parquet::errors::ParquetError| failed(error.to_string());
        // The types follow from what is stored; which arrays its writer held it in does not matter.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).map_err(broken)?;
        let schema = builder.schema();
        if let Some(lacks) = Self::NEEDED
            .iter()
            .find(|name| schema.column_with_name(name).is_none())
        {
            return Err(failed(format!("it has no column '{lacks}'")));
        }
        let columns = Self::TABLE.columns().into_iter().map(|column| column.name);
        let wanted = ProjectionMask::columns(builder.parquet_schema(), columns);
        let mut rows = Vec::new();
        for batch in builder.with_projection(wanted).build().map_err(broken)? {
            let batch = Batch {
                rows: batch.map_err(|error| failed(error.to_string()))?,
                first_row: rows.len(),
            };
            rows.extend(Self::rows(&batch).map_err(failed)?);
        }
        Ok(rows)
    }

    /// The rows of a batch, or what is wrong with its columns.
    #[doc(hidden)]
    fn rows(batch: &Batch) -> Result<Vec<Self>, String>;
}

impl Readable for TemplateRow {
    const NEEDED: &[&str] = &["site", "expression"];

    fn rows(batch: &Batch) -> Result<Vec<TemplateRow>, String> {
        let (mut site, mut expression) = (batch.texts("site")?, batch.texts("expression")?);
        batch.check_filled("site", &site)?;
        batch.check_filled("expression", &expression)?;
        let mut example = batch.texts("example")?;
        let counts = |name| batch.numbers::<u32>(name);
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
        Ok((0..batch.rows.num_rows()).map(row).collect())
    }
}

impl Readable for HistogramRow {
    const NEEDED: &[&str] = &["site", "sampled_pages", "tokens", "cutoff", "cutoff_bin", "bins"];

    fn rows(batch: &Batch) -> Result<Vec<HistogramRow>, String> {
        let mut site = batch.texts("site")?;
        let tokens = batch.numbers::<u64>("tokens")?;
        let counts = |name| batch.numbers::<u32>(name);
        let (sampled, cutoff, bin) = (counts("sampled_pages")?, counts("cutoff")?, counts("cutoff_bin")?);
        let bins = batch.lists("bins")?;
        let row = |row: usize| {
            Ok(HistogramRow {
                site: std::mem::take(&mut site[row]),
                sampled_pages: sampled[row],
                tokens: tokens[row],
                cutoff: cutoff[row],
                cutoff_bin: bin[row],
                bins: numbers_of(&bins[row]).ok_or_else(|| wrong("bins", bins[row].data_type(), NUMBERS))?,
            })
        };
        (0..batch.rows.num_rows()).map(row).collect()
    }
}

const TEXTS: &str = "texts";
const NUMBERS: &str = "whole numbers";

/// Some rows of a file, column by column.
#[doc(hidden)]
#[derive(Debug)]
pub struct Batch {
    rows: RecordBatch,
    /// How many rows of the file are before it.
    first_row: usize,
}

impl Batch {
    fn column(&self, name: &str) -> ArrayRef {
        let missing = || Arc::new(NullArray::new(self.rows.num_rows())) as ArrayRef;
        self.rows.column_by_name(name).map_or_else(missing, Arc::clone)
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let column = self.column(name);
        texts_of(&column).ok_or_else(|| wrong(name, column.data_type(), TEXTS))
    }

    /// Of the texts of a column none may be missing.
    fn check_filled(&self, name: &str, texts: &[String]) -> Result<(), String> {
        match texts.iter().position(String::is_empty) {
            Some(row) => Err(format!(
                "its column '{name}' is null or empty in row {}: every row needs a value there",
                self.first_row + row + 1
            )),
            None => Ok(()),
        }
    }

    fn numbers<N: TryFrom<i128> + Default>(&self, name: &str) -> Result<Vec<N>, String> {
        let column = self.column(name);
        numbers_of(&column).ok_or_else(|| wrong(name, column.data_type(), NUMBERS))
    }

    fn lists(&self, name: &str) -> Result<Vec<ArrayRef>, String> {
        let column = self.column(name);
        let lists = column.as_list_opt::<i32>();
        let lists = lists.ok_or_else(|| wrong(name, column.data_type(), "lists"))?;
        Ok((0..lists.len()).map(|row| lists.value(row)).collect())
    }
}

fn wrong(name: &str, found: &DataType, wanted: &str) -> String {
    format!("its column '{name}' has the type {found}, and should hold {wanted}")
}

/// A column of texts; null is the empty one.
fn texts_of(column: &ArrayRef) -> Option<Vec<String>> {
    let owned = |text: Option<&str>| text.unwrap_or_default().to_owned();
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().iter().map(owned).collect()),
        // Some programs leave out that bytes are text.
        DataType::Binary => {
            let text = |bytes: &[u8]| Some(std::str::from_utf8(bytes).ok()?.to_owned());
            let bytes = column.as_binary::<i32>().iter();
            bytes.map(|bytes| text(bytes.unwrap_or_default())).collect()
        }
        DataType::Null => Some(vec![String::new(); column.len()]),
        _ => None,
    }
}

/// A column of whole numbers of any width; null is zero. `None` also for a number that is too large.
fn numbers_of<N: TryFrom<i128> + Default>(column: &ArrayRef) -> Option<Vec<N>> {
    fn whole(number: impl Into<i128>) -> Option<i128> {
        Some(number.into())
    }
    fn real(number: impl Into<f64>) -> Option<i128> {
        let number = number.into();
        (number.fract() == 0.0).then_some(number as i128)
    }
    macro_rules! numbers {
        ($type:ty, $to:expr) => {{
            let numbers = column.as_primitive::<$type>().iter();
            numbers
                .map(|number| number.map_or(Some(N::default()), |number| N::try_from($to(number)?).ok()))
                .collect()
        }};
    }
    match column.data_type() {
        DataType::Int8 => numbers!(Int8Type, whole),
        DataType::Int16 => numbers!(Int16Type, whole),
        DataType::Int32 => numbers!(Int32Type, whole),
        DataType::Int64 => numbers!(Int64Type, whole),
        DataType::UInt8 => numbers!(UInt8Type, whole),
        DataType::UInt16 => numbers!(UInt16Type, whole),
        DataType::UInt32 => numbers!(UInt32Type, whole),
        DataType::UInt64 => numbers!(UInt64Type, whole),
        DataType::Float32 => numbers!(Float32Type, real),
        DataType::Float64 => numbers!(Float64Type, real),
        DataType::Null => Some((0..column.len()).map(|_| N::default()).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{
        BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int16Array, Int64Array, LargeStringArray,
        StringArray, StringViewArray, UInt8Array, UInt64Array,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
    use parquet::file::properties::WriterProperties;

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
            sampled_pages: number as u32,
            tokens: number * number,
            cutoff: 4,
            cutoff_bin: 5,
            bins: (0..number % 7).collect(),
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
        assert!(error.contains("it has no column 'expression'"), "{error}");
    }

    /// A file as other programs write it.
    fn other(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Bytes {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes.into()
    }

    #[test]
    fn what_other_programs_write_is_read() {
        let (sites, expressions) = (["a.example", "b.example"], ["a+", "b"]);
        let texts: [[ArrayRef; 2]; 4] = [
            [
                Arc::new(StringArray::from_iter_values(sites)),
                Arc::new(LargeStringArray::from_iter_values(expressions)),
            ],
            [
                Arc::new(StringViewArray::from_iter_values(sites)),
                Arc::new(BinaryArray::from_iter_values(expressions)),
            ],
            [
                Arc::new(sites.into_iter().collect::<DictionaryArray<Int32Type>>()),
                Arc::new(expressions.into_iter().collect::<DictionaryArray<Int8Type>>()),
            ],
            [
                Arc::new(LargeStringArray::from_iter_values(sites)),
                Arc::new(StringViewArray::from_iter_values(expressions)),
            ],
        ];
        let numbers: [ArrayRef; 5] = [
            Arc::new(Int64Array::from_iter_values([3, 4])),
            Arc::new(UInt8Array::from_iter_values([3, 4])),
            Arc::new(Int16Array::from_iter_values([3, 4])),
            Arc::new(Float64Array::from_iter_values([3.0, 4.0])),
            Arc::new(UInt64Array::from_iter_values([3, 4])),
        ];
        let compressions = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::ZSTD(ZstdLevel::default()),
            Compression::LZ4_RAW,
            Compression::BROTLI(BrotliLevel::default()),
        ];
        for (place, compression) in compressions.into_iter().enumerate() {
            let [site, expression] = &texts[place % texts.len()];
            let pages = &numbers[place % numbers.len()];
            let more: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
            let columns = vec![
                ("more", more),
                ("expression", Arc::clone(expression)),
                ("pages", Arc::clone(pages)),
                ("site", Arc::clone(site)),
            ];
            let rows = TemplateRow::read(other(columns, compression), "t.parquet").unwrap();
            let found: Vec<_> = rows
                .iter()
                .map(|row| (row.site.as_str(), row.expression.as_str(), row.pages, row.tokens))
                .collect();
            assert_eq!(
                found,
                [("a.example", "a+", 3, 0), ("b.example", "b", 4, 0)],
                "{compression}"
            );
        }
    }

    #[test]
    fn a_row_without_site_or_expression_is_named() {
        let full = || -> ArrayRef { Arc::new(StringArray::from_iter_values(vec!["a"; 3000])) };
        for missing in [None, Some("")] {
            let gap = (0..3000).map(|row| if row == 2500 { missing } else { Some("a") });
            let gap: ArrayRef = Arc::new(gap.collect::<StringArray>());
            for name in ["site", "expression"] {
                let column = |other| if name == other { Arc::clone(&gap) } else { full() };
                let columns = vec![("site", column("site")), ("expression", column("expression"))];
                let error = TemplateRow::read(other(columns, Compression::SNAPPY), "t.parquet").unwrap_err();
                let place = format!("its column '{name}' is null or empty in row 2501: ");
                assert!(error.to_string().contains(&place), "{error}");
            }
        }
    }

    #[test]
    fn columns_of_another_type_are_named() {
        let text: ArrayRef = Arc::new(StringArray::from_iter_values(["a"]));
        for (numbers, detail) in [
            (
                Arc::clone(&text),
                "its column 'pages' has the type Utf8, and should hold whole numbers",
            ),
            (
                Arc::new(Float64Array::from_iter_values([0.5])),
                "its column 'pages'",
            ),
            (Arc::new(Int64Array::from_iter_values([-1])), "its column 'pages'"),
        ] {
            let columns = vec![
                ("site", Arc::clone(&text)),
                ("expression", Arc::clone(&text)),
                ("pages", numbers),
            ];
            let file = other(columns, Compression::SNAPPY);
            let error = TemplateRow::read(file, "t.parquet").unwrap_err().to_string();
            assert!(error.contains(detail), "{error}");
        }
    }
}
