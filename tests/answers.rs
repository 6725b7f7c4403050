//! What a build answers as JSON: the same keys of the same types, whatever became of it; and the plan of a build that
//! does nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;

use gleaner_testing::warc::{Archive, article, response};
use serde_json::Value;

use crate::cluster::{addresses, end};
use crate::resume::{contents, crawl};
use crate::support::{assert_printed, gleaner, refusal, rows, said, sample};

/// The keys of a table in docs/json.md, each with its type.
pub(crate) fn documented(heading: &str) -> BTreeMap<String, String> {
    let text = include_str!("../docs/json.md");
    let section = text.split("\n## ").find(|section| section.starts_with(heading));
    let lines = section.unwrap().lines().filter(|line| line.starts_with("| `"));
    let keys = lines.flat_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let kind = cells[2].to_owned();
        let names = cells[1].split(", ").map(|name| name.trim_matches('`').to_owned());
        names.map(move |name| (name, kind.clone())).collect::<Vec<_>>()
    });
    keys.collect()
}

fn is_of(kind: &str, value: &Value) -> bool {
    kind.split(" or ").any(|kind| match kind {
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_f64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("no such type: {other}"),
    })
}

#[track_caller]
pub(crate) fn assert_has(answer: &Value, documented: &BTreeMap<String, String>) {
    let found: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(found, documented.keys().collect::<Vec<_>>());
    for (key, kind) in documented {
        assert!(is_of(kind, &answer[key]), "{key}: {} is no {kind}", answer[key]);
    }
}

/// Checks that an answer has the documented keys, with values of the documented types.
#[track_caller]
pub(crate) fn assert_is_answer(answer: &Value) {
    assert_has(answer, &documented("# JSON output of a build"));
}

#[track_caller]
fn json(output: &Output, status: i32) -> Value {
    assert_eq!(output.status.code(), Some(status), "{}", said(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn build(input: &Path, out: &Path, options: &[&str]) -> Output {
    let mut command = gleaner();
    command
        .arg("build")
        .arg(input)
        .arg("--out")
        .arg(out)
        .args(options);
    command.output().unwrap()
}

/// Those of its values that are of the corpus, not of the run.
fn counts(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for of_run in [
        "seconds",
        "cpu_seconds",
        "pages_per_second",
        "megabytes_per_second",
        "read_bytes",
        "peak_memory_bytes",
        "out",
    ] {
        answer.as_object_mut().unwrap().remove(of_run);
    }
    answer
}

#[test]
fn a_build_answers_alike_whatever_became_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    let built = |out: &Path, options: &[&str], status| {
        let answer = json(&build(&sample(), out, &[&["--json"], options].concat()), status);
        assert_is_answer(&answer);
        answer
    };
    let first = built(&out, &["--posts"], 0);
    assert_eq!(
        (&first["complete"], &first["captures"]),
        (&true.into(), &48.into())
    );
    assert!(first["page_bytes"] == first["read_bytes"] && first["missing"] == serde_json::json!([]));
    let again = built(&out, &["--posts"], 0);
    assert_eq!(counts(&again), counts(&first));
    assert_eq!(
        (&again["read_bytes"], &again["pages_per_second"]),
        (&0.into(), &0.0.into())
    );

    let steps = folder.path().join("steps");
    let extracted = built(&steps, &["--posts", "--phase", "read"], 0);
    assert_eq!(
        (&extracted["complete"], &extracted["documents"]),
        (&false.into(), &0.into())
    );
    assert!(extracted["read_bytes"].as_u64().unwrap() > 0);
    assert_eq!(counts(&built(&steps, &["--posts"], 0)), counts(&first));

    let file = rows_file(&out, "documents");
    fs::remove_file(file).unwrap();
    let faulty = built(&out, &["--posts"], 1);
    assert_eq!(faulty["complete"], false);
    assert_eq!(faulty["faulty_files"].as_array().unwrap().len(), 1);
    assert_eq!(faulty["documents"], first["documents"]);
}

fn rows_file(out: &Path, table: &str) -> std::path::PathBuf {
    crate::support::table_files(out, table).remove(0)
}

#[test]
fn a_build_of_nothing_and_one_of_several_processes_answer_alike() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.warc");
    fs::write(&empty, "").unwrap();
    let answer = json(&build(&empty, &folder.path().join("none"), &["--json"]), 0);
    assert_is_answer(&answer);
    assert_eq!(
        (&answer["captures"], &answer["processes"]),
        (&0.into(), &1.into())
    );

    let crawl = crawl(folder.path());
    let hosts = folder.path().join("hosts");
    let lines = addresses(2);
    fs::write(&hosts, lines.join("\n")).unwrap();
    let started = ["0", "1"].map(|process| {
        let mut command = gleaner();
        command
            .arg("build")
            .arg(&crawl)
            .arg("--out")
            .arg(folder.path().join("both"));
        command.args(["--json", "--part-size", "64KiB", "--process", process, "--hosts"]);
        command
            .arg(&hosts)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    });
    for (process, child) in started.into_iter().enumerate() {
        let answer = json(&end(child), 0);
        assert_is_answer(&answer);
        assert_eq!(
            (&answer["process"], &answer["processes"]),
            (&process.into(), &2.into())
        );
    }
}

/// Three archives of two, three and many pages; the first by name is not the largest.
fn three(folder: &Path) -> std::path::PathBuf {
    let crawl = folder.join("crawl");
    fs::create_dir(&crawl).unwrap();
    for (file, pages) in [("a", 2), ("b", 3), ("c", 40)] {
        let archive = (0..pages).fold(Archive::new(), |archive, page| {
            let text = format!("<p>Page {page} of {file} says what no other page has said before.</p>");
            archive.page(&format!("http://{file}.example/{page}"), article() + &text)
        });
        archive.write(&crawl, &format!("{file}.warc.gz"));
    }
    crawl
}

#[test]
fn a_limit_is_on_the_first_captures_by_the_order_of_the_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = three(folder.path());
    for (limit, expected) in [
        ("1", &["http://a.example/0"][..]),
        ("2", &["http://a.example/0", "http://a.example/1"]),
        (
            "4",
            &[
                "http://a.example/0",
                "http://a.example/1",
                "http://b.example/0",
                "http://b.example/1",
            ],
        ),
    ] {
        let out = folder.path().join(limit);
        let answer = json(&build(&crawl, &out, &["--json", "--limit", limit]), 0);
        assert_is_answer(&answer);
        assert_eq!(answer["limit"].to_string(), limit);
        let mut urls: Vec<String> = rows(&out.join("documents"))
            .into_iter()
            .map(|row| row["url"].trim_matches('"').to_owned())
            .collect();
        urls.sort();
        assert_eq!(urls, expected);
    }
    // What is behind the limit is not even opened: it may be anything.
    fs::write(crawl.join("c.warc.gz"), "no archive at all").unwrap();
    let output = build(&crawl, &folder.path().join("short"), &["--limit", "5"]);
    assert!(output.status.success(), "{}", said(&output));
    let said = said(&output);
    let line = said.lines().find(|line| line.starts_with("limit")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[1..].join(" "), "5 only the first captures of the crawl");
}

