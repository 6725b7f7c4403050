//! `gleaner eval templates`: templates that are known, because they were made up, injected into clean
//! texts (section 6.1 of the paper: "inject synthetic templated data into clean web pages and check if
//! the extracted cleaning expressions matched the injected data").
//!
//! A site is a number of clean texts that have nothing to do with each other, with six pieces of
//! template around and in them. Every piece has mutable parts: dates, counts, times, addresses. The
//! menu and the imprint are on every page, each of the others on three pages in four.

mod clean;

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, Site};
use serde::Serialize;

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
                "--pages {pages}: a site has three pages at least, and there are {} texts",
                clean.len()
            );
        }
        let sites = clean.chunks_exact(pages).take(arguments.sites).enumerate();
        let made: Vec<Vec<Injected>> = sites
            .map(|(number, texts)| site(texts, arguments.seed << 32 | number as u64))
            .collect();
        scores.push(score(pages, &made, threads(arguments.workers))?);
    }
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&scores)? + "\n",
        false => rows(&scores),
    };
    console::out(&text)?;
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
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(scores.iter().map(|score| {
        vec![
            score.pages.to_string(),
            score.sites.to_string(),
            console::grouped(score.injected),
            format!("{:.4}", score.precision),
            format!("{:.4}", score.recall),
            format!("{:.4}", score.lowest_precision),
            format!("{:.4}", score.lowest_recall),
        ]
    }));
    table(&rows)
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

/// A clean text with template in it.
#[derive(Clone, Debug)]
struct Injected {
    url: String,
    text: String,
    /// The template, in order, as ranges of bytes.
    injected: Vec<Range<usize>>,
}

/// Clean texts as the pages of a site with a template of its own.
fn site(texts: &[String], seed: u64) -> Vec<Injected> {
    let mut random = Random(seed);
    let skin = Skin::new(&mut random);
    let page = |(number, text): (usize, &String)| {
        let url = format!("http://{}.example/{number}", skin.name.to_lowercase());
        skin.page(url, text, &mut random)
    };
    texts.iter().enumerate().map(page).collect()
}

/// What is the same on all pages of a site.
struct Skin {
    name: String,
    menu: Vec<String>,
    aside: Vec<String>,
    /// Whether the menu is on one line.
    in_a_line: bool,
}

/// Words of menus and sidebars.
const WORDS: [&str; 40] = [
    "Home",
    "About",
    "us",
    "Contact",
    "Archive",
    "News",
    "Products",
    "Support",
    "Community",
    "Download",
    "Blog",
    "Events",
    "Press",
    "Jobs",
    "Help",
    "Forum",
    "Search",
    "Login",
    "Register",
    "Gallery",
    "Shop",
    "Cart",
    "Terms",
    "Privacy",
    "Sitemap",
    "Travel",
    "Sports",
    "Weather",
    "Video",
    "Music",
    "Books",
    "Science",
    "Health",
    "Money",
    "Local",
    "World",
    "Opinion",
    "Style",
    "Food",
    "Arts",
];

