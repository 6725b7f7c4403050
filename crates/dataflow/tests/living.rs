//! A corpus that was changed step by step is, file by file, the one that a build of its archives and rules gives.
//!
//! Random histories: archives are added, removed and added again, pages are removed and taken down, and rules are lifted. Archives share
//! sites, have the same pages captured again, pages with the same texts, and drawn pages of each other's captures; corpora have named
//! crawls, or none.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use gleaner_content::Model;
use gleaner_corpus::{
    Corpus, Crawl, Identity, KeptKind, Marker, Matcher, Next, Rule, RuleKind, Selector, SelectorKind,
    Settings,
};
use gleaner_curate::Benchmarks;
use gleaner_dataflow::plan::PlanSizes;
use gleaner_dataflow::{Again, ArchiveTerms, Build, BuildConfig, ChangeConfig, InputLine, Request, Summary};
use gleaner_store::{Options, Shard, Store};
use gleaner_testing::Random;
use proptest::prelude::*;
use tempfile::TempDir;

/// Archives that there are, each for both crawls.
const ARCHIVES: usize = 6;
/// Records of an archive.
const RECORDS: usize = 14;
/// Conversions of an archive.
const DRAWN: usize = 4;
const CRAWLS: [&str; 2] = ["2026-11", "2026-12"];

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../document/models/default.gcrf");
    Arc::new(Model::load(&path).unwrap())
});

/// The archives, in a folder a crawl.
static INPUTS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    for (crawl, name) in CRAWLS.iter().enumerate() {
        fs::create_dir(folder.path().join(name)).unwrap();
        for archive in 0..ARCHIVES {
            let path = folder.path().join(name).join(format!("{archive}.warc"));
            fs::write(path, archive_bytes(crawl * ARCHIVES + archive)).unwrap();
        }
    }
    folder
});

fn archive_bytes(seed: usize) -> Vec<u8> {
    let records = captures(seed).into_iter().map(|(_, bytes)| bytes);
    records
        .chain((0..DRAWN).map(|number| drawn(seed, number)))
        .flatten()
        .collect()
}

/// Records of pages of few sites, each with its URL: of the first site a third. Two thirds of them are those of an archive before,
/// captured later.
fn captures(seed: usize) -> Vec<(String, Vec<u8>)> {
    let mut random = Random::from_page(seed);
    let mut records = Vec::new();
    for number in 0..RECORDS {
        if random.below(5) == 0 {
            records.push((String::new(), site_file(seed, number, &mut random)));
            continue;
        }
        let site = if random.below(3) == 0 { 0 } else { random.below(5) };
        let page = random.below(if site == 0 { 60 } else { 9 });
        let text = page_text(site, page, random.below(4) / 3);
        let url = format!("http://s{site}.example/{}/{page}", page % 3);
        let kind = if random.below(9) == 0 {
            "image/png"
        } else {
            "text/html"
        };
        let reserved = if page % 6 == 5 {
            "TDM-Reservation: 1\r\n"
        } else {
            ""
        };
        let content = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{reserved}\r\n{text}");
        let bytes = record(seed, number, &url, &content);
        records.push((url, bytes));
    }
    records
}

/// A conversion of a capture of the same crawl: a drawn page mostly, else a text, one of another URL, or one of a conversion.
fn drawn(seed: usize, number: usize) -> Vec<u8> {
    let mut random = Random::from_page(1000 + DRAWN * seed + number);
    let other = seed / ARCHIVES * ARCHIVES + random.below(ARCHIVES);
    let captures = captures(other);
    let mut of = random.below(RECORDS);
    while captures[of].0.is_empty() {
        of = random.below(RECORDS);
    }
    let url = if random.below(8) == 0 {
        "http://s0.example/0/0"
    } else {
        &captures[of].0
    };
    let of = if random.below(6) == 0 {
        format!("<urn:{other}:d{}>", of % DRAWN)
    } else {
        format!("<urn:{other}:{of}>")
    };
    let kind = if random.below(6) == 0 {
        "text/plain"
    } else {
        "text/html; charset=utf-8"
    };
    let date = match random.below(6) {
        0 => String::new(),
        1 => "WARC-Date: 2026-11-30T06:30:00Z\r\n".to_owned(),
        _ => format!("WARC-Date: 2026-11-{:02}T06:30:00Z\r\n", 1 + other),
    };
    let answer = if random.below(2) == 0 {
        "WARC-Refers-To-Status: 200\r\nWARC-Refers-To-Header: X-Robots-Tag: noai\r\n"
    } else {
        ""
    };
    let text = page_text(random.below(5), random.below(60), random.below(2));
    let header = format!(
        "WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:{seed}:d{number}>\r\n{date}WARC-Refers-To: {of}\r\n{answer}\
         WARC-Target-URI: {url}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        text.len()
    );
    [header.as_bytes(), text.as_bytes(), b"\r\n\r\n"].concat()
}

