//! Bad input: the sentence that a person reads, and that the rest of the run went on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use gleaner_testing::process::wait_for;
use gleaner_testing::warc::{Archive, SENTENCE, article, gzip_of_zeros};
use tempfile::TempDir;

use crate::support::{
    Corpus, assert_printed, build, files, gleaner, on_disk_of, refusal, rows, run, said, sample,
};

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
    assert_printed(
        "bad-input-a-missing-file-is-named-and-nothing-is-begun",
        &sentence,
    );
    assert!(files(&out).is_empty());
}

#[test]
fn a_pattern_without_a_match_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let sentence = refusal(&build_to(&folder.path().join("corpus"), &["nowhere/*.warc.gz"]));
    assert_printed("bad-input-a-pattern-without-a-match-is-named", &sentence);
}

#[test]
fn another_corpus_is_not_overwritten_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    let other = good_archive(folder.path());
    assert!(build_to(&out, &[text(&other)]).status.success());
    let before: Vec<_> = files(&out).iter().map(|path| fs::read(path).unwrap()).collect();

    let sentence = refusal(&build_to(&out, &[text(&sample())]));
    assert_printed(
        "bad-input-another-corpus-is-not-overwritten-without-force",
        &sentence,
    );
    let favored = refusal(&build_to(&out, &["--favor", "recall", text(&other)]));
    assert_printed(
        "bad-input-another-corpus-is-not-overwritten-without-force-2",
        &favored,
    );
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
    assert_printed(
        "bad-input-a-folder-of-something-else-is-not-written-into",
        &sentence,
    );
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn an_output_that_is_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("corpus");
    fs::write(&out, "not a folder").unwrap();
    let sentence = refusal(&build_to(&out, &[text(&sample())]));
    assert_printed("bad-input-an-output-that-is-a-file-is-refused", &sentence);
    assert_eq!(fs::read(&out).unwrap(), b"not a folder");
}

#[test]
fn an_output_without_a_name_is_refused() {
    let sentence = refusal(&build_to(Path::new(""), &[text(&sample())]));
    assert_printed("bad-input-an-output-without-a-name-is-refused", &sentence);
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
    assert_printed("bad-input-credentials-that-cannot-be-read-are-named", &sentence);
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
    assert_printed("bad-input-a-model-that-is-none-is-named", &sentence);
}

// Files that are no archives.

