//! The table `contamination`: texts of benchmarks in documents.

use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::warc::{Archive, article};
use tempfile::TempDir;

use crate::living::Living;
use crate::support::{build, refusal, rows, run, said};

const QUESTION: &str =
    "Which boat left the harbour at seven in the morning with nine people and a dog on board?";
const STORY: &str = "The old lighthouse at the harbour was lit again last night, for the first time in two long years of storms.";

/// A page with this text among others.
fn page(text: &str) -> String {
    article().replace("</main>", &format!("<p>{text}</p></main>"))
}

/// Pages that have texts of the benchmarks, and one that has none.
fn crawl(folder: &Path) -> PathBuf {
    let quiz = "Ein Rätsel für 水夫: which boat left the HARBOUR at 7 in the morning - with nine people and a dog on board? Die Fähre!";
    let quiz = quiz.replace(" at 7 ", " at seven ");
    let both = format!("{QUESTION} {}", &STORY[4..81]);
    Archive::new()
        .page("http://blue.example/", article())
        .page("http://green.example/quiz", page(&quiz))
        .page("http://red.example/both", page(&both))
        .write(folder, "pages.warc.gz")
}

/// A folder of benchmarks with two tasks, and one whose passages are short.
fn benchmarks(folder: &Path) -> String {
    let path = folder.join("benchmarks");
    fs::create_dir(&path).unwrap();
    let line = serde_json::json!({"question": QUESTION, "choices": ["the ferry", "the pilot"], "answer": 0});
    fs::write(path.join("boats.jsonl"), format!("{{\"id\": 1}}\n{line}\n")).unwrap();
    fs::write(path.join("tales.txt"), format!("Short.\n\n{STORY}\n")).unwrap();
    fs::write(path.join("words.txt"), "Harbour\n\nLighthouse\n").unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn texts_of_benchmarks_in_documents_have_rows() {
    let folder = TempDir::new().unwrap();
    let (pages, benchmarks) = (crawl(folder.path()), benchmarks(folder.path()));
    let corpus = build(&[&pages], &["--benchmarks", &benchmarks]);
    let documents = corpus.documents();
    let found = rows(&corpus.path().join("contamination"));
    let line = |row: &std::collections::BTreeMap<String, String>| {
        let document = &documents[&row["url"]];
        assert_eq!(row["row_id"], document["row_id"]);
        let place = |column: &str| row[column].parse::<usize>().unwrap();
        let text = document["text"].chars().skip(place("span_start"));
        let text: String = text.take(place("span_end") - place("span_start")).collect();
        let share: f32 = row["share"].parse().unwrap();
        format!(
            "{} | {} | {} | {} | {share:.2} | {text}",
            row["url"], row["task"], row["passage"], row["words"]
        )
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "http://green.example/quiz | boats | 2 | 18 | 1.00 | which boat left the HARBOUR at seven in the morning - with nine \
             people and a dog on board",
            &format!(
                "http://red.example/both | boats | 2 | 18 | 1.00 | {}",
                QUESTION.trim_end_matches('?')
            ),
            &format!(
                "http://red.example/both | tales | 3 | 15 | 0.33 | {}",
                &STORY[4..81]
            ),
        ]
    );
    assert!(!build(&[&pages], &[]).path().join("contamination").exists());
}

#[test]
fn a_corpus_without_texts_of_benchmarks_has_a_table_without_rows() {
    let folder = TempDir::new().unwrap();
    let benchmarks = benchmarks(folder.path());
    let pages = Archive::new().page("http://blue.example/", article());
    let pages = pages.write(folder.path(), "pages.warc.gz");
    let corpus = build(&[&pages], &["--benchmarks", &benchmarks]);
    assert!(rows(&corpus.path().join("contamination")).is_empty());
}

/// A folder with one task: the sentences of all pages.
fn of_living(living: &Living, name: &str, passages: &str) -> String {
    let path = living.path(name);
    fs::create_dir(&path).unwrap();
    fs::write(path.join("diary.txt"), passages).unwrap();
    path.to_str().unwrap().to_owned()
}

const DIARY: &str =
    "boats left the old harbour before the storm, and the harbour master wrote down all names";
const OTHER: &str = "wrote down all 0 names in her diary of the tides, which the town still keeps.";

