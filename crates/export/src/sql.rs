//! A selection as a query that gives the same rows.
//!
//! What SQL cannot have stands in a comment: rules for lines, masks, and what they leave of a text.

use std::collections::BTreeSet;

use gleaner_corpus::{TableFile, VersionTables};
use gleaner_store::Output;

use crate::error::Error;
use crate::pages::files_of;
use crate::recipe::{Column, Condition, Limit, PersonalKind, Recipe, Sample, Test, is_side_by_side};
use crate::sample::bound;
use crate::value::{Kind, Value, date};

/// For which program a query is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::VariantNames, strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Dialect {
    /// DuckDB.
    #[default]
    Duckdb,
    /// Spark.
    Spark,
    /// Polars.
    Polars,
}

/// A query for the pages that a recipe selects from a version of a corpus. Waits for the store.
///
/// # Errors
/// The corpus has no table that the recipe reads, or its folders cannot be listed.
pub fn sql(
    output: &Output,
    version: &VersionTables,
    recipe: &Recipe,
    dialect: Dialect,
) -> Result<String, Error> {
    let query = Query {
        recipe,
        dialect,
        filters: recipe
            .all_filters()
            .into_iter()
            .map(|filter| filter.test)
            .collect(),
    };
    let mut text = query.comments(version);
    let mut sources = Vec::new();
    for table in query.tables() {
        let source = source(output, table, files_of(output, version, table)?, dialect)?;
        sources.push(format!("{table} AS (SELECT * FROM {source})"));
    }
    let has_caps = recipe.sample.most_per_language.is_some();
    if has_caps {
        sources.push(query.numbered());
    }
    text += &format!("WITH {}\n", sources.join(",\n"));
    text += &query.select(has_caps);
    if let Some(seed) = recipe.shuffle {
        text += &format!("\nORDER BY {}", key(Some(seed)));
    }
    text += ";\n";
    Ok(text)
}

struct Query<'r> {
    recipe: &'r Recipe,
    dialect: Dialect,
    filters: Vec<Test>,
}