#[test]
fn a_limit_beyond_the_crawl_is_all_of_it_and_another_limit_is_another_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = three(folder.path());
    let [all, limited] = ["all", "limited"].map(|name| folder.path().join(name));
    json(&build(&crawl, &all, &["--json"]), 0);
    let output = build(&crawl, &limited, &["--limit", "1000"]);
    assert!(
        said(&output).contains("1,000  the crawl has fewer captures\n"),
        "{}",
        said(&output)
    );
    let parquet = |out: &Path| {
        let mut files = contents(out);
        files.retain(|name, _| name.ends_with(".parquet"));
        files
    };
    assert!(parquet(&all) == parquet(&limited));
    let refused = refusal(&build(&crawl, &all, &["--limit", "7"]));
    assert_printed(
        "answers-a-limit-beyond-the-crawl-is-all-of-it-and-another-limit-is-another-corpus",
        &refused,
    );
}

#[test]
fn a_dry_run_tells_the_plan_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = three(folder.path());
    let out = folder.path().join("corpus");
    let keys = documented("The plan of a build");
    let planned = |options: &[&str], status| {
        let plan = json(
            &build(&crawl, &out, &[&["--dry-run", "--json"], options].concat()),
            status,
        );
        assert_has(&plan, &keys);
        plan
    };
    let plan = planned(&["--limit", "4", "--workers", "3"], 0);
    assert_eq!(
        (
            &plan["output"],
            &plan["inputs"],
            &plan["shards"],
            &plan["workers"]
        ),
        (&"new".into(), &3.into(), &2.into(), &3.into())
    );
    let whole = planned(&["--blocks", "--part-size", "1KiB"], 0);
    let of_step = documented("The cost of a step");
    let steps = whole["steps"].as_array().unwrap();
    steps.iter().for_each(|step| assert_has(step, &of_step));
    let size = |file: &str| fs::metadata(crawl.join(file)).unwrap().len();
    let bytes = ["a.warc.gz", "b.warc.gz", "c.warc.gz"]
        .map(size)
        .iter()
        .sum::<u64>();
    assert_eq!(whole["bytes"], bytes);
    assert!(
        whole["parts"].as_u64().unwrap() > 1
            && whole["tables"].as_array().unwrap().contains(&"blocks".into())
    );
    // Without a model no site is mined: the table is there all the same.
    let density = planned(&["--method", "density"], 0);
    assert_eq!(density["phases"], serde_json::json!(["read", "label", "finish"]));
    assert!(
        density["tables"]
            .as_array()
            .unwrap()
            .contains(&"templates".into())
    );
    assert!(!out.exists(), "nothing is written, no folder either");

    json(&build(&crawl, &out, &["--json", "--phase", "read"]), 0);
    let before = contents(&out);
    assert_eq!(planned(&[], 0)["output"], "continues");
    json(&build(&crawl, &out, &["--json"]), 0);
    let complete = planned(&[], 0);
    assert_eq!(
        (&complete["output"], &complete["parts"]),
        (&"complete".into(), &0.into())
    );
    let text = String::from_utf8(build(&crawl, &out, &["--dry-run"]).stdout).unwrap();
    assert!(text.contains("nothing to do"), "{text}");
    assert!(!text.contains("\nread ") && !text.contains("\nparts "), "{text}");
    assert_eq!(planned(&["--force"], 0)["output"], "replaced");
    let taken = planned(&["--posts"], 1);
    assert_eq!(taken["output"], "taken");
    assert!(
        taken["refused"]
            .as_str()
            .unwrap()
            .contains("holds another corpus"),
        "{taken}"
    );
    assert!(before.len() > 1);

    let foreign = folder.path().join("mine");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.txt"), "x").unwrap();
    let output = build(&crawl, &foreign, &["--dry-run"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("\nrefused   ") && text.contains("thesis.txt") && !text.contains("\nread "),
        "{text}"
    );
    assert!(
        text.ends_with("dry run: nothing was built or written\n"),
        "{text}"
    );
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);
}

