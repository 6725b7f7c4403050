//! Logits of a page, adjusted by the evidence of its site.

use serde::{Deserialize, Serialize};

use crate::{BlockNote, Evidence, PageNotes, PathSums};

/// The weights of site evidence. Numbers of pages are of the site's sample, without the page itself. The defaults were best on blogs whose feeds
/// have the text of the posts (`gleaner eval sites`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceConfig {
    /// A sample with fewer other pages gives no evidence.
    pub min_pages: u32,
    /// The largest weight of the mean logit of a place, reached as the number of pages with the place grows.
    pub blend_weight: f32,
    /// Shrinkage constant k of that weight: with n pages it is `blend_weight * n / (n + k)`.
    pub shrinkage: f32,
    /// Subtracted from the logit of a block in proportion to the share of repeated words in its place.
    pub place: RepetitionPenalty,
    /// Subtracted from the logit of a block whose own text is repeated.
    pub text: RepetitionPenalty,
    /// In a place of content, the penalty of a block is at most this many times the larger penalty of its two neighbours.
    pub neighbour_factor: f32,
    /// Subtracted on a listing from a block whose text is on most pages and stands in one place of the listing.
    pub listing: f32,
}

/// A penalty by the share of the other sampled pages that have a text. A text that only one other page has costs nothing:
/// every post is also on some list of posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RepetitionPenalty {
    /// On two pages or more, but on less than 5% of them: posts and excerpts, mixed with boilerplate.
    pub few: f32,
    /// On 5% or more.
    pub some: f32,
    /// On 20% or more, even if that is one page: nearly always boilerplate.
    pub many: f32,
}

impl RepetitionPenalty {
    /// The penalty of a text that is on `pages` of `of` pages.
    fn penalty(&self, pages: f32, of: f32) -> f32 {
        match pages / of {
            share if share >= 0.2 => self.many,
            _ if pages < 2.0 => 0.0,
            share if share >= 0.05 => self.some,
            _ => self.few,
        }
    }

    /// The same in a place that is content with this certainty. There, a text of fewer pages than a template has, which are
    /// also less than a third of all, is no boilerplate of the site: a note below some of its articles, say.
    fn in_place(&self, pages: f32, of: f32, certainty: f32) -> f32 {
        let penalty = self.penalty(pages, of);
        match pages < TEMPLATE_PAGES && pages < of * TEMPLATE_SHARE {
            true => penalty - certainty * penalty,
            false => penalty,
        }
    }
}

/// Minimum number and share of the other pages that have a text of boilerplate.
const TEMPLATE_PAGES: f32 = 3.0;
const TEMPLATE_SHARE: f32 = 1.0 / 3.0;

impl Default for EvidenceConfig {
    fn default() -> EvidenceConfig {
        EvidenceConfig {
            min_pages: 3,
            blend_weight: 0.7,
            shrinkage: 5.0,
            place: RepetitionPenalty {
                few: 0.8,
                some: 1.75,
                many: 1.75,
            },
            text: RepetitionPenalty {
                few: 0.0,
                some: 0.3,
                many: 0.5,
            },
            neighbour_factor: 3.0,
            listing: 3.0,
        }
    }
}

/// The role of a page in its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// A page with content of its own.
    Single,
    /// A page that lists other pages. Its texts are on those, too, so that only texts on most pages are penalised.
    Listing,
}

impl PageKind {
    /// The role of a page of a kind, by the name of the kind in a model.
    pub fn of(name: &str) -> PageKind {
        match name {
            "collection" | "listing" => PageKind::Listing,
            _ => PageKind::Single,
        }
    }
}

