//! What must not be seen: credentials of URLs anywhere, letters that steer a terminal, and links that lead a build
//! elsewhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use gleaner_testing::warc::{Archive, article};
use serde_json::Value;

use crate::object_server::{Act, ObjectServer};
use crate::support::{assert_printed, files, gleaner, refusal, rows, said};
use crate::terminal::Terminal;

/// What all secrets of these tests have in them.
const SECRET: &str = "5ecret";

/// A URL with a user, a password, a signature, and a parameter that names the object.
fn signed(server: &ObjectServer, key: &str, file: u32, signature: u32) -> String {
    let url = server.url(key).replacen("://", &format!("://me:{SECRET}0@"), 1);
    format!(
        "{url}?file={file}&X-Amz-Credential={SECRET}1%2Fx&X-Amz-Date=2026{signature}&X-Amz-Signature={SECRET}{signature}"
    )
}

/// A server of an archive with a damaged place.
fn server() -> ObjectServer {
    let server = ObjectServer::start();
    let page = |number: u32| (format!("http://a.example/{number}?token=abc"), article());
    let mut archive = Archive::new();
    for (url, text) in (0..8).map(page) {
        archive = archive.page(&url, text);
    }
    let mut bytes = archive.bytes();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40].fill(0);
    server.put("a.warc.gz", bytes);
    server
}

fn build(server: &ObjectServer, input: &str, out: &Path, options: &[&str]) -> Output {
    let mut command = server.gleaner();
    command
        .args(["build", input, "--json", "--store-pause", "0.01", "--out"])
        .arg(out);
    command.args(options).output().unwrap()
}

#[track_caller]
fn assert_tells_none(output: &Output) {
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(stream);
        for secret in [SECRET, "me:", "X-Amz"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}

/// No file of an output has a secret: neither its bytes, nor the rows of tables, which are compressed.
#[track_caller]
fn assert_holds_none(out: &Path) {
    for file in files(out) {
        let bytes = fs::read(&file).unwrap();
        assert!(
            !bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()),
            "{}",
            file.display()
        );
    }
    for table in fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
    {
        for row in rows(&table) {
            assert!(!row.values().any(|value| value.contains(SECRET)), "{row:?}");
        }
    }
}

#[test]
fn credentials_of_urls_are_written_nowhere() {
    let server = server();
    // Some requests fail at first, which is told of.
    server.behave(|request| match request.number < 2 && request.method == "GET" {
        true => Act::Status(503),
        false => Act::Serve,
    });
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let options = [
        "--log",
        "json",
        "--metrics",
        "127.0.0.1:0",
        "--status=1",
        "--no-templates",
    ];
    let output = build(&server, &signed(&server, "a.warc.gz", 3, 2), &out, &options);
    assert!(output.status.success(), "{}", said(&output));
    assert_tells_none(&output);
    assert!(said(&output).contains("store tried again"), "{}", said(&output));
    assert_holds_none(&out);
    let name = "a.warc.gz?file=3";
    let documents = rows(&out.join("documents"));
    assert!(
        documents.iter().all(|row| row["warc_file"] == name),
        "{documents:?}"
    );
    // URLs of pages are not ours to change.
    assert!(documents[0]["url"].ends_with("?token=abc"));
    assert!(
        rows(&out.join("rejects"))
            .iter()
            .any(|row| row["warc_file"] == name)
    );
}

#[test]
fn another_signature_is_the_same_input() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let begun = build(
        &server,
        &signed(&server, "a.warc.gz", 3, 2),
        &out,
        &["--phase", "extract"],
    );
    assert!(begun.status.success(), "{}", said(&begun));
    assert_tells_none(&begun);
    assert!(out.join(".staging").is_dir());
    assert_holds_none(&out);
    let ended = build(&server, &signed(&server, "a.warc.gz", 3, 4), &out, &[]);
    assert!(ended.status.success(), "{}", said(&ended));
    assert!(
        said(&ended).contains("continues an interrupted build"),
        "{}",
        said(&ended)
    );
    let again = build(&server, &signed(&server, "a.warc.gz", 3, 5), &out, &[]);
    assert!(
        again.status.success() && said(&again).contains("nothing to do"),
        "{}",
        said(&again)
    );
    let other = build(&server, &signed(&server, "a.warc.gz", 4, 5), &out, &[]);
    assert!(
        refusal(&other).contains("holds another corpus"),
        "{}",
        said(&other)
    );
    for output in [ended, again, other] {
        assert_tells_none(&output);
    }
    assert_holds_none(&out);
}

