//! What the tables are, for people: the files of `schemas/` and the page `docs/tables.md`, both made from the
//! declarations in `rows.rs`, `signal_rows.rs` and `rights_rows.rs`.

use std::fmt::Write;

use arrow_schema::{DataType, Field, TimeUnit};
use parquet::schema::printer::print_schema;

use crate::crawl;
use crate::table::{COMMENT, Column, descriptor};
use crate::tables::{EXPORTED, TABLES, Table};

/// The table's Parquet message type as text, with the comment of each column on the line above it; what `schemas/`
/// holds.
///
/// ```
/// use gleaner_corpus::{RejectRow, Row, parquet_schema};
///
/// let text = parquet_schema(&RejectRow::TABLE);
/// assert!(text.contains("\nmessage rejects {\n"));
/// assert!(text.contains("\n  // The stage of the build that rejected the record."));
/// ```
pub fn parquet_schema(table: &Table) -> String {
    let mut printed = Vec::new();
    print_schema(&mut printed, descriptor(table).root_schema());
    let printed = String::from_utf8(printed).expect("names of columns are UTF-8");
    let mut comments = commented(table).into_iter().peekable();
    let mut text = format!("// {}\n", table.comment);
    for line in printed.lines() {
        let next = comments.next_if(|field| declared(line) == Some(field.name()));
        if let Some(field) = next {
            let indent = &line[..line.len() - line.trim_start().len()];
            text += &format!("{indent}// {}\n", comment(&field));
        }
        text += line;
        text.push('\n');
    }
    text
}

/// The name of the field that a line of a printed schema declares.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_field = matches!(words.next(), Some("REQUIRED" | "OPTIONAL" | "REPEATED"));
    let name = words.nth(1).filter(|_| is_field)?;
    Some(name.trim_end_matches(';'))
}

/// The columns, and behind each what is in its groups, in the order of the schema.
fn commented(table: &Table) -> Vec<Field> {
    let mut found = Vec::new();
    for field in table.schema().fields() {
        found.push(Field::clone(field));
        found.extend(group_of(field.data_type()).into_iter().cloned());
    }
    found
}

fn comment(field: &Field) -> &str {
    field.metadata().get(COMMENT).map_or("", String::as_str)
}

/// The fields of a list's items, where these are groups.
fn group_of(data_type: &DataType) -> Vec<&Field> {
    match data_type {
        DataType::List(item) => group_of(item.data_type()),
        DataType::Struct(fields) => fields.iter().map(|field| &**field).collect(),
        _ => Vec::new(),
    }
}

/// The files of `schemas/`: names within the folder, and the message types of all tables.
pub fn schemas() -> Vec<(String, String)> {
    let file = |folder: &str, table: Table| {
        let name = format!("{folder}{}.parquet-schema", table.name);
        (name, parquet_schema(&table))
    };
    let of_corpus = TABLES.map(|table| file("", table));
    let exported = EXPORTED.map(|table| file("export/", table));
    of_corpus.into_iter().chain(exported).collect()
}

/// The page `docs/tables.md`: every table, column and value, in words.
pub fn tables_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str(&of_crawls());
    page.extend(TABLES.iter().map(section));
    page.push_str(OF_EXPORTS);
    page.extend(EXPORTED.iter().map(section));
    page
}

const INTRODUCTION: &str = "\
# Tables

Every table is a folder of Parquet files and a Delta Lake table. An empty table has one file without rows. The comments
below are in the files, too: in the Arrow schema (`comment` in the metadata of a field), in the keys
`gleaner.comment` and `gleaner.columns` (JSON) of each Parquet file, and in the schema of the Delta log.
[schemas/](../schemas) has the Parquet schemas.

This page is made from the declarations in `rows.rs`, `signal_rows.rs`, `rights_rows.rs` and `enumerations.rs` of `crates/corpus/src`. After a change run
`cargo run -p gleaner-corpus --example schemas`.
";