/// The adjusted logits of a page's blocks:
///
/// ```text
/// logit + w * (mean - logit) - penalty,    w = blend_weight * n / (n + shrinkage)
/// ```
///
/// where n is the number of other pages that have the block's place and `mean` is the mean logit of the place on them.
///
/// The penalty of a block on a [single](PageKind::Single) page is [`EvidenceConfig::place`] by the share of repeated words
/// in its place, plus [`EvidenceConfig::text`] if its own text is repeated; at most that of the section for a heading, and
/// at most [`EvidenceConfig::neighbour_factor`] times that of its neighbours in a place of content. On a
/// [listing](PageKind::Listing) it is [`EvidenceConfig::listing`] for texts that are on most pages.
///
/// Numbers of pages, means and penalties are rounded to classes before they are used, so that a page more or less
/// changes few logits of a large site: numbers to three binary digits, means and penalties to eighths.
///
/// A logit stays the same where the site has too few pages, where no other page has the place, for blocks without text
/// (numbers and addresses only), and for the page's own title.
///
/// # Panics
/// There are not as many logits as blocks.
pub fn adjust(page: &PageNotes, evidence: &Evidence, kind: PageKind, config: &EvidenceConfig) -> Vec<f32> {
    if evidence.others() < config.min_pages {
        return page.logits.clone();
    }
    let others = page_class(evidence.others());
    let places = evidence.other_places(page).into_iter();
    let places: Vec<Option<OtherPages>> = places
        .map(|place| OtherPages::new(&place, others, config))
        .collect();
    let penalties = match kind {
        PageKind::Single => single_penalties(page, evidence, &places, config),
        PageKind::Listing => listing_penalties(page, evidence, config),
    };
    let blocks = page.blocks.iter().zip(&page.logits).zip(penalties);
    let adjusted = blocks.map(|((block, &logit), penalty)| {
        let place = places[block.place as usize].as_ref();
        match place.filter(|_| block.can_repeat()) {
            Some(place) => logit + place.weight * (place.mean - logit) - penalty,
            None => logit,
        }
    });
    adjusted.collect()
}

/// The penalties of the blocks of a page with content of its own, in places that other pages have.
fn single_penalties(
    page: &PageNotes,
    evidence: &Evidence,
    places: &[Option<OtherPages>],
    config: &EvidenceConfig,
) -> Vec<f32> {
    let others = page_class(evidence.others()) as f32;
    let place = |block: &BlockNote| places[block.place as usize].as_ref();
    let penalties = page.blocks.iter().map(|block| {
        let place = place(block).filter(|_| block.can_repeat());
        place.map_or(0.0, |place| {
            let with_text = page_class(evidence.others_with(block.text));
            let certainty = place.content_certainty();
            place.penalty + config.text.in_place(with_text as f32, others, certainty)
        })
    });
    let mut penalties: Vec<f32> = penalties.collect();
    limit_headings(&page.blocks, &mut penalties);
    let certainty = |block: &BlockNote| place(block).map_or(0.0, OtherPages::content_certainty);
    limit_by_neighbours(&page.blocks, certainty, config.neighbour_factor, &mut penalties);
    penalties
}

/// Minimum number of "most pages" of a site,
const MOST_PAGES: u32 = 10;
/// and their minimum share of its other pages.
const MOST_SHARE: f32 = 0.5;

/// The penalties of the blocks of a listing: for texts that most other pages have, but not for texts that stand in two
/// places of the listing. A menu with new posts on all pages is no evidence against the list of all posts.
fn listing_penalties(page: &PageNotes, evidence: &Evidence, config: &EvidenceConfig) -> Vec<f32> {
    let most = MOST_PAGES.max((MOST_SHARE * page_class(evidence.others()) as f32).ceil() as u32);
    let on_most = |text| page_class(evidence.others_with(text)) >= most;
    let mut is_penalised: Vec<bool> = (0..evidence.texts.len() as u32).map(on_most).collect();
    let mut places = vec![None; is_penalised.len()];
    for block in page.blocks.iter().filter(|block| block.can_repeat()) {
        let text = block.text as usize;
        if *places[text].get_or_insert(block.place) != block.place {
            is_penalised[text] = false;
        }
    }
    let penalty = |block: &BlockNote| match block.can_repeat() && is_penalised[block.text as usize] {
        true => config.listing,
        false => 0.0,
    };
    page.blocks.iter().map(penalty).collect()
}

