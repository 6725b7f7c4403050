//! Trainings of the table of page kinds, from pages whose kind is known.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

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

use crate::Error;
use crate::gold_pages::{GoldReader, host};
use crate::pages::FoundPage;

/// One in this number of pages with an address is also trained on as if its address were unknown.
const BARE: u64 = 4;

/// How to train a table of page kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindsJob {
    page_kinds: KindsSettings,
    pages: Vec<KindsSource>,
    /// Where the table is written.
    pub out: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindsSettings {
    kinds: Vec<String>,
    /// How kinds are weighted: 0 by their pages, 1 all alike.
    balance: f64,
    /// The penalty on squared weights.
    l2: f64,
    /// Maximum iterations of the training of the weights.
    max_iterations: usize,
    /// Maximum pages per site and kind.
    most: usize,
    /// The number of cross-validation folds. All pages of a site are in one fold.
    folds: u64,
    /// How the trees are grown.
    trees: TreesConfig,
}

/// Pages of known kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindsSource {
    /// Archives. With `by`, gold files beside archives.
    files: Vec<PathBuf>,
    /// The kinds that the pages may be of.
    #[serde(default)]
    kinds: Vec<String>,
    /// A pattern of the addresses of pages. A page of several sources belongs to the first.
    #[serde(default)]
    address: Option<String>,
    /// The kinds of pages that have a cue.
    #[serde(default)]
    cues: BTreeMap<String, String>,
    /// The kinds that pages may be of by their `page_type` or `page_kind` in the gold file; other pages are left out.
    #[serde(default)]
    by: BTreeMap<String, Vec<String>>,
    /// Whether the pages are of many sites, each by its host; else a file is a site.
    #[serde(default)]
    many_sites: bool,
    /// Placeholder hosts: each of their pages is a site, and has no address.
    #[serde(default)]
    unknown_hosts: Vec<String>,
}

/// The kind of a page in a gold file.
#[derive(Deserialize)]
struct GoldKind {
    url: String,
    page_type: Option<String>,
    page_kind: Option<String>,
}

/// A page of a known kind.
pub struct KindSample {
    /// Its file, which is a line in the table of scores.
    set: String,
    site: String,
    url: String,
    /// The kinds that it may be of, a bit each.
    kinds: u8,
    cues: PageCues,
    /// Its cues as if its address were not known, where it is known.
    bare: Option<PageCues>,
}

impl KindSample {
    /// The page with its address, and without, since many pages come without.
    fn pages(&self) -> impl Iterator<Item = PageOfKind> + '_ {
        let cues = std::iter::once(&self.cues).chain(&self.bare);
        cues.map(|cues| (cues.codes().to_vec(), self.kinds))
    }
}

impl KindsSettings {
    fn train<'s>(&self, samples: impl Iterator<Item = &'s KindSample>, threads: usize) -> PageKinds {
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
    fn bits(&self, names: &[String]) -> Result<u8, Error> {
        names.iter().try_fold(0, |bits, name| {
            let kind = self.kinds.iter().position(|kind| kind == name);
            let kind = kind.ok_or_else(|| Error::UnknownKind(name.clone()))?;
            Ok(bits | 1 << kind)
        })
    }
}

