//! Stores on a bad day: what passes leaves no trace in the tables, and what doesn't is told.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use gleaner_testing::warc::{Archive, article};
use serde_json::Value;

use crate::object_server::{Act, ObjectServer, Request};
use crate::resume::contents;
use crate::support::{refusal, rows, said};

/// Little patience: three tries after the first, a second of silence at most.
const IMPATIENT: [&str; 6] = [
    "--store-retries",
    "3",
    "--store-timeout",
    "1",
    "--store-pause",
    "0.05",
];

/// Troubles that may pass.
const TROUBLES: [Act; 10] = [
    Act::Status(503),
    Act::Status(429),
    Act::Busy(7),
    Act::Silent,
    Act::Trickle,
    Act::Cut(1000),
    Act::Reset(1000),
    Act::Long,
    Act::Short,
    Act::OtherRange,
];

const PAGES: usize = 12;

/// The shard that is read in several ranges.
const LARGE: &str = "large.warc";

fn name(shard: usize) -> String {
    format!("{shard:02}.warc.gz")
}

/// A shard for each trouble, and a large one.
fn server() -> ObjectServer {
    let server = ObjectServer::start();
    let shards = TROUBLES.len() + 2;
    for shard in 0..shards {
        let archive = (0..PAGES).fold(Archive::new(), |archive, page| {
            let menu = "<ul><li><a href=/>Home of the house</a></li><li><a href=/about>About the house</a></li></ul>";
            let text = format!("{menu}<p>This is page {page} of shard {shard}, and nothing like it was there before</p>");
            archive.page(&format!("http://s{}.example/{shard}/{page}", page % 3), article() + &text)
        });
        server.put(&format!("crawl/{}", name(shard)), archive.bytes());
    }
    let large = (0..30).fold(Archive::new(), |archive, page| {
        let script = format!("<script>{}</script>", "var nothing; ".repeat(18_000));
        archive.plain(&format!("http://large.example/{page}"), article() + &script)
    });
    server.put(&format!("crawl/{LARGE}"), large.bytes());
    server
}

/// Several parts, and the large shard is split where it is in a bucket.
const PARTS: [&str; 2] = ["--part-size", "1MiB"];

fn build(server: &ObjectServer, input: &str, out: &str) -> Output {
    build_as(server, input, out, &PARTS)
}

fn build_as(server: &ObjectServer, input: &str, out: &str, options: &[&str]) -> Output {
    let mut command = server.gleaner();
    command.args(["build", input, "--out", out, "--json"]);
    command.args(options).args(IMPATIENT).output().unwrap()
}

fn summary(output: &Output) -> Value {
    assert!(output.status.success(), "{}", said(output));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["adds_up"], true, "{summary}");
    summary
}

#[track_caller]
fn assert_same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    let differ = expected.iter().filter(|(name, bytes)| found[*name] != **bytes);
    assert_eq!(differ.map(|(name, _)| name).collect::<Vec<_>>(), [""; 0]);
}

/// The trouble of a shard, if it is one of the first requests; each range of the large one has its own.
fn passing(request: &Request) -> Act {
    let file = request.key.strip_prefix("crawl/").unwrap_or_default();
    let is_early = request.number < if request.method == "GET" { 2 } else { 1 };
    let shard = match file {
        _ if !is_early => return Act::Serve,
        LARGE => request.range.as_ref().map_or(0, |range| range.end >> 16),
        "" => 0,
        file => file[..2].parse().unwrap_or(0),
    };
    match TROUBLES[shard % TROUBLES.len()] {
        // Without a body there is nothing to cut.
        Act::Cut(_) | Act::Long | Act::Short | Act::OtherRange | Act::Trickle if request.method == "HEAD" => {
            Act::Reset(0)
        }
        act => act,
    }
}

