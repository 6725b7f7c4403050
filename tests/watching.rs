//! What is told of a build while it runs: events, metrics, and what each worker does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gleaner_testing::process::wait_for;
use gleaner_testing::warc::{Archive, article};
use serde_json::Value;

use crate::cluster::addresses;
use crate::object_server::{Act, ObjectServer};
use crate::resume::{DOCUMENTS, contents, crawl};
use crate::support::{gleaner, refusal, said};

fn command(crawl: &Path, out: &Path, options: &[&str]) -> Command {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out").arg(out);
    command
        .args(["--part-size", "64KiB", "--workers", "2"])
        .args(options);
    command
}

/// A build of the crawl on a server.
fn build_of(server: &ObjectServer, folder: &Path, options: &[&str]) -> Command {
    let mut command = server.gleaner();
    command.args(["build", "s3://bucket/crawl/", "--out"]);
    command.arg(folder.join("out")).args(options);
    command
}

/// Begins a build; what it says is in a file of the folder.
fn begun(mut build: Command, folder: &Path) -> (Child, PathBuf) {
    let log = folder.join("log");
    let child = build.stderr(fs::File::create(&log).unwrap()).spawn();
    (child.unwrap(), log)
}

/// The lines of a log, each of which is an object.
fn events(log: &str) -> Vec<Value> {
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["event"] == name)
}

/// A metric by its name and labels.
type Samples = BTreeMap<String, f64>;

/// Reads the text format, and holds it to what Prometheus asks of it.
fn parse(page: &str) -> Samples {
    let (mut types, mut helps, mut samples) = (BTreeMap::new(), BTreeSet::new(), Samples::new());
    for line in page.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, text) = help.split_once(' ').unwrap();
            assert!(helps.insert(name.to_owned()) && !text.is_empty(), "{line}");
            continue;
        }
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(
                helps.contains(name) && ["counter", "gauge"].contains(&kind),
                "{line}"
            );
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            types.insert(name.to_owned(), kind.to_owned());
            continue;
        }
        let (metric, value) = line.rsplit_once(' ').unwrap();
        let name = metric.split('{').next().unwrap();
        assert!(types.contains_key(name) && name.starts_with("gleaner_"), "{line}");
        if let Some((_, labels)) = metric.split_once('{') {
            let labels = labels.strip_suffix('}').unwrap();
            assert!(
                labels
                    .split(',')
                    .all(|label| label.contains("=\"") && label.ends_with('"')),
                "{line}"
            );
        }
        let value: f64 = value.parse().unwrap();
        assert!(value >= 0.0, "{line}");
        assert!(samples.insert(metric.to_owned(), value).is_none(), "{line}");
    }
    samples
}

/// A page of the server of metrics, if it answers.
fn ask(address: &str, page: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET {page} HTTP/1.1\r\nhost: localhost\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    Some(body.to_owned())
}