#[test]
fn errors_tell_no_credentials() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    let missing = signed(&server, "none.warc.gz", 3, 2);
    fs::write(&list, format!("{missing}\n")).unwrap();
    let relative = folder.path().join("relative");
    fs::write(&relative, "none.warc.gz\n").unwrap();
    let (list, relative) = (format!("@{}", list.display()), format!("@{}", relative.display()));
    let remote = format!("@{missing}");
    let base = server.url("").replacen("://", &format!("://me:{SECRET}0@"), 1);
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let sas = format!("az://box/a.warc.gz?sv=1&se=2&sig={SECRET}");
    let with_user = |scheme: &str| format!("{scheme}://me:{SECRET}@host.invalid/a b.warc.gz");
    let slash = format!("https://me:{SECRET}/x@host.invalid/a.warc.gz");
    let [s3, gs, az, ftp, http, file] = ["s3", "gs", "az", "ftp", "http", "file"].map(with_user);
    for arguments in [
        vec![&*missing, "--out", out],
        vec![&list, "--out", out],
        vec![&remote, "--out", out],
        vec![&relative, "--base-url", &base, "--out", out],
        vec![&sas, "--out", out],
        vec![&s3, "--out", out],
        vec![&gs, "--out", out],
        vec![&az, "--out", out],
        vec![&ftp, "--out", out],
        vec![&http, "--out", out],
        vec![&file, "--out", out],
        vec![&slash, "--out", out],
        vec!["a.warc.gz", "--out", &s3],
        vec!["a.warc.gz", "--out", &http],
        vec!["a.warc.gz", "--out", out, "--metrics", &http],
        vec!["a.warc.gz", "--out", out, &format!("--workers={http}")],
    ] {
        for log in [&[][..], &["--log", "text"], &["--log", "json"]] {
            let mut command = server.gleaner();
            command.arg("build").args(&arguments).args(log);
            command.args(["--store-retries", "0", "--store-timeout", "1"]);
            let output = command.output().unwrap();
            // A host that nobody knows today may be known tomorrow.
            let expected = if arguments[0] == http { 1 } else { 2 };
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{arguments:?}: {}",
                said(&output)
            );
            assert!(!said(&output).is_empty());
            assert_tells_none(&output);
        }
    }
    assert!(!Path::new(out).exists());
}

/// An archive in a folder of its own.
fn archive(folder: &Path, name: &str) -> std::path::PathBuf {
    Archive::new()
        .page("http://a.example/", article())
        .write(folder, name)
}

fn local(input: &Path, out: &Path, options: &[&str]) -> Output {
    let mut command = gleaner();
    command.arg("build").arg(input).arg("--out").arg(out);
    command.args(options).output().unwrap()
}

#[test]
fn a_build_writes_through_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let input = archive(folder.path(), "a.warc.gz");
    let (out, elsewhere) = (folder.path().join("out"), folder.path().join("elsewhere"));
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("precious"), "as it was").unwrap();
    for (link, to) in [
        ("gleaner.lock", "elsewhere/precious"),
        ("gleaner.json", "elsewhere/precious"),
        ("documents", "elsewhere"),
        (".staging", "elsewhere"),
        ("rejects/_delta_log", "elsewhere"),
    ] {
        let place = out.join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(folder.path().join(to), &place).unwrap();
        // Not every folder that holds something is written to.
        let output = local(&input, &out, &["--force"]);
        let replaced = link == "gleaner.json" && output.status.success();
        if !replaced {
            let sentence = refusal(&output);
            let expected = format!("'{}' is a symbolic link: remove it", place.display());
            assert!(sentence.starts_with(&expected), "{sentence}");
        }
        assert_eq!(
            fs::read_to_string(elsewhere.join("precious")).unwrap(),
            "as it was"
        );
        assert_eq!(files(&elsewhere).len(), 1, "{:?}", files(&elsewhere));
        fs::remove_dir_all(&out).unwrap();
    }
    // The folder itself may be one.
    let real = folder.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, &out).unwrap();
    assert!(local(&input, &out, &[]).status.success());
    assert!(real.join("gleaner.json").is_file() && !rows(&real.join("documents")).is_empty());
}

#[test]
fn files_on_their_way_take_the_place_of_links() {
    let folder = tempfile::tempdir().unwrap();
    let input = archive(folder.path(), "a.warc.gz");
    let (out, precious) = (folder.path().join("out"), folder.path().join("precious"));
    fs::write(&precious, "as it was").unwrap();
    let begun = local(&input, &out, &["--phase", "extract"]);
    assert!(begun.status.success(), "{}", said(&begun));
    fs::create_dir_all(out.join("documents")).unwrap();
    for name in [
        ".gleaner.json.partial",
        &format!("documents/{}.parquet", "a".repeat(64)),
        "documents/.part-00000.parquet.partial",
    ] {
        symlink(&precious, out.join(name)).unwrap();
    }
    let ended = local(&input, &out, &[]);
    assert!(ended.status.success(), "{}", said(&ended));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "as it was");
    assert_eq!(rows(&out.join("documents")).len(), 1);
}