/// What comes before the tables that are not part of a corpus.
const OF_EXPORTS: &str = "
# Exported tables

Commands write these tables for training. They are not part of a corpus; their schemas are in
[schemas/export/](../schemas/export).
";

/// What tables of a named crawl have beside their columns.
fn of_crawls() -> String {
    let mut text = "
## The column `crawl`

With `gleaner build --crawl NAME` the files of a table are in its folder `crawl=NAME`, such as
`documents/crawl=2024-18/`. The table then has one column more:

| column | type | null | comment |
|---|---|---|---|
"
    .to_owned();
    let column = crawl::field();
    line(&mut text, column.name(), &column, comment(&column));
    text += "
The Parquet files do not have the column: its value is in the Delta log and in the name of the folder. Readers of Delta
Lake show it. Readers of folders show it if they read them as Hive partitions:

<!-- first: gleaner build tests/data/sample.warc.gz --out corpus --crawl 2024-18 -->
```sql
select crawl, count(*) from read_parquet('corpus/documents/crawl=*/*.parquet', hive_partitioning = true) group by crawl
```

Readers of folders choose the type by the name: `2024` is a number for them, and `2024-05-01` is a date. In the Delta log
the column is always a string.

Rows of `duplicates` and `repeats` are of all crawls of a corpus: these tables have no such folder, and not this column.
";
    text
}

fn section(table: &Table) -> String {
    let (schema, columns) = (table.schema(), table.columns());
    let mut text = format!("\n## {}\n\n{}\n\n", table.name, table.comment);
    text += "| column | type | null | comment |\n|---|---|---|---|\n";
    for (field, column) in schema.fields().iter().zip(&columns) {
        line(&mut text, column.name, field, column.comment);
        for inner in group_of(field.data_type()) {
            let name = format!("{}.{}", column.name, inner.name());
            line(&mut text, &name, inner, comment(inner));
        }
    }
    columns.iter().for_each(|column| values(&mut text, column));
    text
}

fn line(text: &mut String, name: &str, field: &Field, comment: &str) {
    let null = if field.is_nullable() { "yes" } else { "no" };
    let kind = kind(field.data_type());
    writeln!(
        text,
        "| `{name}` | {kind} | {null} | {} |",
        comment.replace('|', "\\|")
    )
    .expect("a string takes all that is written to it");
}

fn values(text: &mut String, column: &Column) {
    if column.values.is_empty() {
        return;
    }
    *text += &format!(
        "\nValues of `{}`:\n\n| value | meaning |\n|---|---|\n",
        column.name
    );
    for value in column.values {
        *text += &format!("| `{}` | {} |\n", value.name, value.meaning.replace('|', "\\|"));
    }
}

/// The name of a column's type.
fn kind(data_type: &DataType) -> String {
    match data_type {
        DataType::List(item) => format!("list of {}", kind(item.data_type())),
        DataType::Struct(_) => "groups".to_owned(),
        DataType::Utf8 => "string".to_owned(),
        DataType::Timestamp(TimeUnit::Millisecond, Some(_)) => "timestamp (milliseconds, UTC)".to_owned(),
        DataType::Date32 => "date".to_owned(),
        DataType::Float32 => "float".to_owned(),
        DataType::Float64 => "double".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether four words stand in a row.
    fn is_sentence(comment: &str) -> bool {
        let is_word = |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase());
        let words: Vec<&str> = comment.split(' ').collect();
        words.windows(4).any(|four| four[1..].iter().all(is_word))
    }

    #[test]
    fn every_column_says_what_it_holds_and_when_it_is_null() {
        for field in TABLES.iter().chain(&EXPORTED).flat_map(commented) {
            let comment = comment(&field);
            assert!(is_sentence(comment), "{field}: {comment}");
            assert!(comment.ends_with('.'), "{field}: {comment}");
            let says_null = comment.contains("Null ") || comment.contains("null");
            assert_eq!(says_null, field.is_nullable(), "{field}: {comment}");
        }
    }
}
