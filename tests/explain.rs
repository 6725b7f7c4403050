//! Why blocks were kept or dropped: `gleaner explain`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use gleaner_testing::warc::{Archive, SENTENCE, article, response};
use serde_json::Value;

use crate::answers::{assert_has, documented};
use crate::support::{Corpus, assert_printed, build, files, refusal, rows, run, said, sample};

fn explain(corpus: &Path, page: &str, options: &[&str]) -> Output {
    run([Path::new("explain"), corpus, Path::new(page)]
        .into_iter()
        .chain(options.iter().map(Path::new)))
}

#[track_caller]
fn printed(output: &Output, status: i32) -> String {
    assert_eq!(output.status.code(), Some(status), "{}", said(output));
    assert_eq!(said(output), "");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn json(corpus: &Path, page: &str, options: &[&str]) -> Value {
    let output = explain(corpus, page, &[options, &["--json"]].concat());
    serde_json::from_str(&printed(&output, 0)).unwrap()
}

const SITE: &str = "https://harbour.example";

/// A page of a site: a menu and a footer that all have, and a text of its own.
fn page(number: usize) -> String {
    let menu =
        "<ul class=menu><li><a href=/>Home</a></li><li><a href=/tides>Tides of the harbour</a></li></ul>";
    let text = format!(
        "<p>{SENTENCE}, and on page {number} she writes what boat No. {number} brought home, and who was at the quay.</p>"
    );
    let note =
        "<p>Boats of the harbour are painted in spring, and the paint is paid by the harbour master.</p>";
    format!(
        "<!doctype html><html lang=en><head><title>Day {number} - The harbour</title>\
         <meta name=author content='Ada Lovelace'><meta property=article:published_time content=2024-03-0{}></head>\
         <body>{menu}<main><h1>Day {number}</h1>{}{note}</main><p class=footer>© The harbour of the tides</p></body></html>",
        number % 9 + 1,
        text.repeat(2)
    )
}

struct Crawl {
    _folder: tempfile::TempDir,
    archive: PathBuf,
}

/// Pages of a site, one of them captured twice, a file that is no page, and pages of another site.
fn crawl() -> Crawl {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut archive = Archive::new();
    for number in 0..6 {
        archive = archive.page(&format!("{SITE}/day/{number}"), page(number));
    }
    let fields = "WARC-Date: 2024-06-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:later>\r\n";
    // (Rows of the tests have URLs of their own.)
    let later = response(&format!("{SITE}:443/day/3"), fields, page(33));
    let archive = archive
        .member(&[&later])
        .page(&format!("{SITE}/map.pdf"), b"%PDF-1.7\n")
        .page("https://a.example/", article())
        .page("https://b.example/", article())
        .write(folder.path(), "harbour.warc.gz");
    Crawl {
        _folder: folder,
        archive,
    }
}

fn input(archive: &Path) -> [&str; 2] {
    ["--input", archive.to_str().unwrap()]
}

/// What the answer has of each block that the table of blocks has, too.
fn of_table(answer: &Value) -> Vec<TableBlock> {
    let blocks = answer["blocks"].as_array().unwrap().iter();
    let of_block = |block: &Value| TableBlock {
        number: block["block"].to_string(),
        label: block["label"].as_str().unwrap().to_owned(),
        confidence: block["confidence"].as_f64().unwrap(),
        text: block["text"].as_str().unwrap().to_owned(),
    };
    blocks.map(of_block).collect()
}

#[derive(Debug)]
struct TableBlock {
    number: String,
    label: String,
    confidence: f64,
    text: String,
}

impl PartialEq for TableBlock {
    /// (The table has hundredths.)
    fn eq(&self, other: &TableBlock) -> bool {
        let texts = |block: &TableBlock| [&block.number, &block.label, &block.text].map(String::clone);
        texts(self) == texts(other) && (self.confidence - other.confidence).abs() < 0.006
    }
}

/// The same of the rows of a document.
fn in_table(corpus: &Corpus, row_id: &str) -> Vec<TableBlock> {
    let rows = rows(&corpus.path().join("blocks")).into_iter();
    let own = rows.filter(|row| row["row_id"] == row_id);
    let of_row = |row: BTreeMap<String, String>| TableBlock {
        number: row["block"].clone(),
        label: row["label"].clone(),
        confidence: row["confidence"].parse().unwrap(),
        text: row["text"].clone(),
    };
    own.map(of_row).collect()
}

#[test]
fn labels_and_evidence_are_those_of_the_build() {
    // Small chunks: sites lie in several units.
    let corpus = build(&[&sample()], &["--blocks", "--chunk-size", "16"]);
    assert!(files(&corpus.path().join("state/units")).len() > 1);
    let documents = corpus.documents();
    let mut moved = 0;
    for (url, document) in documents.iter().step_by(3) {
        let row_id = &document["row_id"];
        let table = in_table(&corpus, row_id);
        let sample = sample();
        for options in [&[][..], &input(&sample)] {
            let answer = json(&corpus.path(), row_id, options);
            assert_eq!(
                (&answer["url"], &answer["blocks_from"]),
                (&url.as_str().into(), &"state".into())
            );
            assert_eq!(of_table(&answer), table, "{url}");
            for block in answer["blocks"].as_array().unwrap() {
                let odds = &block["log_odds"];
                moved += u32::from(odds["page"] != odds["with_site"]);
            }
        }
    }
    assert!(moved > 50, "the evidence of sites moved {moved} blocks");
}

#[test]
fn reasons_add_up_to_the_log_odds_of_the_page() {
    let (corpus, crawl) = (build(&[&sample()], &[]), sample());
    let documents = corpus.documents();
    for url in documents.keys().step_by(4) {
        let answer = json(&corpus.path(), url, &input(&crawl));
        for block in answer["blocks"].as_array().unwrap() {
            let reasons = &block["reasons"];
            let sum = |list: &str, leave_out: &str| -> f64 {
                let list = reasons[list].as_array().unwrap().iter();
                let own = list.filter(|one| one["by"] != leave_out);
                own.map(|one| one["adds"].as_f64().unwrap()).sum()
            };
            // (The evidence of the site is added to what there is without repetition.)
            let found = reasons["mean"].as_f64().unwrap()
                + reasons["rest"].as_f64().unwrap()
                + sum("features", "")
                + sum("adjustments", "repeated");
            let expected = block["log_odds"]["page"].as_f64().unwrap();
            let is_certain = expected.abs() > 9.0;
            assert!((found - expected).abs() < 0.05 || is_certain, "{url}: {block}");
        }
    }
}

#[test]
fn a_page_is_explained_in_words_and_as_json() {
    let crawl = crawl();
    let corpus = build(&[&crawl.archive], &[]);
    let url = format!("{SITE}/day/3");
    let again = input(&crawl.archive);
    let text = printed(&explain(&corpus.path(), &url, &again), 0);
    assert_printed("explain-a-page-in-words", &text);
    let text = printed(&explain(&corpus.path(), &url, &[]), 0);
    assert_printed("explain-a-page-without-its-archive", &text);
    let answer = json(&corpus.path(), &url, &again);
    assert_has(&answer, &documented("A page of a corpus"));
    assert_has(&answer["place"], &documented("The place of a page"));
    assert_has(&answer["metadata"], &documented("The metadata of a page"));
    for block in answer["blocks"].as_array().unwrap() {
        assert_has(block, &documented("A block of a page"));
        assert_has(&block["reasons"], &documented("The reasons of a block"));
    }
    assert_eq!(
        answer["metadata"]["authors"]["source"]["element"],
        "<meta name=\"author\">"
    );
    assert_eq!(answer["metadata"]["language"]["source"]["kind"], "root");
}

#[test]
fn captures_are_found_by_url_record_and_row() {
    let crawl = crawl();
    let corpus = build(&[&crawl.archive], &["--no-state"]);
    let path = corpus.path();
    let latest = json(&path, &format!("{SITE}:443/day/3#top"), &[]);
    assert_eq!(
        (&latest["record_id"], &latest["captures"]["is_latest"]),
        (&"<urn:uuid:later>".into(), &true.into())
    );
    let others = latest["captures"]["others"].as_array().unwrap();
    let [other] = &others[..] else {
        panic!("{others:?}")
    };
    let other = json(&path, other["row_id"].as_str().unwrap(), &[]);
    assert_eq!(
        (&other["crawl_date"], &other["captures"]["is_latest"]),
        (&"2024-05-14T06:30:00Z".into(), &false.into())
    );
    for record in ["<urn:uuid:later>", "urn:uuid:later"] {
        assert_eq!(json(&path, record, &[])["row_id"], latest["row_id"]);
    }
    let copy = json(&path, "https://b.example/", &[]);
    assert_eq!(
        (
            &copy["duplicates"]["cluster_size"],
            &copy["duplicates"]["survivor"]
        ),
        (&2.into(), &false.into())
    );
    assert_eq!(copy["duplicates"]["survivor_url"], "https://a.example/");
}

#[test]
fn a_corpus_without_state_is_explained_by_its_tables_and_archives() {
    let crawl = crawl();
    let url = format!("{SITE}/day/2");
    let corpus = build(&[&crawl.archive], &["--no-state"]);
    let bare = json(&corpus.path(), &url, &[]);
    assert_eq!(
        (&bare["blocks_from"], &bare["blocks"]),
        (&Value::Null, &Value::Array(Vec::new()))
    );
    assert_eq!(bare["notes"][0], "the corpus keeps no state (--no-state)");
    let again = json(&corpus.path(), &url, &input(&crawl.archive));
    assert_eq!(again["blocks_from"], "archive");
    assert!(
        !again["blocks"][0]["reasons"]["features"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    let corpus = build(&[&crawl.archive], &["--no-state", "--blocks"]);
    let tables = json(&corpus.path(), &url, &[]);
    assert_eq!(tables["blocks_from"], "tables");
    let again = json(&corpus.path(), &url, &input(&crawl.archive));
    let table = in_table(&corpus, tables["row_id"].as_str().unwrap());
    assert_eq!(of_table(&tables), table);
    let labels = |rows: Vec<TableBlock>| rows.into_iter().map(|row| row.label).collect::<Vec<_>>();
    assert_eq!(labels(of_table(&again)), labels(table));
}

#[test]
fn pages_are_read_again_from_archives_of_all_forms() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let record = |form: &str, number: usize| {
        let fields = format!(
            "WARC-Date: 2024-06-0{number}T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{form}-{number}>\r\n"
        );
        response(&format!("https://{form}.example/{number}"), &fields, page(number))
    };
    let records = |form: &str| [1, 2, 3].map(|number| record(form, number));
    let [one, two, three] = records("plain");
    Archive::new()
        .raw(one)
        .raw(two)
        .raw(three)
        .write(folder.path(), "plain.warc");
    // Several records of one member have one place.
    let [one, two, three] = records("shared");
    Archive::new()
        .member(&[&one, &two])
        .member(&[&three])
        .write(folder.path(), "shared.warc.gz");
    let [one, two, three] = records("single");
    Archive::new()
        .member(&[&one, &two, &three])
        .write(folder.path(), "single.warc.gz");
    std::fs::write(folder.path().join("page.html"), page(7)).unwrap();
    let corpus = build(&[folder.path()], &["--no-state"]);
    let documents = corpus.documents();
    assert_eq!(documents.len(), 10);
    for (url, document) in documents {
        let answer = json(&corpus.path(), &document["row_id"], &input(folder.path()));
        assert_eq!(answer["blocks_from"], "archive", "{url}");
        let kept = answer["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|block| block["kept"] == true);
        let texts: Vec<&str> = kept.map(|block| block["text"].as_str().unwrap()).collect();
        assert_eq!(
            texts.join("\n"),
            document["text"].trim_end().replace("\n\n", "\n"),
            "{url}"
        );
    }
}

#[test]
fn what_is_not_there_has_neighbours() {
    let crawl = crawl();
    let corpus = build(&[&crawl.archive], &[]);
    let say = |page: &str| printed(&explain(&corpus.path(), page, &[]), 1);
    let all = [
        format!("{SITE}/map.pdf"),
        "http://harbour.example/day/4".to_owned(),
        "https://c.example/".to_owned(),
        "00000000000000000000000000000000".to_owned(),
    ];
    let all: Vec<String> = all.iter().map(|page| say(page)).collect();
    assert_printed("explain-what-is-not-there", &all.join("\n"));
    let output = explain(&corpus.path(), &format!("{SITE}/map.pdf"), &["--json"]);
    let answer: Value = serde_json::from_str(&printed(&output, 1)).unwrap();
    assert_has(&answer, &documented("A page that is not there"));
    assert_eq!(answer["rejects"][0]["reason"], "not-a-page");
}

#[test]
fn a_wrong_archive_is_refused() {
    let crawl = crawl();
    let corpus = build(&[&crawl.archive], &[]);
    let url = format!("{SITE}/day/2");
    let other = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let renamed = Archive::new()
        .page(&url, page(2))
        .write(other.path(), "other.warc.gz");
    let pages = (0..6).map(|number| page(number + 20));
    let changed = pages
        .fold(Archive::new(), |archive, page| {
            archive.page("https://a.example/", page)
        })
        .write(other.path(), "harbour.warc.gz");
    let refused =
        [&renamed, &changed].map(|archive| refusal(&explain(&corpus.path(), &url, &input(archive))));
    assert_printed("explain-a-wrong-archive", &refused.join("\n"));
    let model = refusal(&explain(&corpus.path(), &url, &["--model", "text"]));
    assert!(
        model.contains("give the file of that model with --model"),
        "{model}"
    );
}

#[test]
fn a_hostile_page_cannot_run_anything_in_the_html() {
    let hostile = "<!doctype html><html lang='en\"><script>alert(1)</script>'><title>\"><script>alert(2)</script></title>\
        <meta name=author content='\"><img src=x onerror=alert(3)>'>\
        <body><h1>&lt;script&gt;alert(4)&lt;/script&gt;</h1>\
        <p>&lt;/div&gt;&lt;img src=x onerror=alert(5)&gt; \" onmouseover=\"alert(6) and more words, so that it is content.</p>\
        <p class='x\" onload=\"alert(7)'>&lt;style&gt;@import url(//evil.example)&lt;/style&gt; and more words of a page.</p>";
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let url = "https://evil.example/?q=%22%3E%3Cscript%3E'<script>alert(0)</script>";
    let archive = Archive::new()
        .page(url, hostile)
        .page("https://b.example/", article())
        .write(folder.path(), "hostile.warc.gz");
    let corpus = build(&[&archive], &[]);
    let document = corpus
        .documents()
        .into_values()
        .find(|row| row["url"].contains("evil"))
        .unwrap();
    let html = printed(
        &explain(
            &corpus.path(),
            &document["row_id"],
            &[&input(&archive)[..], &["--html"]].concat(),
        ),
        0,
    );
    let (text, attributes) = parsed(&html);
    for call in 4..7 {
        assert!(
            text.contains(&format!("alert({call})")),
            "the text of the page is there: {text}"
        );
    }
    let allowed = ["class", "content", "charset", "dir", "http-equiv", "title"];
    assert!(
        attributes.iter().all(|name| allowed.contains(&&**name)),
        "{attributes:?}"
    );
    assert!(
        html.contains("Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"")
    );
}

/// The text of a document, and the names of all attributes. Fails if it is not well formed, or has elements that load or run.
fn parsed(html: &str) -> (String, Vec<String>) {
    let (mut open, mut text, mut attributes) = (Vec::new(), String::new(), Vec::new());
    let known = "html head meta title style body h1 table tr th td p div span";
    for part in html.strip_prefix("<!DOCTYPE html>").unwrap().split('<').skip(1) {
        let (tag, behind) = part.split_once('>').unwrap();
        assert!(!behind.contains('>'), "an open mark in {behind}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else {
            let name = tag.split(' ').next().unwrap();
            assert!(known.split(' ').any(|known| known == name), "an element {name}");
            let pieces: Vec<&str> = tag.split('"').collect();
            assert!(pieces.len() % 2 == 1, "quotes of {tag}");
            let names = pieces
                .iter()
                .step_by(2)
                .filter_map(|piece| piece.trim().strip_suffix('='));
            attributes.extend(names.map(|name| name.rsplit(' ').next().unwrap().to_owned()));
            open.extend((name != "meta").then_some(name));
        }
        if open.last() != Some(&"style") {
            text += behind;
        }
    }
    assert!(open.is_empty(), "{open:?}");
    (text, attributes)
}
