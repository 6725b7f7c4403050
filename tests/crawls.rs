//! A crawl with a name: its files are in a folder of that name, and all commands find them there.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::object_server::ObjectServer;
use crate::support::{Corpus, assert_printed, build, files, refusal, rows, run, said, sample, table_files};

const NAME: &str = "a.b-1";

/// The tables of a build with `--blocks` and `--posts`.
const TABLES: [&str; 12] = [
    "duplicates",
    "blocks",
    "captures",
    "documents",
    "histograms",
    "posts",
    "rejects",
    "repeats",
    "rights",
    "signals",
    "sites",
    "templates",
];

fn corpus(options: &[&str]) -> Corpus {
    build(&[&sample()], &[&["--blocks", "--posts"], options].concat())
}

/// Builds the bundled crawl in a folder, or tries to.
fn into(out: &Path, options: &[&str]) -> Output {
    let (crawl, out) = (sample(), out.to_str().unwrap());
    let first = [
        "build",
        crawl.to_str().unwrap(),
        "--out",
        out,
        "--blocks",
        "--posts",
    ];
    run(first.into_iter().chain(options.iter().copied()))
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_files_of_a_named_crawl_are_in_a_folder_of_that_name() {
    let (named, plain) = (corpus(&["--crawl", NAME]), corpus(&[]));
    let (out, path) = (named.path(), named.path());
    let out = out.to_str().unwrap();
    let mut tables = 0;
    for table in TABLES {
        let name_of = |corpus: &Corpus, folder: &str| -> Vec<String> {
            let files = table_files(&corpus.path(), table).into_iter();
            let folder = corpus.path().join(table).join(folder);
            let in_folder = |file: std::path::PathBuf| {
                let name = file.strip_prefix(&folder).unwrap();
                name.to_str().unwrap().to_owned()
            };
            files.map(in_folder).collect()
        };
        let is_for_all = ["duplicates", "repeats"].contains(&table);
        let of_crawl = if is_for_all {
            String::new()
        } else {
            format!("crawl={NAME}/")
        };
        let files = name_of(&named, &of_crawl);
        // The names are digests of all bytes.
        assert!(!files.is_empty(), "{table}");
        assert_eq!(files, name_of(&plain, ""), "{table}");
        assert_eq!(
            rows(&path.join(table)).len(),
            rows(&plain.path().join(table)).len()
        );

        let listed = printed(&["files", out, table]);
        let mut listed: Vec<&str> = listed.lines().collect();
        listed.sort_unstable();
        let expected = files.iter().map(|file| format!("{out}/{table}/{of_crawl}{file}"));
        assert_eq!(listed, expected.collect::<Vec<_>>());
        tables += files.len();
    }
    let verified = printed(&["verify", out]);
    assert!(
        verified.starts_with(&format!("checked {tables} files of 12 tables and "))
            && verified.ends_with(": all as written\n"),
        "{verified}"
    );
    let shown = |templates: &str| printed(&["templates", "show", "--templates", templates, "--json"]);
    let plain = plain.path();
    for (of_named, of_plain) in [
        ("", ""),
        ("/templates", "/templates"),
        (&format!("/templates/crawl={NAME}"), "/templates"),
    ] {
        let expected = shown(&format!("{}{of_plain}", plain.display()));
        assert!(shown(&format!("{out}{of_named}")) == expected, "{of_named}");
    }
}

#[test]
fn a_corpus_is_of_one_crawl() {
    let corpus = corpus(&["--crawl", NAME]);
    let out = corpus.path();
    let again = into(&out, &["--crawl", NAME]);
    assert!(
        again.status.success() && said(&again).contains("37 documents: nothing to do"),
        "{}",
        said(&again)
    );
    for (options, told) in [
        (
            &["--crawl", "c"][..],
            "'a.b-1' in the corpus, 'c' in this command",
        ),
        (&[], "'a.b-1' in the corpus, not set in this command"),
    ] {
        let refused = refusal(&into(&out, options));
        assert!(
            refused.contains(&format!("holds another corpus (crawl: {told}): ")),
            "{refused}"
        );
    }
    let marker: Value = serde_json::from_slice(&fs::read(out.join("gleaner.json")).unwrap()).unwrap();
    assert_eq!(marker["identity"]["options"]["crawl"], NAME);

    let lost = table_files(&out, "documents").remove(0);
    fs::remove_file(&lost).unwrap();
    let again = into(&out, &["--crawl", NAME]);
    let name = lost.strip_prefix(&out).unwrap().to_str().unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert!(
        said(&again).contains(&format!("'{name}' is missing")),
        "{}",
        said(&again)
    );
    let replaced = into(&out, &["--crawl", "c", "--force"]);
    assert!(replaced.status.success(), "{}", said(&replaced));
    let is_old = |path: &Path| path.to_str().unwrap().contains(NAME);
    assert!(files(&out).iter().all(|file| !is_old(file)));
    let verified = run(["verify", out.to_str().unwrap()]);
    assert!(verified.status.success(), "{}", said(&verified));
}

#[test]
fn a_named_crawl_in_a_bucket_is_read() {
    let server = ObjectServer::start();
    let gleaner = |arguments: &[&str]| {
        let output = server.gleaner().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let (crawl, out) = (sample(), "s3://bucket/out");
    let build = ["build", crawl.to_str().unwrap(), "--out", out, "--crawl", NAME];
    gleaner(&build);
    let objects = server.objects("out/");
    let files = gleaner(&["files", out, "documents"]);
    assert!(!files.is_empty());
    for file in files.lines() {
        let name = file.strip_prefix("s3://bucket/out/").unwrap();
        assert!(
            name.starts_with(&format!("documents/crawl={NAME}/")) && objects.contains_key(name),
            "{name}: {:?}",
            objects.keys()
        );
    }
    assert!(gleaner(&["verify", out]).ends_with(": all as written\n"));
    gleaner(&build);
    gleaner(&[
        "build",
        crawl.to_str().unwrap(),
        "--out",
        out,
        "--crawl",
        "c",
        "--force",
    ]);
    assert!(server.objects("out/").keys().all(|name| !name.contains(NAME)));
}

#[test]
fn an_empty_table_of_a_named_crawl_has_its_file_there() {
    let corpus = build(&[&sample()], &["--crawl", NAME, "--no-site-evidence"]);
    let files = table_files(&corpus.path(), "templates");
    assert!(
        files.len() == 1
            && files[0]
                .parent()
                .unwrap()
                .ends_with(format!("templates/crawl={NAME}")),
        "{files:?}"
    );
}

#[test]
fn the_plan_has_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |options: &[&str]| {
        let output = into(folder.path(), &[&["--dry-run"], options].concat());
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = plan(&["--crawl", NAME]);
    assert!(text.contains("\ncrawl     a.b-1\n"), "{text}");
    let json = |text: String| serde_json::from_str::<Value>(&text).unwrap()["crawl"].clone();
    assert_eq!(json(plan(&["--crawl", NAME, "--json"])), NAME);
    assert_eq!(json(plan(&["--json"])), Value::Null);
    assert!(!plan(&[]).contains("crawl "));
}

#[test]
fn names_that_paths_cannot_have_are_refused() {
    let allowed =
        "use 1 to 128 of the letters a-z and A-Z, the digits, '.', '_' and '-', and do not begin with '.'";
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    for name in ["a/b", ".a", "é", "a b", &"a".repeat(129)] {
        let output = into(&out, &["--crawl", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let expected = format!("error: invalid value '{name}' for '--crawl <NAME>': {allowed}\n");
        assert!(said(&output).starts_with(&expected), "{}", said(&output));
    }
    let job = folder.path().join("job.toml");
    fs::write(&job, "inputs = [\"a\"]\nout = \"b\"\n[tables]\ncrawl = \"a/b\"\n").unwrap();
    let refused = refusal(&run(["run", job.to_str().unwrap()]));
    assert_printed("crawls-names-that-paths-cannot-have-are-refused", &refused);
    assert!(!out.exists());
}
