//! The same input gives the same files with the same bytes, whatever the number of workers and
//! however the input is cut into units; also where a record is larger than a unit, and where a
//! cut falls into an archive that is stored inside of a record, so that what looks like the next
//! record is none.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use flate2::Compression;
use flate2::write::GzEncoder;
use gleaner_content::Model;
use gleaner_corpus::{Corpus, Identity};
use gleaner_dataflow::plan::PlanSizes;
use gleaner_dataflow::{ArchiveCounts, ArchiveRead, Build, BuildConfig, Outcome, Summary};
use gleaner_store::{Options, Store};
use gleaner_testing::Random;
use gleaner_warc::{ReadSource, Reader, Step, probe};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use tempfile::TempDir;

/// Small enough for dozens of units in a crawl of some hundred kilobytes, and several parts.
const SMALL: PlanSizes = PlanSizes {
    unit: 8 << 10,
    smallest_part: 48 << 10,
    largest_part: 48 << 10,
    parts: 1,
    merged: 3,
};
const LARGE_PAGES: usize = 300;
const SMALL_FILES: usize = 6;
const PAGES_OF_A_SMALL_FILE: usize = 7;
const PAGES_AROUND_AN_ARCHIVE: usize = 20;

/// Sentences that pages of many sites have: some twice on a page. The first is on 12 sites, the other on 8.
const REPEATED: &str =
    "The tide table of this harbour is printed every year in the spring, and it costs two coins.";
const RARE: &str =
    "Boats that stay here for the winter are painted in the spring, each of them in another colour.";

/// A page of its own for each number: a menu, a header, and paragraphs of varying length. Each fifth is like the first of its
/// forty.
fn page(number: usize) -> String {
    let like = if number % 5 == 4 { number / 40 * 40 } else { number };
    let mut random = Random::from_page(like);
    let paragraphs: String = (0..1 + like % 9)
        .map(|_| {
            let words = random.words(20 + like % 50);
            format!("<p>{words}, page {number}.</p>\n")
        })
        .collect();
    let repeated = match number % 40 {
        7 => format!("<p>{REPEATED}</p><p>{REPEATED}</p>"),
        8 if number > 40 => format!("<p>{RARE}</p>"),
        _ => String::new(),
    };
    format!(
        "<html lang=en><title>Page {number}</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
         <h1>Page {number}</h1>{paragraphs}{repeated}</html>"
    )
}

fn record(kind: &str, content_type: &str, url: &str, content: &[u8]) -> Vec<u8> {
    let header = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{url}>\r\nWARC-Date: 2024-05-14T06:30:00Z\r\n\
         WARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        content.len()
    );
    [header.as_bytes(), content, b"\r\n\r\n"].concat()
}

/// A response of a site of its own for every 40 numbers.
fn response(site: &str, number: usize) -> Vec<u8> {
    let url = format!("http://{site}{}.example/{number}", number / 40);
    let content = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}",
        page(number)
    );
    record(
        "response",
        "application/http; msgtype=response",
        &url,
        content.as_bytes(),
    )
}

fn responses(site: &str, numbers: Range<usize>) -> Vec<Vec<u8>> {
    numbers.map(|number| response(site, number)).collect()
}

fn gzip(record: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(record).unwrap();
    encoder.finish().unwrap()
}

fn gzipped(records: &[Vec<u8>]) -> Vec<u8> {
    records
        .iter()
        .flat_map(|record| gzip(record, Compression::fast()))
        .collect()
}

/// An archive of a member a record, of which one has rotted and the last is cut off.
fn large() -> Vec<u8> {
    let records = responses("large", 0..LARGE_PAGES);
    let mut members: Vec<Vec<u8>> = records
        .iter()
        .map(|record| gzip(record, Compression::fast()))
        .collect();
    let rotten = &mut members[LARGE_PAGES / 2];
    let middle = rotten.len() / 2;
    rotten[middle..middle + 40].fill(0xff);
    let last = members.last_mut().unwrap();
    last.truncate(last.len() / 2);
    members.concat()
}

/// A file with an archive inside of one of its records, and where in the file that archive lies.
struct Nested {
    bytes: Vec<u8>,
    inner: Range<u64>,
}

