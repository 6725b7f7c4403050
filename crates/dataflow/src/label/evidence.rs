//! The evidence of one site: from the notes of its pages, which come by key.
//!
//! In: the notes of a site. Out: a [`SiteEvidence`], and from it an [`SiteAnswer`] for each page of the site. Of a site a sample of
//! its pages counts: the URLs with the smallest hashes, the newest capture of each. A site of fewer than [`LEAST_PAGES`]
//! pages has no evidence.
//!
//! The memory is that of the notes of a sample, whose blocks are bounded.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

use gleaner_site::{
    Evidence, EvidenceConfig, KindShares, KindSums, NO_TEXT, PageKind, PageNotes, PathSums, adjust,
};
use gleaner_template::{Applier, CleanConfig, MineConfig, Miner, Page, SiteTemplate, share_within};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

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
    /// Of the sample and the first page, from which all else follows.
    pub(crate) digest: u128,
    pub(crate) template: SiteTemplate,
    /// Finds its expressions in pages; none if there are no expressions, or no blocks table.
    applier: Option<Applier>,
    /// The sample, by the hashes of URLs.
    sample: FxHashMap<u64, Sampled>,
    /// Pages of the sample by text.
    texts: FxHashMap<u128, u32>,
    /// What the pages of the sample have in each place.
    places: FxHashMap<u64, PathSums>,
    /// The kinds of the pages of the sample by the shape of their addresses.
    kinds: FxHashMap<u64, KindSums>,
    config: EvidenceConfig,
}

/// A capture of a sample.
#[derive(Debug)]
struct Sampled {
    /// The hash of its key.
    key: u64,
    /// Its notes, if older captures of its URL have to leave it out.
    notes: Option<Box<[u8]>>,
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
    /// Whether its URL has older captures.
    has_older: bool,
}

/// The pages of a site that may be in its sample, while they come. The sample is a prefix of the hashes of URLs: it does not
/// depend on the order in which pages come.
struct Sample {
    most: usize,
    most_blocks: usize,
    pages: u64,
    blocks: usize,
    members: BTreeMap<u64, Member>,
    /// The smallest hash that found no room.
    end: u64,
}

/// The sample of a site: what its evidence follows from.
struct SiteSample {
    /// The key of its first page, in the sample or not: its templates stand where that is.
    first: Box<[u8]>,
    site: String,
    /// By the hashes of their URLs.
    members: Vec<Member>,
}

impl SiteSample {
    fn digest(&self) -> u128 {
        let mut digest = Xxh3::new();
        digest.update(&self.first);
        for member in &self.members {
            digest.update(&member.url.to_le_bytes());
            digest.update(&member.key);
            digest.update(&member.notes);
            digest.update(&[u8::from(member.has_older)]);
        }
        digest.digest128()
    }
}

impl Sample {
    fn new(most: usize, most_blocks: usize) -> Sample {
        Sample {
            most,
            most_blocks,
            pages: 0,
            blocks: 0,
            members: BTreeMap::new(),
            end: u64::MAX,
        }
    }

    /// Takes the newest capture of the next page.
    fn add(&mut self, member: Member) {
        self.pages += 1;
        if member.url >= self.end {
            return;
        }
        self.blocks += member.blocks;
        self.members.insert(member.url, member);
        while self.members.len() > self.most
            || (self.blocks > self.most_blocks && self.members.len() > LEAST_PAGES as usize)
        {
            let Some((url, last)) = self.members.pop_last() else {
                break;
            };
            self.blocks -= last.blocks;
            self.end = url;
        }
    }
}

