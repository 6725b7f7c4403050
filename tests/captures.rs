//! What captures become: status lines, media types, codings and charsets as old servers and crawlers left them.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use gleaner_testing::warc::{Archive, SENTENCE, article, record};

use crate::support::{Corpus, build, gleaner, rows, said};

const URL: &str = "http://old.example/page";
const NOTE: &str = "Записка смотрителя: вечером над гаванью поднялся густой туман, и колокол звонил до утра.";

/// The corpus of one response.
fn built(headers: &str, body: impl AsRef<[u8]>) -> Corpus {
    built_of(Archive::new().response(URL, headers, body))
}

fn built_of(archive: Archive) -> Corpus {
    let folder = tempfile::tempdir().unwrap();
    build(&[&archive.write(folder.path(), "old.warc.gz")], &[])
}

/// The corpus of an ARC file of these records: URL line without its length, and content.
fn arc(records: &[(&str, &[u8])]) -> Corpus {
    let mut file = b"filedesc://old.arc 0.0.0.0 19970616061332 text/plain 3\n1 0\n".to_vec();
    for (line, content) in records {
        file.extend(format!("\n{line} {}\n", content.len()).as_bytes());
        file.extend(*content);
    }
    let folder = tempfile::tempdir().unwrap();
    build(&[&Archive::new().raw(file).write(folder.path(), "old.arc")], &[])
}

fn is_article(corpus: &Corpus, url: &str) {
    assert_eq!(
        corpus.text(url).matches(SENTENCE).count(),
        5,
        "{url}: {}",
        corpus.text(url)
    );
}

fn note_page(head: &str) -> String {
    format!(
        "<html lang=ru><head>{head}<title>Записка</title></head><body><h1>Записка</h1><p>{NOTE}</p><p>{NOTE}</p></body></html>"
    )
}

