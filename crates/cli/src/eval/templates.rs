//! `gleaner eval templates`: templates that are known, because they were made up, injected into clean
//! texts (section 6.1 of the paper: "inject synthetic templated data into clean web pages and check if
//! the extracted cleaning expressions matched the injected data").

mod clean;
mod made;

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, Site};
use serde::Serialize;

use self::made::{Injected, shuffle, site};
use crate::args::EvalTemplates;
use crate::model::table::table;
use crate::prepared::threads;
use crate::{Outcome, console};

/// A clean text with fewer characters is no page.
const SHORTEST: usize = 300;

/// What was found of the templates in sites of one size.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Score {
    /// Pages of each site.
    pages: usize,
    sites: usize,
    /// Characters that are not white space: of templates, removed, and both.
    injected: u64,
    removed: u64,
    both: u64,
    /// Of what is removed, the share that was injected.
    precision: f64,
    /// Of what was injected, the share that is removed.
    recall: f64,
    /// The lowest of the sites.
    lowest_precision: f64,
    lowest_recall: f64,
}

/// Runs the command.
pub(super) fn run(arguments: &EvalTemplates) -> Result<Outcome> {
    if arguments.clean {
        return clean::run(arguments).map(|()| Outcome::Done);
    }
    let mut clean = Vec::new();
    for path in &arguments.gold {
        clean.extend(texts(path)?);
    }
    shuffle(&mut clean, arguments.seed);
    let mut scores = Vec::new();
    for &pages in &arguments.pages {
        if pages < 3 || clean.len() < pages {
            bail!(
                "--pages {pages}: a site needs at least three pages, and there are {} texts",
                clean.len()
            );
        }
        let sites = clean.chunks_exact(pages).take(arguments.sites).enumerate();
        let made: Vec<Vec<Injected>> = sites
            .map(|(number, texts)| site(texts, arguments.seed << 32 | number as u64))
            .collect();
        scores.push(score(pages, &made, threads(arguments.workers))?);
    }
    console::out_as(arguments.json, &scores, || rows(&scores))?;
    Ok(Outcome::Done)
}

/// The texts of a gold file that are long enough, each once.
fn texts(path: &Path) -> Result<Vec<String>> {
    let pages = gleaner_gold::read(path).with_context(|| format!("could not read {}", path.display()))?;
    let mut texts: Vec<String> = pages
        .into_iter()
        .map(|page| page.text)
        .filter(|text| text.len() >= SHORTEST)
        .collect();
    texts.sort_unstable();
    texts.dedup();
    Ok(texts)
}

fn rows(scores: &[Score]) -> String {
    let heads = [
        "pages",
        "sites",
        "characters",
        "precision",
        "recall",
        "lowest precision",
        "lowest recall",
    ];
    let rows = scores.iter().map(|score| {
        vec![
            score.pages.to_string(),
            score.sites.to_string(),
            console::grouped(score.injected),
            format!("{:.4}", score.precision),
            format!("{:.4}", score.recall),
            format!("{:.4}", score.lowest_precision),
            format!("{:.4}", score.lowest_recall),
        ]
    });
    table(&heads, rows)
}

/// Mines the sites, cleans their pages, and counts characters.
fn score(pages: usize, made: &[Vec<Injected>], workers: usize) -> Result<Score> {
    let miner = Miner::new(MineConfig::default())?;
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
    for (template, pages) in miner.mine_all(&sites, workers).iter().zip(made) {
        let applier = Applier::new(template, &miner.config().tokens)?;
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
    Ok(Score {
        pages,
        sites: made.len(),
        injected: sums.injected,
        removed: sums.removed,
        both: sums.both,
        precision: sums.precision(),
        recall: sums.recall(),
        lowest_precision,
        lowest_recall,
    })
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

#[cfg(test)]
mod tests {
    use super::made::tests::sentences;
    use super::*;

    fn scored(pages: usize) -> Score {
        let made: Vec<Vec<Injected>> = (0..10)
            .map(|number| site(&sentences(pages, 100 + number), number))
            .collect();
        score(pages, &made, 2).unwrap()
    }

    #[test]
    fn templates_of_fifty_pages_come_back() {
        let score = scored(50);
        assert!(score.precision >= 0.99 && score.recall >= 0.99, "{score:?}");
    }

    #[test]
    fn templates_of_twelve_pages_come_back() {
        let score = scored(12);
        assert!(score.precision >= 0.97 && score.recall >= 0.97, "{score:?}");
    }

    /// The same with the texts of real pages.
    #[test]
    #[ignore = "reads the data sets: set GLEANER_DATA"]
    fn templates_in_real_texts_come_back() {
        let data = std::env::var_os("GLEANER_DATA").expect("GLEANER_DATA names the folder of data sets");
        let file = Path::new(&data).join("pages/dragnet-dev.gold.jsonl");
        let mut clean = texts(&file).unwrap();
        shuffle(&mut clean, 1);
        for (pages, least) in [(50, 0.99), (12, 0.97)] {
            let sites = clean.chunks_exact(pages).take(12).enumerate();
            let made: Vec<Vec<Injected>> = sites.map(|(number, texts)| site(texts, number as u64)).collect();
            let score = score(pages, &made, 2).unwrap();
            assert!(score.precision >= least && score.recall >= least, "{score:?}");
        }
    }
}
