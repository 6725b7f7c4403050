//! The orders of documents.

use std::cmp::Ordering;

use gleaner_export::Column;
use serde::{Deserialize, Serialize};

use crate::Error;

/// An order of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sort {
    /// By crawl and address, with the labels of hosts in reverse: as they stand in the table.
    #[default]
    Url,
    /// The longest first.
    Words,
    /// The least confident first.
    Confidence,
}

/// The place of a document in an order by a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rank {
    pub(crate) value: Option<f64>,
    pub(crate) row_id: String,
}

impl Sort {
    /// # Errors
    /// 400: there is no such order.
    pub(crate) fn parse(name: &str) -> Result<Sort, Error> {
        match name {
            "url" => Ok(Sort::Url),
            "words" => Ok(Sort::Words),
            "confidence" => Ok(Sort::Confidence),
            other => Err(Error::bad_request(format!(
                "there is no order '{other}': sort is url, words or confidence"
            ))),
        }
    }

    /// The column; none for the order of the table.
    pub(crate) fn column(self) -> Option<Column> {
        let name = match self {
            Sort::Url => return None,
            Sort::Words => "word_count",
            Sort::Confidence => "confidence",
        };
        Column::of("documents", name)
    }

    /// The order of two documents. Those without a value are last; where values are the same, the row id decides.
    pub(crate) fn compare(self, one: &Rank, other: &Rank) -> Ordering {
        let values = match (one.value, other.value) {
            (Some(one), Some(other)) if self == Sort::Words => other.total_cmp(&one),
            (Some(one), Some(other)) => one.total_cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        };
        values.then_with(|| one.row_id.cmp(&other.row_id))
    }
}
