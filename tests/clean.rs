//! `gleaner clean`: one page, several ways to print it; and several pages.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use gleaner_testing::warc::{SENTENCE, article, record};
use serde_json::Value;

use crate::support::{assert_printed, files, gleaner, refusal, run, said, sample};

/// The article through `clean -`, in this format.
fn clean(page: &[u8], format: &str) -> String {
    clean_with(page, format, &[])
}

/// The same with options.
fn clean_with(page: &[u8], format: &str, options: &[&str]) -> String {
    let mut command = gleaner();
    command
        .args(["clean", "-", "--format", format])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(page).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn text_is_the_article_without_its_markup() {
    let text = clean(article().as_bytes(), "text");
    assert_eq!(text.matches(SENTENCE).count(), 5, "{text}");
    assert!(!text.contains('<'), "{text}");
}

#[test]
fn cleaneval_marks_headers_and_paragraphs() {
    let text = clean(article().as_bytes(), "cleaneval");
    assert!(
        text.lines()
            .any(|line| line.starts_with('<') && line.contains(SENTENCE)),
        "{text}"
    );
    let tags = ["<h>", "<p>", "<l>"];
    for line in text.lines().filter(|line| !line.is_empty()) {
        assert!(tags.iter().any(|tag| line.starts_with(tag)), "{line:?} of {text}");
    }
}

#[test]
fn cleaneval_has_the_envelope_of_the_shared_task() {
    let page = format!(
        "<text id=\"http://tides.example/\" title=\"x\">{}</text>\n",
        article()
    );
    let text = clean(page.as_bytes(), "cleaneval");
    assert!(text.starts_with("URL: http://tides.example/\n\n<"), "{text}");
}

#[test]
fn json_says_what_became_of_every_block() {
    let json: Value = serde_json::from_str(&clean(article().as_bytes(), "json")).unwrap();
    let blocks = json["blocks"].as_array().unwrap();
    // Three of each menu, the header, five paragraphs.
    assert_eq!(blocks.len(), 12, "{json}");
    let text = json["text"].as_str().unwrap();
    for block in blocks.iter().filter(|block| block["label"] != "other") {
        assert!(
            text.contains(block["text"].as_str().unwrap()),
            "{block} is not in {text}"
        );
    }
    assert!(blocks.iter().any(|block| block["text"] == "About us"), "{json}");
    assert_eq!(json["title"], "A diary of the tides");
    assert!(json["page_kind"].is_string(), "{}", json["page_kind"]);
    let probability = json["page_kind_probability"].as_f64().unwrap();
    assert!((0.2..=1.0).contains(&probability), "{probability}");
    assert_eq!(text, clean(article().as_bytes(), "text"));
}

#[test]
fn html_is_the_kept_text_with_its_elements() {
    let html = clean(article().as_bytes(), "html");
    assert!(html.starts_with("<!DOCTYPE html>"), "{html}");
    assert!(html.contains("<h1>A diary of the tides</h1>"), "{html}");
    assert_eq!(html.matches(SENTENCE).count(), 5, "{html}");
    assert!(!html.contains("About us"), "{html}");
}

#[test]
fn a_program_is_written_as_it_stands_on_the_page() {
    let code = "<pre>\nfor page in pages:\n    if page:\n        print(page)\n\n# {\n}\n</pre>";
    let page = article().replacen("</p>", &format!("</p>{code}"), 1);
    let written = "for page in pages:\n    if page:\n        print(page)\n\n# {\n}\n";
    let text = clean(page.as_bytes(), "text");
    assert!(text.contains(&format!("\n\n{written}\n")), "{text}");
    let html = clean(page.as_bytes(), "html");
    assert!(
        html.contains(&format!("<pre>{}</pre>", written.trim_end())),
        "{html}"
    );
    let json: Value = serde_json::from_str(&clean(page.as_bytes(), "json")).unwrap();
    assert!(json["text"].as_str().unwrap().contains(written));
    let blocks = json["blocks"].as_array().unwrap();
    assert!(blocks.iter().any(|block| block["text"] == "if page:"));
}

/// A page that scripts would draw.
fn shell(data: &str) -> String {
    format!("<title>Lamp</title><body><div id=root></div>{data}")
}

#[test]
fn an_empty_page_has_the_text_of_its_structured_data_if_that_is_wanted() {
    let json =
        format!("{{\"@type\":\"Product\",\"name\":\"Lamp\",\"description\":\"{SENTENCE} {SENTENCE}\"}}");
    let json_ld = shell(&format!("<script type=\"application/ld+json\">{json}</script>"));
    let state = shell(&format!(
        "<script>window.__INITIAL_STATE__ = {{\"product\":{json}}}</script>"
    ));
    for (page, source, text) in [
        (json_ld, "json-ld", format!("Lamp\n\n{SENTENCE} {SENTENCE}\n")),
        (state, "state", format!("{SENTENCE} {SENTENCE}\n")),
    ] {
        let json = |options: &[&str]| -> Value {
            serde_json::from_str(&clean_with(page.as_bytes(), "json", options)).unwrap()
        };
        let off = json(&[]);
        assert_eq!((&off["text"], &off["text_source"]), (&"".into(), &"page".into()));
        assert_eq!(off["structured_data"], source);
        let taken = json(&["--structured-data", "fallback"]);
        assert_eq!(
            (&taken["text"], &taken["text_source"]),
            (&text.into(), &source.into())
        );
        let cleaneval = clean_with(page.as_bytes(), "cleaneval", &["--structured-data", "fallback"]);
        assert!(cleaneval.contains(&format!("<p>{SENTENCE}")), "{cleaneval}");
    }
    let article = article().replace(
        "</body>",
        "<script type=\"application/ld+json\">{\"text\":\"x\"}</script></body>",
    );
    let taken = clean_with(article.as_bytes(), "text", &["--structured-data", "fallback"]);
    assert_eq!(taken, clean(article.as_bytes(), "text"));
}

#[test]
fn the_view_shows_both_and_needs_nothing_else() {
    let html = clean(article().as_bytes(), "view");
    assert!(html.contains(SENTENCE) && html.contains("About us"), "{html}");
    assert!(
        !html.contains("src=") && !html.contains("<script"),
        "not self-contained: {html}"
    );
}

#[test]
fn markup_of_the_page_cannot_get_into_the_view() {
    let page = article().replace("<h1>", "<h1>&lt;img src=x onerror=alert(1)&gt; ");
    for format in ["html", "view"] {
        let html = clean(page.as_bytes(), format);
        assert!(html.contains("&lt;img") && !html.contains("<img"), "{html}");
    }
}

#[test]
fn files_and_standard_input_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, article()).unwrap();
    let output = run(["clean".as_ref(), path.as_os_str()]);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        clean(article().as_bytes(), "text")
    );
}

