//! The most memory that a build has at a time, as its allocator counts it: ten times the input needs no more, more sites
//! need hardly any, and their sums none.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use gleaner_content::Model;
use gleaner_corpus::{Corpus, Identity};
use gleaner_dataflow::plan::PlanSizes;
use gleaner_dataflow::{BuildConfig, build};
use gleaner_store::{Options, Store};
use gleaner_testing::Random;
use peak_alloc::PeakAlloc;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

/// Held by the build that is counted: whatever else the process allocates would be counted, too.
static ALONE: Mutex<()> = Mutex::new(());

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../document/models/default.gcrf");
    Arc::new(Model::load(&path).unwrap())
});

/// Pages of a shard of small pages.
const SHARD: usize = 1000;

/// Writes a shard of the pages with these numbers: each is a URL and HTML.
fn write_shard(crawl: &Path, numbers: Range<usize>, page: impl Fn(usize) -> (String, String)) {
    let mut file = File::create(crawl.join(format!("{:06}.warc.gz", numbers.start))).unwrap();
    for (url, html) in numbers.map(page) {
        let content = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        let mut member = GzEncoder::new(&mut file, Compression::fast());
        write!(
            member,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{url}>\r\nWARC-Date: 2024-05-14T06:30:00Z\r\n\
             WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n\
             {content}\r\n\r\n",
            content.len()
        )
        .unwrap();
        member.finish().unwrap();
    }
}

/// A crawl of `pages` small pages, which `page` makes.
fn small_pages(folder: &Path, pages: usize, page: impl Fn(usize) -> (String, String)) -> PathBuf {
    let crawl = folder.join("crawl");
    std::fs::create_dir(&crawl).unwrap();
    for first in (0..pages).step_by(SHARD) {
        write_shard(&crawl, first..(first + SHARD).min(pages), &page);
    }
    crawl
}

/// The most bytes that a build has at a time beyond those from before. All pages become documents.
fn peak(crawl: &Path, pages: usize, workers: usize, templates: bool) -> usize {
    let _alone = ALONE.lock().unwrap();
    let model = Arc::clone(&MODEL);
    let out = tempfile::tempdir().unwrap();
    let store = Store::new(Options::default()).unwrap();
    let input = crawl.to_str().unwrap().to_owned();
    let shards = store.expand(&[input], None).unwrap().shards;
    let output = store.output(out.path().to_str().unwrap()).unwrap();
    let corpus = Corpus::create(output, &Identity::default(), false).unwrap();
    let part = shards.iter().filter_map(|shard| shard.size).sum::<u64>() / 8;
    let config = BuildConfig {
        workers,
        templates,
        // Few pages are enough for samples and row groups to be full.
        site_sample: 7,
        chunk_size: 64,
        sizes: PlanSizes {
            unit: part,
            smallest_part: part,
            largest_part: u64::MAX,
            // As many parts and runs whatever the input: of each run a frame is in memory.
            parts: 8,
            merged: 128,
        },
        ..BuildConfig::new(store, shards, corpus, model)
    };
    COUNTED.reset_peak_usage();
    let before = COUNTED.current_usage();
    let summary = build(config).unwrap();
    assert_eq!(summary.documents as usize, pages, "{summary:?}");
    COUNTED.peak_usage() - before
}

/// A page of many blocks, of one of 16 sites: then eighty shards are enough for all that is bounded to be full, the
/// samples of sites among them.
fn large_page(number: usize) -> (String, String) {
    let mut random = Random::from_page(number);
    let paragraphs: String = (0..12)
        .map(|_| format!("<p>{}</p>\n", random.words(60)))
        .collect();
    let items: String = (0..800)
        .map(|item| format!("<li>Item {item} of {}</li>\n", number % 5))
        .collect();
    let url = format!("http://s{}.example/{number}", number % 16);
    (url, format!("<html lang=en>{paragraphs}{items}</html>"))
}