/// A record of a file of a site about rights, or the answer that there is none.
fn site_file(seed: usize, number: usize, random: &mut Random) -> Vec<u8> {
    let site = random.below(5);
    let url = |path: &str| format!("http://s{site}.example{path}");
    let (url, kind, body) = match random.below(4) {
        0 => (
            url("/.well-known/tdmrep.json"),
            "application/json",
            r#"[{"location": "/1/*", "tdm-reservation": 1}]"#.to_owned(),
        ),
        // It is a page, too.
        1 => (
            url("/ai.txt"),
            "text/plain",
            "User-Agent: *\nDisallow: /2/\n".to_owned(),
        ),
        _ => (
            url("/robots.txt"),
            "text/plain",
            format!(
                "User-agent: GPTBot\nDisallow: /{}/\nContent-Signal: ai-train=no\n",
                seed % 3
            ),
        ),
    };
    let status = ["200 OK", "200 OK", "404 Not Found", "503 Later"][random.below(4)];
    record(
        seed,
        number,
        &url,
        &format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n{body}"),
    )
}

fn record(seed: usize, number: usize, url: &str, content: &str) -> Vec<u8> {
    let header = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{seed}:{number}>\r\nWARC-Date: 2026-11-{:02}T06:30:00Z\r\n\
         WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        1 + seed,
        content.len()
    );
    [header.as_bytes(), content.as_bytes(), b"\r\n\r\n"].concat()
}

/// Some pages of all sites have the same text.
fn page_text(site: usize, page: usize, variant: usize) -> String {
    let of = if page.is_multiple_of(4) {
        1000 + page
    } else {
        100 * site + page
    };
    let mut random = Random::from_page(7 * of + variant);
    let paragraphs: String = (0..2 + page % 3)
        .map(|_| format!("<p>{}.</p>", random.words(30)))
        .collect();
    let rights = match page % 5 {
        1 => "<meta name=robots content='noindex, noai'>",
        2 => "<link rel=license href='https://creativecommons.org/licenses/by-sa/4.0/'>",
        _ => "",
    };
    let mail = match page % 3 {
        1 => format!(
            "<p>Questions about the é of page {page} go to page{page}@example.org, the keeper of all these tides and boats."
        ),
        _ => String::new(),
    };
    format!(
        "<title>Page {page}</title>{rights}<ul><li><a href=/>Home of {site}</a><li><a href=/n>News</a></ul><h1>Page {page}</h1>{paragraphs}{mail}\
         <p>All rights of site {site} are reserved, since the year {}.</p>",
        1990 + site
    )
}