/// Files that are neither archives nor pages: a name for each, its content, and what it looks like.
const FOREIGN: [(&str, &[u8], &str); 8] = [
    ("picture.warc.gz", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a picture"),
    (
        "paper.pdf",
        b"%PDF-1.6\n%\xe2\xe3\n1 0 obj",
        "a PDF or PostScript document",
    ),
    ("crawl.zip", b"PK\x03\x04\x14\0\0\0\x08\0", "a ZIP file"),
    ("notes.txt", b"Ask for the archive on Monday.\n", "a text file"),
    (
        "answer.json",
        b"{\"detail\": \"not authenticated\"}",
        "a JSON file",
    ),
    (
        "large.warc.gz",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n",
        "a Git LFS pointer",
    ),
    (
        "part.warc.gz",
        b"<!DOCTYPE html>\n<title>Log in</title><form>Name and word",
        "an HTML page",
    ),
    (
        "bucket.warc",
        b"<?xml version='1.0'?>\n<Error><Code>ExpiredToken</Code></Error>",
        "an XML file",
    ),
];

/// Writes them all into a folder.
fn write_foreign(folder: &Path) {
    for (name, bytes, _) in FOREIGN {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

#[test]
fn a_named_file_that_is_no_archive_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (out, good) = (folder.path().join("corpus"), good_archive(folder.path()));
    write_foreign(folder.path());
    let sentences = FOREIGN.map(|(name, ..)| {
        let file = folder.path().join(name);
        let sentence = refusal(&build_to(&out, &[text(&good), text(&file)]));
        assert!(!out.exists(), "{name}");
        sentence
    });
    assert_printed("bad-input-a-named-file-that-is-no-archive", &sentences.join("\n"));
    // Each has its sentence.
    let [one, two] = ["notes.txt", "crawl.zip"].map(|name| folder.path().join(name));
    let output = build_to(&out, &[text(&one), text(&good), text(&two)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!out.exists());
    let told = said(&output);
    let lines: Vec<&str> = told.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].contains("crawl.zip") && lines[1].contains("notes.txt"),
        "{told}"
    );
    // The folder is as good as new for the right command.
    assert_eq!(build_to(&out, &[text(&good)]).status.code(), Some(0));
}

#[test]
fn a_file_that_is_found_and_is_no_archive_is_a_reject() {
    let folder = tempfile::tempdir().unwrap();
    write_foreign(folder.path());
    let good = good_archive(folder.path());
    let list = folder.path().join("list");
    let names = FOREIGN.map(|(name, ..)| format!("{name}\n")).concat();
    fs::write(&list, names + text(&good)).unwrap();
    let list = format!("@{}", text(&list));
    for (input, found) in [
        (&*list, 8),
        (text(folder.path()), 4),
        (&format!("{}/*.*", text(folder.path())), 8),
    ] {
        let corpus = build(&[Path::new(input)], &[]);
        assert_eq!(corpus.status, Some(0), "{input}");
        assert!(corpus.text(BEFORE).contains(SENTENCE));
        let rejects = corpus.rejects();
        assert_eq!(
            (rejects.len(), corpus.number("damage")),
            (found, found as u64),
            "{rejects:?}"
        );
        for reject in rejects {
            let file = Path::new(&reject["warc_file"]).file_name().unwrap();
            let (_, _, kind) = FOREIGN.iter().find(|(name, ..)| *name == file).unwrap();
            let begin = format!("{kind} that begins with \"");
            assert!(reject["detail"].starts_with(&begin), "{reject:?}");
            assert_eq!(
                (&*reject["reason"], &*reject["warc_offset"]),
                ("not-an-archive", "0")
            );
        }
        assert_eq!(build(&[Path::new(input)], &["--strict"]).status, Some(1));
    }
}

#[test]
fn a_build_that_can_use_no_input_fails_each_time() {
    let folder = tempfile::tempdir().unwrap();
    write_foreign(folder.path());
    let (out, input) = (
        folder.path().join("corpus"),
        format!("{}/*.*", text(folder.path())),
    );
    for _ in 0..2 {
        let output = build_to(&out, &[&input]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let sentence = "no input could be used: no capture, and 8 damaged places; see the rejects table";
        assert!(said(&output).contains(sentence), "{}", said(&output));
    }
    // A name that says archive and bytes that say nothing.
    let noise = folder.path().join("noise.warc");
    fs::write(&noise, b"\xde\xad\xbe\xef".repeat(2000)).unwrap();
    let corpus = build(&[&noise], &[]);
    assert_eq!(
        (corpus.status, corpus.only_reject().0),
        (Some(1), "garbage".to_owned())
    );
}

#[test]
fn an_archive_by_a_pipe_is_looked_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, out) = (folder.path().join("part.warc"), folder.path().join("corpus"));
    let is_made = Command::new("mkfifo").arg(&pipe).status();
    if !is_made.is_ok_and(|status| status.success()) {
        return;
    }
    for (bytes, status) in [
        (fs::read(good_archive(folder.path())).unwrap(), 0),
        (FOREIGN[6].1.to_vec(), 1),
    ] {
        let input = pipe.clone();
        let writer = std::thread::spawn(move || fs::write(input, bytes));
        let output = build_to(&out, &["--force", text(&pipe)]);
        writer.join().unwrap().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", said(&output));
    }
    assert!(rows(&out.join("rejects"))[0]["detail"].starts_with("an HTML page"));
    // Beside a sound input the build goes on, and the answer is still no.
    let good = good_archive(folder.path());
    let input = pipe.clone();
    let writer = std::thread::spawn(move || fs::write(input, FOREIGN[6].1));
    let output = build_to(&out, &["--force", text(&pipe), text(&good)]);
    writer.join().unwrap().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let sentence = "1 input that you named is neither archive nor page; see the rejects table";
    assert!(said(&output).contains(sentence), "{}", said(&output));
    assert_eq!(rows(&out.join("documents")).len(), 1);
}

/// Archives that hold nothing.
fn write_empty(folder: &Path) {
    fs::write(folder.join("none.warc.gz"), b"").unwrap();
    fs::write(folder.join("zeros.warc"), [0; 5000]).unwrap();
    fs::write(folder.join("lines.arc"), "\r\n\n").unwrap();
    Archive::new()
        .member(&[])
        .member(&[b"\n"])
        .write(folder, "members.warc.gz");
}

#[test]
fn archives_that_hold_nothing_are_named_and_stop_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_empty(folder.path());
    good_archive(folder.path());
    let names = ["lines.arc", "members.warc.gz", "none.warc.gz", "zeros.warc"]
        .map(|name| text(&folder.path().join(name)).to_owned());
    for workers in ["1", "3"] {
        let corpus = build(&[folder.path()], &["--workers", workers]);
        assert_eq!(
            (corpus.status, corpus.number("documents"), corpus.sum("rejects")),
            (Some(0), 1, 0)
        );
        let line = corpus.line("empty archives");
        assert!(line.ends_with(&format!("4  {}", names.join(", "))), "{line}");
        assert_eq!(
            corpus.summary["empty_archives"],
            serde_json::json!({ "count": 4, "names": names })
        );
    }
    // They are named by the run that ends the build, whichever has read them.
    let out = folder.path().join("corpus");
    for (phase, is_told) in [("extract", false), ("read", false), ("label", true)] {
        let output = build_to(&out, &["--phase", phase, text(folder.path())]);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(
            said(&output).contains(&names.join(", ")),
            is_told,
            "{}",
            said(&output)
        );
    }
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
        "--strict: 1 damaged place; see the rejects table"
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

