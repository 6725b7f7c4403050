//! The orders of documents.

use std::cmp::Ordering;

use gleaner_export::Column;

use crate::Error;

/// An order of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    /// By crawl and address, with the labels of hosts in reverse: as they stand in the table.
    #[default]
    Url,
    Longest,
    Shortest,
    LeastConfident,
    MostConfident,
    Newest,
    Oldest,
}

/// The place of a document in an order by a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rank {
    pub(crate) value: Option<f64>,
    pub(crate) row_id: String,
}

impl Sort {
    const NAMES: [(&str, Sort); 7] = [
        ("url", Sort::Url),
        ("words", Sort::Longest),
        ("-words", Sort::Shortest),
        ("confidence", Sort::LeastConfident),
        ("-confidence", Sort::MostConfident),
        ("date", Sort::Newest),
        ("-date", Sort::Oldest),
    ];

    /// # Errors
    /// 400: there is no such order.
    pub(crate) fn parse(name: &str) -> Result<Sort, Error> {
        let found = Sort::NAMES.into_iter().find(|(own, _)| *own == name);
        found.map(|(_, sort)| sort).ok_or_else(|| {
            let names = Sort::NAMES.map(|(own, _)| own).join(", ");
            Error::bad_request(format!("there is no order '{name}': sort is one of {names}"))
        })
    }

    /// The column; none for the order of the table.
    pub(crate) fn column(self) -> Option<Column> {
        let name = match self {
            Sort::Url => return None,
            Sort::Longest | Sort::Shortest => "word_count",
            Sort::LeastConfident | Sort::MostConfident => "confidence",
            Sort::Newest | Sort::Oldest => "crawl_date",
        };
        Column::of("documents", name)
    }

    fn is_descending(self) -> bool {
        matches!(self, Sort::Longest | Sort::MostConfident | Sort::Newest)
    }

    /// The order of two documents. Those without a value are last; where values are the same, the row id decides.
    pub(crate) fn compare(self, one: &Rank, other: &Rank) -> Ordering {
        let values = match (one.value, other.value) {
            (Some(one), Some(other)) if self.is_descending() => other.total_cmp(&one),
            (Some(one), Some(other)) => one.total_cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        };
        values.then_with(|| one.row_id.cmp(&other.row_id))
    }
}
