//! The evidence of one site: from the notes of its pages, which come by key.
//!
//! In: the notes of a site. Out: a [`SiteEvidence`], and from it an [`SiteAnswer`] for each page of the site. Of a site a sample of
//! its pages counts: the URLs with the smallest hashes, the newest capture of each. A site of fewer than [`LEAST_PAGES`]
//! pages has no evidence.
//!
//! The memory is that of the notes of a sample, whose blocks are bounded.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_site::{
    Evidence, EvidenceConfig, KindShares, KindSums, NO_TEXT, PageKind, PageNotes, PathSums, adjust,
};
use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, SiteTemplate, share_within};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::data::message::Scored;
use crate::data::notes::Noted;
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::sorted_runs::{Lookup, Merge, Runs};

/// A site with fewer pages has no evidence.
const LEAST_PAGES: u32 = 3;

/// Maximum blocks per sample. Most sites have fewer.
const MAXIMUM_BLOCKS: usize = 1 << 18;

/// Tokens of a site that a build mines. Of most sites fewer pages than a sample has are enough to
/// find what they repeat, and a build must not be spent on the rest.
const SITE_TOKENS: usize = 1 << 15;

/// More bytes than the mean token of a page has.
const LONGEST_TOKEN: usize = 16;

/// The evidence of a site for one of its pages. Vectors have one value per block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SiteAnswer {
    /// Pages of the site's sample.
    pub(crate) site_pages: u32,
    /// Number of them that have the text of the block; 0 if the text is not counted.
    pub(crate) pages: Vec<u32>,
    /// Log odds that the block is content, adjusted by the evidence; NaN if they are as before, empty if all are.
    pub(crate) logits: Vec<f32>,
    /// The probabilities of the page's kinds, where pages with such an address say something of them.
    pub(crate) kinds: Option<KindShares>,
    /// Share of the block that the site's expressions match; empty if they match nothing, or without a blocks table.
    pub(crate) coverage: Vec<f32>,
}

/// What is known of a site.
#[derive(Debug)]
pub(crate) struct SiteEvidence {
    /// The key of its first page.
    pub(crate) first: Box<[u8]>,
    pub(crate) template: SiteTemplate,
    /// Finds its expressions in pages; none if there are no expressions, or no blocks table.
    applier: Option<Applier>,
    /// The sample: for the hash of each URL that of the key of its newest capture.
    sample: FxHashMap<u64, u64>,
    /// Pages of the sample by text.
    texts: FxHashMap<u128, u32>,
    /// What the pages of the sample have in each place.
    places: FxHashMap<u64, PathSums>,
    /// The kinds of the pages of the sample by the shape of their addresses.
    kinds: FxHashMap<u64, KindSums>,
    config: EvidenceConfig,
}

/// How evidence is found.
pub(crate) struct EvidenceFinder {
    miner: Miner,
    /// Whether the share of each block that expressions match is computed: for the blocks table.
    coverage: bool,
}

/// A page of a sample.
struct Member {
    url: u64,
    key: Box<[u8]>,
    run: usize,
    blocks: usize,
    notes: Box<[u8]>,
}

/// The pages of a site that may be in its sample, while they come.
struct Sample {
    most: usize,
    pages: u64,
    blocks: usize,
    members: BTreeMap<u64, Member>,
}

impl Sample {
    /// Takes the newest capture of the next page.
    fn add(&mut self, member: Member) {
        self.pages += 1;
        self.blocks += member.blocks;
        self.members.insert(member.url, member);
        while self.members.len() > self.most
            || (self.blocks > MAXIMUM_BLOCKS && self.members.len() > LEAST_PAGES as usize)
        {
            let last = self.members.pop_last();
            self.blocks -= last.map_or(0, |(_, member)| member.blocks);
        }
    }
}

impl EvidenceFinder {
    /// With a maximum number of pages per sample.
    pub(crate) fn new(sample: usize, coverage: bool) -> EvidenceFinder {
        let mut config = MineConfig {
            sample,
            ..MineConfig::default()
        };
        config.limits.site_tokens = SITE_TOKENS;
        EvidenceFinder {
            miner: Miner::new(config).expect("the settings are the usual ones"),
            coverage,
        }
    }

