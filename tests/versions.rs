//! Versions of a corpus: shown, compared, undone and deleted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gleaner_corpus::{
    ArchivesChange, Arguments, Corpus, KeptKind, Manifest, NewVersion, Next, Receipt, Settings, TABLES,
    TableChange, kept_json,
};
use gleaner_store::{Options, Output, Store};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::answers::{assert_has, documented};
use crate::support::{assert_printed, files, gleaner, refusal, run, said, sample};

/// A corpus of the bundled crawl in several chunks.
fn built() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let out = folder.path().join("corpus");
    let mut command = gleaner();
    command.arg("build").arg(sample()).arg("--out").arg(&out);
    let output = command.args(["--chunk-size", "16"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    (folder, out)
}

fn output(corpus: &Path) -> Output {
    let store = Store::new(Options::default()).unwrap();
    store.output(corpus.to_str().unwrap()).unwrap()
}

fn begin(corpus: &Path) -> Corpus {
    let next = Next {
        command: "remove".to_owned(),
        asked: "f00d".to_owned(),
        time: "2026-01-02T03:04:05Z".to_owned(),
        ..Next::default()
    };
    Corpus::begin_change(output(corpus), next, Settings::default())
        .unwrap()
        .0
}

/// Writes the state of a version without the first chunk, with one rule and one archive more.
fn write(corpus: &Corpus, base: &Arguments) -> Arguments {
    let output = corpus.output();
    let kept = |kind, digest: &str| Corpus::kept(output, kind, digest).unwrap();
    let manifest = kept(KeptKind::Manifest, &base.manifest);
    let mut manifest: Manifest = serde_json::from_slice(&manifest).unwrap();
    manifest.chunks.remove(0);
    let rule = json!({ "id": format!("rule-{}", manifest.chunks.len()), "kind": "remove" });
    let rules = [kept(KeptKind::Rules, &base.rules).to_vec(), kept_json(&rule)].concat();
    let input = json!({ "name": "more.warc.gz", "digest": manifest.chunks.len().to_string() });
    let inputs = [kept(KeptKind::Inputs, &base.inputs).to_vec(), kept_json(&input)].concat();
    Arguments {
        inputs: corpus.keep_file(KeptKind::Inputs, &inputs).unwrap(),
        rules: corpus.keep_file(KeptKind::Rules, &rules).unwrap(),
        manifest: corpus
            .keep_file(KeptKind::Manifest, &kept_json(&manifest))
            .unwrap(),
    }
}

/// Makes the next version of a corpus.
fn change(out: &Path, keep_versions: u64) {
    let corpus = begin(out);
    let base = Corpus::complete(corpus.output()).unwrap();
    let before = base.arguments.unwrap();
    let after = write(&corpus, &before);
    let files = [&before, &after].map(|version| Corpus::version_files(corpus.output(), version).unwrap());
    let mut totals: BTreeMap<String, u64> = base.totals;
    for table in TABLES {
        let rows = files[1].of(table.name).iter().map(|file| file.rows).sum();
        totals
            .entry(table.name.to_owned())
            .and_modify(|total| *total = rows);
    }
    let captures = totals["documents"] + totals["rejects"] - totals["damaged places"];
    totals.insert("captures read".to_owned(), captures);
    let receipt = Receipt {
        version: base.version + 1,
        command: "remove".to_owned(),
        asked_text: "--url-prefix http://a.example/".to_owned(),
        time: "2026-01-02T03:04:05Z".to_owned(),
        reason: Some("read twice".to_owned()),
        program: "gleaner 9".to_owned(),
        before,
        after: after.clone(),
        archives: Some(ArchivesChange {
            before: base.version,
            after: base.version + 1,
            added: 1,
            removed: 0,
        }),
        tables: TableChange::between(&files[0], &files[1]),
        more: Map::new(),
    };
    let new = NewVersion {
        last_rule: 0,
        identity: base.identity,
        totals,
        summary: Map::new(),
        missing: Vec::new(),
        arguments: after,
        keep_versions,
        purge: false,
        receipt: receipt.to_json(),
    };
    corpus.finish_change(new).unwrap();
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(said(&output), "");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn answer(arguments: &[&str], heading: &str) -> Value {
    let answer: Value = serde_json::from_str(&printed(&[arguments, &["--json"]].concat())).unwrap();
    let each = answer.as_array().cloned().unwrap_or_else(|| vec![answer.clone()]);
    each.iter()
        .for_each(|answer| assert_has(answer, &documented(heading)));
    answer
}

fn shown(name: &str, text: &str) {
    let digests = regex::Regex::new("[0-9a-f]{16,}").unwrap();
    assert_printed(&format!("versions-{name}"), &digests.replace_all(text, "DIGEST"));
}

#[test]
fn a_log_has_an_entry_for_each_version_and_a_diff_compares_two() {
    let (_folder, out) = built();
    let first = printed(&["files", out.to_str().unwrap(), "documents"])
        .lines()
        .count();
    change(&out, 1);
    change(&out, 2);
    let out = out.to_str().unwrap();
    assert!(printed(&["verify", out]).ends_with(": all as written\n"));
    assert_eq!(printed(&["files", out, "documents"]).lines().count(), first - 2);
    shown("log", &printed(&["log", out]));
    let log = answer(&["log", out], "Versions of a corpus");
    let versions: Vec<Value> = ["version", "command", "kept", "reason"]
        .map(|key| {
            log.as_array()
                .unwrap()
                .iter()
                .map(|entry| entry[key].clone())
                .collect()
        })
        .into();
    assert_eq!(
        json!(versions),
        json!([
            [1, 2, 3],
            ["build", "remove", "remove"],
            [false, true, true],
            [null, "read twice", "read twice"]
        ])
    );
    let receipt = std::fs::read(Path::new(out).join("state/receipts/0003.json")).unwrap();
    assert_has(
        &serde_json::from_slice(&receipt).unwrap(),
        &documented("The receipt of a change"),
    );
    // The files of both versions are there.
    shown("diff", &printed(&["diff", out, "2", "3"]));
    let diff = answer(&["diff", out, "2", "3"], "Two versions of a corpus");
    assert_eq!(
        diff["inputs"],
        json!({ "added": [], "removed": [], "changed": ["more.warc.gz"] })
    );
    assert_eq!(diff["chunks"]["removed"], 1);
    assert_eq!(
        diff["rows"]["documents"],
        json!([log[1]["rows"]["documents"], log[2]["rows"]["documents"]])
    );
    // Of the first there are digests and rows.
    shown("diff-of-receipts", &printed(&["diff", out, "1", "3"]));
    let diff = answer(&["diff", out, "1", "3"], "Two versions of a corpus");
    assert_eq!(
        (&diff["files"], &diff["inputs_differ"]),
        (&Value::Null, &json!(true))
    );
    assert_eq!(
        refusal(&run(["diff", out, "1", "4"])),
        format!("no version 4 of '{out}': it has versions 1 to 3")
    );
}

#[test]
fn an_unfinished_change_is_undone() {
    let (_folder, corpus) = built();
    let out = corpus.to_str().unwrap();
    let there = files(&corpus);
    assert_eq!(
        printed(&["undo", out]),
        format!(
            "nothing to undo: no change of '{out}' is unfinished; `gleaner restore` lifts the rule of a complete one\n"
        )
    );
    let base = Corpus::complete(&output(&corpus)).unwrap();
    write(&begin(&corpus), &base.arguments.unwrap());
    assert!(printed(&["verify", out]).ends_with(": all as written\n"));
    let sizes = regex::Regex::new(r"[\d.]+ (kB|bytes)").unwrap();
    let lines = [printed(&["undo", out, "--dry-run"]), printed(&["undo", out])];
    assert_eq!(
        lines.map(|line| sizes.replace_all(&line, "SIZE").into_owned()),
        [
            "would undo `remove` of 2026-01-02T03:04:05Z, and delete 3 files of SIZE\n".to_owned(),
            format!(
                "undone: `remove` of 2026-01-02T03:04:05Z; deleted 3 files of SIZE; '{out}' has version 1\n"
            ),
        ]
    );
    assert_eq!(files(&corpus), there);
    let nothing = answer(&["undo", out], "Undoing a change");
    assert_eq!(nothing["result"], "nothing");
    let absent = refusal(&run(["undo", &format!("{out}/none")]));
    assert!(absent.starts_with("no corpus in '"), "{absent}");
}

#[test]
fn older_versions_are_deleted() {
    let (_folder, corpus) = built();
    change(&corpus, 2);
    change(&corpus, 3);
    let (out, there) = (corpus.to_str().unwrap(), files(&corpus));
    assert_eq!(
        printed(&["vacuum", out]),
        "nothing to delete: the files that are there are of versions that stay\n"
    );
    let vacuum = ["vacuum", out, "--keep-versions", "2", "--logs"];
    let planned = answer(&[&vacuum[..], &["--dry-run"]].concat(), "Deleting older versions");
    assert_eq!(files(&corpus), there);
    let done = answer(&vacuum, "Deleting older versions");
    assert_eq!(done["versions"], json!([1]));
    for key in ["versions", "files", "bytes", "log_files"] {
        assert_eq!(planned[key], done[key]);
    }
    assert_eq!(
        (there.len() - files(&corpus).len()) as u64 + checkpoints(&corpus),
        done["files"].as_u64().unwrap()
    );
    assert!(printed(&["verify", out]).ends_with(": all as written\n"));
    let text = printed(&["vacuum", out, "--keep-versions", "1"]);
    assert!(text.starts_with("deleted version 2: "), "{text}");
    assert!(printed(&["verify", out]).ends_with(": all as written\n"));
}

/// Files that shorter logs begin with.
fn checkpoints(corpus: &Path) -> u64 {
    let files = files(corpus).into_iter();
    files
        .filter(|file| file.to_str().unwrap().contains("checkpoint"))
        .count() as u64
}
