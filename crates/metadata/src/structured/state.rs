//! Texts in the state of the framework that draws a page: scripts that hold JSON, or assign it.
//!
//! No schema says what is text there. A string is, if it is prose by its words and its name is that
//! of a text (`description`, `body`); what is named like a menu or a translation is skipped.

use std::sync::LazyLock;

use serde_json::Value;

/// Maximum bytes of chunks that are joined.
const MOST_BYTES: usize = 2 << 20;
/// Maximum depth of values.
const DEPTH: usize = 64;

/// Parts of the names of texts.
static TEXTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "description body content text html summary excerpt paragraph children abstract answer question overview details"
        .split_ascii_whitespace()
        .collect()
});

/// Parts of the names of what is no page's text.
static NO_TEXTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "seo meta footer navigation menu cookie consent translation i18n locale messages config setting related recommend \
    legal newsletter banner schema breadcrumb modal labels query styles javascript css"
        .split_ascii_whitespace()
        .collect()
});

/// Gives the texts of scripts.
pub(super) fn read(scripts: &[String], line: &mut dyn FnMut(&str)) {
    let mut pushed = String::new();
    for script in scripts {
        let own = script.trim_start();
        if own.starts_with("self.__next_f.push") {
            push_chunk(own, &mut pushed);
        } else if let Some(value) = parse(script) {
            texts("", &value, 0, line);
        }
    }
    for row in pushed.lines() {
        // A row of such a stream is an id, a colon, and mostly JSON.
        let value = row
            .split_once(':')
            .and_then(|(_, json)| serde_json::from_str(json).ok());
        if let Some(value) = value {
            texts("", &value, 0, line);
        }
    }
}

/// Parses JSON as scripts have it: an assignment before, a semicolon behind, controls within strings.
fn parse(body: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(body) {
        return Some(value);
    }
    let start = body.find(['{', '['])?;
    let end = body.rfind(['}', ']'])?;
    let clean: String = body
        .get(start..=end)?
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    serde_json::from_str(&clean).ok()
}

/// Appends the string of `self.__next_f.push([1,"..."])`.
fn push_chunk(script: &str, out: &mut String) {
    if let Some(Value::Array(chunk)) = parse(script)
        && let Some(Value::String(text)) = chunk.get(1)
        && out.len() + text.len() <= MOST_BYTES
    {
        out.push_str(text);
    }
}

/// The texts below a value of a name.
fn texts(name: &str, value: &Value, depth: usize, line: &mut dyn FnMut(&str)) {
    if depth > DEPTH {
        return;
    }
    match value {
        Value::String(text) if is_text_name(name) && is_prose(text) => line(text),
        Value::Array(values) => values
            .iter()
            .for_each(|value| texts(name, value, depth + 1, line)),
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !is_aside(name)) {
                texts(name, value, depth + 1, line);
            }
        }
        _ => {}
    }
}

fn is_text_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TEXTS.iter().any(|part| name.contains(part))
}

fn is_aside(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NO_TEXTS.iter().any(|part| name.contains(part))
}

/// Whether a string reads like a sentence: words, and not much else.
fn is_prose(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let dense = text.chars().filter(|&letter| letter >= '\u{2e80}').count();
    let shown = text.chars().filter(|letter| !letter.is_whitespace());
    let (mut letters, mut all) = (0usize, 0usize);
    for letter in shown {
        all += 1;
        letters += usize::from(letter.is_alphabetic());
    }
    (words >= 8 || dense >= 20) && letters * 10 >= all * 7 && !text.starts_with(['{', '[', '.', '#', '$'])
}
