//! `gleaner crawl`: killed and continued, read by others, and built into a corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use gleaner_testing::Random;
use gleaner_testing::web::{HOSTS, Site};
use serde_json::Value;

use crate::support::{build, gleaner, on_disk_of, refusal, rows, run, said};

/// The command that crawls the small web into a file, without pauses; `more` options follow.
fn command(site: &Site, out: &Path, more: &[&str]) -> Command {
    let mut command = gleaner();
    command.arg("crawl").args(HOSTS.map(|host| site.url(host, "/")));
    command.args(HOSTS.map(|host| format!("--resolve={host}=127.0.0.1")));
    command.args(["--contact", "me@example.org", "--out"]).arg(out);
    command.args([
        "--delay",
        "0",
        "--max-delay",
        "0.05",
        "--max-page-time",
        "0.5",
        "--max-page-size",
        "100kB",
    ]);
    command
        .args(["--depth", "12", "--max-variants", "20", "--json"])
        .args(more);
    command
}

/// The summary of a crawl that ends well.
fn crawl(site: &Site, out: &Path, more: &[&str]) -> Value {
    let output = command(site, out, more).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a job file says is what its options would say, and options that are typed go before it.
#[test]
fn a_job_is_the_crawl_that_its_options_typed_would_be() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let host = HOSTS[0];
    let job = format!(
        "seeds = ['{}']\nout = 'file.warc.gz'\ncontact = 'me@example.org'\n[scope]\ndepth = 1\nno_sitemaps = true\n\
         [pace]\ndelay = 0\nmax_delay = 0.05\nresolve = ['{host}=127.0.0.1']\n[limits]\nmax_pages = 3\n",
        site.url(host, "/")
    );
    std::fs::write(folder.path().join("job.toml"), &job).unwrap();
    let crawl = |more: &[&str]| {
        let mut command = gleaner();
        command
            .current_dir(folder.path())
            .args(["crawl", "--job", "job.toml", "--json"]);
        command.args(more).output().unwrap()
    };
    let pages = |output: &std::process::Output| {
        assert_eq!(output.status.code(), Some(0), "{}", said(output));
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        (
            summary["out"].as_str().unwrap().to_owned(),
            summary["pages"].as_u64().unwrap(),
        )
    };
    assert_eq!(pages(&crawl(&[])), ("file.warc.gz".to_owned(), 3));
    let typed = crawl(&["--out", "typed.warc.gz", "--max-pages", "2"]);
    assert_eq!(pages(&typed), ("typed.warc.gz".to_owned(), 2));

    let refused = |job: &str| {
        std::fs::write(folder.path().join("job.toml"), job).unwrap();
        refusal(&crawl(&[]))
    };
    assert_eq!(
        refused("seeds = ['https://a.example/']\nout = 'a.warc.gz'\n"),
        "job.toml has no `contact`: add it, or give --contact on the command line"
    );
    assert_eq!(
        refused(&job.replace("depth", "deepth")),
        "job.toml:5: unknown key `deepth`: did you mean `scope.depth`?"
    );
    assert_eq!(
        refused(&job.replace("me@example.org", "me")),
        "job.toml:3: `contact` cannot be me: use a mail address or a URL by which a site can reach you, such as \
         me@example.org or https://example.org/bot"
    );
}

/// The bundled job is one, but for its seeds and its contact.
#[test]
fn the_job_of_the_repository_is_valid() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/crawl.toml");
    let mut command = gleaner();
    command
        .current_dir(folder.path())
        .arg("crawl")
        .arg(site.url(HOSTS[0], "/"));
    command.args([
        "--contact",
        "me@example.org",
        "--delay",
        "0",
        "--max-delay",
        "0.05",
        "--max-pages",
        "2",
    ]);
    command
        .arg(format!("--resolve={}=127.0.0.1", HOSTS[0]))
        .arg("--job")
        .arg(job);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(folder.path().join("site.warc.gz").exists());
}

/// The URLs of the captures of an archive, without the traps of which any may be there; each is there once.
fn urls(files: &[PathBuf]) -> BTreeSet<String> {
    let mut urls = BTreeSet::new();
    for file in files {
        for (kind, url) in records(file) {
            let is_capture = kind == "response" || kind == "revisit";
            assert!(!is_capture || urls.insert(url.clone()), "{url} is there twice");
        }
    }
    urls.retain(|url| !url.contains("/calendar/") && !url.contains("/s/"));
    urls
}

/// Types and URLs of the records of a file.
fn records(file: &Path) -> Vec<(String, String)> {
    let mut bytes = Vec::new();
    let mut reader = MultiGzDecoder::new(File::open(file).unwrap());
    reader.read_to_end(&mut bytes).unwrap();
    let mut rest = &bytes[..];
    let mut records = Vec::new();
    while !rest.is_empty() {
        let end = rest.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let head = std::str::from_utf8(&rest[..end]).unwrap();
        let field = |name: &str| {
            let value = head
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            value.unwrap_or_default().to_owned()
        };
        let length: usize = field("Content-Length").parse().unwrap();
        records.push((field("WARC-Type"), field("WARC-Target-URI")));
        rest = rest[end + length..].strip_prefix(b"\r\n\r\n").unwrap();
    }
    records
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_crawl_that_is_killed_has_no_record_twice_and_loses_no_page() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.warc.gz");
    crawl(&site, &whole, &[]);
    let expected = urls(&[whole]);

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("crawl.warc.gz");
    let more = ["--file-size", "20000"];
    let mut random = Random::new(7);
    for _ in 0..10 {
        let mut child = command(&site, &out, &more)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_millis(20 + random.below(200) as u64);
        while Instant::now() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if out.with_file_name("crawl-00001.warc.gz").exists()
            && !folder.path().join("crawl.warc.gz.journal").exists()
        {
            break;
        }
    }
    if folder.path().join("crawl.warc.gz.journal").exists() {
        crawl(&site, &out, &more);
    }
    assert_eq!(urls(&files(folder.path())), expected);
}

