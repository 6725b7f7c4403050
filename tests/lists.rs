//! Lists of domains and URLs: the column `url_lists` of `signals`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::living::Living;
use crate::support::{refusal, rows, run, said};

/// A folder of UT1, a hosts file, and a file of plain lines.
struct Lists(TempDir);

impl Lists {
    fn new() -> Lists {
        let lists = Lists(TempDir::new().unwrap());
        fs::create_dir(lists.0.path().join("adult")).unwrap();
        lists.write("adult/domains", "green.example\n");
        lists.write("adult/urls", "red.example/a/3\nred.example/c/0\n");
        lists.write("hosts", "127.0.0.1 localhost\n0.0.0.0 blue.example # all of it\n");
        lists.write(
            "more",
            "# beginnings of URLs\nhttps://blue.example/a/2\nred.example/\n",
        );
        lists
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    /// `--url-list` of a list.
    fn option(&self, name: &str, file: &str) -> String {
        format!("--url-list={name}={}", self.0.path().join(file).display())
    }

    /// Options of two lists, one of which has two files.
    fn all(&self) -> [String; 3] {
        [("misc", "more"), ("adult", "adult"), ("misc", "hosts")].map(|(name, file)| self.option(name, file))
    }
}

fn strings(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The lists of each page, by the path of its URL behind `http://`.
fn listed(corpus: &Path) -> BTreeMap<String, String> {
    let rows = rows(&corpus.join("signals")).into_iter();
    let listed = rows.map(|mut row| {
        let url = row.remove("url").unwrap();
        (
            url["http://".len()..].to_owned(),
            row.remove("url_lists").unwrap(),
        )
    });
    listed.collect()
}

/// A build of some archives from scratch has the files of the corpus.
#[track_caller]
fn check(living: &Living, archives: &[&str], options: &[&str]) {
    let built = living.path("from-scratch");
    let built = built.to_str().unwrap();
    let files: Vec<String> = archives.iter().map(|name| living.file(name)).collect();
    living.done(
        &[
            &["build", "--force", "--out", built],
            options,
            &strings(&files)[..],
        ]
        .concat(),
    );
    assert_eq!(living.digest(&living.corpus()), living.digest(built));
}

#[test]
fn pages_are_on_the_lists_that_have_their_urls() {
    let lists = Lists::new();
    let options = lists.all();
    let options = [&["--chunk-size", "16"], &strings(&options)[..]].concat();
    let living = Living::new(&options);
    let found = listed(&living.path("corpus"));
    for (url, names) in [
        ("green.example/a/1", "[\"adult\"]"),
        ("red.example/a/3", "[\"adult\", \"misc\"]"),
        ("red.example/b/3", "[\"misc\"]"),
        ("blue.example/b/2", "[\"misc\"]"),
    ] {
        assert_eq!(found[url], names, "{url}");
    }
    // What comes and goes has the lists, too.
    let change = |words: &[&str]| living.change(words[0], &[&words[1..], &options[2..]].concat());
    change(&["add", &living.file("c")]);
    assert_eq!(
        listed(&living.path("corpus"))["red.example/c/0"],
        "[\"adult\", \"misc\"]"
    );
    check(&living, &["a", "b", "c"], &options);
    change(&["remove", "--input", "b.warc.gz", "--reason", "old"]);
    check(&living, &["a", "c"], &options);
    let [a, c] = ["a", "c"].map(|name| living.file(name));
    let verify = ["verify", &living.corpus(), "--against", &a, &c];
    living.done(&[&verify, &options[2..]].concat());
    // Other lists, without the archives.
    let others = lists.option("others", "hosts");
    living.change("relabel", &[&others]);
    assert_eq!(listed(&living.path("corpus"))["blue.example/a/2"], "[\"others\"]");
    check(&living, &["a", "c"], &["--chunk-size", "16", &others]);
}

#[test]
fn a_corpus_keeps_its_lists() {
    let lists = Lists::new();
    let options = lists.all();
    let living = Living::new(&strings(&options));
    let (corpus, c) = (living.corpus(), living.file("c"));
    let refused = |options: &[&str]| refusal(&run([&["add", &corpus, &c], options].concat()));
    let none = refused(&[]);
    assert!(
        none.contains(
            "is of a corpus with lists of URLs: give their files with --url-list (name and digest: adult "
        ),
        "{none}"
    );
    let other = refused(&[&lists.option("adult", "hosts")]);
    assert!(
        other.contains("is of a corpus with the lists 'adult ")
            && other.contains("give the files of these lists"),
        "{other}"
    );
    lists.write("more", "red.example/\n");
    let changed = refused(&strings(&options));
    assert!(changed.contains("give the files of these lists"), "{changed}");
    let built = refusal(&run(["build", &c, "--out", &corpus]));
    assert!(built.contains("url-lists"), "{built}");
    let plain = Living::new(&[]);
    let plain = refusal(&run(["add", &plain.corpus(), &c, &options[0]]));
    assert!(
        plain.ends_with("is of a corpus without lists of URLs: leave out --url-list"),
        "{plain}"
    );
}

#[test]
fn a_list_that_cannot_be_used_is_refused() {
    let lists = Lists::new();
    lists.write("bad", "good.example\n\nhalf a line\n");
    fs::create_dir(lists.0.path().join("empty")).unwrap();
    let refused = |option: &str, others: &[&str]| {
        let out = lists.0.path().join("out");
        let out = out.to_str().unwrap();
        let words = [&["build", "README.md", "--out", out, option], others].concat();
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(!Path::new(out).exists());
        said(&output).replace(lists.0.path().to_str().unwrap(), "LISTS")
    };
    for (file, sentence) in [
        (
            "bad",
            "in LISTS/bad: line 3 is no domain, host or URL: \"half a line\"",
        ),
        ("none", "could not read the list LISTS/none"),
        (
            "empty",
            "the folder LISTS/empty has neither a file 'domains' nor a file 'urls'",
        ),
    ] {
        let said = refused(&lists.option("x", file), &[]);
        let begin = "the list 'x' of --url-list cannot be used";
        assert!(said.contains(begin) && said.contains(sentence), "{said}");
    }
    for option in ["--url-list=adult", "--url-list==x", "--url-list=a b=x"] {
        let said = refused(option, &[]);
        assert!(said.contains("--url-list <NAME=FILE|FOLDER>"), "{said}");
    }
    let said = refused(&lists.option("x", "hosts"), &["--no-signals"]);
    assert!(said.contains("cannot be used with"), "{said}");
}

#[test]
fn recipes_select_by_lists() {
    let lists = Lists::new();
    let living = Living::new(&strings(&lists.all()));
    let count = |filter: &str| {
        let recipe = lists.0.path().join("recipe.toml");
        fs::write(
            &recipe,
            format!("[[filter]]\ncolumn = 'signals.url_lists'\n{filter}\n"),
        )
        .unwrap();
        let recipe = recipe.to_str().unwrap();
        let output = living.done(&[
            "export",
            &living.corpus(),
            "--recipe",
            recipe,
            "--dry-run",
            "--json",
        ]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["funnel"]["written"]["documents"].as_u64().unwrap()
    };
    // Of 48 pages 16 are of each host.
    assert_eq!(count("in = ['adult']"), 17);
    assert_eq!(count("not_in = ['adult']"), 31);
    assert_eq!(count("in = ['misc', 'none']"), 32);
    assert_eq!(count("not_in = ['adult', 'misc']"), 0);
    assert_eq!(count("is_null = false"), 48);
}
