//! Pages of made archives, drawn by a browser.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use gleaner_render::browser::find;
use gleaner_render::{Error, Failure, Progress, Settings, Summary, render};
use gleaner_store::{Options as StoreOptions, Store};
use gleaner_testing::warc::{Archive, record};
use gleaner_warc::{Options, ReadSource, Reader, RecordType, Step};

/// Whether there is a browser; where there is none, a line with the reason.
fn has_browser() -> bool {
    match find(None) {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            eprintln!("skipped: {error}");
            false
        }
    }
}

fn settings(out: PathBuf) -> Settings {
    Settings {
        out,
        all: false,
        limit: None,
        tabs: 2,
        virtual_time: Duration::from_secs(10),
        page_timeout: Duration::from_secs(60),
        max_page: 4 << 20,
        max_memory: 1 << 30,
        browser: None,
    }
}

/// Draws an archive.
fn draw(archives: &[PathBuf], settings: &Settings) -> Result<Summary, Error> {
    let store = Store::new(StoreOptions::default()).unwrap();
    let inputs: Vec<String> = archives.iter().map(|path| path.display().to_string()).collect();
    let shards = store.expand(&inputs, None).unwrap().shards;
    render(
        store,
        shards,
        settings,
        &AtomicBool::new(false),
        &Progress::default(),
    )
}

/// Draws an archive with these settings; the summary, and the pages that were drawn by URL.
fn drawn_with(archive: Archive, change: impl FnOnce(&mut Settings)) -> (Summary, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive.write(folder.path(), "a.warc.gz");
    let mut settings = settings(folder.path().join("drawn.warc.gz"));
    change(&mut settings);
    let summary = draw(&[archive], &settings).unwrap();
    let pages = pages(&settings.out);
    (summary, pages)
}

fn drawn(archive: Archive) -> (Summary, Vec<(String, String)>) {
    drawn_with(archive, |_| {})
}

/// URLs and blocks of the `conversion` records of an archive.
fn pages(file: &Path) -> Vec<(String, String)> {
    let bytes = std::fs::read(file).unwrap();
    let mut reader = Reader::new(ReadSource::new(&bytes[..]), "drawn.warc.gz", Options::default());
    let mut pages = Vec::new();
    loop {
        match reader.step().unwrap() {
            Step::Record(record) if record.kind == RecordType::Conversion => {
                let text = String::from_utf8(record.content.to_vec()).unwrap();
                pages.push((record.target_uri.to_owned(), text));
            }
            Step::Record(_) => {}
            Step::Reject(reject) => panic!("{reject:?}"),
            Step::Pending => unreachable!("a slice is always there"),
            Step::End => return pages,
        }
    }
}

/// A page that has its text from a script.
fn application(script: &str) -> String {
    format!("<!doctype html><title>News</title><div id=root></div><script>{script}</script>")
}

const JSON: &str = "Content-Type: application/json\r\n";

/// A response with any status line.
fn answer(url: &str, status: &str, headers: &str, body: &str) -> Vec<u8> {
    let fields = "WARC-Date: 2024-05-14T06:30:00Z\r\nContent-Type: application/http; msgtype=response\r\n";
    record(
        "response",
        url,
        fields,
        format!("HTTP/1.1 {status}\r\n{headers}\r\n{body}"),
    )
}

