//! Tables in the hands of others: DuckDB, pyarrow and Polars.

use std::path::{Path, PathBuf};
use std::process::Command;

use gleaner_corpus::{BlockRow, Corpus, DocumentRow, RejectRow, Row, SiteRow};
use serde::Serialize;

use crate::sample::{self, Folder};

/// A Python with the readers: `$GLEANER_PYTHON`, else where `tests/servers/install.sh` puts it.
fn python() -> Option<PathBuf> {
    let installed = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../target/venv/bin/python"
    ));
    let python = std::env::var_os("GLEANER_PYTHON").map_or(installed.to_owned(), PathBuf::from);
    let works = Command::new(&python)
        .args(["-c", "import duckdb, pyarrow, polars"])
        .output();
    works
        .is_ok_and(|output| output.status.success())
        .then_some(python)
}

/// Writes the rows in parts of seven hundred, and beside the tables what should be in them.
fn write<R: Row + Serialize>(corpus: &Corpus, folder: &Folder, rows: &[R]) {
    for (part, rows) in (0..).zip(rows.chunks(700)) {
        let mut writer = corpus.table::<R>(part).unwrap();
        rows.iter().try_for_each(|row| writer.push(row)).unwrap();
        writer.finish().unwrap().wait().unwrap();
    }
    let expected = folder.root.path().join(format!("{}.json", R::TABLE));
    std::fs::write(expected, serde_json::to_vec(rows).unwrap()).unwrap();
}

#[test]
fn others_read_what_was_written() {
    let Some(python) = python() else {
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
