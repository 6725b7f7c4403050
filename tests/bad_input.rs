//! Bad input: the sentence that a person reads, and that the rest of the run went on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::hostile::{Archive, SENTENCE, article, gzip_of_zeros};
use crate::support::{Corpus, build, files, gleaner, on_disk_of, refusal, rows, run, said, sample};

const GIB: u64 = 1 << 30;
const BEFORE: &str = "http://neighbour.example/before";
const BAD: &str = "http://hostile.example/page";
const AFTER: &str = "http://neighbour.example/after";

/// Builds an archive of `bad` between two ordinary pages, which must come out whole, in bounded
/// memory and time.
fn between_good_pages(bad: impl FnOnce(Archive) -> Archive) -> Corpus {
    let folder = tempfile::tempdir().unwrap();
    let archive = bad(Archive::new().page(BEFORE, article())).page(AFTER, article());
    let corpus = build(&[&archive.write(folder.path(), "crawl.warc.gz")], &[]);
    for url in [BEFORE, AFTER] {
        assert_eq!(corpus.text(url).matches(SENTENCE).count(), 5, "{url}");
    }
    assert!(corpus.number("peak_memory_bytes") < GIB, "{}", corpus.summary);
    assert!(
        corpus.summary["seconds"].as_f64().unwrap() < 60.0,
        "{}",
        corpus.summary
    );
    corpus
}

/// An archive of an ordinary page.
fn good_archive(folder: &Path) -> PathBuf {
    Archive::new()
        .page(BEFORE, article())
        .write(folder, "good.warc.gz")
}

fn build_to(out: &Path, inputs: &[&str]) -> Output {
    gleaner()
        .arg("build")
        .args(inputs)
        .arg("--out")
        .arg(out)
        .output()
        .unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

// Requests that can't be carried out.

#[test]
fn a_missing_file_is_named_and_nothing_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    let sentence = refusal(&build_to(&out, &[text(&sample()), "nowhere/crawl.warc.gz"]));
    assert!(
        sentence.contains("no such file or folder: 'nowhere/crawl.warc.gz'"),
        "{sentence}"
    );
    assert!(files(&out).is_empty());
}

#[test]
fn a_pattern_without_a_match_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let sentence = refusal(&build_to(&folder.path().join("corpus"), &["nowhere/*.warc.gz"]));
    assert!(
        sentence.contains("no input matches 'nowhere/*.warc.gz'"),
        "{sentence}"
    );
}

#[test]
fn another_corpus_is_not_overwritten_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    let other = good_archive(folder.path());
    assert!(build_to(&out, &[text(&other)]).status.success());
    let before: Vec<_> = files(&out).iter().map(|path| fs::read(path).unwrap()).collect();

    let sentence = refusal(&build_to(&out, &[text(&sample())]));
    assert!(
        sentence.contains(text(&out)) && sentence.contains("--force"),
        "{sentence}"
    );
    let favored = refusal(&build_to(&out, &["--favor", "recall", text(&other)]));
    assert!(favored.contains("--force"), "{favored}");
    assert_eq!(
        before,
        files(&out)
            .iter()
            .map(|path| fs::read(path).unwrap())
            .collect::<Vec<_>>()
    );

    assert!(build_to(&out, &["--force", text(&sample())]).status.success());
    let urls: Vec<_> = rows(&out.join("documents"))
        .into_iter()
        .map(|row| row["url"].clone())
        .collect();
    assert!(!urls.contains(&BEFORE.to_owned()) && urls.len() > 20, "{urls:?}");
}

#[test]
fn a_folder_of_something_else_is_not_written_into() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.odt"), "years of work").unwrap();
    let sentence = refusal(&build_to(folder.path(), &[text(&sample())]));
    assert!(sentence.contains("thesis.odt"), "{sentence}");
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn an_output_that_is_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    fs::write(&out, "not a folder").unwrap();
    let sentence = refusal(&build_to(&out, &[text(&sample())]));
    let expected = format!("cannot use '{}': it is a file", text(&out));
    assert!(sentence.contains(&expected), "{sentence}");
    assert_eq!(fs::read(&out).unwrap(), b"not a folder");
}

#[test]
fn an_output_without_a_name_is_refused() {
    let sentence = refusal(&build_to(Path::new(""), &[text(&sample())]));
    assert!(
        sentence.contains("the name of the output folder is empty"),
        "{sentence}"
    );
}

#[test]
fn credentials_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let credentials = folder.path().join("credentials");
    fs::write(&credentials, b"[default]\naws_access_key_id = \xff\xfe\n").unwrap();
    let mut command = gleaner();
    command
        .args(["build", "s3://bucket/crawl.warc.gz", "--out"])
        .arg(folder.path().join("corpus"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
        command.env_remove(name);
    }
    let output = command
        .env("AWS_SHARED_CREDENTIALS_FILE", &credentials)
        .output()
        .unwrap();
    let sentence = refusal(&output);
    assert!(
        sentence.contains(text(&credentials)) && sentence.contains("s3://bucket"),
        "{sentence}"
    );
}