#[test]
fn a_text_from_json_of_the_archive_is_drawn() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "fetch('/api/news.json').then(answer => answer.json()).then(news => { \
        root.innerHTML = `<h1>${news.title}</h1><p>${news.text}</p>`; })";
    let archive = Archive::new()
        .page("https://a.example/", application(script))
        .page("https://a.example/plain", gleaner_testing::warc::article())
        .response(
            "https://a.example/api/news.json",
            JSON,
            r#"{"title": "Tides", "text": "The tide turns."}"#,
        )
        .write(folder.path(), "a.warc.gz");
    let settings = settings(folder.path().join("drawn.warc.gz"));
    let summary = draw(&[archive], &settings).unwrap();
    assert_eq!((summary.pages, summary.drawn, summary.not_needed), (2, 1, 1));
    assert_eq!((summary.requests.answered, summary.requests.missing), (1, 0));

    let bytes = std::fs::read(&settings.out).unwrap();
    let mut reader = Reader::new(ReadSource::new(&bytes[..]), "drawn.warc.gz", Options::default());
    let Step::Record(info) = reader.step().unwrap() else {
        panic!("no record");
    };
    let text = String::from_utf8_lossy(info.content);
    assert_eq!(info.kind, RecordType::Warcinfo);
    assert!(
        text.contains("software: gleaner/")
            && text.contains("browser: ")
            && text.contains("--virtual-seconds 10")
    );
    let Step::Record(page) = reader.step().unwrap() else {
        panic!("no record");
    };
    assert_eq!(
        (page.kind, page.target_uri),
        (RecordType::Conversion, "https://a.example/")
    );
    assert_eq!(page.content_type, "text/html; charset=utf-8");
    // The date of `Archive::page`.
    assert_eq!(page.date, Some(1_715_668_200_000));
    assert!(
        page.field("WARC-Refers-To")
            .unwrap()
            .starts_with("<urn:uuid:00000000-0000-4000-8000-")
    );
    assert_eq!(page.field("WARC-Payload-Digest"), page.field("WARC-Block-Digest"));
    let html = std::str::from_utf8(page.content).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>\n<html>"), "{html}");
    assert!(
        html.contains("<h1>Tides</h1><p>The tide turns.</p>") && !html.contains("<script"),
        "{html}"
    );
}

#[test]
fn the_same_archive_gives_the_same_bytes() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "const lines = [];
        const line = text => { lines.push(text); root.textContent = lines.join(' | '); };
        for (const name of ['a', 'b', 'c', 'd'])
            fetch(`/${name}.json?_=${Date.now()}`).then(answer => answer.text()).then(line);
        line(new Date().toString() + Math.random() + crypto.randomUUID() + navigator.language);
        const frame = () => { line('frame'); if (lines.length < 40) requestAnimationFrame(frame); };
        frame();
        setInterval(() => line(Math.random() + ' ' + Date.now()), 990);
        localStorage.seen = (localStorage.seen ?? 0) + 1;
        line(localStorage.seen);
        new IntersectionObserver(seen => line(seen[0].isIntersecting)).observe(root);
        new WebSocket('wss://a.example/').onclose = () => line('closed');";
    let mut archive = Archive::new();
    for name in ["a", "b", "c", "d"] {
        archive = archive.response(
            &format!("https://a.example/{name}.json?_=1"),
            JSON,
            format!("\"{name}\""),
        );
    }
    for number in 0..6 {
        archive = archive.page(&format!("https://a.example/{number}"), application(script));
    }
    let archive = archive.write(folder.path(), "a.warc.gz");
    let draw = |name: &str, tabs| {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let settings = Settings {
            tabs,
            ..settings(folder.join("drawn.warc.gz"))
        };
        let summary = draw(std::slice::from_ref(&archive), &settings).unwrap();
        assert_eq!((summary.drawn, summary.requests.answered), (6, 24));
        (std::fs::read(&settings.out).unwrap(), pages(&settings.out))
    };
    let (first, first_pages) = draw("1", 1);
    let (second, second_pages) = draw("2", 3);
    assert_eq!(first_pages, second_pages);
    assert!(first == second, "the bytes differ");
    // No page sees the storage of another, and the clock began at the date of the capture.
    let text = &first_pages[5].1;
    assert!(
        text.contains("Tue May 14 2024 06:30:0") && text.contains("GMT+0000"),
        "{text}"
    );
    assert!(
        text.contains("| frame | 1 |") && text.contains("| true") && text.contains("| closed"),
        "{text}"
    );
}

/// A port of this machine, and how often it was connected to.
fn counting_port() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Relaxed);
            drop(stream);
        }
    });
    (port, count)
}

