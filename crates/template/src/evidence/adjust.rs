//! Logits moved by what a site's other pages are like.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::sums::LARGEST_LOGIT;
use super::{Evidence, PageNotes, PathSums};

/// How much is made of evidence. Pages here are others than the page itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceConfig {
    /// A site of which fewer pages are known says nothing.
    pub least_pages: u32,
    /// How far a logit goes towards the mean of its place, where very many pages have that.
    pub pull: f32,
    /// On so many pages the mean of a place counts half.
    pub half_pages: f32,
    /// What a place loses, as log odds, where all its words are repeated.
    pub repetition: f32,
}

impl Default for EvidenceConfig {
    fn default() -> EvidenceConfig {
        EvidenceConfig {
            least_pages: 3,
            pull: 0.75,
            half_pages: 10.0,
            repetition: 1.5,
        }
    }
}

/// What a page is for its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// A page with something of its own.
    Single,
    /// A page that shows what other pages are about: a text stands on several of them, and repetition
    /// says nothing.
    Listing,
}

impl PageKind {
    /// The kind of a page, from the name of the kind that a model tells.
    pub fn of(name: &str) -> PageKind {
        match name {
            "collection" | "listing" => PageKind::Listing,
            _ => PageKind::Single,
        }
    }
}

/// The log odds of a probability, within bounds.
pub fn logit(probability: f32) -> f32 {
    let probability = f64::from(probability);
    let odds = probability / (1.0 - probability);
    (odds.ln() as f32).clamp(-LARGEST_LOGIT, LARGEST_LOGIT)
}

/// The probability of log odds.
pub fn probability(logit: f32) -> f32 {
    (1.0 / (1.0 + (-f64::from(logit)).exp())) as f32
}

/// As [`adjust`], for the probabilities that the logits of the page were made of by [`logit`]: those that
/// do not move stay as they are, bit by bit.
///
/// # Panics
/// There are not as many probabilities as blocks.
pub fn adjust_content(
    content: &mut [f32],
    page: &PageNotes,
    evidence: &Evidence,
    kind: PageKind,
    config: &EvidenceConfig,
) {
    assert_eq!(
        content.len(),
        page.blocks.len(),
        "as many probabilities as blocks"
    );
    let moved = adjust(page, evidence, kind, config);
    for ((content, &before), &after) in content.iter_mut().zip(&page.logits).zip(&moved) {
        if before != after {
            *content = probability(after);
        }
    }
}

/// The logits of a page's blocks, moved towards what its site's other pages have in the same places. They
/// are the same where not enough of the site is known.
///
/// # Panics
/// There are not as many logits as blocks.
pub fn adjust(page: &PageNotes, evidence: &Evidence, kind: PageKind, config: &EvidenceConfig) -> Vec<f32> {
    if evidence.pages <= config.least_pages {
        return page.logits.clone();
    }
    let own = own_sums(page, evidence);
    let moved = page.blocks.iter().zip(&page.logits).map(|(block, &logit)| {
        let own = own.get(&block.key).copied().unwrap_or_default();
        moved(logit, &(evidence.sums(block.key) - own), kind, config)
    });
    moved.collect()
}

/// What the page itself adds to the sums of its places.
fn own_sums(page: &PageNotes, evidence: &Evidence) -> FxHashMap<u64, PathSums> {
    let mut own: FxHashMap<u64, PathSums> = page.sums().into_iter().collect();
    for text in page.texts() {
        let pages = evidence.pages_with(text.fingerprint);
        *own.entry(text.key).or_default() += PathSums::of_text(pages, text.words);
    }
    own
}

/// A block's logit, given the sums of its place on other pages.
fn moved(logit: f32, others: &PathSums, kind: PageKind, config: &EvidenceConfig) -> f32 {
    if others.pages <= 0 {
        return logit;
    }
    let pages = others.pages as f32;
    let weight = config.pull * pages / (pages + config.half_pages);
    let pulled = logit + weight * (others.mean_logit() - logit);
    match kind {
        PageKind::Single => pulled - config.repetition * others.repeated_share(2),
        PageKind::Listing => pulled,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BlockNote, SiteSums};
    use super::*;

    /// A page with a menu in place 1 and a post in place 2.
    fn page(number: u128, post: f32) -> PageNotes {
        let block = |fingerprint, key| BlockNote {
            fingerprint: Some(fingerprint),
            key,
            words: 10,
        };
        PageNotes {
            blocks: vec![block(0, 1), block(number, 2)],
            logits: vec![0.5, post],
        }
    }

    fn site(pages: u128) -> (SiteSums, PageNotes) {
        let mut site = SiteSums::default();
        (2..=pages).for_each(|number| site.add(&page(number, 2.0)));
        let own = page(1, -1.0);
        site.add(&own);
        (site, own)
    }

    #[test]
    fn places_and_repetition_move_logits() {
        let (site, own) = site(11);
        let adjusted = |kind| adjust(&own, &site.evidence(&own), kind, &EvidenceConfig::default());
        // Ten other pages: a weight of 0.75 * 10 / 20.
        let expected = [0.5 - 1.5, -1.0 + 0.375 * 3.0];
        for (found, expected) in adjusted(PageKind::Single).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        assert_eq!(adjusted(PageKind::Listing)[0], 0.5);
    }

    #[test]
    fn what_is_unknown_costs_nothing() {
        let config = EvidenceConfig::default();
        let (few, own) = site(3);
        assert_eq!(
            adjust(&own, &few.evidence(&own), PageKind::Single, &config),
            own.logits
        );
        assert_eq!(
            adjust(&own, &Evidence::default(), PageKind::Single, &config),
            own.logits
        );
        // In a place that no other page has.
        let (mut known, _) = site(20);
        let mut own = page(77, -3.0);
        own.blocks[1].key = 9;
        known.add(&own);
        assert_eq!(
            adjust(&own, &known.evidence(&own), PageKind::Single, &config)[1],
            -3.0
        );
    }

    #[test]
    fn probabilities_that_do_not_move_stay_as_they_are() {
        for p in [0.0, 1e-30, 0.1, 0.5, 0.999, 1.0] {
            let there_and_back = probability(logit(p));
            assert!((there_and_back - p).abs() < 1e-5 && logit(p).abs() <= 12.0, "{p}");
        }
        let (few, mut own) = site(3);
        let mut content = [0.999_999_9, 1e-9];
        own.logits = content.map(logit).to_vec();
        let config = EvidenceConfig::default();
        adjust_content(&mut content, &own, &few.evidence(&own), PageKind::Single, &config);
        assert_eq!(content, [0.999_999_9, 1e-9]);
        let (many, own) = site(30);
        adjust_content(
            &mut content,
            &own,
            &many.evidence(&own),
            PageKind::Single,
            &config,
        );
        assert!(content[0] < 0.5 && content[1] > 0.5, "{content:?}");
    }

    #[test]
    fn kinds_are_told_by_name() {
        assert_eq!(PageKind::of("collection"), PageKind::Listing);
        assert_eq!(PageKind::of("article"), PageKind::Single);
    }
}
