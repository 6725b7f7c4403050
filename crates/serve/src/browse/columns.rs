//! The columns that filters and histograms know: of documents, signals and rights.

use std::sync::LazyLock;

use gleaner_corpus::{Hint, TABLES};
use gleaner_export::{Column, Kind, Value};
use serde::Serialize;

use super::parameters::unknown;
use super::version::Version;
use crate::Error;

const TABLES_OF_COLUMNS: [&str; 3] = ["documents", "signals", RIGHTS];
/// The table that has several rows for a document, or none.
pub(crate) const RIGHTS: &str = "rights";

/// What the values of a column are to filters and histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scale {
    Number,
    Category,
}

/// A column that filters and histograms know.
#[derive(Debug, Serialize)]
pub(crate) struct KnownColumn {
    /// Its name; behind that of its table, if that is not documents.
    pub(crate) name: String,
    pub(crate) comment: &'static str,
    pub(crate) kind: Scale,
    #[serde(skip)]
    pub(crate) column: Column,
}

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Columns {
    columns: Vec<&'static KnownColumn>,
}

impl Columns {
    pub(crate) fn of(corpus: &Version) -> Columns {
        Columns {
            columns: known(corpus).collect(),
        }
    }
}

/// The columns of all tables.
static ALL: LazyLock<Vec<KnownColumn>> = LazyLock::new(|| {
    let of_table = |name: &'static str| {
        let table = TABLES.into_iter().find(|table| table.name == name);
        let columns = table.map(|table| table.columns()).unwrap_or_default().into_iter();
        columns.filter_map(move |declared| {
            let column = Column::of(name, declared.name)?;
            Some(KnownColumn {
                name: column.written(),
                comment: declared.comment,
                kind: scale(column.kind, declared.hint)?,
                column,
            })
        })
    };
    TABLES_OF_COLUMNS.into_iter().flat_map(of_table).collect()
});

/// The columns of the tables that a corpus has.
fn known(corpus: &Version) -> impl Iterator<Item = &'static KnownColumn> {
    ALL.iter().filter(|known| corpus.has(known.column.table))
}

/// Texts that differ from page to page are no categories.
fn scale(kind: Kind, hint: Hint) -> Option<Scale> {
    match (kind, hint) {
        (Kind::Whole, Hint::Dictionary) | (Kind::Flag | Kind::Time | Kind::Day, _) => Some(Scale::Category),
        (Kind::Whole | Kind::Share | Kind::Real, _) => Some(Scale::Number),
        (Kind::Text | Kind::Texts, Hint::Dictionary) => Some(Scale::Category),
        (Kind::Text | Kind::Texts | Kind::List, _) => None,
    }
}

/// The column of a name.
///
/// # Errors
/// 400: there is none; the nearest is named.
pub(crate) fn find(corpus: &Version, name: &str) -> Result<&'static KnownColumn, Error> {
    let is_meant = |known: &&KnownColumn| {
        known.name == name || (known.column.table == "documents" && known.column.path() == name)
    };
    let names = || known(corpus).map(|known| known.name.as_str());
    let found = known(corpus).find(is_meant);
    found.ok_or_else(|| unknown("column", name, names()))
}

/// The categories that a value is in, as text: of a list each item once, of a day or a time its year. None if it is null or empty.
pub(crate) fn categories(value: &Value<'_>) -> Vec<String> {
    match value {
        Value::Text(text) => vec![text.to_string()],
        Value::Flag(flag) => vec![flag.to_string()],
        Value::Whole(number) => vec![number.to_string()],
        Value::Time(_) | Value::Day(_) => {
            let written = value.json();
            let year = written.as_str().and_then(|date| {
                // (A year before 0 has a sign.)
                let end = date[1..].find('-')? + 1;
                Some(date[..end].to_owned())
            });
            year.into_iter().collect()
        }
        Value::List(items) => {
            let mut all: Vec<String> = items.iter().flat_map(categories).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
        Value::Null | Value::Share(_) | Value::Real(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_texts_items_and_years() {
        assert_eq!(categories(&Value::Text("deu".into())), ["deu"]);
        assert_eq!(categories(&Value::Whole(200)), ["200"]);
        assert_eq!(categories(&Value::Day(0)), ["1970"]);
        assert_eq!(categories(&Value::Time(-1)), ["1969"]);
        let list = ["b", "a", "b"].map(|text| Value::Text(text.into()));
        assert_eq!(categories(&Value::List(list.into())), ["a", "b"]);
        assert!(categories(&Value::Null).is_empty());
    }
}