impl Skin {
    fn new(random: &mut Random) -> Skin {
        let mut items = |least: usize, most: usize| -> Vec<String> {
            let count = random.between(least, most);
            (0..count)
                .map(|_| {
                    let words = random.between(1, 2);
                    (0..words)
                        .map(|_| random.of(&WORDS))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect()
        };
        let (menu, aside) = (items(5, 14), items(4, 12));
        Skin {
            name: format!("{}{}", random.of(&WORDS), random.between(100, 999)),
            menu,
            aside,
            in_a_line: random.one_in(2),
        }
    }

    /// A page: the pieces of the template around a text, and one between two of its lines.
    fn page(&self, url: String, text: &str, random: &mut Random) -> Injected {
        let mut page = Injected {
            url,
            text: String::new(),
            injected: Vec::new(),
        };
        page.inject(&self.header(random));
        let lines: Vec<&str> = text.lines().collect();
        let middle = random.between(1, lines.len().max(2) - 1).min(lines.len());
        if !random.one_in(4) {
            page.inject(&self.byline(random));
        }
        page.keep(&lines[..middle]);
        if !random.one_in(4) {
            page.inject(&self.share(random));
        }
        page.keep(&lines[middle..]);
        if !random.one_in(4) {
            page.inject(&self.comments(random));
        }
        if !random.one_in(4) {
            page.inject(&self.sidebar(random));
        }
        page.inject(&self.footer(random));
        page
    }

    fn header(&self, random: &mut Random) -> String {
        let between = if self.in_a_line { " | " } else { "\n" };
        format!("{} {}\n{}", self.name, random.date(), self.menu.join(between))
    }

    fn byline(&self, random: &mut Random) -> String {
        format!(
            "Posted on {} at {} in {} | {} comments",
            random.date(),
            random.time(),
            self.name,
            random.between(0, 300)
        )
    }

    fn share(&self, random: &mut Random) -> String {
        format!(
            "Share this page | {} people like {} | Email a friend",
            random.between(2, 9000),
            self.name
        )
    }

    fn comments(&self, random: &mut Random) -> String {
        format!(
            "{} responses so far to this entry on {}\nYou can leave a response, or write to desk{}@{}.example",
            random.between(0, 99),
            self.name,
            random.between(1, 99),
            self.name.to_lowercase()
        )
    }

    fn sidebar(&self, random: &mut Random) -> String {
        let mut text = format!("More from {}", self.name);
        for item in &self.aside {
            write!(text, "\n{item} ({})", random.between(1, 500))
                .expect("a string takes all that is written to it");
        }
        text
    }

    fn footer(&self, random: &mut Random) -> String {
        format!(
            "Copyright {} {} and its contributors. All rights reserved.\nThis page was made in {}.{:03} seconds, \
             last changed {} {}",
            random.between(1998, 2026),
            self.name,
            random.between(0, 3),
            random.between(0, 999),
            random.date(),
            random.time()
        )
    }
}

impl Injected {
    fn inject(&mut self, piece: &str) {
        let start = self.text.len();
        self.text.push_str(piece);
        self.injected.push(start..self.text.len());
        self.text.push('\n');
    }

    fn keep(&mut self, lines: &[&str]) {
        for line in lines {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

/// Numbers that look random (SplitMix64), the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, least: usize, most: usize) -> usize {
        least + (self.next() % (most - least + 1) as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.between(1, count) == 1
    }

    fn of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.between(0, words.len() - 1)]
    }

    fn date(&mut self) -> String {
        const DAYS: [&str; 7] = [
            "Monday",
            "Tuesday",
            "Wednesday",
            "Thursday",
            "Friday",
            "Saturday",
            "Sunday",
        ];
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let (day, month) = (self.of(&DAYS), self.of(&MONTHS));
        format!(
            "{day}, {month} {}, {}",
            self.between(1, 28),
            self.between(1999, 2026)
        )
    }

    fn time(&mut self) -> String {
        format!("{}:{:02}", self.between(0, 23), self.between(0, 59))
    }
}

/// Texts of one source are not left side by side.
fn shuffle(texts: &mut [String], seed: u64) {
    let mut random = Random(seed);
    for last in (1..texts.len()).rev() {
        texts.swap(last, random.between(0, last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clean texts of made-up sentences: common words, as they repeat in every text, and rare ones.
    fn sentences(count: usize, seed: u64) -> Vec<String> {
        const COMMON: [&str; 24] = [
            "the",
            "of",
            "and",
            "to",
            "a",
            "in",
            "is",
            "that",
            "it",
            "was",
            "for",
            "on",
            "as",
            "with",
            "he",
            "be",
            "at",
            "by",
            "which",
            "not",
            "from",
            "as much as",
            "one of the",
            "it is a",
        ];
        let mut random = Random(seed);
        let word = |random: &mut Random| match random.one_in(2) {
            true => random.of(&COMMON).to_owned(),
            false => {
                // Of many words a few are frequent, as in a language.
                let (a, b) = (random.between(0, 70), random.between(0, 70));
                format!("word{}", a * b)
            }
        };
        (0..count)
            .map(|_| {
                let lines = random.between(4, 12);
                let mut line = || {
                    let words = random.between(8, 60);
                    (0..words)
                        .map(|_| word(&mut random))
                        .collect::<Vec<_>>()
                        .join(" ")
                        + ".\n"
                };
                (0..lines).map(|_| line()).collect()
            })
            .collect()
    }

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
    fn templates_in_real_texts_come_back() {
        let data = std::env::var_os("GLEANER_DATA").map(std::path::PathBuf::from);
        let data = data.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
        let file = data.join("pages/dragnet-dev.gold.jsonl");
        if !file.is_file() {
            println!("skipped: there is no {}", file.display());
            return;
        }
        let mut clean = texts(&file).unwrap();
        shuffle(&mut clean, 1);
        for (pages, least) in [(50, 0.99), (12, 0.97)] {
            let sites = clean.chunks_exact(pages).take(12).enumerate();
            let made: Vec<Vec<Injected>> = sites.map(|(number, texts)| site(texts, number as u64)).collect();
            let score = score(pages, &made, 2).unwrap();
            assert!(score.precision >= least && score.recall >= least, "{score:?}");
        }
    }

    #[test]
    fn what_was_injected_is_known() {
        let texts = sentences(5, 7);
        for (page, text) in site(&texts, 3).iter().zip(&texts) {
            let mut left = String::new();
            let mut at = 0;
            for range in &page.injected {
                left.push_str(&page.text[at..range.start]);
                at = range.end + 1;
            }
            left.push_str(&page.text[at..]);
            assert_eq!(&left, text);
            assert!(page.injected.len() >= 2);
            assert!(
                page.injected
                    .iter()
                    .all(|range| page.text[range.clone()].contains(|letter: char| letter.is_ascii_digit()))
            );
        }
    }
}