/// As it is, without compression.
fn nested_plain() -> Nested {
    let around = responses("plain", 0..2 * PAGES_AROUND_AN_ARCHIVE);
    let inner = responses("inner-of-plain", 0..40).concat();
    let resource = record("resource", "application/warc", "urn:inner:plain", &inner);
    nest(
        &around[..PAGES_AROUND_AN_ARCHIVE],
        resource,
        &inner,
        &around[PAGES_AROUND_AN_ARCHIVE..],
    )
}

/// In gzip members, the outer one stored and not deflated, so that the inner members are there to
/// be found.
fn nested_gzip() -> Nested {
    let around: Vec<Vec<u8>> = responses("zipped", 0..2 * PAGES_AROUND_AN_ARCHIVE)
        .iter()
        .map(|record| gzip(record, Compression::fast()))
        .collect();
    let inner = gzipped(&responses("inner-of-zipped", 0..40));
    let resource = record("resource", "application/gzip", "urn:inner:gzip", &inner);
    nest(
        &around[..PAGES_AROUND_AN_ARCHIVE],
        gzip(&resource, Compression::none()),
        &inner,
        &around[PAGES_AROUND_AN_ARCHIVE..],
    )
}

/// Pages around a record as large as several units, in which nothing looks like a beginning.
fn wide() -> Vec<u8> {
    let mut random = Random::from_page(0);
    let noise: Vec<u8> = std::iter::repeat_with(|| random.below(256) as u8)
        .take(5 * SMALL.unit as usize)
        .collect();
    let mut records = responses("wide", 0..2 * PAGES_AROUND_AN_ARCHIVE);
    let film = record("resource", "video/mp4", "urn:film", &noise);
    records.insert(PAGES_AROUND_AN_ARCHIVE, film);
    gzipped(&records)
}

fn nest(before: &[Vec<u8>], resource: Vec<u8>, inner: &[u8], after: &[Vec<u8>]) -> Nested {
    let before = before.concat();
    // Deflate cuts what it stores into blocks: the first bytes of the inner archive are enough.
    let head = &inner[..64];
    let at = resource
        .windows(head.len())
        .position(|window| window == head)
        .unwrap();
    let begin = (before.len() + at) as u64;
    Nested {
        inner: begin..begin + inner.len() as u64,
        bytes: [before, resource, after.concat()].concat(),
    }
}

/// The crawl: a large file, small ones, one with a large record, and two with archives inside.
static CRAWL: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("large.warc.gz", &large());
    write("wide.warc.gz", &wide());
    write("nested.warc", &nested_plain().bytes);
    write("nested.warc.gz", &nested_gzip().bytes);
    for file in 0..SMALL_FILES {
        let first = 1000 + file * PAGES_OF_A_SMALL_FILE;
        let records = responses("small", first..first + PAGES_OF_A_SMALL_FILE);
        write(&format!("small-{file}.warc.gz"), &gzipped(&records));
    }
    folder
});

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../document/models/default.gcrf");
    Arc::new(Model::load(&path).unwrap())
});

/// The files of a corpus by name, and what the build counted.
#[derive(PartialEq)]
struct Built {
    files: BTreeMap<String, Vec<u8>>,
    summary: Summary,
    archives: Vec<ArchiveRead>,
}

fn built(sizes: PlanSizes, workers: usize) -> Built {
    built_as(true, sizes, workers)
}

fn built_as(templates: bool, sizes: PlanSizes, workers: usize) -> Built {
    built_within(None, templates, sizes, workers)
}

fn built_within(memory: Option<u64>, templates: bool, sizes: PlanSizes, workers: usize) -> Built {
    built_with(sizes, |config| BuildConfig {
        workers,
        memory,
        templates,
        ..config
    })
}

