//! Units of a corpus that are built again from the archives, and compared with what the corpus has.

use std::fs;
use std::path::Path;

use gleaner_corpus::digest_of;
use gleaner_testing::warc::{Archive, article};
use serde_json::Value;

use crate::answers::{assert_has, documented};
use crate::living::Living;
use crate::object_server::ObjectServer;
use crate::support::{run, said, sample};

/// A corpus of 48 pages of three sites, in several units.
fn corpus() -> Living {
    Living::new(&["--chunk-size", "16", "--blocks", "--posts"])
}

/// What a command says that cannot be done.
#[track_caller]
fn refused(words: &[&str]) -> String {
    let output = run(words);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    said(&output)
}

/// The comparison, by its JSON, and the exit status.
fn against(living: &Living, archives: &[&str], options: &[&str]) -> (Value, Option<i32>) {
    let archives: Vec<String> = archives.iter().map(|name| living.file(name)).collect();
    let archives: Vec<&str> = archives.iter().map(String::as_str).collect();
    let corpus = living.corpus();
    let words = [
        &["verify", &corpus, "--json"],
        options,
        &["--against"],
        &*archives,
    ]
    .concat();
    let output = run(words);
    let answer = serde_json::from_slice(&output.stdout);
    (
        answer.unwrap_or_else(|_| panic!("{}", said(&output))),
        output.status.code(),
    )
}

/// The corpus has what the archives give: in all units, and in each sample of them.
#[track_caller]
fn is_same(living: &Living, archives: &[&str]) {
    let (all, status) = against(living, archives, &["--all-units"]);
    assert_eq!(
        (&all["against"]["same"], status),
        (&true.into(), Some(0)),
        "{all:#}"
    );
    let rows = |answer: &Value| answer["against"]["rows_compared"]["documents"].as_u64().unwrap();
    assert_eq!(rows(&all), living.urls().len() as u64);
    let units = all["against"]["units"].as_u64().unwrap();
    assert_eq!(all["against"]["units_compared"], units);
    let mut before = 0;
    for sample in 1..units.min(4) {
        let (some, status) = against(living, archives, &["--units", &sample.to_string()]);
        assert_eq!(
            (&some["against"]["same"], status),
            (&true.into(), Some(0)),
            "{some:#}"
        );
        assert_eq!(some["against"]["units_compared"], sample);
        assert!(
            (before..=rows(&all)).contains(&rows(&some)),
            "a larger sample has the smaller one"
        );
        before = rows(&some);
    }
}

#[test]
fn a_corpus_has_what_its_archives_give_after_any_change() {
    let living = corpus();
    is_same(&living, &["a", "b"]);
    living.change("add", &[&living.file("c")]);
    is_same(&living, &["a", "b", "c"]);
    living.change("remove", &["--input", "b.warc.gz", "--reason", "read twice"]);
    // An archive that the corpus does not have is not compared with.
    let (answer, _) = against(&living, &["a", "b", "c"], &[]);
    assert_has(&answer["against"], &documented("Comparison with archives"));
    assert_eq!(answer["against"]["skipped"], 1);
    is_same(&living, &["a", "c"]);
    living.change("takedown", &["--domain", "green.example", "--reason", "request"]);
    living.change(
        "remove",
        &["--url-prefix", "http://red.example/a/", "--reason", "old"],
    );
    is_same(&living, &["a", "c"]);
    living.change("restore", &["r2", &living.file("a"), &living.file("c")]);
    is_same(&living, &["a", "c"]);
}

#[test]
fn crawls_with_archives_of_one_name_are_told_apart() {
    let living = Living::new(&["--chunk-size", "16", "--crawl", "2026-11", "--site", "domain"]);
    fs::create_dir(living.path("next")).unwrap();
    living.archive("next", "a");
    let next = living.path("next").to_str().unwrap().to_owned();
    living.change("add", &[&next, "--crawl", "2026-12"]);
    let crawl = living.path("crawl").to_str().unwrap().to_owned();
    let words = [
        "verify",
        &living.corpus(),
        "--all-units",
        "--against",
        &crawl,
        &next,
    ];
    let told = String::from_utf8(living.done(&words).stdout).unwrap();
    assert!(
        told.ends_with(" with 3 of 3 archives: all as in the archives\n"),
        "{told}"
    );
    let told = refused(&["verify", &living.corpus(), "--all-units", "--against", &crawl]);
    assert!(
        told.contains("1 archive with pages of the") && told.ends_with("\n  2026-12/a.warc.gz\n"),
        "{told}"
    );
}