#[test]
fn a_model_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("best.model");
    fs::write(&model, "not a model").unwrap();
    let sentence = refusal(&build_to(
        &folder.path().join("corpus"),
        &["--model", text(&model), text(&sample())],
    ));
    assert!(sentence.contains("best.model"), "{sentence}");
}

// Files that are no archives.

/// Builds an archive beside a picture of that name; its page must come out whole.
fn beside_a_picture(name: &str) -> Corpus {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join(name);
    fs::write(&picture, [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 4000]].concat()).unwrap();
    let corpus = build(&[&picture, &good_archive(folder.path())], &[]);
    assert!(corpus.text(BEFORE).contains(SENTENCE));
    corpus
}

#[test]
fn an_empty_file_holds_nothing_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Archive::new().write(folder.path(), "empty.warc.gz");
    let good = good_archive(folder.path());
    let corpus = build(&[&empty, &good], &[]);
    assert_eq!(corpus.number("documents"), 1);
    assert_eq!(
        corpus.line("warning: "),
        format!("warning: '{}' is empty", text(&empty))
    );
    assert!(corpus.text(BEFORE).contains(SENTENCE));
}

#[test]
fn a_file_that_is_no_archive_is_a_reject() {
    let corpus = beside_a_picture("picture.png");
    let (reason, detail) = corpus.only_reject();
    assert_eq!(reason, "not-an-archive");
    assert!(
        detail.contains("picture.png is not a WARC, ARC, WET or HTML file"),
        "{detail}"
    );
}

#[test]
fn a_file_that_only_its_name_calls_an_archive_is_a_reject() {
    let corpus = beside_a_picture("picture.warc.gz");
    let (_, detail) = corpus.only_reject();
    assert_eq!(detail, "no record begins here");
    assert!(corpus.line("  garbage").contains("picture.warc.gz at 0"));
}

#[test]
fn garbage_between_records_costs_only_itself() {
    let corpus = between_good_pages(|archive| archive.raw(b"\xde\xad\xbe\xef".repeat(5000)));
    assert_eq!(corpus.number("documents"), 2);
    let (reason, detail) = corpus.only_reject();
    assert_eq!(reason, "garbage", "{detail}");
}

#[test]
fn a_cut_tail_is_said_and_costs_only_what_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new()
        .page(BEFORE, article())
        .page(AFTER, article())
        .cut(100);
    let corpus = build(&[&archive.write(folder.path(), "crawl.warc.gz")], &[]);
    assert_eq!(corpus.number("documents"), 2);
    assert!(corpus.text(BEFORE).contains(SENTENCE));
    assert_eq!(corpus.only_truncated(AFTER), "capture");
}

#[test]
fn a_record_cut_off_before_its_page_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("short.warc");
    let write = |media: &str, body: &str| {
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: {media}\r\nContent-Length: 99999\r\n\r\n{body}"
        );
        fs::write(&file, record).unwrap();
    };
    for (media, body, detail) in [
        ("text/css", "begun", "text/css; the capture is cut short"),
        (
            "",
            "",
            "no media type, and neither HTML nor text; the capture is cut short",
        ),
    ] {
        write(media, body);
        let found = build(&[&file], &[]).only_reject();
        assert_eq!(found, ("media-type".to_owned(), detail.to_owned()));
    }
    for media in ["text/plain", ""] {
        write(media, "begun");
        assert_eq!(build(&[&file], &[]).only_truncated(""), "capture");
    }
}

#[test]
fn the_whole_run_fails_only_where_strict_asks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new().page(BEFORE, article()).raw(b"rot".repeat(500));
    let archive = archive.write(folder.path(), "crawl.warc.gz");
    assert_eq!(build(&[&archive], &[]).status, Some(0));
    let strict = build(&[&archive], &["--strict"]);
    assert_eq!(strict.status, Some(1));
    assert_eq!(
        strict.line("--strict: "),
        "--strict: 1 damaged place, see the rejects table"
    );
}

// Pages that would take everything.

#[test]
fn a_page_of_200_megabytes() {
    let page = article().replace(
        "</main>",
        &"<p>and so on, and so on</p>\n".repeat(200_000_000 / 28),
    );
    let corpus = between_good_pages(|archive| archive.page(BAD, page));
    let (reason, detail) = corpus.only_reject();
    assert_eq!(reason, "record-too-large");
    assert!(detail.ends_with("bytes, the limit is 67108864"), "{detail}");
}

