//! What the pages of a site say of each other: counted as a slow twin counts them, the same whatever
//! the number of workers, and nothing is left where they waited.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use gleaner_content::Model;
use gleaner_corpus::{Corpus, Identity};
use gleaner_dataflow::plan::PlanSizes;
use gleaner_dataflow::{BuildConfig, Error, Summary, build};
use gleaner_document::{Cleaner, Options as CleanerOptions, Origin, PageFacts, ScoredBlocks, built_in};
use gleaner_site::{Evidence, EvidenceConfig, KindNote, PageKind, PageNotes, SiteSums, adjust};
use gleaner_store::{Options, Store};
use gleaner_template::page_key;
use parquet::file::reader::{FileReader, SerializedFileReader};
use tempfile::TempDir;

/// Units of a few pages, and several parts.
const SMALL: PlanSizes = PlanSizes {
    unit: 2 << 10,
    smallest_part: 8 << 10,
    largest_part: 8 << 10,
    parts: 1,
    merged: 128,
};

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../document/models/default.gcrf");
    Arc::new(Model::load(&path).unwrap())
});

/// A page: its lines are what stands on it.
#[derive(Clone)]
struct Page {
    url: String,
    day: u32,
    lines: Vec<String>,
}

/// A word that is a number's own, without digits: those stand for each other.
fn word(mut number: usize) -> String {
    let mut word = String::from("w");
    loop {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return word;
        }
    }
}

/// Sites of many, few and very few pages. Lines are on all pages of a site, on some, and on one.
fn pages() -> Vec<Page> {
    let mut pages = Vec::new();
    for (site, count) in [("large", 40), ("middle", 7), ("three", 3), ("two", 2), ("one", 1)] {
        for number in 0..count {
            let mut lines = vec![
                "Home".to_owned(),
                format!("About {site}"),
                format!("Rubric {}", word(number % 4)),
                format!(
                    "The tide of {} took the boats of {} {} out.",
                    word(number),
                    site,
                    word(number * number)
                ),
            ];
            lines.extend((number % 3 == 0).then(|| "Home".to_owned()));
            lines.push("All rights reserved".to_owned());
            pages.push(Page {
                url: format!("http://{site}.example/{number}"),
                day: 1,
                lines,
            });
        }
    }
    // Captured again, later and earlier, with other lines: only the newest counts.
    for (day, line) in [(9, "A line of the newest"), (0, "A line of the oldest")] {
        let mut again = pages[5].clone();
        again.day = day;
        again.lines.push(line.to_owned());
        again.lines.retain(|line| day == 0 || line != "About large");
        pages.push(again);
    }
    pages
}

fn html(page: &Page) -> String {
    let lines: String = page.lines.iter().map(|line| format!("<p>{line}</p>\n")).collect();
    format!("<html lang=en><body>{lines}</html>")
}

fn record(page: &Page) -> Vec<u8> {
    let content = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", html(page));
    let header = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{url}#{day}>\r\nWARC-Date: 2024-05-1{day}T06:30:00Z\r\n\
         WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        content.len(),
        url = page.url,
        day = page.day,
    );
    [header.as_bytes(), content.as_bytes(), b"\r\n\r\n"].concat()
}

/// All pages in one file, in an order in which sites are mixed.
static CRAWL: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut pages = pages();
    pages.sort_by_key(|page| (page.url.len() * 7919 + page.url.as_bytes()[page.url.len() - 1] as usize) % 13);
    let bytes: Vec<u8> = pages.iter().flat_map(record).collect();
    fs::write(folder.path().join("crawl.warc"), bytes).unwrap();
    folder
});

fn config(out: &Path, templates: bool, workers: usize) -> BuildConfig {
    config_of(CRAWL.path(), out, templates, workers)
}

fn config_of(crawl: &Path, out: &Path, templates: bool, workers: usize) -> BuildConfig {
    let store = Store::new(Options::default()).unwrap();
    let shards = store
        .expand(&[crawl.to_str().unwrap().to_owned()], None)
        .unwrap()
        .shards;
    let output = store.output(out.to_str().unwrap()).unwrap();
    let corpus = Corpus::create(output, &Identity::default(), false).unwrap();
    BuildConfig {
        workers,
        blocks: true,
        posts: Some(gleaner_posts::Rules::default_rules()),
        templates,
        sizes: SMALL,
        ..BuildConfig::new(store, shards, corpus, Arc::clone(&MODEL))
    }
}

fn built(templates: bool, workers: usize) -> (TempDir, Summary) {
    built_by(|out| config(out, templates, workers))
}

