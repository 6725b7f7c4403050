//! What is measured of texts, read again: as long as the text of a page stays the same, so do its measures.

use std::collections::HashMap;
use std::ops::Range;

use arrow_array::RecordBatch;
use gleaner_store::Output;

use crate::stored_value::{StoredValue, stored_rows};
use crate::{Error, Part, Row, Share, SignalRow, TableFile, TableReader};

/// The measures of the text of a page: columns of documents, and the row of signals.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredText {
    /// `content_digest`.
    pub content_digest: String,
    /// `language`.
    pub language: String,
    /// `language_probability`.
    pub language_probability: Share,
    /// `script`.
    pub script: String,
    /// None if the table of signals is not written.
    pub signals: Option<SignalRow>,
}

const COLUMNS: [&str; 5] = [
    "row_id",
    "content_digest",
    "language",
    "language_probability",
    "script",
];

/// The files of a chunk that have measures.
#[derive(Clone, Debug)]
pub struct MeasuredFiles {
    documents: TableReader,
    signals: Option<TableReader>,
}

impl MeasuredFiles {
    /// Reads the footers of the files. Waits for the store.
    ///
    /// # Errors
    /// One cannot be read, or is no Parquet file.
    pub fn open(output: &Output, documents: &Part, signals: Option<&Part>) -> Result<MeasuredFiles, Error> {
        let open = |part: &Part| {
            let file = TableFile {
                name: part.name.clone(),
                rows: Some(part.rows),
                bytes: part.bytes,
            };
            TableReader::open(output, &file)
        };
        Ok(MeasuredFiles {
            documents: open(documents)?,
            signals: signals.map(open).transpose()?,
        })
    }

    /// The measures in some row groups of documents, and in those of signals that have the same pages: by row id. Waits for the
    /// store.
    ///
    /// # Errors
    /// A file cannot be read, or does not have these columns or row groups.
    pub fn read(
        &self,
        documents: Range<usize>,
        signals: Range<usize>,
    ) -> Result<HashMap<String, MeasuredText>, Error> {
        let mut measured = HashMap::new();
        if let Some(batch) = read_groups(&self.documents, &COLUMNS, documents)? {
            for row in 0..batch.num_rows() {
                let read = stored_text(&batch, row);
                let (row_id, text) = read.ok_or_else(|| other_columns(&self.documents))?;
                measured.insert(row_id, text);
            }
        }
        if let Some(file) = &self.signals {
            let columns: Vec<&str> = SignalRow::TABLE
                .columns()
                .iter()
                .map(|column| column.name)
                .collect();
            let batch = read_groups(file, &columns, signals)?;
            for row in batch.iter().flat_map(stored_rows::<SignalRow>) {
                let row = row.ok_or_else(|| other_columns(file))?;
                if let Some(text) = measured.get_mut(&row.row_id) {
                    text.signals = Some(row);
                }
            }
        }
        Ok(measured)
    }
}

/// Columns of some row groups; none if these have no rows.
fn read_groups(
    file: &TableReader,
    columns: &[&str],
    groups: Range<usize>,
) -> Result<Option<RecordBatch>, Error> {
    let rows = file.groups().skip(groups.start).take(groups.len());
    let rows = rows.reduce(|first, last| first.start..last.end);
    rows.filter(|rows| !rows.is_empty())
        .map(|rows| file.read(columns, rows))
        .transpose()
}

fn stored_text(batch: &RecordBatch, row: usize) -> Option<(String, MeasuredText)> {
    fn value<T: StoredValue>(batch: &RecordBatch, column: &str, row: usize) -> Option<T> {
        T::stored(batch.column_by_name(column)?, row)
    }
    let text = MeasuredText {
        content_digest: value(batch, "content_digest", row)?,
        language: value(batch, "language", row)?,
        language_probability: value(batch, "language_probability", row)?,
        script: value(batch, "script", row)?,
        signals: None,
    };
    Some((value(batch, "row_id", row)?, text))
}

fn other_columns(file: &TableReader) -> Error {
    Error::Read(
        file.file().to_owned(),
        "its columns are not those of the table".to_owned(),
    )
}