#[test]
fn a_log_for_machines_tells_of_every_part() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path()), folder.path().join("out"));
    let plain = folder.path().join("plain");
    let without = command(&crawl, &plain, &[]).output().unwrap();
    assert!(
        !said(&without).contains('{') && !said(&without).contains("INFO"),
        "{}",
        said(&without)
    );

    let output = command(&crawl, &out, &["--log", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let events = events(&said(&output));
    for event in &events {
        let time = event["time"].as_str().unwrap();
        assert!(time.len() == 24 && time.ends_with('Z'), "{time}");
        assert!(event["seconds_running"].as_f64().unwrap() >= 0.0);
        assert!(
            ["info", "warn"].contains(&event["level"].as_str().unwrap()),
            "{event}"
        );
    }
    let begun = named(&events, "build begun").next().unwrap();
    assert_eq!(
        (begun["inputs"].as_u64(), begun["is_fresh"].as_bool()),
        (Some(8), Some(false))
    );
    let parts = named(&events, "build planned").next().unwrap()["parts"]
        .as_u64()
        .unwrap();
    assert!(parts >= 4, "{parts} parts");
    let chunks = named(&events, "chunks planned").next().unwrap()["chunks"]
        .as_u64()
        .unwrap();
    for (name, what, count) in [
        ("part read", "part", parts),
        ("chunk written", "chunk", chunks),
        ("chunks committed", "version", 1),
    ] {
        let told: BTreeSet<u64> = named(&events, name)
            .map(|event| event[what].as_u64().unwrap())
            .collect();
        assert_eq!(told, (0..count).collect(), "{name}");
    }
    for name in ["phase begun", "phase ended"] {
        let phases: Vec<_> = named(&events, name)
            .map(|event| event["phase"].as_str().unwrap())
            .collect();
        assert_eq!(phases, ["read", "label", "finish"], "{name}");
    }
    let ended = events.last().unwrap();
    assert_eq!(
        (&ended["event"], &ended["documents"]),
        (&"build ended".into(), &DOCUMENTS.into())
    );
    assert_eq!(contents(&out), contents(&plain));
}

#[test]
fn a_log_for_people_and_its_levels() {
    let folder = tempfile::tempdir().unwrap();
    let crawl = crawl(folder.path());
    let text = command(&crawl, &folder.path().join("text"), &["--log", "text"])
        .output()
        .unwrap();
    assert!(
        said(&text).contains(" INFO  part read part=0 seconds="),
        "{}",
        said(&text)
    );
    let quiet = command(
        &crawl,
        &folder.path().join("quiet"),
        &["--log", "json", "--log-level", "error"],
    );
    let output = { quiet }.output().unwrap();
    assert!(
        output.status.success() && said(&output).is_empty(),
        "{}",
        said(&output)
    );
    // What ends a command is an event, too.
    let missing = command(Path::new("nowhere"), &folder.path().join("x"), &["--log", "json"])
        .output()
        .unwrap();
    let events = events(&said(&missing));
    assert_eq!(
        (missing.status.code(), &events.last().unwrap()["event"]),
        (Some(2), &"failed".into())
    );
}

#[test]
fn a_shard_that_is_tried_again_and_rejected_is_told_of() {
    let server = ObjectServer::start();
    for name in ["a.warc.gz", "b.warc.gz"] {
        server.put(
            &format!("crawl/{name}"),
            Archive::new().page("http://a.example/", article()).bytes(),
        );
    }
    server.behave(|request| match request.key == "crawl/b.warc.gz" {
        true => Act::Status(503),
        false => Act::Serve,
    });
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--log",
        "json",
        "--store-retries",
        "2",
        "--store-pause",
        "0.01",
        "--allow-missing",
    ];
    let output = build_of(&server, folder.path(), &options).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let events = events(&said(&output));
    let retries: Vec<_> = named(&events, "store tried again").collect();
    assert_eq!(retries.len(), 2);
    assert!(
        retries[0]["error"]
            .as_str()
            .unwrap()
            .contains("s3://bucket/crawl/b.warc.gz")
    );
    let unread = named(&events, "input not read").next().unwrap();
    assert_eq!(unread["shard"], "s3://bucket/crawl/b.warc.gz");
    assert!(unread["cause"].as_str().unwrap().contains("503"), "{unread}");
    let rejected = named(&events, "shard rejected").next().unwrap();
    assert_eq!(
        (&rejected["shard"], &rejected["offset"]),
        (&"s3://bucket/crawl/b.warc.gz".into(), &0.into())
    );
    let rejects = named(&events, "rejects").next().unwrap();
    assert_eq!(
        (&rejects["reason"], &rejects["count"]),
        (&"unreadable".into(), &1.into())
    );
}

/// A server with a shard that never arrives, beside one that does.
fn stuck() -> ObjectServer {
    let server = ObjectServer::start();
    let mut archive = Archive::new().response("http://a.example/none", "", "");
    for page in 0..20 {
        archive = archive.page(&format!("http://a.example/{page}"), article());
    }
    server.put("crawl/a.warc.gz", archive.bytes());
    server.put(
        "crawl/late.warc.gz",
        Archive::new().page("http://late.example/", article()).bytes(),
    );
    server.behave(
        |request| match request.key == "crawl/late.warc.gz" && request.number < 1 {
            true => Act::Silent,
            false => Act::Serve,
        },
    );
    server
}