#[test]
fn record_ids_are_written_in_one_way() {
    let folder = tempfile::tempdir().unwrap();
    let page = article() + "<p>The record of this page has an id without brackets.</p>";
    let record = |id: &str, url: &str| response(url, &format!("WARC-Record-ID: {id}\r\n"), &page);
    let crawl = folder.path().join("a.warc");
    let records = [
        record("urn:uuid:1", "http://a.example/1"),
        record("<urn:uuid:2>", "http://a.example/2"),
    ]
    .concat();
    fs::write(&crawl, records).unwrap();
    let out = folder.path().join("out");
    json(&build(&crawl, &out, &["--json", "--blocks"]), 0);
    for table in ["documents", "blocks"] {
        for row in rows(&out.join(table)) {
            let number = row["url"]
                .trim_matches('"')
                .rsplit_once('/')
                .unwrap()
                .1
                .to_owned();
            assert_eq!(
                row["record_id"].trim_matches('"'),
                format!("<urn:uuid:{number}>"),
                "{table}"
            );
        }
    }
}

/// Two captures may have one record id, where an archive was written twice: only `row_id` tells their blocks apart.
#[test]
fn row_ids_join_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = folder.path().join("crawl");
    fs::create_dir(&crawl).unwrap();
    let page =
        |text: &str| article() + &format!("<p>{text} This paragraph is in one of the two captures only.</p>");
    for (name, text) in [("a", "First of all."), ("b", "Last of all.")] {
        let record = response(
            "http://www.a.example:8080/x?y",
            "WARC-Record-ID: <urn:uuid:1>\r\n",
            page(text),
        );
        fs::write(crawl.join(format!("{name}.warc")), record).unwrap();
    }
    let out = folder.path().join("out");
    json(&build(&crawl, &out, &["--json", "--blocks", "--posts"]), 0);
    let documents = rows(&out.join("documents"));
    let ids: BTreeSet<&String> = documents.iter().map(|row| &row["row_id"]).collect();
    assert_eq!((documents.len(), ids.len()), (2, 2));
    for document in &documents {
        assert_eq!(document["surt"].trim_matches('"'), "example,a,www)8080:http/x?y");
        let text = document["text"].clone();
        for block in rows(&out.join("blocks")) {
            let is_kept = block["label"].trim_matches('"') != "other";
            if is_kept && block["row_id"] == document["row_id"] {
                assert!(text.contains(block["text"].trim_matches('"')), "{block:?}");
            }
        }
        let of_page = |row: &&BTreeMap<String, String>| row["row_id"] == document["row_id"];
        assert!(rows(&out.join("blocks")).iter().filter(of_page).count() > 1);
    }
}
