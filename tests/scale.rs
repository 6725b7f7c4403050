//! What a dry run says of a large crawl is what a build of it costs.

use std::path::Path;
use std::process::{Command, Stdio};

use gleaner_dataflow::scale::{Rates, Size, StepCost, costs};
use gleaner_testing::warc::{Archive, article};
use serde_json::Value;

use crate::cluster::{addresses, end};
use crate::object_server::{Act, ObjectServer};
use crate::support::said;

const SHARDS: usize = 500;
const PAGES: usize = 2;

/// A crawl of small shards, each of which is a part.
fn server() -> ObjectServer {
    let server = ObjectServer::start();
    for shard in 0..SHARDS {
        let archive = (0..PAGES).fold(Archive::new(), |archive, page| {
            let site = (shard * PAGES + page) % 97;
            let text =
                format!("<p>This is page {page} of shard {shard}, and nothing like it was there before.");
            archive.page(
                &format!("http://s{site}.example/{shard}/{page}"),
                article() + &text,
            )
        });
        server.put(&format!("crawl/{shard:03}.warc.gz"), archive.bytes());
    }
    server
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

    fn build(&self) {
        let built = ["0", "1"].map(|process| self.command(process).spawn().unwrap());
        for output in built.map(end) {
            assert!(output.status.success(), "{}", said(&output));
        }
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

/// The sizes that a plan tells, and how large the pages of this crawl came to be.
fn costs_of(plan: &Value, pages: u64, state: u64, tables: u64) -> Vec<StepCost> {
    let number = |key: &str| plan[key].as_u64().unwrap();
    let bytes = number("bytes");
    let size = Size {
        shards: number("shards"),
        bytes,
        units: number("units"),
        parts: number("parts"),
        groups: number("parts").div_ceil(128),
        chunk_size: 16,
        tables: 3,
        processes: 2,
        workers: 1,
    };
    let of_byte = |counted: u64| counted as f64 / bytes as f64;
    let rates = Rates {
        pages: of_byte(pages),
        page_state: of_byte(state),
        note_state: 0.0,
        tables: of_byte(tables),
        ..Rates::default()
    };
    costs(&size, &rates)
}

#[track_caller]
fn assert_near(what: &str, estimated: u64, counted: u64) {
    let differ = estimated.abs_diff(counted) as f64;
    assert!(
        differ <= 0.1 * counted as f64,
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
    group.build();

    let (read, written) = (["GET", "HEAD"], ["PUT"]);
    let count = |methods: &[&str], names: &[&str]| counted(&server, methods, names);
    let state = count(&written, &["pages-", ".runs"]).1;
    let tables = count(&written, &[".parquet"]);
    let [pages, sort, chunks, finish] = &costs_of(&plan, (SHARDS * PAGES) as u64, state, tables.1)[..] else {
        panic!("{plan}")
    };
    // What does not depend on the pages is in the plan.
    for (told, cost) in plan["steps"].as_array().unwrap().iter().zip([pages, sort]) {
        assert_eq!(
            (&told["writes"], &told["entries"]),
            (&cost.writes.into(), &cost.entries.into())
        );
    }

    assert_near("reads of the input", pages.reads, count(&read, &["crawl/"]).0);
    assert_near(
        "bytes of the input",
        pages.read_bytes,
        count(&read, &["crawl/"]).1,
    );
    assert_near("writes of pages", pages.writes, count(&written, &["pages-"]).0);

    let entries_of_parts = count(&read, &["pages-", ".entry"]).0;
    let told = entries_of_parts - SHARDS as u64 + count(&read, &["sorted-", ".entry"]).0;
    let (requests, bytes) = count(&read, &["pages-", ".runs"]);
    assert_near("reads of parts", sort.reads, requests + told);
    assert_near("bytes of parts", sort.read_bytes, bytes);
    assert_near(
        "writes of sorted runs",
        sort.writes,
        count(&written, &["sorted-"]).0,
    );

    let (of_chunks, entries) = (
        count(&written, &["chunk-", ".entry"]).0,
        count(&read, &["chunk-", ".entry"]).0,
    );
    let (requests, _) = count(&read, &["sorted-", ".runs"]);
    assert_near(
        "reads of sorted runs",
        chunks.reads,
        // At the end each entry is read twice.
        requests + entries - 2 * of_chunks,
    );
    assert_near("chunks", chunks.entries, of_chunks);
    let of_tables = tables.0 + count(&written, &["_delta_log"]).0;
    let of_lines = count(&written, &["lines-"]).0;
    assert_near(
        "writes of chunks",
        chunks.writes,
        3 * of_chunks + of_lines + of_tables,
    );

    let sums = count(&read, &["chunk-", ".sums"]).0 + 2 * of_chunks;
    let signatures = count(&read, &["signatures-"]).0;
    let lines = count(&read, &["lines-"]).0 + count(&read, &["documents/", ".parquet"]).0;
    assert_near(
        "reads at the end",
        finish.reads,
        sums + signatures + lines + SHARDS as u64,
    );
    assert_near(
        "files removed",
        sort.deletes + finish.deletes,
        count(&["POST", "DELETE"], &[""]).0,
    );
}
