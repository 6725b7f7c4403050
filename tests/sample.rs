//! The bundled crawl: what is in it comes out, and the rest is said.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::support::{Corpus, build, files, gleaner, rows, run, said, sample};

static CORPUS: LazyLock<Corpus> = LazyLock::new(|| build(&[&sample()], &[]));
static BLOCKS_TOO: LazyLock<Corpus> = LazyLock::new(|| build(&[&sample()], &["--blocks"]));

/// The addresses and golds of its pages.
pub(crate) fn gold() -> Vec<(String, String)> {
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

/// The files of the bundled crawl follow from these versions of the program.
#[test]
fn who_changes_a_file_raises_a_version() {
    let tables = files(&CORPUS.path()).into_iter();
    let tables = tables.filter(|path| path.extension().is_some_and(|kind| kind == "parquet"));
    let names = tables.map(|path| {
        path.strip_prefix(CORPUS.path())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    });
    let found =
        json!({ "versions": BTreeMap::from(gleaner_dataflow::VERSIONS), "files": names.collect::<Vec<_>>() });
    let list = sample().with_file_name("sample.files.json");
    if std::env::var_os("GLEANER_WRITE_FILES").is_some() {
        fs::write(&list, format!("{found:#}\n")).unwrap();
    }
    let known: Value = serde_json::from_str(&fs::read_to_string(&list).unwrap()).unwrap();
    assert!(
        known["versions"] != found["versions"] || known["files"] == found["files"],
        "a build of the bundled crawl writes other files: raise READ, LABEL, TABLE (FORMAT) or SIGN in \
         crates/dataflow/src/versions.rs\n{found:#}"
    );
    assert_eq!(
        known, found,
        "run this test with GLEANER_WRITE_FILES=1, and commit tests/data/sample.files.json"
    );
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
    assert!(mean > 0.75, "mean word F1 {mean:.3}\n{table}");
    let everything = gold
        .iter()
        .map(|(url, text)| word_f1(&lines_of(url), text))
        .sum::<f64>()
        / gold.len() as f64;
    assert!(
        mean > everything,
        "{mean:.3}, and {everything:.3} by keeping everything\n{table}"
    );
}

#[test]
fn a_program_is_written_as_it_stands_on_its_page() {
    let lines = "\n\nkiln = Instrument.load(\"lime-kiln.toml\")\nwith Session(kiln, rate=48_000) as session:\n    \
                 for reading in session:\n        if abs(reading.cents) > 3:\n            print(";
    // Pages that are labelled at once, and those that wait in staging for their site.
    let alone = build(&[&sample()], &["--no-templates"]);
    for corpus in [&*CORPUS, &alone] {
        let text = corpus.text("https://haldenfrost.example/docs/api");
        assert!(text.contains(lines), "{text}");
    }
}

/// The Parquet files of a corpus, by their names.
fn tables(corpus: &Corpus) -> BTreeMap<String, Vec<u8>> {
    let mut files = crate::resume::contents(&corpus.path());
    files.retain(|name, _| name.ends_with(".parquet"));
    files
}

#[test]
fn html5ever_gives_the_same_tables() {
    let other = build(&[&sample()], &["--blocks", "--parser", "html5ever"]);
    let (ours, theirs) = (tables(&BLOCKS_TOO), tables(&other));
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    for (name, bytes) in &ours {
        assert!(theirs[name] == *bytes, "{name} differs");
    }
    // It is another corpus: one is not mixed up with the other.
    let arguments = ["build", "--blocks", "--json", "--out"];
    let mut again = gleaner();
    again.args(arguments).args([&other.path(), &sample()]);
    let output = again.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("parser"), "{}", said(&output));
}

/// All blocks of a page, kept or not, a line each.
pub(crate) fn lines_of(url: &str) -> String {
    static BLOCKS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
        let mut pages = BTreeMap::<String, String>::new();
        for block in rows(&BLOCKS_TOO.path().join("blocks")) {
            let page = pages.entry(block["record_id"].clone()).or_default();
            page.push_str(&block["text"]);
            page.push('\n');
        }
        pages
    });
    let id = &BLOCKS_TOO.documents()[url]["record_id"];
    BLOCKS.get(id).cloned().unwrap_or_default()
}