/// One text of more lines than a page may have blocks: what is beyond is cut off, and takes no memory.
#[test]
fn a_program_of_millions_of_lines() {
    let lines = format!("</main><plaintext>{}", "x\n".repeat(4_000_000));
    let corpus = between_good_pages(|archive| archive.page(BAD, article().replace("</main>", &lines)));
    assert_eq!(corpus.only_truncated(BAD), "blocks");
    assert!(corpus.text(BAD).contains(SENTENCE));
}

/// Each end tag is looked for among all open elements. The steps of work are counted, so that such a page is cut at the same
/// place on any machine.
#[test]
fn a_page_of_slow_tags_is_cut_at_its_limit_of_steps() {
    let folder = tempfile::tempdir().unwrap();
    let tags = format!("</main>{}{}", "<span>".repeat(400), "</u>".repeat(60_000));
    let archive = Archive::new()
        .page(BAD, article().replace("</main>", &tags))
        .page(AFTER, article());
    let archive = archive.write(folder.path(), "crawl.warc.gz");
    let corpus = build(&[&archive], &["--max-steps", "1"]);
    assert_eq!(corpus.only_truncated(BAD), "steps");
    assert!(corpus.text(BAD).contains(SENTENCE));
    let whole = build(&[&archive], &[]);
    assert!(!whole.documents()[BAD]["truncated"].contains("steps"));
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

const LONG_PAGES: usize = 100;

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

/// Builds with one worker and sends the build a signal in its midst. What it printed.
fn stopped(crawl: &Path, out: &Path, signal: &str) -> Output {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out").arg(out);
    command.args(["--workers", "1"]).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for(".staging/run", || out.join(".staging/run").exists());
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success(), "the build had ended before it was stopped");
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "{}", said(&output));
    output
}

#[test]
fn an_interrupt_stops_within_a_part_and_leaves_nothing_partial() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (long_crawl(folder.path()), folder.path().join("out"));
    let output = stopped(&crawl, &out, "-INT");
    let expected = "error: interrupted: run the same command again to continue\n";
    assert_eq!(said(&output), expected);
    // The only part was begun.
    let left: Vec<_> = files(&out).iter().map(|path| text(path).to_owned()).collect();
    let expected = [".staging/journal-0001", ".staging/run", "gleaner.json"].map(|name| out.join(name));
    assert_eq!(left, expected.each_ref().map(|path| text(path)));
}

#[test]
fn a_second_build_on_an_output_is_refused_while_the_first_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (long_crawl(folder.path()), folder.path().join("corpus"));
    let mut command = gleaner();
    command.arg("build").arg(&crawl).arg("--out").arg(&out);
    let mut first = command.stderr(Stdio::null()).spawn().unwrap();
    wait_for("gleaner.json", || out.join("gleaner.json").exists());
    let paused = Command::new("kill")
        .args(["-STOP", &first.id().to_string()])
        .status();
    assert!(paused.unwrap().success());
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
    let is_kept = |path: &PathBuf| path.starts_with(out.join("state"));
    let partial = files(&out)
        .into_iter()
        .filter(|path| !is_kept(path))
        .find(|path| {
            path.extension()
                .is_none_or(|extension| extension != "parquet" && extension != "json")
        });
    assert_eq!(partial, None, "left over from the killed build");
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
    // Small tables of a chunk may be there as a whole: its documents come last.
    let mut visible = said.lines().filter(|line| line.ends_with(".parquet"));
    assert_eq!(visible.find(|file| file.contains("/documents/")), None);
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
    assert_printed("bad-input-a-file-that-may-not-grow-is-a-clean-failure", &sentence);
    assert_only_whole_files(&out);
    assert!(crate::support::table_files(&out, "documents").is_empty());
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
    for (name, arguments) in [
        ("no-value", &["build", "--out"][..]),
        (
            "no-workers",
            &["build", "crawl.warc", "--out", "corpus", "--workers", "0"],
        ),
        // Every two workers have a channel between them: thousands would take all memory.
        (
            "too-many-workers",
            &["build", "crawl.warc", "--out", "corpus", "--workers", "5000"],
        ),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert_printed(&format!("bad-input-wrong-usage-{name}"), &said(&output));
    }
}

#[test]
fn names_that_are_near_something_built_in_are_mended() {
    let sentences = [
        &["clean", "-m", "deafult", "page.html"][..],
        &["model", "show", "txet"],
        &["posts", "--rules", "blogbustr", "page.html"],
    ]
    .map(|arguments| refusal(&run(arguments)));
    assert_printed(
        "bad-input-names-that-are-near-something-built-in",
        &sentences.join("\n"),
    );
}

#[test]
fn an_archive_is_no_job_file() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("crawl.warc.gz");
    fs::write(&archive, gzip_of_zeros(b"", 1, b"")).unwrap();
    let sentence = refusal(&run([Path::new("run"), &archive]));
    assert_printed("bad-input-an-archive-is-no-job-file", &sentence);
}

#[test]
fn a_full_output_is_named() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let output = gleaner().args(["run", "--schema"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).starts_with("error: could not write to standard output: "),
        "{}",
        said(&output)
    );
}