#[test]
fn damage_and_pages_without_site_evidence_are_compared_too() {
    let sample = sample();
    let sample = sample.to_str().unwrap();
    for options in [
        &["--no-site-evidence"][..],
        &["--blocks", "--posts", "--markdown"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let out = out.to_str().unwrap();
        let build = [&["build", sample, "--out", out, "--chunk-size", "16"], options].concat();
        assert_eq!(run(build).status.code(), Some(0));
        for units in 1..6 {
            let output = run(["verify", out, "--units", &units.to_string(), "--against", sample]);
            assert_eq!(
                output.status.code(),
                Some(0),
                "{options:?} {units}: {}",
                said(&output)
            );
        }
    }
}

#[test]
fn a_corpus_in_a_bucket_is_compared() {
    let server = ObjectServer::start();
    let gleaner = |arguments: &[&str]| server.gleaner().args(arguments).output().unwrap();
    let crawl = sample();
    server.put("crawl/sample.warc.gz", fs::read(&crawl).unwrap());
    let built = gleaner(&["build", "s3://bucket/crawl/", "--out", "s3://bucket/out"]);
    assert_eq!(built.status.code(), Some(0), "{}", said(&built));
    for archives in ["s3://bucket/crawl/", crawl.to_str().unwrap()] {
        let output = gleaner(&["verify", "s3://bucket/out", "--against", archives]);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(
            told.ends_with(" with 1 of 1 archive: all as in the archives\n"),
            "{told} {}",
            said(&output)
        );
    }
}

#[test]
fn a_corpus_that_cannot_be_built_again_is_not_compared() {
    let living = Living::new(&["--limit", "30"]);
    let words = [
        "verify",
        &living.corpus(),
        "--against",
        &living.file("a"),
        &living.file("b"),
    ];
    assert!(refused(&words).contains("was built with --limit"));
    let living = Living::new(&["--no-state"]);
    let words = [
        "verify",
        &living.corpus(),
        "--against",
        &living.file("a"),
        &living.file("b"),
    ];
    assert!(refused(&words).contains("build it without --no-state"));
}

#[test]
fn archives_that_a_sample_needs_are_named() {
    let living = corpus();
    let told = refused(&["verify", &living.corpus(), "--against", &living.file("a")]);
    assert!(
        told.contains("is not among the inputs of --against: give all archives of the corpus")
            && told.ends_with("\n  b.warc.gz\n"),
        "{told}"
    );
    let words = ["verify", &living.corpus(), "--units", "3"];
    assert!(refused(&words).contains("--against"));
}

/// Writes another page in place of one of an archive: with another text of the same length.
fn alter(living: &Living, name: &str) {
    let page = |number: usize, text: &str| {
        let host = ["red", "green", "blue"][number % 3];
        (
            format!("http://{host}.example/{name}/{number}"),
            article().replace("</main>", &format!("<p>{text} of page {number}.</p></main>")),
        )
    };
    let archive = (0..24).fold(Archive::new(), |archive, number| {
        let text = if number == 7 {
            "Nobody has read this sentence"
        } else {
            "Everybody reads this sentence"
        };
        let (url, html) = page(number, text);
        archive.page(&url, html)
    });
    archive.write(&living.path("crawl"), &format!("{name}.warc.gz"));
}

#[test]
fn another_archive_of_the_same_name_is_found() {
    let living = corpus();
    alter(&living, "b");
    let (answer, status) = against(&living, &["a", "b"], &["--all-units"]);
    assert_eq!(status, Some(1));
    assert_eq!(answer["as_written"], true);
    assert_eq!(answer["against"]["other_bytes"], serde_json::json!(["b.warc.gz"]));
    let words = [
        "verify",
        &living.corpus(),
        "--all-units",
        "--against",
        &living.file("a"),
        &living.file("b"),
    ];
    let output = run(words);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.contains(
            "the archive 'b.warc.gz' has other bytes than the one that the corpus was built from\n"
        ),
        "{told}"
    );
}