#[test]
fn troubles_that_pass_leave_no_trace() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    let names = server
        .objects("crawl/")
        .into_keys()
        .map(|name| server.url(&format!("crawl/{name}")) + "\n");
    fs::write(&list, names.collect::<String>()).unwrap();
    let list = format!("@{}", list.display());
    for (kind, input) in [("s3", "s3://bucket/crawl/"), ("web", &list)] {
        let [good, bad] = ["good", "bad"].map(|day| folder.path().join(format!("{kind}-{day}")));
        server.behave(|_| Act::Serve);
        summary(&build(&server, input, good.to_str().unwrap()));
        let expected = contents(&good);
        server.behave(passing);
        let output = build(&server, input, bad.to_str().unwrap());
        let found = summary(&output);
        assert_eq!(
            found["rejects"],
            serde_json::json!({}),
            "{kind}: {}",
            said(&output)
        );
        assert_same(&contents(&bad), &expected);
    }
}

/// What each shard meets for ever, and a phrase of what is said of it.
const FOR_EVER: [(Act, &str); 12] = [
    (Act::Status(503), "503"),
    (Act::Busy(1), "503"),
    (
        Act::Silent,
        "the server sent nothing, or next to nothing, for 1 s",
    ),
    (
        Act::Trickle,
        "the server sent nothing, or next to nothing, for 1 s",
    ),
    (Act::Cut(100), "could not read 's3://bucket/crawl/04.warc.gz'"),
    (Act::Reset(100), "could not read 's3://bucket/crawl/05.warc.gz'"),
    (Act::Status(403), "no access to 's3://bucket/crawl/06.warc.gz'"),
    (Act::Status(404), "no such file or folder"),
    (Act::OtherRange, "could not read 's3://bucket/crawl/08.warc.gz'"),
    (Act::OtherLength, "and the server says "),
    (Act::Replaced, "it was written again"),
    (Act::Serve, ""),
];

#[test]
fn what_does_not_pass_is_rejected_by_shard_and_said() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    server.behave(|request| match request.key.strip_prefix("crawl/") {
        // Of the large one, the first range arrives.
        Some(LARGE) if request.range.as_ref().is_none_or(|range| range.start > 0) => Act::Status(503),
        Some(file) if file != LARGE => FOR_EVER[file[..2].parse::<usize>().unwrap()].0,
        _ => Act::Serve,
    });
    let output = build_as(
        &server,
        "s3://bucket/crawl/",
        out.to_str().unwrap(),
        &["--allow-missing"],
    );
    let told = summary(&output);
    assert_eq!(
        told["rejects"],
        serde_json::json!({ "unreadable": 12 }),
        "{}",
        said(&output)
    );
    assert_eq!(told["damage"], 12);
    assert!(said(&output).contains("  unreadable"), "{}", said(&output));

    let rejects = rows(&out.join("rejects"));
    let documents = rows(&out.join("documents"));
    for (shard, (act, phrase)) in FOR_EVER.iter().enumerate() {
        let file = name(shard);
        let pages = documents.iter().filter(|row| row["warc_file"] == file).count();
        let Some(reject) = rejects.iter().find(|row| row["warc_file"] == file) else {
            assert_eq!((*act, pages), (Act::Serve, PAGES), "{file}");
            continue;
        };
        assert!(reject["detail"].contains(phrase), "{act:?}: {}", reject["detail"]);
        assert!(pages < PAGES, "{act:?}");
    }
    let of_large = |row: &&BTreeMap<String, String>| row["warc_file"].ends_with(LARGE);
    let reject = rejects.iter().find(of_large).unwrap();
    assert_eq!(reject["warc_offset"], (4 << 20).to_string());
    assert!(documents.iter().filter(of_large).count() >= 15);
    // Tried four times, and not for ever.
    assert_eq!(server.requests("GET", |key| key.ends_with("00.warc.gz")), 4);
    assert_eq!(server.requests("GET", |key| key.ends_with("06.warc.gz")), 1);
}

/// Trouble with what is written, at the first requests for each object.
fn hard_to_write(request: &Request) -> Act {
    let is_output = request.key.starts_with("out/") || request.key.is_empty();
    if !is_output || request.number >= 2 {
        return Act::Serve;
    }
    let acts = [
        Act::Status(503),
        Act::Status(500),
        Act::Busy(1),
        Act::Reset(0),
        Act::Lost,
        Act::Cut(0),
    ];
    let sum: usize = request
        .key
        .bytes()
        .chain(request.method.bytes())
        .map(usize::from)
        .sum();
    acts[(sum + request.number) % acts.len()]
}