#[test]
fn nothing_leaves_the_archive() {
    if !has_browser() {
        return;
    }
    let (port, count) = counting_port();
    let at = format!("127.0.0.1:{port}");
    let script = format!(
        "const at = 'http://{at}/';
        const attempt = run => {{ try {{ run() }} catch (error) {{}} }};
        for (const url of [at, 'http://localhost:{port}/', 'http://[::1]:{port}/']) {{
            attempt(() => fetch(url + 'fetch', {{mode: 'no-cors'}}).catch(() => 0));
            attempt(() => fetch(url + 'keep', {{mode: 'no-cors', method: 'POST', body: 'x', keepalive: true}}).catch(() => 0));
        }}
        attempt(() => new Image().src = at + 'image');
        attempt(() => new EventSource(at + 'events'));
        attempt(() => new WebSocket('ws://{at}/socket'));
        attempt(() => navigator.sendBeacon(at + 'beacon', 'x'));
        attempt(() => Navigator.prototype.sendBeacon.call(navigator, at + 'beacon2', 'x'));
        attempt(() => navigator.serviceWorker.register('/worker.js'));
        attempt(() => new SharedWorker(at + 'shared.js'));
        attempt(() => new RTCPeerConnection({{iceServers: [{{urls: 'stun:{at}'}}]}}).createOffer());
        attempt(() => new WebTransport('https://{at}/transport'));
        attempt(() => window.open(at + 'window'));
        attempt(() => importScripts(at + 'x.js'));
        attempt(() => import(at + 'module.js').catch(() => 0));
        const code = `new WebSocket('ws://{at}/w'); fetch('http://{at}/wf', {{mode: 'no-cors'}}); importScripts('http://{at}/wi');`;
        attempt(() => new Worker(URL.createObjectURL(new Blob([code]))));
        const frame = document.createElement('iframe');
        document.body.append(frame);
        attempt(() => new frame.contentWindow.WebSocket('ws://{at}/frame'));
        attempt(() => frame.contentWindow.open(at + 'frame'));
        const form = document.createElement('form');
        Object.assign(form, {{method: 'post', action: at + 'form', target: '_blank'}});
        document.body.append(form);
        attempt(() => form.submit());
        const link = Object.assign(document.createElement('a'), {{href: at + 'ping', ping: at + 'pinged', target: '_blank', download: 'x'}});
        document.body.append(link);
        attempt(() => link.click());
        setTimeout(() => attempt(() => location.href = at + 'elsewhere'), 3000);
        root.textContent = 'The script came to its end.';"
    );
    let html = format!(
        "{}<link rel=prefetch href=http://{at}/prefetch><link rel=preconnect href=http://{at}/><link rel=preload as=script href=http://{at}/preload>\
         <link rel=dns-prefetch href=//localhost:{port}/><link rel=stylesheet href=http://{at}/style><link rel=icon href=http://{at}/icon>\
         <link rel=manifest href=http://{at}/manifest><meta http-equiv=refresh content='1; url=http://{at}/refresh'>\
         <img src=http://{at}/img><video src=http://{at}/video autoplay></video><iframe src=http://{at}/iframe></iframe>\
         <iframe srcdoc='<script>new WebSocket(`ws://{at}/srcdoc`)</script>'></iframe><object data=http://{at}/object></object>\
         <embed src=http://{at}/embed><script type=speculationrules>{{\"prerender\": [{{\"source\": \"list\", \"urls\": [\"http://{at}/pre\", \"/pre\"]}}], \
         \"prefetch\": [{{\"source\": \"list\", \"urls\": [\"http://{at}/spec\"]}}]}}</script><style>@import 'http://{at}/import';</style>",
        application(&script).replace("<script>", "<script type=module>")
    );
    // Pages of https and of http, since mixed content is refused before it is a request.
    let archive = Archive::new()
        .page("https://a.example/", &html)
        .page("http://a.example/", &html)
        .page(&format!("http://{at}/own"), &html);
    let (summary, pages) = drawn(archive);
    assert_eq!(summary.drawn, 3, "{summary:?}");
    for (url, html) in pages {
        assert!(html.contains("The script came to its end."), "{url}: {html}");
    }
    assert!(summary.requests.missing >= 10, "{summary:?}");
    assert!(summary.requests.refused >= 3, "{summary:?}");
    assert_eq!(count.load(Relaxed), 0, "connections");
    // It does count.
    std::net::TcpStream::connect(&at).unwrap();
    while count.load(Relaxed) == 0 {
        std::thread::yield_now();
    }
}

