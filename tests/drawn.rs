//! Pages as a browser drew them: conversions of HTML are used in place of the captures that they refer to, and of nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use gleaner_testing::warc::{Archive, SENTENCE, article, record, response};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Corpus, build, gleaner, rows, run, said};

/// Pages of the crawl. The text of every fourth is drawn by a script.
const PAGES: usize = 120;

fn url(page: usize) -> String {
    format!("http://{}.example/{page}", ["red", "green", "blue"][page % 3])
}

fn fields(id: &str) -> String {
    format!("WARC-Record-ID: <urn:{id}>\r\nWARC-Date: 2026-11-07T06:30:00Z\r\n")
}

/// What the server sent: nothing but a menu and a script, in every fourth page.
fn sent(page: usize) -> Vec<u8> {
    let html = match page % 4 {
        0 => "<title>A diary</title><ul><li><a href=/>Home</a></ul><div id=app>Loading the page</div><script>draw()</script>".to_owned(),
        _ => article().replace("diary", &format!("diary of year {}", 1900 + page)),
    };
    response(&url(page), &fields(&format!("sent:{page}")), html)
}

fn conversion(page: usize, id: &str, of: &str, more: &str, html: &str) -> Vec<u8> {
    let fields = format!(
        "{}WARC-Refers-To: <urn:{of}>\r\n{more}Content-Type: text/html; charset=utf-8\r\n",
        fields(id)
    );
    record("conversion", &url(page), &fields, html)
}

fn drawn(page: usize) -> Vec<u8> {
    let html = article().replace("diary", &format!("drawn diary of year {}", 1900 + page));
    conversion(
        page,
        &format!("drawn:{page}"),
        &format!("sent:{page}"),
        "WARC-Refers-To-Status: 200\r\n",
        &html,
    )
}

fn archive(records: impl IntoIterator<Item = Vec<u8>>) -> Archive {
    records
        .into_iter()
        .fold(Archive::new(), |archive, record| archive.member(&[&record]))
}

/// A folder with a crawl and its drawn pages.
struct Crawl {
    folder: TempDir,
}

impl Crawl {
    fn new() -> Crawl {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        archive((0..PAGES).map(sent)).write(folder.path(), "crawl.warc.gz");
        archive((0..PAGES).step_by(4).map(drawn)).write(folder.path(), "drawn.warc.gz");
        Crawl { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> Vec<u8> {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
        output.stdout
    }

    /// A corpus of these archives, in units and chunks of few pages.
    fn built(&self, name: &str, archives: &[&str]) -> String {
        let out = self.path(name);
        let archives: Vec<String> = archives.iter().map(|archive| self.path(archive)).collect();
        let archives: Vec<&str> = archives.iter().map(String::as_str).collect();
        let options = ["--out", &out, "--chunk-size", "16", "--blocks"];
        self.done(&[&["build"][..], &archives[..], &options].concat());
        out
    }

    fn change(&self, command: &str, corpus: &str, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.done(&[&[command, corpus, "--json"], arguments].concat())).unwrap()
    }

    fn digest(&self, corpus: &str) -> String {
        String::from_utf8(self.done(&["files", corpus, "--digest"])).unwrap()
    }
}

/// A column of a table, by record id.
fn column(corpus: &str, table: &str, column: &str) -> BTreeMap<String, String> {
    let rows = rows(&Path::new(corpus).join(table)).into_iter();
    rows.map(|row| (row["record_id"].clone(), row[column].clone()))
        .collect()
}

fn id(id: &str) -> String {
    format!("<urn:{id}>")
}

/// The tables with a row in which a text stands.
fn tables_with(corpus: &str, text: &str) -> Vec<&'static str> {
    let names = gleaner_corpus::TABLES.iter().map(|table| table.name);
    let has = |table: &&str| {
        let rows = rows(&Path::new(corpus).join(table));
        rows.iter()
            .any(|row| row.values().any(|value| value.contains(text)))
    };
    names.filter(has).collect()
}

