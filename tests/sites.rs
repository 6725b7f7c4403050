//! What sites tell of their pages: `gleaner eval sites` and `gleaner eval templates` on a blog of our own, and a
//! build of a reference.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::warc::response;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{assert_printed, build, refusal, run, said};

/// An archive of posts that all show the same list of readers' words, and the posts' texts beside it.
fn blog(posts: usize, page_kind: &str) -> (TempDir, PathBuf) {
    blog_of((0..posts).map(text), page_kind)
}

fn blog_of(texts: impl Iterator<Item = String>, page_kind: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (mut archive, mut gold) = (Vec::new(), String::new());
    for (post, text) in texts.enumerate() {
        let url = format!("http://blog.test/{post}");
        let html = format!(
            "<html><head><title>Day {post}</title></head><body><div class='post post-{post}'><h1>Day {post}</h1>\
             <p>{text}</p></div><div class=comments><p>{QUOTE}</p></div></body></html>"
        );
        archive.extend(page(&url, &html));
        let line = json!({"url": url, "page_kind": page_kind, "posts": [{"display": "full", "text": text}]});
        writeln!(gold, "{line}").unwrap();
    }
    fs::write(folder.path().join("blog.warc"), archive).unwrap();
    let path = folder.path().join("blog.gold.jsonl");
    fs::write(&path, gold).unwrap();
    (folder, path)
}

/// A page in an archive.
fn page(url: &str, html: &str) -> Vec<u8> {
    let fields = format!("WARC-Record-ID: <urn:test:{url}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n");
    response(url, &fields, html)
}

/// What stands on every page, and reads like a text by itself.
const QUOTE: &str = "I have been reading these pages for years, and whenever the evenings grow long I come back \
    to them. Nobody else writes about our river and the people beside it with so much patience. Thank you for that!";

/// A text that no other post has.
fn text(post: usize) -> String {
    const WHO: [&str; 5] = [
        "the ferryman",
        "my neighbour",
        "a miller",
        "the postwoman",
        "an old friend",
    ];
    const WHERE: [&str; 3] = ["by the weir", "below the bridge", "at the landing stage"];
    let (who, place) = (WHO[post % 5], WHERE[post % 3]);
    format!(
        "This morning {who} told me how the water rose {} inches in a single night, and how everybody came out to \
         look at it {place}. We walked along the bank for a while, counted {} boats that had broken loose, and \
         wondered whose they were. In the end it was {who} who knew them all.",
        post + 7,
        2 * post + 3
    )
}