/// More pages than a site has.
const ALL: usize = 1000;

/// With a maximum number of pages per sample.
fn sampled(site_sample: usize, workers: usize) -> (TempDir, Summary) {
    built_by(|out| BuildConfig {
        site_sample,
        ..config(out, true, workers)
    })
}

fn built_by(config: impl Fn(&Path) -> BuildConfig) -> (TempDir, Summary) {
    let out = tempfile::tempdir().unwrap();
    let summary = build(config(out.path())).unwrap();
    assert!(summary.adds_up(), "{summary:?}");
    assert_eq!(summary.documents as usize, pages().len());
    (out, summary)
}

/// The rows of a table, a map of column to text each.
fn rows(out: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut files: Vec<PathBuf> = fs::read_dir(out.join(table))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let columns = row.get_column_iter();
            rows.push(
                columns
                    .map(|(name, field)| (name.clone(), field.to_string()))
                    .collect(),
            );
        }
    }
    rows
}

fn site(url: &str) -> &str {
    url.trim_start_matches("http://").split('.').next().unwrap()
}

/// The captures that count: of the sampled pages of each site, the newest.
fn slow_sample(most: usize) -> Vec<Page> {
    let mut newest: BTreeMap<(String, u64), Page> = BTreeMap::new();
    for page in pages() {
        let key = (site(&page.url).to_owned(), page_key(&page.url));
        let known = newest.entry(key).or_insert_with(|| page.clone());
        if known.day < page.day {
            *known = page;
        }
    }
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let is_sampled = |((site, _), _): &((String, u64), Page)| {
        let taken = taken.entry(site.clone()).or_default();
        *taken += 1;
        *taken <= most
    };
    newest
        .into_iter()
        .filter(is_sampled)
        .map(|(_, page)| page)
        .collect()
}

/// Sampled pages by site and line.
fn slow_counts(most: usize) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for page in slow_sample(most) {
        for line in page.lines.iter().collect::<BTreeSet<_>>() {
            *counts
                .entry((site(&page.url).to_owned(), line.clone()))
                .or_default() += 1;
        }
    }
    counts
}

/// Rounded down to three binary digits.
fn three_digits(pages: usize) -> usize {
    let mut step = 1;
    while pages / step >= 8 {
        step *= 2;
    }
    pages / step * step
}

#[test]
fn blocks_are_on_as_many_pages_as_a_slow_count_says() {
    for sample in [ALL, 9] {
        let (out, _) = sampled(sample, 2);
        let counts = slow_counts(sample);
        let blocks = rows(out.path(), "blocks");
        assert!(blocks.len() > 200);
        for block in blocks {
            let id = block["record_id"].trim_matches(['"', '<', '>']);
            let site = site(id).to_owned();
            let pages: usize = block["template_pages"].parse().unwrap();
            let text = block["text"].trim_matches('"').to_owned();
            let expected = match site.as_str() {
                "one" | "two" => 0,
                // A line of an older capture, or of a page that is not sampled, alone is on no page that counts.
                _ => three_digits(counts.get(&(site, text)).copied().unwrap_or_default()),
            };
            assert_eq!(pages, expected, "{block:?}");
        }
    }
}

#[test]
fn small_sites_are_labelled_as_if_there_were_no_others() {
    let [(with, one), (without, other)] = [built(true, 2), built(false, 2)];
    assert_eq!((one.documents, one.blocks), (other.documents, other.blocks));
    let of_small = |out: &TempDir, table: &str, key: &str| {
        let mut rows = rows(out.path(), table);
        rows.retain(|row| {
            let url = row[key].trim_matches(['"', '<', '>']).to_owned();
            !["large", "middle"].contains(&site(&url))
        });
        // What is counted and mined aside.
        rows.iter_mut()
            .for_each(|row| row.retain(|column, _| !column.starts_with("template_")));
        rows
    };
    for (table, key) in [("documents", "url"), ("blocks", "record_id")] {
        let expected = of_small(&without, table, key);
        assert!(expected.len() >= 6);
        assert_eq!(of_small(&with, table, key), expected, "{table}");
    }
}

/// Labels pages with the evidence of their site, one after the other and in memory.
struct Slow {
    cleaner: Cleaner,
}

/// A page as the slow twin reads it.
struct SlowPage {
    notes: PageNotes,
    blocks: ScoredBlocks,
    facts: PageFacts,
}

impl Slow {
    fn new() -> Slow {
        Slow {
            cleaner: Cleaner::new(&MODEL, CleanerOptions::default()).unwrap(),
        }
    }

