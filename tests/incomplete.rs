//! Inputs that can't be read: the corpus stays open, the same command reads what is missing, and the tables are those
//! of a build in which nothing was missing.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use gleaner_testing::warc::{Archive, article};
use serde_json::Value;
use tempfile::TempDir;

use crate::answers::assert_is_answer;
use crate::object_server::{Act, ObjectServer};
use crate::resume::{assert_same, contents};
use crate::support::{rows, said};

const SHARDS: usize = 10;
const PAGES: usize = 6;

/// Little patience.
const IMPATIENT: [&str; 6] = [
    "--store-retries",
    "1",
    "--store-timeout",
    "1",
    "--store-pause",
    "0.01",
];

/// Ten archives of three sites in a bucket, and room for corpora.
struct Setting {
    server: ObjectServer,
    folder: TempDir,
    options: Vec<&'static str>,
}

fn key(shard: usize) -> String {
    format!("crawl/{shard}.warc.gz")
}

impl Setting {
    fn new(options: &[&'static str]) -> Setting {
        let server = ObjectServer::start();
        for shard in 0..SHARDS {
            let archive = (0..PAGES).fold(Archive::new(), |archive, page| {
                let text =
                    format!("<p>Page {page} of shard {shard} says what no other page has said before.</p>");
                archive.page(
                    &format!("http://s{}.example/{shard}/{page}", page % 3),
                    article() + &text,
                )
            });
            server.put(&key(shard), archive.bytes());
        }
        Setting {
            server,
            folder: tempfile::tempdir().unwrap(),
            options: options.to_vec(),
        }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = self.server.gleaner();
        command
            .args(["build", "s3://bucket/crawl/", "--json", "--out"])
            .arg(out);
        command.args(IMPATIENT).args(&self.options).args(more);
        command
    }

    fn build(&self, out: &Path, more: &[&str]) -> Output {
        self.command(out, more).output().unwrap()
    }

    /// The files of a corpus that nothing was missing of.
    fn whole(&self) -> BTreeMap<String, Vec<u8>> {
        self.server.behave(|_| Act::Serve);
        let out = self.out("whole");
        assert_eq!(told(&self.build(&out, &[]), 0)["adds_up"], true);
        contents(&out)
    }

    /// From now on some shards answer so to whoever reads them.
    fn behave(&self, act: Act, shards: &'static [usize]) {
        self.server.behave(move |request| {
            let is_one = shards.iter().any(|&shard| request.key == key(shard));
            match is_one && request.method == "GET" {
                true => act,
                false => Act::Serve,
            }
        });
    }

    /// How often shards were asked for, but for these.
    fn requests_of_others(&self, shards: &[usize]) -> usize {
        let is_other =
            |asked: &str| asked.starts_with("crawl/") && !shards.iter().any(|&shard| asked == key(shard));
        self.server.requests("GET", is_other)
    }
}

/// The JSON that a build printed, which ended with this status.
#[track_caller]
fn told(output: &Output, status: i32) -> Value {
    assert_eq!(output.status.code(), Some(status), "{}", said(output));
    let answer = serde_json::from_slice(&output.stdout).unwrap();
    assert_is_answer(&answer);
    answer
}

fn marker(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("gleaner.json")).unwrap()).unwrap()
}

/// The ways in which a crawl is built: at once, in several parts, each page by itself.
const WAYS: [&[&str]; 4] = [
    &[],
    &["--part-size", "4KiB", "--blocks", "--posts"],
    &["--no-templates", "--part-size", "4KiB", "--workers", "3"],
    &["--no-templates"],
];