#[test]
fn a_page_beyond_the_limit_is_cut_off_and_says_so() {
    let page = article().replace(
        "</main>",
        &"<p>and so on, and so on</p>\n".repeat(40_000_000 / 28),
    );
    let corpus = between_good_pages(|archive| archive.page(BAD, page));
    let truncated = corpus.only_truncated(BAD);
    assert!(truncated.contains("bytes"), "{truncated}");
    assert!(corpus.text(BAD).contains(SENTENCE));
}

#[test]
fn a_body_that_inflates_to_gigabytes() {
    let body = gzip_of_zeros(article().as_bytes(), 4096, b"");
    let headers = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let corpus = between_good_pages(|archive| archive.response(BAD, headers, body));
    assert_eq!(corpus.number("documents"), 3);
    let truncated = corpus.only_truncated(BAD);
    assert!(truncated.contains("bytes"), "{truncated}");
}

#[test]
fn a_record_that_inflates_to_gigabytes() {
    let corpus = between_good_pages(|archive| archive.bomb(BAD, 4096));
    let (reason, detail) = corpus.only_reject();
    assert_eq!(reason, "record-too-large", "{detail}");
}

#[test]
fn ten_million_nested_tags() {
    let page = article().replace("<main>", &format!("<main>{}", "<b><i>".repeat(5_000_000)));
    let corpus = between_good_pages(|archive| archive.page(BAD, page));
    let truncated = corpus.only_truncated(BAD);
    assert!(truncated.contains("depth"), "{truncated}");
}

#[test]
fn an_attribute_of_a_megabyte() {
    let attribute = format!(
        "<main title=\"{0}\" class=\"{0}\" data-x='{0}'>",
        "harbour ".repeat(131_072)
    );
    let corpus = between_good_pages(|archive| archive.page(BAD, article().replace("<main>", &attribute)));
    assert_eq!(corpus.only_truncated(BAD), "attributes");
    assert!(corpus.text(BAD).contains(SENTENCE));
}

#[test]
fn nul_bytes() {
    let page = article()
        .replace("harbour master", "harbour\0 master")
        .replace("<h1>", "<h\x001>");
    let corpus = between_good_pages(|archive| archive.page(BAD, page));
    let text = corpus.text(BAD);
    assert!(
        text.contains("a diary of the tides since the spring") && !text.contains('\0'),
        "{text:?}"
    );
}

#[test]
fn an_address_of_a_megabyte() {
    let url = format!("http://hostile.example/{}", "a/".repeat(500_000));
    let corpus = between_good_pages(|archive| archive.page(&url, article()));
    let (reason, detail) = corpus.only_reject();
    assert_eq!(reason, "header-too-long");
    assert_eq!(detail, "the header is longer than 262144 bytes");
}

#[test]
fn a_header_without_end() {
    let corpus =
        between_good_pages(|archive| archive.member(&[b"WARC/1.1\r\nWARC-Type: ", &vec![b'x'; 50 << 20]]));
    let (reason, detail) = corpus.only_reject();
    assert_eq!(reason, "header-too-long", "{detail}");
}

#[test]
fn a_length_that_lies() {
    let record = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://liar.example/\r\nContent-Length: 99999999999999999999\r\n\r\nHTTP/1.1 200 OK\r\n\r\n<p>x";
    let corpus = between_good_pages(|archive| archive.member(&[record]));
    assert_eq!(corpus.number("documents"), 3, "{:?}", corpus.rejects());
    assert_eq!(corpus.only_truncated("http://liar.example/"), "capture");
}

// Runs that are stopped.

const LONG_PAGES: usize = 200;

/// An archive that takes seconds: pages of half a megabyte, all different.
fn long_crawl(folder: &Path) -> PathBuf {
    let filling = |page: usize| {
        (0..10_000).map(move |line| format!("<p>Line {line} of page {page}, of no interest</p>\n"))
    };
    let pages = (0..LONG_PAGES).map(|page| {
        (
            format!("http://long.example/{page}"),
            filling(page).collect::<String>(),
        )
    });
    let archive = pages.fold(Archive::new(), |archive, (url, html)| archive.page(&url, html));
    archive.write(folder, "long.warc.gz")
}

/// Partial files would be Parquet without an end, or names that a reader of `*.parquet` would meet.
fn assert_only_whole_files(out: &Path) {
    for path in files(out) {
        if path.extension().is_some_and(|extension| extension == "parquet") {
            let bytes = fs::read(&path).unwrap();
            assert!(
                bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"),
                "{} is not whole",
                path.display()
            );
        }
    }
}

/// Builds with one worker and sends the build a signal in its midst. What it said, and how long it
/// went on.
fn stopped(crawl: &Path, out: &Path, signal: &str) -> (Output, Duration) {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out").arg(out);
    command.args(["--workers", "1"]).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for(|| !files(out).is_empty());
    std::thread::sleep(Duration::from_millis(500));

    let asked = Instant::now();
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success(), "the build had ended before it was stopped");
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "{}", said(&output));
    (output, asked.elapsed())
}