#[test]
fn nothing_in_nothing_out() {
    let output = run(["clean", "-"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(
        said(&output).contains("standard input holds no page"),
        "{}",
        said(&output)
    );
}

#[test]
fn what_is_no_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
    let sentence = refusal(&run(["clean".as_ref(), path.as_os_str()]));
    assert_printed("clean-what-is-no-page-is-refused", &sentence);
}

#[test]
fn a_file_without_end_is_read_as_far_as_a_page_may_be_long() {
    let sentence = refusal(&run(["clean", "/dev/zero"]));
    assert_printed(
        "clean-a-file-without-end-is-read-as-far-as-a-page-may-be-long",
        &sentence,
    );
    let endless = format!("<p>{SENTENCE}.</p>\n").repeat(250_000);
    let json: Value = serde_json::from_str(&clean(endless.as_bytes(), "json")).unwrap();
    assert_eq!(json["truncated"][0], "bytes", "{}", json["truncated"]);
}

/// Four million lines are more than a page may have: what is beyond is cut off and said, not held in memory.
#[test]
fn a_program_of_millions_of_lines_is_cut_at_the_limit_of_blocks() {
    for (before, content_type) in [("<pre>", "text/html"), ("", "text/plain")] {
        let page = format!("{before}{}", "a\n".repeat(4_000_000));
        let json = clean_with(page.as_bytes(), "json", &["--content-type", content_type]);
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["truncated"], serde_json::json!(["blocks"]));
        assert_eq!(json["blocks"].as_array().unwrap().len(), 200_000);
    }
}