fn local(server: &ObjectServer, folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let out = folder.join("local");
    server.behave(|_| Act::Serve);
    summary(&build(server, "s3://bucket/crawl/", out.to_str().unwrap()));
    contents(&out)
}

#[test]
fn an_output_that_is_hard_to_write_to_is_written_all_the_same() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let expected = local(&server, folder.path());
    server.behave(hard_to_write);
    let output = build(&server, "s3://bucket/crawl/", "s3://bucket/out");
    summary(&output);
    assert_same(&server.objects("out/"), &expected);
}

#[test]
fn an_output_that_does_not_recover_ends_the_build_and_the_same_command_goes_on() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let expected = local(&server, folder.path());
    for (trouble, object) in [
        (Act::Status(503), "out/.staging/journal-0001-"),
        (Act::Reset(0), "out/.staging/pages-00002.runs"),
        (Act::Status(503), "out/state/units/"),
        (Act::Status(503), "out/documents/"),
        (Act::Status(503), "out/documents/_delta_log/"),
        (Act::Status(403), "out/sites/"),
        (Act::Lost, "out/gleaner.json"),
    ] {
        server.behave(
            move |request| match request.key.starts_with(object) && request.method != "GET" {
                true => trouble,
                false => Act::Serve,
            },
        );
        let output = build(&server, "s3://bucket/crawl/", "s3://bucket/out");
        let told = said(&output);
        if object != "out/gleaner.json" {
            assert_eq!(output.status.code(), Some(2), "{object}: {told}");
            let sentence = told.lines().last().unwrap();
            assert!(sentence.contains(&format!("s3://bucket/{object}")), "{sentence}");
            assert!(
                sentence.contains("is not complete: run the same command again to continue"),
                "{sentence}"
            );
        }
    }
    server.behave(|_| Act::Serve);
    let output = build(&server, "s3://bucket/crawl/", "s3://bucket/out");
    assert!(output.status.success(), "{}", said(&output));
    assert_same(&server.objects("out/"), &expected);
}

#[test]
fn a_page_in_the_place_of_an_archive_is_refused_where_it_can_be_seen() {
    let server = ObjectServer::start();
    server.put(
        "part.warc.gz",
        b"<!doctype html><title>Please wait</title><p>The archive is being found.".to_vec(),
    );
    server.put(
        "good.warc.gz",
        Archive::new().page("http://a.example/", article()).bytes(),
    );
    let folder = tempfile::tempdir().unwrap();
    for (kind, input) in [
        ("s3", "s3://bucket/part.warc.gz".to_owned()),
        ("web", server.url("part.warc.gz")),
    ] {
        let out = folder.path().join(kind);
        let out = out.to_str().unwrap();
        let good = server.url("good.warc.gz");
        let run = || {
            let mut command = server.gleaner();
            command.args(["build", &input, &good, "--out", out]);
            command.args(IMPATIENT).output().unwrap()
        };
        server.behave(|_| Act::Serve);
        let sentence = refusal(&run());
        assert!(
            sentence.contains(&format!("{input} is not a WARC, ARC or WET file")),
            "{sentence}"
        );
        assert!(!Path::new(out).exists(), "{kind}");
        // What cannot be looked at before is read by the build.
        server.behave(|request| match request.method.as_str() {
            "GET" if request.number == 0 => Act::Status(503),
            _ => Act::Serve,
        });
        let output = run();
        assert_eq!(output.status.code(), Some(1), "{kind}: {}", said(&output));
        let rejects = rows(&Path::new(out).join("rejects"));
        assert_eq!(
            (rejects.len(), &*rejects[0]["reason"]),
            (1, "not-an-archive"),
            "{kind}"
        );
        assert_eq!(rows(&Path::new(out).join("documents")).len(), 1, "{kind}");
    }
}