#[test]
fn three_times_the_input_takes_no_more_memory() {
    const PAGES: usize = 10;
    let [once, threefold] = [80, 240].map(|shards| {
        let crawl = tempfile::tempdir().unwrap();
        for shard in 0..shards {
            write_shard(crawl.path(), PAGES * shard..PAGES * (shard + 1), large_page);
        }
        peak(crawl.path(), PAGES * shards, 2, true) as f64
    });
    println!("{:.1} MB, {:.1} MB", once / 1e6, threefold / 1e6);
    // The peaks differ with the order in which threads run; memory that grew with the input would triple.
    assert!(threefold <= 1.5 * once, "{once} and {threefold} bytes");
}

/// Of each site there are rows in row groups that are not full yet.
#[test]
fn a_site_takes_less_than_two_kilobytes() {
    const PAGES_OF_A_SITE: usize = 5;
    let [few, many] = [500, 2_000].map(|sites| {
        let folder = tempfile::tempdir().unwrap();
        let pages = sites * PAGES_OF_A_SITE;
        let crawl = small_pages(folder.path(), pages, |number| {
            let site = number % sites;
            let mut random = Random::from_page(number);
            let lines: String = (0..5).map(|_| format!("<p>{}.</p>", random.words(8))).collect();
            let html = format!("<html lang=en><p>House {site}</p>{lines}</html>");
            (format!("http://s{site}.example/{number}"), html)
        });
        peak(&crawl, pages, 1, true) as f64
    });
    println!("{:.1} MB, {:.1} MB", few / 1e6, many / 1e6);
    assert!(many - few <= 1_500.0 * 2e3, "{few} and {many} bytes");
}

/// What pages add to their sites is in memory for the parts that are open, and a little of it when all is added up.
#[test]
fn sums_of_sites_take_no_memory() {
    const PAGES: usize = 5_000;
    let [few, many] = [20, PAGES].map(|sites| {
        let folder = tempfile::tempdir().unwrap();
        let crawl = small_pages(folder.path(), PAGES, |number| {
            let url = format!("http://s{:05}.example/{number}", number % sites);
            (url, format!("<html lang=en><p>Page {number} of all.</p></html>"))
        });
        peak(&crawl, PAGES, 1, false) as f64
    });
    println!("{:.1} MB, {:.1} MB", few / 1e6, many / 1e6);
    assert!(many <= 1.08 * few, "{few} and {many} bytes");
}

/// The page `number`, with enough words that page `number + 1` is a near copy of it, which differs by a word.
fn link_of_chain(number: usize) -> String {
    let words: Vec<String> = (number..number + 60)
        .map(|word| format!("word{}", letters(word)))
        .collect();
    words.join(" ")
}

/// A number in letters: digits count as one word.
fn letters(number: usize) -> String {
    number
        .to_string()
        .bytes()
        .map(|digit| char::from(b'a' + digit - b'0'))
        .collect()
}

/// Short: 6,000 links, more than are joined in memory. Long (`GLEANER_LONG=1`): 100,000 equal pages, and 200,000
/// of which each is a near copy of the next.
#[test]
fn clusters_of_any_form_take_no_more_memory_than_pages_without_copies() {
    let is_long = std::env::var_os("GLEANER_LONG").is_some_and(|value| value == "1");
    let [family, chain] = if is_long { [100_000, 200_000] } else { [6_000; 2] };
    let peak_of = |pages: usize, text: &dyn Fn(usize) -> String| {
        let folder = tempfile::tempdir().unwrap();
        let crawl = small_pages(folder.path(), pages, |number| {
            let url = format!("http://s{:05}.example/{number}", number % 40);
            (url, format!("<html lang=en><p>{}.</p></html>", text(number)))
        });
        peak(&crawl, pages, 1, false) as f64
    };
    let unlike = peak_of(family, &|number| Random::from_page(number).words(60));
    let equal = peak_of(family, &|_| link_of_chain(0));
    let linked = peak_of(chain, &link_of_chain);
    println!(
        "{:.1} MB, {:.1} MB, {:.1} MB",
        unlike / 1e6,
        equal / 1e6,
        linked / 1e6
    );
    assert!(equal <= 1.1 * unlike, "{unlike} and {equal} bytes");
    assert!(linked <= 1.1 * unlike, "{unlike} and {linked} bytes");
}
