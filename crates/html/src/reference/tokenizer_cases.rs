//! html5lib's tokenizer tests as pages: each input alone, and in the contexts that it is meant for.

use std::path::PathBuf;

use super::assert_same_tree;

/// The folder of real data, if it is there.
pub(crate) fn data(folder: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("GLEANER_DATA")
        .map_or(beside, PathBuf::from)
        .join(folder);
    if !data.is_dir() {
        println!("skipped: {} is not there", data.display());
        return None;
    }
    Some(data)
}

/// The beginning of a page that puts the tokenizer into a state of the tests.
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

/// Inputs of some tests have their escapes escaped once more.
fn input(test: &serde_json::Value) -> Option<String> {
    let input = test["input"].as_str()?;
    if test["doubleEscaped"] != true {
        return Some(input.to_owned());
    }
    serde_json::from_str(&format!("\"{}\"", input.replace('"', "\\\""))).ok()
}

#[test]
fn trees_of_html5libs_tokenizer_tests_are_those_of_html5ever() {
    let Some(folder) = data("html5lib/tokenizer") else {
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "test") {
            continue;
        }
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for test in file["tests"].as_array().into_iter().flatten() {
            let Some(input) = input(test) else { continue };
            let last = test["lastStartTag"].as_str().unwrap_or_default();
            let states = test["initialStates"].as_array().cloned().unwrap_or_default();
            let states = states
                .iter()
                .filter_map(|state| state.as_str())
                .chain(["Data state"]);
            for state in states {
                let html = format!("{}{input}", opening(state, last));
                assert_same_tree(&html, &format!("{}: {}", path.display(), test["description"]));
                assert_same_tree(&format!("<p>{html}x"), "in a paragraph");
                count += 2;
            }
        }
    }
    assert!(count > 12_000, "{count} inputs");
}