#[test]
fn what_was_missing_is_read_by_the_same_command_and_nothing_else() {
    for way in WAYS {
        let setting = Setting::new(way);
        let (expected, out) = (setting.whole(), setting.out("out"));
        setting.behave(Act::Status(503), &[4]);
        let first = setting.build(&out, &[]);
        let answer = told(&first, 1);
        assert_eq!(answer["complete"], false);
        assert_eq!(answer["missing"][0]["input"], "s3://bucket/crawl/4.warc.gz");
        let sentences = said(&first);
        assert!(
            sentences.contains("could not read 1 input:\n  could not read 's3://bucket/crawl/4.warc.gz': "),
            "{sentences}"
        );
        assert!(sentences.contains("503"), "{sentences}");
        assert!(
            sentences.contains("run the same command again to read only what is missing"),
            "{sentences}"
        );
        assert_eq!(marker(&out)["state"], "building");

        // It is still away: nothing is lost meanwhile, and nothing else is read.
        setting.behave(Act::Reset(10), &[4]);
        told(&setting.build(&out, &[]), 1);
        let of_sites = !way.contains(&"--no-templates");
        if of_sites {
            assert_eq!(setting.requests_of_others(&[4]), 0, "{way:?}");
        }
        setting.behave(Act::Serve, &[]);
        assert_eq!(
            told(&setting.build(&out, &[]), 0)["missing"],
            serde_json::json!([])
        );
        if of_sites {
            assert_eq!(setting.requests_of_others(&[4]), 0, "{way:?}");
        }
        assert_same(&out, &expected);
    }
}

#[test]
fn a_large_shard_that_breaks_off_is_read_to_its_end_later() {
    let setting = Setting::new(&["--part-size", "256KiB"]);
    let large = (0..40).fold(Archive::new(), |archive, page| {
        let script = format!("<script>{}</script>", "var nothing; ".repeat(2_000));
        archive.plain(&format!("http://large.example/{page}"), article() + &script)
    });
    setting.server.put("crawl/large.warc", large.bytes());
    let (expected, out) = (setting.whole(), setting.out("out"));
    // What is in the middle of it can't be read.
    setting.server.behave(|request| match &request.range {
        Some(range) if request.key == "crawl/large.warc" && range.contains(&500_000) => Act::Status(500),
        _ => Act::Serve,
    });
    let first = setting.build(&out, &["--workers", "2"]);
    assert_eq!(told(&first, 1)["missing"].as_array().unwrap().len(), 1);
    setting.server.behave(|_| Act::Serve);
    told(&setting.build(&out, &["--workers", "3"]), 0);
    assert_same(&out, &expected);
}

