//! Columns by their names.

use gleaner_corpus::TABLES;

use crate::value::Kind;

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The table.
    pub table: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
}

/// Why a name is that of no column.
#[derive(Debug)]
pub(super) enum NoColumn {
    Table { name: String, known: Vec<String> },
    Column { name: String, known: Vec<String> },
}

/// The table that a name without a table is looked up in.
const DOCUMENTS: &str = "documents";

/// Whether a table has one row for each page, in the order of documents.
pub fn is_side_by_side(table: &str) -> bool {
    matches!(table, DOCUMENTS | "signals" | "captures")
}

/// The tables whose rows are of documents.
pub(super) fn tables_of_pages() -> impl Iterator<Item = &'static str> {
    let is_of_pages = |table: &gleaner_corpus::Table| {
        table.name != "rejects" && table.columns().iter().any(|column| column.name == "row_id")
    };
    TABLES.into_iter().filter(is_of_pages).map(|table| table.name)
}

/// The columns of a table.
pub(super) fn columns_of(table: &str) -> Vec<Column> {
    let Some(table) = TABLES.into_iter().find(|known| known.name == table) else {
        return Vec::new();
    };
    let schema = table.schema();
    let fields = table.columns().into_iter().zip(schema.fields().iter());
    let columns = fields.filter_map(|(column, field)| {
        Some(Column {
            table: table.name,
            name: column.name,
            kind: Kind::of(field.data_type())?,
        })
    });
    columns.collect()
}

impl Column {
    /// The column of this name of a table of pages, if there is one.
    pub fn of(table: &'static str, name: &str) -> Option<Column> {
        find(name, Some(table)).ok()
    }

    /// A column of documents.
    pub(crate) fn document(name: &str) -> Option<Column> {
        find(name, None).ok()
    }

    /// The name with its table.
    pub fn path(&self) -> String {
        format!("{}.{}", self.table, self.name)
    }

    /// The name in files that are written: without the table where that is documents.
    pub fn written(&self) -> String {
        match self.table {
            DOCUMENTS => self.name.to_owned(),
            _ => self.path(),
        }
    }
}

/// The column of a name: `table.column`, or the column of the table that is given, else of documents.
pub(super) fn find(name: &str, within: Option<&'static str>) -> Result<Column, NoColumn> {
    let (table, column) = match name.split_once('.') {
        Some((table, column)) => (table, column),
        None => (within.unwrap_or(DOCUMENTS), name),
    };
    let Some(table) = tables_of_pages().find(|known| *known == table) else {
        return Err(NoColumn::Table {
            name: table.to_owned(),
            known: tables_of_pages().map(str::to_owned).collect(),
        });
    };
    let columns = columns_of(table);
    let found = columns.iter().find(|known| known.name == column);
    found.copied().ok_or_else(|| NoColumn::Column {
        name: name.to_owned(),
        known: meant(name, &columns),
    })
}

/// What an unknown name may be meant for: the columns of this name in other tables, else all of its own table.
fn meant(name: &str, own: &[Column]) -> Vec<String> {
    let all = tables_of_pages().flat_map(columns_of);
    let elsewhere: Vec<String> = all
        .filter(|column| column.name == name)
        .map(|column| column.path())
        .collect();
    match (elsewhere.is_empty(), name.contains('.')) {
        (false, _) => elsewhere,
        (true, true) => own.iter().map(Column::path).collect(),
        (true, false) => own.iter().map(|column| column.name.to_owned()).collect(),
    }
}
