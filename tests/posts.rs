//! `gleaner posts`: the posts of pages, three ways to print them.

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use gleaner_testing::warc::record;
use serde_json::Value;

use crate::support::{assert_printed, build, gleaner, refusal, rows, run, said, sample};

/// A front page with two posts.
const FRONT: &str = "<title>Lamps</title><body>\
    <article><h2><a href=/2016/07/lamps>On lamps &amp; oil</a></h2><time datetime=2016-07-08>Friday</time>\
    <div class=entry-content><p>They burn.</p><p>Long.</p></div></article>\
    <article><h2><a href=/2016/06/wicks>On wicks</a></h2><time>2 June 2016</time>\
    <div class=entry-content><p>They glow.</p></div></article>";

/// The posts of a page that comes from standard input.
fn posts(page: &str, options: &[&str]) -> String {
    let mut command = gleaner();
    command
        .args(["posts", "-"])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    printed(&child.wait_with_output().unwrap())
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn text_has_title_date_and_text_of_each_post() {
    let text = posts(FRONT, &[]);
    assert!(
        text.starts_with("==> standard input <==\n# On lamps & oil\n2016-07-08\n\nThey burn.\nLong.\n\n# On wicks\n2016-06-02\n"),
        "{text}"
    );
}

#[test]
fn json_is_a_page_a_line() {
    let lines = posts(FRONT, &["--format", "json", "--url", "http://lamps.example/"]);
    assert_eq!(lines.lines().count(), 1, "{lines}");
    let page: Value = serde_json::from_str(&lines).unwrap();
    assert_eq!(page["url"], "http://lamps.example/");
    assert_eq!(page["posts"][0]["title"], "On lamps & oil");
    assert_eq!(page["posts"][0]["published"]["date"], "2016-07-08");
    assert_eq!(page["posts"][0]["published"]["text"], "Friday");
    assert_eq!(page["posts"][0]["link"], "http://lamps.example/2016/07/lamps");
    assert_eq!(page["posts"][1]["text"], "They glow.");
}

#[test]
fn a_page_with_more_posts_than_are_looked_for_says_so() {
    let post = |at: usize| format!("<div class=post><h2>Title {at}</h2><p>It burns.</p></div>");
    let front = |count: usize| (0..count).map(post).collect::<String>();
    let folder = tempfile::tempdir().unwrap();
    let said_of = |page: &str, options: &[&str]| {
        let path = folder.path().join("many-posts.html");
        fs::write(&path, page).unwrap();
        let mut arguments = vec!["posts", path.to_str().unwrap()];
        arguments.extend(options);
        let output = run(arguments);
        (printed(&output), said(&output))
    };
    let (line, warning) = said_of(&front(1001), &["--format", "json"]);
    let page: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(page["posts"].as_array().unwrap().len(), 1000);
    assert!(
        page["truncated"].as_array().unwrap().contains(&"posts".into()),
        "{}",
        page["truncated"]
    );
    assert!(
        warning.contains("many-posts.html") && warning.contains("posts"),
        "{warning}"
    );
    assert!(warning.contains("there may be more posts"), "{warning}");
    let (xml, _) = said_of(&front(1001), &["--format", "xml"]);
    assert!(xml.contains(" truncated=\"posts"), "{}", &xml[..200]);
    // A page within the limits says nothing.
    let (line, warning) = said_of(&front(20), &["--format", "json"]);
    let page: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (page["posts"].as_array().unwrap().len(), &page["truncated"]),
        (20, &serde_json::json!([]))
    );
    assert_eq!(warning, "");
    // Nor does a limit of the page go by without a word.
    let (_, warning) = said_of(&format!("{}{}", front(2), "<div>".repeat(600)), &[]);
    assert!(warning.contains("nested deeper than the limit"), "{warning}");
}

#[test]
fn xml_is_one_document_whatever_the_pages() {
    let xml = posts(FRONT, &["--format", "xml"]);
    assert!(xml.starts_with("<?xml version=\"1.0\""), "{xml}");
    assert!(xml.contains("<title>On lamps &amp; oil</title>"), "{xml}");
    assert!(
        xml.contains("<published date=\"2016-07-08\">Friday</published>"),
        "{xml}"
    );
    assert!(xml.ends_with("</pages>\n"), "{xml}");
    assert_eq!(
        posts("<p>No post.", &["--format", "xml"])
            .matches("<post>")
            .count(),
        0
    );
}