#[test]
fn a_drawn_page_is_the_document_whatever_comes_first() {
    let crawl = Crawl::new();
    let [sent, drawn] = ["crawl.warc.gz", "drawn.warc.gz"].map(|name| crawl.path(name));
    let both = crawl.built("both", &["crawl.warc.gz", "drawn.warc.gz"]);
    let documents = column(&both, "documents", "text");
    assert_eq!(documents.len(), PAGES);
    let rejects = column(&both, "rejects", "detail");
    assert_eq!(rejects.len(), PAGES / 4);
    for page in (0..PAGES).step_by(4) {
        assert!(
            documents[&id(&format!("drawn:{page}"))]
                .contains(&format!("drawn diary of year {}", 1900 + page))
        );
        assert_eq!(
            rejects[&id(&format!("sent:{page}"))],
            format!("<urn:drawn:{page}> is this page as a browser drew it")
        );
    }
    let reasons = rows(&Path::new(&both).join("rejects"));
    assert!(
        reasons
            .iter()
            .all(|row| (&*row["stage"], &*row["reason"]) == ("label", "drawn"))
    );
    let captures = rows(&Path::new(&both).join("captures"));
    assert_eq!(captures.len(), PAGES);
    assert!(
        captures
            .iter()
            .all(|row| row["is_latest"] == "true" && row["changed"] == "true")
    );

    let first = crawl.built("first", &["crawl.warc.gz"]);
    let only_sent = crawl.digest(&first);
    crawl.change("add", &first, &[&drawn]);
    assert_eq!(crawl.digest(&first), crawl.digest(&both));
    crawl.done(&["verify", &first]);
    crawl.done(&["verify", &first, "--all-units", "--against", &sent, &drawn]);
    let last = crawl.built("last", &["drawn.warc.gz"]);
    assert_eq!(column(&last, "documents", "http_status").len(), PAGES / 4);
    crawl.change("add", &last, &[&sent]);
    assert_eq!(crawl.digest(&last), crawl.digest(&both));

    crawl.change(
        "remove",
        &first,
        &["--input", "drawn.warc.gz", "--reason", "drawn badly"],
    );
    assert_eq!(crawl.digest(&first), only_sent);
    crawl.change("add", &first, &[&drawn]);
    for no_title in ["true", "false"] {
        crawl.change("relabel", &first, &["--no-title", no_title]);
    }
    assert_eq!(crawl.digest(&first), crawl.digest(&both));
}

#[test]
fn few_drawn_pages_are_little_work() {
    let crawl = Crawl::new();
    let corpus = crawl.built("corpus", &["crawl.warc.gz"]);
    archive([drawn(8)]).write(crawl.folder.path(), "one.warc.gz");
    let added = crawl.change("add", &corpus, &[&crawl.path("one.warc.gz")]);
    let count = |name: &str| added[name].as_u64().unwrap();
    // The pages of its site are in several units, and the two other sites stay as they are.
    assert!(count("units_kept") > count("units_labelled"), "{added}");
    let both = crawl.built("both", &["crawl.warc.gz", "one.warc.gz"]);
    assert_eq!(crawl.digest(&corpus), crawl.digest(&both));
}

