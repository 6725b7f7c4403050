//! The table `rights`: what pages, their headers and the files of their sites state.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::warc::{Archive, article};
use tempfile::TempDir;

use crate::support::{build, rows, run, said};

/// Pages of three hosts, the last of which has no signal.
fn crawl(folder: &Path) -> PathBuf {
    let article = article();
    let licence = "</title><link rel=license href='https://creativecommons.org/licenses/by-nc/4.0/'>";
    let html = "Content-Type: text/html\r\nX-Robots-Tag: noai\r\n";
    Archive::new()
        .response("http://red.example/a", html, &article)
        .page("http://red.example/b", article.replace("</title>", licence))
        .page("https://green.example/private/a", &article)
        .page("https://green.example/public", &article)
        .page("https://green.example:8443/private/a", &article)
        .page("http://blue.example/private/a", &article)
        .write(folder, "pages.warc.gz")
}

/// The files of sites, as a crawler keeps them in an archive of their own.
fn site_files(folder: &Path) -> PathBuf {
    let robots = "User-agent: GPTBot\nUser-agent: OtherBot\nDisallow: /private/\n\nUser-agent: *\nContent-Signal: ai-train=no\n";
    Archive::new()
        .response(
            "https://green.example/robots.txt",
            "Content-Type: text/plain\r\n",
            robots,
        )
        .response(
            "http://red.example/.well-known/tdmrep.json",
            "Content-Type: application/json\r\n",
            r#"[{"location": "/b", "tdm-reservation": 1}]"#,
        )
        .write(folder, "robotstxt.warc.gz")
}

/// The rows of a corpus, each in a line.
fn stated(corpus: &Path) -> Vec<String> {
    let line = |row: &BTreeMap<String, String>| {
        ["url", "signal", "agents", "value", "found_in", "index", "train"]
            .map(|column| row[column].as_str())
            .join(" | ")
    };
    rows(&corpus.join("rights")).iter().map(line).collect()
}

const OF_PAGES: [&str; 2] = [
    "http://red.example/a | robots | * | noai | header | unknown | forbidden",
    "http://red.example/b | license | * | cc-by-nc-4.0 | link | unknown | unknown",
];

const OF_SITES: [&str; 4] = [
    "http://red.example/b | tdm-reservation | * | 1 | tdmrep.json | unknown | forbidden",
    "https://green.example/private/a | robots.txt | GPTBot | disallow | robots.txt | unknown | forbidden",
    "https://green.example/private/a | content-signal | * | ai-train=no | robots.txt | unknown | forbidden",
    "https://green.example/public | content-signal | * | ai-train=no | robots.txt | unknown | forbidden",
];

fn sorted<'a>(rows: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut rows: Vec<String> = rows.into_iter().map(str::to_owned).collect();
    rows.sort();
    rows
}

#[test]
fn what_pages_headers_and_files_of_sites_state_has_rows() {
    let folder = TempDir::new().unwrap();
    let (pages, files) = (crawl(folder.path()), site_files(folder.path()));
    let corpus = build(&[&pages, &files], &[]);
    let mut found = stated(&corpus.path());
    found.sort();
    assert_eq!(found, sorted(OF_PAGES.into_iter().chain(OF_SITES)));
    // A row names the record that states it.
    let rights = rows(&corpus.path().join("rights"));
    let documents = corpus.documents();
    for row in &rights {
        let document = &documents[&row["url"]];
        assert_eq!(row["row_id"], document["row_id"]);
        let is_own = row["source"] == document["record_id"];
        assert_eq!(is_own, ["header", "link"].contains(&&*row["found_in"]), "{row:?}");
        assert_eq!(row["source_date"], document["crawl_date"]);
    }
    let rejects = corpus.rejects();
    let robots = rejects.iter().find(|row| row["reason"] == "robots-txt").unwrap();
    let of_robots = rights.iter().filter(|row| row["found_in"] == "robots.txt");
    assert!(
        of_robots
            .into_iter()
            .all(|row| row["source"] == robots["record_id"])
    );
}

#[test]
fn files_of_a_site_that_come_and_go_change_the_rows_of_its_pages() {
    let folder = TempDir::new().unwrap();
    let (pages, files) = (crawl(folder.path()), site_files(folder.path()));
    let built = build(&[&pages], &[]);
    let corpus = built.path().to_str().unwrap().to_owned();
    let change = |words: &[&str]| {
        let output = run([words, &["-w", "1"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let mut found = stated(&built.path());
        found.sort();
        found
    };
    let all = sorted(OF_PAGES.into_iter().chain(OF_SITES));
    assert_eq!(change(&["add", &corpus, files.to_str().unwrap()]), all);
    let robots = "https://green.example/robots.txt";
    let left = sorted(OF_PAGES.into_iter().chain([OF_SITES[0]]));
    assert_eq!(
        change(&["takedown", &corpus, "--url", robots, "--reason", "request"]),
        left
    );
    assert_eq!(change(&["restore", &corpus, "r1", files.to_str().unwrap()]), all);
    let archive = [
        "remove",
        &corpus,
        "--input",
        "robotstxt.warc.gz",
        "--reason",
        "old",
    ];
    assert_eq!(change(&archive), sorted(OF_PAGES));
}

#[test]
fn agents_are_names_or_a_file_and_the_corpus_keeps_them() {
    let folder = TempDir::new().unwrap();
    let (pages, files) = (crawl(folder.path()), site_files(folder.path()));
    let list = folder.path().join("ours.toml");
    fs::write(&list, "agents = ['otherbot', 'ThirdBot']").unwrap();
    let of_list = |agents: &str| {
        let corpus = build(&[&pages, &files], &["--agents", agents]);
        let found = stated(&corpus.path());
        found
            .into_iter()
            .filter(|row| row.contains("| robots.txt | "))
            .collect::<Vec<_>>()
    };
    let of_file = of_list(list.to_str().unwrap());
    assert_eq!(
        of_file[0],
        "https://green.example/private/a | robots.txt | otherbot | disallow | robots.txt | unknown | forbidden"
    );
    assert_eq!(of_list("ThirdBot,otherbot"), of_file);
    let corpus = build(&[&pages], &["--agents", "otherbot"]);
    let added = run(["add", corpus.path().to_str().unwrap(), files.to_str().unwrap()]);
    assert_eq!(added.status.code(), Some(0), "{}", said(&added));
    assert!(stated(&corpus.path()).contains(&of_file[0]));
    let bad = run(["build", pages.to_str().unwrap(), "-o", "x", "--agents", "GPT Bot"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(said(&bad).contains("has the agent 'GPT Bot'"), "{}", said(&bad));
}

#[test]
fn a_build_without_rights_has_no_table() {
    let folder = TempDir::new().unwrap();
    let (pages, files) = (crawl(folder.path()), site_files(folder.path()));
    let corpus = build(&[&pages, &files], &["--no-rights"]);
    assert!(!corpus.path().join("rights").exists());
    let both = run([
        "build",
        pages.to_str().unwrap(),
        "-o",
        "x",
        "--no-rights",
        "--agents",
        "GPTBot",
    ]);
    assert_eq!(both.status.code(), Some(2));
    assert!(said(&both).contains("cannot be used with"), "{}", said(&both));
}
