//! `gleaner train` with a job for kinds of pages: a table of weights and trees from pages whose kind is known.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_columns::Columns;
use gleaner_content::{MAX_KINDS, PageKinds, PageKindsConfig, PageOfKind, train_page_kinds};
use gleaner_document::built_in;
use gleaner_features::{Extractor, FeatureConfig, PageCues};
use gleaner_gbdt::TreesConfig;
use gleaner_page::Parser;
use gleaner_site::{KindNote, KindSums};
use regex::Regex;
use serde::Deserialize;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::args::Train;
use crate::gold_pages::host;
use crate::output::check_output;
use crate::prepared::threads;
use crate::{Outcome, console, pages};

/// Of so many pages with an address, one is also learned from as if its address were not known.
const BARE: u64 = 4;

/// The job file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindsJob {
    page_kinds: Settings,
    pages: Vec<Source>,
    out: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    kinds: Vec<String>,
    /// How much kinds of few pages count beside the others: 0 by their pages, 1 as much as those.
    balance: f64,
    /// The weight of the squares of the weights.
    l2: f64,
    /// The training of the weights ends after so many iterations at the latest.
    max_iterations: usize,
    /// So many pages of a site are learned from at most.
    most: usize,
    /// The number of cross-validation folds. All pages of a site are in one fold.
    folds: u64,
    /// How the trees are grown.
    trees: TreesConfig,
}

/// Pages of known kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    /// Archives. With `by`, gold files beside archives.
    files: Vec<PathBuf>,
    /// The kinds that the pages may be of.
    #[serde(default)]
    kinds: Vec<String>,
    /// Only pages whose address has a part like this. A page of several sources is of the first.
    #[serde(default)]
    address: Option<String>,
    /// What pages that have a cue are instead.
    #[serde(default)]
    cues: BTreeMap<String, String>,
    /// The kinds that pages may be of by their `page_type` or `page_kind` in the gold file; other pages are left out.
    #[serde(default)]
    by: BTreeMap<String, Vec<String>>,
    /// Whether the pages are of many sites, each by its host; else a file is a site.
    #[serde(default)]
    many_sites: bool,
    /// Hosts that stand for hosts that are not known: each of their pages is a site, and has no address.
    #[serde(default)]
    unknown_hosts: Vec<String>,
}

/// What a gold file says of a page.
#[derive(Deserialize)]
struct GoldKind {
    url: String,
    page_type: Option<String>,
    page_kind: Option<String>,
}

/// A page to learn from or to be told.
struct Sample {
    /// The file that it is of, and its line in the table of scores.
    set: String,
    site: String,
    url: String,
    /// The kinds that it may be of, a bit each.
    kinds: u8,
    cues: PageCues,
    /// Its cues as if its address were not known, where it is known.
    bare: Option<PageCues>,
}

impl Sample {
    /// What is learned from it: many pages come without an address.
    fn pages(&self) -> impl Iterator<Item = PageOfKind> + '_ {
        let cues = std::iter::once(&self.cues).chain(&self.bare);
        cues.map(|cues| (cues.codes().to_vec(), self.kinds))
    }
}

/// Whether a job file is one for kinds.
pub(crate) fn is_job(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.parse::<toml::Table>()
        .is_ok_and(|job| job.contains_key("page_kinds"))
}

/// Trains and writes a table of page kinds, and prints the cross-validated accuracy of each set.
pub(crate) fn run(arguments: &Train) -> Result<Outcome> {
    let name = arguments.job.display();
    let text = std::fs::read_to_string(&arguments.job)?;
    let job: KindsJob = toml::from_str(&text).with_context(|| format!("the job file {name} has an error"))?;
    if !arguments.gold.is_empty() || arguments.record_pages.is_some() {
        bail!("{name} names the pages of known kinds, and makes no model: leave out GOLD and --record-pages");
    }
    let Some(out) = arguments.out.clone().or(job.out.clone()) else {
        bail!("{name} names no file for the kinds: add out = \"NAME.tsv\", or give --out");
    };
    if job.page_kinds.kinds.is_empty() || job.page_kinds.kinds.len() > MAX_KINDS {
        bail!(
            "{name} has {} kinds: name 1 to {MAX_KINDS}",
            job.page_kinds.kinds.len()
        );
    }
    let trees = job.page_kinds.trees.check();
    trees.map_err(|what| anyhow::anyhow!("{name} has page_kinds.trees out of range: {what}"))?;
    let read = job.pages.iter().flat_map(|source| &source.files);
    check_output(&out, read.map(PathBuf::as_path).chain([arguments.job.as_path()]))?;
    let samples = job.samples()?;
    console::say(&format!(
        "{} pages of known kinds",
        console::grouped(samples.len() as u64)
    ));
    let threads = threads(arguments.workers);
    console::out(&job.scores(&samples, threads))?;
    let kinds = job.page_kinds.train(samples.iter(), threads);
    std::fs::write(&out, kinds.to_text()).with_context(|| format!("could not write {}", out.display()))?;
    console::say(&format!(
        "{}: {} kinds of pages",
        out.display(),
        kinds.kinds().len()
    ));
    Ok(Outcome::Done)
}

