//! What a corpus is made from, printed as a spec, and the corpus that is built from that: its tables have the same files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use gleaner_testing::warc::{Archive, article};
use serde_json::Value;
use tempfile::TempDir;

use crate::answers::{assert_has, documented};
use crate::cluster::{addresses, end};
use crate::support::{assert_printed, gleaner, refusal, run, said, sample};

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).unwrap()
}

/// Two archives in a folder.
fn crawl(folder: &Path) -> PathBuf {
    let crawl = folder.join("crawl");
    fs::create_dir(&crawl).unwrap();
    for name in ["a", "b"] {
        let pages = (0..30).fold(Archive::new(), |archive, page| {
            let url = format!("http://{}.example/{name}{page}", page % 3);
            archive.page(
                &url,
                format!("{} <p>Page {page} of the archive {name}.", article()),
            )
        });
        pages.write(&crawl, &format!("{name}.warc.gz"));
    }
    crawl
}

/// Builds the crawl of a folder with these options, and gives the file of its spec.
fn built(folder: &Path, crawl: &Path, options: &[&str]) -> PathBuf {
    let out = folder.join("corpus");
    let [crawl, out] = [crawl, &out].map(|path| path.to_str().unwrap());
    printed(&[&["build", crawl, "--out", out], options].concat());
    let spec = folder.join("spec.json");
    fs::write(&spec, printed(&["log", out, "--spec"])).unwrap();
    spec
}

fn by_spec(folder: &Path, spec: &Path, crawl: &Path, options: &[&str]) -> Output {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--spec").arg(spec);
    command.arg("--out").arg(folder.join("again")).args(options);
    command.output().unwrap()
}

/// The digest of the files of the corpus of this name.
fn digest(folder: &Path, corpus: &str) -> String {
    printed(&["files", folder.join(corpus).to_str().unwrap(), "--digest"])
}

#[test]
fn a_corpus_is_built_again_from_its_spec_wherever_the_archives_are() {
    for options in [
        &[][..],
        &[
            "--crawl",
            "a.b-1",
            "--blocks",
            "--posts",
            "--markdown",
            "--links",
            "inline",
            "--no-title",
        ],
        &[
            "--shingle",
            "3",
            "--bands",
            "20",
            "--band-rows",
            "4",
            "--verify-duplicates",
            "0.75",
        ],
        &[
            "--no-clusters",
            "--repeats",
            "0",
            "--no-site-evidence",
            "--site",
            "domain",
        ],
        &[
            "--favor",
            "recall",
            "--structured-data",
            "fallback",
            "--chunk-size",
            "16",
            "--site-sample",
            "4",
        ],
        &[
            "--method",
            "density",
            "--max-record",
            "8",
            "--max-page",
            "1",
            "--max-steps",
            "3",
            "--parser",
            "html5ever",
        ],
        &["--limit", "1000"],
    ] {
        let folder = folder();
        let crawl = crawl(folder.path());
        let spec = built(folder.path(), &crawl, options);
        let moved = folder.path().join("moved");
        fs::rename(&crawl, &moved).unwrap();
        let output = by_spec(folder.path(), &spec, &moved, &["--workers", "1"]);
        assert_eq!(output.status.code(), Some(0), "{options:?}: {}", said(&output));
        assert!(
            said(&output).contains("comparing 2 inputs of "),
            "{}",
            said(&output)
        );
        let manifest = |corpus: &str| {
            let marker = fs::read(folder.path().join(corpus).join("gleaner.json")).unwrap();
            serde_json::from_slice::<Value>(&marker).unwrap()["arguments"].clone()
        };
        assert_eq!(manifest("again"), manifest("corpus"), "{options:?}");
        assert_eq!(digest(folder.path(), "again"), digest(folder.path(), "corpus"));
    }
}

