//! Sites with templates that are known, because they are made up and injected into clean texts (section 6.1 of the paper:
//! "inject synthetic templated data into clean web pages and check if the extracted cleaning expressions matched the injected
//! data").

pub(crate) mod made;

use std::ops::Range;

use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, Site};
use made::{Injected, shuffle, site};

/// What was found of the templates in sites of one size.
#[derive(Clone, Debug)]
pub(crate) struct Score {
    /// Pages of each site.
    pub(crate) pages: usize,
    pub(crate) sites: usize,
    /// Characters that are not white space: of templates, removed, and both.
    pub(crate) injected: u64,
    pub(crate) removed: u64,
    pub(crate) both: u64,
    /// Of what is removed, the share that was injected.
    pub(crate) precision: f64,
    /// Of what was injected, the share that is removed.
    pub(crate) recall: f64,
    /// The lowest of the sites.
    pub(crate) lowest_precision: f64,
    pub(crate) lowest_recall: f64,
}

/// The scores of sites of `pages` pages each, made of clean texts.
pub(crate) fn scores_of(mut texts: Vec<String>, pages: usize, most_sites: usize, seed: u64) -> Score {
    shuffle(&mut texts, seed);
    let sites = texts.chunks_exact(pages).take(most_sites).enumerate();
    let made: Vec<Vec<Injected>> = sites
        .map(|(number, texts)| site(texts, seed << 32 | number as u64))
        .collect();
    score(pages, &made)
}

/// The texts of a gold file (JSON lines with a `text`) that are long enough for a page, each once.
pub(crate) fn texts(path: &std::path::Path) -> Vec<String> {
    let file = std::fs::read_to_string(path).expect("a gold file");
    let text = |line: &str| {
        let page: serde_json::Value = serde_json::from_str(line).expect("JSON");
        page["text"].as_str().unwrap_or_default().to_owned()
    };
    let mut texts: Vec<String> = file.lines().map(text).filter(|text| text.len() >= 300).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// Mines the sites, cleans their pages, and counts characters.
pub(crate) fn score(pages: usize, made: &[Vec<Injected>]) -> Score {
    let miner = Miner::new(MineConfig::default()).expect("the default is sound");
    let names: Vec<String> = (0..made.len())
        .map(|site| format!("site{site}.example"))
        .collect();
    let sites: Vec<Site<'_>> = names
        .iter()
        .zip(made)
        .map(|(name, pages)| Site {
            name,
            pages: pages
                .iter()
                .map(|page| Page {
                    url: &page.url,
                    text: &page.text,
                })
                .collect(),
        })
        .collect();
    let mut sums = Counts::default();
    let (mut lowest_precision, mut lowest_recall) = (1.0f64, 1.0f64);
    for (template, pages) in miner.mine_all(&sites, 2).iter().zip(made) {
        let applier = Applier::new(template, &miner.config().tokens).expect("what was mined is sound");
        let mut counts = Counts::default();
        for page in pages {
            let removed = applier.removed(&page.text, &CleanConfig::default());
            counts.add(&page.text, &page.injected, &removed);
        }
        lowest_precision = lowest_precision.min(counts.precision());
        lowest_recall = lowest_recall.min(counts.recall());
        sums.injected += counts.injected;
        sums.removed += counts.removed;
        sums.both += counts.both;
    }
    Score {
        pages,
        sites: made.len(),
        injected: sums.injected,
        removed: sums.removed,
        both: sums.both,
        precision: sums.precision(),
        recall: sums.recall(),
        lowest_precision,
        lowest_recall,
    }
}

/// Characters that are not white space.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    injected: u64,
    removed: u64,
    both: u64,
}

impl Counts {
    fn add(&mut self, text: &str, injected: &[Range<usize>], removed: &[Range<usize>]) {
        let within = |ranges: &[Range<usize>], at: usize| {
            let place = ranges.partition_point(|range| range.end <= at);
            ranges.get(place).is_some_and(|range| range.start <= at)
        };
        for (at, _) in text.char_indices().filter(|(_, letter)| !letter.is_whitespace()) {
            let (is_injected, is_removed) = (within(injected, at), within(removed, at));
            self.injected += u64::from(is_injected);
            self.removed += u64::from(is_removed);
            self.both += u64::from(is_injected && is_removed);
        }
    }

    fn precision(&self) -> f64 {
        share(self.both, self.removed)
    }

    fn recall(&self) -> f64 {
        share(self.both, self.injected)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}
