//! Whether two corpora have the same rows in some row groups of a table of pages: row by row, and column by column.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use gleaner_store::Output;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::push_decoder::ParquetPushDecoderBuilder;
use parquet::errors::ParquetError;
use serde::Serialize;

use crate::decode::decode;
use crate::footer::footer;
use crate::{Error, Part, Table, surt};

/// Rows that are decoded at a time.
const BATCH: usize = 1024;

/// Some row groups of a file.
#[derive(Clone, Debug)]
pub struct RowGroups {
    /// The file.
    pub file: Part,
    /// The numbers of the row groups.
    pub groups: Range<usize>,
}

/// Row groups of a corpus.
#[derive(Clone, Copy, Debug)]
pub struct RowsOf<'a> {
    /// The corpus.
    pub output: &'a Output,
    /// The row groups, all of one table.
    pub groups: &'a [RowGroups],
}

/// A row that two corpora do not have in the same form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DifferentRow {
    /// The table.
    pub table: &'static str,
    /// The name of the capture; none of rows that are of no capture.
    pub row_id: Option<String>,
    /// The URL of the page, if the table has it.
    pub url: Option<String>,
    /// What else distinguishes the row in its table, by column, such as `block` and `3`.
    pub key: BTreeMap<&'static str, String>,
    /// In what they differ.
    #[serde(flatten)]
    pub difference: RowDifference,
}

/// In what two corpora differ where a row is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "columns", rename_all = "kebab-case")]
pub enum RowDifference {
    /// These columns have other values.
    Values(Vec<String>),
    /// The first corpus has the row, and the second one, built from the archives, does not.
    NotInArchives,
    /// The second corpus, built from the archives, has the row, and the first one does not.
    NotInCorpus,
}

/// Compares rows of a table in two corpora. Of the second one, rows with SURTs beyond a range are left out, where the table has URLs;
/// the range has no end where that is empty. Gives the number of rows in the first corpus. Waits for the store.
///
/// # Errors
/// The files cannot be read, or are of another table.
pub fn compare_rows(
    table: &Table,
    [first, second]: [RowsOf<'_>; 2],
    surts: &Range<Vec<u8>>,
    give: &mut dyn FnMut(DifferentRow),
) -> Result<u64, Error> {
    let [first, second] = [first.read()?, second.read()?];
    let rows = first.iter().map(|batch| batch.num_rows() as u64).sum();
    if first == second {
        return Ok(rows);
    }
    let table = KeyedTable::of(table);
    let is_within = |surt: &str| {
        let surt = surt.as_bytes();
        *surts.start <= *surt && (surts.end.is_empty() || *surt < *surts.end)
    };
    let first = table.by_key(&first, |_| true)?;
    let second = table.by_key(&second, |row| row.surt().is_none_or(|surt| is_within(&surt)))?;
    for (key, one) in &first {
        match second.get(key) {
            Some(other) => {
                let columns = one.different_columns(*other);
                if !columns.is_empty() {
                    give(table.different(*one, RowDifference::Values(columns)));
                }
            }
            None => give(table.different(*one, RowDifference::NotInArchives)),
        }
    }
    let more = second.iter().filter(|(key, _)| !first.contains_key(*key));
    more.for_each(|(_, row)| give(table.different(*row, RowDifference::NotInCorpus)));
    Ok(rows)
}

impl RowsOf<'_> {
    fn read(&self) -> Result<Vec<RecordBatch>, Error> {
        let mut batches = Vec::new();
        for groups in self.groups.iter().filter(|groups| !groups.groups.is_empty()) {
            read(self.output, groups, &mut batches)?;
        }
        Ok(batches)
    }
}

fn read(
    output: &Output,
    RowGroups { file, groups }: &RowGroups,
    batches: &mut Vec<RecordBatch>,
) -> Result<(), Error> {
    let failed = |detail: String| Error::Read(file.name.clone(), detail);
    let broken = |error: ParquetError| failed(error.to_string());
    let metadata = footer(output, &file.name, file.bytes)?;
    if groups.end > metadata.num_row_groups() {
        return Err(failed(format!("it has no row groups {groups:?}")));
    }
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetPushDecoderBuilder::try_new_decoder_with_options(Arc::new(metadata), options);
    let builder = builder.map_err(broken)?.with_batch_size(BATCH);
    let decoder = builder
        .with_row_groups(groups.clone().collect())
        .build()
        .map_err(broken)?;
    decode(output, &file.name, decoder, &mut |batch| {
        batches.push(batch);
        Ok(ControlFlow::Continue(()))
    })
}

