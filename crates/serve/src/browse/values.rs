//! Values of rows that were read.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use gleaner_export::Value;
use serde_json::Value as Json;

/// The text of a row; empty if it is null.
pub(crate) fn text<'b>(batch: &'b RecordBatch, name: &str, row: usize) -> &'b str {
    let texts = batch
        .column_by_name(name)
        .and_then(|column| column.as_string_opt::<i32>());
    let texts = texts.filter(|texts| texts.is_valid(row));
    texts.map_or("", |texts| texts.value(row))
}

/// The value of a row as JSON; null without such a column.
pub(crate) fn json(batch: &RecordBatch, name: &str, row: usize) -> Json {
    let column = batch.column_by_name(name);
    column.map_or(Json::Null, |column| Value::at(column, row).json())
}
