//! A corpus is whole: every table has a file, and "complete" is said of files that are as they were written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use gleaner_testing::warc::{Archive, article, record};
use serde_json::Value;

use crate::object_server::ObjectServer;
use crate::resume::{assert_same, contents};
use crate::support::{files, first_file, gleaner, rows, run, said, sample, table_files};

/// Builds, or finds what is built.
fn build(crawl: &Path, out: &Path, options: &[&str]) -> Output {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out").arg(out);
    command.args(options).output().unwrap()
}

/// A crawl of one page that is not there.
pub(crate) fn without_documents(folder: &Path) -> PathBuf {
    let gone = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>It is not here any more";
    let fields = "Content-Type: application/http; msgtype=response\r\n";
    let block = record("response", "http://gone.example/", fields, gone);
    Archive::new().raw(block).write(folder, "gone.warc")
}

/// A crawl of pages that all become documents.
pub(crate) fn without_rejects(folder: &Path) -> PathBuf {
    let pages = (0..4).fold(Archive::new(), |archive, page| {
        archive.page(&format!("http://s{page}.example/"), article())
    });
    pages.write(folder, "whole.warc.gz")
}

#[test]
fn a_table_without_rows_has_one_file() {
    let folder = tempfile::tempdir().unwrap();
    for (crawl, filled) in [
        (without_documents(folder.path()), vec!["rejects"]),
        (
            without_rejects(folder.path()),
            vec!["documents", "blocks", "sites"],
        ),
    ] {
        let out = folder.path().join("out");
        let output = build(&crawl, &out, &["--blocks", "--posts", "--workers", "1"]);
        assert!(output.status.success(), "{}", said(&output));
        for table in [
            "documents",
            "blocks",
            "rejects",
            "sites",
            "templates",
            "histograms",
        ] {
            let (files, rows) = (table_files(&out, table), rows(&out.join(table)));
            assert_eq!(files.len(), 1);
            assert_eq!(!rows.is_empty(), filled.contains(&table), "{table}");
        }
        assert_eq!(table_files(&out, "posts").len(), 1);
        let expected = contents(&out);
        fs::remove_dir_all(&out).unwrap();
        let output = build(&crawl, &out, &["--blocks", "--posts", "--workers", "3"]);
        assert!(output.status.success(), "{}", said(&output));
        assert_same(&out, &expected);
        fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn a_table_of_many_parts_without_rows_has_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let pages = (0..40).fold(Archive::new(), |archive, page| {
        let noise = format!("<!-- {} -->", "padding ".repeat(300 + page));
        archive.plain(&format!("http://s{page}.example/"), article() + &noise)
    });
    let crawl = pages.write(folder.path(), "large.warc");
    let out = folder.path().join("out");
    let output = build(&crawl, &out, &["--chunk-size", "16"]);
    assert!(output.status.success(), "{}", said(&output));
    let documents = table_files(&out, "documents").len();
    assert!(documents > 1, "{documents}");
    assert_eq!(table_files(&out, "rejects").len(), 1);
    // The versions of the documents, and one of the file without rows.
    let logged = files(&out.join("rejects/_delta_log"));
    assert_eq!(logged.len(), files(&out.join("documents/_delta_log")).len() + 1);
    let last = fs::read_to_string(logged.last().unwrap()).unwrap();
    assert!(
        last.contains(&first_file(&out, "rejects")["rejects/".len()..]),
        "{last}"
    );
}

#[test]
fn tables_that_were_not_asked_for_have_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let crawl = without_rejects(folder.path());
    let output = build(&crawl, &out, &["--no-templates"]);
    assert!(output.status.success(), "{}", said(&output));
    for table in ["blocks", "posts"] {
        assert!(!out.join(table).exists(), "{table}");
    }
    for table in ["rejects", "templates", "histograms"] {
        assert_eq!(
            (table_files(&out, table).len(), rows(&out.join(table)).len()),
            (1, 0),
            "{table}"
        );
    }
}

/// What is said of a corpus that is not whole.
fn fault(output: &Output) -> (String, Vec<String>) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let mut lines = said.lines().map(str::to_owned);
    (lines.next().unwrap(), lines.collect())
}