/// Limits the penalty of a heading to that of the next block that is no heading. Sections have the same names on all pages
/// of a site ("Description", "Examples"), which is no evidence against a section with a text of its own. Where the text
/// after it is repeated, as in a sidebar, the heading belongs to that.
fn limit_headings(blocks: &[BlockNote], penalties: &mut [f32]) {
    let mut section = f32::INFINITY;
    for (block, penalty) in blocks.iter().zip(penalties).rev() {
        if block.is_heading {
            *penalty = penalty.min(section);
        } else if block.can_repeat() {
            section = *penalty;
        }
    }
}

/// Limits the penalty of a block between two others to `factor` times the larger of theirs; in proportion to the certainty
/// that its place is content. Notes of a documentation ("New in version 3.2", "See also") are on most of its pages, but each
/// stands in another text; boilerplate stands together, or first or last on the page.
fn limit_by_neighbours(
    blocks: &[BlockNote],
    certainty: impl Fn(&BlockNote) -> f32,
    factor: f32,
    penalties: &mut [f32],
) {
    let repeatable = || blocks.iter().enumerate().filter(|(_, block)| block.can_repeat());
    let before: Vec<f32> = repeatable().map(|(at, _)| penalties[at]).collect();
    for ((at, block), penalty) in repeatable().skip(1).zip(before.windows(3)) {
        let limit = factor * penalty[0].max(penalty[2]);
        penalties[at] -= certainty(block) * (penalty[1] - limit).max(0.0);
    }
}

/// Minimum mean logit of a place that is certainly content.
const CONTENT_LOGIT: f32 = 0.25;

/// Binary digits to which numbers of pages are rounded down.
const PAGE_DIGITS: u32 = 3;

/// The class of a number of pages: the number with its first binary digits, the others zero. 7, 8, 10, 12, 14, 16, 20.
pub fn page_class(pages: u32) -> u32 {
    let rest = (u32::BITS - pages.leading_zeros()).saturating_sub(PAGE_DIGITS);
    pages >> rest << rest
}

/// A logit or penalty in steps of an eighth.
fn in_eighths(value: f32) -> f32 {
    (value * 8.0).round() / 8.0
}

/// A place on the other pages of a site, in classes.
struct OtherPages {
    /// The weight of the mean.
    weight: f32,
    /// The mean logit.
    mean: f32,
    /// The penalty for the repetition in the place, for each block of a single page.
    penalty: f32,
}

impl OtherPages {
    /// From the sums over the `others` other pages; none where no other page has the place.
    fn new(place: &PathSums, others: u32, config: &EvidenceConfig) -> Option<OtherPages> {
        let pages = page_class(u32::try_from(place.pages).unwrap_or_default()) as f32;
        (place.pages > 0).then(|| {
            let mean = in_eighths(place.mean_logit());
            let certainty = content_certainty(mean);
            let penalty = |pages| config.place.in_place(pages, others as f32, certainty);
            OtherPages {
                weight: config.blend_weight * pages / (pages + config.shrinkage),
                mean,
                penalty: in_eighths(place.repeated_share(penalty)),
            }
        })
    }

    /// The certainty that the place is content.
    fn content_certainty(&self) -> f32 {
        content_certainty(self.mean)
    }
}