/// A build with these settings. All phases that it had were done to their ends.
fn built_with(sizes: PlanSizes, set: impl FnOnce(BuildConfig) -> BuildConfig) -> Built {
    let out = tempfile::tempdir().unwrap();
    let store = Store::new(Options::default()).unwrap();
    let input = CRAWL.path().to_str().unwrap().to_owned();
    let shards = store.expand(&[input], None).unwrap().shards;
    let output = store.output(out.path().to_str().unwrap()).unwrap();
    let corpus = Corpus::create(output, &Identity::default(), false).unwrap();
    let config = set(BuildConfig {
        blocks: true,
        chunk_size: 64,
        posts: Some(gleaner_posts::Rules::default_rules()),
        sizes,
        ..BuildConfig::new(store, shards, corpus, Arc::clone(&MODEL))
    });
    let progress = Arc::clone(&config.progress);
    let mut build = Build::begin(config).unwrap();
    let summary = build.run().unwrap().unwrap();
    assert!(summary.adds_up(), "{summary:?}");
    let archives = build.archives();
    check_archives(&archives, &summary);
    drop(build);
    let phases = progress.watch.phases();
    let names: Vec<&str> = phases.iter().map(|phase| phase.name).collect();
    let sorted = ["read", "sort", "label", "finish"];
    assert!(
        names == sorted || names == ["read", "label", "finish"],
        "{names:?}"
    );
    for phase in phases {
        // What a unit finds at its end in a file that is damaged is not read again.
        assert!(phase.share.is_some_and(|share| share > 0.99), "{phase:?}");
    }
    Built {
        files: files(out.path(), out.path()),
        summary,
        archives,
    }
}

/// Archives have the digests of their files, however their ranges were read, and what was counted in them is the sum.
fn check_archives(archives: &[ArchiveRead], summary: &Summary) {
    for archive in archives
        .iter()
        .filter(|archive| archive.outcome != Outcome::Limited)
    {
        let bytes = fs::read(CRAWL.path().join(&archive.name)).unwrap();
        let expected = blake3::hash(&bytes).to_string();
        assert_eq!(archive.digest, Some(expected), "{}", archive.name);
        assert_eq!(archive.size, Some(bytes.len() as u64));
        assert_eq!(archive.outcome, Outcome::Read);
    }
    assert_eq!(archives.len() as u64, summary.shards);
    let sum =
        |count: fn(&ArchiveCounts) -> u64| archives.iter().map(|archive| count(&archive.counts)).sum::<u64>();
    assert_eq!(sum(|counts| counts.captures), summary.captures);
    assert_eq!(sum(|counts| counts.damage), summary.damage);
    assert_eq!(sum(|counts| counts.page_bytes), summary.page_bytes);
    assert_eq!(
        sum(|counts| counts.records.values().sum()),
        summary.records.values().sum::<u64>()
    );
}

fn files(root: &Path, folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = |path: PathBuf| match path.is_dir() {
        true => files(root, &path),
        false => {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            [(name.to_owned(), fs::read(&path).unwrap())].into()
        }
    };
    paths.flat_map(found).collect()
}

#[track_caller]
fn assert_same(one: &Built, other: &Built) {
    let names = |built: &Built| built.files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(one), names(other));
    for (name, bytes) in &one.files {
        assert!(other.files[name] == *bytes, "{name} differs");
    }
    assert_eq!(one.summary, other.summary);
    assert_eq!(one.archives, other.archives);
}

#[test]
fn any_number_of_workers_writes_the_same_bytes() {
    let one = built(SMALL, 1);
    for table in ["documents", "blocks", "histograms"] {
        let parts = one
            .files
            .keys()
            .filter(|name| name.starts_with(&format!("{table}/")) && name.ends_with(".parquet"))
            .count();
        assert!(
            parts > 1,
            "{table} is to have several files: {:?}",
            one.files.keys()
        );
    }
    let Summary {
        clusters,
        clustered_documents,
        ..
    } = one.summary;
    assert!(
        clusters > 5 && clustered_documents > 5 * clusters,
        "{clusters} {clustered_documents}"
    );
    assert_eq!(one.summary.repeats, 1);
    for workers in [2, 4, 5] {
        assert_same(&one, &built(SMALL, workers));
    }
}