#[test]
fn a_changed_corpus_has_the_rows_of_a_build() {
    let living = Living::new(&["--chunk-size", "16"]);
    let one = of_living(&living, "one", DIARY.replace("names", "0 names").as_str());
    let other = of_living(&living, "other", OTHER);
    let rows = |host: &str| {
        let found = rows(&living.path("corpus/contamination"));
        found.iter().filter(|row| row["url"].contains(host)).count()
    };
    // A corpus without the table gets it from what it keeps of its pages.
    living.change("relabel", &["--benchmarks", &one]);
    assert_eq!(rows(""), 48);
    living.check_with(&["a", "b"], &["--benchmarks", &one]);
    living.change("add", &[&living.file("c"), "--benchmarks", &one]);
    assert_eq!(rows(""), 72);
    living.check_with(&["a", "b", "c"], &["--benchmarks", &one]);
    let taken = [
        "--domain",
        "green.example",
        "--reason",
        "request",
        "--benchmarks",
        &one,
    ];
    living.change("takedown", &taken);
    assert_eq!((rows(""), rows("green")), (48, 0));
    living.check_with(&["a", "b", "c"], &["--benchmarks", &one]);
    living.change(
        "remove",
        &["--input", "b.warc.gz", "--reason", "old", "--benchmarks", &one],
    );
    assert_eq!(rows(""), 32);
    living.check_with(&["a", "c"], &["--benchmarks", &one]);
    living.change("relabel", &["--benchmarks", &other]);
    living.check_with(&["a", "c"], &["--benchmarks", &other]);
    let verify = ["verify", &living.corpus(), "--benchmarks", &other, "--against"];
    living.done(&[&verify[..], &[&living.file("a"), &living.file("c")]].concat());
}

#[test]
fn commands_need_the_benchmarks_of_the_corpus() {
    let living = Living::new(&["--chunk-size", "16"]);
    let one = of_living(&living, "one", DIARY);
    let other = of_living(&living, "other", OTHER);
    let corpus = living.corpus();
    let add = |options: &[&str]| refusal(&run([&["add", &corpus, &living.file("c")], options].concat()));
    let none = add(&["--benchmarks", &one]);
    assert!(
        none.ends_with("has no benchmarks: leave out --benchmarks"),
        "{none}"
    );
    living.change("relabel", &["--benchmarks", &one]);
    let lacks = add(&[]);
    assert!(lacks.ends_with("give their folder with --benchmarks"), "{lacks}");
    let others = add(&["--benchmarks", &other]);
    assert!(others.ends_with("give the folder of its build"), "{others}");
    let again = refusal(&run(["relabel", &corpus]));
    assert_eq!(again, lacks);
    let build = refusal(&run([
        "build",
        &living.file("a"),
        &living.file("b"),
        "--chunk-size",
        "16",
        "-o",
        &corpus,
    ]));
    assert!(build.contains("benchmarks"), "{build}");
}

#[test]
fn benchmarks_that_cannot_be_used_are_refused() {
    let folder = TempDir::new().unwrap();
    let (pages, path) = (crawl(folder.path()), folder.path().join("none"));
    let out = folder.path().join("out");
    let command = |path: &Path| {
        let mut words = ["build", "--benchmarks"].map(str::to_owned).to_vec();
        words.extend([path, &pages].map(|path| path.to_str().unwrap().to_owned()));
        words.extend(["--out".to_owned(), out.to_str().unwrap().to_owned()]);
        run(words)
    };
    let refused = |path: &Path| {
        let refused = refusal(&command(path));
        assert!(!out.exists());
        refused
    };
    let has = |sentence: String, part: &str| assert!(sentence.contains(part), "{sentence}");
    has(refused(&path), "none: No such file or directory");
    has(refused(&pages), "pages.warc.gz is no folder");
    fs::create_dir(&path).unwrap();
    has(refused(&path), "none has no file with the ending .jsonl or .txt");
    fs::write(path.join("a.txt"), "Too short").unwrap();
    has(
        refused(&path),
        "none has 13 words, so none can be found in documents",
    );
    fs::write(path.join("a.jsonl"), "{}").unwrap();
    has(refused(&path), "a.txt are of one task: rename one");
    fs::write(path.join("b.jsonl"), "{}\n{'question'}\n").unwrap();
    fs::remove_file(path.join("a.jsonl")).unwrap();
    has(refused(&path), "line 2 of ");
    fs::write(path.join("b.jsonl"), serde_json::json!([QUESTION]).to_string()).unwrap();
    let built = command(&path);
    assert_eq!(built.status.code(), Some(0), "{}", said(&built));
    has(
        said(&built),
        "warning: no passage of the benchmark 'a' has 13 words, so none is looked for",
    );
}