/// The certainty that a place with this mean logit is content: 0 where noise is as probable, 1 from [`CONTENT_LOGIT`] on.
fn content_certainty(mean: f32) -> f32 {
    (mean / CONTENT_LOGIT).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NO_TEXT, SiteSums};

    /// A page with a menu in place 1 and a post in place 2.
    fn page(number: u128, post: f32) -> PageNotes {
        let block = |at| BlockNote {
            text: at,
            place: at,
            words: 10,
            is_title: false,
            is_heading: false,
        };
        PageNotes {
            texts: vec![0, number],
            places: vec![1, 2],
            blocks: vec![block(0), block(1)],
            logits: vec![0.5, post],
            kind: crate::KindNote::default(),
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
    fn logits_move_to_the_mean_less_penalties() {
        let (site, own) = site(11);
        let adjusted = |kind| adjust(&own, &site.evidence(&own, true), kind, &EvidenceConfig::default());
        // Ten other pages. All words of the menu are on all pages.
        let weight = 0.7 * 10.0 / 15.0;
        let expected = [0.5 - 1.75 - 0.5, -1.0 + weight * 3.0];
        for (found, expected) in adjusted(PageKind::Single).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        assert_eq!(adjusted(PageKind::Listing)[0], 0.5 - 3.0);
    }

    #[test]
    fn a_text_of_few_pages_in_a_place_of_content_is_no_boilerplate() {
        let EvidenceConfig { place, .. } = EvidenceConfig::default();
        let penalty = |pages, of, certainty| place.in_place(pages, of, certainty);
        assert_eq!(
            [penalty(2.0, 10.0, 1.0), penalty(2.0, 10.0, 0.0)],
            [0.0, place.many]
        );
        // More pages, or a larger share of them, are a template.
        assert_eq!(
            [penalty(4.0, 28.0, 1.0), penalty(1.0, 3.0, 1.0)],
            [place.some, place.many]
        );
    }

    #[test]
    fn listings_are_penalised_for_texts_of_most_pages_in_one_place() {
        let adjusted = |pages: u128, own: &PageNotes| {
            let (site, _) = site(pages);
            let config = EvidenceConfig::default();
            adjust(own, &site.evidence(own, true), PageKind::Listing, &config)
        };
        let mut own = page(1, -1.0);
        own.blocks[0].is_heading = true;
        assert_eq!(adjusted(11, &own)[0], 0.5 - 3.0);
        // Few pages are not most pages.
        assert_eq!(adjusted(10, &own)[0], 0.5);
        // A text of the menu, too.
        let mut listing = own;
        listing.blocks[1].text = 0;
        assert_eq!(adjusted(11, &listing)[0], 0.5);
    }

    #[test]
    fn the_logit_of_a_title_stays() {
        let (mut site, mut own) = site(11);
        own.blocks[0].is_title = true;
        let adjusted = |site: &SiteSums| {
            adjust(
                &own,
                &site.evidence(&own, true),
                PageKind::Single,
                &EvidenceConfig::default(),
            )
        };
        let before = adjusted(&site);
        assert_eq!(before[0], 0.5);
        // A title does not count as repeated in its place.
        let mut titled = page(1, 2.0);
        titled.blocks[0].place = 1;
        site.add(&titled);
        let with_menu = adjusted(&site)[1];
        site.remove(&titled);
        titled.blocks[0].is_title = true;
        site.add(&titled);
        assert!(adjusted(&site)[1] > with_menu, "{with_menu}");
    }

    #[test]
    fn a_heading_has_at_most_the_penalty_of_its_section() {
        let (site, mut own) = site(11);
        let adjusted = |own: &PageNotes| {
            adjust(
                own,
                &site.evidence(own, true),
                PageKind::Single,
                &EvidenceConfig::default(),
            )
        };
        let before = adjusted(&own);
        assert!(before[0] < -1.0);
        own.blocks[0].is_heading = true;
        assert_eq!(adjusted(&own), [0.5, before[1]]);
    }

    /// Blocks (`h` a heading, `t` the title, `n` a number, else a paragraph) and their penalties.
    fn noted(blocks: &[(char, f32)]) -> (Vec<BlockNote>, Vec<f32>) {
        let note = |&(kind, penalty): &(char, f32)| {
            let block = BlockNote {
                text: if kind == 'n' { NO_TEXT } else { 0 },
                place: 0,
                words: 1,
                is_title: kind == 't',
                is_heading: kind == 'h',
            };
            (block, penalty)
        };
        blocks.iter().map(note).unzip()
    }

    #[test]
    fn a_heading_is_limited_by_the_next_text_that_is_no_heading() {
        let after = |blocks: &[(char, f32)]| {
            let (notes, mut penalties) = noted(blocks);
            limit_headings(&notes, &mut penalties);
            penalties
        };
        assert_eq!(after(&[('h', 2.0), ('p', 1.0), ('p', 0.5)]), [1.0, 1.0, 0.5]);
        assert_eq!(after(&[('h', 1.0), ('p', 2.0)]), [1.0, 2.0]);
        let between = [('h', 2.0), ('h', 3.0), ('n', 0.0), ('t', 0.0), ('p', 1.5)];
        assert_eq!(after(&between), [1.5, 1.5, 0.0, 0.0, 1.5]);
        assert_eq!(after(&[('p', 0.0), ('h', 2.0)]), [0.0, 2.0]);
    }

    #[test]
    fn blocks_between_unrepeated_blocks_have_no_penalty() {
        let after = |blocks: &[(char, f32)], certainty: f32| {
            let (notes, mut penalties) = noted(blocks);
            limit_by_neighbours(&notes, |_| certainty, 3.0, &mut penalties);
            penalties
        };
        let note = [('p', 0.0), ('n', 0.0), ('p', 2.0), ('p', 0.5)];
        assert_eq!(after(&note, 1.0), [0.0, 0.0, 1.5, 0.5]);
        assert_eq!(after(&note, 0.5), [0.0, 0.0, 1.75, 0.5]);
        assert_eq!(after(&note, 0.0), [0.0, 0.0, 2.0, 0.5]);
        assert_eq!(after(&[('p', 0.0), ('p', 2.0), ('p', 0.0)], 1.0), [0.0, 0.0, 0.0]);
        // Blocks that stand together, first or last.
        for together in [[2.0, 2.0, 0.0], [0.0, 2.0, 2.0], [2.0, 0.0, 2.0]] {
            assert_eq!(after(&together.map(|penalty| ('p', penalty)), 1.0), together);
        }
        for few in [&[][..], &[('p', 1.0)], &[('p', 1.0), ('p', 0.0)]] {
            let penalties: Vec<f32> = few.iter().map(|block| block.1).collect();
            assert_eq!(after(few, 1.0), penalties);
        }
    }

    #[test]
    fn penalties_depend_on_the_share_of_pages() {
        let repetition = RepetitionPenalty {
            few: 1.0,
            some: 2.0,
            many: 3.0,
        };
        let shares = [
            (0.0, 3.0),
            (1.0, 3.0),
            (1.0, 10.0),
            (2.0, 100.0),
            (5.0, 100.0),
            (20.0, 100.0),
        ];
        let penalties = shares.map(|(pages, of)| repetition.penalty(pages, of));
        assert_eq!(penalties, [0.0, 3.0, 0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_text_on_one_other_page_costs_nothing() {
        let (mut site, own) = site(101);
        let before = adjust(
            &own,
            &site.evidence(&own, true),
            PageKind::Single,
            &EvidenceConfig::default(),
        );
        let mut other = page(1, 2.0);
        other.places[1] = 3;
        site.add(&other);
        let after = adjust(
            &own,
            &site.evidence(&own, true),
            PageKind::Single,
            &EvidenceConfig::default(),
        );
        assert_eq!(before[1], after[1]);
    }

    #[test]
    fn logits_stay_without_evidence() {
        let config = EvidenceConfig::default();
        let (few, own) = site(3);
        assert_eq!(
            adjust(&own, &few.evidence(&own, true), PageKind::Single, &config),
            own.logits
        );
        assert_eq!(
            adjust(&own, &Evidence::default(), PageKind::Single, &config),
            own.logits
        );
        // In a place that no other page has.
        let (mut known, _) = site(20);
        let mut own = page(77, -3.0);
        own.places[1] = 9;
        known.add(&own);
        assert_eq!(
            adjust(&own, &known.evidence(&own, true), PageKind::Single, &config)[1],
            -3.0
        );
    }

    #[test]
    fn kinds_have_roles() {
        assert_eq!(PageKind::of("collection"), PageKind::Listing);
        assert_eq!(PageKind::of("article"), PageKind::Single);
    }
}