/// A table, and the columns by which its rows are found again.
struct KeyedTable {
    name: &'static str,
    keys: &'static [&'static str],
}

impl KeyedTable {
    fn of(table: &Table) -> KeyedTable {
        let keys: &[&str] = match table.name {
            "blocks" => &["row_id", "block"],
            "posts" => &["row_id", "post"],
            "rights" => &["row_id", "signal", "found_in", "value"],
            "contamination" => &["row_id", "task", "passage", "span_start"],
            "templates" => &["site", "expression"],
            "histograms" => &["site"],
            // Damaged places have no row id.
            "rejects" => &["row_id", "warc_file", "warc_offset"],
            _ => &["row_id"],
        };
        KeyedTable {
            name: table.name,
            keys,
        }
    }

    /// Rows by their keys. Of several rows with one key each also has its number.
    fn by_key<'b>(
        &self,
        batches: &'b [RecordBatch],
        is_wanted: impl Fn(RowAt<'b>) -> bool,
    ) -> Result<BTreeMap<(Vec<String>, usize), RowAt<'b>>, Error> {
        let mut rows = BTreeMap::new();
        for batch in batches {
            for row in (0..batch.num_rows()).map(|row| RowAt { batch, row }) {
                if !is_wanted(row) {
                    continue;
                }
                let key: Vec<String> = self
                    .keys
                    .iter()
                    .map(|key| row.text(key).unwrap_or_default())
                    .collect();
                let before = rows.range((key.clone(), 0)..=(key.clone(), usize::MAX)).count();
                rows.insert((key, before), row);
            }
        }
        Ok(rows)
    }

    fn different(&self, row: RowAt<'_>, difference: RowDifference) -> DifferentRow {
        let row_id = row.text("row_id");
        // (Where a row has a name, its place in the archives says no more.)
        let others = |key: &&&str| **key != "row_id" && (row_id.is_none() || self.name != "rejects");
        let key = self.keys.iter().filter(others);
        DifferentRow {
            table: self.name,
            url: row.text("url"),
            key: key.filter_map(|key| Some((*key, row.text(key)?))).collect(),
            row_id,
            difference,
        }
    }
}

/// A row of a batch.
#[derive(Clone, Copy)]
struct RowAt<'b> {
    batch: &'b RecordBatch,
    row: usize,
}

impl RowAt<'_> {
    /// A text or whole number; none where it is null, or there is no such column.
    fn text(self, column: &str) -> Option<String> {
        let column = self.batch.column_by_name(column)?;
        if column.is_null(self.row) {
            return None;
        }
        match column.data_type() {
            DataType::Utf8 => Some(column.as_string::<i32>().value(self.row).to_owned()),
            DataType::UInt32 => Some(column.as_primitive::<UInt32Type>().value(self.row).to_string()),
            DataType::UInt64 => Some(column.as_primitive::<UInt64Type>().value(self.row).to_string()),
            _ => None,
        }
    }

    /// The SURT of its page; none where the table has no pages.
    fn surt(self) -> Option<String> {
        let has = |name| self.batch.schema_ref().column_with_name(name).is_some();
        match (has("surt"), has("url")) {
            (true, _) => Some(self.text("surt").unwrap_or_else(|| surt(""))),
            (false, true) => Some(surt(&self.text("url").unwrap_or_default())),
            (false, false) => None,
        }
    }

    fn value(self, column: &str) -> Option<ArrayRef> {
        let column = self.batch.column_by_name(column)?;
        Some(column.slice(self.row, 1))
    }

    /// The columns in which two rows differ.
    fn different_columns(self, other: RowAt<'_>) -> Vec<String> {
        let names = |row: RowAt<'_>| -> Vec<String> {
            let fields = row.batch.schema_ref().fields().iter();
            fields.map(|field| field.name().clone()).collect()
        };
        let mut all = names(self);
        let more = names(other);
        all.extend(more.into_iter().filter(|name| self.value(name).is_none()));
        all.retain(|name| self.value(name).as_deref() != other.value(name).as_deref());
        all
    }
}
