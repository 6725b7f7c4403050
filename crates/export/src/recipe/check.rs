//! A recipe from its text: names are looked up, and values compared with the types of their columns.

use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use gleaner_curate::LineRules;
use strum::VariantNames;
use toml::Spanned;

use super::column::{NoColumn, columns_of, find, is_side_by_side, tables_of_pages};
use super::raw::{RawCaps, RawCondition, RawFilter, RawLines, RawOutput, RawPersonal, RawRecipe, RawSample};
use super::{Column, Condition, Filter, Limit, Lines, Personal, PersonalKind, Recipe, Sample, Test};
use crate::value::{Kind, Value};

/// What is wrong with a recipe. Places are bytes of its text.
#[derive(Debug, thiserror::Error)]
pub enum BadRecipe {
    /// It is no TOML, or has unknown keys.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A name that is not known.
    #[error("unknown {what} `{name}`")]
    Unknown {
        /// The place.
        place: Range<usize>,
        /// What it should be the name of.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that are known.
        known: Vec<String>,
    },
    /// What it says cannot be.
    #[error("{sentence}")]
    Wrong {
        /// The place.
        place: Range<usize>,
        /// Why, in a sentence.
        sentence: String,
    },
}

fn wrong<T>(place: Range<usize>, sentence: impl Into<String>) -> Result<T, BadRecipe> {
    let sentence = sentence.into();
    Err(BadRecipe::Wrong { place, sentence })
}

/// Columns that are written where a recipe names none.
const DEFAULT_COLUMNS: [&str; 9] = [
    "row_id",
    "url",
    "site",
    "crawl_date",
    "language",
    "title",
    "published",
    "word_count",
    "text",
];

pub(super) fn recipe(text: &str) -> Result<Recipe, BadRecipe> {
    let raw: RawRecipe = toml::from_str(text)?;
    let filters = raw.filter.into_iter().map(filter).collect::<Result<_, _>>()?;
    Ok(Recipe {
        description: raw.description,
        filters,
        personal: raw.personal.map_or(Ok(Personal::default()), personal)?,
        sample: raw.sample.map_or(Ok(Sample::default()), sample)?,
        lines: raw.lines.map_or(Ok(Lines::default()), lines)?,
        shuffle: raw.shuffle.map(|shuffle| shuffle.seed),
        columns: output(raw.output)?,
    })
}

fn filter(raw: Spanned<RawFilter>) -> Result<Filter, BadRecipe> {
    let place = raw.span();
    let raw = raw.into_inner();
    let name = raw.name.clone();
    let rows = match (&raw.any_row, &raw.no_row) {
        (Some(_), Some(_)) => return wrong(place, "a filter has `any_row` or `no_row`: make it two filters"),
        (Some(table), None) => Some((table.clone(), true)),
        (None, Some(table)) => Some((table.clone(), false)),
        (None, None) => None,
    };
    let test = match (rows, raw.column.is_some()) {
        (Some(_), true) => {
            return wrong(
                place,
                "a filter with `any_row` or `no_row` has its columns in `where`: move `column` there",
            );
        }
        (Some((table, is_wanted)), false) => test_of_rows(&table, is_wanted, raw.conditions)?,
        (None, true) => test_of_column(place, raw)?,
        (None, false) => {
            return wrong(
                place,
                "a filter without a column: add `column`, or `any_row` or `no_row` with a table",
            );
        }
    };
    let name = name.unwrap_or_else(|| words(&test));
    Ok(Filter { name, test })
}

/// What a filter without a name is called.
fn words(test: &Test) -> String {
    let all = |conditions: &[Condition]| {
        let words = conditions.iter().map(Condition::words);
        words.collect::<Vec<_>>().join("; ")
    };
    match test {
        Test::Page(conditions) => all(conditions),
        Test::Cluster(condition) => condition.words(),
        Test::Rows {
            table,
            is_wanted,
            conditions,
        } => {
            let any = if *is_wanted { "a row" } else { "no row" };
            match conditions.as_slice() {
                [] => format!("{any} in {table}"),
                conditions => format!("{any} in {table} with {}", all(conditions)),
            }
        }
    }
}