impl Settings {
    fn train<'s>(&self, samples: impl Iterator<Item = &'s Sample>, threads: usize) -> PageKinds {
        let mut seen: HashMap<(&str, u8), usize> = HashMap::new();
        let mut pages: Vec<PageOfKind> = Vec::new();
        for sample in samples {
            let count = seen.entry((&sample.site, sample.kinds)).or_default();
            *count += 1;
            if *count <= self.most {
                pages.extend(sample.pages());
            }
        }
        let config = PageKindsConfig {
            balance: self.balance,
            l2: self.l2,
            max_iterations: self.max_iterations,
            trees: &self.trees,
        };
        train_page_kinds(&self.kinds, &pages, config, threads)
    }

    /// The kinds of these names, a bit each.
    fn bits(&self, names: &[String]) -> Result<u8> {
        names.iter().try_fold(0, |bits, name| {
            let kind = self.kinds.iter().position(|kind| kind == name);
            let kind = kind.with_context(|| format!("'{name}' is none of page_kinds.kinds"))?;
            Ok(bits | 1 << kind)
        })
    }
}

impl KindsJob {
    /// The pages of all sources, in an order that is the same in every run and that mixes the pages of a site.
    fn samples(&self) -> Result<Vec<Sample>> {
        let config = FeatureConfig::from_toml(&built_in::pages().space().config)?;
        let mut reader = CueReader {
            parser: Parser::new(config.page.clone()),
            extractor: Extractor::new(config)?,
            columns: Columns::default(),
        };
        let mut samples: Vec<Sample> = Vec::new();
        for source in &self.pages {
            for file in &source.files {
                self.read(source, file, &mut reader, &mut samples)?;
            }
        }
        let mut seen = HashSet::new();
        samples.retain(|sample| sample.url.is_empty() || seen.insert(sample.url.clone()));
        samples.sort_by_key(|sample| xxh3_64(sample.url.as_bytes()));
        Ok(samples)
    }

