//! The tables as others read them: DuckDB, Polars and pyarrow, where Python has them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{build, sample};

const COUNT: &str = r#"
import sys
out = sys.argv[1] + "/documents"
try:
    import duckdb, polars, pyarrow.parquet
except ImportError as missing:
    sys.exit(f"skipped: {missing}; tests/servers/install.sh installs the readers")
query = f"select count(*), sum(word_count)::bigint, count(distinct url) from '{out}/*.parquet'"
print("duckdb", *duckdb.execute(query).fetchone())
frame = polars.read_parquet(out + "/*.parquet")
print("polars", frame.height, frame["word_count"].sum(), frame["url"].n_unique())
table = pyarrow.parquet.read_table(out)
print("pyarrow", table.num_rows, sum(table["word_count"].to_pylist()), len(set(table["url"].to_pylist())))
blocks = duckdb.execute(f"select count(*) from '{sys.argv[1]}/blocks/*.parquet' join '{out}/*.parquet' using (record_id)")
print("blocks", *blocks.fetchone())
"#;

/// Where `tests/servers/install.sh` puts Python and the readers, else the one on the path.
fn python() -> PathBuf {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/venv/bin/python3");
    if installed.exists() {
        installed
    } else {
        "python3".into()
    }
}

#[test]
fn duckdb_polars_and_pyarrow_read_what_was_written() {
    let corpus = build(&[&sample()], &["--blocks"]);
    let output = Command::new(python())
        .args(["-c", COUNT])
        .arg(corpus.path())
        .output();
    let Ok(output) = output else {
        return eprintln!("skipped: no python3");
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.starts_with("skipped:") {
        return eprintln!("{said}");
    }
    assert!(output.status.success(), "{said}");
    let counts = String::from_utf8(output.stdout).unwrap();
    let documents = corpus.documents();
    let words: u64 = documents
        .values()
        .map(|document| document["word_count"].parse::<u64>().unwrap())
        .sum();
    for reader in ["duckdb", "polars", "pyarrow"] {
        let expected = format!("{reader} {} {words} {}\n", documents.len(), documents.len());
        assert!(counts.contains(&expected), "{counts}not {expected}");
    }
    let blocks: u64 = counts.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
    let counted: u64 = documents
        .values()
        .map(|document| document["block_count"].parse::<u64>().unwrap())
        .sum();
    assert_eq!(blocks, counted, "every block has its document");
}