fn scores(gold: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["eval", "sites", gold.to_str().unwrap(), "--json"];
    arguments.extend(more);
    let output = run(arguments);
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_every_page_repeats_is_dropped_with_the_site_and_only_then() {
    let (_folder, gold) = blog(15, "single");
    let scores = scores(&gold, &["--samples", "3,6"]);
    let blog = &scores["blogs"][0];
    assert_eq!(
        (&blog["blog"], &blog["pages"], &blog["scored"]),
        (&json!("blog"), &json!(15), &json!(15))
    );
    let by_sample = scores["by_sample"].as_array().unwrap();
    let samples: Vec<&Value> = by_sample.iter().map(|row| &row["sample"]).collect();
    assert_eq!(samples, [&json!(3), &json!(6), &Value::Null]);
    // Three pages say something of those that are not among them.
    assert!(by_sample[0]["with_site"].as_f64() > by_sample[0]["alone"].as_f64());
    for row in &by_sample[1..] {
        assert!(row["alone"].as_f64() < Some(0.9), "{row}");
        assert!(row["with_site"].as_f64() > Some(0.95), "{row}");
        assert_eq!((&row["better"], &row["worse"]), (&json!(1.0), &json!(0.0)));
    }
}

#[test]
fn each_blog_has_its_own_scores_and_the_worst_is_named() {
    let (_many, gold) = blog(15, "single");
    // Two pages are too few for a site to change anything.
    let (folder, _) = blog(2, "single");
    let few = folder.path().join("few.gold.jsonl");
    fs::rename(folder.path().join("blog.gold.jsonl"), &few).unwrap();
    fs::rename(folder.path().join("blog.warc"), folder.path().join("few.warc")).unwrap();
    let scores = scores(&gold, &[few.to_str().unwrap(), "--samples", "6"]);
    let [many, few] = [0, 1].map(|at| &scores["blogs"][at]["by_sample"]);
    assert_eq!(many.as_array().map(Vec::len), Some(2));
    assert_eq!(few[0]["alone"], few[0]["with_site"]);
    let both = [many, few].map(|blog| blog[0]["with_site"].as_f64().unwrap());
    let row = &scores["by_sample"][0];
    assert!((row["with_site"].as_f64().unwrap() - (both[0] + both[1]) / 2.0).abs() < 1e-12);
    assert_eq!(
        (&row["worst_blog"], &row["worst_change"]),
        (&json!("few"), &json!(0.0))
    );
}

#[test]
fn headings_that_all_pages_have_stay_with_their_sections() {
    let page = |number: usize| {
        let html = format!(
            "<html><head><title>reed_{number}</title></head><body><div class=refentry><h1>reed_{number}</h1>\
             <div class=refsect1><h2>Description</h2><p>{}</p></div></div>\
             <div class=letters><h2>Letters from readers</h2><p>{QUOTE}</p></div></body></html>",
            text(number)
        );
        page(&format!("http://reference.test/{number}"), &html)
    };
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("reference.warc");
    fs::write(&archive, (0..15).flat_map(page).collect::<Vec<u8>>()).unwrap();
    let corpus = build(&[&archive], &[]);
    for number in 0..15 {
        let own = corpus.text(&format!("http://reference.test/{number}"));
        assert!(own.contains("\n\nDescription\n\nThis morning"), "{own}");
        assert!(!own.contains("readers"), "{own}");
    }
}

#[test]
fn evidence_that_is_made_nothing_of_changes_nothing() {
    let (folder, gold) = blog(6, "single");
    let settings = folder.path().join("none.toml");
    let none = "blend_weight = 0.0\nplace = { few = 0.0, some = 0.0, many = 0.0 }\ntext = { some = 0.0 }\n";
    fs::write(&settings, none).unwrap();
    let scores = scores(&gold, &["--evidence", settings.to_str().unwrap()]);
    assert_eq!(scores["blogs"][0]["alone"], scores["blogs"][0]["with_site"]);
    assert_eq!(scores["evidence"]["place"]["many"], json!(0.0));
    fs::write(&settings, "push = 1.0\n").unwrap();
    let arguments = [
        "eval",
        "sites",
        gold.to_str().unwrap(),
        "--evidence",
        settings.to_str().unwrap(),
    ];
    let output = run(arguments);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("none.toml have an error") && said.contains("unknown field `push`"),
        "{said}"
    );
}

#[test]
fn gold_without_single_posts_is_refused() {
    let (_folder, gold) = blog(2, "listing");
    let sentence = refusal(&run(["eval", "sites", gold.to_str().unwrap()]));
    assert_printed("sites-gold-without-single-posts-is-refused", &sentence);
    let scores = scores(&gold, &["--kind", "listing", "--titles"]);
    assert_eq!(scores["blogs"][0]["scored"], json!(2));
}

#[test]
fn expressions_take_what_a_blog_repeats_and_leave_its_posts() {
    // (The miner would find what the sentences of the other posts have in common.)
    let words = |post: usize| (0..40).map(move |word| format!("w{}", (post + 1) * (word + 7) % 997));
    let texts = (0..15).map(|post| words(post).collect::<Vec<_>>().join(" "));
    let (_folder, gold) = blog_of(texts, "single");
    let arguments = ["eval", "templates", "--clean", gold.to_str().unwrap()];
    let output = run(arguments.iter().copied().chain(["--json"]));
    assert!(output.status.success(), "{}", said(&output));
    let scores: Value = serde_json::from_slice(&output.stdout).unwrap();
    let blog = &scores[0];
    assert_eq!((&blog["pages"], &blog["scored"]), (&json!(15), &json!(15)));
    let score = |of: &str, score: &str| blog[of][score].as_f64().unwrap();
    assert!(
        score("whole", "precision") < 0.7 && score("whole", "recall") == 1.0,
        "{blog}"
    );
    assert!(
        score("cleaned", "precision") > 0.9 && score("cleaned", "recall") > 0.9,
        "{blog}"
    );
    let table = run(arguments);
    assert!(String::from_utf8(table.stdout).unwrap().contains("mean"));
}