fn test_of_column(place: Range<usize>, raw: RawFilter) -> Result<Test, BadRecipe> {
    let RawFilter {
        column: Some(column),
        min,
        max,
        one_of,
        not_in,
        is_null,
        conditions,
        ..
    } = raw
    else {
        return wrong(place, "a filter without a column: add `column`");
    };
    if let Some(first) = conditions.first() {
        return wrong(
            first.span(),
            "`where` is for filters with `any_row` or `no_row`: leave it out",
        );
    }
    let column_place = column.span();
    let raw = RawCondition {
        column,
        min,
        max,
        one_of,
        not_in,
        is_null,
    };
    let condition = condition(place, raw, None)?;
    match condition.column.table {
        table if is_side_by_side(table) => Ok(Test::Page(vec![condition])),
        "duplicates" => without_languages(column_place, condition).map(Test::Cluster),
        table => wrong(
            column_place,
            format!(
                "a page can have several rows in {table}: use `any_row = \"{table}\"` or `no_row = \"{table}\"`, with the column in `where`"
            ),
        ),
    }
}

fn test_of_rows(
    table: &Spanned<String>,
    is_wanted: bool,
    conditions: Vec<Spanned<RawCondition>>,
) -> Result<Test, BadRecipe> {
    let name = table.get_ref();
    let has_rows = |known: &&str| !is_side_by_side(known);
    let Some(known) = tables_of_pages().filter(has_rows).find(|known| known == name) else {
        return Err(BadRecipe::Unknown {
            place: table.span(),
            what: "table",
            name: name.clone(),
            known: tables_of_pages().filter(has_rows).map(str::to_owned).collect(),
        });
    };
    let conditions = conditions.into_iter().map(|raw| {
        let place = raw.span();
        let raw = raw.into_inner();
        let column = raw.column.span();
        let condition = condition(place, raw, Some(known))?;
        if condition.column.table != known {
            return wrong(column, format!("the columns of this filter are those of {known}"));
        }
        without_languages(column, condition)
    });
    Ok(Test::Rows {
        table: known,
        is_wanted,
        conditions: conditions.collect::<Result<_, _>>()?,
    })
}

fn without_languages(place: Range<usize>, condition: Condition) -> Result<Condition, BadRecipe> {
    match condition.is_by_language() {
        true => wrong(
            place,
            "limits by language are for columns of documents, signals and captures",
        ),
        false => Ok(condition),
    }
}

fn condition(
    place: Range<usize>,
    raw: RawCondition,
    within: Option<&'static str>,
) -> Result<Condition, BadRecipe> {
    let column = column(&raw.column, within)?;
    if column.kind == Kind::List {
        let name = column.path();
        return wrong(
            raw.column.span(),
            format!("{name} is a list of numbers, and filters are for single values and lists of texts"),
        );
    }
    let has_order = Condition::has_order(column.kind);
    for limit in [&raw.min, &raw.max].into_iter().flatten() {
        if !has_order {
            let what = match column.kind {
                Kind::Texts => "a list: use `in`, `not_in` or `is_null`",
                _ => "true or false: use `in`",
            };
            return wrong(limit.span(), format!("{} is {what}", column.path()));
        }
    }
    let condition = Condition {
        min: raw.min.map(|limit| limit_of(&column, &limit)).transpose()?,
        max: raw.max.map(|limit| limit_of(&column, &limit)).transpose()?,
        one_of: raw.one_of.map(|list| values(&column, &list)).transpose()?,
        not_in: raw.not_in.map(|list| values(&column, &list)).transpose()?,
        is_null: raw.is_null,
        ..Condition::any(column)
    };
    match condition == Condition::any(column) {
        true => wrong(
            place,
            "a condition without a test: add `min`, `max`, `in`, `not_in` or `is_null`",
        ),
        false => Ok(condition),
    }
}

fn column(name: &Spanned<String>, within: Option<&'static str>) -> Result<Column, BadRecipe> {
    find(name.get_ref(), within).map_err(|error| {
        let place = name.span();
        let (what, name, known) = match error {
            NoColumn::Table { name, known } => ("table", name, known),
            NoColumn::Column { name, known } => ("column", name, known),
        };
        BadRecipe::Unknown {
            place,
            what,
            name,
            known,
        }
    })
}

fn limit_of(column: &Column, raw: &Spanned<toml::Value>) -> Result<Limit<Value<'static>>, BadRecipe> {
    let one = |written: &toml::Value| value(column, raw.span(), written);
    let toml::Value::Table(table) = raw.get_ref() else {
        return Ok(Limit::all(one(raw.get_ref())?));
    };
    let mut by_language = BTreeMap::new();
    for (language, limit) in table {
        by_language.insert(language.clone(), one(limit)?);
    }
    Ok(Limit {
        default: by_language.remove("default"),
        by_language,
    })
}

