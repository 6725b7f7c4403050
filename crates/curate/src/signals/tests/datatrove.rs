//! The verdicts of DataTrove's filters on texts of real pages, with our tokens, sentences and stop words.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::slow;
use crate::language::{Language, LanguageIdentifier, short_code};
use crate::signals::c4::{sentences, without_references};
use crate::signals::{Measurer, c4, fineweb, fineweb_c4, fineweb2, gopher};

/// The variable that names a Python with the package `datatrove`, and the one that names a file of texts: JSON lines with a field
/// `text`, such as `gleaner export` writes.
const PYTHON: &str = "GLEANER_DATATROVE_PYTHON";
const TEXTS: &str = "GLEANER_TEXTS";

#[test]
fn verdicts_are_those_of_datatrove() {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_owned());
    let has_package = Command::new(&python).args(["-c", "import datatrove"]).output();
    let (true, Some(texts)) = (
        has_package.is_ok_and(|output| output.status.success()),
        std::env::var_os(TEXTS),
    ) else {
        println!(
            "skipped: {python} has no package datatrove ({PYTHON} names another), or {TEXTS} names no file"
        );
        return;
    };
    let lines = std::fs::read_to_string(texts).expect("the texts can be read");
    let text = |line: &str| {
        serde_json::from_str::<Value>(line).expect("JSON")["text"]
            .as_str()
            .map(str::to_owned)
    };
    let texts: Vec<String> = lines.lines().filter_map(text).collect();
    let (asked, ours) = questions(&texts);
    let answers = ask(&python, &asked);
    assert_eq!(answers.len(), texts.len());
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut other = 0;
    for ((text, ours), theirs) in texts.iter().zip(&ours).zip(&answers) {
        for (set, verdict) in ours.as_object().expect("verdicts") {
            *counts.entry(format!("{set}: {verdict}")).or_default() += 1;
            if *verdict != theirs[set] {
                other += 1;
                let start: String = text.chars().take(80).collect();
                println!("{set}: {verdict}, by DataTrove {}: {start:?}", theirs[set]);
            }
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort();
    println!("{} texts: {counts:#?}", texts.len());
    assert_eq!(other, 0, "verdicts that are others");
}

/// What Python needs of each text, as JSON lines, and our verdicts.
fn questions(texts: &[String]) -> (String, Vec<Value>) {
    let (mut identifier, mut measurer) = (LanguageIdentifier::default(), Measurer::default());
    let mut lists = serde_json::Map::new();
    let (mut asked, mut ours) = (String::new(), Vec::new());
    for text in texts {
        let language = identifier.identify(text, None).language();
        let words = short_code(language.iso()).and_then(stop_words::lookup);
        lists.insert(language.iso().to_owned(), json!(words));
        let signals = measurer.measure(text, &language);
        let row = json!({
            "text": text,
            "language": language.as_str(),
            "tokens": slow::tokens(text),
            "sentences": sentence_counts(text),
        });
        asked += &format!("{row}\n");
        ours.push(json!({
            "gopher": gopher(&signals),
            "c4": c4(&signals),
            "fineweb_c4": fineweb_c4(&signals),
            "fineweb": fineweb(&signals),
            "fineweb2": fineweb2(&signals, &language),
            "fineweb2_english": fineweb2(&signals, &Language::new("eng", "Latn")),
        }));
    }
    (format!("{}\n{asked}", Value::Object(lists)), ours)
}

fn sentence_counts(text: &str) -> HashMap<String, u32> {
    let clean = |line: &str| without_references(line.trim()).unwrap_or_else(|| line.trim().to_owned());
    text.split('\n')
        .map(clean)
        .map(|line| (line.clone(), sentences(&line)))
        .collect()
}

fn ask(python: &str, asked: &str) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts.py");
    let file = tempfile::NamedTempFile::new().expect("a file");
    file.as_file()
        .write_all(asked.as_bytes())
        .expect("the file is written");
    let settings =
        std::env::var_os("GLEANER_DATA").map(|data| Path::new(&data).join("fineweb2/settings.jsonl"));
    let output = Command::new(python)
        .arg(script)
        .arg(file.path())
        .args(settings)
        .stderr(Stdio::inherit())
        .output()
        .expect("Python runs");
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).expect("text");
    answers
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}