/// The page of a post, with a comment and a day that its address completes.
const SINGLE: &str = "<title>On lamps | Harbour</title><body><article class=post><h1>On lamps</h1>\
    <div class=date>22 February</div><div class=entry-content><p>They burn all night.</div></article>\
    <div id=comments><div class=comment><span class=comment-author>Ann</span>\
    <time datetime=2016-07-09>yesterday</time><div class=comment-text>Mine went out.</div></div></div>";

#[test]
fn comments_are_told_apart_from_the_post() {
    let url = ["--url", "http://lamps.example/2016/02/22/lamps"];
    let text = posts(SINGLE, &url);
    assert_eq!(
        text,
        "==> standard input <==\n# On lamps\n2016-02-22\n\nThey burn all night.\n\n> Ann, 2016-07-09\n> Mine went out.\n\n"
    );
    let xml = posts(SINGLE, &["--format", "xml", url[0], url[1]]);
    let date = "<published date=\"2016-02-22\" completed=\"address\">22 February</published>";
    assert!(
        xml.contains(date) && xml.contains("<author>Ann</author>"),
        "{xml}"
    );
    let json: Value = serde_json::from_str(&posts(SINGLE, &["--format", "json"])).unwrap();
    let post = &json["posts"][0];
    assert_eq!(post["comments"][0]["text"], "Mine went out.");
    // Without an address nothing completes the day.
    assert_eq!(
        (&post["published"]["date"], &post["published"]["text"]),
        (&Value::Null, &"22 February".into())
    );
}

#[test]
fn a_corpus_has_a_table_of_posts_if_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("blog.warc");
    let mut records = Vec::new();
    for (url, html) in [
        ("http://lamps.example/", FRONT),
        ("http://lamps.example/2016/02/22/lamps", SINGLE),
    ] {
        let fields = format!(
            "WARC-Record-ID: <urn:x:{url}>\r\nWARC-Date: 2016-08-01T00:00:00Z\r\nContent-Type: text/html\r\n"
        );
        records.extend(record("resource", url, &fields, html));
    }
    fs::write(&archive, records).unwrap();
    for templates in [&[][..], &["--no-templates"]] {
        let corpus = build(&[&archive], &[&["--posts"], templates].concat());
        let posts = rows(&corpus.path().join("posts"));
        assert_eq!((posts.len() as u64, corpus.number("posts")), (3, 3));
        let told = |at: usize, column: &str| posts[at][column].as_str();
        assert_eq!(told(1, "title"), "On wicks");
        assert_eq!((told(1, "post"), told(1, "published_text")), ("1", "2 June 2016"));
        assert_eq!(told(1, "link"), "http://lamps.example/2016/06/wicks");
        assert_eq!(
            (told(2, "record_id"), told(2, "comments")),
            ("<urn:x:http://lamps.example/2016/02/22/lamps>", "1")
        );
        assert_eq!(
            (told(2, "published"), told(2, "published_completed")),
            ("2016-02-22", "address")
        );
    }
    assert!(!build(&[&archive], &[]).path().join("posts").exists());
}

#[test]
fn an_archive_gives_each_page_with_its_address() {
    let lines = printed(&run([
        "posts".as_ref(),
        sample().as_os_str(),
        "--format".as_ref(),
        "json".as_ref(),
    ]));
    let pages: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(pages.len() > 30, "{}", pages.len());
    let of_salt = |page: &&Value| page["url"].as_str().unwrap().contains("slowsalt.example");
    assert_eq!(pages.iter().filter(of_salt).count(), 7);
}

#[test]
fn files_and_standard_input_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    fs::write(&path, FRONT).unwrap();
    let output = run(["posts".as_ref(), path.as_os_str()]);
    let named = posts(FRONT, &[]).replace("standard input", path.to_str().unwrap());
    assert_eq!(printed(&output), named);
}

#[test]
fn what_is_no_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
    let sentence = refusal(&run(["posts".as_ref(), path.as_os_str()]));
    assert_printed("posts-what-is-no-page-is-refused", &sentence);
    let sentence = refusal(&run(["posts", "nowhere/page.html"]));
    assert_printed("posts-what-is-no-page-is-refused-2", &sentence);
    let sentence = refusal(&run(["posts", "--rules", "nowhere/own.toml", "-"]));
    assert_printed("posts-what-is-no-page-is-refused-3", &sentence);
}

/// The day of a post with a date as printed, by both sets of rules.
fn assert_day(head: &str, around: &str, date: &str, wanted: &str) {
    let html = format!(
        "{head}<title>Tern notes</title>{around}<div class=post><h3 class=post-title>Storm over</h3>{date}\
         <div class=post-body><p>The ferry sails again after nine days of storm, and the shops have bread.</p></div></div>"
    );
    for rules in [&[][..], &["--rules", "blogbuster"]] {
        let line = posts(&html, &[rules, &["--format", "json"]].concat());
        let page: Value = serde_json::from_str(&line).unwrap();
        let found = page["posts"][0]["published"]["date"].as_str().unwrap_or("no day");
        assert_eq!(found, wanted, "{head} {around} {date} {rules:?}");
    }
}