#[test]
fn a_missing_file_is_named() {
    let sentence = refusal(&run(["clean", "nowhere/page.html"]));
    assert_printed("clean-a-missing-file-is-named", &sentence);
}

#[test]
fn text_density_keeps_the_article_and_not_its_menu() {
    let menu: String = (0..20)
        .map(|at| format!("<li><a href=/{at}>Menu {at}</a>"))
        .collect();
    let page = format!("<ul>{menu}</ul>{}", article());
    let text = clean_with(page.as_bytes(), "text", &["--method", "density"]);
    assert_eq!(text.matches(SENTENCE).count(), 5, "{text}");
    assert!(!text.contains("Menu"), "{text}");
}

/// A folder with two pages and one below it.
struct Pages(tempfile::TempDir);

impl Pages {
    fn new() -> Pages {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("site/deep")).unwrap();
        for (name, title) in [
            ("a.html", "One tide"),
            ("b.html", "Two tides"),
            ("deep/a.html", "Three tides"),
        ] {
            let page = article().replace("A diary of the tides", title);
            fs::write(folder.path().join("site").join(name), page).unwrap();
        }
        fs::write(
            folder.path().join("site/a.txt"),
            "This is the gold text of a page.\n",
        )
        .unwrap();
        fs::write(folder.path().join("site/a.txt"), "the gold text of a page\n").unwrap();
        Pages(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the command beside the folder `site`.
    fn clean(&self, arguments: &[&str]) -> Output {
        gleaner()
            .current_dir(self.0.path())
            .arg("clean")
            .args(arguments)
            .output()
            .unwrap()
    }

    /// What it prints.
    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.clean(arguments);
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The files below a folder, from there.
    fn names(&self, folder: &str) -> Vec<String> {
        let folder = self.path(folder);
        let name = |path: PathBuf| path.strip_prefix(&folder).unwrap().display().to_string();
        let mut names: Vec<String> = files(&folder).into_iter().map(name).collect();
        names.sort();
        names
    }
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn texts_of_several_pages_are_told_apart() {
    let pages = Pages::new();
    let one = pages.printed(&["site/a.html"]);
    let two = pages.printed(&["site/b.html"]);
    assert!(one.starts_with("One tide\n"), "{one}");
    assert_eq!(
        pages.printed(&["site/a.html", "site/b.html"]),
        format!("==> site/a.html <==\n{one}\n==> site/b.html <==\n{two}")
    );
    let all = pages.printed(&["site"]);
    let headers: Vec<&str> = all.lines().filter(|line| line.starts_with("==> ")).collect();
    assert_eq!(
        headers,
        [
            "==> site/a.html <==",
            "==> site/b.html <==",
            "==> site/deep/a.html <=="
        ]
    );
    // A single page is no one of several, wherever it is.
    assert_eq!(
        pages.printed(&["site/deep"]),
        pages.printed(&["site/deep/a.html"])
    );
}

#[test]
fn cleaneval_markup_of_several_pages_begins_with_their_addresses() {
    let pages = Pages::new();
    let envelope = format!("<text id=\"http://tides.example/\">{}</text>", article());
    fs::write(pages.path("site/b.html"), envelope).unwrap();
    let all = pages.printed(&["site", "-f", "cleaneval"]);
    let addresses: Vec<&str> = all.lines().filter(|line| line.starts_with("URL: ")).collect();
    assert_eq!(
        addresses,
        [
            "URL: site/a.html",
            "URL: http://tides.example/",
            "URL: site/deep/a.html"
        ]
    );
    assert!(all.contains("\n\nURL: http://tides.example/\n\n<"), "{all}");
    assert!(
        pages
            .printed(&["site/a.html", "-f", "cleaneval"])
            .starts_with('<')
    );
}

#[test]
fn json_is_a_page_a_line() {
    let pages = Pages::new();
    let lines = json_lines(&pages.printed(&["site", "-f", "json"]));
    let told: Vec<_> = lines
        .iter()
        .map(|page| (page["file"].as_str().unwrap(), &page["title"]))
        .collect();
    assert_eq!(told[0], ("site/a.html", &"One tide".into()));
    assert_eq!(told[2], ("site/deep/a.html", &"Three tides".into()));
    assert_eq!(pages.printed(&["site/a.html", "-f", "json"]).lines().count(), 1);
}

#[test]
fn html_of_several_pages_is_one_document() {
    let pages = Pages::new();
    let arabic = article().replace("<html lang=en>", "<html lang=ar dir=rtl>");
    fs::write(pages.path("site/b.html"), arabic).unwrap();
    for format in ["html", "view"] {
        let html = pages.printed(&["site", "-f", format]);
        for (once, count) in [
            ("<!DOCTYPE", 1),
            ("<html", 1),
            ("</html>", 1),
            ("<article", 3),
            ("</article>", 3),
        ] {
            assert_eq!(html.matches(once).count(), count, "{once} in {html}");
        }
        assert!(
            html.contains("<article lang=\"ar\" dir=\"rtl\">\n<header dir=\"ltr\">site/b.html</header>\n"),
            "{html}"
        );
        let one = pages.printed(&["site/b.html", "-f", format]);
        assert!(
            one.contains("<html lang=\"ar\" dir=\"rtl\">") && !one.contains("<article"),
            "{one}"
        );
    }
}

#[test]
fn html_and_view_keep_lists_quotations_and_header_cells() {
    let items = format!(
        "<ol start=3><li>{SENTENCE}.</li><li>{SENTENCE}, too.<ol type=a><li>{SENTENCE} in it.</li></ol></li></ol>"
    );
    let quotation =
        format!("<blockquote><p>{SENTENCE}, they say.</p><p>{SENTENCE}, we say.</p></blockquote>");
    let table = "<table><thead><tr><th>Tide of the day<th>Height of the water</thead><tr><td>Morning tide<td>3 metres</table>";
    let page = article().replacen("</p>", &format!("</p>{items}{quotation}{table}"), 1);
    for format in ["html", "view"] {
        let html = clean(page.as_bytes(), format);
        for part in [
            "<ol start=\"3\">",
            "<ol type=\"a\">",
            "<blockquote>\n<p>",
            "<th>",
            "<td>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(html.matches("<blockquote>").count(), 1, "{html}");
    }
}

#[test]
fn an_archive_gives_its_pages_and_names_the_command_for_archives() {
    let path = sample();
    let output = run(["clean".as_ref(), path.as_os_str()]);
    assert!(output.status.success());
    let told = said(&output);
    assert_eq!(told.matches("gleaner build").count(), 1, "{told}");
    let text = String::from_utf8(output.stdout).unwrap();
    let headers = text.lines().filter(|line| line.starts_with("==> http")).count();
    let json = run(["clean".as_ref(), path.as_os_str(), "--format=json".as_ref()]);
    let lines = json_lines(&String::from_utf8(json.stdout).unwrap());
    assert!(headers > 30 && headers == lines.len(), "{headers}");
    assert!(lines.iter().all(|page| page["file"] == path.to_str().unwrap()));
    assert!(
        lines
            .iter()
            .any(|page| page["url"].as_str().unwrap().contains("slowsalt.example"))
    );
}

/// An archive of resources, each with its address, type and body.
fn archive(path: &Path, records: &[(&str, &str, &[u8])]) {
    let mut archive = Vec::new();
    for (url, media, body) in records {
        let fields = format!(
            "WARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2016-08-01T00:00:00Z\r\nContent-Type: {media}\r\n"
        );
        archive.extend(record("resource", url, &fields, body));
    }
    fs::write(path, archive).unwrap();
}

#[test]
fn texts_of_an_archive_are_cleaned_as_texts() {
    let pages = Pages::new();
    let text = format!("{SENTENCE}, and then it went out again.\n").repeat(4);
    let page = article();
    archive(
        &pages.path("x.warc"),
        &[
            ("http://tides.example/page", "text/html", page.as_bytes()),
            ("http://tides.example/text", "text/plain", text.as_bytes()),
        ],
    );
    let lines = json_lines(&pages.printed(&["x.warc", "-f", "json"]));
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["blocks"].as_array().unwrap().len(), 4, "{}", lines[1]);
    fs::write(pages.path("x.txt"), &text).unwrap();
    let alone = json_lines(&pages.printed(&["x.txt", "-f", "json", "--url", "http://tides.example/text"]));
    assert_eq!(alone[0]["text"], lines[1]["text"]);
    let as_html = json_lines(&pages.printed(&["x.txt", "-f", "json", "--content-type", "text/html"]));
    assert_eq!(as_html[0]["blocks"].as_array().unwrap().len(), 1);
}

#[test]
fn a_page_of_an_archive_that_is_none_is_told_and_passed_over() {
    let pages = Pages::new();
    let page = article();
    let no_page = b"<html>\x89\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14";
    archive(
        &pages.path("x.warc"),
        &[
            ("http://tides.example/1", "text/html", no_page),
            ("http://tides.example/2", "text/html", page.as_bytes()),
        ],
    );
    let output = pages.clean(&["x.warc"]);
    assert!(output.status.success());
    let told = said(&output);
    assert!(
        told.contains("warning: x.warc: skipped 1 page: http://tides.example/1: the body is binary"),
        "{told}"
    );
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        clean(page.as_bytes(), "text")
    );
}

#[test]
fn what_cannot_be_read_keeps_nobody_from_the_rest() {
    let pages = Pages::new();
    fs::write(pages.path("bad.html"), b"\x89PNG\r\n\x1a\n").unwrap();
    let output = pages.clean(&[
        "bad.html",
        "site/a.html",
        "none.html",
        "site/b.html",
        "-f",
        "html",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let told = said(&output);
    assert!(
        told.contains("error: bad.html is not") && told.contains("'none.html'"),
        "{told}"
    );
    let html = String::from_utf8(output.stdout).unwrap();
    assert_eq!(html.matches("<article").count(), 2);
    assert!(html.ends_with("</html>\n"), "{html}");
    let output = pages.clean(&["bad.html", "none.html"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert_eq!(said(&output).matches("error: ").count(), 2);
}

#[test]
fn a_folder_gets_a_file_for_each_page() {
    let pages = Pages::new();
    let output = pages.clean(&["site", "site/a.html", "-", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        output.stdout.is_empty() && said(&output).contains("wrote 4 pages to out"),
        "{}",
        said(&output)
    );
    assert_eq!(pages.names("out"), ["a-2.txt", "a.txt", "b.txt", "deep/a.txt"]);
    let text = fs::read_to_string(pages.path("out/deep/a.txt")).unwrap();
    assert_eq!(text, pages.printed(&["site/deep/a.html"]));
    for (format, name) in [
        ("json", "a.json"),
        ("html", "a.html"),
        ("view", "a.html"),
        ("cleaneval", "a.txt"),
    ] {
        let out = format!("out-{format}");
        pages.printed(&["site/a.html", "-f", format, "--out", &out]);
        assert_eq!(pages.names(&out), [name]);
        let written = fs::read_to_string(pages.path(&out).join(name)).unwrap();
        assert_eq!(written, pages.printed(&["site/a.html", "-f", format]), "{format}");
    }
}

#[test]
fn pages_of_an_archive_get_names_of_their_addresses() {
    let pages = Pages::new();
    let page = article();
    let long = format!("http://tides.example/{}", "x/".repeat(300));
    let urls = [
        "http://tides.example/",
        "https://Tides.example/",
        "http://tides.example/a/../../b.html?c=1&d=%2e",
        "",
        "file:///etc/tides",
        &long,
    ];
    let records = urls.map(|url| (url, "text/html", page.as_bytes()));
    archive(&pages.path("x.warc"), &records);
    let output = pages.clean(&["x.warc", "--out", "out", "-f", "html"]);
    assert!(output.status.success(), "{}", said(&output));
    let names = pages.names("out");
    assert_eq!(names.len(), 6, "{names:?}");
    for name in [
        "tides.example.html",
        "Tides.example-2.html",
        "tides.example_a_.._.._b.html_c_1_d_2e.html",
        "x-1.html",
        "x-2.html",
    ] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    assert!(names.iter().all(|name| name.len() < 200), "{names:?}");
}

#[test]
fn files_that_are_there_are_replaced_only_by_force_and_inputs_never() {
    let pages = Pages::new();
    pages.printed(&["site/a.html", "--out", "out"]);
    fs::write(pages.path("out/a.txt"), "mine").unwrap();
    let sentence = refusal(&pages.clean(&["site/a.html", "--out", "out"]));
    assert_printed(
        "clean-files-that-are-there-are-replaced-only-by-force-and-inputs-never",
        &sentence,
    );
    assert_eq!(fs::read_to_string(pages.path("out/a.txt")).unwrap(), "mine");
    pages.printed(&["site/a.html", "--out", "out", "--force"]);
    assert_ne!(fs::read_to_string(pages.path("out/a.txt")).unwrap(), "mine");
    let before = fs::read(pages.path("site/a.html")).unwrap();
    for input in ["site", "site/a.html"] {
        let output = pages.clean(&[input, "-f", "html", "--out", "site", "--force"]);
        let sentence = refusal(&output);
        assert!(sentence.contains("is an input file"), "{sentence}");
    }
    assert_eq!(fs::read(pages.path("site/a.html")).unwrap(), before);
    assert_eq!(pages.names("site"), ["a.html", "a.txt", "b.html", "deep/a.html"]);
    assert!(refusal_of_arguments(&pages.clean(&["site", "--force"])).contains("--out"));
}

/// What is said of arguments that do not fit together.
fn refusal_of_arguments(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    said(output)
}

#[test]
fn one_address_is_for_one_page() {
    let pages = Pages::new();
    let address = ["--url", "http://tides.example/"];
    let sentence = refusal(&pages.clean(&["site/a.html", "site/b.html", address[0], address[1]]));
    assert_printed("clean-one-address-is-for-one-page", &sentence);
    let sentence = refusal(&pages.clean(&["site", address[0], address[1]]));
    assert_printed("clean-one-address-is-for-one-page-2", &sentence);
    let page = json_lines(&pages.printed(&["site/a.html", "-f", "json", address[0], address[1]]));
    assert_eq!(page[0]["url"], address[1]);
}

#[test]
fn an_address_that_no_page_needs_is_warned_of() {
    let pages = Pages::new();
    let page = article();
    let warning = "warning: --url has no effect: every page has its own URL";
    archive(
        &pages.path("x.warc"),
        &[("http://tides.example/1", "text/html", page.as_bytes())],
    );
    for command in ["clean", "posts"] {
        for (input, is_warned_of) in [("x.warc", true), ("site/a.html", false)] {
            let output = gleaner()
                .current_dir(pages.0.path())
                .args([command, input, "--url", "http://other.example/"])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", said(&output));
            assert_eq!(said(&output).contains(warning), is_warned_of, "{}", said(&output));
        }
    }
}

#[test]
fn a_type_or_charset_that_nobody_knows_is_refused() {
    let pages = Pages::new();
    for (given, part) in [
        ("image/png", "neither HTML nor plain text"),
        ("text/html;charset=klingon", "'klingon' is not a charset"),
    ] {
        let sentence = refusal(&pages.clean(&["site/a.html", "--content-type", given]));
        assert!(sentence.contains(part), "{sentence}");
    }
    let text = "\u{41f}\u{440}\u{438}\u{43b}\u{438}\u{432}";
    let bytes = b"\xf0\xd2\xc9\xcc\xc9\xd7";
    fs::write(pages.path("koi.html"), [&b"<p>"[..], bytes].concat()).unwrap();
    let page = json_lines(&pages.printed(&["koi.html", "-f", "json", "--content-type", "koi8-r"]));
    assert_eq!(page[0]["charset"], "KOI8-R");
    assert_eq!(page[0]["blocks"][0]["text"], text);
}

#[test]
fn where_no_input_holds_a_page_the_status_is_1_and_it_is_said_why() {
    let pages = Pages::new();
    fs::create_dir(pages.path("only")).unwrap();
    fs::write(pages.path("only/a.txt"), "the gold text of a page\n").unwrap();
    let text = format!("{SENTENCE}.\n");
    archive(
        &pages.path("texts.warc"),
        &[("http://tides.example/text", "text/plain", text.as_bytes())],
    );
    for (command, input, why) in [
        (
            "clean",
            "only",
            "only holds no page: .txt files in a folder are skipped; name them",
        ),
        (
            "posts",
            "texts.warc",
            "texts.warc holds no page: it holds plain texts only",
        ),
    ] {
        let output = gleaner()
            .current_dir(pages.0.path())
            .args([command, input])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(why), "{}", said(&output));
    }
    assert_eq!(pages.clean(&["only", "only/a.txt"]).status.code(), Some(0));
}

#[test]
fn an_error_of_a_folder_says_that_others_were_written() {
    let pages = Pages::new();
    fs::create_dir(pages.path("out")).unwrap();
    fs::write(pages.path("out/b.txt"), "mine").unwrap();
    let sentence = refusal(&pages.clean(&["site", "--out", "out"]));
    assert_printed(
        "clean-an-error-of-a-folder-says-that-others-were-written",
        &sentence,
    );
}

/// A page whose words have tags in them and punctuation between tags.
fn tagged_page() -> String {
    let rest = "The keeper of the lighthouse wrote down what the tank held, day after day, for as long as he lived there.";
    format!(
        "<html><head><title>Water</title></head><body><h1><span>W</span>ater and salt</h1><p>The tank held <i>H<sub>2</sub>O</i> of the river \
         until <b>Friday</b>, and the flood (of <i>1999</i>) was <a href=x>here</a>! Nobody had <em>boats</em>.</p>\
         <p>{rest}</p><p>{rest} {rest}</p></body></html>"
    )
}

#[test]
fn a_model_of_texts_between_tags_loses_no_sign_in_any_format() {
    let page = tagged_page();
    let options = [
        "--model",
        concat!(env!("CARGO_MANIFEST_DIR"), "/models/victor46.gcrf"),
    ];
    let line =
        "The tank held H2O of the river until Friday, and the flood (of 1999) was here! Nobody had boats.";
    for format in ["text", "html", "cleaneval"] {
        let text = clean_with(page.as_bytes(), format, &options);
        assert!(
            text.contains(line) && !text.contains("W ater"),
            "{format}: {text}"
        );
    }
    let json: Value = serde_json::from_str(&clean_with(page.as_bytes(), "json", &options)).unwrap();
    assert!(json["text"].as_str().unwrap().contains(line), "{json}");
    let texts: Vec<&str> = json["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["text"].as_str().unwrap())
        .collect();
    assert!(
        texts.contains(&"Water and salt") && texts.contains(&"Friday,"),
        "{texts:?}"
    );
}

/// Each form of naming a folder that lies in the one that is read.
#[test]
fn its_own_output_is_not_read_again() {
    for (input, out) in [
        ("site", "site/deep/out"),
        ("site/", "site/out/"),
        ("site/**/*.html", "site/out"),
        ("site/*", "./site/deep/../out"),
        (".", "out"),
    ] {
        let pages = Pages::new();
        let arguments = [input, "--out", out, "-f", "html"];
        let first = pages.clean(&arguments);
        assert_eq!(first.status.code(), Some(0), "{}", said(&first));
        let names = pages.names(".");
        let again = pages.clean(&arguments);
        assert!(refusal(&again).contains("exists already"), "{}", said(&again));
        let forced = pages.clean(&[&arguments[..], &["--force"]].concat());
        assert_eq!(forced.status.code(), Some(0), "{input}: {}", said(&forced));
        assert_eq!(said(&forced), said(&first), "{input}");
        assert_eq!(pages.names("."), names, "{input}, {out}");
    }
}

#[cfg(unix)]
#[test]
fn output_behind_a_link_and_printed_into_the_folder_is_not_read() {
    let pages = Pages::new();
    fs::create_dir(pages.path("site/real")).unwrap();
    std::os::unix::fs::symlink("site/real", pages.path("link")).unwrap();
    let whole = pages.path("site").canonicalize().unwrap();
    for _ in 0..2 {
        let arguments = [whole.to_str().unwrap(), "--out", "link", "-f", "html", "--force"];
        let output = pages.clean(&arguments);
        assert!(said(&output).contains("wrote 3 pages"), "{}", said(&output));
    }
    fs::remove_dir_all(pages.path("site/real")).unwrap();
    let expected = pages.printed(&["site", "-f", "html"]);
    fs::write(pages.path("site/all.html"), "<p>Of the last time").unwrap();
    let printed = File::create(pages.path("site/all.html")).unwrap();
    let mut command = gleaner();
    command
        .current_dir(pages.0.path())
        .args(["clean", "site", "-f", "html"]);
    assert!(command.stdout(printed).status().unwrap().success());
    assert_eq!(fs::read_to_string(pages.path("site/all.html")).unwrap(), expected);
}

#[cfg(unix)]
#[test]
fn names_in_no_charset_are_cleaned_like_others() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let pages = Pages::new();
    let odd = pages.path("site").join(OsStr::from_bytes(b"\xe9"));
    fs::create_dir(&odd).unwrap();
    fs::copy(
        pages.path("site/a.html"),
        odd.join(OsStr::from_bytes(b"caf\xe9.html")),
    )
    .unwrap();
    fs::rename(pages.path("site/deep/a.html"), odd.join("c.html")).unwrap();
    pages.printed(&["site", "--out", "texts"]);
    assert_eq!(
        pages.names("texts"),
        ["a.txt", "b.txt", "\u{fffd}/c.txt", "\u{fffd}/caf.txt"]
    );
    for command in ["clean", "posts"] {
        let mut one = gleaner();
        one.current_dir(pages.0.path())
            .arg(command)
            .arg(OsStr::from_bytes(b"site/\xe9"));
        let text = String::from_utf8(one.output().unwrap().stdout).unwrap();
        assert!(
            text.contains("caf%E9.html") && text.contains("/%E9/c.html"),
            "{command}: {text}"
        );
    }
}

#[test]
fn a_list_from_standard_input_names_files_of_the_working_folder() {
    let pages = Pages::new();
    fs::write(pages.path("list"), "site/a.html\nsite/deep\n").unwrap();
    for (name, list) in [("clean", "@-"), ("clean", "@/dev/stdin"), ("posts", "@-")] {
        let mut command = gleaner();
        command.current_dir(pages.0.path()).args([name, list]);
        let output = command
            .stdin(File::open(pages.path("list")).unwrap())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(
            text.contains("site/a.html") && text.contains("site/deep/a.html"),
            "{}",
            said(&output)
        );
    }
}
