//! The JSON Schema of recipes, for editors.

use gleaner_curate::LineRules;
use serde_json::{Value, json};
use strum::VariantNames;

use super::column::{columns_of, is_side_by_side, tables_of_pages};
use super::{PersonalAction, PersonalKind};

/// The JSON Schema of recipes.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Recipe of gleaner export",
        "description": "Which pages of a corpus are written, and in what form. See docs/export.md.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "description": { "type": "string", "description": "What the recipe selects, and where its rules are from." },
            "filter": {
                "type": "array",
                "items": filter(),
                "description": "Filters, in the order in which they are counted: a page that fails one is left out.",
            },
            "personal": personal(),
            "sample": sample(),
            "lines": lines(),
            "shuffle": {
                "type": "object",
                "additionalProperties": false,
                "required": ["seed"],
                "properties": { "seed": seed("Pages are written in the order of the MD5 digest of this seed, a colon and row_id.") },
                "description": "Write pages in another order than that of the corpus.",
            },
            "output": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "columns": {
                        "type": "array",
                        "items": column(&mut |table| is_side_by_side(table)),
                        "uniqueItems": true,
                        "description": "The columns that are written, in this order. A name without a table is a column of documents.",
                    },
                },
            },
        },
    })
}

/// The names of columns. Those of documents also stand without their table.
fn column(is_wanted: &mut dyn FnMut(&str) -> bool) -> Value {
    let tables = tables_of_pages().filter(|table| is_wanted(table));
    let names: Vec<String> = tables
        .flat_map(|table| {
            let columns = columns_of(table);
            let bare = columns.clone().into_iter().filter(move |_| table == "documents");
            let bare = bare.map(|column| column.name.to_owned());
            bare.chain(columns.into_iter().map(|column| column.path()))
        })
        .collect();
    json!({ "enum": names })
}

fn seed(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX, "description": description })
}

/// The tests of a value, by key.
fn tests() -> serde_json::Map<String, Value> {
    let limit = |what: &str| {
        json!({
            "type": ["number", "string", "object"],
            "description": format!(
                "{what} value: a number, string, date or time as the column holds; or a table by language, such as {{ default = 0.5, deu = 0.7 }}. A language without a limit has none. Null fails."
            ),
        })
    };
    let list = |description: &str| json!({ "type": "array", "minItems": 1, "items": { "type": ["number", "string", "boolean"] }, "description": description });
    let tests = json!({
        "min": limit("The least"),
        "max": limit("The largest"),
        "in": list("The value is one of these, or a list has one of these. Null fails."),
        "not_in": list("The value is none of these, or a list has none of these. Null passes."),
        "is_null": { "type": "boolean", "description": "The value is null (a list: null or empty), or is not." },
    });
    match tests {
        Value::Object(tests) => tests,
        _ => serde_json::Map::new(),
    }
}

fn filter() -> Value {
    let rows = |description: &str| {
        let tables: Vec<_> = tables_of_pages()
            .filter(|table| !is_side_by_side(table))
            .collect();
        json!({ "enum": tables, "description": description })
    };
    let mut properties = tests();
    let columns = column(&mut |table| is_side_by_side(table) || table == "duplicates");
    properties.insert(
        "name".to_owned(),
        json!({ "type": "string", "description": "What reports call the filter." }),
    );
    properties.insert("column".to_owned(), columns);
    properties.insert(
        "any_row".to_owned(),
        rows("The page has a row in this table for which all conditions in `where` hold."),
    );
    properties.insert(
        "no_row".to_owned(),
        rows("The page has no row in this table for which all conditions in `where` hold."),
    );
    let mut condition = tests();
    condition.insert(
        "column".to_owned(),
        json!({ "type": "string", "description": "A column of the table." }),
    );
    properties.insert(
        "where".to_owned(),
        json!({
            "type": "array",
            "items": { "type": "object", "additionalProperties": false, "required": ["column"], "properties": condition },
            "description": "Conditions for a row of `any_row` or `no_row`.",
        }),
    );
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "oneOf": [{ "required": ["column"] }, { "required": ["any_row"] }, { "required": ["no_row"] }],
    })
}

fn personal() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["action"],
        "properties": {
            "action": {
                "enum": PersonalAction::VARIANTS,
                "description": "mask: other characters stand in its place; drop: pages with it are left out; keep: nothing is done.",
            },
            "kinds": {
                "type": "array",
                "minItems": 1,
                "items": { "enum": PersonalKind::VARIANTS },
                "default": ["email", "ip_address"],
            },
        },
        "description": "What is done with personal data in texts.",
    })
}

fn sample() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "fraction": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": 1,
                "description": "The share of pages that is taken: those whose key begins with the least digits. The key is row_id.",
            },
            "seed": seed("The key is the MD5 digest of this seed, a colon and row_id instead."),
            "most_per_language": {
                "type": ["integer", "object"],
                "description": "Maximum pages of a language, those with the least keys; a number, or a table such as { default = 1000, eng = 5000 }.",
            },
        },
        "description": "Take some of the pages that pass all filters.",
    })
}

fn lines() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "rules": {
                "enum": LineRules::VARIANTS,
                "description": "Leave out the lines that C4 leaves out, and references such as [12]; with fineweb, lines may end without a mark of punctuation. refinedweb: lines in capital letters, counters, lines of one word, labels of buttons.",
            },
            "repeated_on_sites": {
                "type": "integer",
                "minimum": 0,
                "description": "Leave out lines that stand on at least this number of sites (table repeats).",
            },
            "min_words": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "Leave out a page with fewer words in the lines that are left. A page without any line is left out in any case.",
            },
        },
        "description": "Rules that leave out lines of the text.",
    })
}
