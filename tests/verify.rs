//! Corpora that are read again: the files of their tables, and whether they are what was written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::answers::{assert_has, documented};
use crate::object_server::ObjectServer;
use crate::support::{Corpus, assert_printed, build, files, refusal, rows, run, said, sample};

fn corpus() -> Corpus {
    build(&[&sample()], &["--blocks"])
}

fn verify(corpus: &Path, options: &[&str]) -> Output {
    run([Path::new("verify"), corpus]
        .into_iter()
        .chain(options.iter().map(Path::new)))
}

fn list(corpus: &Path, table: &str, options: &[&str]) -> Output {
    run([Path::new("files"), corpus, Path::new(table)]
        .into_iter()
        .chain(options.iter().map(Path::new)))
}

#[track_caller]
fn printed(output: &Output, status: i32) -> String {
    assert_eq!(output.status.code(), Some(status), "{}", said(output));
    assert_eq!(said(output), "");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn json(output: &Output, status: i32) -> Value {
    serde_json::from_str(&printed(output, status)).unwrap()
}

/// The files with rows of a table.
fn parts(table: &Path) -> Vec<PathBuf> {
    let files = files(table).into_iter();
    let is_part = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "parquet");
    files.filter(is_part).collect()
}

/// Changes a byte of a file.
fn flip(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    bytes[20] ^= 1;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_corpus_that_was_built_is_as_it_was_written() {
    let corpus = corpus();
    let answer = json(&verify(&corpus.path(), &["--json"]), 0);
    assert_has(&answer, &documented("Check of a corpus"));
    assert_eq!(answer["as_written"], true);
    assert_eq!(answer["faults"], serde_json::json!([]));
    let (parts, kept) = (parts(&corpus.path()), files(&corpus.path().join("state")));
    let all = parts.iter().chain(&kept);
    let bytes: u64 = all.map(|part| fs::metadata(part).unwrap().len()).sum();
    assert_eq!(
        (&answer["files"], &answer["kept"], &answer["bytes"]),
        (&parts.len().into(), &kept.len().into(), &bytes.into())
    );
    assert_eq!(
        printed(&verify(&corpus.path(), &[]), 0),
        format!(
            "checked {} files of {} tables and {} of state, {:.1} kB: all as written\n",
            parts.len(),
            answer["tables"],
            kept.len(),
            bytes as f64 / 1000.0
        )
    );
}

#[test]
fn mined_templates_are_checked_too() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("templates");
    let arguments = ["templates", "mine"].map(Path::new);
    let mined = run(arguments
        .into_iter()
        .chain([&*sample(), Path::new("--out"), &out]));
    assert_eq!(mined.status.code(), Some(0), "{}", said(&mined));
    let told = printed(&verify(&out, &[]), 0);
    assert!(told.starts_with("checked 2 files of 2 tables, "), "{told}");
}

#[test]
fn each_thing_that_is_wrong_is_named() {
    let corpus = corpus();
    let path = corpus.path();
    let (harmed, gone) = (
        parts(&path.join("documents")).remove(0),
        parts(&path.join("blocks")).remove(0),
    );
    flip(&harmed);
    fs::remove_file(&gone).unwrap();
    let [harmed, gone] =
        [&harmed, &gone].map(|file| file.strip_prefix(&path).unwrap().to_str().unwrap().to_owned());
    let told = printed(&verify(&path, &[]), 1);
    let lines: Vec<&str> = told.lines().collect();
    let mend = "restore it from a copy, or build the corpus again with --force";
    assert_eq!(
        lines[..lines.len() - 1],
        [
            format!("'{gone}' is missing: {mend}"),
            format!("'{harmed}' has other bytes than were written: {mend}")
        ]
    );
    assert!(
        lines[2].starts_with("checked ") && lines[2].ends_with(": 2 faults"),
        "{told}"
    );
    let answer = json(&verify(&path, &["--json"]), 1);
    assert_has(&answer, &documented("Check of a corpus"));
    assert_eq!(answer["as_written"], false);
    let faults = answer["faults"].as_array().unwrap();
    let kinds: Vec<_> = faults
        .iter()
        .map(|fault| (&fault["file"], &fault["kind"]))
        .collect();
    assert_eq!(
        kinds,
        [
            (&gone.into(), &"missing".into()),
            (&harmed.into(), &"digest".into())
        ]
    );
}

#[test]
fn files_of_a_table_are_paths_that_can_be_read() {
    let corpus = corpus();
    for table in [
        "documents",
        "blocks",
        "rejects",
        "sites",
        "templates",
        "histograms",
    ] {
        let folder = corpus.path().join(table);
        let told = printed(&list(&corpus.path(), table, &[]), 0);
        let mut paths: Vec<PathBuf> = told.lines().map(PathBuf::from).collect();
        let answer = json(&list(&corpus.path(), table, &["--json"]), 0);
        let listed = answer.as_array().unwrap();
        for (file, path) in listed.iter().zip(&paths) {
            assert_has(file, &documented("Files of a table"));
            assert_eq!(file["path"], path.to_str().unwrap());
            assert_eq!(corpus.path().join(file["name"].as_str().unwrap()), *path);
            assert_eq!(file["bytes"], fs::metadata(path).unwrap().len());
        }
        let counted: u64 = listed.iter().map(|file| file["rows"].as_u64().unwrap()).sum();
        assert_eq!(counted, rows(&folder).len() as u64, "{table}");
        paths.sort();
        assert_eq!(paths, parts(&folder));
    }
}

#[test]
fn what_cannot_be_listed_or_checked_is_refused() {
    let corpus = corpus();
    let path = corpus.path();
    assert_printed(
        "verify-what-cannot-be-listed-or-checked-is-refused",
        &refusal(&list(&path, "pages", &[])),
    );
    let none = path.join("none");
    let absent = refusal(&list(&none, "documents", &[]));
    assert_printed("verify-absent", &absent);
    assert_eq!(refusal(&verify(&none, &[])), absent);
    let marker = path.join("gleaner.json");
    let text = fs::read_to_string(&marker).unwrap();
    fs::write(&marker, text.replace("\"complete\"", "\"building\"")).unwrap();
    let open = refusal(&list(&path, "documents", &[]));
    assert_printed("verify-open", &open);
    assert_eq!(refusal(&verify(&path, &["--json"])), open);
    fs::write(&marker, "{").unwrap();
    let damaged = refusal(&verify(&path, &[]));
    assert_printed("verify-what-cannot-be-listed-or-checked-is-refused-2", &damaged);
}

#[test]
fn a_corpus_in_a_bucket_is_read() {
    let server = ObjectServer::start();
    let gleaner = |arguments: &[&str]| server.gleaner().args(arguments).output().unwrap();
    let crawl = sample();
    let built = gleaner(&["build", crawl.to_str().unwrap(), "--out", "s3://bucket/out"]);
    assert_eq!(built.status.code(), Some(0), "{}", said(&built));
    let told = printed(&gleaner(&["verify", "s3://bucket/out"]), 0);
    assert!(told.ends_with(": all as written\n"), "{told}");
    let files = printed(&gleaner(&["files", "s3://bucket/out", "documents"]), 0);
    let name = files.trim_end().strip_prefix("s3://bucket/out/").unwrap();
    let mut bytes = server.objects("out/").remove(name).unwrap();
    bytes[20] ^= 1;
    server.put(&format!("out/{name}"), bytes);
    let told = printed(&gleaner(&["verify", "s3://bucket/out"]), 1);
    assert!(
        told.starts_with(&format!("'{name}' has other bytes than were written: ")),
        "{told}"
    );
}
