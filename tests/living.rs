//! A corpus that is kept up to date: what a user types, and what is there then.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use gleaner_testing::Random;
use gleaner_testing::warc::{Archive, article, record};
use serde_json::Value;
use tempfile::TempDir;

use crate::readers;
use crate::support::{files, gleaner, is_long, refusal, rows, run, said};

/// A sentence that one page alone has.
fn sentence(folder: &str, archive: &str, page: usize) -> String {
    let boats = 100 * page + usize::from(archive.as_bytes()[0]) + folder.len();
    format!(
        "In the {page}th week of that year {boats} boats left the old harbour before the storm, and the harbour master wrote down all \
         {boats} names in her diary of the tides, which the town still keeps."
    )
}

/// A folder with archives and a corpus of some of them.
pub(crate) struct Living {
    folder: TempDir,
}

impl Living {
    /// Archives a, b and c, of which each has pages of three hosts, and a corpus of the first two.
    pub(crate) fn new(options: &[&str]) -> Living {
        let living = Living {
            folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(),
        };
        fs::create_dir(living.path("crawl")).unwrap();
        for name in ["a", "b", "c"] {
            living.archive("crawl", name);
        }
        let [a, b, corpus] = [living.file("a"), living.file("b"), living.corpus()];
        let build = [&["build", &a, &b, "--out", &corpus], options].concat();
        living.done(&build);
        living
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn archive(&self, folder: &str, name: &str) {
        let pages = (0..24).fold(Archive::new(), |archive, page| {
            let url = format!(
                "http://{}.example/{name}/{page}",
                ["red", "green", "blue"][page % 3]
            );
            archive.page(
                &url,
                article()
                    .replace(
                        "</main>",
                        &format!("<p>{}</p></main>", sentence(folder, name, page)),
                    )
                    .replace("</title>", "</title><meta name=robots content=noarchive>"),
            )
        });
        pages.write(&self.path(folder), &format!("{name}.warc.gz"));
    }

    /// An archive of answers for robots.txt: the URL, the day, the status and the body of each.
    pub(crate) fn robots(&self, name: &str, answers: &[(&str, u32, u16, &str)]) -> String {
        let answers = answers.iter().enumerate();
        let archive = answers.fold(Archive::new(), |archive, (number, (url, day, status, body))| {
            let fields = format!(
                "WARC-Record-ID: <urn:{name}:{number}>\r\nWARC-Date: 2026-11-{day:02}T00:00:00Z\r\n\
                 Content-Type: application/http; msgtype=response\r\n"
            );
            let message =
                format!("HTTP/1.1 {status} Answer\r\nContent-Type: application/octet-stream\r\n\r\n{body}");
            archive.member(&[&record("response", url, &fields, message)])
        });
        let path = archive.write(self.folder.path(), &format!("{name}.warc.gz"));
        path.to_str().unwrap().to_owned()
    }

    /// A file of two agents.
    pub(crate) fn agents(&self) -> String {
        let path = self.path("agents.toml");
        fs::write(&path, "agents = [\"BeeBot\", \"AntBot\"]").unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn file(&self, name: &str) -> String {
        let path = self.path("crawl").join(format!("{name}.warc.gz"));
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn corpus(&self) -> String {
        self.path("corpus").to_str().unwrap().to_owned()
    }

    /// A command that has to succeed.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> Output {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
        output
    }

    /// A change of the corpus, by its JSON.
    #[track_caller]
    pub(crate) fn change(&self, command: &str, arguments: &[&str]) -> Value {
        let output = self.done(&[&[command, &self.corpus(), "--json"], arguments].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        let mut urls: Vec<String> = rows(&self.path("corpus/documents"))
            .iter()
            .map(|row| row["url"].clone())
            .collect();
        urls.sort();
        urls
    }

    pub(crate) fn digest(&self, corpus: &str) -> String {
        String::from_utf8(self.done(&["files", corpus, "--digest"]).stdout).unwrap()
    }

    /// The corpus that a build of the same arguments gives has the same files.
    #[track_caller]
    pub(crate) fn check(&self, archives: &[&str]) {
        self.check_with(archives, &[]);
    }

    /// The same, where the build needs options that its spec does not have.
    #[track_caller]
    pub(crate) fn check_with(&self, archives: &[&str], options: &[&str]) {
        let (spec, built) = (self.path("spec.json"), self.path("built"));
        fs::write(&spec, self.done(&["log", &self.corpus(), "--spec"]).stdout).unwrap();
        let files: Vec<String> = archives.iter().map(|name| self.file(name)).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let (spec, built) = (spec.to_str().unwrap(), built.to_str().unwrap());
        let build = ["build", "--force", "--spec", spec, "--out", built];
        self.done(&[&build[..], options, &files].concat());
        assert_eq!(self.digest(&self.corpus()), self.digest(built));
        let manifest = |corpus: &str| {
            let marker = fs::read(Path::new(corpus).join("gleaner.json")).unwrap();
            let marker: Value = serde_json::from_slice(&marker).unwrap();
            marker["arguments"].clone()
        };
        assert_eq!(manifest(&self.corpus()), manifest(built));
        self.done(&["verify", &self.corpus()]);
    }
}

#[test]
fn archives_come_and_go() {
    let living = Living::new(&["--chunk-size", "16", "--blocks"]);
    let added = living.change("add", &[&living.file("c")]);
    assert_eq!(
        (&added["version"], &added["archives"]["added"]),
        (&2.into(), &1.into())
    );
    assert_eq!(living.urls().len(), 72);
    living.check(&["a", "b", "c"]);
    let again = living.done(&["add", &living.corpus(), &living.file("c")]);
    assert!(
        said(&again).contains("nothing to do: skipped 1 archive that the corpus has already"),
        "{}",
        said(&again)
    );
    living.change("remove", &["--input", "b.warc.gz", "--reason", "read twice"]);
    assert!(living.urls().iter().all(|url| !url.contains("/b/")));
    living.check(&["a", "c"]);
    let log = String::from_utf8(living.done(&["log", &living.corpus()]).stdout).unwrap();
    assert!(log.contains("read twice") && log.contains("version   3"), "{log}");
}

#[test]
fn a_removal_is_of_the_archives_that_are_there() {
    let living = Living::new(&["--chunk-size", "16"]);
    let red = |living: &Living| {
        living
            .urls()
            .iter()
            .filter(|url| url.contains("red.example"))
            .count()
    };
    living.change("remove", &["--site", "red.example", "--reason", "not wanted"]);
    assert_eq!(red(&living), 0);
    living.check(&["a", "b"]);
    living.change("add", &[&living.file("c")]);
    assert_eq!(red(&living), 8, "of the new archive");
    living.check(&["a", "b", "c"]);
    let refused = refusal(&run(["restore", &living.corpus(), "r7"]));
    assert!(
        refused.ends_with("has no rule 'r7': its rules are r1"),
        "{refused}"
    );
    living.change(
        "restore",
        &["r1", &living.file("a"), &living.file("b"), &living.file("c")],
    );
    assert_eq!(red(&living), 24);
    living.check(&["a", "b", "c"]);
}

#[test]
fn what_is_taken_down_is_gone_and_stays_away() {
    let living = Living::new(&["--chunk-size", "16", "--blocks"]);
    let receipt = living.path("receipt.json");
    let receipt = receipt.to_str().unwrap();
    let taken = living.change(
        "takedown",
        &[
            "--domain",
            "green.example",
            "--reason",
            "request 2026-114",
            "--receipt",
            receipt,
        ],
    );
    assert_eq!(taken["left_out"]["r1"], 16);
    assert_eq!(taken["search"]["found"], Value::Array(Vec::new()));
    let rights = rows(&living.path("corpus/rights"));
    assert_eq!(rights.len(), 32);
    assert!(rights.iter().all(|row| !row["url"].contains("green")));
    living.check(&["a", "b"]);
    let receipt: Value = serde_json::from_slice(&fs::read(receipt).unwrap()).unwrap();
    assert_eq!(receipt["removed"].as_array().unwrap().len(), 16);
    living.change("add", &[&living.file("c")]);
    assert!(
        living.urls().iter().all(|url| !url.contains("green")),
        "{:?}",
        living.urls()
    );
    living.check(&["a", "b", "c"]);
    // Nowhere in the folder, whatever a file is packed with.
    let spec = String::from_utf8(living.done(&["log", &living.corpus(), "--spec"]).stdout).unwrap();
    assert!(
        !spec.contains("green") && spec.contains("request 2026-114"),
        "{spec}"
    );
}

#[test]
fn what_selects_nothing_changes_nothing_and_names_what_is_near() {
    let living = Living::new(&["--chunk-size", "16"]);
    let digest = living.digest(&living.corpus());
    let ended = |words: &[&str]| {
        let output = run([words, &[&living.corpus(), "--reason", "request"]].concat());
        (said(&output), output.status.code())
    };
    let (told, status) = ended(&[
        "takedown",
        "--url",
        "http://red.example/a/33",
        "--site",
        "gren.example",
    ]);
    assert_eq!(
        told,
        "nothing was changed, because the corpus has no capture for\n  --site gren.example (the nearest that is there: \
         green.example)\n  --url http://red.example/a/33 (the nearest that is there: http://red.example/a/3)\nadd --for-later-archives to \
         make a rule for later archives\n"
    );
    assert_eq!(status, Some(1));
    let (told, status) = ended(&["remove", "--json", "--record", "<urn:none>"]);
    assert!(
        told.starts_with("nothing was changed, because") && !told.contains("--for-later-archives"),
        "{told}"
    );
    assert_eq!((status, living.digest(&living.corpus())), (Some(1), digest));
    // What is there goes; the rest is named.
    let (told, status) = ended(&["remove", "--site", "red.example", "--site", "rad.example"]);
    assert!(
        told.starts_with("warning: the corpus has no capture for --site rad.example (the nearest that is there: red.example)\n"),
        "{told}"
    );
    assert_eq!(status, Some(0));
    let again = ended(&["remove", "--site", "red.example", "--site", "rad.example"]);
    assert_eq!(
        again,
        (
            "nothing to do: the rule r1 leaves that out already\n".to_owned(),
            Some(0)
        )
    );
    let no_folder = living.path("none/receipt.json");
    let words = [
        "takedown",
        "--site",
        "blue.example",
        "--receipt",
        no_folder.to_str().unwrap(),
    ];
    let (told, status) = ended(&words);
    assert!(
        told.contains("of the receipt is not there") && status == Some(2),
        "{told}"
    );
    // A rule for later archives.
    let taken = living.change(
        "takedown",
        &[
            "--url",
            "http://red.example/c/0",
            "--reason",
            "x",
            "--for-later-archives",
        ],
    );
    assert_eq!(
        (&taken["version"], &taken["rules"]["made"]),
        (&3.into(), &serde_json::json!(["r2"]))
    );
    living.change("add", &[&living.file("c")]);
    assert!(living.urls().contains(&"http://red.example/c/3".to_owned()));
    assert!(!living.urls().contains(&"http://red.example/c/0".to_owned()));
    living.check(&["a", "b", "c"]);
}

#[test]
fn the_number_of_a_rule_that_was_lifted_is_not_used_again() {
    let living = Living::new(&["--chunk-size", "16"]);
    let archives = [living.file("a"), living.file("b")];
    for (number, site) in ["red.example", "green.example"].into_iter().enumerate() {
        let rule = format!("r{}", number + 1);
        let made = living.change("takedown", &["--site", site, "--reason", "request"]);
        assert_eq!(made["rules"]["made"], serde_json::json!([rule]));
        let lifted = living.change("restore", &[&rule, &archives[0], &archives[1]]);
        assert_eq!(lifted["rules"]["lifted"], serde_json::json!([rule]));
    }
    let gone = refusal(&run(["restore", &living.corpus(), "r2"]));
    assert!(
        gone.ends_with("the rule 'r2' was lifted already: the corpus has no rules"),
        "{gone}"
    );
    living.change("takedown", &["--site", "blue.example", "--reason", "request 3"]);
    living.check(&["a", "b"]);
    let log: Value =
        serde_json::from_slice(&living.done(&["log", &living.corpus(), "--json"]).stdout).unwrap();
    let [.., before, last] = log.as_array().unwrap().as_slice() else {
        panic!("{log:#}");
    };
    assert_eq!(before["rules_changed"]["lifted"], serde_json::json!(["r2"]));
    assert_eq!(before["rules"], Value::Null);
    assert_eq!(last["rules_changed"]["made"], serde_json::json!(["r3"]));
    assert_eq!(
        (&last["rules"][0]["id"], &last["rules"][0]["left_out"]),
        (&"r3".into(), &16.into())
    );
    let text = String::from_utf8(living.done(&["log", &living.corpus()]).stdout).unwrap();
    assert!(
        text.contains("rule      r3 takedown, all archives, leaves out 16 captures: request 3\n"),
        "{text}"
    );
    assert!(
        text.contains("rules     +r3 (16 captures)\n") && text.contains("rules     -r2\n"),
        "{text}"
    );
}

const NOT_FOR_ANT: &str = "user-agent: AntBot\ndisallow: /a/\ndisallow: /c/2\ndisallow: /d/\n";

const NOT_FOR_BEE: &str = "User-agent: *\nDisallow: /\n\nUser-agent: antbot\nDisallow:\n\n\
                           User-agent: beebot\nDisallow: /b/1\nDisallow: /d/1\n";

const NOT_FOR_ALL: &str = "User-agent: *\nDisallow: /\n";

#[test]
fn what_sites_keep_from_crawlers_is_left_out() {
    let living = Living::new(&["--chunk-size", "16", "--blocks"]);
    let agents = living.agents();
    let first = living.robots(
        "first",
        &[
            ("http://red.example/robots.txt", 2, 200, NOT_FOR_ANT),
            ("http://red.example/robots.txt", 1, 200, ""),
            ("https://green.example/robots.txt", 1, 200, NOT_FOR_BEE),
            ("https://green.example/robots.txt", 2, 503, ""),
            ("https://blue.example/robots.txt", 2, 404, NOT_FOR_ALL),
            ("https://blue.example/robots.txt", 1, 200, NOT_FOR_ALL),
            ("https://blue.example/a/robots.txt", 3, 200, NOT_FOR_ALL),
            ("https://blue.example:8080/robots.txt", 3, 200, NOT_FOR_ALL),
            ("https://other.example/robots.txt", 1, 200, NOT_FOR_ALL),
        ],
    );
    let optout = |robots: &str| living.change("optout", &["--robots", robots, "--agents", &agents]);
    let planned = living.change("optout", &["--robots", &first, "--agents", &agents, "--dry-run"]);
    let expected = serde_json::json!({"hosts": 4, "forbidding": 3, "rules_made": 3, "rules_ended": 0});
    assert_eq!(planned["robots"], expected);
    assert_eq!(planned["left_out"], serde_json::json!({"r1": 5, "r3": 8}));
    assert_eq!(living.urls().len(), 48);
    let done = optout(&first);
    assert_eq!(
        (&done["robots"], &done["left_out"]),
        (&expected, &planned["left_out"])
    );
    let is_kept = |url: &String| {
        let is_forbidden = url.starts_with("http://red.example/a/")
            || url.starts_with("http://red.example/c/2")
            || url.starts_with("http://green.example/b/1");
        assert!(!is_forbidden, "{url}");
    };
    assert_eq!(living.urls().len(), 48 - 13);
    living.urls().iter().for_each(is_kept);
    living.check(&["a", "b"]);
    // Later archives are tested by the rules.
    living.change("add", &[&living.file("c")]);
    assert_eq!(living.urls().len(), 72 - 14);
    living.urls().iter().for_each(is_kept);
    living.check(&["a", "b", "c"]);
    assert_eq!(
        optout(&first)["nothing"],
        "the corpus has the rules of 4 hosts already"
    );
    // A newer robots.txt allows all again, and one is as it was.
    let second = living.robots(
        "second",
        &[
            (
                "http://red.example/robots.txt",
                9,
                200,
                "User-agent: *\nAllow: /\n",
            ),
            ("http://green.example/robots.txt", 9, 200, NOT_FOR_BEE),
        ],
    );
    let expected = serde_json::json!({"hosts": 2, "forbidding": 1, "rules_made": 0, "rules_ended": 1});
    assert_eq!(optout(&second)["robots"], expected);
    for robots in [&first, &second] {
        assert!(optout(robots)["nothing"].is_string());
    }
    assert_eq!(living.urls().len(), 72 - 14);
    living.check(&["a", "b", "c"]);
    living.archive("crawl", "d");
    living.change("add", &[&living.file("d")]);
    let of_d = |host: &str| {
        let start = format!("http://{host}.example/d/");
        living.urls().iter().filter(|url| url.starts_with(&start)).count()
    };
    assert_eq!(["red", "green", "blue"].map(of_d), [8, 3, 8]);
    living.check(&["a", "b", "c", "d"]);
    living.change("restore", &["r3", &living.file("a"), &living.file("c")]);
    assert_eq!(living.urls().len(), 96 - 10);
    living.check(&["a", "b", "c", "d"]);
    let third = living.robots(
        "third",
        &[("http://red.example/robots.txt", 10, 200, NOT_FOR_ALL)],
    );
    assert_eq!(optout(&third)["left_out"], serde_json::json!({"r4": 32}));
    living.check(&["a", "b", "c", "d"]);
}

#[test]
fn robots_that_cannot_be_read_are_refused() {
    let living = Living::new(&[]);
    let (agents, corpus) = (living.agents(), living.corpus());
    let optout = |robots: &str, agents: &str| {
        let words = ["optout", &corpus, "--robots", robots, "--agents", agents];
        refusal(&run(words))
    };
    let refused = optout(&living.file("a"), &agents);
    assert!(
        refused.contains("1 archive had no answer for the robots.txt of a host: give archives with"),
        "{refused}"
    );
    let refused = optout(&agents, &agents);
    assert!(refused.contains("agents.toml is not"), "{refused}");
    let refused = optout(&living.file("a"), &living.file("x"));
    assert!(refused.contains("x.warc.gz'"), "{refused}");
    let robots = living.robots("first", &[("http://red.example/robots.txt", 1, 200, "")]);
    let cut = fs::read(&robots).unwrap();
    fs::write(&robots, [&cut[..], &cut[..cut.len() / 2]].concat()).unwrap();
    let output = run(["optout", &corpus, "--robots", &robots, "--agents", &agents]);
    assert_eq!(output.status.code(), Some(0));
    let said = said(&output);
    assert!(
        said.contains("warning: 1 damaged place in 1 archive, the first in ")
            && said.contains("nothing to do: the robots.txt of 1 host forbid nothing to these agents"),
        "{said}"
    );
}

/// Rules of hosts without pages are only kept where the hosts are few.
#[test]
fn of_a_large_archive_only_the_rules_of_pages_are_kept() {
    if !is_long() {
        return;
    }
    let living = Living::new(&["--chunk-size", "16"]);
    let urls: Vec<String> = (0..100_000)
        .map(|number| format!("http://host{number}.example/robots.txt"))
        .chain(["red", "blue"].map(|host| format!("http://{host}.example/robots.txt")))
        .collect();
    let answers: Vec<_> = urls.iter().map(|url| (&**url, 1, 200, NOT_FOR_ANT)).collect();
    let robots = living.robots("large", &answers);
    let done = living.change("optout", &["--robots", &robots, "--agents", &living.agents()]);
    assert_eq!(
        done["robots"],
        serde_json::json!({"hosts": 100_002, "forbidding": 100_002, "rules_made": 2, "rules_ended": 0})
    );
    assert_eq!(done["left_out"], serde_json::json!({"r1": 8, "r2": 8}));
    living.check(&["a", "b"]);
    let again = living.change("optout", &["--robots", &robots, "--agents", &living.agents()]);
    assert!(
        again["nothing"]
            .as_str()
            .unwrap()
            .starts_with("the rules of the corpus leave out all"),
        "{again}"
    );
}

#[test]
fn labels_are_those_of_the_model_and_its_options() {
    let living = Living::new(&["--chunk-size", "16"]);
    let before = contents(&living.path("corpus"));
    let again = living.change("relabel", &[]);
    assert_eq!((&again["units_kept"], &again["version"]), (&0.into(), &2.into()));
    let after = contents(&living.path("corpus"));
    let changed = after
        .iter()
        .filter(|(name, bytes)| before.get(*name) != Some(bytes));
    let changed: Vec<&String> = changed.map(|(name, _)| name).collect();
    assert_eq!(changed, ["gleaner.json"]);
    living.change("relabel", &["--no-title", "true"]);
    living.check(&["a", "b"]);
    living.change(
        "relabel",
        &["--favor", "recall", &living.file("a"), &living.file("b")],
    );
    living.check(&["a", "b"]);
    let refused = run(["relabel", &living.corpus(), "--model", "text"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("so 2 archives of the corpus must be read again"),
        "{}",
        said(&refused)
    );
    living.change(
        "relabel",
        &["--model", "text", &living.file("a"), &living.file("b")],
    );
}

#[test]
fn a_corpus_without_state_cannot_be_changed_and_loses_nothing() {
    let living = Living::new(&["--no-state"]);
    let before = contents(&living.path("corpus"));
    let refused = refusal(&run(["add", &living.corpus(), &living.file("c")]));
    assert!(refused.contains("--no-state"), "{refused}");
    living.done(&["undo", &living.corpus()]);
    assert!(contents(&living.path("corpus")) == before);
}

#[test]
fn a_hidden_copy_is_found() {
    let living = Living::new(&["--chunk-size", "16"]);
    fs::write(living.path("corpus").join("notes.txt"), sentence("crawl", "a", 1)).unwrap();
    let output = run([
        "takedown",
        &living.corpus(),
        "--site",
        "green.example",
        "--reason",
        "x",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["search"]["found"][0]["file"], "notes.txt");
    assert_eq!(answer["search"]["found"].as_array().unwrap().len(), 1);
}

#[test]
fn crawls_are_added_month_by_month() {
    let living = Living::new(&["--chunk-size", "16", "--crawl", "2026-11"]);
    fs::create_dir(living.path("next")).unwrap();
    living.archive("next", "a");
    let next = living.path("next");
    let next = next.to_str().unwrap();
    let refused = refusal(&run(["add", &living.corpus(), next]));
    assert!(
        refused.contains("give the name of this one with --crawl (the last is '2026-11')"),
        "{refused}"
    );
    living.change("add", &[next, "--crawl", "2026-12"]);
    assert_eq!(living.urls().len(), 72);
    let refused = refusal(&run([
        "remove",
        &living.corpus(),
        "--input",
        "a.warc.gz",
        "--reason",
        "x",
    ]));
    assert!(
        refused.contains("several crawls have an archive 'a.warc.gz'"),
        "{refused}"
    );
    living.change("remove", &["--crawl", "2026-11", "--reason", "too old"]);
    assert_eq!(living.urls().len(), 24);
}

/// All files of a folder by name, but for receipts, which have the time of the command, and for the lock that a killed command
/// leaves.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = files(folder).into_iter();
    let named = files.map(|file| {
        (
            file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(),
            file,
        )
    });
    named
        .filter(|(name, _)| !name.contains("/receipts/") && name != "gleaner.lock")
        .map(|(name, file)| (name, fs::read(file).unwrap()))
        .collect()
}

/// The names of the files that are not the same in two folders.
fn differing(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differ = names
        .into_iter()
        .filter(|name| one.get(*name) != other.get(*name));
    differ.cloned().collect()
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let copied = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(copied.parent().unwrap()).unwrap();
        fs::copy(file, copied).unwrap();
    }
}

/// A command that is killed at any moment, and then runs again, or is undone.
#[cfg(unix)]
#[test]
fn a_change_that_is_killed_continues_or_is_undone() {
    let living = Living::new(&["--chunk-size", "16"]);
    let (base, reference) = (living.path("corpus"), living.path("reference"));
    let before = contents(&base);
    let mut random = Random::new(62);
    let robots = living.robots(
        "robots",
        &[("http://red.example/robots.txt", 1, 200, NOT_FOR_ALL)],
    );
    let commands = [
        vec!["add".to_owned(), living.file("c")],
        ["remove", "--input", "b.warc.gz", "--reason", "x"]
            .map(str::to_owned)
            .into(),
        ["takedown", "--site", "green.example", "--reason", "x"]
            .map(str::to_owned)
            .into(),
        ["optout", "--robots", &robots, "--agents", &living.agents()]
            .map(str::to_owned)
            .into(),
    ];
    let rounds = if is_long() { 50 } else { 6 };
    for command in commands {
        let on = |corpus: &Path| {
            let corpus = corpus.to_str().unwrap().to_owned();
            [&command[..1], &[corpus], &command[1..]].concat()
        };
        drop(fs::remove_dir_all(&reference));
        copy(&base, &reference);
        let begin = Instant::now();
        assert_eq!(run(on(&reference)).status.code(), Some(0));
        let (lasted, after) = (begin.elapsed(), contents(&reference));
        for round in 0..rounds {
            let corpus = living.path("killed");
            drop(fs::remove_dir_all(&corpus));
            copy(&base, &corpus);
            let mut child = gleaner()
                .args(on(&corpus))
                .stderr(Stdio::null())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(lasted.mul_f64(random.below(1000) as f64 / 900.0));
            drop(child.kill());
            if child.wait().unwrap().success() {
                assert!(contents(&corpus) == after, "{command:?}, whole in round {round}");
                continue;
            }
            let undone = round % 3 == 2;
            if undone {
                let output = run(["undo", corpus.to_str().unwrap()]);
                assert!(output.status.success(), "{}", said(&output));
                let found = contents(&corpus);
                let differ = [&before, &after].map(|other| differing(&found, other));
                assert!(
                    differ.iter().any(Vec::is_empty),
                    "{command:?}, undone in round {round}: {differ:?}"
                );
            } else {
                let output = run(on(&corpus));
                assert_eq!(output.status.code(), Some(0), "{}", said(&output));
                let differ = differing(&contents(&corpus), &after);
                assert!(
                    differ.is_empty(),
                    "{command:?}, killed in round {round}: {differ:?}"
                );
            }
        }
    }
}

/// Reads the documents by the log again and again, until a file appears, and prints the numbers of rows that it saw.
const READER: &str = r#"
import pathlib, sys
import polars
table, stop = sys.argv[1], pathlib.Path(sys.argv[2])
seen = set()
while not stop.exists():
    try:
        seen.add(polars.scan_delta(table).select("row_id").collect().height)
    except Exception as error:
        # A file of the version before may go between the log and the file.
        if not any(word in str(error).lower() for word in ["not found", "no such file", "generic"]):
            raise
print(*sorted(seen))
"#;

#[test]
fn readers_of_the_log_see_whole_versions() {
    let living = Living::new(&["--chunk-size", "16"]);
    let (table, stop) = (living.path("corpus/documents"), living.path("stop"));
    let works = Command::new(readers::python())
        .args(["-c", "import deltalake, polars"])
        .output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no python3 with deltalake and polars; tests/servers/install.sh installs them");
        return;
    }
    let mut reader = Command::new(readers::python());
    let reader = reader
        .args(["-c", READER])
        .args([&table, &stop])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    for _ in 0..3 {
        living.change("add", &[&living.file("c")]);
        assert_eq!(living.urls().len(), 72);
        living.change("remove", &["--input", "c.warc.gz", "--reason", "x"]);
        assert_eq!(living.urls().len(), 48);
    }
    fs::write(&stop, "").unwrap();
    let output = reader.wait_with_output().unwrap();
    assert!(output.status.success());
    let seen = String::from_utf8(output.stdout).unwrap();
    let whole = seen.split_whitespace().all(|rows| ["48", "72"].contains(&rows));
    assert!(whole && !seen.trim().is_empty(), "{seen}");
}