impl Query<'_> {
    /// The tables of the query.
    fn tables(&self) -> BTreeSet<&'static str> {
        let tests = self.filters.iter().flat_map(|test| match test {
            Test::Page(conditions) => conditions
                .iter()
                .map(|condition| condition.column.table)
                .collect(),
            Test::Cluster(condition) => vec![condition.column.table],
            Test::Rows { table, .. } => vec![*table],
        });
        let columns = self.recipe.columns.iter().map(|column| column.table);
        tests.chain(columns).chain(["documents"]).collect()
    }

    fn comments(&self, version: &VersionTables) -> String {
        let mut lines = vec![format!("-- Version {} of the corpus.", version.version)];
        lines[0] += match self.dialect {
            Dialect::Duckdb => " For DuckDB.",
            Dialect::Spark => " For Spark.",
            Dialect::Polars => " For Polars.",
        };
        let rules = &self.recipe.lines;
        let mut lacks = Vec::new();
        if rules.rules.is_some() {
            lacks.push("rules for lines".to_owned());
        }
        if rules.repeated_on_sites.is_some() {
            lacks.push("lines that stand on many sites".to_owned());
        }
        if rules.is_active() {
            let min = rules.min_words.max(1);
            lacks.push(format!(
                "pages that have fewer than {min} words after these rules"
            ));
        }
        let masks = self.recipe.masks().iter().map(|kind: &PersonalKind| kind.mask());
        lacks.extend(masks.map(|mask| format!("masks: {mask}")));
        if !lacks.is_empty() {
            lines.push("-- Not in this query, because SQL has no such functions:".to_owned());
            lines.extend(lacks.iter().map(|lack| format!("--   {lack}")));
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// The tables of one page side by side, and the conditions.
    fn side_by_side(&self) -> String {
        let mut text = "FROM documents".to_owned();
        for table in self.tables().into_iter().filter(|table| *table != "documents") {
            if is_side_by_side(table) {
                text += &format!("\nJOIN {table} ON {table}.row_id = documents.row_id");
            } else if self.is_joined(table) {
                text += &format!("\nLEFT JOIN {table} ON {table}.row_id = documents.row_id");
            }
        }
        let conditions = self.conditions();
        if !conditions.is_empty() {
            text += &format!("\nWHERE {}", conditions.join("\n  AND "));
        }
        text
    }

    /// Whether a table with few rows is joined, because a column of it is tested.
    fn is_joined(&self, table: &str) -> bool {
        let mut tests = self.filters.iter();
        tests.any(|test| matches!(test, Test::Cluster(condition) if condition.column.table == table))
    }

    fn conditions(&self) -> Vec<String> {
        let mut all = Vec::new();
        for test in &self.filters {
            match test {
                Test::Page(conditions) => conditions.iter().for_each(|one| self.condition(one, &mut all)),
                Test::Cluster(condition) => self.condition(condition, &mut all),
                Test::Rows {
                    table,
                    is_wanted,
                    conditions,
                } => {
                    let mut inner = vec![format!("{table}.row_id IS NOT NULL")];
                    conditions.iter().for_each(|one| self.condition(one, &mut inner));
                    let inner = inner.join(" AND ");
                    let not = if *is_wanted { "" } else { "NOT " };
                    all.push(format!(
                        "documents.row_id {not}IN (SELECT {table}.row_id FROM {table} WHERE {inner})"
                    ));
                }
            }
        }
        let Sample { fraction, seed, .. } = &self.recipe.sample;
        if let Some(bound) = fraction.and_then(bound) {
            all.push(format!("{} < '{bound:016x}'", key(*seed)));
        }
        all
    }

    fn condition(&self, condition: &Condition, all: &mut Vec<String>) {
        let column = condition.column.path();
        if condition.column.kind == Kind::Texts {
            self.condition_of_list(condition, &column, all);
            return;
        }
        let limits = [(&condition.min, ">="), (&condition.max, "<=")];
        for (limit, sign) in limits {
            if let Some(limit) = limit {
                let test = |value: &Value<'_>| format!("{column} {sign} {}", self.literal(value));
                all.push(self.by_language(limit, &test, "TRUE"));
            }
        }
        let list = |values: &[Value<'static>]| {
            let values = values.iter().map(|value| self.literal(value));
            values.collect::<Vec<_>>().join(", ")
        };
        if let Some(values) = &condition.one_of {
            all.push(format!("{column} IN ({})", list(values)));
        }
        if let Some(values) = &condition.not_in {
            all.push(format!(
                "({column} IS NULL OR {column} NOT IN ({}))",
                list(values)
            ));
        }
        match condition.is_null {
            Some(true) => all.push(format!("{column} IS NULL")),
            Some(false) => all.push(format!("{column} IS NOT NULL")),
            None => {}
        }
    }

    /// A condition for a column of lists.
    fn condition_of_list(&self, condition: &Condition, column: &str, all: &mut Vec<String>) {
        let has_one = |values: &[Value<'static>]| {
            let has = |value| format!("array_contains({column}, {})", self.literal(value));
            values.iter().map(has).collect::<Vec<_>>().join(" OR ")
        };
        if let Some(values) = &condition.one_of {
            all.push(format!("({})", has_one(values)));
        }
        if let Some(values) = &condition.not_in {
            all.push(format!("({column} IS NULL OR NOT ({}))", has_one(values)));
        }
        let length = match self.dialect {
            Dialect::Spark => "size",
            Dialect::Duckdb | Dialect::Polars => "array_length",
        };
        match condition.is_null {
            Some(true) => all.push(format!("({column} IS NULL OR {length}({column}) = 0)")),
            Some(false) => all.push(format!("{length}({column}) > 0")),
            None => {}
        }
    }

    /// A test with the limit of the language of a page.
    fn by_language<T>(&self, limit: &Limit<T>, test: &dyn Fn(&T) -> String, without: &str) -> String {
        let default = limit.default.as_ref().map_or_else(|| without.to_owned(), test);
        if limit.by_language.is_empty() {
            return default;
        }
        let mut cases = String::new();
        for (language, value) in &limit.by_language {
            cases += &format!("WHEN {} THEN {} ", self.text(language), test(value));
        }
        format!("CASE documents.language {cases}ELSE {default} END")
    }

    /// The pages of each language with their places, by their keys.
    fn numbered(&self) -> String {
        format!(
            "numbered AS (\nSELECT documents.row_id, documents.language, row_number() OVER (PARTITION BY documents.language ORDER BY {}) AS place\n{}\n)",
            key(self.recipe.sample.seed),
            self.side_by_side()
        )
    }

    fn select(&self, has_caps: bool) -> String {
        let columns = self.recipe.columns.iter().map(|column| self.selected(column));
        let columns: Vec<String> = columns.collect();
        let columns = columns.join(", ");
        let Some(most) = self.recipe.sample.most_per_language.as_ref().filter(|_| has_caps) else {
            return format!("SELECT {columns}\n{}", self.side_by_side());
        };
        let mut text =
            format!("SELECT {columns}\nFROM documents\nJOIN numbered ON numbered.row_id = documents.row_id");
        let tables: BTreeSet<&str> = self.recipe.columns.iter().map(|column| column.table).collect();
        for table in tables.into_iter().filter(|table| *table != "documents") {
            text += &format!("\nJOIN {table} ON {table}.row_id = documents.row_id");
        }
        let within = self.by_language(most, &|most: &u64| format!("numbered.place <= {most}"), "TRUE");
        text + "\nWHERE " + &within
    }

    fn selected(&self, column: &Column) -> String {
        let name = column.written();
        let quote = if self.dialect == Dialect::Spark { '`' } else { '"' };
        match name == column.name {
            true => column.path(),
            false => format!("{} AS {quote}{name}{quote}", column.path()),
        }
    }

    fn literal(&self, value: &Value<'_>) -> String {
        match value {
            Value::Flag(flag) => if *flag { "TRUE" } else { "FALSE" }.to_owned(),
            Value::Whole(number) => number.to_string(),
            Value::Share(_) => format!("CAST({} AS REAL)", value.json()),
            Value::Real(number) => format!("CAST({number} AS DOUBLE)"),
            Value::Text(text) => self.text(text),
            Value::Day(days) => match date(*days) {
                Some(date) => format!("DATE '{date}'"),
                None => "NULL".to_owned(),
            },
            Value::Time(_) => {
                let time = value.json();
                let time = time.as_str().unwrap_or_default();
                match self.dialect {
                    Dialect::Duckdb => format!("TIMESTAMPTZ '{time}'"),
                    Dialect::Spark | Dialect::Polars => format!("TIMESTAMP '{time}'"),
                }
            }
            Value::Null | Value::List(_) => "NULL".to_owned(),
        }
    }

    fn text(&self, text: &str) -> String {
        text_in(self.dialect, text)
    }
}

fn text_in(dialect: Dialect, text: &str) -> String {
    match dialect {
        Dialect::Spark => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Dialect::Duckdb | Dialect::Polars => format!("'{}'", text.replace('\'', "''")),
    }
}

/// The key by which pages are sampled and ordered.
fn key(seed: Option<u32>) -> String {
    match seed {
        None => "documents.row_id".to_owned(),
        Some(seed) => format!("md5(concat('{seed}:', documents.row_id))"),
    }
}

/// What a table is read from: a pattern if its folder has no files of other versions, else a list.
fn source(output: &Output, table: &str, files: &[TableFile], dialect: Dialect) -> Result<String, Error> {
    let there = output.list(table)?.into_iter().map(|entry| entry.name);
    let is_part = |name: &String| {
        let below = name.strip_prefix(table).unwrap_or_default();
        name.ends_with(".parquet") && !below.starts_with("/_delta_log/") && !Output::is_partial(name)
    };
    let there: BTreeSet<String> = there.filter(is_part).collect();
    let own: BTreeSet<String> = files.iter().map(|file| file.name.clone()).collect();
    let path = |name: &str| output.place_of(name).to_string();
    if there == own {
        let has_crawls = own.iter().any(|name| name.matches('/').count() > 1);
        let pattern = if has_crawls {
            "crawl=*/*.parquet"
        } else {
            "*.parquet"
        };
        return Ok(match dialect {
            Dialect::Duckdb | Dialect::Polars => {
                format!(
                    "read_parquet({})",
                    text_in(dialect, &path(&format!("{table}/{pattern}")))
                )
            }
            Dialect::Spark => format!("parquet.`{}`", path(&format!("{table}/{pattern}"))),
        });
    }
    let paths = own.iter().map(|name| path(name));
    Ok(match dialect {
        Dialect::Duckdb => {
            let paths: Vec<String> = paths.map(|path| text_in(dialect, &path)).collect();
            format!("read_parquet([{}])", paths.join(", "))
        }
        // Polars reads a list as tables, one behind the other.
        Dialect::Polars => {
            let reads = paths.map(|path| format!("SELECT * FROM read_parquet({})", text_in(dialect, &path)));
            format!("({})", reads.collect::<Vec<_>>().join(" UNION ALL "))
        }
        Dialect::Spark => {
            let names: Vec<String> = own
                .iter()
                .map(|name| name[table.len() + 1..].to_owned())
                .collect();
            format!("parquet.`{}/{{{}}}`", path(table), names.join(","))
        }
    })
}
