//! Places of personal data in texts: the column `pii_spans` of `signals`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gleaner_testing::warc::{Archive, article};
use tempfile::TempDir;

use crate::living::Living;
use crate::readers::python;
use crate::support::{build, rows, said};

/// A page with personal data, and one without.
fn crawl(folder: &Path) -> PathBuf {
    let letter = "Café Zürich 水: write to anna@example.org or to bob@example.org, call +49 30 1234567, or send 20 euros to \
        DE89 3704 0044 0532 0130 00 from the harbour of the island.";
    let page = article().replace("</main>", &format!("<p>{letter}</p></main>"));
    Archive::new()
        .page("http://blue.example/", article())
        .page("http://green.example/letter", page)
        .write(folder, "pages.warc.gz")
}

/// The places of each page, as readers of text in DuckDB see them.
const PLACES: &str = r#"
import sys
try:
    import duckdb
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
corpus = sys.argv[1]
signals = f"(select row_id, unnest(pii_spans) as span from '{corpus}/signals/*.parquet')"
query = f"""select kind, string_agg(place, ' | ' order by start) from (
  select span.kind as kind, span.start as start, substring(text, span.start + 1, span.end - span.start) as place
  from {signals} join '{corpus}/documents/*.parquet' using (row_id)
) group by kind order by kind"""
for row in duckdb.sql(query).fetchall():
    print(*row)
print(*duckdb.sql(f"select len(pii_spans) from '{corpus}/signals/*.parquet' order by url").fetchall())
"#;

#[test]
fn readers_find_personal_data_by_its_spans() {
    let folder = TempDir::new().unwrap();
    let pages = crawl(folder.path());
    let read = |corpus: &Path| {
        let output = Command::new(python())
            .args(["-c", PLACES])
            .arg(corpus)
            .output()
            .ok()?;
        let said = said(&output);
        assert!(output.status.success() || said.starts_with("skipped:"), "{said}");
        output
            .status
            .success()
            .then(|| String::from_utf8(output.stdout).unwrap())
    };
    let corpus = build(&[&pages], &["--pii-spans"]);
    let Some(found) = read(&corpus.path()) else {
        return eprintln!("skipped: no python3 with duckdb; tests/servers/install.sh installs it");
    };
    let row = rows(&corpus.path().join("signals")).remove(1);
    assert_eq!(row["email_addresses"], "2", "{row:?}");
    assert_eq!(
        found,
        "email anna@example.org | bob@example.org\niban DE89 3704 0044 0532 0130 00\nphone +49 30 1234567\n(0,) (4,)\n"
    );
    let without = build(&[&pages], &[]);
    assert_eq!(read(&without.path()).unwrap(), "(None,) (None,)\n");
}

#[test]
fn a_relabelled_corpus_has_the_spans_of_a_build() {
    let living = Living::new(&["--chunk-size", "16"]);
    let corpus = living.corpus();
    let pages = crawl(&living.path("crawl"));
    let pages = pages.to_str().unwrap().to_owned();
    living.done(&[
        "build",
        &living.file("a"),
        &pages,
        "--chunk-size",
        "16",
        "--pii-spans",
        "--force",
        "--out",
        &corpus,
    ]);
    living.change("add", &[&living.file("b")]);
    living.check(&["a", "b", "pages"]);
    // Texts that stay the same keep their measures, and others are measured again.
    living.change("relabel", &["--no-title", "true"]);
    living.check(&["a", "b", "pages"]);
    living.change(
        "takedown",
        &["--url", "http://green.example/letter", "--reason", "request"],
    );
    living.check(&["a", "b", "pages"]);
    let spec = living.done(&["log", &corpus, "--spec"]).stdout;
    assert!(
        String::from_utf8(spec)
            .unwrap()
            .contains("\"pii-spans\": \"true\"")
    );
    assert!(fs::metadata(living.path("corpus/signals")).unwrap().is_dir());
}
