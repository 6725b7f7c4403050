//! Tables in the hands of others: DuckDB, pyarrow, Polars and delta-rs.

use std::path::{Path, PathBuf};
use std::process::Command;

use gleaner_corpus::{BlockRow, Corpus, DocumentRow, RejectRow, Row, SiteRow};
use serde::Serialize;

use crate::sample::{self, Folder};

/// A Python with these readers: `$GLEANER_PYTHON`, else where `tests/servers/install.sh` puts it.
fn python(readers: &str) -> Option<PathBuf> {
    let installed = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../target/venv/bin/python"
    ));
    let python = std::env::var_os("GLEANER_PYTHON").map_or(installed.to_owned(), PathBuf::from);
    let works = Command::new(&python)
        .args(["-c", &format!("import {readers}")])
        .output();
    works
        .is_ok_and(|output| output.status.success())
        .then_some(python)
}

/// Writes the rows in files of seven hundred and row groups of two hundred, and beside the tables what should be in them,
/// file by file.
fn write<R: Row + Serialize>(corpus: &Corpus, folder: &Folder, rows: &[R]) {
    let mut files: Vec<(String, &[R])> = Vec::new();
    for (number, rows) in (0..).zip(rows.chunks(700)) {
        let mut file = corpus.file(&R::TABLE, corpus.crawl(), number).unwrap();
        let mut encoder = corpus.encoder().unwrap();
        for unit in rows.chunks(200) {
            unit.iter().try_for_each(|row| encoder.push(row)).unwrap();
            let mut groups = encoder.finish().unwrap().into_iter();
            groups.try_for_each(|group| file.append(group)).unwrap();
        }
        files.push((file.finish().unwrap().wait().unwrap().name, rows));
    }
    files.sort_by(|one, other| one.0.cmp(&other.0));
    let rows: Vec<&R> = files.iter().flat_map(|(_, rows)| *rows).collect();
    let expected = folder.root.path().join(format!("{}.json", R::TABLE.name));
    std::fs::write(expected, serde_json::to_vec(&rows).unwrap()).unwrap();
}

#[test]
fn others_read_what_was_written() {
    let Some(python) = python("duckdb, pyarrow, polars") else {
        eprintln!("skipped: no Python with duckdb, pyarrow and polars; tests/servers/install.sh makes one");
        return;
    };
    let folder = Folder::new();
    let corpus = folder.corpus();
    write::<DocumentRow>(
        &corpus,
        &folder,
        &(0..2000).map(sample::document).collect::<Vec<_>>(),
    );
    write::<BlockRow>(
        &corpus,
        &folder,
        &(0..5000).map(sample::block).collect::<Vec<_>>(),
    );
    write::<SiteRow>(&corpus, &folder, &(0..10).map(sample::site).collect::<Vec<_>>());
    write::<RejectRow>(&corpus, &folder, &(0..10).map(sample::reject).collect::<Vec<_>>());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers.py");
    let output = Command::new(python)
        .args([Path::new(script), &folder.path(), folder.root.path()])
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}", said.join("\n"));
    assert_eq!(
        said[0],
        "read by duckdb, pyarrow, polars: documents 2000, blocks 5000, sites 10, rejects 10\n"
    );
}

/// Reads a table by its log: versions, files, rows and their sum, the names of crawls, and the files of an earlier version.
const BY_LOG: &str = r#"
import sys
import deltalake, polars
table = deltalake.DeltaTable(sys.argv[1])
frame = polars.scan_delta(sys.argv[1]).collect()
crawls = frame["crawl"].unique().to_list() if "crawl" in frame.columns else []
arrow = table.to_pyarrow_table()
assert set(arrow.column_names) == set(frame.columns) and arrow.num_rows == frame.height
print(table.version(), len(table.file_uris()), frame.height, frame["warc_offset"].sum(), crawls)
earlier = deltalake.DeltaTable(sys.argv[1], version=203)
print(earlier.version(), len(earlier.file_uris()))
"#;

#[test]
fn a_log_is_read_from_its_last_checkpoint() {
    let Some(python) = python("deltalake, polars") else {
        eprintln!("skipped: no Python with deltalake and polars; tests/servers/install.sh makes one");
        return;
    };
    for (crawl, crawls) in [(None, "[]"), (Some("a.b-1"), "['a.b-1']")] {
        check_log(&python, crawl, crawls);
    }
}

fn check_log(python: &Path, crawl: Option<&str>, crawls: &str) {
    let folder = Folder::new();
    let corpus = folder.corpus_of(crawl);
    let (versions, every) = (2 * Corpus::CHECKPOINT_EVERY + 7, Corpus::CHECKPOINT_EVERY);
    let (mut files, mut sum) = (Vec::new(), 0);
    for version in 0..versions {
        let mut writer = corpus.table::<RejectRow>(corpus.crawl(), version as u32).unwrap();
        let row = sample::reject(version);
        sum += row.warc_offset;
        writer.push(&row).unwrap();
        files.push(writer.finish().unwrap().wait().unwrap());
        corpus
            .commit(&RejectRow::TABLE, version, &files[version as usize..])
            .unwrap();
        if version > 0 && version % every == 0 {
            corpus.checkpoint(&RejectRow::TABLE, version, &files).unwrap();
        }
    }
    // Without the versions up to the checkpoint, as after a cleaning: a reader that does not begin there reads nothing.
    let output = folder.output();
    for version in 0..=2 * every {
        let name = format!("rejects/_delta_log/{version:020}.json");
        assert!(output.get(&name).unwrap().is_some());
        output.delete(&name).unwrap();
    }
    let output = Command::new(python)
        .args(["-c", BY_LOG])
        .arg(folder.path().join("rejects"))
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}", said.join("\n"));
    let last = versions - 1;
    assert_eq!(
        said[0],
        format!("{last} {versions} {versions} {sum} {crawls}\n203 204\n")
    );
}
