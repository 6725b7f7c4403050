//! The tables as others read them: DuckDB, Polars and pyarrow, where Python has them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{build, files, rows, run, sample};
use crate::whole::{without_documents, without_rejects};

const COUNT: &str = r#"
import sys
out = sys.argv[1] + "/documents"
try:
    import duckdb, polars, pyarrow.parquet
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
query = f"select count(*), sum(word_count)::bigint, count(distinct url) from '{out}/*.parquet'"
print("duckdb", *duckdb.execute(query).fetchone())
frame = polars.read_parquet(out + "/*.parquet")
print("polars", frame.height, frame["word_count"].sum(), frame["url"].n_unique())
table = pyarrow.parquet.read_table(out)
print("pyarrow", table.num_rows, sum(table["word_count"].to_pylist()), len(set(table["url"].to_pylist())))
blocks = duckdb.execute(f"select count(*) from '{sys.argv[1]}/blocks/*.parquet' join '{out}/*.parquet' using (record_id)")
print("blocks", *blocks.fetchone())
"#;

/// The same tables by their logs, version by version.
const VERSIONS: &str = r#"
import sys
try:
    import deltalake, polars
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
for table in ["documents", "captures", "blocks", "rejects", "rights", "signals", "sites", "templates", "histograms"]:
    place = f"{sys.argv[1]}/{table}"
    delta = deltalake.DeltaTable(place)
    frame = polars.scan_delta(place).collect()
    files = polars.read_parquet(place + "/*.parquet") if delta.file_uris() else frame
    keys = [name for name, kind in frame.schema.items() if not kind.is_nested()]
    one, other = (rows.sort(keys) for rows in (frame, files.cast(dict(frame.schema))))
    assert one.equals(other), table
    first = deltalake.DeltaTable(place, version=0)
    print(table, delta.version(), len(delta.file_uris()), frame.height, len(first.file_uris()))
"#;

/// The rows of each table, by its files and by its log, and whether all readers see the same columns.
const EMPTY: &str = r#"
import sys
try:
    import deltalake, duckdb, polars, pyarrow.dataset, pyarrow.parquet
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
for table in sys.argv[2:]:
    place = f"{sys.argv[1]}/{table}"
    arrow = pyarrow.dataset.dataset(place).to_table()
    duck = duckdb.execute(f"select * from '{place}/*.parquet'").fetchall()
    names = [column[0] for column in duckdb.description()]
    frames = [polars.read_parquet(place + "/*.parquet"), polars.scan_delta(place).collect()]
    assert all(frame.columns == names == arrow.column_names for frame in frames), table
    delta = deltalake.DeltaTable(place)
    assert len(delta.file_uris()) == 1 and delta.metadata().description, table
    counts = {len(duck), arrow.num_rows, *(frame.height for frame in frames)}
    for field, logged in zip(arrow.schema, delta.schema().fields):
        assert field.metadata[b"comment"].decode() == logged.metadata["comment"], field
    print(table, *counts)
"#;

/// Where `tests/servers/install.sh` puts Python and the readers, else the one on the path.
pub(crate) fn python() -> PathBuf {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/venv/bin/python3");
    if installed.exists() {
        installed
    } else {
        "python3".into()
    }
}

/// Ends Python before threads that readers left behind are torn down with it: some abort then, when all is said.
const END: &str = "\nimport os\nsys.stdout.flush()\nos._exit(0)\n";

