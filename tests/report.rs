//! Reports of the bundled crawl: their numbers against those of an export and of the tables, and what is refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use gleaner_testing::warc::Archive;
use serde_json::Value;
use tempfile::TempDir;

use crate::answers::{assert_has, documented};
use crate::support::{Corpus, build, gleaner, refusal, rows, said, sample};

/// The bundled crawl in several chunks.
static SAMPLE: LazyLock<Corpus> = LazyLock::new(|| build(&[&sample()], &["--chunk-size", "16"]));

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn report(corpus: &Path, options: &[&str]) -> Command {
    let mut command = gleaner();
    command.arg("report").arg(corpus).args(options);
    command
}

#[track_caller]
fn done(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    output.stdout
}

#[track_caller]
fn numbers(corpus: &Path, options: &[&str]) -> Value {
    serde_json::from_slice(&done(report(corpus, options).arg("--json"))).unwrap()
}

/// The page of a report.
#[track_caller]
fn page(corpus: &Path, options: &[&str]) -> String {
    let folder = folder();
    let out = folder.path().join("report.html");
    done(report(corpus, options).arg("--out").arg(&out));
    fs::read_to_string(out).unwrap()
}

/// All documents with some columns of their own and of signals, as an export writes them.
fn exported(corpus: &Path, columns: &[&str]) -> Vec<Value> {
    let folder = folder();
    let [recipe, out] = ["r.toml", "out"].map(|name| folder.path().join(name));
    fs::write(&recipe, format!("[output]\ncolumns = {columns:?}")).unwrap();
    let mut command = gleaner();
    command
        .arg("export")
        .arg(corpus)
        .args(["--format", "jsonl", "--recipe"])
        .arg(&recipe)
        .arg("--out")
        .arg(&out);
    done(&mut command);
    let files = crate::support::files(&out)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let lines = files.flat_map(|path| {
        let text = fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect::<Vec<Value>>()
    });
    lines.collect()
}

/// Documents and words by a name.
fn by(documents: &[Value], name: impl Fn(&Value) -> Option<String>) -> BTreeMap<Option<String>, [u64; 2]> {
    let mut counts: BTreeMap<_, [u64; 2]> = BTreeMap::new();
    for document in documents {
        let count = counts.entry(name(document)).or_default();
        count[0] += 1;
        count[1] += document["word_count"].as_u64().unwrap();
    }
    counts
}

/// Groups of a report in the same form.
fn groups(report: &Value, list: &str, key: &str) -> BTreeMap<Option<String>, [u64; 2]> {
    let group = |group: &Value| {
        let name = match &group[key] {
            Value::Null => None,
            Value::String(name) => Some(name.clone()),
            other => Some(other.to_string()),
        };
        (
            name,
            ["documents", "words"].map(|key| group[key].as_u64().unwrap()),
        )
    };
    report[list].as_array().unwrap().iter().map(group).collect()
}

fn text(document: &Value, key: &str) -> Option<String> {
    document[key].as_str().map(str::to_owned)
}

#[test]
fn groups_are_those_of_the_documents() {
    let documents = exported(
        &SAMPLE.path(),
        &[
            "row_id",
            "word_count",
            "language",
            "page_kind",
            "text_source",
            "published",
            "crawl_date",
            "dropped_words",
        ],
    );
    let report = numbers(&SAMPLE.path(), &[]);
    assert_has(&report, &documented("What is in a corpus: `report`"));
    for (list, key) in [
        ("languages", "language"),
        ("page_kinds", "page_kind"),
        ("text_sources", "text_source"),
    ] {
        assert_eq!(
            groups(&report, list, "name"),
            by(&documents, |document| text(document, key)),
            "{list}"
        );
    }
    for (list, key) in [("published", "published"), ("crawled", "crawl_date")] {
        let year = |document: &Value| text(document, key).map(|date| date[..4].to_owned());
        assert_eq!(groups(&report, list, "year"), by(&documents, year), "{list}");
    }
    let sum = |key: &str| {
        documents
            .iter()
            .map(|document| document[key].as_u64().unwrap())
            .sum::<u64>()
    };
    let totals = &report["totals"];
    assert_eq!(totals["documents"], documents.len());
    assert_eq!(
        [&totals["kept_words"], &totals["dropped_words"]],
        [sum("word_count"), sum("dropped_words")]
    );
}