/// A name that clears the screen, begins a line of its own, and is read backwards.
const NAME: &str = "a\u{1b}[2J\nerror: forged\u{9b}1m\u{202e}zg.craw\u{200f}\u{2066}.warc.gz";

/// What no terminal and no line of a log may get.
fn steers(letter: char) -> bool {
    (letter.is_control() && letter != '\n')
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[track_caller]
fn assert_steers_nothing(text: &str) {
    assert!(!text.contains(steers), "{text:?}");
    assert!(
        !text.lines().any(|line| line.starts_with("error: forged")),
        "{text:?}"
    );
}

#[test]
fn names_do_not_steer_a_terminal_or_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join(NAME);
    let there = folder.path().join("there");
    fs::create_dir(&there).unwrap();
    let damaged = there.join(NAME);
    let mut bytes = fs::read(archive(&there, "whole.warc.gz")).unwrap();
    fs::remove_file(there.join("whole.warc.gz")).unwrap();
    bytes.extend_from_slice(b"no archive any more");
    fs::write(&damaged, bytes).unwrap();
    fs::write(there.join(NAME.replace("a\u{1b}", "empty\u{1b}")), "").unwrap();
    for (number, log) in [&[][..], &["--log", "text"], &["--log", "json"], &["--status=1"]]
        .iter()
        .enumerate()
    {
        let output = local(&missing, &folder.path().join("none"), log);
        assert_eq!(output.status.code(), Some(2));
        let text = said(&output);
        assert_steers_nothing(&text);
        assert_eq!(text.lines().count(), 1, "{text:?}");
        let out = folder.path().join(format!("out {number}"));
        let output = local(&there, &out, log);
        let text = said(&output);
        assert!(text.contains("forged"), "{text}");
        assert_steers_nothing(&text);
        if log.contains(&"json") {
            let events: Vec<Value> = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let whole = |event: &Value| event.to_string().contains("\\u001b[2J\\nerror: forged");
            assert!(events.iter().any(whole), "nothing of a name is lost: {text}");
        }
    }
    // Nor do arguments.
    for arguments in [
        vec!["build", NAME, "--no-such"],
        vec!["build", "a", "--out", "b", "--workers", NAME],
        vec![NAME],
    ] {
        let output = gleaner().args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_steers_nothing(&said(&output));
    }
}

/// A page that says so, too.
#[test]
fn pages_do_not_steer_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let text =
        "The first line of the text is here, \u{202e}backwards\u{202c} and forwards, and there is more.";
    fs::write(&page, format!("<meta charset=utf-8><p>{text}</p><p>{text}</p>")).unwrap();
    let arguments = [Path::new("clean"), &page];
    let piped = gleaner().args(arguments).output().unwrap();
    assert!(
        String::from_utf8(piped.stdout).unwrap().contains('\u{202e}'),
        "the text is as it is"
    );
    let mut terminal = Terminal::start(&arguments, (200, 20), &[]);
    assert!(terminal.end().success());
    let shown = String::from_utf8(terminal.bytes()).unwrap();
    assert!(
        shown.contains("\u{fffd}backwards\u{fffd} and forwards") && !shown.contains('\u{202e}'),
        "{shown:?}"
    );
    let missing = folder.path().join(NAME);
    let mut terminal = Terminal::start(&[Path::new("clean"), &missing], (200, 20), &[("NO_COLOR", "1")]);
    assert!(!terminal.end().success());
    let shown = String::from_utf8(terminal.bytes()).unwrap();
    assert_steers_nothing(&shown.replace('\r', ""));
}

#[test]
fn help_is_written_as_ever() {
    let help = Command::new(env!("CARGO_BIN_EXE_gleaner"))
        .arg("--help")
        .output()
        .unwrap();
    assert!(help.status.success() && help.stderr.is_empty());
    assert!(String::from_utf8(help.stdout).unwrap().contains("Usage: gleaner"));
    let none = gleaner().output().unwrap();
    assert_eq!(none.status.code(), Some(2));
    let wrong = refusal(&gleaner().args(["build", "--wrokers", "2"]).output().unwrap());
    assert_printed("secrets-help-is-written-as-ever", &wrong);
    // A group of commands without one of them has its help, which is no error of its own.
    let group = gleaner().arg("templates").output().unwrap();
    assert_eq!(group.status.code(), Some(2));
    assert!(
        said(&group).starts_with("Find and remove") && said(&group).contains("Usage: "),
        "{}",
        said(&group)
    );
}