    fn read(
        &self,
        source: &Source,
        file: &Path,
        reader: &mut CueReader,
        samples: &mut Vec<Sample>,
    ) -> Result<()> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().to_owned();
        let address = source.address.as_deref().map(Regex::new).transpose()?;
        let by = if source.by.is_empty() {
            None
        } else {
            Some(gold_kinds(file)?)
        };
        let archive = match by {
            Some(_) => PathBuf::from(file.display().to_string().replace(".gold.jsonl", ".warc.gz")),
            None => file.to_owned(),
        };
        pages::each(&archive, &mut |found| {
            let gold = by.as_ref().map(|by| by.get(found.url).map_or("", String::as_str));
            let kinds = self.kinds(source, gold)?;
            let is_wanted = address.as_ref().is_none_or(|address| address.is_match(found.url));
            if kinds == 0 || !is_wanted {
                return Ok(());
            }
            let host = host(found.url);
            let is_known = !source.unknown_hosts.iter().any(|unknown| unknown == host);
            let Some((cues, bare)) = reader.read(&found, is_known) else {
                return Ok(());
            };
            samples.push(Sample {
                set: gold.map_or_else(|| name.clone(), |gold| format!("{name} {gold}")),
                site: match source.many_sites {
                    true if is_known => host.to_owned(),
                    true => found.url.to_owned(),
                    false => name.clone(),
                },
                url: found.url.to_owned(),
                kinds: self.kinds_by_cue(source, &cues, kinds)?,
                cues,
                bare,
            });
            Ok(())
        })
    }

    /// The kinds that a page of a source may be of, a bit each, if a gold file says this of it.
    fn kinds(&self, source: &Source, gold: Option<&str>) -> Result<u8> {
        self.page_kinds.bits(match gold {
            Some(gold) => source.by.get(gold).map_or(&[], Vec::as_slice),
            None => &source.kinds,
        })
    }

    /// The same, where the cues of the page say more.
    fn kinds_by_cue(&self, source: &Source, cues: &PageCues, kinds: u8) -> Result<u8> {
        let names = PageCues::names();
        let has = |cue: &str| {
            let mut codes = names.iter().zip(cues.codes());
            codes.any(|(name, &code)| name == cue && code > 0)
        };
        match source.cues.iter().find(|(cue, _)| has(cue)) {
            Some((_, kind)) => self.page_kinds.bits(std::slice::from_ref(kind)),
            None => Ok(kinds),
        }
    }

    /// A line for each set: its cross-validated accuracy, of pages alone and beside those of their site, and the predicted
    /// kinds.
    fn scores(&self, samples: &[Sample], threads: usize) -> String {
        let settings = &self.page_kinds;
        let fold = |sample: &Sample| xxh3_64_with_seed(sample.site.as_bytes(), 1) % settings.folds.max(1);
        let mut sets: BTreeMap<&str, Score> = BTreeMap::new();
        for part in 0..settings.folds {
            let kinds = settings.train(samples.iter().filter(|sample| fold(sample) != part), threads);
            let mut sums: HashMap<(&str, u64), KindSums> = HashMap::new();
            let mut notes = Vec::new();
            for sample in samples.iter().filter(|sample| fold(sample) == part) {
                let shares = kinds.shares(&sample.cues).unwrap_or_default();
                let note = KindNote::of(&sample.url, &shares);
                *sums.entry((&sample.site, note.address)).or_default() += note.sums();
                notes.push((sample, shares, note));
            }
            for (sample, shares, note) in notes {
                let others = sums[&(&*sample.site, note.address)] - note.sums();
                let (alone, _) = kinds.likeliest(&shares);
                let (beside, _) = kinds.likeliest(&note.beside(&others).unwrap_or(shares));
                let is_right = |kind: &str| {
                    let bits = settings.bits(&[kind.to_owned()]);
                    bits.is_ok_and(|kind| kind & sample.kinds != 0)
                };
                let score = sets.entry(&sample.set).or_default();
                score.pages += 1;
                score.alone += usize::from(is_right(alone));
                score.beside += usize::from(is_right(beside));
                *score.kinds.entry(beside.to_owned()).or_default() += 1;
            }
        }
        let mut lines = String::from("pages  alone  right  set (predicted)\n");
        for (set, score) in sets {
            let [alone, beside] = [score.alone, score.beside].map(|right| right as f64 / score.pages as f64);
            let predicted: Vec<String> = score
                .kinds
                .iter()
                .map(|(kind, pages)| format!("{kind} {pages}"))
                .collect();
            lines += &format!(
                "{:5}  {alone:.3}  {beside:.3}  {set} ({})\n",
                score.pages,
                predicted.join(", ")
            );
        }
        lines
    }
}

/// What was predicted of the pages of a set.
#[derive(Default)]
struct Score {
    pages: usize,
    /// How many are right by their own cues, and beside the pages of their site.
    alone: usize,
    beside: usize,
    /// How many pages are of each kind beside those of their site.
    kinds: BTreeMap<String, usize>,
}

/// The page_type or page_kind of each page of a gold file, by its address.
fn gold_kinds(path: &Path) -> Result<HashMap<String, String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(number, line)| {
        let gold: GoldKind =
            serde_json::from_str(line).with_context(|| format!("{}, line {}", path.display(), number + 1))?;
        Ok((gold.url, gold.page_type.or(gold.page_kind).unwrap_or_default()))
    });
    read.collect()
}

/// Reads cues of pages.
struct CueReader {
    parser: Parser,
    extractor: Extractor,
    columns: Columns,
}

impl CueReader {
    /// The cues of a page: of one at a known address with it, and without it.
    fn read(&mut self, found: &pages::Found<'_>, is_known: bool) -> Option<(PageCues, Option<PageCues>)> {
        let page = self
            .parser
            .parse(found.body, found.content_type.as_deref())
            .ok()?;
        let mut read = |url: &str| {
            let mut cues = PageCues::default();
            self.extractor.extract(page, url, &mut self.columns);
            self.extractor.page_cues(page, url, &mut cues);
            cues
        };
        let bare = read("");
        let is_twin = xxh3_64_with_seed(found.url.as_bytes(), 2).is_multiple_of(BARE);
        Some(match is_known {
            true => (read(found.url), is_twin.then_some(bare)),
            false => (bare, None),
        })
    }
}