#[test]
fn rows_that_do_not_follow_from_the_archives_are_named() {
    let living = corpus();
    alter(&living, "b");
    let honest = fs::read(living.file("b")).unwrap();
    // A corpus of another page, which says that it has read the archive.
    let path = living.file("b");
    let plain = {
        let mut bytes = Vec::new();
        let mut reader = flate2::read::MultiGzDecoder::new(&*honest);
        std::io::Read::read_to_end(&mut reader, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert!(plain.contains("Nobody has read this sentence of page 7."));
    fs::write(&path, members(&plain.replace("Nobody has", "Nobody had"))).unwrap();
    let lie = fs::read(&path).unwrap();
    living.done(&[
        "build",
        &living.file("a"),
        &path,
        "--out",
        &living.corpus(),
        "--force",
        "--chunk-size",
        "16",
        "--blocks",
    ]);
    let honest = members(&plain);
    fs::write(&path, &honest).unwrap();
    assert_eq!(
        honest.len(),
        lie.len(),
        "as stored, so that all records stand where they stood"
    );
    claim(Path::new(&living.corpus()), &lie, &honest);
    living.done(&["verify", &living.corpus()]);
    let (answer, status) = against(&living, &["a", "b"], &["--all-units"]);
    assert_eq!(status, Some(1));
    let compared = &answer["against"];
    assert_eq!(compared["other_bytes"], serde_json::json!([]));
    let differences = compared["differences"].as_array().unwrap();
    let texts: Vec<&Value> = differences
        .iter()
        .filter(|row| row["table"] == "documents")
        .collect();
    assert_eq!(texts.len(), 1, "{compared:#}");
    assert_eq!(texts[0]["url"], "http://green.example/b/7");
    assert_eq!(texts[0]["kind"], "values");
    assert_eq!(texts[0]["columns"], serde_json::json!(["text", "content_digest"]));
    let blocks: Vec<&Value> = differences
        .iter()
        .filter(|row| row["table"] == "blocks")
        .collect();
    assert_eq!(
        (blocks.len(), &blocks[0]["columns"]),
        (1, &serde_json::json!(["text"]))
    );
    let words = [
        "verify",
        &living.corpus(),
        "--all-units",
        "--against",
        &living.file("a"),
        &path,
    ];
    let told = String::from_utf8(run(words).stdout).unwrap();
    let row = texts[0]["row_id"].as_str().unwrap();
    let line =
        format!("documents: row {row} url http://green.example/b/7: other values in text, content_digest\n");
    assert!(told.contains(&line) && told.ends_with(": 2 differ\n"), "{told}");
}

/// Records as members that are stored without compression: texts of one length give archives of one length.
fn members(records: &str) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut writer, records.as_bytes()).unwrap();
    writer.finish().unwrap()
}

/// Makes a corpus say that it has read other bytes of an archive.
fn claim(corpus: &Path, read: &[u8], claimed: &[u8]) {
    let [read, claimed] = [read, claimed].map(|bytes| blake3::hash(bytes).to_string());
    let marker = corpus.join("gleaner.json");
    let text = fs::read_to_string(&marker).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let inputs = value["arguments"]["inputs"].as_str().unwrap();
    let list = corpus.join("state/inputs").join(inputs);
    let lines = fs::read_to_string(&list).unwrap();
    assert!(lines.contains(&read));
    let lines = lines.replace(&read, &claimed);
    let other = digest_of(lines.as_bytes());
    fs::write(corpus.join("state/inputs").join(&other), lines).unwrap();
    fs::remove_file(list).unwrap();
    fs::write(marker, text.replace(inputs, &other)).unwrap();
}