#[test]
fn pages_that_never_end_are_cut_or_given_up() {
    if !has_browser() {
        return;
    }
    let page = |name: &str| format!("https://a.example/{name}");
    let archive = Archive::new()
        .page(&page("timers"), application("let n = 0; setInterval(() => root.textContent = ++n, 100)"))
        .page(&page("loop"), application("while (true);"))
        .page(&page("promises"), application("(async () => { for (;;) await 0; })()"))
        .page(
            &page("messages"),
            application("const c = new MessageChannel(); c.port2.onmessage = () => c.port1.postMessage(0); c.port1.postMessage(0); root.textContent = 'messages'"),
        )
        .page(&page("dialogs"), application("alert(1); root.textContent = [confirm(2), prompt(3), window.open('/'), print()].join()"))
        .page(&page("away"), application("root.textContent = 'here'; location.href = '/timers'"))
        .page(&page("again"), application("root.textContent = 'still'; location.reload()"))
        .page(&page("leave"), application("root.textContent = 'stay'; onbeforeunload = () => 'no'; setTimeout(() => location = '/x', 100)"));
    let (summary, pages) = drawn_with(archive, |settings| {
        settings.page_timeout = Duration::from_secs(8);
    });
    let text = |name: &str| -> Option<String> {
        let found = pages.iter().find(|(url, _)| *url == page(name))?;
        let after = found.1.split("<div id=\"root\">").nth(1).unwrap();
        Some(after.split("</div>").next().unwrap().to_owned())
    };
    // (A page of which a clock runs for 10 seconds, and not for ever.)
    assert_eq!(text("timers").as_deref(), Some("100"));
    assert_eq!(text("messages").as_deref(), Some("messages"));
    assert_eq!(text("dialogs").as_deref(), Some("false,,,"));
    assert_eq!(text("away").as_deref(), Some("here"));
    assert_eq!(text("again").as_deref(), Some("still"));
    assert_eq!(text("leave").as_deref(), Some("stay"));
    assert_eq!((text("loop"), text("promises")), (None, None));
    assert_eq!(summary.failed, [(Failure::TimedOut, 2)].into());
    assert_eq!(summary.failed_pages[0].url, page("loop"));
}

#[test]
fn large_pages_are_cut_and_greedy_ones_given_up() {
    if !has_browser() {
        return;
    }
    let archive = Archive::new()
        .page(
            "https://a.example/large",
            application("const text = 'The tide. '.repeat(100); for (let n = 0; n < 3000; n++) { const p = document.createElement('p'); p.textContent = text; root.append(p); }"),
        )
        .page("https://a.example/heap", application("const kept = []; for (;;) kept.push({number: kept.length, list: [kept.length]});"))
        .page(
            "https://a.example/tree",
            application("for (;;) { const p = document.createElement('p'); p.textContent = Math.random() + 'x'.repeat(1000); root.append(p); }"),
        )
        .page("https://a.example/after", application("root.textContent = 'after'"));
    let (summary, pages) = drawn_with(archive, |settings| {
        settings.max_page = 1 << 20;
        settings.max_memory = 400 << 20;
    });
    assert_eq!(summary.failed, [(Failure::Crashed, 2)].into());
    assert_eq!((summary.drawn, summary.cut), (2, 1));
    assert_eq!(pages[0].1.len(), 1 << 20);
    assert!(pages[1].1.contains("after"));
}