#[test]
fn what_is_taken_down_is_gone_with_its_drawn_page() {
    let crawl = Crawl::new();
    let corpus = crawl.built("corpus", &["crawl.warc.gz", "drawn.warc.gz"]);
    let whole = crawl.digest(&corpus);
    let count = |table: &str| column(&corpus, table, "url").len();
    assert!(!tables_with(&corpus, ":8>").is_empty());
    // The record that the server sent names both.
    let taken = crawl.change(
        "takedown",
        &corpus,
        &["--record", "urn:sent:8", "--reason", "a request"],
    );
    assert_eq!(
        (&taken["left_out"]["r1"], &taken["search"]["found"]),
        (&2.into(), &Value::Array(Vec::new()))
    );
    assert_eq!((count("documents"), count("rejects")), (PAGES - 1, PAGES / 4 - 1));
    assert_eq!(tables_with(&corpus, ":8>"), [""; 0]);
    // So does the address.
    let taken = crawl.change("takedown", &corpus, &["--url", &url(16), "--reason", "a request"]);
    assert_eq!(
        (&taken["left_out"]["r2"], &taken["search"]["found"]),
        (&2.into(), &Value::Array(Vec::new()))
    );
    assert_eq!((count("documents"), count("rejects")), (PAGES - 2, PAGES / 4 - 2));
    // The drawn page alone: what the server sent is there without it.
    crawl.change(
        "remove",
        &corpus,
        &["--record", "urn:drawn:24", "--reason", "drawn badly"],
    );
    assert!(column(&corpus, "documents", "url").contains_key(&id("sent:24")));
    crawl.done(&["verify", &corpus]);
    let archives = ["crawl.warc.gz", "drawn.warc.gz"].map(|name| crawl.path(name));
    for rule in ["r3", "r2", "r1"] {
        crawl.change("restore", &corpus, &[rule, &archives[0], &archives[1]]);
    }
    assert_eq!(crawl.digest(&corpus), whole);
    // Only the drawn pages are there: the record that is not there is known by them.
    let alone = crawl.built("alone", &["drawn.warc.gz"]);
    let taken = crawl.change(
        "takedown",
        &alone,
        &["--record", "urn:sent:8", "--reason", "a request"],
    );
    assert_eq!(taken["left_out"]["r1"], 1);
    crawl.change("add", &alone, &[&archives[0]]);
    let documents = column(&alone, "documents", "url");
    assert!(!documents.contains_key(&id("sent:8")) && !documents.contains_key(&id("drawn:8")));
}

#[test]
fn a_drawn_text_that_is_taken_down_leaves_what_the_server_sent() {
    let crawl = Crawl::new();
    let corpus = crawl.built("corpus", &["crawl.warc.gz", "drawn.warc.gz"]);
    let explained = crawl.done(&["explain", &corpus, "urn:drawn:8", "--json"]);
    let explained: Value = serde_json::from_slice(&explained).unwrap();
    let digest = explained["text"]["digest"].as_str().unwrap();
    let taken = crawl.change(
        "takedown",
        &corpus,
        &["--text-digest", digest, "--reason", "a request"],
    );
    assert_eq!(
        (&taken["left_out"]["r1"], &taken["search"]["found"]),
        (&1.into(), &Value::Array(Vec::new()))
    );
    let documents = column(&corpus, "documents", "url");
    assert!(documents.contains_key(&id("sent:8")) && !documents.contains_key(&id("drawn:8")));
    assert_eq!(tables_with(&corpus, "<urn:drawn:8>"), [""; 0]);
    crawl.done(&["verify", &corpus]);
}

#[test]
fn a_drawn_page_and_the_record_that_it_replaces_are_explained() {
    let crawl = Crawl::new();
    let corpus = crawl.built("corpus", &["crawl.warc.gz", "drawn.warc.gz"]);
    let archive = crawl.path("drawn.warc.gz");
    for options in [&[][..], &["--input", &archive]] {
        let page = crawl.done(&[&["explain", &corpus, "urn:drawn:8"], options].concat());
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("drawn diary of year 1908"), "{page}");
    }
    let output = run(["explain", &corpus, "urn:sent:8"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("<urn:drawn:8> is this page as a browser drew it"),
        "{told}"
    );
}

/// The rights of a corpus: signal, value and place of each row of a page.
fn rights(corpus: &Corpus, page: usize) -> Vec<String> {
    let rows = rows(&corpus.path().join("rights")).into_iter();
    let of_page = rows.filter(|row| row["url"] == url(page));
    let mut rights: Vec<String> = of_page
        .map(|row| format!("{} {} {}", row["signal"], row["value"], row["found_in"]))
        .collect();
    rights.sort();
    rights
}

