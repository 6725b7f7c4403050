//! What a dry run estimates for a large crawl is what a build of it costs.

use std::path::Path;
use std::process::{Command, Stdio};

use gleaner_dataflow::Outline;
use gleaner_dataflow::scale::{Rates, Size, StepCost, costs};
use gleaner_testing::warc::{Archive, article};
use serde_json::Value;

use crate::cluster::{addresses, end};
use crate::object_server::{Act, ObjectServer};
use crate::support::said;

const SHARDS: usize = 500;
const PAGES: usize = 2;

/// A crawl of small shards, each of which is a part. Its pages have one text, which no other shard has.
fn server() -> ObjectServer {
    let server = ObjectServer::start();
    for shard in 0..SHARDS {
        let text = article() + "<p>" + &words(shard);
        let archive = (0..PAGES).fold(Archive::new(), |archive, page| {
            let site = (shard * PAGES + page) % SHARDS;
            archive.page(&format!("http://r{site}.example/{shard}/{page}"), &text)
        });
        server.put(&format!("crawl/{shard:03}.warc.gz"), archive.bytes());
    }
    server
}

/// Some words that have only this number.
fn words(number: usize) -> String {
    let letter = |place: u32| char::from(b'a' + (number / 10_usize.pow(place) % 10) as u8);
    let name: String = (0..3).map(letter).collect();
    let words = (0..120).map(|word| {
        format!(
            "{name}{}{} ",
            char::from(b'k' + word % 11),
            char::from(b'k' + word / 11)
        )
    });
    words.collect()
}

/// Two processes, so that one reads what the other has written.
struct Group<'a> {
    server: &'a ObjectServer,
    hosts: &'a Path,
}

impl Group<'_> {
    fn command(&self, process: &str) -> Command {
        let mut build = self.server.gleaner();
        build.args(["build", "s3://bucket/crawl/", "--out", "s3://bucket/out"]);
        build.args([
            "--part-size",
            "2KiB",
            "--chunk-size",
            "16",
            "--workers",
            "1",
            "--json",
        ]);
        build.arg("--hosts").arg(self.hosts).args(["--process", process]);
        build.stdout(Stdio::piped()).stderr(Stdio::piped());
        build
    }

    fn plan(&self) -> Value {
        let dry = self.command("0").arg("--dry-run").output().unwrap();
        assert!(dry.status.success(), "{}", said(&dry));
        serde_json::from_slice(&dry.stdout).unwrap()
    }

    /// The summary of the first process.
    fn build(&self) -> Value {
        let built = ["0", "1"].map(|process| self.command(process).spawn().unwrap());
        let [first, _] = built.map(end).map(|output| {
            assert!(output.status.success(), "{}", said(&output));
            serde_json::from_slice(&output.stdout).unwrap()
        });
        first
    }
}

/// What was asked for by some methods, of objects whose names have all of these in them: requests, and bytes.
fn counted(server: &ObjectServer, methods: &[&str], names: &[&str]) -> (u64, u64) {
    let traffic = server.traffic();
    let those = traffic.iter().filter(|((method, key), _)| {
        methods.contains(&&**method) && names.iter().all(|name| key.contains(name))
    });
    those.fold((0, 0), |(requests, bytes), (_, other)| {
        (requests + other.0, bytes + other.1)
    })
}

/// The sizes of a plan, and how large the pages of this crawl came to be.
fn costs_of(plan: &Value, summary: &Value, written: impl Fn(&[&str]) -> u64) -> Vec<StepCost> {
    let number = |key: &str| plan[key].as_u64().unwrap();
    let bytes = number("bytes");
    let size = Size {
        outline: Outline {
            shards: number("shards"),
            bytes,
            unknown_sizes: 0,
            units: number("units"),
            parts: number("parts"),
            groups: number("parts").div_ceil(128),
        },
        chunk_size: 16,
        tables: 2,
        keeps_state: true,
        duplicates: true,
        repeats: true,
        processes: 2,
        workers: 1,
    };
    let of_byte = |counted: u64| counted as f64 / bytes as f64;
    let pages = (SHARDS * PAGES) as u64;
    let of_page = |key: &str| summary[key].as_u64().unwrap() as f64 / pages as f64;
    let [documents, captures] =
        ["out/documents/", "out/captures/"].map(|table| written(&[table, ".parquet"]));
    let rates = Rates {
        pages: of_byte(pages),
        staged: of_byte(written(&["pages-"])),
        state: of_byte(written(&["state/units/"])),
        tables: of_byte(documents + captures),
        documents: of_byte(documents),
        // The end of a small file has nearly all of it.
        texts: 0.0,
        copies: of_page("clustered_documents"),
        repeats: of_page("repeats"),
        lines: 2.0,
        sites: SHARDS as f64 / pages as f64,
        ..Rates::default()
    };
    costs(&size, &rates)
}

