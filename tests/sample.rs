//! The bundled crawl: what is in it comes out, and the rest is said.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::{Corpus, build, files, run, said, sample};

static CORPUS: LazyLock<Corpus> = LazyLock::new(|| build(&[&sample()], &[]));

fn gold() -> Vec<(String, String)> {
    let path = sample().with_file_name("sample.gold.jsonl");
    let lines = fs::read_to_string(path).unwrap();
    let page = |line: &str| {
        let page: Value = serde_json::from_str(line).unwrap();
        (
            page["url"].as_str().unwrap().to_owned(),
            page["text"].as_str().unwrap().to_owned(),
        )
    };
    lines.lines().map(page).collect()
}

#[test]
fn every_page_is_a_document() {
    let documents = CORPUS.documents();
    let missing: Vec<_> = gold()
        .into_iter()
        .map(|page| page.0)
        .filter(|url| !documents.contains_key(url))
        .collect();
    assert!(missing.is_empty(), "no documents: {missing:?}");
}

#[test]
fn documents_hold_what_the_pages_are_there_for() {
    let gold = gold();
    let scores: Vec<f64> = gold
        .iter()
        .map(|(url, text)| word_f1(&CORPUS.text(url), text))
        .collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    let table: String = gold
        .iter()
        .zip(&scores)
        .map(|((url, _), score)| format!("{score:.3} {url}\n"))
        .collect();
    assert!(mean > 0.9, "mean word F1 {mean:.3}\n{table}");
}

/// Word F1 of two texts as multisets of words.
fn word_f1(text: &str, gold: &str) -> f64 {
    let count = |text: &str| {
        let mut words = BTreeMap::<String, usize>::new();
        for word in text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            *words.entry(word.to_lowercase()).or_default() += 1;
        }
        words
    };
    let (text, gold) = (count(text), count(gold));
    let common: usize = gold
        .iter()
        .map(|(word, count)| text.get(word).copied().unwrap_or(0).min(*count))
        .sum();
    2.0 * common as f64 / (text.values().sum::<usize>() + gold.values().sum::<usize>()) as f64
}

#[test]
fn damage_is_rejected_with_its_place() {
    let rejects = CORPUS.rejects();
    let damage: Vec<_> = rejects
        .iter()
        .filter(|reject| reject["stage"] != "extract")
        .collect();
    assert!(
        damage.iter().any(|reject| reject["reason"] == "truncated"),
        "{rejects:#?}"
    );
    assert!(
        damage.iter().any(|reject| reject["reason"] == "bad-compression"),
        "{rejects:#?}"
    );
    let length = fs::metadata(sample()).unwrap().len();
    for reject in damage {
        let offset: u64 = reject["warc_offset"].parse().unwrap();
        assert!(0 < offset && offset < length, "{reject:?}");
    }
}

#[test]
fn the_charset_of_every_page_is_found() {
    for (url, charset, words) in [
        (
            "https://www.lanterna-walks.example/cs/vecerni-prochazka",
            "ISO-8859-2",
            "kolem Žabího rybníka",
        ),
        (
            "https://www.lanterna-walks.example/de/faehrmann",
            "windows-1252",
            "Herr Möhring fährt seit dreißig Jahren",
        ),
        (
            "https://www.lanterna-walks.example/ja/misaki",
            "Shift_JIS",
            "海の息",
        ),
        (
            "https://www.lanterna-walks.example/ar/wadi",
            "UTF-8",
            "مدرجات الزيتون",
        ),
    ] {
        assert_eq!(CORPUS.documents()[url]["charset"], charset, "{url}");
        assert!(CORPUS.text(url).contains(words), "{}", CORPUS.text(url));
    }
}

#[test]
fn bodies_are_unwrapped_whatever_they_were_sent_in() {
    for (url, words) in [
        (
            "https://www.marrowbaycourier.example/2024/03/cobb-lane-closed",
            "You could have a picnic on it.",
        ),
        (
            "https://www.marrowbaycourier.example/2024/04/rovers-hold-leaders",
            "for explaining to the linesman",
        ),
        (
            "https://www.marrowbaycourier.example/food/saffron-buns",
            "Knead for ten minutes by the clock.",
        ),
        (
            "https://slowsalt.example/2024/02/failure-22-beetroot",
            "I would stand it in the bath.",
        ),
    ] {
        assert!(CORPUS.text(url).contains(words), "{url}: {}", CORPUS.text(url));
    }
}

#[test]
fn a_forum_that_keeps_its_thread_in_noscript_is_read() {
    let text = CORPUS.text("https://haldenfrost.example/forum/topic/1211");
    assert!(
        text.contains("with somebody frying something in the background"),
        "{text}"
    );
}

#[test]
fn the_same_input_gives_the_same_bytes_on_any_number_of_workers() {
    let others = ["1", "3"].map(|workers| build(&[&sample()], &["--blocks", "--workers", workers]));
    let [first, second] = others.each_ref().map(contents);
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        second.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{name} differs");
    }
}

fn contents(corpus: &Corpus) -> BTreeMap<String, Vec<u8>> {
    let root = corpus.path();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    files(&root)
        .iter()
        .map(|path| (name(path), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn people_are_told_what_machines_are() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    let output = run([
        "build".as_ref(),
        sample().as_os_str(),
        "--out".as_ref(),
        out.as_os_str(),
    ]);
    let said = said(&output);
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    for name in ["captures", "documents"] {
        let line = said
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("no {name}: {said}"));
        let number = line.split_ascii_whitespace().nth(1).unwrap().replace(',', "");
        assert_eq!(number, CORPUS.number(name).to_string(), "{said}");
    }
}

#[test]
fn strict_turns_damage_into_status_one() {
    assert_eq!(CORPUS.status, Some(0));
    assert_eq!(build(&[&sample()], &["--strict"]).status, Some(1));
}
