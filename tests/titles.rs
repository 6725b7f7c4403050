//! The title in the text: `gleaner clean` and `gleaner build` keep the main heading, and both leave it out if that is wanted.

use std::path::{Path, PathBuf};

use gleaner_testing::warc::{Archive, SENTENCE};

use crate::support::{build, rows, run, said};

const HEADING: &str = "https://crumb.example/heading";
const SPAN: &str = "https://crumb.example/span";
const NONE: &str = "https://crumb.example/none";

fn prose() -> String {
    format!("<p>{SENTENCE}. {SENTENCE}, and so it goes.</p><p>{SENTENCE}, and nobody knows why.</p>")
}

/// A page whose heading stands behind the day, one whose title is in a span, and one that does not show its title.
fn crawl(folder: &Path) -> PathBuf {
    let page = |body: &str| format!("<title>On salt - Crumb</title><body>{body}{}", prose());
    Archive::new()
        .page(HEADING, page(&format!("<p>{SENTENCE}.</p><h2>On salt</h2>")))
        .page(SPAN, page("<div><span>On salt</span></div>"))
        .page(NONE, page(""))
        .write(folder, "crumb.warc.gz")
}

fn cleaned(archive: &Path, url: &str, options: &[&str]) -> String {
    let output = run([Path::new("clean"), archive]
        .into_iter()
        .chain(options.iter().map(Path::new)));
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let own = text.split("==> ").find_map(|page| page.strip_prefix(url));
    let own = own.unwrap_or_else(|| panic!("no page {url} in {text}"));
    own.trim_start_matches(" <==").trim().to_owned()
}

#[test]
fn the_main_heading_is_the_first_line_in_each_form_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let archive = crawl(folder.path());
    let corpus = build(&[&archive], &["--blocks", "--markdown"]);
    let documents = corpus.documents();
    for (url, begin) in [(HEADING, "On salt\n\n"), (SPAN, "On salt\n\n"), (NONE, SENTENCE)] {
        let document = &documents[url];
        assert_eq!(document["title"], "On salt");
        let text = &document["text"];
        assert!(text.starts_with(begin), "{url}: {text}");
        assert_eq!(text.matches("On salt").count(), usize::from(url != NONE));
        assert_eq!(cleaned(&archive, url, &[]), text.trim());
        let markdown = cleaned(&archive, url, &["--format", "markdown"]);
        assert_eq!(markdown, document["markdown"].trim());
        assert_eq!(markdown.starts_with("# On salt\n\n"), url != NONE);
    }
    // What stood before the heading stands behind it.
    let text = &documents[HEADING]["text"];
    assert!(
        text.starts_with(&format!("On salt\n\n{SENTENCE}.\n\n{SENTENCE}. ")),
        "{text}"
    );
    let blocks = rows(&corpus.path().join("blocks"));
    let headings: Vec<_> = blocks.iter().filter(|block| block["text"] == "On salt").collect();
    let shown = |url: &str| headings.iter().find(|block| block["url"] == url).unwrap();
    assert_eq!(headings.len(), 2);
    // Blocks stand in the order of the page.
    assert_eq!(
        (shown(HEADING)["block"].as_str(), shown(SPAN)["block"].as_str()),
        ("1", "0")
    );
    assert!(headings.iter().all(|block| block["label"] == "header"));
}

#[test]
fn html_begins_with_the_main_heading() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("salt.html");
    let body = format!("<p>{SENTENCE}.</p><div><span>On salt</span></div>{}", prose());
    std::fs::write(&page, format!("<title>On salt</title>{body}")).unwrap();
    let html = |options: &[&str]| {
        let given = ["clean", page.to_str().unwrap(), "--format", "html"].into_iter();
        String::from_utf8(run(given.chain(options.iter().copied())).stdout).unwrap()
    };
    let (with, without) = (html(&[]), html(&["--no-title"]));
    assert!(with.contains(">\n<h1>On salt</h1>\n<p>"), "{with}");
    assert_eq!(with.replace("<h1>On salt</h1>\n", ""), without);
}

#[test]
fn the_main_heading_is_left_out_if_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let archive = crawl(folder.path());
    let corpus = build(&[&archive], &["--blocks", "--markdown", "--no-title"]);
    for (url, document) in corpus.documents() {
        assert_eq!(document["title"], "On salt");
        assert!(
            document["text"].starts_with(SENTENCE),
            "{url}: {}",
            document["text"]
        );
        assert!(!document["text"].contains("On salt") && !document["markdown"].contains("On salt"));
        assert_eq!(cleaned(&archive, &url, &["--no-title"]), document["text"].trim());
    }
    let blocks = rows(&corpus.path().join("blocks"));
    let mut headings = blocks.iter().filter(|block| block["text"] == "On salt");
    assert!(headings.all(|block| block["label"] == "other"));
}

#[test]
fn a_corpus_with_titles_is_not_continued_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let archive = crawl(folder.path());
    let out = folder.path().join("corpus");
    let again = |option: Option<&str>| {
        let given = ["build", archive.to_str().unwrap(), "--out", out.to_str().unwrap()];
        run(given.into_iter().chain(option))
    };
    assert_eq!(again(None).status.code(), Some(0));
    let refused = again(Some("--no-title"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("--force"), "{}", said(&refused));
}
