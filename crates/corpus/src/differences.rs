//! In what two settings of a name differ, in words.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// A setting, and its two values in words.
type Difference = (String, [String; 2]);

/// What differs in an option: where it is an object of JSON, the settings in it.
pub(crate) fn setting_differences(name: &str, values: [Option<&str>; 2]) -> Vec<Difference> {
    let object = |text: Option<&str>| serde_json::from_str::<Map<String, Value>>(text?).ok();
    match values.map(object) {
        [Some(one), Some(other)] => object_differences(&one, &other),
        _ => vec![difference(name, values.map(|value| value.map(quoted)))],
    }
}

fn object_differences(one: &Map<String, Value>, other: &Map<String, Value>) -> Vec<Difference> {
    let names: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let differences = names
        .into_iter()
        .flat_map(|name| match [one, other].map(|object| object.get(name)) {
            [one, other] if one == other => Vec::new(),
            [Some(Value::Object(one)), Some(Value::Object(other))] => object_differences(one, other),
            values => vec![difference(name, values.map(|value| value.map(written)))],
        });
    differences.collect()
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        value => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    format!("'{text}'")
}

fn difference(name: &str, values: [Option<String>; 2]) -> Difference {
    let [one, mut other] = values.map(|value| value.map_or_else(|| "not set".to_owned(), shortened));
    if one == other {
        // They differ behind what is shown.
        other = "another value".to_owned();
    }
    (name.to_owned(), [one, other])
}

/// Letters of a value in a message.
const SHOWN: usize = 80;

fn shortened(value: String) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(name: &str, values: [Option<&str>; 2]) -> Vec<String> {
        let differences = setting_differences(name, values).into_iter();
        differences
            .map(|(name, [one, other])| format!("{name}: {one}, {other}"))
            .collect()
    }

    #[test]
    fn only_the_settings_that_differ_are_named() {
        let one =
            r#"{"a":1,"tokens":{"token":"\\S+","default_patterns":false,"patterns":[]},"same":{"b":[1]}}"#;
        let other = r#"{"a":1,"tokens":{"token":"\\w+","default_patterns":true,"patterns":["x"]},"same":{"b":[1]},"new":2}"#;
        assert_eq!(
            phrases("mine", [Some(one), Some(other)]),
            [
                "new: not set, 2",
                "default_patterns: false, true",
                r#"patterns: [], ["x"]"#,
                r"token: '\S+', '\w+'",
            ]
        );
        assert_eq!(phrases("limit", [None, Some("7")]), ["limit: not set, '7'"]);
        assert_eq!(phrases("a", [None, Some("{}")]), ["a: not set, '{}'"]);
    }

    #[test]
    fn long_values_are_cut() {
        let long = "\u{e9}".repeat(100);
        let cut = format!("'{}...", "\u{e9}".repeat(SHOWN - 1));
        assert_eq!(phrases("a", [Some(&long), Some("x")]), [format!("a: {cut}, 'x'")]);
        let longer = format!("{long}x");
        assert_eq!(
            phrases("a", [Some(&long), Some(&longer)]),
            [format!("a: {cut}, another value")]
        );
    }
}
