//! `gleaner templates`: mine, show, apply, on a site of our own.

use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::warc::record;
use serde_json::Value;
use tempfile::TempDir;

use crate::inputs::gzip;
use crate::support::{assert_printed, refusal, run, said};

/// A folder of HTML files, which is a site: a menu, a line with a date, a paragraph of its own each.
fn site(pages: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for page in 0..pages {
        fs::write(folder.path().join(format!("{page:03}.html")), html(page)).unwrap();
    }
    folder
}

fn html(page: usize) -> String {
    let words: Vec<String> = (0..30)
        .map(|word| format!("w{}", (page + 1) * (word + 7) % 997))
        .collect();
    format!(
        "<html><body><ul><li>Home<li>About us<li>Contact</ul><p>Posted on May {}, 2007 at {}:30</p>\
         <p>{}</p><div>Copyright the pages' makers</div></body></html>",
        page % 28 + 1,
        page % 24,
        words.join(" ")
    )
}

fn mine(inputs: &Path, out: &Path, more: &[&str]) -> String {
    let mut arguments = vec![
        "templates",
        "mine",
        inputs.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ];
    arguments.extend(more);
    let output = run(arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// All files below a folder, with what is in them.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn what_a_site_repeats_is_mined_shown_and_taken_away() {
    let site = site(40);
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("t");
    let summary = mine(site.path(), &out, &[]);
    assert!(summary.contains("1 sites, "), "{summary}");

    let out = out.to_str().unwrap();
    let name = site.path().to_str().unwrap();
    let shown = printed(&["templates", "show", name, "--templates", out]);
    assert!(shown.contains("40 pages mined, "), "{shown}");
    assert!(shown.contains("▲ cut-off") && !shown.contains('\x1b'), "{shown}");
    assert!(shown.contains(r"100%      40 times"), "{shown}");
    assert!(
        shown.contains(r"Home\s+About\s+us\s+Contact\s+Posted\s+on\s+"),
        "{shown}"
    );

    // A page that was not mined, with a date and a time that no other has.
    let page = work.path().join("new.html");
    let html = html(7).replace("2007 at 7:30", "2031 at 23:59");
    fs::write(&page, &html).unwrap();
    let text = printed(&["templates", "apply", out, page.to_str().unwrap()]);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("w56 w64"), "{text}");

    let json = printed(&["templates", "apply", out, page.to_str().unwrap(), "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let source = json["source"].as_str().unwrap();
    let first = &json["removed"][0];
    let range = first["start"].as_u64().unwrap() as usize..first["end"].as_u64().unwrap() as usize;
    assert_eq!(
        &source[range],
        "Home\nAbout us\nContact\nPosted on May 8, 2031 at 23:59"
    );
    assert_eq!(json["over"], "text");
}

#[test]
fn html_is_mined_as_it_is() {
    let site = site(40);
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("t");
    mine(site.path(), &out, &["--over", "html"]);
    let page = site.path().join("003.html");
    let text = printed(&[
        "templates",
        "apply",
        out.to_str().unwrap(),
        page.to_str().unwrap(),
    ]);
    assert!(
        text.contains("w28 w32") && !text.contains("<li>About us<li>"),
        "{text}"
    );
}

#[test]
fn neither_threads_nor_the_order_of_files_change_a_byte() {
    let site = site(60);
    let work = tempfile::tempdir().unwrap();
    let made: Vec<_> = ["1", "2", "4"]
        .iter()
        .map(|workers| {
            let out = work.path().join(workers);
            mine(site.path(), &out, &["--workers", workers, "--site-sample", "25"]);
            files(&out)
                .into_iter()
                .map(|(_, bytes)| bytes)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(made[0].len(), 5, "two tables, their logs, and the marker");
    assert!(made[0] == made[1] && made[1] == made[2]);
}

#[test]
fn a_job_file_adds_patterns() {
    let site = site(10);
    let work = tempfile::tempdir().unwrap();
    let job = work.path().join("job.toml");
    fs::write(&job, "min_pages = 4\n[tokens]\npatterns = ['w[0-9]+']\n").unwrap();
    let out = work.path().join("t");
    mine(site.path(), &out, &["--job", job.to_str().unwrap()]);
    let page = site.path().join("001.html");
    let text = printed(&[
        "templates",
        "apply",
        out.to_str().unwrap(),
        page.to_str().unwrap(),
    ]);
    assert_eq!(text, "", "every word is mutable now");
}

#[test]
fn refusals_say_the_mend() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("t");
    let (out, here) = (out.to_str().unwrap(), work.path().to_str().unwrap());
    let say = |arguments: &[&str]| refusal(&run(arguments));
    let sentence = say(&["templates", "mine", here]);
    assert!(
        sentence
            .contains("no text (.txt, .txt.gz, .txt.zst) and no HTML file (.html, .htm, .xhtml) in folder"),
        "{sentence}"
    );
    let sentence = say(&["templates", "mine", "nowhere.warc", "--token", "a"]);
    assert!(
        sentence.contains("the token expression 'a' cannot be inverted: write one class"),
        "{sentence}"
    );
    let sentence = say(&["templates", "mine", "nowhere.warc", "--pattern", "a b"]);
    assert!(
        sentence.contains("matches what lies between tokens"),
        "{sentence}"
    );
    let sentence = say(&["templates", "apply", out, "a.html"]);
    assert!(
        sentence.contains("holds no templates: make them with gleaner templates mine --out"),
        "{sentence}"
    );

    let site = site(3);
    mine(site.path(), Path::new(out), &[]);
    let site_of = site.path().to_str().unwrap();
    let sentence = say(&[
        "templates",
        "mine",
        site_of,
        "--out",
        out,
        "--no-default-patterns",
        "--min-pages",
        "4",
    ]);
    assert!(
        sentence.contains("(min_pages: 3 in the corpus, 4 in this command; default_patterns: true in the corpus, false in this command): "),
        "{sentence}"
    );
    let sentence = say(&["templates", "show", "other.example", "--templates", out]);
    assert!(
        sentence.contains("holds no templates of other.example"),
        "{sentence}"
    );
    let sentence = say(&["templates", "apply", out, "missing.html"]);
    assert!(sentence.contains("missing.html"), "{sentence}");
}

#[test]
fn pages_that_cannot_be_parsed_are_named_or_refused() {
    let site = site(3);
    for name in ["y.html", "x.html"] {
        let binary = b"<html>\x89\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14";
        fs::write(site.path().join(name), binary).unwrap();
    }
    let output = run(["templates".as_ref(), "mine".as_ref(), site.path().as_os_str()]);
    let told = said(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.contains("warning: skipped 2 pages that cannot be parsed, the first of them")
            && told.contains("x.html: the body is binary"),
        "{told}"
    );
    let file = site.path().join("x.html");
    let sentence = refusal(&run(["templates".as_ref(), "mine".as_ref(), file.as_os_str()]));
    assert_printed(
        "templates-pages-that-cannot-be-parsed-are-named-or-refused",
        &sentence,
    );
}

/// Texts of a site: a menu, lines of their own, an imprint.
fn text(page: usize) -> String {
    let words: Vec<String> = (0..30)
        .map(|word| format!("w{}", (page + 1) * (word + 7) % 997))
        .collect();
    format!(
        "Home News Culture Contact us\n{}\nIssue {page} of {} May 2021\nCopyright Quillmere Gazette\n",
        words.join(" "),
        page % 28 + 1
    )
}

/// An archive of records: type, media type, URL, content.
fn archive(path: &Path, records: impl IntoIterator<Item = (&'static str, &'static str, String, String)>) {
    let records = records.into_iter().map(|(kind, media, url, content)| {
        let fields = format!("WARC-Date: 2024-05-14T06:30:00Z\r\nContent-Type: {media}\r\n");
        record(kind, &url, &fields, content)
    });
    fs::write(path, records.flatten().collect::<Vec<u8>>()).unwrap();
}

fn wet(path: &Path, host: &str, pages: usize) {
    let url = |page: usize| format!("https://{host}/{page}");
    archive(
        path,
        (0..pages).map(|page| ("conversion", "text/plain", url(page), text(page))),
    );
}

#[test]
fn plain_texts_of_archives_are_mined_and_cleaned() {
    let work = tempfile::tempdir().unwrap();
    let (crawl, out) = (work.path().join("a.warc.wet"), work.path().join("t"));
    wet(&crawl, "quillmere.example", 12);
    let summary = mine(&crawl, &out, &[]);
    assert!(summary.contains("quillmere.example           12 "), "{summary}");
    let (out, crawl) = (out.to_str().unwrap(), crawl.to_str().unwrap());
    let left = printed(&["templates", "apply", out, crawl]);
    assert!(
        left.starts_with("==> https://quillmere.example/0 <==\nw7 w8"),
        "{left}"
    );
    assert!(
        left.contains("\n\n==> https://quillmere.example/11 <==\n"),
        "{left}"
    );
    assert!(!left.contains("Home") && !left.contains("Issue"), "{left}");
}

#[test]
fn captures_of_plain_text_are_those_that_a_build_takes() {
    let work = tempfile::tempdir().unwrap();
    let (crawl, out) = (work.path().join("a.warc"), work.path().join("t"));
    let http = |page: usize| {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{}",
            text(page)
        )
    };
    let responses = (0..9).map(|page| {
        let url = match page {
            7 => "https://a.example/robots.txt".to_owned(),
            8 => "metadata://a.example/log".to_owned(),
            page => format!("https://a.example/{page}"),
        };
        ("response", "application/http; msgtype=response", url, http(page))
    });
    archive(&crawl, responses);
    let summary = mine(&crawl, &out, &[]);
    assert!(summary.contains("a.example            7 "), "{summary}");
    let json = printed(&[
        "templates",
        "apply",
        out.to_str().unwrap(),
        crawl.to_str().unwrap(),
        "--json",
    ]);
    let urls: Vec<String> = json
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["url"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(urls.len(), 7, "{urls:?}");
    assert_eq!(urls[0], "https://a.example/0");
}

/// A folder of texts, with what is none of them beside.
fn texts(folder: &Path, pages: usize) {
    fs::create_dir(folder).unwrap();
    for page in 0..pages {
        fs::write(folder.join(format!("{page:02}.txt")), text(page)).unwrap();
    }
    fs::write(folder.join("robots.txt"), "User-agent: *").unwrap();
}

#[test]
fn a_folder_of_texts_is_a_site_as_one_of_html_is() {
    let work = tempfile::tempdir().unwrap();
    let (site, out) = (work.path().join("site"), work.path().join("t"));
    texts(&site, 10);
    let summary = mine(&site, &out, &[]);
    assert!(summary.contains("site           10 "), "{summary}");
    let out = out.to_str().unwrap();
    let page = site.join("03.txt");
    let one = printed(&["templates", "apply", out, page.to_str().unwrap()]);
    assert!(one.starts_with("w28 w32") && one.lines().count() == 1, "{one}");
    let all = printed(&["templates", "apply", out, site.to_str().unwrap()]);
    assert_eq!(all.matches("==> ").count(), 10, "{all}");
    assert!(
        all.contains(&format!("==> {} <==\n{one}", page.display())),
        "{all}"
    );
    // Compressed texts are texts.
    let packed = work.path().join("packed").join("site");
    fs::create_dir_all(&packed).unwrap();
    for page in 0..10 {
        fs::write(
            packed.join(format!("{page:02}.txt.gz")),
            gzip(text(page).as_bytes()),
        )
        .unwrap();
    }
    let summary = mine(&packed, &work.path().join("p"), &[]);
    assert!(summary.contains("site           10 "), "{summary}");
    // What is beside a page of the same name is its gold text.
    for page in 0..10 {
        fs::write(site.join(format!("{page:02}.html")), html(page)).unwrap();
        fs::write(site.join(format!("{page:02}-cleaned.txt")), text(page)).unwrap();
    }
    let summary = mine(&site, &work.path().join("u"), &[]);
    assert!(summary.contains("site           10 "), "{summary}");
}

#[test]
fn pages_of_sites_without_expressions_are_counted() {
    let work = tempfile::tempdir().unwrap();
    let (site, out) = (work.path().join("site"), work.path().join("t"));
    fs::create_dir(&site).unwrap();
    for page in 0..3 {
        fs::write(
            site.join(format!("{page}.txt")),
            format!("alone{page} single{page}"),
        )
        .unwrap();
    }
    assert!(mine(&site, &out, &[]).contains("1 sites, 0 expressions"));
    let output = run([
        "templates",
        "apply",
        out.to_str().unwrap(),
        site.to_str().unwrap(),
    ]);
    assert!(output.status.success() && output.stdout.starts_with(b"==> "));
    let warning = said(&output);
    assert!(
        warning.contains("warning: 3 pages are printed unchanged: ")
            && warning.contains("/site, nor of any other site"),
        "{warning}"
    );
}

#[test]
fn a_page_has_the_templates_of_its_host() {
    let work = tempfile::tempdir().unwrap();
    let path = |name: &str| work.path().join(name);
    let out = path("t").to_str().unwrap().to_owned();
    let (one, two, other) = (path("1.wet"), path("2.wet"), path("3.wet"));
    wet(&one, "one.example", 9);
    wet(&two, "two.example", 9);
    wet(&other, "other.example", 2);
    let [one, two, other] = [&one, &two, &other].map(|path| path.to_str().unwrap());
    // What two sites share is on too few for an idiom.
    printed(&["templates", "mine", one, two, "--out", &out]);
    let output = run(["templates", "apply", &out, one, other, "--json"]);
    let pages: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (pages.len(), pages[0]["site"].as_str()),
        (11, Some("one.example"))
    );
    assert_eq!(pages[0]["file"], one);
    assert!(
        pages[9]["site"].is_null() && pages[9]["text"] == pages[9]["source"],
        "{}",
        pages[9]
    );
    let warning = said(&output);
    assert!(
        output.status.success()
            && warning.contains("warning: 2 pages are printed unchanged: ")
            && warning.contains("other.example"),
        "{warning}"
    );
    let lines = printed(&["templates", "show", "--templates", &out, "--format", "regex"]);
    assert!(lines.starts_with("# one.example: 9 pages mined, "), "{lines}");
    // A site that is named is taken for all.
    let named = printed(&["templates", "apply", &out, other, "--site", "two.example"]);
    assert!(!named.contains("Home"), "{named}");

    let page = path("page.html");
    fs::write(&page, html(1)).unwrap();
    let sentence = refusal(&run(["templates", "apply", &out, page.to_str().unwrap()]));
    assert_printed("templates-a-page-has-the-templates-of-its-host", &sentence);
}

#[test]
fn expressions_are_printed_one_a_line_and_applied_from_such_a_file() {
    let work = tempfile::tempdir().unwrap();
    let (site, out) = (site(30), work.path().join("t"));
    mine(site.path(), &out, &[]);
    let out = out.to_str().unwrap();
    let file = work.path().join("e.txt");
    let expressions = printed(&["templates", "show", "--templates", out, "--format", "regex"]);
    assert!(
        expressions.lines().all(|line| line.starts_with(r"([\t-\r ]+|^)")) && !expressions.contains(r"\s"),
        "{expressions}"
    );
    fs::write(&file, &expressions).unwrap();
    let (file, page) = (file.to_str().unwrap(), site.path().join("003.html"));
    let page = page.to_str().unwrap();
    let left = printed(&["templates", "apply", file, page]);
    assert_eq!(left, printed(&["templates", "apply", out, page]));

    // Expressions of a person's own.
    fs::write(file, "# mine\n(?m)^Posted .*$\nCopyright the\n").unwrap();
    let left = printed(&["templates", "apply", file, page]);
    assert!(
        left.starts_with("Home\n") && left.ends_with("pages' makers\n"),
        "{left}"
    );
    assert!(!left.contains("Posted") && !left.contains("Copyright"), "{left}");
    fs::write(file, "fine\n[a-\n").unwrap();
    let sentence = refusal(&run(["templates", "apply", file, page]));
    assert_printed(
        "templates-expressions-are-printed-one-a-line-and-applied-from-such-a-file",
        &sentence,
    );
    let sentence = refusal(&run(["templates", "apply", file, page, "--site", "a"]));
    assert_printed(
        "templates-expressions-are-printed-one-a-line-and-applied-from-such-a-file-2",
        &sentence,
    );
}

#[test]
fn mutable_patterns_are_ones_own_or_none() {
    let work = tempfile::tempdir().unwrap();
    let site = site(30);
    let patterns = work.path().join("patterns.txt");
    let mine = |more: &[&str]| {
        let inputs = ["templates", "mine", site.path().to_str().unwrap(), "--json"];
        let output = run([&inputs[..], more].concat());
        assert!(output.status.success(), "{}", said(&output));
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            said(&output),
        )
    };
    let (none, _) = mine(&["--no-default-patterns"]);
    assert!(none.contains("Posted") && !none.contains("(?:"), "{none}");
    fs::write(&patterns, "# numbers\n[0-9]+,?\n\n[0-9]+:30\n").unwrap();
    let (own, warned) = mine(&["--no-default-patterns", "--patterns", patterns.to_str().unwrap()]);
    assert!(
        own.contains(
            r"May[\\t-\\r ]+(?:[0-9]+,?)[\\t-\\r ]+(?:[0-9]+,?)[\\t-\\r ]+at[\\t-\\r ]+(?:[0-9]+:30)"
        ),
        "{own}"
    );
    assert!(
        !own.contains("(January|") && !warned.contains("warning"),
        "{warned}"
    );
    let (_, warned) = mine(&["--pattern", r"\w+=\d"]);
    assert!(
        warned.contains(r"Perl, Python's re and RE2 match the mutable pattern '\w+=\d' differently"),
        "{warned}"
    );

    fs::write(&patterns, "[0-9]+\na b\n").unwrap();
    let input = site.path().to_str().unwrap();
    let sentence = refusal(&run([
        "templates",
        "mine",
        input,
        "--patterns",
        patterns.to_str().unwrap(),
    ]));
    assert_printed("templates-mutable-patterns-are-ones-own-or-none", &sentence);
}
