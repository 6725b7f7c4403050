//! `gleaner.to_arrow`: documents as batches of rows, made as they are read.

use std::sync::Arc;

use arrow_array::builder::{Date32Builder, Float32Builder, ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::arrow::ArrowStream;
use crate::errors::{class, guarded};

/// Bytes of strings behind which a batch ends, however few its rows: a column has less than 2 GiB.
const BATCH_BYTES: usize = 64 << 20;

/// 1970-01-01 as Python counts days.
const EPOCH: i32 = 719_163;

/// What a column holds.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// Names, joined by commas; none is null.
    Names,
    Texts,
    Number,
    Share,
    Day,
}

/// Columns of the table `documents` that a document has, by its attributes; and whether a value may be missing.
const COLUMNS: [(&str, Kind, bool); 14] = [
    ("url", Kind::Text, true),
    ("charset", Kind::Text, false),
    ("language", Kind::Text, true),
    ("title", Kind::Text, true),
    ("authors", Kind::Texts, false),
    ("published", Kind::Day, true),
    ("text", Kind::Text, false),
    ("text_source", Kind::Text, false),
    ("structured_data", Kind::Text, true),
    ("word_count", Kind::Number, false),
    ("confidence", Kind::Share, true),
    ("page_kind", Kind::Text, true),
    ("page_kind_probability", Kind::Share, true),
    ("truncated", Kind::Names, true),
];

/// Documents as rows of Arrow, an ArrowStream: for Parquet files, DuckDB, Polars or pandas.
///
/// The columns are those of the table `documents` that a Document has: url, charset, language, title, authors (a list of
/// strings), published (date32), text, text_source, structured_data, word_count (uint32), confidence (float32), page_kind,
/// page_kind_probability (float32), truncated (names joined by commas). Documents are taken from the iterable as batches
/// are read. A batch has `batch_size` rows, or fewer where their strings exceed 64 MiB.
///
/// A GleanerError in place of a document, as clean_many(errors="return") gives it, has no row.
///
/// An exception of the iterable ends the stream: the reader raises an error of its own with the text of it, since Arrow
/// carries no exceptions. This is also the first error after Ctrl-C. A program that catches it gets the KeyboardInterrupt
/// next; a program that does not ends with the error of the reader.
///
/// Raises ValueError for a `batch_size` of 0, TypeError for what is not iterable.
#[pyfunction]
#[pyo3(signature = (documents, *, batch_size = 1024))]
pub(crate) fn to_arrow(documents: &Bound<'_, PyAny>, batch_size: usize) -> PyResult<ArrowStream> {
    guarded(|| {
        if batch_size == 0 {
            return Err(PyValueError::new_err("batch_size is at least 1"));
        }
        Ok(ArrowStream::new(Box::new(Batches {
            documents: Some(documents.try_iter()?.unbind()),
            failure: class(documents.py(), "GleanerError")?.unbind(),
            batch_size,
            schema: schema(),
        })))
    })
}

struct Batches {
    /// Nothing once they ended.
    documents: Option<Py<PyIterator>>,
    /// The class of what may stand in place of a document.
    failure: Py<PyAny>,
    batch_size: usize,
    schema: SchemaRef,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // The caller is a library in another language: a panic must not reach it.
        let batch = Python::attach(|py| guarded(|| self.batch(py)).map_err(|error| external(py, &error)));
        if !matches!(batch, Ok(Some(_))) {
            self.documents = None;
        }
        batch.transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Batches {
    /// The next documents; nothing behind the last.
    fn batch(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let Some(documents) = &self.documents else {
            return Ok(None);
        };
        let mut documents = documents.bind(py).clone();
        let failure = self.failure.bind(py);
        let mut columns = COLUMNS.map(|(name, kind, _)| (PyString::intern(py, name), Column::new(kind)));
        let (mut rows, mut bytes) = (0, 0);
        while rows < self.batch_size && bytes < BATCH_BYTES {
            let Some(document) = documents.next().transpose()? else {
                break;
            };
            if document.is_instance(failure)? {
                continue;
            }
            for (name, column) in &mut columns {
                bytes += column.push(&document.getattr(&*name)?)?;
            }
            rows += 1;
        }
        if rows == 0 {
            return Ok(None);
        }
        let columns = columns.map(|(_, column)| column.finish()).into();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        batch
            .map(Some)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// The text of an exception. Ctrl-C is sent once more: a program may catch the error of the reader and continue.
fn external(py: Python<'_>, error: &PyErr) -> ArrowError {
    // Before the signal: to make the text runs Python.
    let text = error.to_string();
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        let sent = py
            .import("_thread")
            .and_then(|module| module.call_method0("interrupt_main"));
        // Without it, there is still the error.
        drop(sent);
    }
    ArrowError::ExternalError(text.into())
}

fn schema() -> SchemaRef {
    let fields = COLUMNS.map(|(name, kind, nullable)| {
        let of = match kind {
            Kind::Text | Kind::Names => DataType::Utf8,
            Kind::Texts => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            Kind::Number => DataType::UInt32,
            Kind::Share => DataType::Float32,
            Kind::Day => DataType::Date32,
        };
        Field::new(name, of, nullable)
    });
    Arc::new(Schema::new(Vec::from(fields)))
}

enum Column {
    Text(StringBuilder),
    Names(StringBuilder),
    Texts(ListBuilder<StringBuilder>),
    Number(UInt32Builder),
    Share(Float32Builder),
    Day(Date32Builder),
}

impl Column {
    fn new(kind: Kind) -> Column {
        match kind {
            Kind::Text => Column::Text(StringBuilder::new()),
            Kind::Names => Column::Names(StringBuilder::new()),
            Kind::Texts => Column::Texts(ListBuilder::new(StringBuilder::new())),
            Kind::Number => Column::Number(UInt32Builder::new()),
            Kind::Share => Column::Share(Float32Builder::new()),
            Kind::Day => Column::Day(Date32Builder::new()),
        }
    }

    /// Adds a value; gives the bytes of its strings.
    fn push(&mut self, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        match self {
            Column::Text(column) => {
                let text: Option<&str> = match value.is_none() {
                    true => None,
                    false => Some(value.cast::<PyString>()?.to_str()?),
                };
                column.append_option(text);
                return Ok(text.map_or(0, str::len));
            }
            Column::Names(column) => {
                let names = value.extract::<Vec<String>>()?.join(",");
                column.append_option(Some(names).filter(|names| !names.is_empty()));
            }
            Column::Texts(column) => {
                let texts: Vec<String> = value.extract()?;
                column.append_value(texts.iter().map(Some));
                return Ok(texts.iter().map(String::len).sum());
            }
            Column::Number(column) => column.append_value(value.extract()?),
            Column::Share(column) => column.append_option(value.extract()?),
            Column::Day(column) => column.append_option(day(value)?),
        }
        Ok(0)
    }

    fn finish(self) -> ArrayRef {
        match self {
            Column::Text(mut column) | Column::Names(mut column) => Arc::new(column.finish()),
            Column::Texts(mut column) => Arc::new(column.finish()),
            Column::Number(mut column) => Arc::new(column.finish()),
            Column::Share(mut column) => Arc::new(column.finish()),
            Column::Day(mut column) => Arc::new(column.finish()),
        }
    }
}

fn day(date: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
    if date.is_none() {
        return Ok(None);
    }
    let number: i32 = date.call_method0("toordinal")?.extract()?;
    Ok(Some(number - EPOCH))
}
