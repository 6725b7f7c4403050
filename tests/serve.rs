//! `gleaner serve`, as clients of all kinds see it: answers against those of the commands, limits, and who is not answered.

mod client;
mod pages;

use std::collections::BTreeSet;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use gleaner_testing::warc::{SENTENCE, article};
use serde_json::Value;

use self::client::{Reply, Service, send};
use self::pages::{SentPage, broken, by_hand, of_sample};
use crate::support::{build, gleaner, refusal, run, said, sample};
use crate::texts::{OTHER, TEXTS};

/// A service with two workers, whatever the machine has.
fn service() -> Service {
    Service::start(&["--workers", "2"])
}

fn encoded(url: &str) -> String {
    url.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// What a command prints of a page.
fn printed(command: &str, format: &str, page: &SentPage) -> String {
    let mut gleaner = gleaner();
    gleaner.args([command, "-", "--format", format]);
    if !page.url.is_empty() {
        gleaner.args(["--url", &page.url]);
    }
    if command == "clean" {
        gleaner.args(["--content-type", &page.content_type]);
    }
    gleaner
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = gleaner.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&page.body).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn assert_same(service: &Service, command: &str, formats: &[&str], page: &SentPage) {
    for format in formats {
        let path = format!("/{command}?format={format}&url={}", encoded(&page.url));
        let reply = service.post(&path, &page.content_type, &page.body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(
            reply.text(),
            printed(command, format, page),
            "{command} {format} {}",
            page.url
        );
    }
}

#[test]
fn clean_answers_what_the_command_prints() {
    let service = service();
    for page in by_hand().iter().chain(&of_sample(4)) {
        assert_same(&service, "clean", &["json", "text", "markdown", "html"], page);
    }
}

#[test]
fn posts_answers_what_the_command_prints() {
    let service = service();
    // (The command knows no types of files.)
    let known = |page: &&SentPage| page.content_type == "text/html";
    for page in by_hand().iter().filter(known) {
        assert_same(&service, "posts", &["json", "xml", "text"], page);
    }
    for mut page in of_sample(4) {
        page.content_type = "text/html".to_owned();
        assert_same(&service, "posts", &["json", "xml", "text"], &page);
    }
}

#[test]
fn the_charset_is_that_of_the_header_then_of_the_page() {
    let service = service();
    let russian = b"<p>\xcf\xf0\xe8\xe2\xe5\xf2";
    let charset = |content_type: &str, body: &[u8]| {
        let reply = service.post("/clean", content_type, body).json();
        (reply["charset"].clone(), reply["blocks"][0]["text"].clone())
    };
    let windows = ("windows-1251".into(), "Привет".into());
    assert_eq!(charset("text/html; charset=windows-1251", russian), windows);
    let stated = [b"<meta charset=windows-1251>".as_slice(), russian].concat();
    assert_eq!(charset("text/html", &stated), windows);
    let japanese = b"<meta charset=shift_jis><p>\x93\xfa\x96{";
    assert_eq!(
        charset("text/html", japanese),
        ("Shift_JIS".into(), "日本".into())
    );
}

#[test]
fn explain_gives_the_sum_of_each_probability() {
    let service = service();
    let page = &of_sample(1)[0];
    let path = format!("/explain?url={}", encoded(&page.url));
    let explained = service.post(&path, &page.content_type, &page.body).json();
    let cleaned: Value = serde_json::from_str(&printed("clean", "json", page)).unwrap();
    assert_eq!(explained["text"], cleaned["text"]);
    assert_eq!(explained["metadata"]["title"], cleaned["title"]);
    assert_eq!(explained["kind"]["name"], cleaned["page_kind"]);
    let blocks = explained["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), cleaned["blocks"].as_array().unwrap().len());
    for (block, cleaned) in blocks.iter().zip(cleaned["blocks"].as_array().unwrap()) {
        for column in ["label", "text", "path"] {
            assert_eq!(block[column], cleaned[column]);
        }
        let number = |value: &Value| value.as_f64().unwrap();
        let labels = block["labels"].as_object().unwrap();
        assert!(
            (labels.values().map(number).sum::<f64>() - 1.0).abs() < 1e-3,
            "{labels:?}"
        );
        let reasons = &block["reasons"];
        let adds = |list: &str| {
            reasons[list]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| number(&one["adds"]))
                .sum::<f64>()
        };
        let sum =
            number(&reasons["mean"]) + number(&reasons["rest"]) + adds("features") + adds("adjustments");
        let probability = number(&block["probability"]);
        assert!(
            (1.0 / (1.0 + (-sum).exp()) - probability).abs() < 2e-3,
            "{block:#}"
        );
        for feature in reasons["features"].as_array().unwrap() {
            let name = feature["feature"].as_str().unwrap();
            assert!(
                explained["definitions"][name]
                    .as_str()
                    .is_some_and(|said| !said.is_empty()),
                "{name}"
            );
        }
    }
    assert!(
        blocks.iter().any(|block| block["kept"] == true) && blocks.iter().any(|block| block["kept"] == false)
    );
}

#[test]
fn features_are_a_table_of_all_blocks() {
    let service = service();
    let reply = service
        .post("/features", "text/html", article().as_bytes())
        .json();
    let columns = reply["columns"].as_array().unwrap();
    let blocks = reply["blocks"].as_array().unwrap();
    assert!(columns.contains(&"regexp.date".into()), "{columns:?}");
    assert!(!blocks.is_empty());
    assert!(
        blocks
            .iter()
            .all(|block| block.as_array().unwrap().len() == columns.len())
    );
}

#[test]
fn a_thousand_broken_pages_are_answered_and_no_worker_is_lost() {
    let service = service();
    let paths = [
        "/clean",
        "/clean?format=markdown",
        "/clean?format=html",
        "/posts?format=xml",
        "/explain",
        "/features",
    ];
    for number in 0..1000 {
        let reply = service.post(paths[number % paths.len()], "text/html", &broken(number));
        assert!(
            matches!(reply.status, 200 | 422),
            "page {number}: {} {}",
            reply.status,
            reply.text()
        );
    }
    // Each of the two workers has to answer: they are kept busy together.
    std::thread::scope(|scope| {
        let asked = (0..4)
            .map(|_| scope.spawn(|| service.post("/clean?format=text", "text/html", article().as_bytes())));
        for reply in asked.collect::<Vec<_>>() {
            assert_eq!(reply.join().unwrap().text().matches(SENTENCE).count(), 5);
        }
    });
}

#[test]
fn an_empty_body_is_a_page_without_blocks() {
    let service = service();
    let reply = service.post("/clean", "text/html", b"").json();
    assert_eq!(
        (&reply["text"], reply["blocks"].as_array().unwrap().len()),
        (&"".into(), 0)
    );
    assert_eq!(
        service.post("/features", "text/html", b"").json()["blocks"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    assert_eq!(
        service.post("/explain", "text/html", b"").json()["kind"],
        Value::Null
    );
}

#[test]
fn what_is_no_page_is_told_so() {
    let service = service();
    let image = [0x89, b'P', b'N', b'G', 0, 0, 0, 0].repeat(100);
    let sentence = service.post("/clean", "text/html", &image).refused(422);
    assert!(sentence.starts_with("the body is not a page: "), "{sentence}");
    let sentence = service.post("/posts", "image/png", &image).refused(415);
    assert!(
        sentence.contains("'image/png' is neither HTML nor plain text"),
        "{sentence}"
    );
    let sentence = service.post("/clean?format=pdf", "text/html", b"").refused(400);
    assert!(
        sentence.contains("/clean") && sentence.contains("pdf") && sentence.contains("markdown"),
        "{sentence}"
    );
    let sentence = service.post("/explain?adress=x", "text/html", b"").refused(400);
    assert!(
        sentence.contains("adress") && sentence.contains("url"),
        "{sentence}"
    );
}

#[test]
fn a_page_of_ten_megabytes_is_answered() {
    let service = service();
    let page = format!(
        "<title>Long</title>{}",
        format!("<p>{SENTENCE}</p>\n").repeat((10 << 20) / (SENTENCE.len() + 8))
    );
    let reply = service.post("/clean?format=text", "text/html", page.as_bytes());
    assert_eq!(reply.status, 200);
    assert!(reply.body.len() > 1 << 20, "{}", reply.body.len());
}

#[test]
fn only_this_machine_by_its_names_is_answered() {
    let service = service();
    let port = service.port;
    let request = |lines: &str| service.ask_as(&format!("GET /api/session HTTP/1.1\r\n{lines}"), b"");
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        assert_eq!(request(&format!("Host: {host}:{port}")).status, 200, "{host}");
    }
    for lines in [
        format!("Host: evil.example:{port}"),
        "Host: 127.0.0.1".to_owned(),
        "X: y".to_owned(),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://evil.example"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: null"),
        format!("Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: cross-site"),
        format!("Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: same-site"),
    ] {
        let reply = request(&lines);
        reply.refused(403);
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    let own =
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin");
    assert_eq!(request(&own).status, 200);
    // A question of a browser before a foreign page may send something: no page may.
    let question =
        "OPTIONS /clean HTTP/1.1\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST";
    service.ask(question, b"").refused(403);
}

#[test]
fn every_answer_forbids_what_it_does_not_need() {
    let service = service();
    let replies = [
        service.get("/"),
        service.get("/gleaner.js"),
        service.get("/nothing"),
        service.post("/clean?format=html", "text/html", b"<p>a"),
        service.ask_as("GET / HTTP/1.1\r\nHost: evil.example", b""),
    ];
    for (number, reply) in replies.iter().enumerate() {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{number}: {}", reply.head);
        }
        let policy = reply.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none';") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert_eq!(policy.contains("script-src 'self'"), number < 2, "{policy}");
        assert!(!policy.contains("script-src 'self' "), "{policy}");
    }
}

#[test]
fn methods_that_a_path_does_not_have_are_refused() {
    let service = service();
    let sentence = service.get("/clean").refused(405);
    assert_eq!(
        sentence,
        "/clean does not take GET: /openapi.json lists the methods of each path"
    );
    assert_eq!(service.get("/clean").header("allow"), Some("post"));
    service.ask("DELETE /api/session HTTP/1.1", b"").refused(405);
    let sentence = service.get("/api/none").refused(404);
    assert_eq!(
        sentence,
        "there is nothing at /api/none: /openapi.json lists what there is"
    );
    let head = service.ask("HEAD / HTTP/1.1", b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    let page = service.get("/");
    assert_eq!(head.header("content-length"), Some(&*page.body.len().to_string()));
}

#[test]
fn a_connection_is_kept_for_several_requests() {
    let service = service();
    let mut reader = BufReader::new(service.connect());
    for page in ["<p>one", "<p>two"] {
        let lines = format!(
            "POST /clean HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: text/html",
            service.port
        );
        send(reader.get_mut(), &lines, page.as_bytes());
        let reply = Reply::read(&mut reader, false).unwrap();
        assert_eq!(reply.json()["blocks"][0]["text"], page[3..]);
    }
}

#[test]
fn two_clients_at_once_get_their_own_pages() {
    let service = &service();
    std::thread::scope(|scope| {
        for client in ["harbour", "lantern"] {
            scope.spawn(move || {
                for number in 0..20 {
                    let reply =
                        service.post("/clean", "text/html", format!("<p>{client} {number}").as_bytes());
                    assert_eq!(reply.json()["blocks"][0]["text"], format!("{client} {number}"));
                }
            });
        }
    });
}

#[test]
fn a_body_over_the_limit_is_refused_before_it_is_read() {
    let service = Service::start(&["--max-body", "10kB"]);
    let host = format!("Host: 127.0.0.1:{}", service.port);
    // The length alone is enough: nothing of the body is sent.
    let mut stream = service.connect();
    write!(
        stream,
        "POST /clean HTTP/1.1\r\n{host}\r\nContent-Length: 99999999999\r\n\r\n"
    )
    .unwrap();
    let reply = Reply::read(&mut BufReader::new(stream), false).unwrap();
    assert_eq!(
        reply.refused(413),
        "the body has more than 10000 bytes, which is the limit: --max-body sets it"
    );
    assert_eq!(reply.header("connection"), Some("close"));
    // One that does not say its length is cut off where it is too long.
    let mut stream = service.connect();
    write!(
        stream,
        "POST /clean HTTP/1.1\r\n{host}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    .unwrap();
    for _ in 0..3 {
        write!(stream, "1000\r\n{}\r\n", "a".repeat(0x1000)).unwrap();
    }
    Reply::read(&mut BufReader::new(stream), false)
        .unwrap()
        .refused(413);
    assert_eq!(service.post("/clean", "text/html", &[b'a'; 10_000]).status, 200);
    assert_eq!(service.get("/api/session").json()["limits"]["body_bytes"], 10_000);
}

#[test]
fn what_is_no_request_is_refused_without_a_body() {
    let service = service();
    let fields: String = (0..101).map(|number| format!("X-{number}: a\r\n")).collect();
    for (head, status) in [
        ("hello there\r\n\r\n".to_owned(), 400),
        (format!("GET / HTTP/1.1\r\n{fields}\r\n"), 431),
    ] {
        let mut stream = service.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let reply = Reply::read(&mut BufReader::new(stream), false).unwrap();
        assert_eq!((reply.status, reply.text()), (status, ""));
        assert_eq!(reply.header("connection"), Some("close"));
    }
}

#[test]
fn slow_clients_are_cut_off_and_others_are_answered() {
    let service = Service::start(&["--timeout", "2"]);
    let head = format!(
        "POST /clean HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: 100\r\n\r\n",
        service.port
    );
    std::thread::scope(|scope| {
        // A byte a second, of the head and of the body.
        let slow = |sent: usize| {
            let (service, head) = (&service, &head);
            scope.spawn(move || {
                let mut stream = service.connect();
                stream.write_all(&head.as_bytes()[..sent]).unwrap();
                for byte in head.as_bytes()[sent..].iter().chain(&[b'a'; 100]).take(12) {
                    std::thread::sleep(Duration::from_secs(1));
                    if stream.write_all(&[*byte]).is_err() {
                        break;
                    }
                }
                let mut answer = Vec::new();
                // (It may have been reset.)
                stream.read_to_end(&mut answer).ok();
                String::from_utf8(answer).unwrap()
            })
        };
        let slow = [slow(0), slow(10), slow(head.len())];
        for _ in 0..20 {
            assert_eq!(service.post("/clean", "text/html", b"<p>a").status, 200);
            std::thread::sleep(Duration::from_millis(100));
        }
        for client in slow {
            let answer = client.join().unwrap();
            assert!(
                answer.is_empty() || answer.starts_with("HTTP/1.1 408 "),
                "{answer}"
            );
        }
    });
}

#[test]
fn a_client_that_reads_nothing_is_cut_off() {
    let service = Service::start(&["--timeout", "1", "--workers", "1"]);
    let page = format!("<pre>{}", "a line of text\n".repeat(300_000));
    let mut stream = service.connect();
    let lines = format!("POST /clean HTTP/1.1\r\nHost: localhost:{}", service.port);
    send(&mut stream, &lines, page.as_bytes());
    // The answer has begun.
    stream.peek(&mut [0]).unwrap();
    std::thread::sleep(Duration::from_secs(4));
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    let whole = service
        .ask(&lines.replace("Host", "X-Not"), page.as_bytes())
        .body
        .len();
    assert!(answer.len() < whole, "{} of {whole} bytes", answer.len());
    assert_eq!(service.post("/clean", "text/html", b"<p>a").status, 200);
}

#[test]
fn the_description_has_the_routes_of_the_program() {
    let service = service();
    let api = service.get("/openapi.json").json();
    assert_eq!(api["openapi"].as_str().map(|version| &version[..3]), Some("3.1"));
    let described: BTreeSet<&String> = api["paths"].as_object().unwrap().keys().collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/serve/src");
    let sources = crate::support::files(&folder)
        .into_iter()
        .map(|file| std::fs::read_to_string(file).unwrap());
    let sources: String = sources.collect();
    let route = regex::Regex::new(r#"\.route\(\s*"([^"]+)"#).unwrap();
    let routes: BTreeSet<String> = route
        .captures_iter(&sources)
        .map(|route| route[1].to_owned())
        .collect();
    // What only the web page calls is not described.
    let is_public = |route: &&String| !route.starts_with("/api/") || *route == "/api/session";
    assert_eq!(described, routes.iter().filter(is_public).collect());
    for (path, methods) in api["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let reply = service.ask(&format!("{} {path} HTTP/1.1", method.to_uppercase()), b"");
            assert_eq!(reply.status, 200, "{method} {path}");
        }
        let other = if methods.get("get").is_some() {
            "PUT"
        } else {
            "GET"
        };
        service.ask(&format!("{other} {path} HTTP/1.1"), b"").refused(405);
    }
}

#[test]
fn answers_have_the_shapes_that_are_described() {
    let service = service();
    let mut api = service.get("/openapi.json").json();
    let schemas = api["components"]["schemas"].as_object_mut().unwrap();
    // A key that is not described is a fault of the description.
    for schema in schemas
        .values_mut()
        .filter(|schema| schema["type"] == "object" && schema.get("properties").is_some())
    {
        schema["additionalProperties"] = false.into();
    }
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("http://localhost/api.json", api).unwrap();
    let mut known = boon::Schemas::new();
    let page = &of_sample(1)[0];
    let post = |path: &str, page: &SentPage| service.post(path, &page.content_type, &page.body).json();
    let blog = &by_hand()[2];
    for (schema, answer) in [
        ("CleanedPage", post("/clean", page)),
        ("PostsOfPage", post("/posts", blog)),
        ("ExplainedPage", post("/explain", page)),
        ("FeaturesOfPage", post("/features", page)),
        ("Session", service.get("/api/session").json()),
        ("ErrorBody", service.get("/nothing").json()),
    ] {
        let place = format!("http://localhost/api.json#/components/schemas/{schema}");
        let schema = compiler.compile(&place, &mut known).unwrap();
        if let Err(error) = known.validate(&answer, schema) {
            panic!("{error:#}\n{answer:#}");
        }
    }
}

#[test]
fn what_cannot_be_served_is_told_in_a_sentence() {
    let service = service();
    let port = service.port.to_string();
    assert_eq!(
        refusal(&run(["serve", "--port", &port])),
        format!(
            "port {port} of 127.0.0.1 is taken: choose another with --port, or --port 0 for any that is free"
        )
    );
    let sentence = refusal(&run(["serve", "--port", "0", "--model", "nosuch.model"]));
    assert!(
        sentence.contains("model file 'nosuch.model'") || sentence.contains("nosuch.model"),
        "{sentence}"
    );
    let sentence = refusal(&run(["serve", "--port", "0", "nosuch.html"]));
    assert!(sentence.contains("nosuch.html"), "{sentence}");
    let sample = sample();
    let page = sample.to_str().unwrap();
    let sentence = refusal(&run(["serve", "--port", "0", page, "--annotations", page]));
    assert_eq!(
        sentence,
        format!("{page} is a file: name a folder for annotation files")
    );
}

/// The sentences are those of a build.
#[test]
fn archives_that_are_not_there_are_named_at_the_start() {
    let corpus = build(&[&sample()], &[]);
    let folder = corpus.path();
    let serve = |input: &str| {
        let serve = ["serve", "--port", "0", folder.to_str().unwrap(), "--input", input];
        refusal(&run(serve))
    };
    for input in [
        "nosuch.warc.gz",
        "nosuch/*.warc.gz",
        "@nosuch.txt",
        "ftp://host/a.warc",
    ] {
        let other = folder.join("other");
        let build = ["build", input, "--out", other.to_str().unwrap()];
        assert_eq!(serve(input), refusal(&run(build)), "{input}");
    }
    assert!(serve("-").contains("standard input ('-') only once"));
}

/// Each has labels of its own, which `gleaner eval` reads.
#[cfg(unix)]
#[test]
fn pages_whose_names_are_in_no_charset_are_labelled() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let [pages, notes] = ["pages", "notes"].map(|name| folder.path().join(name));
    std::fs::create_dir(&pages).unwrap();
    for name in [b"caf\xe8.html", b"caf\xe9.html"] {
        std::fs::write(pages.join(OsStr::from_bytes(name)), article()).unwrap();
    }
    let [input, out] = [&pages, &notes].map(|path| path.to_str().unwrap());
    let service = Service::start(&[input, "--annotations", out]);
    for (number, name) in ["caf%E8.html", "caf%E9.html"].into_iter().enumerate() {
        let path = format!("/api/pages/{number}");
        let page = service.get(&path).json();
        assert_eq!(page["name"], format!("{input}/{name}"));
        let decisions = vec!["paragraph"; page["blocks"].as_array().unwrap().len()];
        let body = serde_json::json!({"decisions": decisions, "stamp": page["stamp"]});
        let lines = format!("PUT {path} HTTP/1.1\r\nContent-Type: application/json");
        let saved = service.ask(&lines, body.to_string().as_bytes());
        assert_eq!(saved.status, 200, "{}", saved.text());
    }
    assert_eq!(crate::support::files(&notes).len(), 2);
    let scored = run(["eval", out]);
    assert!(
        scored.status.success() && said(&scored).is_empty(),
        "{}",
        said(&scored)
    );
}

#[test]
fn pages_to_label_are_counted() {
    let sample = sample();
    let service = Service::start(&[sample.to_str().unwrap()]);
    let session = service.get("/api/session").json();
    assert!(session["pages"].as_u64().unwrap() > 30, "{session}");
    assert_eq!(
        (&session["corpus"], &session["annotations"]),
        (&Value::Null, &Value::Null)
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_when_what_was_begun_is_answered() {
    for signal in ["INT", "TERM"] {
        let mut service = Service::start(&["--workers", "1"]);
        let page = format!("<p>{SENTENCE}").repeat(5000);
        let mut stream = service.connect();
        let lines = format!("POST /explain HTTP/1.1\r\nHost: localhost:{}", service.port);
        send(&mut stream, &lines, page.as_bytes());
        // It is begun, and takes longer than this.
        std::thread::sleep(Duration::from_millis(500));
        let id = service.child.id().to_string();
        std::process::Command::new("kill")
            .args(["-s", signal, &id])
            .status()
            .unwrap();
        let reply = Reply::read(&mut BufReader::new(stream), false);
        assert_eq!(reply.unwrap().status, 200);
        assert_eq!(service.child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn a_page_of_a_corpus_is_explained_as_by_the_command() {
    let corpus = build(&[&sample()], &[]);
    let path = corpus.path();
    let archive = sample();
    let service = Service::start(&[path.to_str().unwrap(), "--input", archive.to_str().unwrap()]);
    let url = "https://www.marrowbaycourier.example/2024/04/night-ferry-returns";
    let row_id = &corpus.documents()[url]["row_id"];
    assert_explained_as_by_the_command(&service, &path, row_id, &["--input", archive.to_str().unwrap()]);
    let html = service.get(&format!("/api/documents/{row_id}/html")).json();
    assert_eq!(html["why"], Value::Null);
    assert!(
        html["html"].as_str().unwrap().contains("article__title"),
        "{html}"
    );
    let none = "0".repeat(32);
    service
        .get(&format!("/api/documents/{none}/explain"))
        .refused(404);
}

#[test]
fn a_text_is_explained_by_the_model_of_its_corpus() {
    let model: &str = &OTHER.1;
    let corpus = build(&[&TEXTS.path()], &["--text-model", model]);
    let path = corpus.path();
    let documents = corpus.documents();
    let row_id = &documents.values().next().unwrap()["row_id"];
    let folder = path.to_str().unwrap();
    let service = Service::start(&[folder, "--text-model", model]);
    assert_explained_as_by_the_command(&service, &path, row_id, &["--text-model", model]);
    let other = Service::start(&[folder]);
    let sentence = other
        .get(&format!("/api/documents/{row_id}/explain"))
        .refused(409);
    assert!(sentence.contains("--text-model"), "{sentence}");
}

fn assert_explained_as_by_the_command(service: &Service, corpus: &Path, row_id: &str, options: &[&str]) {
    let printed = gleaner()
        .arg("explain")
        .arg(corpus)
        .args([row_id, "--json"])
        .args(options)
        .output()
        .unwrap();
    assert!(printed.status.success(), "{}", said(&printed));
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let explained = service.get(&format!("/api/documents/{row_id}/explain")).json();
    assert_eq!(explained, printed);
}