    /// The evidence of the site whose notes come next, up to the key `end`. `pages` looks up its pages.
    pub(crate) fn find(
        &self,
        notes: &mut Merge,
        end: &[u8],
        pages: &mut Lookup,
    ) -> Result<Option<SiteEvidence>, Error> {
        let mut sample = Sample {
            most: self.miner.config().sample,
            pages: 0,
            blocks: 0,
            members: BTreeMap::new(),
        };
        let mut first: Option<(Box<[u8]>, String)> = None;
        let mut newest: Option<Member> = None;
        while notes.peek()?.is_some_and(|key| key < end) {
            let Some(record) = notes.next()? else { break };
            let noted = Noted::take(&mut &*record.value)?;
            if first.is_none() {
                first = Some((record.key.into(), noted.note.site.to_owned()));
            }
            let member = Member {
                url: noted.note.url,
                key: record.key.into(),
                run: record.run,
                blocks: noted.blocks(),
                notes: record.value.into(),
            };
            // Captures of a URL stand side by side, the newest last.
            if let Some(before) = newest.replace(member)
                && before.url != noted.note.url
            {
                sample.add(before);
            }
        }
        newest.into_iter().for_each(|member| sample.add(member));
        match first {
            Some((key, site)) if sample.pages >= u64::from(LEAST_PAGES) => {
                self.of_sample(key, &site, &sample, pages).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn of_sample(
        &self,
        first: Box<[u8]>,
        site: &str,
        sample: &Sample,
        pages: &mut Lookup,
    ) -> Result<SiteEvidence, Error> {
        let members = || sample.members.values();
        let mut page = PageNotes::default();
        let mut texts: FxHashMap<u128, u32> = FxHashMap::default();
        for member in members() {
            Noted::take(&mut &*member.notes)?.read(&mut page)?;
            for &text in &page.texts {
                *texts.entry(text).or_default() += 1;
            }
        }
        let mut places: FxHashMap<u64, PathSums> = FxHashMap::default();
        let mut kinds: FxHashMap<u64, KindSums> = FxHashMap::default();
        for member in members() {
            Noted::take(&mut &*member.notes)?.read(&mut page)?;
            let counts: Vec<u32> = page.texts.iter().map(|text| texts[text]).collect();
            for (&place, sums) in page.places.iter().zip(page.sums_with(&counts)) {
                *places.entry(place).or_default() += sums;
            }
            *kinds.entry(page.kind.address).or_default() += page.kind.sums();
        }
        let template = self.mine(site, sample, pages)?;
        let is_asked = self.coverage && !template.expressions.is_empty();
        let applier = is_asked.then(|| {
            let tokens = &self.miner.config().tokens;
            Applier::new(&template, tokens).expect("they were mined with these settings")
        });
        Ok(SiteEvidence {
            first,
            template,
            applier,
            sample: members()
                .map(|member| (member.url, xxh3_64(&member.key)))
                .collect(),
            texts,
            places,
            kinds,
            config: EvidenceConfig::default(),
        })
    }

    /// The expressions of a site.
    fn mine(&self, site: &str, sample: &Sample, pages: &mut Lookup) -> Result<SiteTemplate, Error> {
        let most = self.miner.config().limits.site_tokens * LONGEST_TOKEN;
        let mut texts: Vec<(String, String)> = Vec::new();
        let mut bytes = 0;
        for member in sample.members.values() {
            // More than that would not be read.
            if bytes > most {
                break;
            }
            let StagedPage::Page(page) = StagedPage::take(pages.get(member.run, &member.key)?)? else {
                return Err(Error::Damaged);
            };
            let text = lines(&page);
            bytes += text.len();
            texts.push((page.document.url, text));
        }
        let pages: Vec<Page<'_>> = texts.iter().map(|(url, text)| Page { url, text }).collect();
        Ok(self.miner.mine(site, &pages))
    }
}

impl SiteEvidence {
    /// The evidence for a page, by its key, its notes and the page itself.
    pub(crate) fn answer(&self, key: &[u8], noted: &Noted<'_>, scored: &Scored) -> Result<SiteAnswer, Error> {
        let mut notes = PageNotes::default();
        noted.read(&mut notes)?;
        let has_page = self.sample.get(&noted.note.url) == Some(&xxh3_64(key));
        let counted = |text| self.texts.get(text).copied().unwrap_or_default();
        let evidence = Evidence {
            pages: self.sample.len() as u32,
            has_page,
            texts: notes.texts.iter().map(counted).collect(),
            places: notes
                .places
                .iter()
                .map(|place| self.places.get(place).copied().unwrap_or_default())
                .collect(),
            kinds: self.kinds.get(&notes.kind.address).copied().unwrap_or_default(),
        };
        let pages = notes.blocks.iter().map(|block| match block.text {
            NO_TEXT => 0,
            text => evidence.texts[text as usize],
        });
        let kind = match noted.note.is_listing {
            true => PageKind::Listing,
            false => PageKind::Single,
        };
        let logits = match evidence.others() >= self.config.min_pages {
            true => moved(&notes, adjust(&notes, &evidence, kind, &self.config)),
            false => Vec::new(),
        };
        Ok(SiteAnswer {
            site_pages: evidence.pages,
            pages: pages.collect(),
            logits,
            kinds: evidence.kinds(&notes),
            coverage: self
                .applier
                .as_ref()
                .map_or_else(Vec::new, |applier| coverage(scored, applier)),
        })
    }
}

/// The changed logits; NaN for the others, empty if none has changed.
fn moved(notes: &PageNotes, mut logits: Vec<f32>) -> Vec<f32> {
    let mut is_any = false;
    for (after, before) in logits.iter_mut().zip(&notes.logits) {
        match after == before {
            true => *after = f32::NAN,
            false => is_any = true,
        }
    }
    if !is_any {
        logits.clear();
    }
    logits
}

/// The share of each block that expressions match.
fn coverage(page: &Scored, applier: &Applier) -> Vec<f32> {
    let text = lines(page);
    let removed = applier.removed(&text, &CleanConfig::default());
    if removed.is_empty() {
        return Vec::new();
    }
    let mut start = 0;
    let blocks = page.blocks.layout.texts().map(|block| {
        let piece = start..start + block.len();
        start = piece.end + 1;
        share_within(&text, piece, &removed)
    });
    blocks.collect()
}

/// A page's blocks, a line each: what expressions are mined from and applied to.
fn lines(page: &Scored) -> String {
    let texts = page.blocks.layout.texts();
    let bytes = texts.map(|text| text.len() + 1).sum();
    let mut lines = String::with_capacity(bytes);
    for text in page.blocks.layout.texts() {
        lines.push_str(text);
        lines.push('\n');
    }
    lines
}

/// Evidence of sites that lie in more than one unit. The first worker that needs it finds it; the others wait.
#[derive(Debug, Default)]
pub(crate) struct SharedEvidence {
    /// Those that were found last, by the first key of their range.
    sites: Mutex<Vec<(Vec<u8>, Arc<Found>)>>,
}

type Found = Mutex<Option<Option<Arc<SiteEvidence>>>>;

/// Sites that are kept. Units are taken by key, so that those of few sites are labelled at a time.
const KEPT: usize = 16;

impl SharedEvidence {
    /// The evidence of a site by the range of its keys.
    pub(crate) fn of(
        &self,
        finder: &EvidenceFinder,
        range: &std::ops::Range<Vec<u8>>,
        notes: &Runs,
        pages: &mut Lookup,
    ) -> Result<Option<Arc<SiteEvidence>>, Error> {
        let found = self.slot(&range.start);
        let mut found = found.lock();
        if let Some(known) = &*found {
            return Ok(known.clone());
        }
        let mut merge = Merge::new(notes, &range.start, &range.end)?;
        let evidence = finder.find(&mut merge, &range.end, pages)?.map(Arc::new);
        *found = Some(evidence.clone());
        Ok(evidence)
    }

    fn slot(&self, start: &[u8]) -> Arc<Found> {
        let mut sites = self.sites.lock();
        if let Some(at) = sites.iter().position(|(site, _)| site == start) {
            return Arc::clone(&sites[at].1);
        }
        if sites.len() == KEPT {
            sites.remove(0);
        }
        let slot = Arc::<Found>::default();
        sites.push((start.to_vec(), Arc::clone(&slot)));
        slot
    }
}