/// A step of a history. What cannot be done is left out.
#[derive(Clone, Debug)]
enum Step {
    Add {
        archives: Vec<(usize, usize)>,
    },
    RemoveArchive {
        number: usize,
    },
    Leave {
        kind: bool,
        selector: usize,
        site: usize,
        page: usize,
    },
    Restore {
        number: usize,
    },
    /// All pages are labelled again, or read again.
    Relabel {
        reads: bool,
        benchmarks: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let archive = (0..CRAWLS.len(), 0..ARCHIVES);
    prop_oneof![
        5 => prop::collection::vec(archive, 1..4).prop_map(|archives| Step::Add { archives }),
        3 => any::<usize>().prop_map(|number| Step::RemoveArchive { number }),
        4 => (any::<bool>(), 0..8_usize, 0..5_usize, 0..12_usize)
            .prop_map(|(kind, selector, site, page)| Step::Leave { kind, selector, site, page }),
        2 => any::<usize>().prop_map(|number| Step::Restore { number }),
        2 => (any::<bool>(), 0..3_usize).prop_map(|(reads, benchmarks)| Step::Relabel { reads, benchmarks }),
    ]
}

/// What a version is made from.
#[derive(Clone, Debug, Default)]
struct Arguments {
    is_labelled: bool,
    archives: BTreeMap<(usize, usize), u64>,
    rules: Vec<Rule>,
    version: u64,
    /// Their number; 0 for none.
    benchmarks: usize,
}

/// A change, as the engine takes it.
#[derive(Default)]
struct Edit {
    reads: Vec<((usize, usize), ArchiveTerms)>,
    removed: BTreeMap<String, HashSet<String>>,
    ranges: Option<Vec<std::ops::Range<Vec<u8>>>>,
    purge: bool,
    again: Again,
}

impl Arguments {
    /// The crawl of an archive. Without labels all are of the first.
    fn crawl(&self, crawl: usize) -> Option<Crawl> {
        self.is_labelled.then(|| Crawl::new(CRAWLS[crawl]).unwrap())
    }

    fn terms(
        &self,
        archive: (usize, usize),
        since: u64,
        is_read_again: bool,
    ) -> ((usize, usize), ArchiveTerms) {
        let terms = ArchiveTerms {
            crawl: self.crawl(archive.0),
            since,
            is_read_again,
        };
        (archive, terms)
    }

