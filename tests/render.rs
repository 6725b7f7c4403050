//! `gleaner render`: what other commands read of the pages that a browser drew.

use std::path::Path;
use std::process::Output;

use gleaner_testing::warc::Archive;
use serde_json::Value;

use crate::support::{gleaner, run, said};

/// Whether there is a browser; where there is none, a line with the reason.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn has_browser() -> bool {
    let found = gleaner_render::browser::find(None);
    if let Err(error) = &found {
        assert!(std::env::var_os("CI").is_none(), "{error}");
        eprintln!("skipped: {error}");
    }
    found.is_ok()
}

const JSON: &str = "Content-Type: application/json\r\n";
const SCRIPT: &str = "Content-Type: text/javascript\r\n";

/// A blog and a page of an application: both have their text in JSON.
fn archive() -> Archive {
    let shell = "<!doctype html><title>Harbour notes</title><div id=app></div><noscript>Please enable JavaScript.</noscript><script src=/app.js></script>";
    let script = "fetch(location.pathname + 'data.json').then(answer => answer.json()).then(posts => {
        document.getElementById('app').innerHTML = '<main>' + posts.map(post => `<article class=post><h2 class=entry-title><a href='/${post.day}'>${post.title}</a></h2>
            <div class=date><time datetime='${post.date}'>${post.date}</time></div><div class=entry-content><p>${post.text}</p><p>${post.text}</p></div></article>`).join('') + '</main>';
    });";
    let post = |day: u32| {
        format!(
            r#"{{"day": {day}, "title": "What day {day} brought", "date": "2024-05-{day:02}",
                "text": "On day {day} the harbour master wrote a long line about the tide, the wind and the boats that came in, as she does every evening before the lamp is lit."}}"#
        )
    };
    let posts: Vec<String> = (1..6).map(post).collect();
    Archive::new()
        .page("https://a.example/blog/", shell)
        .page("https://a.example/note/", shell)
        .response("https://a.example/app.js", SCRIPT, script)
        .response(
            "https://a.example/blog/data.json",
            JSON,
            format!("[{}]", posts.join(",")),
        )
        .response("https://a.example/note/data.json", JSON, format!("[{}]", post(9)))
}

fn render(folder: &Path, out: &str, more: &[&str]) -> Output {
    let mut command = gleaner();
    command
        .current_dir(folder)
        .args(["render", "crawl.warc.gz", "--out", out])
        .args(more);
    command.output().unwrap()
}

#[test]
fn text_and_posts_that_scripts_draw_are_read() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    archive().write(folder.path(), "crawl.warc.gz");
    let output = render(folder.path(), "drawn.warc.gz", &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&summary["pages"], &summary["drawn"]),
        (&2.into(), &2.into()),
        "{summary}"
    );
    assert_eq!(
        summary["requests"],
        serde_json::json!({"answered": 4, "missing": 0, "refused": 0})
    );

    let drawn = folder.path().join("drawn.warc.gz");
    let drawn = drawn.to_str().unwrap();
    let text = String::from_utf8(run(["clean", drawn]).stdout).unwrap();
    assert!(
        text.contains("On day 9 the harbour master wrote a long line"),
        "{text}"
    );
    assert!(!text.contains("enable JavaScript"), "{text}");

    let posts = run(["posts", drawn, "-f", "json"]).stdout;
    let first: Value =
        serde_json::from_str(String::from_utf8(posts).unwrap().lines().next().unwrap()).unwrap();
    let found = first["posts"].as_array().unwrap();
    assert_eq!(found.len(), 5, "{first}");
    assert_eq!(found[2]["published"]["date"], "2024-05-03", "{first}");

    let corpus = folder.path().join("corpus");
    let output = run(["build", drawn, "--out", corpus.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn the_summary_says_what_was_drawn() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let archive = archive().page(
        "https://a.example/loop/",
        "<div id=app></div><script>while (true);</script>",
    );
    archive.write(folder.path(), "crawl.warc.gz");
    let output = render(folder.path(), "drawn.warc.gz", &["--page-timeout", "10"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("pages/s")).collect();
    assert_eq!(
        lines,
        [
            "pages                   3",
            "  drawn                 2",
            "  text without scripts  0",
            "  failed                1",
            "    timed-out           1",
            "requests                4",
            "  answered              4",
            "  not in the archives   0",
            "  refused               0",
            "2 pages written to drawn.warc.gz",
            "page not drawn: https://a.example/loop/: timed-out",
        ]
    );
    // All pages failed: the answer is no.
    let only = gleaner_testing::warc::Archive::new().page(
        "https://a.example/loop/",
        "<div id=app></div><script>while (true);</script>",
    );
    only.write(folder.path(), "crawl.warc.gz");
    let output = render(folder.path(), "none.warc.gz", &["--page-timeout", "5"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn what_cannot_be_carried_out_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    archive().write(folder.path(), "crawl.warc.gz");
    let mut command = gleaner();
    command
        .current_dir(folder.path())
        .env("PATH", folder.path())
        .env_remove("CHROMIUM");
    command.args(["render", "crawl.warc.gz", "--out", "drawn.warc.gz"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let sentence = "no Chromium found: install it (Debian: apt install chromium-headless-shell; elsewhere Chromium or Chrome), or name it with --browser";
    assert!(
        said(&output).ends_with(&format!("error: {sentence}\n")),
        "{}",
        said(&output)
    );
    for (out, more, sentence) in [
        (
            "drawn.txt",
            &[][..],
            "error: --out is 'drawn.txt': write a local name that ends in .warc.gz",
        ),
        (
            "crawl.warc.gz",
            &[],
            "error: 'crawl.warc.gz' exists: choose another name for --out, or remove it",
        ),
        (
            "no/drawn.warc.gz",
            &[],
            "error: no/drawn.warc.gz: no folder no: create it first",
        ),
        (
            "drawn.warc.gz",
            &["--browser", "/no/browser"],
            "error: could not start '/no/browser': No such file or directory (os error 2)",
        ),
        ("drawn.warc.gz", &["none.warc.gz"], "none.warc.gz"),
    ] {
        let output = render(folder.path(), out, more);
        assert_eq!(output.status.code(), Some(2), "{out} {more:?}");
        assert!(
            said(&output).contains(sentence),
            "{out} {more:?}: {}",
            said(&output)
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