/// Text, sites and pages of the table repeats.
fn repeats(built: &Built) -> Vec<(String, i64, i64)> {
    let files = built
        .files
        .iter()
        .filter(|(name, _)| name.starts_with("repeats/") && name.ends_with(".parquet"));
    let rows = files.flat_map(|(_, bytes)| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows = reader.get_row_iter(None).unwrap().map(|row| {
            let row = row.unwrap();
            let text = row.get_string(1).unwrap().clone();
            (text, row.get_long(2).unwrap(), row.get_long(3).unwrap())
        });
        rows.collect::<Vec<_>>()
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    rows
}

#[test]
fn a_line_of_many_sites_is_a_row() {
    let with = |repeats| built_with(SMALL, |config| BuildConfig { repeats, ..config });
    let row = |text: &str, sites| (text.to_owned(), sites, sites);
    assert_eq!(repeats(&with(Some(10))), [row(REPEATED, 12)]);
    assert_eq!(repeats(&with(Some(13))), []);
    assert_eq!(repeats(&with(None)), []);
    let (rare, repeated) = (row(RARE, 8), row(REPEATED, 12));
    assert_eq!(repeats(&with(Some(8))), [rare, repeated]);
}

#[test]
fn where_memory_is_short_the_bytes_are_the_same() {
    // There is always more than that, and so never more than one unit in flight.
    for (templates, workers) in [(true, 3), (false, 2)] {
        let usual = built_as(templates, SMALL, 1);
        assert_same(&usual, &built_within(Some(1), templates, SMALL, workers));
    }
}

#[test]
fn any_number_of_workers_writes_the_same_bytes_without_sites() {
    let one = built_as(false, SMALL, 1);
    for workers in [2, 5] {
        assert_same(&one, &built_as(false, SMALL, workers));
    }
}

#[test]
fn however_the_input_is_cut_the_bytes_are_the_same() {
    let in_parts_of = |part, unit, merged| PlanSizes {
        unit,
        smallest_part: part,
        largest_part: part,
        parts: 1,
        merged,
    };
    let whole = built(in_parts_of(1 << 40, 1 << 30, 128), 2);
    for (part, unit, merged) in [
        (1 << 40, 3_000, 128),
        (50_000, 8 << 10, 128),
        (20_000, 8 << 10, 2),
        (100_000, 50_000, 3),
    ] {
        assert_same(&whole, &built(in_parts_of(part, unit, merged), 2));
    }
}

#[test]
fn the_first_captures_are_the_same_by_any_number_of_workers() {
    let limited = |limit, sizes, workers| {
        built_with(sizes, |config| BuildConfig {
            workers,
            limit: Some(limit),
            ..config
        })
    };
    // In the rotten file, behind it, in the middle of a small one, and behind all.
    for limit in [1, 170, LARGE_PAGES as u64 - 1, LARGE_PAGES as u64 + 45, 10_000] {
        let one = limited(limit, SMALL, 1);
        assert!(
            one.summary.captures == limit || limit == 10_000,
            "{:?}",
            one.summary
        );
        assert_same(&one, &limited(limit, SMALL, 5));
    }
    let (all, limited) = (built(SMALL, 2), limited(10_000, SMALL, 2));
    assert_same(&all, &limited);
}

#[test]
fn every_page_is_read_once_and_archives_inside_of_records_are_not() {
    let Built { summary, .. } = built(SMALL, 2);
    let around = 3 * 2 * PAGES_AROUND_AN_ARCHIVE;
    let pages = LARGE_PAGES + SMALL_FILES * PAGES_OF_A_SMALL_FILE + around;
    let rotten = 1;
    assert_eq!(summary.documents as usize, pages - rotten, "{summary:?}");
    assert_eq!(summary.rejects["media-type"], 3, "{summary:?}");
    assert_eq!(summary.damage, 1, "{summary:?}");
    assert_eq!(summary.shards as usize, SMALL_FILES + 4);
}

#[test]
fn a_cut_inside_of_a_stored_archive_looks_like_a_place_to_begin() {
    // What makes the other tests worth something: begun there, a reader does find a record.
    for (name, nested) in [("nested.warc", nested_plain()), ("nested.warc.gz", nested_gzip())] {
        let length = nested.inner.end - nested.inner.start;
        assert!(
            length > 2 * SMALL.unit,
            "{name}: {length} bytes have no whole unit inside"
        );
        let start = nested.inner.start + length / 3;
        let options = gleaner_warc::Options {
            range: start..u64::MAX,
            format: Some(probe(&nested.bytes, name).unwrap()),
            ..gleaner_warc::Options::default()
        };
        let mut reader = Reader::new(
            ReadSource::new(&nested.bytes[start as usize..]),
            name.to_owned(),
            options,
        );
        assert!(matches!(reader.step().unwrap(), Step::Record(_)), "{name}");
        let found = reader.first_offset().unwrap();
        assert!(
            nested.inner.contains(&found),
            "{name}: {found} of {:?}",
            nested.inner
        );
    }
}