/// A text in windows-1251, of which only Russian letters are needed.
fn in_1251(text: &str) -> Vec<u8> {
    let byte = |letter: char| match letter {
        'А'..='я' => 0xc0 + (letter as u32 - 'А' as u32) as u8,
        letter => u8::try_from(letter).expect("ASCII"),
    };
    text.chars().map(byte).collect()
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

#[test]
fn status_lines_of_every_form_are_read_in_arc() {
    let page = article();
    let content = |head: &str| [head.as_bytes(), page.as_bytes()].concat();
    let header = "Server: NCSA/1.4\nContent-type: text/html\n\n";
    let corpus = arc(&[
        (
            "http://a.example/1 1.2.3.4 19970616061332 text/html",
            &content(&format!("http/1.0 200 OK\n{header}")),
        ),
        (
            "http://a.example/2 1.2.3.4 19970616061333 text/html",
            &content(&format!("HTTP 200 Document follows\n{header}")),
        ),
        (
            "http://a.example/3 1.2.3.4 19970616061334 text/html",
            &content(header),
        ),
        (
            "http://a.example/4 1.2.3.4 19970616061335 text/html",
            &content(""),
        ),
        (
            "http://a.example/5 1.2.3.4 19970616061336 text/html",
            &content(&format!("HTTP 404 Not found\n{header}")),
        ),
    ]);
    for (url, status) in [("1", "200"), ("2", "200"), ("3", ""), ("4", "")] {
        let url = format!("http://a.example/{url}");
        is_article(&corpus, &url);
        assert!(!corpus.text(&url).contains("NCSA"));
        assert_eq!(corpus.documents()[&url]["http_status"], status, "{url}");
    }
    let (reason, detail) = corpus.only_reject();
    assert_eq!(
        (reason.as_str(), detail.as_str()),
        ("http-status", "the server answered 404")
    );
}

#[test]
fn arc_records_with_odd_dates_keep_their_addresses() {
    let page = format!("HTTP/1.0 200 OK\nContent-type: text/html\n\n{}", article());
    let corpus = arc(&[
        (
            "http://a.example/good 1.2.3.4 20041015060312 text/html",
            page.as_bytes(),
        ),
        (
            "http://a.example/a b 1.2.3.4 15Oct2004:6 text/html",
            page.as_bytes(),
        ),
        ("http://a.example/none 1.2.3.4 null text/html", page.as_bytes()),
        (
            "http://a.example/words 1.2.3.4 Fri, 15 Oct 2004 06:03 text/html",
            page.as_bytes(),
        ),
        (
            "http://a.example/minute 1.2.3.4 200410150603 text/html",
            page.as_bytes(),
        ),
        (
            "http://a.example/last 1.2.3.4 20041015060312 text/html",
            page.as_bytes(),
        ),
    ]);
    assert_eq!((corpus.number("documents"), corpus.sum("rejects")), (6, 0));
    for url in ["good", "a b", "none", "words", "minute", "last"] {
        is_article(&corpus, &format!("http://a.example/{url}"));
    }
    assert_eq!(corpus.documents()["http://a.example/none"]["crawl_date"], "");
}

#[test]
fn pages_are_told_whatever_their_type_is() {
    let xhtml = format!(
        "<?xml version='1.0'?><!-- a --><html xmlns='http://www.w3.org/1999/xhtml'>{}",
        article().trim_start_matches("<!doctype html><html lang=en>")
    );
    let wide = utf16(&article(), u16::to_be_bytes);
    for (headers, body) in [
        (
            "Content-Type: text/html charset=utf-8\r\n",
            article().into_bytes(),
        ),
        ("Content-Type: text/html,text/html\r\n", article().into_bytes()),
        (
            "Content-Type: text/plain\r\nContent-Type: text/html\r\n",
            article().into_bytes(),
        ),
        ("Content-Type: */*\r\n", article().into_bytes()),
        (
            "Content-Type: none\r\n",
            format!("<!-- x --> {}", article()).into_bytes(),
        ),
        (
            "Content-Type: application/octet-stream\r\n",
            article().into_bytes(),
        ),
        ("", wide),
        ("Content-Type: text/xml\r\n", xhtml.clone().into_bytes()),
        ("Content-Type: application/vnd.x+xml\r\n", xhtml.into_bytes()),
    ] {
        is_article(&built(headers, body), URL);
    }
    let feed = "<?xml version='1.0'?><rss><channel><title>a</title><item><description>b</description></item></channel></rss>";
    for headers in [
        "Content-Type: application/xml\r\n",
        "Content-Type: feed\r\n",
        "Content-Type: image/svg+xml\r\n",
        "",
    ] {
        assert_eq!(built(headers, feed).only_reject().0, "media-type", "{headers}");
    }
}

#[test]
fn what_crawlers_add_to_a_capture_is_told() {
    let page = article();
    let (begin, end) = page.split_at(page.len() * 2 / 3);
    let html = "Content-Type: text/html\r\n";
    let http = "Content-Type: application/http\r\n";
    let file = [
        record(
            "resource",
            URL,
            &format!("{html}WARC-Segment-Number: 1\r\n"),
            begin,
        ),
        record("request", URL, http, "GET /page HTTP/1.1\r\n\r\n"),
        record(
            "continuation",
            URL,
            &format!("{html}WARC-Segment-Number: 2\r\n"),
            end,
        ),
        record("resource", &format!("rendered:{URL}"), html, &page),
        record(
            "response",
            "http://new.example/",
            http,
            format!(":status: 203\r\ncontent-type: text/html\r\n\r\n{page}"),
        ),
    ];
    let corpus = built_of(Archive::new().raw(file.concat()));
    assert_eq!(
        corpus.documents().keys().collect::<Vec<_>>(),
        ["http://new.example/", URL]
    );
    assert_eq!(corpus.only_truncated(URL), "capture");
    assert_eq!(corpus.documents()["http://new.example/"]["http_status"], "203");
    is_article(&corpus, "http://new.example/");
    let rejects: Vec<_> = corpus
        .rejects()
        .into_iter()
        .map(|mut reject| (reject.remove("reason").unwrap(), reject.remove("url").unwrap()))
        .collect();
    assert_eq!(
        rejects,
        [
            ("crawler-record".to_owned(), format!("rendered:{URL}")),
            ("segment".to_owned(), URL.to_owned())
        ]
    );
}

#[test]
fn forms_of_a_url_are_captures_of_one_page() {
    let page = article();
    let urls = ["http://old.example:80/page", "http://OLD.example/page#top", URL];
    let later = page.replace("every evening", "every morning");
    let html = "Content-Type: text/html\r\n";
    let file = [
        record(
            "resource",
            urls[0],
            &format!("{html}WARC-Date: 2024-03-02T00:00:00Z\r\n"),
            &page,
        ),
        record(
            "resource",
            urls[1],
            &format!("{html}WARC-Date: 2024-03-03T00:00:00Z\r\n"),
            &later,
        ),
        record(
            "resource",
            urls[2],
            &format!("{html}WARC-Date: 2024-03-01T00:00:00Z\r\n"),
            &page,
        ),
    ];
    let corpus = built_of(Archive::new().raw(file.concat()));
    let documents = rows(&corpus.path().join("documents"));
    let by_time = [urls[2], urls[0], urls[1]];
    assert_eq!(
        documents.iter().map(|row| &row["url"]).collect::<Vec<_>>(),
        by_time
    );
    assert!(documents.iter().all(|row| row["host"] == "old.example"));
    let captures: Vec<_> = rows(&corpus.path().join("captures"))
        .into_iter()
        .map(|row| {
            (
                row["surt"].clone(),
                row["is_latest"].clone(),
                row["changed"].clone(),
            )
        })
        .collect();
    let capture = |is_latest: &str, changed: &str| {
        (
            "example,old):http/page".to_owned(),
            is_latest.to_owned(),
            changed.to_owned(),
        )
    };
    assert_eq!(
        captures,
        [
            capture("false", "true"),
            capture("false", "false"),
            capture("true", "true")
        ]
    );
}

#[test]
fn texts_are_documents_and_rules_for_crawlers_are_not() {
    let line = format!("{SENTENCE}, and every evening, before the lamp is lit, she adds a line to it.");
    let lines = format!("{line}\n\n").repeat(5);
    let sent = |headers: &str| format!("HTTP/1.1 200 OK\r\n{headers}\r\n{lines}");
    let http = "Content-Type: application/http\r\n";
    let identified = "WARC-Identified-Payload-Type: text/plain\r\n";
    let file = [
        record(
            "response",
            "http://a.example/1",
            http,
            sent("Content-Type: text/plain\r\n"),
        ),
        record(
            "response",
            "http://a.example/2",
            &format!("{http}{identified}"),
            sent("Content-Type: application/octet-stream\r\n"),
        ),
        record("response", "http://a.example/3", http, sent("")),
        record(
            "resource",
            "http://a.example/4",
            "Content-Type: text/plain\r\nWARC-Truncated: length\r\n",
            &lines,
        ),
        record(
            "response",
            "http://a.example/robots.txt",
            http,
            sent("Content-Type: text/plain\r\n"),
        ),
        record(
            "resource",
            "metadata://crawler/wget.log",
            "Content-Type: text/plain\r\n",
            &lines,
        ),
        record(
            "response",
            "http://a.example/7",
            &format!("{http}WARC-Identified-Payload-Type: image/png\r\n"),
            sent(""),
        ),
        record("response", "dns:a.example", "", "a.example. 589 IN A 192.0.2.1"),
        record(
            "resource",
            "http://a.example/9",
            "",
            sent("Content-Type: text/plain\r\n"),
        ),
    ];
    let corpus = built_of(Archive::new().raw(file.concat()));
    for url in ["1", "2", "3", "4", "9"] {
        let url = format!("http://a.example/{url}");
        assert!(
            corpus.text(&url).contains(SENTENCE),
            "{url}: {}",
            corpus.text(&url)
        );
    }
    assert_eq!(corpus.only_truncated("http://a.example/4"), "capture");
    let rejects = corpus.rejects();
    let reasons: Vec<&str> = rejects.iter().map(|reject| reject["reason"].as_str()).collect();
    assert_eq!(
        reasons,
        ["crawler-record", "crawler-record", "media-type", "robots-txt"]
    );
    // As in browsers, a text is not looked through for tags.
    let source = built("Content-Type: text/plain\r\n", article());
    assert!(source.text(URL).contains("<h1>A diary of the tides</h1>"));
}

#[test]
fn compressed_bodies_are_read_though_no_header_names_a_coding() {
    let page = article();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let mut twice = GzEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(page.as_bytes()).unwrap();
    bare.write_all(page.as_bytes()).unwrap();
    gzip.write_all(page.as_bytes()).unwrap();
    let once = gzip.finish().unwrap();
    twice.write_all(&once).unwrap();
    let html = "Content-Type: text/html\r\n";
    for body in [
        zlib.finish().unwrap(),
        bare.finish().unwrap(),
        once,
        twice.finish().unwrap(),
    ] {
        is_article(&built(html, &body), URL);
        let folder = tempfile::tempdir().unwrap();
        let file = Archive::new().raw(&body).write(folder.path(), "page.html");
        assert_eq!(cleaned(&file, &[]).matches(SENTENCE).count(), 5);
    }
}

#[test]
fn bodies_that_are_no_text_are_rejected() {
    let noise: Vec<u8> = (0..3000_u64)
        .map(|place| (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 41) as u8)
        .collect();
    let video = [b"\0\0\0\x18ftypmp42".as_slice(), &noise].concat();
    for (body, reason) in [(video, "not-a-page"), (noise, "binary-body")] {
        for media in [
            "text/html",
            "text/html; charset=utf-8",
            "text/plain",
            "text/html; charset=shift_jis",
        ] {
            let corpus = built(&format!("Content-Type: {media}\r\n"), &body);
            assert_eq!(corpus.only_reject().0, reason, "{media}");
        }
    }
}

/// What `clean` keeps of a file.
fn cleaned(file: &Path, options: &[&str]) -> String {
    let output = gleaner().arg("clean").arg(file).args(options).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn charsets_are_those_of_the_bytes_in_build_and_clean() {
    let marked = [b"\xff\xfe".to_vec(), utf16(&note_page(""), u16::to_le_bytes)].concat();
    for (content_type, body) in [
        ("text/html", marked),
        ("text/html", utf16(&note_page(""), u16::to_be_bytes)),
        (
            "text/html; charset=utf-16be",
            utf16(&note_page(""), u16::to_be_bytes),
        ),
        (
            "text/html; charset=utf-8",
            in_1251(&note_page("<meta charset=utf-8>")),
        ),
        (
            "text/html; charset=gb2312",
            note_page("<meta charset=gb2312>").into_bytes(),
        ),
        ("text/html; charset=iso-8859-1", note_page("").into_bytes()),
    ] {
        let corpus = built(&format!("Content-Type: {content_type}\r\n"), &body);
        assert!(
            corpus.text(URL).contains(NOTE),
            "{content_type}: {}",
            corpus.text(URL)
        );
        let folder = tempfile::tempdir().unwrap();
        let file = Archive::new().raw(&body).write(folder.path(), "note.html");
        let text = cleaned(&file, &["--content-type", content_type]);
        assert!(text.contains(NOTE), "{content_type}: {text}");
    }
}

#[test]
fn controls_are_no_part_of_a_document() {
    let page = article()
        .replace(">A diary", ">\u{93}A\u{94} \u{7}diary")
        .replace("harbour master", "har\u{1}bour master\u{92}s crew \u{1b}");
    let corpus = built("Content-Type: text/html; charset=utf-8\r\n", page);
    let document = &corpus.documents()[URL];
    assert!(
        document["text"].contains("The harbour master’s crew has kept"),
        "{}",
        document["text"]
    );
    assert!(
        document["title"].starts_with("“A” diary"),
        "{}",
        document["title"]
    );
}