fn values(column: &Column, raw: &Spanned<toml::Value>) -> Result<Vec<Value<'static>>, BadRecipe> {
    let toml::Value::Array(items) = raw.get_ref() else {
        return wrong(raw.span(), "`in` and `not_in` take lists: write [...]");
    };
    if items.is_empty() {
        return wrong(raw.span(), "an empty list: name a value");
    }
    items.iter().map(|item| value(column, raw.span(), item)).collect()
}

fn value(column: &Column, place: Range<usize>, written: &toml::Value) -> Result<Value<'static>, BadRecipe> {
    column.kind.value(written).ok_or_else(|| BadRecipe::Wrong {
        place,
        sentence: format!(
            "{} takes {}, not a value of type {}",
            column.path(),
            column.kind.words(),
            written.type_str()
        ),
    })
}

/// A name of a fixed list.
fn named<T: FromStr + VariantNames>(what: &'static str, name: &Spanned<String>) -> Result<T, BadRecipe> {
    name.get_ref().parse().map_err(|_| BadRecipe::Unknown {
        place: name.span(),
        what,
        name: name.get_ref().clone(),
        known: T::VARIANTS.iter().map(|&known| known.to_owned()).collect(),
    })
}

fn personal(raw: Spanned<RawPersonal>) -> Result<Personal, BadRecipe> {
    let place = raw.span();
    let raw = raw.into_inner();
    let kinds = match raw.kinds {
        None => Personal::default().kinds,
        Some(kinds) if kinds.is_empty() => {
            return wrong(place, "`kinds` is empty: name a kind, or leave it out");
        }
        Some(kinds) => {
            let kinds = kinds
                .iter()
                .map(|kind| named::<PersonalKind>("kind of personal data", kind));
            kinds.collect::<Result<_, _>>()?
        }
    };
    let action = named("action", &raw.action)?;
    Ok(Personal { action, kinds })
}

fn sample(raw: RawSample) -> Result<Sample, BadRecipe> {
    if let Some(fraction) = &raw.fraction
        && !(*fraction.get_ref() > 0.0 && *fraction.get_ref() <= 1.0)
    {
        return wrong(fraction.span(), "`fraction` is above 0, and at most 1");
    }
    let most_per_language = raw.most_per_language.map(|most| match most.into_inner() {
        RawCaps::All(most) => Limit::all(most),
        RawCaps::By(mut by_language) => Limit {
            default: by_language.remove("default"),
            by_language,
        },
    });
    Ok(Sample {
        fraction: raw.fraction.map(Spanned::into_inner),
        seed: raw.seed,
        most_per_language,
    })
}

fn lines(raw: Spanned<RawLines>) -> Result<Lines, BadRecipe> {
    let place = raw.span();
    let raw = raw.into_inner();
    let rules = raw
        .rules
        .map(|rules| named::<LineRules>("rules for lines", &rules));
    let lines = Lines {
        rules: rules.transpose()?,
        repeated_on_sites: raw.repeated_on_sites,
        min_words: raw.min_words.unwrap_or(0),
    };
    match lines.is_active() {
        true => Ok(lines),
        false => wrong(
            place,
            "rules for lines without a rule: add `rules` or `repeated_on_sites`",
        ),
    }
}

fn output(raw: Option<RawOutput>) -> Result<Vec<Column>, BadRecipe> {
    let Some(names) = raw.and_then(|raw| raw.columns) else {
        let named = columns_of("documents").into_iter();
        let mut columns: Vec<Column> = named
            .filter(|known| DEFAULT_COLUMNS.contains(&known.name))
            .collect();
        columns.sort_by_key(|column| DEFAULT_COLUMNS.iter().position(|name| *name == column.name));
        return Ok(columns);
    };
    let mut columns: Vec<Column> = Vec::new();
    for name in &names {
        let found = column(name, None)?;
        if !is_side_by_side(found.table) {
            return wrong(
                name.span(),
                "columns that are written are of documents, signals or captures",
            );
        }
        if columns.contains(&found) {
            return wrong(
                name.span(),
                format!("`{}` is named twice: leave one of the two out", name.get_ref()),
            );
        }
        columns.push(found);
    }
    Ok(columns)
}