    fn read(&mut self, page: &Page) -> SlowPage {
        let origin = Origin {
            url: &page.url,
            content_type: Some("text/html"),
            ..Origin::default()
        };
        let read = self.cleaner.read(html(page).as_bytes(), &origin).unwrap();
        let mut notes = PageNotes::default();
        self.cleaner.note(&read, &mut notes);
        let scored = self.cleaner.score(read);
        notes.logits = scored.blocks.logits();
        let shares = scored.facts.kinds.expect("the model measures features");
        notes.kind = KindNote::of(&page.url, &shares);
        SlowPage {
            notes,
            blocks: scored.blocks,
            facts: scored.facts,
        }
    }

    /// Labels and their probabilities, given the evidence of the site.
    fn labels(&mut self, page: &SlowPage, evidence: &Evidence) -> Vec<(String, f32)> {
        let kind = page
            .facts
            .kind()
            .map_or(PageKind::Single, |(kind, _)| PageKind::of(kind));
        let logits = adjust(&page.notes, evidence, kind, &EvidenceConfig::default());
        let decision = self.cleaner.decide(page.blocks.clone(), Some(&logits)).decision;
        let labels = decision.labels.iter().zip(&decision.confidence);
        labels
            .map(|(label, &confidence)| (label.name().to_owned(), confidence))
            .collect()
    }
}

#[test]
fn blocks_are_labelled_as_a_slow_twin_labels_them() {
    [ALL, 9].into_iter().for_each(assert_is_labelled_as_slowly);
}

fn assert_is_labelled_as_slowly(sample: usize) {
    let (out, _) = sampled(sample, 2);
    let (alone, _) = built(false, 1);
    let mut found: BTreeMap<String, Vec<(String, f32)>> = BTreeMap::new();
    for block in rows(out.path(), "blocks") {
        let id = block["record_id"].trim_matches(['"', '<', '>']).to_owned();
        let label = block["label"].trim_matches('"').to_owned();
        found
            .entry(id)
            .or_default()
            .push((label, block["confidence"].parse().unwrap()));
    }
    let of_document = |row: BTreeMap<String, String>| {
        let id = row["record_id"].trim_matches(['"', '<', '>']).to_owned();
        let kind = row["page_kind"].trim_matches('"').to_owned();
        (id, (kind, row["page_kind_probability"].parse::<f32>().unwrap()))
    };
    let documents = rows(out.path(), "documents").into_iter();
    let kinds: BTreeMap<String, (String, f32)> = documents.map(of_document).collect();
    let mut moved = 0;
    let mut slow = Slow::new();
    for site_name in ["large", "middle", "three"] {
        let is_own = |page: &Page| site(&page.url) == site_name;
        let mut sums = SiteSums::default();
        let counted: Vec<Page> = slow_sample(sample).into_iter().filter(is_own).collect();
        for page in &counted {
            sums.add(&slow.read(page).notes);
        }
        for page in pages().into_iter().filter(is_own) {
            let read = slow.read(&page);
            // The capture of its URL that counts is no other page.
            let own = counted.iter().find(|other| other.url == page.url);
            let mut evidence = sums.evidence(&read.notes, own.is_some_and(|own| own.day == page.day));
            if let Some(newer) = own.filter(|own| own.day != page.day) {
                let newer = slow.read(newer).notes;
                let counts = sums.evidence(&newer, true).texts;
                evidence.leave_out(&read.notes, &newer, &counts);
            }
            let expected = slow.labels(&read, &evidence);
            let id = format!("{}#{}", page.url, page.day);
            let shares = evidence.kinds(&read.notes).or(read.facts.kinds).unwrap();
            let (kind, probability) = built_in::page_kinds().likeliest(&shares);
            let (found_kind, found_probability) = &kinds[&id];
            assert_eq!((found_kind.as_str(), page.day), (kind, page.day), "{id}");
            assert!((found_probability - probability).abs() < 0.0051, "{id}");
            moved += usize::from(Some((kind, probability)) != read.facts.kind());
            let found = &found[&id];
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.0, expected.0, "{} {}", page.url, page.day);
                assert!((found.1 - expected.1).abs() < 0.0051, "{found:?} {expected:?}");
            }
        }
    }
    // It would be no test if sites changed nothing.
    assert!(moved > 0);
    assert_ne!(rows(out.path(), "documents"), rows(alone.path(), "documents"));
}