#[test]
fn all_that_can_not_be_read_is_listed() {
    let setting = Setting::new(&[]);
    let out = setting.out("out");
    setting.behave(Act::Status(403), &[0, 3, 9]);
    let output = setting.build(&out, &[]);
    let missing = told(&output, 1)["missing"].clone();
    let inputs: Vec<&str> = missing
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["input"].as_str().unwrap())
        .collect();
    assert_eq!(
        inputs,
        [0, 3, 9].map(|shard| format!("s3://bucket/{}", key(shard)))
    );
    assert!(
        said(&output).starts_with("could not read 3 inputs:\n"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_corpus_can_be_completed_without_what_is_missing() {
    for way in WAYS {
        let setting = Setting::new(way);
        let out = setting.out("out");
        setting.behave(Act::Status(503), &[2]);
        // Whether it was tried without that before does not matter.
        if way.is_empty() {
            told(&setting.build(&out, &[]), 1);
        }
        let summary = told(&setting.build(&out, &["--allow-missing"]), 0);
        assert_eq!(summary["rejects"], serde_json::json!({ "unreadable": 1 }));
        assert_eq!(summary["missing"][0]["input"], "s3://bucket/crawl/2.warc.gz");
        assert_eq!(summary["documents"], (SHARDS - 1) * PAGES);
        let marker = marker(&out);
        assert_eq!(marker["state"], "complete");
        assert_eq!(marker["missing"], summary["missing"]);
        assert_eq!(rows(&out.join("rejects"))[0]["warc_file"], "2.warc.gz");

        // Without the option each run lists it.
        setting.behave(Act::Serve, &[]);
        let again = setting.build(&out, &[]);
        assert_eq!(told(&again, 1)["missing"], summary["missing"]);
        assert!(
            said(&again).contains("could not read 1 input:"),
            "{}",
            said(&again)
        );
        told(&setting.build(&out, &["--allow-missing"]), 0);
    }
}

#[test]
fn strict_fails_each_time() {
    let setting = Setting::new(&["--strict"]);
    let damaged = Archive::new()
        .page("http://a.example/", article())
        .raw(b"this is no record")
        .page("http://b.example/", article());
    setting.server.put("crawl/damaged.warc.gz", damaged.bytes());
    let out = setting.out("out");
    for _ in 0..3 {
        let output = setting.build(&out, &[]);
        told(&output, 1);
        assert!(
            said(&output).contains("--strict: 1 damaged place"),
            "{}",
            said(&output)
        );
    }
}

/// What becomes of a local file after it was listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Away {
    /// It is moved, and comes back soon.
    ForAMoment,
    Moved,
    Cut,
    /// A pipe that nobody writes to stands in its place.
    Pipe,
}

/// Takes a file away: it waits beside its place.
fn take_away(file: &Path, away: Away) {
    fs::rename(file, file.with_extension("away")).unwrap();
    match away {
        Away::ForAMoment | Away::Moved => {}
        Away::Cut => fs::write(file, b"WARC").unwrap(),
        Away::Pipe => assert!(Command::new("mkfifo").arg(file).status().unwrap().success()),
    }
}

fn bring_back(file: &Path) {
    fs::rename(file.with_extension("away"), file).unwrap();
}

#[test]
fn a_local_file_that_is_away_is_read_when_it_is_back() {
    for away in [Away::ForAMoment, Away::Moved, Away::Cut, Away::Pipe] {
        let setting = Setting::new(&[]);
        // The remote shard is larger, and is read first.
        let long = format!("<script>{}</script>", "var nothing; ".repeat(5_000));
        let remote = Archive::new().plain("http://remote.example/", article() + &long);
        setting.server.put("crawl/remote.warc", remote.bytes());
        let local = Archive::new().page("http://local.example/", article());
        local.write(setting.folder.path(), "local.warc.gz");
        let (file, list) = (setting.out("local.warc.gz"), setting.out("list"));
        fs::write(
            &list,
            format!("s3://bucket/crawl/remote.warc\n{}\n", file.display()),
        )
        .unwrap();
        let build = |out: &Path, retries: &str| {
            let mut command = setting.server.gleaner();
            command
                .arg("build")
                .arg(format!("@{}", list.display()))
                .arg("--out")
                .arg(out);
            command.args([
                "--json",
                "--workers",
                "1",
                "--store-retries",
                retries,
                "--store-pause",
                "0.05",
            ]);
            command
        };
        let whole = setting.out("whole");
        told(&build(&whole, "1").output().unwrap(), 0);
        let (expected, out) = (contents(&whole), setting.out("out"));
        let taken = file.clone();
        setting.server.behave(move |request| {
            if request.method == "GET" && request.key == "crawl/remote.warc" && taken.is_file() {
                take_away(&taken, away);
            }
            Act::Serve
        });
        if away == Away::ForAMoment {
            // It comes back when the build has found that it is away.
            let mut build = build(&out, "100");
            build
                .args(["--log", "json"])
                .stderr(Stdio::piped())
                .stdout(Stdio::piped());
            let mut build = build.spawn().unwrap();
            let mut log = BufReader::new(build.stderr.take().unwrap())
                .lines()
                .map(Result::unwrap);
            assert!(log.any(|event| event.contains("store tried again")));
            bring_back(&file);
            log.for_each(drop);
            told(&build.wait_with_output().unwrap(), 0);
        } else {
            let answer = told(&build(&out, "1").output().unwrap(), 1);
            assert_eq!(answer["missing"][0]["input"], file.to_str().unwrap(), "{away:?}");
            bring_back(&file);
            setting.server.behave(|_| Act::Serve);
            told(&build(&out, "1").output().unwrap(), 0);
        }
        assert_same(&out, &expected);
    }
}

/// Removes the first file whose name has this in it, or cuts it to a half.
fn harm(out: &Path, part_of_name: &str, is_cut: bool) {
    let names = contents(out);
    let name = names.keys().find(|name| name.contains(part_of_name));
    let name = name.unwrap_or_else(|| panic!("no {part_of_name} among {:?}", names.keys()));
    let path = out.join(name);
    match is_cut {
        true => fs::write(&path, &names[name][..names[name].len() / 2]).unwrap(),
        false => fs::remove_file(&path).unwrap(),
    }
}

#[test]
fn files_of_finished_parts_that_are_gone_are_made_again() {
    // The options of a run that does not end the corpus, and the files that are harmed then.
    let harms: [(&[&str], &[&str]); 2] = [
        (
            &["--part-size", "2KiB"],
            &["pages-00001.runs", "journal-0001-000-00000"],
        ),
        (
            &["--part-size", "2KiB", "--no-templates"],
            &["pages-00000.runs", "journal-0001-000-00000", "pages-00004.runs"],
        ),
    ];
    for (ways, names) in harms {
        let setting = Setting::new(ways);
        let expected = setting.whole();
        for is_cut in [false, true] {
            let out = setting.out(&format!("{}-{is_cut}", ways.len()));
            let begun = setting.build(&out, &["--phase", "read"]);
            assert!(begun.status.code().unwrap() < 2, "{}", said(&begun));
            // A journal with a wrong sum is an error; without the journal nothing is done.
            let whole_files = names
                .iter()
                .filter(|name| !is_cut || !name.starts_with("journal"));
            whole_files.for_each(|name| harm(&out, name, is_cut));
            setting.server.behave(|_| Act::Serve);
            told(&setting.build(&out, &[]), 0);
            assert_same(&out, &expected);
            fs::remove_dir_all(&out).unwrap();
        }
    }
}

#[test]
fn inputs_that_can_not_be_listed_are_told_and_nothing_is_built() {
    let setting = Setting::new(&[]);
    let list = setting.out("list");
    let urls = (0..SHARDS).map(|shard| setting.server.url(&key(shard)) + "\n");
    fs::write(&list, urls.collect::<String>()).unwrap();
    let list = format!("@{}", list.display());
    let build = |out: &Path, more: &[&str]| {
        let mut command = setting.server.gleaner();
        command.args(["build", &list, "--json", "--out"]).arg(out);
        command.args(IMPATIENT).args(more).output().unwrap()
    };
    let whole = setting.out("whole");
    told(&build(&whole, &[]), 0);
    let (expected, out) = (contents(&whole), setting.out("out"));
    let away = |status: u16| {
        setting.server.behave(
            move |request| match [3, 8].iter().any(|&shard| request.key == key(shard)) {
                true => Act::Status(status),
                false => Act::Serve,
            },
        );
    };
    away(503);
    let output = build(&out, &[]);
    assert_eq!(told(&output, 1)["missing"].as_array().unwrap().len(), 2);
    let sentences = said(&output);
    assert!(
        sentences.contains("could not read 2 inputs:") && sentences.contains("line 4"),
        "{sentences}"
    );
    assert!(sentences.contains("nothing was built"), "{sentences}");
    assert!(!out.exists());

    // What a user has to mend is refused, unless it may be missing.
    away(404);
    assert_eq!(build(&out, &[]).status.code(), Some(2));
    let without = setting.out("without");
    let summary = told(&build(&without, &["--allow-missing"]), 0);
    assert_eq!(summary["documents"], (SHARDS - 2) * PAGES);
    assert_eq!(
        marker(&without)["missing"][1]["input"],
        setting.server.url(&key(8))
    );

    setting.server.behave(|_| Act::Serve);
    told(&build(&out, &[]), 0);
    assert_same(&out, &expected);
}

#[test]
fn several_processes_agree_on_what_is_missing() {
    for way in [
        &["--part-size", "2KiB"][..],
        &["--no-templates", "--part-size", "2KiB"],
    ] {
        let mut setting = Setting::new(&[]);
        setting.options = way.to_vec();
        let (expected, out) = (setting.whole(), setting.out("out"));
        for (shards, status) in [(&[1, 6][..], 1), (&[6], 1), (&[], 0)] {
            setting.behave(Act::Status(503), shards);
            let hosts = setting.out("hosts");
            fs::write(&hosts, crate::cluster::addresses(2).join("\n")).unwrap();
            let start = |process: &str| {
                let mut command = setting.command(&out, &["--process", process]);
                command.arg("--hosts").arg(&hosts);
                command
                    .stdout(std::process::Stdio::piped())
                    .stderr(std::process::Stdio::piped());
                command.spawn().unwrap()
            };
            let ended = [start("0"), start("1")].map(crate::cluster::end);
            for output in &ended {
                let answer = told(output, status);
                let missing = answer["missing"].as_array().map_or(0, Vec::len);
                assert_eq!(missing, shards.len(), "{answer}");
            }
        }
        assert_same(&out, &expected);
    }
}

#[test]
fn a_pipe_among_the_files_of_an_output_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let marker = out.join("gleaner.json");
    assert!(Command::new("mkfifo").arg(&marker).status().unwrap().success());
    let mut command = Command::new("timeout");
    command.arg("30").arg(env!("CARGO_BIN_EXE_gleaner")).arg("build");
    command.arg(crate::support::sample()).arg("--out").arg(&out);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let sentence = said(&output);
    assert!(
        sentence.contains("gleaner.json") && sentence.contains("it is no regular file: remove it"),
        "{sentence}"
    );
}