#[test]
fn requests_are_answered_by_the_capture_that_fits() {
    if !has_browser() {
        return;
    }
    let script = "const line = text => root.append(text + '; ');
        const read = url => fetch(url).then(answer => answer.text().then(text => line(`${url} ${answer.status} ${text.length > 40 ? 'long' : text}`)), () => line(`${url} failed`));
        (async () => { for (const url of ['/moved', '/loop', '/gone', '/none', '/revisited', '/two', '/busy?x=1&_=99', '/packed', 'https://b.example/open', 'https://b.example/shut'])
            await read(url); await fetch('/two', {method: 'POST', body: 'x'}).catch(() => line('post failed')); })()";
    let dated = |url: &str, date: &str, text: &str| {
        let fields = format!("WARC-Date: {date}\r\nContent-Type: application/http; msgtype=response\r\n");
        record(
            "response",
            url,
            &fields,
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}"),
        )
    };
    let revisit = record(
        "revisit",
        "https://a.example/revisited",
        "WARC-Date: 2024-05-14T06:30:01Z\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
         WARC-Refers-To-Target-URI: https://a.example/original\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
    );
    let gzip = |text: &str| {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let archive = Archive::new()
        .member(&[&dated("https://a.example/two", "2021-01-01T00:00:00Z", "old")])
        .member(&[&dated("https://a.example/two", "2024-05-13T00:00:00Z", "near")])
        .member(&[&dated("https://a.example/two", "2025-01-01T00:00:00Z", "new")])
        .member(&[&dated(
            "https://a.example/original",
            "2020-01-01T00:00:00Z",
            "repeated",
        )])
        .member(&[&revisit])
        .member(&[&answer(
            "https://a.example/moved",
            "302 Found",
            "Location: /target\r\n",
            "",
        )])
        .member(&[&answer(
            "https://a.example/target",
            "200 OK",
            "Content-Type: text/plain\r\n",
            "moved here",
        )])
        .member(&[&answer(
            "https://a.example/loop",
            "301 Moved",
            "Location: /loop\r\n",
            "",
        )])
        .member(&[&answer(
            "https://a.example/gone",
            "404 Not Found",
            "Content-Type: text/plain\r\n",
            "no page",
        )])
        .member(&[&answer(
            "https://a.example/busy?x=1&_=42",
            "200 OK",
            "Content-Type: text/plain\r\n",
            "busted",
        )])
        .member(&[&answer(
            "https://b.example/open",
            "200 OK",
            "Content-Type: text/plain\r\nAccess-Control-Allow-Origin: *\r\n",
            "open",
        )])
        .member(&[&answer(
            "https://b.example/shut",
            "200 OK",
            "Content-Type: text/plain\r\n",
            "shut",
        )])
        .response(
            "https://a.example/packed",
            "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n",
            gzip("unpacked"),
        )
        .page("https://a.example/", application(script));
    let (summary, pages) = drawn(archive);
    let after = pages[0].1.split("<div id=\"root\">").nth(1).unwrap();
    let text = after.split("</div>").next().unwrap();
    let expected = "/moved 200 moved here; /loop failed; /gone 404 no page; /none failed; /revisited 200 repeated; /two 200 near; \
                    /busy?x=1&amp;_=99 200 busted; /packed 200 unpacked; https://b.example/open 200 open; https://b.example/shut failed; post failed; ";
    assert_eq!(text, expected);
    assert_eq!((summary.requests.missing, summary.requests.refused), (1, 1));
}

