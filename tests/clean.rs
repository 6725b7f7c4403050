//! `gleaner clean`: one page, five ways to print it.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::hostile::{SENTENCE, article};
use crate::support::{gleaner, refusal, run, said};

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
    assert_eq!(clean(b"", "text").trim(), "");
}

#[test]
fn what_is_no_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
    let sentence = refusal(&run(["clean".as_ref(), path.as_os_str()]));
    assert!(
        sentence.ends_with("page.html cannot be cleaned: the body is no page but a PNG image"),
        "{sentence}"
    );
}

#[test]
fn a_file_without_end_is_read_as_far_as_a_page_may_be_long() {
    let sentence = refusal(&run(["clean", "/dev/zero"]));
    assert!(sentence.contains("the body is binary"), "{sentence}");
    let endless = format!("<p>{SENTENCE}.</p>\n").repeat(250_000);
    let json: Value = serde_json::from_str(&clean(endless.as_bytes(), "json")).unwrap();
    assert_eq!(json["truncated"][0], "bytes", "{}", json["truncated"]);
}

/// Four million lines are more than a page may have: what is beyond is cut off and said, not held in memory.
#[test]
fn a_program_of_millions_of_lines_is_cut_at_the_limit_of_blocks() {
    for (before, content_type) in [
        ("<pre>", "text/html"),
        ("<plaintext>", "text/html"),
        ("", "text/plain"),
    ] {
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
    assert!(sentence.contains("nowhere/page.html"), "{sentence}");
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

/// A post with comments, as blogs had them.
fn post_with_comments() -> String {
    let comment = |name: &str, text: &str| {
        format!(
            "<li class=\"comment\"><p class=\"comment-meta\"><b>{name}</b> said on May 4, 2009</p><p>{text}</p></li>"
        )
    };
    let comments = [
        (
            "Anna",
            "We had the same trouble with rain, and our bees only got through it on sugar.",
        ),
        (
            "Martin",
            "Did you think of a top bar hive? I changed two years ago and would never go back.",
        ),
        (
            "Ruth",
            "Nineteen pounds in the first year is more than I ever had, so you do it right.",
        ),
    ];
    let comments: String = comments.iter().map(|(name, text)| comment(name, text)).collect();
    let post = [
        "The summer was wet, and twice we thought that the colony was lost, but when the lime trees came into flower it \
         grew so fast that a second box was needed within a week.",
        "In August we took the first honey, nineteen pounds of it, dark and with a taste of the chestnuts behind the mill. \
         It is more than my neighbour had in his third year, and he did not like to hear it.",
        "What I would do in another way next time: feed them earlier, look less often, and paint the boxes before they are \
         lived in. Bees do not care for the smell of paint, and I had to carry all of them to the shed and back.",
    ];
    let post = post.map(|paragraph| format!("<p>{paragraph}</p>")).concat();
    format!(
        "<title>A year with bees</title><div id=\"header\"><a href=\"/\">Notes</a> <a href=\"/about\">About</a></div>\
         <div id=\"content\"><div class=\"post\"><h2>A year with bees</h2>{post}</div><div id=\"comments\">\
         <h3>3 comments</h3><ol class=\"commentlist\">{comments}</ol></div></div>"
    )
}

#[test]
fn what_is_kept_goes_by_the_convention() {
    let kept = |convention: &str| {
        let text = clean_with(
            post_with_comments().as_bytes(),
            "text",
            &["--convention", convention],
        );
        assert!(text.contains("The summer was wet"), "{convention}: {text}");
        let comments = ["on sugar", "top bar hive", "Nineteen pounds"];
        comments.iter().filter(|part| text.contains(**part)).count()
    };
    assert_eq!(kept("cleaneval"), 3);
    assert_eq!(kept("dragnet"), 0);
    let by_none = clean(post_with_comments().as_bytes(), "text");
    assert_eq!(
        by_none,
        clean_with(post_with_comments().as_bytes(), "text", &["--convention", "auto"])
    );
}

#[test]
fn an_unknown_convention_is_refused_with_those_that_are_known() {
    let refused = refusal(&run(["clean", "Cargo.toml", "--convention", "dragon"]));
    assert!(
        refused.contains("--convention") && refused.contains("cleaneval, dragnet, wcxb"),
        "{refused}"
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
