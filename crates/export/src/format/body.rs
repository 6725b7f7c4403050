//! A page as it is written: bytes, or the values of a row.

use serde::{Deserialize, Serialize};

use super::{Format, fields};
use crate::error::Error;
use crate::recipe::Column;
use crate::selection::Page;
use crate::value::Value;

/// A page on its way to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) row_id: String,
    pub(crate) body: Body,
}

/// What is written of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Body {
    /// A line, or a file.
    Bytes(Vec<u8>),
    /// A row.
    Row(Vec<Value<'static>>),
}

impl Record {
    /// A page in a form.
    pub(crate) fn of(
        format: Format,
        columns: &[Column],
        page: Page,
        crawl: Option<&str>,
    ) -> Result<Record, Error> {
        let body = match format {
            Format::Lines(fields, _) => Body::Bytes(fields::line(fields, columns, &page, crawl)),
            Format::Parquet => Body::Row(page.values),
            Format::Markdown | Format::Text => match page.values.into_iter().next() {
                Some(Value::Text(text)) => {
                    let mut text = text.into_owned();
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    Body::Bytes(text.into_bytes())
                }
                _ => return Err(Error::NoMarkdown(page.row_id)),
            },
        };
        Ok(Record {
            row_id: page.row_id,
            body,
        })
    }

    /// Bytes before they are compressed: what shards are cut by.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Row(values) => values.iter().map(size).sum(),
        }
    }
}

fn size(value: &Value<'_>) -> u64 {
    match value {
        Value::Text(text) => text.len() as u64,
        Value::List(items) => items.iter().map(size).sum(),
        _ => 8,
    }
}
