//! Time and memory of mining raw HTML, from bytes in memory to expressions, over sizes:
//!
//!     GLEANER_DATA=... cargo bench -p gleaner-template --bench mine [-- SCALE...]
//!
//! The pages are those of the sites and blogs of the data folder. Parts of them are every tenth page;
//! multiples are copies with other words: their letters are shifted in the alphabet. Every size is
//! mined twice, on two threads and without a sample: site by site, and as one single site of all
//! pages, which is the paper's case (9,795 pages, 220 MB). Then the expressions of each site are
//! applied to its pages, on one thread.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, Site};
use gleaner_warc::{Options, ReadSource, Reader, Step, Wanted, http};

/// A site's pages: URL and HTML.
type Pages = Vec<(String, String)>;

fn main() {
    let scales: Vec<f64> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let scales = if scales.is_empty() {
        vec![0.1, 0.3, 1.0, 3.0, 10.0]
    } else {
        scales
    };
    let mut sites: Vec<(String, Pages)> = Vec::new();
    for folder in ["sites", "blogs"] {
        let Some(entries) =
            gleaner_testing::data_if_any(folder).and_then(|path| std::fs::read_dir(path).ok())
        else {
            println!("skipped: the data sets have no {folder}");
            return;
        };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files
            .iter()
            .filter(|file| file.to_string_lossy().ends_with(".warc.gz"))
        {
            sites.push((file.display().to_string(), pages(file)));
        }
    }
    println!("scale     MB   pages    tokens  |  by site: s  CPU s  |  as one site: s  CPU s  bytes a token");
    for &scale in &scales {
        let sites = scaled(&sites, scale);
        let all: Vec<(String, Pages)> = vec![(
            "all".into(),
            sites.iter().flat_map(|(_, pages)| pages.clone()).collect(),
        )];
        let bytes: usize = sites
            .iter()
            .flat_map(|(_, pages)| pages)
            .map(|(_, html)| html.len())
            .sum();
        let (by_site, _, tokens) = measure(&sites, 2);
        let (as_one, peak, _) = measure(&all, 2);
        println!(
            "{scale:5}  {:5.0}  {:6}  {tokens:8}  |  {:10.2}  {:5.2}  |  {:14.2}  {:5.2}  {:13.1}",
            bytes as f64 / 1e6,
            all[0].1.len(),
            by_site.0,
            by_site.1,
            as_one.0,
            as_one.1,
            peak as f64 / tokens as f64,
        );
    }
    apply(&sites);
}

/// Applies the expressions of each site to its pages, and prints how fast.
fn apply(sites: &[(String, Pages)]) {
    let miner = Miner::new(MineConfig::default()).expect("the default settings are right");
    let (mut bytes, mut removed, mut seconds) = (0, 0, 0.0);
    for (name, pages) in sites {
        let all: Vec<Page<'_>> = pages.iter().map(|(url, text)| Page { url, text }).collect();
        let template = miner.mine(name, &all);
        let applier = Applier::new(&template, &miner.config().tokens).expect("mined with these settings");
        let cpu = cpu_seconds();
        for page in &all {
            bytes += page.text.len();
            let ranges = applier.removed(page.text, &CleanConfig::default());
            removed += ranges.iter().map(|range| range.len()).sum::<usize>();
        }
        seconds += cpu_seconds() - cpu;
    }
    println!(
        "applied to {:.0} MB in {seconds:.2} CPU s; {:.0}% is template",
        bytes as f64 / 1e6,
        100.0 * removed as f64 / bytes as f64
    );
}

/// Mines all sites: seconds and CPU seconds, bytes of memory at the peak beside the pages and the
/// tokens' numbers, and tokens.
fn measure(sites: &[(String, Pages)], threads: usize) -> ((f64, f64), i64, u64) {
    let sites: Vec<Site<'_>> = sites
        .iter()
        .map(|(name, pages)| Site {
            name,
            pages: pages.iter().map(|(url, text)| Page { url, text }).collect(),
        })
        .collect();
    let mut config = MineConfig {
        sample: usize::MAX,
        ..MineConfig::default()
    };
    // All there is.
    (config.limits.site_bytes, config.limits.site_tokens) = (usize::MAX, usize::MAX);
    let miner = Miner::new(config).expect("the default settings are right");
    let before = memory("VmRSS:");
    // Resets the peak.
    drop(std::fs::write("/proc/self/clear_refs", "5"));
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let mined = miner.mine_all(&sites, threads);
    let seconds = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let peak = memory("VmHWM:") - before;
    let tokens: u64 = mined.iter().map(|template| template.sampled_tokens).sum();
    (seconds, peak - 4 * tokens as i64, tokens)
}

/// Bytes, as the kernel counts them.
fn memory(field: &str) -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes: Option<i64> = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Processor time of all threads so far, in seconds.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_ascii_whitespace()
        .map(|field| field.parse().unwrap_or_default())
        .collect();
    (fields.get(11).unwrap_or(&0.0) + fields.get(12).unwrap_or(&0.0)) / 100.0
}

/// Part of the pages of every site, or sites that are copies with other words.
fn scaled(sites: &[(String, Pages)], scale: f64) -> Vec<(String, Pages)> {
    let whole = scale.floor() as u32;
    let part = ((scale - f64::from(whole)) * 10.0).round() as usize;
    let mut scaled = Vec::new();
    for (name, pages) in sites {
        for copy in 0..whole {
            let shift = |(url, html): &(String, String)| (format!("{url}?{copy}"), shifted(html, copy as u8));
            scaled.push((format!("{name} {copy}"), pages.iter().map(shift).collect()));
        }
        if part > 0 {
            let kept = pages.iter().enumerate().filter(|(place, _)| place % 10 < part);
            scaled.push((name.clone(), kept.map(|(_, page)| page.clone()).collect()));
        }
    }
    scaled
}

/// The text with every small letter replaced by the one that comes that many later.
fn shifted(text: &str, by: u8) -> String {
    let shift = |letter: char| match letter {
        'a'..='z' => char::from((letter as u8 - b'a' + by) % 26 + b'a'),
        other => other,
    };
    text.chars().map(shift).collect()
}

/// The pages of an archive. Bytes that are no UTF-8 are replaced.
fn pages(file: &Path) -> Pages {
    let source = std::fs::File::open(file).expect("the file was listed");
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(source), file.display().to_string(), options);
    let (mut scratch, mut found) = (http::Scratch::default(), Vec::new());
    while let Step::Record(record) = reader.step().expect("the archive is sound") {
        let url = record.target_uri.to_owned();
        let limits = http::Limits::default();
        if let Ok(message) = http::parse(record.content, &mut scratch, &limits) {
            found.push((url, String::from_utf8_lossy(message.body).into_owned()));
        }
    }
    found
}