#[test]
fn a_flipped_bit_of_what_waits_changes_no_table() {
    let setting = Setting::new(&["--part-size", "2KiB", "--blocks"]);
    let expected = setting.whole();
    let begun = setting.out("begun");
    told(&setting.build(&begun, &["--phase", "read"]), 0);
    let staged = contents(&begun);
    let data = staged.iter().filter(|(name, _)| name.ends_with("00000.runs"));
    let mut damaged = 0;
    for (name, bytes) in data {
        for place in [1, 3, 5, 7, 9] {
            let out = setting.out("out");
            for (name, bytes) in &staged {
                let path = out.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            let mut flipped = bytes.clone();
            flipped[bytes.len() * place / 10] ^= 4;
            fs::write(out.join(name), flipped).unwrap();
            let output = setting.build(&out, &[]);
            match output.status.code() {
                // What it was found for is known already.
                Some(0) => assert_same(&out, &expected),
                Some(2) => {
                    assert!(
                        said(&output).contains("the staged data of the interrupted build is damaged"),
                        "{}",
                        said(&output)
                    );
                    damaged += 1;
                }
                other => panic!("{name} at {place}: {other:?}, {}", said(&output)),
            }
            fs::remove_dir_all(&out).unwrap();
        }
    }
    assert!(damaged >= 5, "{damaged} flips were seen");
}

#[test]
fn a_limited_build_needs_the_inputs_up_to_its_limit_and_no_others() {
    let setting = Setting::new(&["--limit", "15"]);
    let (expected, out) = (setting.whole(), setting.out("out"));
    setting.behave(Act::Status(503), &[1]);
    let answer = told(&setting.build(&out, &[]), 1);
    assert_eq!(answer["missing"][0]["input"], "s3://bucket/crawl/1.warc.gz");
    assert_eq!(answer["complete"], false);
    setting.behave(Act::Status(503), &[3, 9]);
    assert_eq!(told(&setting.build(&out, &[]), 0)["captures"], 15);
    assert_same(&out, &expected);

    // Nobody knows how many captures are in what is away: it is left out as a whole.
    setting.behave(Act::Status(503), &[1]);
    let without = setting.out("without");
    let answer = told(&setting.build(&without, &["--allow-missing"]), 0);
    assert_eq!(answer["missing"][0]["input"], "s3://bucket/crawl/1.warc.gz");
    assert_eq!(
        (&answer["captures"], &answer["documents"]),
        (&15.into(), &15.into())
    );
    let archives: Vec<String> = rows(&without.join("documents"))
        .into_iter()
        .map(|row| row["warc_file"].trim_matches('"').to_owned())
        .collect();
    assert!(!archives.iter().any(|archive| archive == "1.warc.gz"));
}
