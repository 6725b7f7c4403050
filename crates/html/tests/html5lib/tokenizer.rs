//! Tokenization: what a page of an input holds, and that both builders find the same in it.

use serde_json::Value;

use super::kept::{Line, of_tree};
use super::{BUILDERS, file_name, files, folder, parser};

/// The beginning of a page that puts the tokenizer into a state of the cases.
fn opening(state: &str, last_start_tag: &str) -> String {
    match state {
        "PLAINTEXT state" => "<plaintext>".to_owned(),
        "CDATA section state" => "<svg><![CDATA[".to_owned(),
        "Script data state" => "<script>".to_owned(),
        "RCDATA state" if last_start_tag != "textarea" => "<title>".to_owned(),
        "RAWTEXT state" if last_start_tag.is_empty() => "<style>".to_owned(),
        "RCDATA state" | "RAWTEXT state" => format!("<{last_start_tag}>"),
        _ => String::new(),
    }
}

/// A text; in some cases escapes are escaped once more.
fn text(case: &Value, text: &str) -> Option<String> {
    if case["doubleEscaped"] != true {
        return Some(text.to_owned());
    }
    serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).ok()
}

/// The characters of a case that has no tags; comments and document types are not kept.
fn characters(case: &Value) -> Option<String> {
    let mut characters = String::new();
    for token in case["output"].as_array()? {
        match token[0].as_str()? {
            "Character" => characters += &text(case, token[1].as_str()?)?,
            "Comment" | "DOCTYPE" => {}
            _ => return None,
        }
    }
    Some(characters)
}

/// All text of a tree.
fn all_text(lines: &[Line]) -> String {
    let texts = lines.iter().filter_map(|line| match line {
        Line::Text { text, .. } => Some(text.as_str()),
        Line::Element { .. } => None,
    });
    texts.collect()
}

/// The inputs of a folder, each with what its text should be, if that is known.
fn inputs(case: &Value) -> Vec<(String, Option<String>)> {
    let Some(input) = case["input"].as_str().and_then(|input| text(case, input)) else {
        return Vec::new();
    };
    let last = case["lastStartTag"].as_str().unwrap_or_default();
    let states = case["initialStates"].as_array().map_or(&[][..], Vec::as_slice);
    let states: Vec<&str> = match states.is_empty() {
        true => vec!["Data state"],
        false => states.iter().filter_map(Value::as_str).collect(),
    };
    let mut inputs = Vec::new();
    for state in states {
        let html = format!("{}{input}", opening(state, last));
        // What the tree builder makes of NULs is its own.
        let found = characters(case).map(|text| match state {
            "Data state" => text.replace('\0', ""),
            "CDATA section state" => text.replace('\0', "\u{fffd}"),
            _ => text,
        });
        let found = found.filter(|_| html.starts_with(&format!("<{last}>")) || last.is_empty());
        inputs.push((format!("<p>a{html}"), found.map(|text| "a".to_owned() + &text)));
        inputs.push((html, None));
    }
    inputs
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn texts_are_those_of_html5lib_and_trees_the_same_for_both_builders() {
    let folder = folder("tokenizer");
    let (mut count, mut with_text, mut wrong) = (0, 0, Vec::new());
    for path in files(&folder, "test") {
        let name = file_name(&path);
        let file: Value =
            serde_json::from_slice(&std::fs::read(&path).expect("it was listed")).expect("JSON");
        for case in file["tests"].as_array().into_iter().flatten() {
            for (html, expected) in inputs(case) {
                let [ours, theirs] = BUILDERS.map(|builder| of_tree(parser(builder).parse_str(&html).tree()));
                count += 1;
                with_text += usize::from(expected.is_some());
                if ours != theirs {
                    wrong.push(format!("{name}: of {html:?} {ours:?}, not {theirs:?}"));
                }
                if let Some(expected) = expected.filter(|expected| *expected != all_text(&ours)) {
                    wrong.push(format!(
                        "{name}: the text of {html:?} is {:?}, not {expected:?}",
                        all_text(&ours)
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        count > 12_000 && with_text > 4_000,
        "{count} inputs, {with_text} with text"
    );
}