#[test]
fn numbers_are_read_in_the_order_of_the_language() {
    for (html, printed, wanted) in [
        ("<html lang=en-US>", "04/05/10", "2010-04-05"),
        ("<html lang=en-US>", "04-05-2010 08:12:11", "2010-04-05"),
        ("<html lang=en-US>", "4.5.2010", "2010-04-05"),
        ("<html lang=en>", "04/05/10", "2010-04-05"),
        ("<html lang=en>", "4.5.2010", "2010-05-04"),
        ("<html lang=en-GB>", "04/05/10", "2010-05-04"),
        ("<html lang=en-001>", "04/05/10", "2010-05-04"),
        ("<html lang=de>", "04/05/10", "2010-05-04"),
        ("<html lang=ja>", "04/05/10", "2004-05-10"),
        ("<html lang=ja>", "平成22年4月5日", "2010-04-05"),
        ("<html lang=ja>", "22年4月5日", "no day"),
        ("<html lang=ar-EG>", "٤\u{200f}/٥\u{200f}/٢٠١٠", "2010-05-04"),
        ("<html lang=fa>", "۱۳۸۹/۰۱/۱۶", "no day"),
        ("<html lang=fa>", "۰۵/۰۴/۱۰", "no day"),
        ("<html>", "04/05/10", "2010-05-04"),
        (
            "<html><meta property=og:locale content=en_US>",
            "04/05/10",
            "2010-04-05",
        ),
        (
            "<html lang=en><meta property=og:locale content=en_GB>",
            "04/05/10",
            "2010-05-04",
        ),
        (
            "<html><meta name=DC.language content='en, en-US'>",
            "4.5.2010",
            "2010-04-05",
        ),
    ] {
        assert_day(html, "", &format!("<div class=date>{printed}</div>"), wanted);
    }
}

#[test]
fn the_language_is_that_of_the_nearest_element() {
    let date = "<div class=date>04.05.2010</div>";
    for (html, around, date, wanted) in [
        ("<html lang=de>", "<body lang=en-US>", date, "2010-04-05"),
        ("<html lang=en-US>", "<div xml:lang=en-GB>", date, "2010-05-04"),
        ("<html lang=en-US>", "<div lang=en>", date, "2010-04-05"),
        ("<html lang=en-US>", "<div lang=''>", date, "2010-04-05"),
        (
            "<html lang=de>",
            "<div lang=en-US><div lang=fr>",
            date,
            "2010-05-04",
        ),
        (
            "<html lang=de>",
            "",
            "<div class=date>On <time lang=en-US>04.05.2010</time></div>",
            "2010-04-05",
        ),
        (
            "<html lang=de>",
            "<p lang=en-US>Elsewhere.</p>",
            date,
            "2010-05-04",
        ),
    ] {
        assert_day(html, around, date, wanted);
    }
}

#[test]
fn pages_of_a_folder_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for (name, page) in [("a.html", FRONT), ("b.html", "<p>No post."), ("c.html", SINGLE)] {
        fs::write(folder.path().join(name), page).unwrap();
    }
    let posts = |format: &str| {
        let output = gleaner()
            .current_dir(folder.path())
            .args(["posts", ".", "-f", format])
            .output()
            .unwrap();
        printed(&output)
    };
    let text = posts("text");
    let headers: Vec<&str> = text.lines().filter(|line| line.starts_with("==> ")).collect();
    assert_eq!(
        headers,
        ["==> ./a.html <==", "==> ./b.html <==", "==> ./c.html <=="]
    );
    assert!(
        text.contains("==> ./b.html <==\n(no post)\n\n==> ./c.html <==\n# On lamps\n"),
        "{text}"
    );
    let json = posts("json");
    let pages: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&pages[2]["file"], pages.len()), (&"./c.html".into(), 3));
    assert!(
        posts("xml").contains("<page file=\"./c.html\" url=\"\">"),
        "{}",
        posts("xml")
    );
}

#[test]
fn what_cannot_be_read_keeps_nobody_from_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    fs::write(&path, FRONT).unwrap();
    let output = run(["posts".as_ref(), "none.html".as_ref(), path.as_os_str()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("error: ") && said(&output).contains("none.html"),
        "{}",
        said(&output)
    );
    assert!(String::from_utf8(output.stdout).unwrap().contains("# On lamps"));
}
