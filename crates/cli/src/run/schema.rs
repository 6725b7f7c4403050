//! The JSON Schema of job files, for editors and for checks before a job is sent off.

use serde_json::{Map, Value, json};

use super::settings::{Setting, ValueKind, settings};

pub(crate) fn schema() -> Value {
    let mut properties = Map::new();
    for setting in settings() {
        let of = match &setting.table {
            Some(table) => inner(&mut properties, table),
            None => &mut properties,
        };
        of.insert(setting.key.clone(), described(&setting));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Job file of gleaner run",
        "description": "The options of `gleaner build` as keys. See jobs/README.md.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn inner<'a>(properties: &'a mut Map<String, Value>, table: &str) -> &'a mut Map<String, Value> {
    let empty = || json!({ "type": "object", "additionalProperties": false, "properties": {} });
    let table = properties.entry(table).or_insert_with(empty);
    table["properties"]
        .as_object_mut()
        .expect("a table has properties from its first setting on")
}

fn described(setting: &Setting) -> Value {
    let mut schema = of_kind(setting);
    schema["description"] = setting.help().into();
    if let Some(default) = default(setting) {
        schema["default"] = default;
    }
    schema
}

fn of_kind(setting: &Setting) -> Value {
    match &setting.kind {
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Number => {
            let (least, most) = setting.bounds();
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        ValueKind::Real => json!({ "type": "number" }),
        ValueKind::Size => json!({ "type": ["string", "integer"] }),
        ValueKind::Choice(choices) => json!({ "enum": choices }),
        ValueKind::Text => json!({ "type": "string" }),
        ValueKind::Texts => json!({
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }],
        }),
    }
}

fn default(setting: &Setting) -> Option<Value> {
    let default = setting.default().into_iter().next()?;
    Some(match setting.kind {
        ValueKind::Flag => (default == "true").into(),
        ValueKind::Number => default.parse::<u64>().map_or(Value::Null, Value::from),
        ValueKind::Real => default.parse::<f64>().map_or(Value::Null, Value::from),
        _ => default.into(),
    })
}