#[test]
fn metrics_and_the_status_of_workers_are_there_during_a_build() {
    let (server, address) = (stuck(), addresses(1).remove(0));
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--no-templates",
        "--workers",
        "1",
        "--status=1",
        "--metrics",
        &address,
    ];
    let (mut child, log) = begun(build_of(&server, folder.path(), &options), folder.path());
    // (What a thread waits for a processor does not count as idle: a busy machine takes longer.)
    let waits = |samples: &Samples| {
        samples.get("gleaner_worker_state{worker=\"0\",state=\"waiting-for-store\"}") == Some(&1.0)
            && samples["gleaner_worker_state_seconds{worker=\"0\"}"] > 1.5
            && samples["gleaner_worker_seconds_total{worker=\"0\",state=\"idle\"}"] > 1.0
    };
    let mut samples = Samples::new();
    wait_for("worker that waits for the store", || {
        assert!(child.try_wait().unwrap().is_none());
        samples = ask(&address, "/metrics").map_or_else(Samples::new, |page| parse(&page));
        !samples.is_empty() && waits(&samples)
    });
    // Clients that send nothing do not delay others.
    let silent: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let others = [address.clone(), address.clone()]
        .map(|address| std::thread::spawn(move || ask(&address, "/metrics")));
    for other in others {
        assert!(parse(&other.join().unwrap().unwrap()).contains_key("gleaner_pages_total"));
    }
    assert_eq!(ask(&address, "/healthz").unwrap(), "ok\n");
    drop(silent);
    let at = |name: &str| {
        *samples
            .get(name)
            .unwrap_or_else(|| panic!("no {name} in {samples:?}"))
    };
    assert_eq!((at("gleaner_parts"), at("gleaner_parts_open")), (1.0, 1.0));
    assert!(at("gleaner_oldest_open_part_age_seconds") >= 1.5);
    assert_eq!(at("gleaner_phase{phase=\"read\"}"), 1.0);
    assert_eq!(at("gleaner_phase{phase=\"sort\"}"), 0.0);
    assert!(at("gleaner_store_requests_total") >= 2.0);
    assert!(at("gleaner_resident_memory_bytes") <= at("gleaner_peak_memory_bytes"));
    wait_for_log(
        &log,
        &[
            "worker 0: reading s3://bucket/crawl/",
            " MB, waiting for the store (",
        ],
    );
    server.behave(|_| Act::Serve);
    assert!(child.wait().unwrap().success());
}

#[test]
fn bytes_to_other_processes_are_counted() {
    let (server, mut addresses) = (stuck(), addresses(3));
    let address = addresses.remove(0);
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    fs::write(&hosts, addresses.join("\n")).unwrap();
    let process = |number: &str, options: &[&str]| {
        let mut build = build_of(&server, folder.path(), options);
        build.args(["--workers", "1", "--process", number, "--hosts"]);
        build.arg(&hosts).stdout(Stdio::null()).stderr(Stdio::null());
        build.spawn().unwrap()
    };
    let children = [process("0", &["--metrics", &address]), process("1", &[])];
    wait_for("bytes of a heartbeat", || {
        let samples = ask(&address, "/metrics").map_or_else(Samples::new, |page| parse(&page));
        let sent = samples.get("gleaner_channel_bytes_total{channel=\"heartbeats\"}");
        sent.is_some_and(|bytes| *bytes > 0.0)
    });
    server.behave(|_| Act::Serve);
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

/// Waits until a log has all of these in it.
fn wait_for_log(log: &Path, what: &[&str]) {
    wait_for(&what.join(", "), || {
        let log = fs::read_to_string(log).unwrap();
        what.iter().all(|what| log.contains(what))
    });
}

/// SIGUSR1.
fn signal(process: u32) -> Option<()> {
    let status = Command::new("kill")
        .args(["-USR1", &process.to_string()])
        .status()
        .ok()?;
    status.success().then_some(())
}

#[test]
fn a_signal_asks_what_workers_do() {
    let server = stuck();
    let folder = tempfile::tempdir().unwrap();
    let command = build_of(&server, folder.path(), &["--workers", "2"]);
    let (mut child, log) = begun(command, folder.path());
    wait_for("request", || {
        server.requests("GET", |key| key == "crawl/late.warc.gz") > 0
    });
    signal(child.id()).unwrap();
    wait_for_log(&log, &["worker 0: ", "worker 1: "]);
    server.behave(|_| Act::Serve);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_build_counts_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path()), folder.path().join("out"));
    let address = addresses(1).remove(0);
    let mut command = command(&crawl, &out, &["--metrics", &address]);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut last = Samples::new();
    while child.try_wait().unwrap().is_none() {
        if let Some(page) = ask(&address, "/metrics") {
            let samples = parse(&page);
            let grows = |name: &str| samples.get(name) >= last.get(name);
            assert!(
                [
                    "gleaner_pages_total",
                    "gleaner_documents_total",
                    "gleaner_staged_bytes_total"
                ]
                .iter()
                .all(|name| grows(name))
            );
            last = samples;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        last["gleaner_pages_total"] > 0.0 && last["gleaner_staged_bytes_total"] > 0.0,
        "{last:?}"
    );
}

#[test]
fn bad_addresses_and_ports_that_are_taken_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let sentence = refusal(
        &command(&crawl(folder.path()), &out, &["--metrics", &address])
            .output()
            .unwrap(),
    );
    let expected = format!("could not serve metrics at {address}: choose another address or port: ");
    assert!(sentence.starts_with(&expected), "{sentence}");
    assert!(!out.exists());
    let bad = command(&folder.path().join("crawl"), &out, &["--metrics", "localhost"])
        .output()
        .unwrap();
    assert!(
        bad.status.code() == Some(2) && said(&bad).contains("such as 127.0.0.1:9464"),
        "{}",
        said(&bad)
    );
}