impl EvidenceFinder {
    /// With a maximum number of pages per sample, if sites give evidence.
    pub(crate) fn of(sample: Option<usize>, coverage: bool) -> Option<EvidenceFinder> {
        sample.map(|sample| EvidenceFinder::new(sample, coverage))
    }

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
        let sample = self.sample(notes, end)?;
        sample.map(|sample| self.of_sample(sample, pages)).transpose()
    }

    /// The digest of the evidence of a site whose keys these are: with another digest its pages are labelled again.
    pub(crate) fn digest(&self, notes: &Runs, site: &Range<Vec<u8>>) -> Result<Option<u128>, Error> {
        let mut notes = Merge::new(notes, &site.start, &site.end)?;
        let sample = self.sample(&mut notes, &site.end)?;
        Ok(sample.map(|sample| sample.digest()))
    }

    /// The sample of the site whose notes come next, up to the key `end`.
    fn sample(&self, notes: &mut Merge, end: &[u8]) -> Result<Option<SiteSample>, Error> {
        let mut sample = Sample::new(self.miner.config().sample, MAXIMUM_BLOCKS);
        let mut first: Option<(Box<[u8]>, String)> = None;
        let mut newest: Option<Member> = None;
        while notes.peek()?.is_some_and(|key| key < end) {
            let Some(record) = notes.next()? else { break };
            let noted = Noted::take(&mut &*record.value)?;
            first.get_or_insert_with(|| (record.key.into(), noted.note.site.to_owned()));
            // Captures of a URL stand side by side, the newest last.
            let has_older = newest.as_ref().is_some_and(|older| older.url == noted.note.url);
            let newer = Member {
                url: noted.note.url,
                key: record.key.into(),
                run: record.run,
                blocks: noted.blocks(),
                notes: record.value.into(),
                has_older,
            };
            if let Some(before) = newest.replace(newer).filter(|_| !has_older) {
                sample.add(before);
            }
        }
        newest.into_iter().for_each(|member| sample.add(member));
        let has_evidence = sample.pages >= u64::from(LEAST_PAGES);
        let first = first.filter(|_| has_evidence);
        Ok(first.map(|(first, site)| SiteSample {
            first,
            site,
            members: sample.members.into_values().collect(),
        }))
    }

    fn of_sample(&self, sample: SiteSample, pages: &mut Lookup) -> Result<SiteEvidence, Error> {
        let members = || sample.members.iter();
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
        let sampled = |member: &Member| {
            let notes = member.has_older.then(|| member.notes.clone());
            let key = xxh3_64(&member.key);
            (member.url, Sampled { key, notes })
        };
        let template = self.mine(&sample, pages)?;
        let is_asked = self.coverage && !template.expressions.is_empty();
        let tokens = &self.miner.config().tokens;
        let applier = |()| Applier::new(&template, tokens).expect("they were mined with these settings");
        Ok(SiteEvidence {
            digest: sample.digest(),
            applier: is_asked.then_some(()).map(applier),
            template,
            sample: members().map(sampled).collect(),
            first: sample.first,
            texts,
            places,
            kinds,
            config: EvidenceConfig::default(),
        })
    }

    /// The expressions of a site.
    fn mine(&self, sample: &SiteSample, pages: &mut Lookup) -> Result<SiteTemplate, Error> {
        let most = self.miner.config().limits.site_tokens * LONGEST_TOKEN;
        let mut texts: Vec<(String, String)> = Vec::new();
        let mut bytes = 0;
        for member in &sample.members {
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
        Ok(self.miner.mine(&sample.site, &pages))
    }
}

impl SiteEvidence {
    /// For each text of a page's notes, how many pages of the sample have it.
    fn counts(&self, notes: &PageNotes) -> Vec<u32> {
        let counted = |text| self.texts.get(text).copied().unwrap_or_default();
        notes.texts.iter().map(counted).collect()
    }