/// What a script says of a corpus; nothing where the readers are missing.
fn told(script: &str, corpus: &Path, tables: &[&str]) -> Option<String> {
    let output = Command::new(python())
        .args(["-c", &(script.to_owned() + END)])
        .arg(corpus)
        .args(tables)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.starts_with("skipped:") {
        return None;
    }
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn readers_of_delta_lake_see_all_files_and_the_first_version() {
    let corpus = build(&[&sample()], &["--blocks", "--chunk-size", "16"]);
    let Some(told) = told(VERSIONS, &corpus.path(), &[]) else {
        return eprintln!(
            "skipped: no python3 with deltalake and polars; tests/servers/install.sh installs them"
        );
    };
    let parts = |table: &str| {
        let files = files(&corpus.path().join(table)).into_iter();
        files
            .filter(|path| path.extension().is_some_and(|kind| kind == "parquet"))
            .count()
    };
    for table in [
        "documents",
        "captures",
        "blocks",
        "rejects",
        "rights",
        "signals",
        "sites",
        "templates",
        "histograms",
    ] {
        let (files, rows) = (parts(table), rows(&corpus.path().join(table)).len());
        let line = told.lines().find(|line| line.starts_with(table)).unwrap();
        let numbers: Vec<usize> = line
            .split(' ')
            .skip(1)
            .map(|number| number.parse().unwrap())
            .collect();
        assert_eq!(numbers[1..3], [files, rows], "{told}");
        // All chunks are in the first version; a table without rows in them has its file in the next.
        assert!(numbers[0] <= 1 && numbers[3] + numbers[0] >= files, "{told}");
    }
    assert!(parts("documents") > 1, "{told}");
}

#[test]
fn duckdb_polars_and_pyarrow_read_what_was_written() {
    let corpus = build(&[&sample()], &["--blocks"]);
    let Some(counts) = told(COUNT, &corpus.path(), &[]) else {
        return eprintln!(
            "skipped: no python3 with duckdb, polars and pyarrow; tests/servers/install.sh installs them"
        );
    };
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

#[test]
fn readers_read_tables_without_rows() {
    let folder = tempfile::tempdir().unwrap();
    for (crawl, documents, rejects) in [
        (without_documents(folder.path()), 0, 1),
        (without_rejects(folder.path()), 4, 0),
    ] {
        let corpus = build(&[&crawl], &["--blocks", "--posts"]);
        let tables = ["documents", "rejects", "templates", "histograms", "posts"];
        let Some(told) = told(EMPTY, &corpus.path(), &tables) else {
            return eprintln!(
                "skipped: no python3 with deltalake, duckdb, polars and pyarrow; tests/servers/install.sh installs them"
            );
        };
        let expected = format!("documents {documents}\nrejects {rejects}\ntemplates 0\nhistograms 0\nposts ");
        assert!(told.starts_with(&expected), "{told}");
    }
}

/// The rows of each table of a named crawl as readers of folders and of logs see them, and the names of crawls that they show.
const CRAWLS: &str = r#"
import sys
try:
    import deltalake, duckdb, polars, pyarrow.dataset
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
for table in sys.argv[2:]:
    place = f"{sys.argv[1]}/{table}"
    files = place + "/crawl=*/*.parquet"
    duck = duckdb.sql(f"from read_parquet('{files}', hive_partitioning = true)")
    frames = [polars.read_parquet(files, hive_partitioning=True), polars.scan_delta(place).collect()]
    arrow = pyarrow.dataset.dataset(place, partitioning="hive").to_table()
    delta = deltalake.DeltaTable(place)
    assert delta.metadata().partition_columns == ["crawl"], table
    assert delta.to_pyarrow_table().num_rows == arrow.num_rows, table
    assert delta.to_pyarrow_table(filters=[("crawl", "=", "other")]).num_rows == 0, table
    names = duck.columns
    assert names[-1] == "crawl", table
    assert all(frame.columns == names for frame in frames), table
    assert arrow.column_names == names == [field.name for field in delta.schema().fields], table
    crawl = delta.schema().fields[-1]
    assert not crawl.nullable and crawl.metadata["comment"], table
    crawls = [duck.project("crawl").fetchall(), *(frame.select("crawl").rows() for frame in frames)]
    crawls.append([(value,) for value in arrow["crawl"].to_pylist()])
    print(table, *{len(rows) for rows in crawls}, *{name for rows in crawls for (name,) in rows})
    if names[0] == "row_id":
        query = f"select count(*) from delta_scan('{place}') where crawl = 'a.b-1'"
        try:
            duckdb.sql("load delta")
        except duckdb.Error:
            continue
        assert duckdb.sql(query).fetchall() == [(len(frames[0]),)], table
"#;

#[test]
fn readers_see_the_name_of_a_crawl_as_a_column() {
    let corpus = build(&[&sample()], &["--blocks", "--posts", "--crawl", "a.b-1"]);
    let tables = [
        "documents",
        "blocks",
        "posts",
        "captures",
        "rejects",
        "rights",
        "signals",
        "templates",
        "histograms",
        "sites",
    ];
    let Some(told) = told(CRAWLS, &corpus.path(), &tables) else {
        return eprintln!(
            "skipped: no python3 with deltalake, duckdb, polars and pyarrow; tests/servers/install.sh installs them"
        );
    };
    for table in tables {
        let rows = rows(&corpus.path().join(table)).len();
        let crawl = if rows > 0 { " a.b-1" } else { "" };
        assert!(told.contains(&format!("{table} {rows}{crawl}\n")), "{told}");
    }
}

/// A table of templates as other programs write it anew, file by file.
const ANEW: &str = r#"
import os, sys
try:
    import duckdb, polars, pyarrow, pyarrow.parquet
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
source, out = sys.argv[1:]
table = pyarrow.parquet.read_table(source + "/templates")
def at(name):
    os.makedirs(f"{out}/{name}/templates")
    print(name)
    return f"{out}/{name}/templates/a.parquet"
for coding in ["snappy", "gzip", "brotli", "zstd", "lz4", "none"]:
    pyarrow.parquet.write_table(table, at("pyarrow-" + coding), compression=coding)
views = table.set_column(1, "expression", table["expression"].cast(pyarrow.string_view()))
views = views.set_column(0, "site", views["site"].dictionary_encode()).select(["pages", "expression", "site"])
pyarrow.parquet.write_table(views, at("pyarrow-views"), row_group_size=2)
polars.from_arrow(table).with_columns(polars.col("pages").cast(polars.Int8), more=1).write_parquet(at("polars"), compression="snappy")
query = f"select expression, site, pages::double as pages, {{'a': 1}} as more from '{source}/templates/*.parquet'"
duckdb.sql(query).write_parquet(at("duckdb"))
"#;

#[test]
fn templates_that_other_programs_wrote_are_applied() {
    let work = tempfile::tempdir().unwrap();
    let (mined, anew) = (work.path().join("mined"), work.path().join("anew"));
    let sample = sample();
    let (crawl, out) = (sample.to_str().unwrap(), mined.to_str().unwrap());
    let output = run(["templates", "mine", crawl, "--out", out]);
    assert!(output.status.success(), "{}", crate::support::said(&output));
    let Some(names) = told(ANEW, &mined, &[anew.to_str().unwrap()]) else {
        return eprintln!(
            "skipped: no python3 with duckdb, polars and pyarrow; tests/servers/install.sh installs them"
        );
    };
    let left = |templates: &Path| {
        let output = run(["templates", "apply", templates.to_str().unwrap(), crawl]);
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = left(&mined);
    assert!(expected.starts_with("==> http"), "{expected}");
    assert_eq!(names.lines().count(), 9);
    for name in names.lines() {
        let table = anew.join(name);
        assert_eq!(left(&table), expected, "{name}");
        assert_eq!(
            left(&table.join("templates/a.parquet")),
            expected,
            "{name}, one file"
        );
    }
}