#[test]
fn the_digest_of_files_is_of_the_tables_alone() {
    let folder = folder();
    let spec = built(folder.path(), &sample(), &[]);
    let output = by_spec(folder.path(), &spec, &sample(), &["--no-state"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let [with, without] = ["corpus", "again"].map(|corpus| digest(folder.path(), corpus));
    assert_eq!((with.len(), &with), (65, &without));
    let out = folder.path().join("corpus");
    let answer = json(&["files", out.to_str().unwrap(), "--digest", "--json"]);
    assert_has(&answer, &documented("The digest of all files"));
    assert_eq!(answer["digest"], with.trim_end());
    // (A page less is another corpus.)
    let output = run([
        "build",
        sample().to_str().unwrap(),
        "--limit",
        "40",
        "--force",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_ne!(digest(folder.path(), "corpus"), without);
    let refused = |corpus: &str| {
        let corpus = folder.path().join(corpus);
        refusal(&run(["log", corpus.to_str().unwrap(), "--spec"]))
    };
    assert_printed("spec-a-corpus-without-state-has-none", &refused("again"));
}

#[test]
fn archives_that_are_not_those_of_the_spec_are_named() {
    let folder = folder();
    let crawl = crawl(folder.path());
    let spec = built(folder.path(), &crawl, &[]);
    let of = |crawl: &Path| refusal(&by_spec(folder.path(), &spec, crawl, &[]));
    let mut sentences = vec![of(&crawl.join("a.warc.gz"))];
    let added = crawl.join("c.warc.gz");
    fs::copy(crawl.join("a.warc.gz"), &added).unwrap();
    sentences.push(of(&crawl));
    fs::remove_file(&added).unwrap();
    let (file, last) = (crawl.join("b.warc.gz"), crawl.join("b.warc.gz"));
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, [&bytes[..], b"\0"].concat()).unwrap();
    sentences.push(of(&crawl));
    let mut other = bytes.clone();
    other[20] ^= 1;
    fs::write(&last, other).unwrap();
    let output = by_spec(folder.path(), &spec, &crawl, &[]);
    assert_eq!(output.status.code(), Some(2));
    let (_, sentence) = said(&output)
        .rsplit_once("error: ")
        .map(|(a, b)| (a.len(), b.to_owned()))
        .unwrap();
    sentences.push(sentence.trim_end().to_owned());
    assert_printed(
        "spec-archives-that-are-not-those-of-the-spec-are-named",
        &sentences
            .join("\n")
            .replace(&bytes.len().to_string(), "N")
            .replace(&(bytes.len() + 1).to_string(), "N + 1"),
    );
    assert!(!folder.path().join("again/gleaner.json").exists());
}

#[test]
fn what_the_spec_has_is_not_given_beside_it() {
    let folder = folder();
    let spec = built(folder.path(), &sample(), &[]);
    for option in [
        &["--blocks"][..],
        &["--shingle", "5"],
        &["--favor=recall"],
        &["--method", "density"],
        &["--limit=3"],
    ] {
        let output = by_spec(folder.path(), &spec, &sample(), option);
        assert_eq!(output.status.code(), Some(2));
        let name = option[0].split('=').next().unwrap();
        let said = said(&output);
        assert!(
            said.starts_with("error: the argument '--spec <FILE>' cannot be used with"),
            "{said}"
        );
        assert!(said.contains(name), "{said}");
    }
    let output = by_spec(folder.path(), &spec, Path::new("-"), &[]);
    assert!(refusal(&output).starts_with("--spec cannot compare standard input ('-') with "));
    let text = fs::read_to_string(&spec).unwrap();
    let change = |old: &str, new: &str| {
        assert!(text.contains(old), "{text}");
        fs::write(&spec, text.replacen(old, new, 1)).unwrap();
        refusal(&by_spec(folder.path(), &spec, &sample(), &[]))
    };
    let sentences = [
        change("\"chunk-size\": \"32768\"", "\"chunk-size\": \"3\""),
        change("\"page-kinds\": \"", "\"page-kinds\": \"0"),
        change("\"blocks\"", "\"blokcs\""),
        change("\"model\": \"default ", "\"model\": \"mine 0"),
        change("\"rules\": []", "\"rules\": [1]"),
        change("\"format\": ", "\"format\": 1"),
        change("\"digest\": \"", "\"digest\": null, \"was\": \""),
        change("{", "["),
    ];
    assert_printed("spec-a-spec-that-cannot-be-built", &sentences.join("\n"));
}

#[test]
fn a_model_is_known_by_its_digest() {
    let folder = folder();
    let model = |name: &str| folder.path().join(name);
    fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/document/models/default.gcrf"),
        model("mine.gcrf"),
    )
    .unwrap();
    let mine = model("mine.gcrf");
    let spec = built(folder.path(), &sample(), &["--model", mine.to_str().unwrap()]);
    assert!(fs::read_to_string(&spec).unwrap().contains("\"model\": \"mine "));
    let output = by_spec(folder.path(), &spec, &sample(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(digest(folder.path(), "again"), digest(folder.path(), "corpus"));
}

#[test]
fn processes_compare_the_archives_together() {
    let folder = folder();
    let crawl = crawl(folder.path());
    let spec = built(folder.path(), &crawl, &[]);
    let hosts = folder.path().join("hosts");
    fs::write(&hosts, addresses(2).join("\n")).unwrap();
    let start = |process: &str| {
        let mut command = gleaner();
        command
            .arg("build")
            .arg(&crawl)
            .arg("--spec")
            .arg(&spec)
            .arg("--out")
            .arg(folder.path().join("again"));
        command
            .arg("--hosts")
            .arg(&hosts)
            .args(["--process", process, "--workers", "1"]);
        command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let processes = ["0", "1"].map(start);
    for output in processes.map(end) {
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(
            said(&output).contains("comparing 1 input of "),
            "{}",
            said(&output)
        );
    }
    assert_eq!(digest(folder.path(), "again"), digest(folder.path(), "corpus"));
}

#[test]
fn a_log_shows_the_version() {
    let folder = folder();
    let spec = built(folder.path(), &sample(), &["--crawl", "a.b-1"]);
    let out = folder.path().join("corpus");
    let text = printed(&["log", out.to_str().unwrap()]);
    let words = regex::Regex::new("[0-9a-f]{16,}").unwrap();
    assert_printed(
        "spec-a-log-shows-the-version",
        &words.replace_all(&text, "DIGEST"),
    );
    let versions = json(&["log", out.to_str().unwrap(), "--json"]);
    assert_has(&versions[0], &documented("Versions of a corpus"));
    let spec: Value = serde_json::from_slice(&fs::read(spec).unwrap()).unwrap();
    assert_has(&spec, &documented("What a corpus is made from"));
    assert_eq!(spec["options"]["crawl"], "a.b-1");
    assert_eq!(spec["inputs"][0]["name"], "sample.warc.gz");
    let digest = blake3::hash(&fs::read(sample()).unwrap()).to_string();
    assert_eq!(spec["inputs"][0]["digest"], digest);
}