#[test]
fn a_drawn_page_has_the_rights_and_the_status_of_its_response() {
    let folder = tempfile::tempdir().unwrap();
    let message = format!(
        "HTTP/1.1 203 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noai\r\ntdm-reservation: 1\r\n\r\n<meta name=robots content=noindex>{}",
        article()
    );
    let of_response = format!(
        "{}Content-Type: application/http; msgtype=response\r\n",
        fields("sent:0")
    );
    let sent = record("response", &url(0), &of_response, message);
    let answer = "WARC-Refers-To-Status: 203\r\nWARC-Refers-To-Header: X-Robots-Tag: noai\r\nWARC-Refers-To-Header: TDM-Reservation: 1\r\n";
    let sent = archive([sent]).write(folder.path(), "sent.warc.gz");
    let full = conversion(0, "drawn:0", "sent:0", answer, &article());
    let full = archive([full]).write(folder.path(), "full.warc.gz");
    let bare = conversion(0, "drawn:0", "sent:0", "", &article());
    let bare = archive([bare]).write(folder.path(), "bare.warc.gz");
    let status = |corpus: &Corpus| corpus.documents()[&url(0)]["http_status"].clone();
    let of_headers = ["robots noai header", "tdm-reservation 1 header"];
    for inputs in [
        &[&*full][..],
        &[&*sent, &*full],
        &[&*full, &*sent],
        &[&*sent, &*bare],
    ] {
        let corpus = build(inputs, &[]);
        assert_eq!(rights(&corpus, 0), of_headers, "{inputs:?}");
        assert_eq!(status(&corpus), "203", "{inputs:?}");
        let sources = rows(&corpus.path().join("rights"));
        assert!(sources.iter().all(|row| row["source"] == "<urn:drawn:0>"));
    }
    let corpus = build(&[&bare], &[]);
    assert_eq!((rights(&corpus, 0).len(), &*status(&corpus)), (0, ""));
}

#[test]
fn conversions_that_are_no_drawn_pages_replace_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = |page: usize, of: &str| {
        let fields = format!(
            "{}WARC-Refers-To: <urn:{of}>\r\nContent-Type: text/plain\r\n",
            fields(&format!("text:{page}"))
        );
        record(
            "conversion",
            &url(page),
            &fields,
            format!("{SENTENCE}\n").repeat(9),
        )
    };
    let elsewhere = conversion(2, "elsewhere", "sent:3", "", &article());
    let unreadable = conversion(5, "font", "sent:5", "", "%PDF-1.7\n");
    let not_found = conversion(7, "error", "sent:7", "WARC-Refers-To-Status: 404\r\n", &article());
    let records = [
        sent(1),
        text(1, "sent:1"),
        sent(3),
        elsewhere,
        sent(5),
        unreadable,
        sent(7),
        not_found,
    ];
    let input = archive(records).write(folder.path(), "a.warc.gz");
    let mut command = gleaner();
    command
        .args(["build", "--json"])
        .arg(&input)
        .arg("--out")
        .arg(folder.path().join("out"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let documents = column(out, "documents", "url");
    let expected = ["elsewhere", "sent:1", "sent:3", "sent:5", "sent:7", "text:1"].map(id);
    assert_eq!(documents.keys().cloned().collect::<Vec<_>>(), expected);
    let rejects = column(out, "rejects", "reason");
    assert_eq!(
        rejects.values().collect::<Vec<_>>(),
        ["http-status", "not-a-page"]
    );
}

#[test]
fn drawn_pages_replace_captures_of_their_own_crawl() {
    let crawl = Crawl::new();
    let [sent, drawn] = ["crawl.warc.gz", "drawn.warc.gz"].map(|name| crawl.path(name));
    let build = |out: &str| {
        let out = crawl.path(out);
        crawl.done(&["build", &sent, "--out", &out, "--crawl", "2026-11"]);
        out
    };
    let (same, other) = (build("same"), build("other"));
    crawl.change("add", &same, &[&drawn, "--crawl", "2026-11"]);
    crawl.change("add", &other, &[&drawn, "--crawl", "2026-12"]);
    let count = |corpus: &str| ["documents", "rejects"].map(|table| column(corpus, table, "url").len());
    assert_eq!(count(&same), [PAGES, PAGES / 4]);
    assert_eq!(count(&other), [PAGES + PAGES / 4, 0]);
}