    /// The evidence for a page, by its key, its notes and the page itself.
    pub(crate) fn answer(&self, key: &[u8], noted: &Noted<'_>, scored: &Scored) -> Result<SiteAnswer, Error> {
        let mut notes = PageNotes::default();
        noted.read(&mut notes)?;
        let sampled = self.sample.get(&noted.note.url);
        let places = notes.places.iter();
        let mut evidence = Evidence {
            pages: self.sample.len() as u32,
            has_page: sampled.is_some_and(|sampled| sampled.key == xxh3_64(key)),
            texts: self.counts(&notes),
            places: places
                .map(|place| self.places.get(place).copied().unwrap_or_default())
                .collect(),
            kinds: self.kinds.get(&notes.kind.address).copied().unwrap_or_default(),
        };
        let pages = notes.blocks.iter().map(|block| match block.text {
            NO_TEXT => 0,
            text => evidence.texts[text as usize],
        });
        let (pages, site_pages): (Vec<u32>, u32) = (pages.collect(), evidence.pages);
        // A newer capture of the URL is no other page.
        let newer = sampled.and_then(|sampled| sampled.notes.as_ref());
        if let Some(newer) = newer.filter(|_| !evidence.has_page) {
            let mut other = PageNotes::default();
            Noted::take(&mut &**newer)?.read(&mut other)?;
            evidence.leave_out(&notes, &other, &self.counts(&other));
        }
        let kind = match noted.note.is_listing {
            true => PageKind::Listing,
            false => PageKind::Single,
        };
        let logits = match evidence.others() >= self.config.min_pages {
            true => moved(&notes, adjust(&notes, &evidence, kind, &self.config)),
            false => Vec::new(),
        };
        Ok(SiteAnswer {
            site_pages,
            pages,
            logits,
            kinds: evidence.kinds(&notes),
            coverage: match &self.applier {
                Some(applier) => coverage(scored, applier),
                None => Vec::new(),
            },
        })
    }
}

/// The changed logits; NaN for the others, empty if none has changed.
fn moved(notes: &PageNotes, mut logits: Vec<f32>) -> Vec<f32> {
    if logits == notes.logits {
        return Vec::new();
    }
    for (after, before) in logits.iter_mut().zip(&notes.logits) {
        if after == before {
            *after = f32::NAN;
        }
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
    /// Those that workers hold, by the first key of their range.
    sites: Mutex<Vec<(Vec<u8>, Weak<Found>)>>,
}

/// Evidence of a site, when it is found. A worker holds that of the last site that it shared: the next unit may begin with it.
pub(crate) type Found = Mutex<Option<Option<Arc<SiteEvidence>>>>;

impl SharedEvidence {
    /// The evidence of a site by the range of its keys. It is shared for as long as it is `held`.
    pub(crate) fn of(
        &self,
        finder: &EvidenceFinder,
        range: &Range<Vec<u8>>,
        notes: &Runs,
        pages: &mut Lookup,
        held: &mut Option<Arc<Found>>,
    ) -> Result<Option<Arc<SiteEvidence>>, Error> {
        let mut found = held.insert(self.slot(&range.start)).lock();
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
        sites.retain(|(_, found)| found.strong_count() > 0);
        let known = sites.iter().find(|(site, _)| site == start);
        known.and_then(|(_, found)| found.upgrade()).unwrap_or_else(|| {
            let found = Arc::default();
            sites.push((start.to_vec(), Arc::downgrade(&found)));
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The hashes of a sample of pages (hash and blocks) that come in this order.
    fn sampled(pages: &[(u64, usize)], most: usize, most_blocks: usize) -> Vec<u64> {
        let mut sample = Sample::new(most, most_blocks);
        for &(url, blocks) in pages {
            sample.add(Member {
                url,
                key: Box::default(),
                run: 0,
                blocks,
                notes: Box::default(),
                has_older: false,
            });
        }
        assert_eq!(sample.pages as usize, pages.len());
        let blocks: usize = sample.members.values().map(|member| member.blocks).sum();
        assert_eq!(sample.blocks, blocks);
        sample.members.into_keys().collect()
    }

    /// The smallest hashes, as long as there is room.
    fn prefix(mut pages: Vec<(u64, usize)>, most: usize, most_blocks: usize) -> Vec<u64> {
        pages.sort_unstable();
        let mut sum = 0;
        let mut taken = Vec::new();
        for (url, blocks) in pages {
            sum += blocks;
            if taken.len() == most || (sum > most_blocks && taken.len() >= LEAST_PAGES as usize) {
                break;
            }
            taken.push(url);
        }
        taken
    }

    proptest! {
        #[test]
        fn a_sample_does_not_depend_on_the_order_of_pages(
            pages in prop::collection::btree_map(0_u64..1000, 0_usize..9, 0..40)
                .prop_map(|pages| pages.into_iter().collect::<Vec<_>>())
                .prop_shuffle(),
            most in 3_usize..40,
            most_blocks in 0_usize..120,
        ) {
            let expected = prefix(pages.clone(), most, most_blocks);
            prop_assert_eq!(sampled(&pages, most, most_blocks), expected);
        }
    }
}
