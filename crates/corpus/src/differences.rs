//! In what two settings of a name differ, in words.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// What differs in an option: where it is an object of JSON, the settings in it.
pub(crate) fn setting_differences(name: &str, there: &str, now: &str) -> Vec<String> {
    let object = |text| serde_json::from_str::<Map<String, Value>>(text).ok();
    match (object(there), object(now)) {
        (Some(there), Some(now)) => object_differences(&there, &now),
        _ => vec![phrase(name, &quoted(there), &quoted(now))],
    }
}

fn object_differences(there: &Map<String, Value>, now: &Map<String, Value>) -> Vec<String> {
    let names: BTreeSet<_> = there.keys().chain(now.keys()).collect();
    let differences = names
        .into_iter()
        .flat_map(|name| match (there.get(name), now.get(name)) {
            (there, now) if there == now => Vec::new(),
            (Some(Value::Object(there)), Some(Value::Object(now))) => object_differences(there, now),
            (there, now) => {
                let text = |value: Option<&Value>| match value {
                    None => "unset".to_owned(),
                    Some(Value::String(text)) => quoted(text),
                    Some(value) => value.to_string(),
                };
                vec![phrase(name, &text(there), &text(now))]
            }
        });
    differences.collect()
}

fn quoted(text: &str) -> String {
    format!("'{text}'")
}

/// Letters of a value in a message.
const SHOWN: usize = 80;

fn phrase(name: &str, there: &str, now: &str) -> String {
    let [short_there, short_now] = [there, now].map(shortened);
    match short_there == short_now {
        // They differ behind what is shown.
        true => format!("{name}: another value there"),
        false => format!("{name}: {short_there} there, {short_now} now"),
    }
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_settings_that_differ_are_named() {
        let there =
            r#"{"a":1,"tokens":{"token":"\\S+","default_patterns":false,"patterns":[]},"same":{"b":[1]}}"#;
        let now = r#"{"a":1,"tokens":{"token":"\\w+","default_patterns":true,"patterns":["x"]},"same":{"b":[1]},"new":2}"#;
        assert_eq!(
            setting_differences("mine", there, now),
            [
                "new: unset there, 2 now",
                "default_patterns: false there, true now",
                r#"patterns: [] there, ["x"] now"#,
                r"token: '\S+' there, '\w+' now",
            ]
        );
        assert_eq!(
            setting_differences("limit", "unset", "7"),
            ["limit: 'unset' there, '7' now"]
        );
        assert_eq!(
            setting_differences("a", "unset", "{}"),
            ["a: 'unset' there, '{}' now"]
        );
    }

    #[test]
    fn long_values_are_cut() {
        let long = "\u{e9}".repeat(100);
        let cut = format!("'{}...", "\u{e9}".repeat(SHOWN - 1));
        assert_eq!(
            setting_differences("a", &long, "x"),
            [format!("a: {cut} there, 'x' now")]
        );
        assert_eq!(
            setting_differences("a", &long, &format!("{long}x")),
            ["a: another value there"]
        );
    }
}