#[test]
fn complete_is_said_of_files_that_are_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (sample(), folder.path().join("out"));
    let options = ["--blocks"];
    let output = build(&crawl, &out, &options);
    assert!(output.status.success(), "{}", said(&output));
    let expected = contents(&out);
    for file in [
        &*first_file(&out, "documents"),
        "rejects/_delta_log/00000000000000000000.json",
        &first_file(&out, "blocks"),
        &first_file(&out, "captures"),
        &first_file(&out, "sites"),
        &first_file(&out, "templates"),
        "histograms/_delta_log/00000000000000000000.json",
        &first_file(&out, "rejects"),
    ] {
        let path = out.join(file);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let (first, faults) = fault(&build(&crawl, &out, &options));
        assert!(first.ends_with("use --force to build it again"), "{first}");
        assert!(
            faults[0].starts_with(&format!("  '{}' ", logged(file))),
            "{faults:?}"
        );
        fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
        let (_, faults) = fault(&build(&crawl, &out, &options));
        assert!(faults[0].starts_with(&format!("  '{file}' ")), "{faults:?}");
        fs::write(&path, &bytes).unwrap();
    }
    let output = build(&crawl, &out, &options);
    assert!(said(&output).contains("nothing to do"), "{}", said(&output));
    assert!(output.status.success());
    assert_same(&out, &expected);

    fs::remove_dir_all(out.join("blocks")).unwrap();
    fs::write(out.join("documents/part-99.parquet"), "PAR1").unwrap();
    let output = build(&crawl, &out, &[&options[..], &["--json"]].concat());
    let (first, faults) = fault(&output);
    assert!(
        first.contains("2 files differ from what the build wrote"),
        "{first}"
    );
    assert_eq!(
        faults,
        [
            "  'blocks' is missing",
            "  'documents/part-99.parquet' is not in the log of its table"
        ]
    );
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["complete"], false);
    assert_eq!(
        told["faulty_files"],
        serde_json::json!(["blocks", "documents/part-99.parquet"])
    );
    let output = build(&crawl, &out, &[&options[..], &["--force"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    assert_same(&out, &expected);
}

/// What is missing where a file is: of the only file of a log it is the log.
fn logged(file: &str) -> &str {
    file.split_once("/0000").map_or(file, |(log, _)| log)
}

#[test]
fn a_corpus_in_a_bucket_is_looked_at_too() {
    let server = ObjectServer::start();
    let build = || {
        let mut command = server.gleaner();
        command
            .arg("build")
            .arg(sample())
            .args(["--out", "s3://bucket/out"]);
        command.output().unwrap()
    };
    assert!(build().status.success());
    let output = build();
    assert!(said(&output).contains("nothing to do"), "{}", said(&output));
    let objects: BTreeMap<String, Vec<u8>> = server.objects("out/");
    let is_file = |name: &&String| name.starts_with("documents/") && name.ends_with(".parquet");
    let file = objects.keys().find(is_file).unwrap();
    server.put(&format!("out/{file}"), b"PAR1".to_vec());
    let (_, faults) = fault(&build());
    let size = objects[file].len();
    let expected = format!("  '{file}' has 4 bytes, and {size} were written");
    assert_eq!(faults, [expected]);
}

#[test]
fn mined_templates_that_are_not_whole_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("templates");
    let crawl = sample();
    let mine = || {
        let arguments = [
            "templates".as_ref(),
            "mine".as_ref(),
            crawl.as_path(),
            "--out".as_ref(),
            &out,
        ];
        run(arguments)
    };
    assert!(mine().status.success());
    let said_of = |output: Output| {
        assert_eq!(output.status.code(), Some(2));
        said(&output)
    };
    let told = said_of(mine());
    assert!(told.contains("complete: there is nothing to do"), "{told}");
    let file = first_file(&out, "templates");
    fs::remove_file(out.join(&file)).unwrap();
    let told = said_of(mine());
    assert!(
        told.contains("1 file differs from what the build wrote")
            && told.contains(&format!("'{file}' is missing")),
        "{told}"
    );
}
