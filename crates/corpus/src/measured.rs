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

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::{Corpus, DocumentRow, Identity, PiiSpan, Real};

    fn document(number: usize) -> DocumentRow {
        DocumentRow {
            row_id: format!("row {number}"),
            content_digest: format!("digest {number}"),
            language: "eng".to_owned(),
            language_probability: Share(number as f32 / 8.0),
            script: "Latn".to_owned(),
            ..DocumentRow::default()
        }
    }

    fn signals(number: usize) -> SignalRow {
        let span = |number: usize| PiiSpan {
            kind: "email".into(),
            start: number as u32,
            end: 9,
        };
        SignalRow {
            row_id: format!("row {number}"),
            gopher: (number == 1).then(|| "words".to_owned()),
            words: number as u32,
            pii_spans: (number > 0).then(|| (1..number).map(span).collect()),
            wds: Real(number as f64 / 3.0),
            ..SignalRow::default()
        }
    }

    /// A file with a row group for each of these.
    fn file<R: Row>(corpus: &Corpus, groups: &[&[R]]) -> Part {
        let mut file = corpus.file(&R::TABLE, None, 0).unwrap();
        let mut encoder = corpus.encoder().unwrap();
        for rows in groups {
            rows.iter().try_for_each(|row| encoder.push(row)).unwrap();
            let mut encoded = encoder.finish().unwrap().into_iter();
            encoded.try_for_each(|group| file.append(group)).unwrap();
        }
        file.finish().unwrap().wait().unwrap()
    }

    #[test]
    fn measures_are_those_of_the_row_groups() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let documents: Vec<DocumentRow> = (0..5).map(document).collect();
        let rows: Vec<SignalRow> = (0..5).map(signals).collect();
        let documents = file(&corpus, &[&documents[..1], &documents[1..3], &documents[3..]]);
        let signals_file = file(&corpus, &[&rows[..1], &rows[1..3], &rows[3..]]);
        let files = MeasuredFiles::open(&output, &documents, Some(&signals_file)).unwrap();
        let measured = files.read(1..2, 1..2).unwrap();
        assert_eq!(measured.len(), 2);
        let expected = MeasuredText {
            content_digest: "digest 2".to_owned(),
            language: "eng".to_owned(),
            language_probability: Share(0.25),
            script: "Latn".to_owned(),
            signals: Some(signals(2)),
        };
        assert_eq!(measured["row 2"], expected);
        for (number, row) in rows.into_iter().enumerate() {
            let read = &files.read(0..3, 0..3).unwrap()[&row.row_id];
            assert_eq!(read.signals, Some(row), "{number}");
        }
        assert!(files.read(1..1, 1..1).unwrap().is_empty());
        let without = MeasuredFiles::open(&output, &documents, None).unwrap();
        assert_eq!(without.read(0..3, 0..0).unwrap()["row 4"].signals, None);
        // A file of another table in the place of documents.
        let other = MeasuredFiles::open(&output, &signals_file, None).unwrap();
        assert!(other.read(0..1, 0..0).is_err());
    }
}