#[test]
fn an_archive_becomes_a_corpus_and_an_unchanged_one_adds_nothing() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let summary = crawl(
        &site,
        &path("1.warc.gz"),
        &["--exclude", "/(s|calendar|drip|busy)(/|$)"],
    );
    let corpus = build(&[&path("1.warc.gz")], &[]);
    assert_eq!(corpus.summary["adds_up"], true);
    assert_eq!(
        corpus.summary["captures"].as_u64(),
        Some(summary["pages"].as_u64().unwrap() + summary["robots_files"].as_u64().unwrap())
    );
    let since = path("1.warc.gz");
    let more = [
        "--exclude",
        "/(s|calendar|drip|busy)(/|$)",
        "--since",
        since.to_str().unwrap(),
    ];
    let second = crawl(&site, &path("2.warc.gz"), &more);
    // (What was cut cannot be compared, and is fetched again.)
    let again = second["statuses"]
        .as_object()
        .unwrap()
        .values()
        .map(|count| count.as_u64().unwrap());
    assert!(again.sum::<u64>() <= 2, "{second}");
    let captures = rows(&corpus.path().join("captures"));
    let output = run([
        "add".as_ref(),
        corpus.path().as_os_str(),
        path("2.warc.gz").as_os_str(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let of_revisited = |rows: Vec<BTreeMap<String, String>>| -> BTreeSet<_> {
        let is_whole = |row: &BTreeMap<String, String>| {
            !["/endless", "/lying"]
                .iter()
                .any(|cut| row["surt"].ends_with(cut))
        };
        rows.into_iter().filter(is_whole).collect()
    };
    assert_eq!(
        of_revisited(rows(&corpus.path().join("captures"))),
        of_revisited(captures)
    );
}

#[test]
fn a_full_disk_loses_nothing_that_was_fetched() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let (disk, saved) = (folder.path().join("disk"), folder.path().join("saved"));
    std::fs::create_dir(&saved).unwrap();
    let mut words = vec![env!("CARGO_BIN_EXE_gleaner").to_owned()];
    let command = command(&site, &disk.join("crawl.warc.gz"), &[]);
    words.extend(command.get_args().map(|word| word.to_str().unwrap().to_owned()));
    let (disk_name, saved_name) = (disk.display(), saved.display());
    let script = format!(
        "{}; status=$?; cp {disk_name}/* {saved_name}; exit $status",
        words.join(" ")
    );
    let Some(output) = on_disk_of("100k", &disk, &script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(2));
    let said = said(&output);
    assert!(
        said.contains("No space left on device") && said.contains("run the same command again"),
        "{said}"
    );
    crawl(&site, &saved.join("crawl.warc.gz"), &[]);
    let whole = folder.path().join("whole.warc.gz");
    crawl(&site, &whole, &[]);
    assert_eq!(urls(&[saved.join("crawl.warc.gz")]), urls(&[whole]));
}

#[test]
fn others_read_the_archive() {
    let Some(warcio) = program("warcio") else {
        return;
    };
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    crawl(&site, &path("1.warc.gz"), &[]);
    let since = path("1.warc.gz");
    crawl(&site, &path("2.warc.gz"), &["--since", since.to_str().unwrap()]);
    for name in ["1.warc.gz", "2.warc.gz"] {
        let output = Command::new(&warcio)
            .arg("check")
            .arg(path(name))
            .output()
            .unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    }
}

/// A program, if it is installed.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: {name} is not installed (pip install {name})");
    }
    found
}

#[test]
fn bad_requests_are_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("crawl.warc.gz");
    let out = out.to_str().unwrap();
    let refused = |arguments: &[&str]| refusal(&run([&["crawl"], arguments].concat()));
    let contact = ["--contact", "me@example.org"];
    let with = |arguments: &[&str]| refused(&[arguments, &contact].concat());
    let seeds = ["crawl", "https://a.example/", "--out", out];
    let nobody = run(seeds);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(said(&nobody).contains("--contact <MAIL|URL>"));
    let no_address = run([&seeds[..], &["--contact", "me"]].concat());
    assert_eq!(no_address.status.code(), Some(2));
    assert!(said(&no_address).contains("use a mail address or a URL"));
    assert!(with(&["a.example", "--out", out]).contains("https://a.example"));
    assert!(with(&["https://a.example/", "--out", "crawl.warc"]).contains(".warc.gz"));
    let no_expression = run([&seeds[..], &contact, &["--include", "("]].concat());
    assert_eq!(no_expression.status.code(), Some(2));
    assert!(said(&no_expression).contains("'--include <REGEX>': not a regular expression: unclosed group"));
    std::fs::write(out, "").unwrap();
    assert!(with(&["https://a.example/", "--out", out]).contains("exists"));
}