impl KindsJob {
    /// # Errors
    /// The number of kinds or a setting of the trees is out of range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let kinds = self.page_kinds.kinds.len();
        if kinds == 0 || kinds > MAX_KINDS {
            return Err(Error::KindCount(kinds));
        }
        self.page_kinds.trees.check().map_err(Error::Trees)
    }

    /// The archives and gold files of all sources.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let files = self.pages.iter().flat_map(|source| &source.files);
        files.map(PathBuf::as_path)
    }

    /// Reads the pages of all sources, in an order that is the same in every run and that mixes the pages of a site.
    ///
    /// # Errors
    /// A file cannot be read, or a source names an unknown kind.
    pub fn read(&self, gold_reader: GoldReader<'_>) -> Result<Vec<KindSample>, Error> {
        let config = FeatureConfig::from_toml(&built_in::pages().space().config)?;
        let mut reader = CueReader {
            parser: Parser::new(config.page.clone()),
            extractor: Extractor::new(config)?,
            columns: Columns::default(),
        };
        let mut samples: Vec<KindSample> = Vec::new();
        for source in &self.pages {
            for file in &source.files {
                self.read_file(source, file, gold_reader, &mut reader, &mut samples)?;
            }
        }
        let mut seen = HashSet::new();
        samples.retain(|sample| sample.url.is_empty() || seen.insert(sample.url.clone()));
        samples.sort_by_key(|sample| xxh3_64(sample.url.as_bytes()));
        Ok(samples)
    }

    /// Trains on all pages.
    pub fn train(&self, samples: &[KindSample], threads: usize) -> PageKinds {
        self.page_kinds.train(samples.iter(), threads)
    }

    fn read_file(
        &self,
        source: &KindsSource,
        file: &Path,
        gold_reader: GoldReader<'_>,
        reader: &mut CueReader,
        samples: &mut Vec<KindSample>,
    ) -> Result<(), Error> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().to_owned();
        let address = source.address.as_deref().map(Regex::new).transpose();
        let address = address.map_err(Error::Address)?;
        let by = match source.by.is_empty() {
            true => None,
            false => Some(gold_kinds(file)?),
        };
        let archive = match by {
            Some(_) => PathBuf::from(file.display().to_string().replace(".gold.jsonl", ".warc.gz")),
            None => file.to_owned(),
        };
        gold_reader.each(&archive, &mut |found| {
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
            samples.push(KindSample {
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

    /// The kinds that a page of a source may be of, a bit each, by its kind in the gold file.
    fn kinds(&self, source: &KindsSource, gold: Option<&str>) -> Result<u8, Error> {
        self.page_kinds.bits(match gold {
            Some(gold) => source.by.get(gold).map_or(&[], Vec::as_slice),
            None => &source.kinds,
        })
    }

    /// The kind of the first cue that the page has, else `kinds`.
    fn kinds_by_cue(&self, source: &KindsSource, cues: &PageCues, kinds: u8) -> Result<u8, Error> {
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

    /// The cross-validated scores of each set, by its name.
    pub fn cross_validate(&self, samples: &[KindSample], threads: usize) -> BTreeMap<String, KindsScore> {
        let settings = &self.page_kinds;
        let fold = |sample: &KindSample| xxh3_64_with_seed(sample.site.as_bytes(), 1) % settings.folds.max(1);
        let mut sets: BTreeMap<String, KindsScore> = BTreeMap::new();
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
                let score = sets.entry(sample.set.clone()).or_default();
                score.pages += 1;
                score.alone += usize::from(is_right(alone));
                score.beside += usize::from(is_right(beside));
                *score.kinds.entry(beside.to_owned()).or_default() += 1;
            }
        }
        sets
    }
}

/// Predictions for the pages of a set.
#[derive(Default)]
pub struct KindsScore {
    /// Number of pages.
    pub pages: usize,
    /// How many are right by their own cues.
    pub alone: usize,
    /// How many are right with the evidence of their site.
    pub beside: usize,
    /// How many pages are predicted to be of each kind, with the evidence of their site.
    pub kinds: BTreeMap<String, usize>,
}

/// The page_type or page_kind of each page of a gold file, by its address.
fn gold_kinds(path: &Path) -> Result<HashMap<String, String>, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(number, line)| {
        let gold: GoldKind = serde_json::from_str(line)
            .map_err(|error| Error::KindLine(path.to_owned(), number + 1, error))?;
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
    fn read(&mut self, found: &FoundPage<'_>, is_known: bool) -> Option<(PageCues, Option<PageCues>)> {
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