    /// Takes a step: the next arguments, and the change that leads there. Nothing if there is nothing to do.
    fn take(&self, step: &Step, lines: &[InputLine]) -> Option<(Arguments, Edit)> {
        let mut next = self.clone();
        next.version += 1;
        let mut edit = Edit {
            ranges: Some(Vec::new()),
            ..Edit::default()
        };
        match step {
            Step::Add { archives } => {
                for &(crawl, archive) in archives {
                    // Without labels there is one archive of a name.
                    let archive = (if self.is_labelled { crawl } else { 0 }, archive);
                    if next.archives.insert(archive, next.version).is_none() {
                        edit.reads.push(self.terms(archive, next.version, false));
                    } else {
                        next.archives
                            .insert(archive, *self.archives.get(&archive).unwrap_or(&next.version));
                    }
                }
                (!edit.reads.is_empty()).then_some(())?;
            }
            Step::RemoveArchive { number } => {
                (self.archives.len() > 1).then_some(())?;
                let &archive = self.archives.keys().nth(number % self.archives.len())?;
                next.archives.remove(&archive);
                let crawl = self
                    .crawl(archive.0)
                    .map_or_else(String::new, |crawl| crawl.to_string());
                edit.removed.insert(crawl, [name(archive.1)].into());
            }
            &Step::Leave {
                kind,
                selector,
                site,
                page,
            } => {
                let host = format!("s{site}.example");
                let url = format!("http://{host}/{}/{page}", page % 3);
                let (selected, text) = match selector {
                    0 => (SelectorKind::Site, host),
                    1 => (SelectorKind::Domain, host),
                    2 => (SelectorKind::Url, url),
                    3 => (SelectorKind::Prefix, format!("http://{host}/{}/", page % 3)),
                    4 => (SelectorKind::Url, format!("http://{host}/robots.txt")),
                    5 => (SelectorKind::Prefix, format!("http://{host}/")),
                    6 => (SelectorKind::Record, format!("<urn:{site}:{page}>")),
                    _ => (SelectorKind::Record, format!("<urn:{site}:d{}>", page % DRAWN)),
                };
                let selector = Selector::new(selected, &text).unwrap();
                let kind = if kind {
                    RuleKind::Remove
                } else {
                    RuleKind::Takedown
                };
                let number = self
                    .rules
                    .iter()
                    .map(|rule| rule.number().unwrap())
                    .max()
                    .unwrap_or(0);
                next.rules.push(Rule {
                    id: Rule::id(number + 1),
                    kind,
                    matcher: Matcher::names(kind, [&selector]),
                    since: next.version,
                    until: (kind == RuleKind::Remove).then_some(self.version),
                    reason: "a test".to_owned(),
                    source: None,
                });
                edit.ranges = selector.ranges();
                edit.purge = kind == RuleKind::Takedown;
            }
            &Step::Relabel {
                reads: false,
                benchmarks,
            } => {
                edit.again = Again::Labels;
                next.benchmarks = benchmarks;
            }
            &Step::Relabel {
                reads: true,
                benchmarks,
            } => {
                edit.again = Again::All;
                next.benchmarks = benchmarks;
                let archives = self.archives.iter();
                edit.reads = archives
                    .map(|(&archive, &since)| self.terms(archive, since, false))
                    .collect();
            }
            Step::Restore { number } => {
                let place = number.checked_rem(self.rules.len())?;
                let rule = next.rules.remove(place);
                for line in lines
                    .iter()
                    .filter(|line| line.read.counts.left_out.contains_key(&rule.id))
                {
                    let crawl = line.crawl.as_ref().map_or("", Crawl::as_str);
                    let crawl = CRAWLS.iter().position(|name| *name == crawl).unwrap_or(0);
                    let archive = (crawl, line.read.name.trim_end_matches(".warc").parse().unwrap());
                    edit.reads.push(self.terms(archive, line.since, true));
                }
            }
        }
        Some((next, edit))
    }
}

fn name(archive: usize) -> String {
    format!("{archive}.warc")
}

fn store() -> Store {
    Store::new(Options::default()).unwrap()
}

fn shard((crawl, archive): (usize, usize)) -> Shard {
    let path = INPUTS.path().join(CRAWLS[crawl]).join(name(archive));
    store()
        .expand(&[path.to_str().unwrap().to_owned()], None)
        .unwrap()
        .shards
        .remove(0)
}

fn identity(arguments: &Arguments) -> Identity {
    let crawl = arguments
        .is_labelled
        .then(|| (Crawl::COLUMN.to_owned(), CRAWLS[0].to_owned()));
    Identity {
        options: crawl.into_iter().collect(),
        ..Identity::default()
    }
}

/// Texts of some pages.
fn benchmarks(number: usize) -> Option<Arc<Benchmarks>> {
    let texts: Vec<String> = (number..60)
        .step_by(7)
        .map(|page| page_text(0, page, 0))
        .collect();
    let passages = texts.iter().flat_map(|text| text.split(['<', '>']));
    let passages = passages.map(|passage| ("pages", passage));
    (number > 0).then(|| Arc::new(Benchmarks::new(passages)))
}

/// Small chunks, units and parts, and all tables.
fn config(
    corpus: Corpus,
    reads: Vec<((usize, usize), ArchiveTerms)>,
    arguments: &Arguments,
    workers: usize,
) -> BuildConfig {
    let (archives, terms): (Vec<_>, _) = reads.into_iter().unzip();
    let shards = archives.into_iter().map(shard).collect();
    BuildConfig {
        terms,
        rules: arguments.rules.clone(),
        workers,
        blocks: true,
        pii_spans: arguments.benchmarks != 2,
        benchmarks: benchmarks(arguments.benchmarks),
        repeats: Some(2),
        chunk_size: 16,
        sizes: PlanSizes {
            unit: 4 << 10,
            ..PlanSizes::parts_of(9 << 10)
        },
        ..BuildConfig::new(store(), shards, corpus, Arc::clone(&MODEL))
    }
}

fn run(config: BuildConfig) -> Summary {
    let summary = Build::begin(config).unwrap().run().unwrap().unwrap();
    assert!(summary.adds_up(), "{summary:?}");
    summary
}

/// Builds a corpus of these arguments.
fn batch(arguments: &Arguments, workers: usize) -> TempDir {
    let out = tempfile::tempdir().unwrap();
    let output = store().output(out.path().to_str().unwrap()).unwrap();
    let corpus = Corpus::create(output, &identity(arguments), false).unwrap();
    let reads = arguments
        .archives
        .iter()
        .map(|(&archive, &since)| arguments.terms(archive, since, false));
    run(config(corpus, reads.collect(), arguments, workers));
    out
}

/// Changes a corpus.
fn change(folder: &Path, before: &Arguments, after: &Arguments, edit: Edit, workers: usize) -> Summary {
    let output = store().output(folder.to_str().unwrap()).unwrap();
    let next = Next {
        command: "change".to_owned(),
        asked: after.version.to_string(),
        ..Next::default()
    };
    let (corpus, base) = Corpus::begin_change(output, next, Settings::default()).unwrap();
    let change = ChangeConfig {
        base,
        removed: edit.removed,
        rules_before: before.rules.clone(),
        ranges: edit.ranges,
        again: edit.again,
        identity: identity(after),
        keep_versions: 1,
        purge: edit.purge,
        request: Request::default(),
        full_receipt: None,
    };
    run(BuildConfig {
        change: Some(change),
        ..config(corpus, edit.reads, after, workers)
    })
}

fn marker(folder: &Path) -> Marker {
    let output = store().output(folder.to_str().unwrap()).unwrap();
    Corpus::marker(&output).unwrap().unwrap()
}

fn lines(folder: &Path) -> Vec<InputLine> {
    let output = store().output(folder.to_str().unwrap()).unwrap();
    let digest = marker(folder).arguments.unwrap().inputs;
    InputLine::read(&Corpus::kept(&output, KeptKind::Inputs, &digest).unwrap()).unwrap()
}

/// The files of a corpus by name, but for logs and receipts, which say how it came about.
fn files(folder: &Path) -> BTreeSet<String> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            match path.is_dir() {
                true if name.contains("_delta_log") || name.contains("receipts") => {}
                true => walk(root, &path, found),
                false => drop(found.insert(name)),
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(folder, folder, &mut found);
    found
}

/// Compares a corpus with one that is built of the same arguments.
fn check(folder: &Path, arguments: &Arguments, workers: usize) {
    let built = batch(arguments, workers);
    let (one, other) = (files(folder), files(built.path()));
    let differing: Vec<_> = one.symmetric_difference(&other).collect();
    assert!(
        differing.is_empty(),
        "{differing:#?}\n{:#?}\n{:#?}",
        lines(folder),
        lines(built.path())
    );
    let counts = |folder| {
        let marker = marker(folder);
        (marker.totals, marker.summary, marker.arguments)
    };
    let ((totals, mut summary, kept), (totals_built, mut summary_built, kept_built)) =
        (counts(folder), counts(built.path()));
    // How many files were written is of the command.
    for summary in [&mut summary, &mut summary_built] {
        summary.remove("files");
    }
    assert_eq!((totals, summary, kept), (totals_built, summary_built, kept_built));
    let output = store().output(folder.to_str().unwrap()).unwrap();
    let verified = Corpus::verify(&output, &gleaner_corpus::Checking::default()).unwrap();
    assert!(verified.faults.is_empty(), "{:?}", verified.faults);
}

/// Histories that are tried, and the changes of each: with `GLEANER_LONG=1` more, which takes minutes.
fn cases() -> u32 {
    if is_long() { 20 } else { 2 }
}

fn steps() -> usize {
    if is_long() { 20 } else { 10 }
}

fn is_long() -> bool {
    std::env::var_os("GLEANER_LONG").is_some_and(|value| value == "1")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_history_gives_the_corpus_of_its_arguments(
        is_labelled in any::<bool>(), steps in prop::collection::vec((step(), 1..4_usize), steps()),
    ) {
        let mut now = Arguments { is_labelled, version: 1, ..Arguments::default() };
        now.archives = [((0, 0), 1), ((0, 1), 1)].into();
        let folder = batch(&now, 2);
        for (step, workers) in steps {
            let Some((next, edit)) = now.take(&step, &lines(folder.path())) else {
                continue;
            };
            change(folder.path(), &now, &next, edit, workers);
            check(folder.path(), &next, 4 - workers);
            now = next;
        }
    }
}