#[test]
fn what_readers_see_is_in_the_page() {
    if !has_browser() {
        return;
    }
    let script = "customElements.define('x-card', class extends HTMLElement {
            connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<h2>In the shadow</h2><slot></slot><x-deep></x-deep>'; }
        });
        customElements.define('x-deep', class extends HTMLElement {
            connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<p>Deeper still</p>'; }
        });
        root.innerHTML = '<x-card><p>In the slot</p></x-card>';
        Object.prototype.toJSON = () => 'x'; Array.prototype.push = null; String.prototype.slice = null;
        document.querySelectorAll = null; root.append('half \\ud83c of a pair');";
    let html = application(script)
        + "<noscript>Please enable JavaScript.</noscript><script type='application/ld+json'>{\"@type\": \"Article\"}</script>";
    let (_, pages) = drawn(Archive::new().page("https://a.example/", html));
    let html = &pages[0].1;
    assert!(html.contains("half \u{fffd} of a pair"), "{html}");
    assert!(
        html.contains("application/ld+json") && !html.contains("enable JavaScript"),
        "{html}"
    );
    // Our own reader sees the shadows as browsers show them.
    let mut parser = gleaner_page::Parser::new(gleaner_page::PageConfig::default());
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .unwrap();
    let lines: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
    let at = lines.iter().position(|line| *line == "In the shadow").unwrap();
    assert_eq!(
        lines[at..at + 3],
        ["In the shadow", "In the slot", "Deeper still"]
    );
}

#[test]
fn pages_are_chosen_and_limited() {
    if !has_browser() {
        return;
    }
    let archive = || {
        Archive::new()
            .page("https://a.example/1", application("root.textContent = 'one'"))
            .page("https://a.example/2", gleaner_testing::warc::article())
            .page("https://a.example/3", application("root.textContent = 'three'"))
            .page("urn:uuid:4", application("root.textContent = 'four'"))
            .response("https://a.example/5", JSON, "{}")
    };
    let urls = |pages: &[(String, String)]| {
        pages
            .iter()
            .map(|(url, _)| url[18..].to_owned())
            .collect::<Vec<_>>()
    };
    let (summary, pages) = drawn(archive());
    assert_eq!(urls(&pages), ["1", "3"]);
    assert_eq!((summary.pages, summary.not_needed), (4, 1));
    assert_eq!(summary.failed, [(Failure::NoWebAddress, 1)].into());
    let (_, pages) = drawn_with(archive(), |settings| settings.all = true);
    assert_eq!(urls(&pages), ["1", "2", "3"]);
    let (summary, pages) = drawn_with(archive(), |settings| settings.limit = Some(1));
    assert_eq!((urls(&pages), summary.pages), (vec!["1".to_owned()], 1));
}

#[test]
fn a_stop_and_a_missing_browser_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new().page("https://a.example/", application("while (true);"));
    let archive = archive.write(folder.path(), "a.warc.gz");
    let out = folder.path().join("drawn.warc.gz");
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let absent = Settings {
        browser: Some("/no/such/browser".into()),
        ..settings(out.clone())
    };
    let error = draw(std::slice::from_ref(&archive), &absent)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("could not start '/no/such/browser': "),
        "{error}"
    );
    assert_eq!(files(), 1);
    let named = Settings {
        out: folder.path().join("drawn.txt"),
        ..absent.clone()
    };
    let error = draw(std::slice::from_ref(&archive), &named)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("drawn.txt': write a local name that ends in .warc.gz"),
        "{error}"
    );
    let there = Settings {
        out: archive.clone(),
        ..absent
    };
    let error = draw(std::slice::from_ref(&archive), &there)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("exists: choose another name for --out, or remove it"),
        "{error}"
    );
    if !has_browser() {
        return;
    }
    let store = Store::new(StoreOptions::default()).unwrap();
    let shards = store
        .expand(&[archive.display().to_string()], None)
        .unwrap()
        .shards;
    let (stop, progress) = (Arc::new(AtomicBool::new(false)), Arc::new(Progress::default()));
    let (stopping, part) = (Arc::clone(&stop), folder.path().join("drawn.warc.gz.part"));
    let thread = std::thread::spawn(move || {
        while !part.exists() {
            std::thread::yield_now();
        }
        stopping.store(true, Relaxed);
    });
    let error = render(store, shards, &settings(out), &stop, &progress).unwrap_err();
    thread.join().unwrap();
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert_eq!(files(), 1);
}