#[test]
fn expressions_are_mined_and_their_words_counted() {
    let (out, summary) = built(true, 2);
    let templates = rows(out.path(), "templates");
    assert_eq!(summary.templates as usize, templates.len());
    let sites: BTreeSet<&str> = templates
        .iter()
        .map(|row| row["site"].trim_matches('"'))
        .collect();
    assert!(
        sites.contains("large.example") && sites.contains("middle.example"),
        "{sites:?}"
    );
    assert_eq!(summary.mined_sites, 3);
    assert_eq!(rows(out.path(), "histograms").len(), 3);
    let menu = r"Home[\t-\r ]+About[\t-\r ]+middle";
    assert!(templates.iter().any(|row| row["expression"].contains(menu)));
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for block in rows(out.path(), "blocks") {
        let id = block["record_id"].trim_matches(['"', '<', '>']);
        let coverage: f32 = block["template_coverage"].parse().unwrap();
        let text = block["text"].trim_matches('"');
        match (site(id), text) {
            ("middle", "About middle") => assert_eq!(coverage, 1.0, "{block:?}"),
            ("one" | "two", _) => assert_eq!(coverage, 0.0, "{block:?}"),
            _ => {}
        }
        let pages: usize = block["template_pages"].parse().unwrap();
        let least = match site(id) {
            "large" => 8,
            _ => 3,
        };
        if pages >= least {
            *words.entry(format!("{}.example", site(id))).or_default() += text.split_whitespace().count();
        }
    }
    for row in rows(out.path(), "sites") {
        let expected = words
            .get(row["site"].trim_matches('"'))
            .copied()
            .unwrap_or_default();
        assert_eq!(row["template_words"], expected.to_string(), "{row:?}");
    }
}

/// The rows of documents, blocks and captures, but for what says which capture is the latest.
fn rows_of_captures(crawl: &Path, site_sample: usize) -> BTreeSet<BTreeMap<String, String>> {
    let out = tempfile::tempdir().unwrap();
    build(BuildConfig {
        site_sample,
        ..config_of(crawl, out.path(), true, 2)
    })
    .unwrap();
    let tables = ["documents", "blocks", "captures"].into_iter();
    let mut rows: Vec<_> = tables.flat_map(|table| rows(out.path(), table)).collect();
    rows.iter_mut().for_each(|row| drop(row.remove("is_latest")));
    rows.into_iter().collect()
}

#[test]
fn pages_captured_again_change_no_row_of_older_captures() {
    let crawl = tempfile::tempdir().unwrap();
    let write = |name: &str, pages: &[Page]| {
        let bytes: Vec<u8> = pages.iter().flat_map(record).collect();
        fs::write(crawl.path().join(name), bytes).unwrap();
    };
    let pages: Vec<Page> = pages().into_iter().filter(|page| page.day == 1).collect();
    let again: Vec<Page> = pages
        .iter()
        .zip((2..=5).cycle())
        .map(|(page, day)| Page { day, ..page.clone() })
        .collect();
    for sample in [ALL, 9] {
        write("again.warc", &[]);
        write("crawl.warc", &pages);
        let before = rows_of_captures(crawl.path(), sample);
        write("again.warc", &again);
        let after = rows_of_captures(crawl.path(), sample);
        let changed: Vec<_> = before.difference(&after).collect();
        assert!(
            changed.is_empty(),
            "{} of {}: {:?}",
            changed.len(),
            before.len(),
            changed[0]
        );
        assert_eq!(after.len(), 2 * before.len());
    }
}

#[test]
fn a_build_that_ends_early_leaves_no_pages_behind() {
    let out = tempfile::tempdir().unwrap();
    let config = BuildConfig {
        stop: Arc::new(AtomicBool::new(true)),
        ..config(out.path(), true, 2)
    };
    assert!(matches!(build(config), Err(Error::Interrupted)));
    let staged = fs::read_dir(out.path().join(".staging")).unwrap();
    let mut left: Vec<_> = staged.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["journal-0001", "run"]);
}

#[test]
fn it_can_be_stopped_at_any_moment() {
    for pages in [1, 20, 55] {
        let out = tempfile::tempdir().unwrap();
        let config = config(out.path(), true, 2);
        let (progress, stop) = (Arc::clone(&config.progress), Arc::clone(&config.stop));
        let watcher = std::thread::spawn(move || {
            while progress.pages.load(Relaxed) < pages {
                std::thread::yield_now();
            }
            stop.store(true, Relaxed);
        });
        let ended = build(config);
        watcher.join().unwrap();
        assert!(
            ended.is_ok() || matches!(ended, Err(Error::Interrupted)),
            "{ended:?}"
        );
    }
}