#[test]
fn an_interrupt_stops_within_a_second_and_leaves_nothing_partial() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = long_crawl(folder.path());
    // A machine that is busy with other tests may need a second chance to do it in a second.
    let quickest = (0..5)
        .map(|attempt| {
            let out = folder.path().join(attempt.to_string());
            let (output, took) = stopped(&crawl, &out, "-INT");
            let told = format!(
                "error: the corpus in '{}' is not complete, and the same command goes on with it: interrupted\n",
                text(&out)
            );
            assert_eq!(said(&output), told);
            let left: Vec<_> = files(&out).iter().map(|path| text(path).to_owned()).collect();
            let expected = [out.join(".staging/run.entry"), out.join("gleaner.json")];
            assert_eq!(left, expected.each_ref().map(|path| text(path)));
            took
        })
        .find(|took| *took < Duration::from_secs(1));
    assert!(quickest.is_some(), "never stopped within a second");
}

#[test]
fn a_second_build_on_an_output_is_refused_while_the_first_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (long_crawl(folder.path()), folder.path().join("corpus"));
    let mut command = gleaner();
    command.arg("build").arg(&crawl).arg("--out").arg(&out);
    let mut first = command.stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| out.join("gleaner.json").exists());
    for more in [&[][..], &["--force"][..]] {
        let sentence = refusal(&build_to(&out, &[&[text(&crawl)], more].concat()));
        let whose = format!("'{}' is being written by process {} on ", text(&out), first.id());
        assert!(sentence.starts_with(&whose), "{sentence}");
        assert!(
            sentence.contains(" UTC: wait until it has ended, or choose another folder"),
            "{sentence}"
        );
    }
    assert!(first.try_wait().unwrap().is_none(), "it goes on");
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(build_to(&out, &[text(&sample()), "--force"]).status.success());
    assert!(!out.join("gleaner.lock").exists());
}

#[test]
fn a_killed_build_is_done_again_by_the_same_command() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (long_crawl(folder.path()), folder.path().join("corpus"));
    stopped(&crawl, &out, "-KILL");
    assert_only_whole_files(&out);
    let output = build_to(&out, &[text(&crawl)]);
    assert!(output.status.success(), "{}", said(&output));
    assert_only_whole_files(&out);
    assert_eq!(rows(&out.join("documents")).len(), LONG_PAGES);
    let partial = files(&out).into_iter().find(|path| {
        path.extension()
            .is_none_or(|extension| extension != "parquet" && extension != "json")
    });
    assert_eq!(partial, None, "left over from the killed build");
}

fn wait_for(condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(20), "nothing happened");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_full_disk_is_a_clean_failure() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    let script = format!(
        "'{1}' build '{2}' --out {0}/corpus; status=$?; find {0}/corpus -name '*.parquet' >&2; exit $status",
        disk.display(),
        env!("CARGO_BIN_EXE_gleaner"),
        sample().display(),
    );
    let Some(output) = on_disk_of("24k", &disk, &script) else {
        return;
    };
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("No space left on device") && said.contains("/corpus"),
        "{said}"
    );
    // The rejects of a part, which are few, may be there as a whole: its documents come last.
    let mut visible = said.lines().filter(|line| line.ends_with(".parquet"));
    assert_eq!(visible.find(|file| !file.contains("/rejects/")), None);
}

#[test]
fn a_file_that_may_not_grow_is_a_clean_failure() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec '{}' build '{}' --out {}",
        env!("CARGO_BIN_EXE_gleaner"),
        sample().display(),
        out.display(),
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    let sentence = refusal(&output);
    assert!(
        sentence.contains("could not write") && sentence.contains(text(&out)),
        "{sentence}"
    );
    assert_only_whole_files(&out);
    assert!(!out.join("documents/part-00000.parquet").exists());
}

#[test]
fn a_reader_that_goes_away_is_a_clean_end() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.html");
    fs::write(
        &page,
        article().replace(
            "</main>",
            &"<p>A line of the harbour master's diary</p>".repeat(50_000),
        ),
    )
    .unwrap();
    let script = format!(
        "'{}' clean '{}' | head -n 1",
        env!("CARGO_BIN_EXE_gleaner"),
        page.display()
    );
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", &script])
        .output()
        .unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        said(&output)
    );
}

#[test]
fn wrong_usage_is_explained() {
    for (arguments, expected) in [
        (&["build", "--out"][..], "--out"),
        (
            &["build", "crawl.warc", "--out", "corpus", "--workers", "0"],
            "0 is not in 1..=512",
        ),
        // Every two workers have a channel between them: thousands would take all memory.
        (
            &["build", "crawl.warc", "--out", "corpus", "--workers", "5000"],
            "5000 is not in 1..=512",
        ),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
}
