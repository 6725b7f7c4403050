//! Columns of values as bytes that are written and read at once, not value by value.
//!
//! For fields of records that are stored: `#[serde(with = "gleaner_document::packed::bulk")]`.

pub mod bulk;
mod markup;
pub mod small;
pub mod text;