/// The histograms and the fails of rules, from the measures as an export writes them.
#[test]
fn histograms_and_rules_are_those_of_the_measures() {
    let documents = exported(
        &SAMPLE.path(),
        &[
            "row_id",
            "signals.words",
            "signals.alphabetic_tokens",
            "signals.top_2_gram",
            "signals.gopher",
            "signals.fineweb2",
        ],
    );
    let report = numbers(&SAMPLE.path(), &[]);
    for histogram in report["measures"].as_array().unwrap() {
        let measure = histogram["measure"].as_str().unwrap();
        let bins = histogram["bins"].as_array().unwrap();
        let all: u64 = bins.iter().map(|bin| bin["documents"].as_u64().unwrap()).sum();
        let [zero, missing] = ["zero", "missing"].map(|key| histogram[key].as_u64().unwrap());
        assert_eq!(all + zero + missing, documents.len() as u64, "{measure}");
        if documents[0].get(measure).is_none() {
            continue;
        }
        for (place, bin) in bins.iter().enumerate() {
            let from = bin["from"].as_f64().unwrap();
            let to = bin["to"]
                .as_f64()
                .filter(|_| place + 1 < bins.len())
                .unwrap_or(f64::INFINITY);
            let is_in = |document: &&Value| {
                let value = document[measure].as_f64().unwrap();
                value != 0.0 && from <= value + 1e-6 && value + 1e-6 < to
            };
            assert_eq!(
                bin["documents"],
                documents.iter().filter(is_in).count(),
                "{measure} {bin}"
            );
        }
    }
    let sets = report["rule_sets"].as_array().unwrap();
    let set = |name: &str| sets.iter().find(|set| set["rule_set"] == name).unwrap();
    for name in ["gopher", "fineweb2"] {
        let fails = |rule: &str| {
            let key = format!("signals.{name}");
            documents
                .iter()
                .filter(|document| document[&*key] == rule)
                .count()
        };
        let rules = set(name)["rules"].as_array().unwrap();
        for rule in rules {
            assert_eq!(
                rule["first"],
                fails(rule["rule"].as_str().unwrap()),
                "{name} {rule}"
            );
            assert!(rule["all"].as_u64() >= rule["first"].as_u64(), "{rule}");
        }
        let sum: u64 = rules.iter().map(|rule| rule["first"].as_u64().unwrap()).sum();
        assert_eq!(set(name)["documents"], sum);
    }
    let all = |name: &str| {
        let rules = set("gopher")["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["rule"] == name).unwrap()["all"].clone()
    };
    let count = |is_bad: fn(f64) -> bool, measure: &str| {
        documents
            .iter()
            .filter(|document| is_bad(document[measure].as_f64().unwrap()))
            .count()
    };
    assert_eq!(
        all("words"),
        count(|words| !(50.0..=100_000.0).contains(&words), "signals.words")
    );
    assert_eq!(
        all("alphabetic_tokens"),
        count(|share| share < 0.8, "signals.alphabetic_tokens")
    );
    assert_eq!(
        all("top_2_gram"),
        count(|share| share > 0.2, "signals.top_2_gram")
    );
}

/// Sites, rejects, clusters and rights, from the rows of their tables.
#[test]
fn other_tables_are_added_up() {
    let corpus = &*SAMPLE;
    let report = numbers(&corpus.path(), &[]);
    let all = |table: &str| rows(&corpus.path().join(table));
    let sites = all("sites");
    assert_eq!(report["sites"]["count"], sites.len());
    let first = &report["sites"]["most_words"][0];
    let most = sites
        .iter()
        .max_by_key(|row| row["kept_words"].parse::<u64>().unwrap())
        .unwrap();
    assert_eq!(
        [
            &first["site"].as_str().unwrap(),
            &&*first["kept_words"].to_string()
        ],
        [&&*most["site"], &&*most["kept_words"]]
    );
    let rejects = all("rejects");
    for reject in report["rejects"].as_array().unwrap() {
        let own = rejects
            .iter()
            .filter(|row| reject["reason"] == row["reason"] && reject["stage"] == row["stage"]);
        assert_eq!(reject["rejects"], own.count(), "{reject}");
    }
    let duplicates = all("duplicates");
    assert_eq!(report["duplicates"]["documents"], duplicates.len());
    let survivors = duplicates.iter().filter(|row| row["survivor"] == "true").count();
    assert_eq!(report["duplicates"]["clusters"], survivors);
    let mut pages: Vec<&String> = Vec::new();
    let rights = all("rights");
    pages.extend(rights.iter().map(|row| &row["row_id"]));
    pages.dedup();
    assert_eq!(report["rights"]["documents"], pages.len());
    let mut forbidden: Vec<&String> = rights
        .iter()
        .filter(|row| row["train"] == "forbidden")
        .map(|row| &row["row_id"])
        .collect();
    forbidden.dedup();
    assert_eq!(report["rights"]["train"]["forbidden"], forbidden.len());
}

#[test]
fn recipes_leave_out_what_exports_leave_out() {
    let report = numbers(&SAMPLE.path(), &["--recipe", "gopher", "--recipe", "c4"]);
    let recipes = report["recipes"].as_array().unwrap();
    assert_eq!(recipes.len(), 2);
    for (recipe, name) in recipes.iter().zip(["gopher", "c4"]) {
        let mut export = gleaner();
        export
            .arg("export")
            .arg(SAMPLE.path())
            .args(["--dry-run", "--json", "--recipe", name]);
        let export: Value = serde_json::from_slice(&done(&mut export)).unwrap();
        assert_eq!(
            (&recipe["recipe"], &recipe["funnel"]),
            (&name.into(), &export["funnel"])
        );
    }
    // By default FineWeb-2, without counting masks.
    assert_eq!(numbers(&SAMPLE.path(), &[])["recipes"][0]["recipe"], "fineweb2");
}

#[test]
fn the_page_is_whole_and_small_with_any_number_of_workers() {
    let one = page(&SAMPLE.path(), &["-w", "1"]);
    assert_eq!(one, page(&SAMPLE.path(), &["-w", "5"]));
    assert!(one.len() < 500_000, "{}", one.len());
    assert!(one.starts_with("<!DOCTYPE html>\n<html lang=\"en\"") && one.ends_with("</body></html>\n"));
    for word in ["<script", "http-equiv=\"refresh\"", " src=", "@import", "url("] {
        assert!(!one.contains(word), "{word}");
    }
    for heading in [
        "Sites",
        "Years",
        "Rejects",
        "Duplicates",
        "Rights",
        "Rule sets",
        "Recipes",
    ] {
        assert!(one.contains(&format!("\">{heading}</h2>")), "{heading}");
    }
}

/// A page whose address, title and site would be elements if they were not escaped.
#[test]
fn pages_do_not_write_into_the_report() {
    let folder = folder();
    let mut archive = Archive::new();
    let body = "<title></title><script>alert(1)</script><p>Some words that stand here, and that are kept because they are many words.";
    for path in [
        "\"><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "plain",
    ] {
        archive = archive.page(&format!("http://a.example/{path}"), body);
    }
    let archive = archive.write(folder.path(), "a.warc.gz");
    let corpus = build(&[&archive], &[]);
    let page = page(&corpus.path(), &["--recipe", "gopher"]);
    assert!(!page.contains("<script") && !page.contains("<img"));
    assert!(
        page.contains("&lt;img src=x onerror=alert(1)&gt;"),
        "the examples name the page"
    );
}

#[test]
fn an_empty_corpus_and_one_without_optional_tables_have_reports() {
    let folder = folder();
    let archive = folder.path().join("a.warc");
    fs::write(&archive, "").unwrap();
    let empty = build(&[&archive], &[]);
    assert_eq!(numbers(&empty.path(), &[])["totals"]["documents"], 0);
    assert!(page(&empty.path(), &[]).contains("Documents by language: none."));
    let without = build(&[&sample()], &["--no-signals", "--no-rights", "--no-clusters"]);
    let report = numbers(&without.path(), &[]);
    assert!(report["rule_sets"].is_null() && report["rights"].is_null());
    assert_eq!(report["recipes"], Value::Array(Vec::new()));
    assert!(page(&without.path(), &[]).contains("it was built with --no-signals"));
    let lacks = report_refused(&without.path(), &["--json", "--recipe", "gopher"]);
    assert!(
        lacks.contains("has no table signals, which the recipe needs"),
        "{lacks}"
    );
}

#[track_caller]
fn report_refused(corpus: &Path, options: &[&str]) -> String {
    refusal(&report(corpus, options).output().unwrap())
}

#[test]
fn a_change_is_shown() {
    let folder = folder();
    let out = folder.path().join("corpus");
    let mut command = gleaner();
    done(command.arg("build").arg(sample()).arg("--out").arg(&out));
    assert!(numbers(&out, &[])["change"].is_null());
    let mut command = gleaner();
    done(command.arg("remove").arg(&out).args([
        "--site",
        "slowsalt.example",
        "--keep-versions",
        "2",
        "--reason",
        "asked",
    ]));
    let change = &numbers(&out, &[])["change"];
    assert_eq!([&change["from"], &change["to"]], [1, 2]);
    let [before, after] = [0, 1].map(|place| change["rows"]["documents"][place].as_u64().unwrap());
    assert!(after < before, "{change}");
    assert_eq!(change["rules"]["added"].as_array().unwrap().len(), 1);
    assert!(page(&out, &[]).contains("<code>remove --site slowsalt.example"));
    assert!(numbers(&out, &["--corpus-version", "1"])["change"].is_null());
}

#[test]
fn what_is_no_report_is_not_replaced() {
    let folder = folder();
    let out = folder.path().join("mine.html");
    fs::write(&out, "<p>mine</p>").unwrap();
    let said = report_refused(&SAMPLE.path(), &["--out", out.to_str().unwrap()]);
    assert!(
        said.ends_with("is there, and no report: name another file"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&out).unwrap(), "<p>mine</p>");
    fs::write(&out, "").unwrap();
    for _ in 0..2 {
        done(report(&SAMPLE.path(), &["--out"]).arg(&out));
    }
    let inside = SAMPLE.path().join("report.html");
    let said = report_refused(&SAMPLE.path(), &["--out", inside.to_str().unwrap()]);
    assert!(
        said.ends_with("is inside the corpus: name a file elsewhere"),
        "{said}"
    );
    let nothing = report_refused(folder.path(), &["--json"]);
    assert!(nothing.contains("it has no gleaner.json"), "{nothing}");
}