#[track_caller]
fn assert_near(what: &str, estimated: u64, counted: u64) {
    assert_within(0.1, what, estimated, counted);
}

/// The same where it depends on which process takes a task: a process has what it wrote near at hand, and a long journal
/// is written more often than two short ones.
const BY_CHANCE: f64 = 0.35;

#[track_caller]
fn assert_within(share: f64, what: &str, estimated: u64, counted: u64) {
    let differ = estimated.abs_diff(counted) as f64;
    assert!(
        differ <= share * counted as f64,
        "{what}: {estimated} estimated, {counted} counted"
    );
}

#[test]
fn a_build_costs_what_is_estimated() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    std::fs::write(&hosts, addresses(2).join("\n")).unwrap();
    let group = Group {
        server: &server,
        hosts: &hosts,
    };
    let plan = group.plan();
    assert_eq!(plan["parts"], SHARDS);
    server.behave(|_| Act::Serve);
    let summary = group.build();

    let (read, written) = (["GET", "HEAD"], ["PUT"]);
    let count = |methods: &[&str], names: &[&str]| counted(&server, methods, names);
    let costs = costs_of(&plan, &summary, |names| count(&written, names).1);
    let [pages, sort, chunks, finish] = &costs[..] else {
        panic!("{plan}")
    };
    // What does not depend on the pages is in the plan.
    for (planned, cost) in plan["steps"].as_array().unwrap().iter().zip([pages, sort]) {
        assert_eq!(planned["writes"], cost.writes);
    }

    let input = count(&read, &["crawl/"]);
    assert_near("reads of the input", pages.reads, input.0);
    assert_near("bytes of the input", pages.read_bytes, input.1);
    let [parts, groups] = ["pages-", "sorted-"].map(|name| count(&written, &[name]));
    // Each part has an entry in a journal.
    assert_near("writes of pages", pages.writes, 2 * parts.0);
    assert_near("writes of sorted runs", sort.writes, 2 * groups.0);

    // Journals are read after each of three steps.
    let journals = count(&read, &["journal-"]);
    let of_parts = count(&read, &["pages-"]);
    assert_within(
        BY_CHANCE,
        "reads of parts",
        sort.reads,
        of_parts.0 + journals.0 * 2 / 3,
    );
    assert_within(
        BY_CHANCE,
        "bytes of parts",
        sort.read_bytes,
        of_parts.1 + journals.1 / 2,
    );
    assert_near("reads of sorted runs", chunks.reads, count(&read, &["sorted-"]).0);

    let whole = ["out/sites/", "out/duplicates/", "out/repeats/"].map(|table| count(&written, &[table]));
    let empty = ["out/rejects/", "out/templates/", "out/histograms/"].map(|table| count(&written, &[table]));
    let of_chunks = [
        &["state/chunks/"][..],
        &["state/units/"],
        &["out/documents/"],
        &["out/captures/"],
    ]
    .map(|names| count(&written, names));
    let sum = |counts: &[(u64, u64)]| {
        counts
            .iter()
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    };
    assert_near(
        "writes of chunks",
        chunks.writes,
        sum(&of_chunks).0 + of_chunks[0].0,
    );
    let kept =
        ["inputs", "rules", "whole", "manifest"].map(|kind| count(&written, &[&format!("state/{kind}/")]));
    assert_near(
        "writes at the end",
        finish.writes,
        sum(&whole).0 + sum(&empty).0 + sum(&kept).0 + 1,
    );
    let all = sum(&[
        sum(&of_chunks),
        sum(&whole),
        sum(&empty),
        sum(&kept),
        parts,
        count(&written, &["journal-"]),
    ]);
    // Sorted runs of such small parts are much smaller.
    let bytes = [pages, chunks, finish]
        .map(|cost| cost.written_bytes)
        .iter()
        .sum();
    assert_within(BY_CHANCE, "bytes that are written", bytes, all.1);

    let states = count(&read, &["state/units/"]);
    let texts = count(&read, &["out/documents/", ".parquet"]);
    // Of all tables the files and the logs are listed, and what is staged.
    let lists = 18;
    assert_near(
        "reads at the end",
        finish.reads,
        states.0 + texts.0 + journals.0 / 3 + lists,
    );
    assert_near(
        "bytes at the end",
        finish.read_bytes,
        states.1 + texts.1 + journals.1 / 2,
    );
    let sent = &summary["sent"]["records"];
    assert_near(
        "bytes between processes",
        (chunks.network_bytes + finish.network_bytes) / 2,
        sent.as_u64().unwrap(),
    );
    assert_near(
        "files removed",
        sort.deletes + finish.deletes,
        count(&["POST", "DELETE"], &[""]).0,
    );
}