/// Word F1 of two texts as multisets of words.
pub(crate) fn word_f1(text: &str, gold: &str) -> f64 {
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
fn the_kind_of_a_page_is_told_where_it_has_blocks() {
    let documents = CORPUS.documents();
    for (url, document) in &documents {
        let is_told = !document["page_kind"].is_empty();
        assert_eq!(is_told, document["block_count"] != "0", "{url}");
        assert_eq!(is_told, !document["page_kind_probability"].is_empty(), "{url}");
    }
    assert!(
        documents
            .values()
            .any(|document| document["page_kind"] == "forum")
    );
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/victor46.gcrf");
    let without = build(&[&sample()], &["--model", model.to_str().unwrap()]);
    for document in without.documents().values() {
        assert_eq!(document["page_kind"], "");
    }
}

#[test]
fn damage_is_rejected_with_its_place() {
    let rejects = CORPUS.rejects();
    let damage: Vec<_> = rejects
        .iter()
        .filter(|reject| reject["stage"] == "warc")
        .collect();
    let [rotten] = damage[..] else {
        panic!("not one rotten record: {rejects:#?}")
    };
    assert_eq!(rotten["reason"], "bad-compression", "{rotten:?}");
    assert_eq!(
        rotten["url"],
        "https://slowsalt.example/2024/04/what-to-eat-it-with"
    );
    assert_eq!(
        rotten["surt"],
        "example,slowsalt):https/2024/04/what-to-eat-it-with"
    );
    assert_eq!(rotten["row_id"], "", "no capture was read there");
    // The place is right: a gzip member begins there.
    let offset: usize = rotten["warc_offset"].parse().unwrap();
    assert_eq!(fs::read(sample()).unwrap()[offset..][..3], *b"\x1f\x8b\x08");
    let line = CORPUS.line("  bad-compression");
    assert!(line.contains(&format!("sample.warc.gz at {offset}")), "{line}");
}

#[test]
fn the_page_that_the_file_ends_in_says_so() {
    let truncated = CORPUS.only_truncated("https://www.lanterna-walks.example/en/contact");
    assert_eq!(truncated, "capture");
}

#[test]
fn captures_have_names_of_their_own_in_documents_and_rejects() {
    let rejects = CORPUS.rejects();
    let captures: Vec<_> = rejects
        .iter()
        .filter(|reject| reject["stage"] != "warc")
        .collect();
    let documents = CORPUS.documents();
    let names = captures.iter().map(|reject| &reject["row_id"]);
    let names: BTreeSet<&String> = names
        .chain(documents.values().map(|row| &row["row_id"]))
        .collect();
    assert_eq!(names.len(), captures.len() + documents.len());
    assert!(names.iter().all(|name| name.len() == 32), "{names:?}");
    let moved = captures
        .iter()
        .find(|reject| reject["url"].ends_with("/index.php"));
    assert_eq!(
        moved.unwrap()["surt"],
        "example,marrowbaycourier,www):https/index.php"
    );
}

#[test]
fn what_is_no_page_is_rejected_by_reason() {
    let rejects = CORPUS.rejects();
    let reason = |url: &str| {
        let reject = rejects.iter().find(|reject| reject["url"] == url);
        let reject = reject.unwrap_or_else(|| panic!("no {url} in {rejects:#?}"));
        (reject["reason"].clone(), reject["detail"].clone())
    };
    for (url, expected) in [
        (
            "https://www.marrowbaycourier.example/2019/06/harbour-regatta-results",
            ("http-status", "the server answered 404"),
        ),
        (
            "https://www.marrowbaycourier.example/index.php",
            ("http-status", "the server answered 301"),
        ),
        (
            "https://www.marrowbaycourier.example/static/pixel.gif",
            ("media-type", "image/gif"),
        ),
        ("dns:slowsalt.example", ("media-type", "text/dns")),
    ] {
        let (reason, detail) = reason(url);
        assert_eq!((&reason[..], &detail[..]), expected, "{url}");
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
        let text = lines_of(url);
        assert!(text.contains(words), "{url}: {text}");
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
        let text = lines_of(url);
        assert!(text.contains(words), "{url}: {text}");
    }
}

#[test]
fn a_forum_that_keeps_its_thread_in_noscript_is_read() {
    let text = lines_of("https://haldenfrost.example/forum/topic/1211");
    assert!(
        text.contains("with somebody frying something in the background"),
        "{text}"
    );
}

#[test]
fn the_same_input_gives_the_same_bytes_on_any_number_of_workers() {
    let first = contents(&build(&[&sample()], &["--blocks", "--workers", "1"]));
    for workers in ["2", "5"] {
        let other = contents(&build(&[&sample()], &["--blocks", "--workers", workers]));
        assert_eq!(first.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (name, bytes) in &first {
            assert!(other[name] == *bytes, "{name} differs with {workers} workers");
        }
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
