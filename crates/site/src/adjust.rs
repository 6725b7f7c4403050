//! Logits moved by what a site's other pages are like.

use serde::{Deserialize, Serialize};

use crate::log_odds::probability;
use crate::{BlockNote, Evidence, PageNotes, PathSums};

/// How much is made of evidence. Pages here are others than the page itself, and the defaults are what
/// was best on blogs whose feeds have the posts' text (`gleaner eval sites`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceConfig {
    /// A site of which fewer pages are known says nothing.
    pub least_pages: u32,
    /// How far a logit goes towards the mean of its place, where very many pages have that.
    pub pull: f32,
    /// On so many pages the mean of a place counts half.
    pub half_pages: f32,
    /// What a block loses, as log odds, where all words of its place are repeated; in proportion where
    /// some are.
    pub place: Repetition,
    /// What a block loses beside that, where its own text is repeated.
    pub text: Repetition,
    /// How many times as much as the one of its neighbours that loses more a block may lose, in a place that is content.
    pub between: f32,
    /// What a text loses on a listing that most pages have and that stands there in one place.
    pub listing: f32,
}

/// A loss by how many pages have a text. Text that one other page has loses nothing: every post stands
/// on some list of posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Repetition {
    /// On two pages or more, but on less than a twentieth: posts and their excerpts are mixed with
    /// what repeats.
    pub few: f32,
    /// On a twentieth or more.
    pub some: f32,
    /// On a fifth or more, one page or not: nearly nothing of that is content.
    pub many: f32,
}

impl Repetition {
    /// The loss of text that so many of a site's pages have.
    fn loss(&self, pages: f32, of: f32) -> f32 {
        match pages / of {
            share if share >= 0.2 => self.many,
            _ if pages < 2.0 => 0.0,
            share if share >= 0.05 => self.some,
            _ => self.few,
        }
    }
}

impl Default for EvidenceConfig {
    fn default() -> EvidenceConfig {
        EvidenceConfig {
            least_pages: 3,
            pull: 0.7,
            half_pages: 5.0,
            place: Repetition {
                few: 0.8,
                some: 1.75,
                many: 1.75,
            },
            text: Repetition {
                few: 0.0,
                some: 0.3,
                many: 0.5,
            },
            between: 3.0,
            listing: 3.0,
        }
    }
}

/// What a page is for its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// A page with something of its own.
    Single,
    /// A page that shows what other pages are about: a text stands on several of them, and repetition
    /// says nothing, unless most pages have it.
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

/// The logits of a page's blocks, moved towards what its site's other pages have in the same places, less
/// what is lost for repetition. They are the same where not enough of the site is known, in a place that
/// no other page has; those of numbers and addresses alone, which are beside what they belong to; and that
/// of the page's own title. A heading loses no more for repetition than the block that it heads, unless on a list.
///
/// # Panics
/// There are not as many logits as blocks.
pub fn adjust(page: &PageNotes, evidence: &Evidence, kind: PageKind, config: &EvidenceConfig) -> Vec<f32> {
    if evidence.pages <= config.least_pages {
        return page.logits.clone();
    }
    let others = evidence.pages - 1;
    let places = evidence.places.iter().zip(page.sums_with(&evidence.texts));
    let places: Vec<Option<Elsewhere>> = places
        .map(|(all, own)| Elsewhere::of(&(*all - own), others, config))
        .collect();
    let losses = match kind {
        PageKind::Single => repetition(page, evidence, &places, config),
        PageKind::Listing => everywhere(page, evidence, config),
    };
    let moves = page.blocks.iter().zip(&page.logits).zip(losses);
    let moves = moves.map(|((block, &logit), loss)| {
        let place = places[block.place as usize].as_ref();
        match place.filter(|_| block.counts()) {
            Some(place) => logit + place.pull * (place.mean - logit) - loss,
            None => logit,
        }
    });
    moves.collect()
}

/// What the blocks of a page with something of its own lose for repetition, in places that other pages have.
fn repetition(
    page: &PageNotes,
    evidence: &Evidence,
    places: &[Option<Elsewhere>],
    config: &EvidenceConfig,
) -> Vec<f32> {
    let others = (evidence.pages - 1) as f32;
    let place = |block: &BlockNote| places[block.place as usize].as_ref();
    let losses = page.blocks.iter().map(|block| {
        let place = place(block).filter(|_| block.counts());
        place.map_or(0.0, |place| {
            let with_text = evidence.texts[block.text as usize].saturating_sub(1);
            place.loss + config.text.loss(with_text as f32, others)
        })
    });
    let mut losses: Vec<f32> = losses.collect();
    spare_headings(&page.blocks, &mut losses);
    let share = |block: &BlockNote| place(block).map_or(0.0, Elsewhere::content);
    spare_between(&page.blocks, share, config.between, &mut losses);
    losses
}

/// Most pages are so many at least,
const MOST_PAGES: u32 = 10;
/// and this share of all.
const MOST: f32 = 0.5;

/// What the blocks of a list of posts lose: those whose text most other pages have, but not where the list has it in two
/// places or more. A menu that shows new posts on all pages says nothing against the list of all posts.
fn everywhere(page: &PageNotes, evidence: &Evidence, config: &EvidenceConfig) -> Vec<f32> {
    let others = (evidence.pages - 1) as f32;
    let most = MOST_PAGES.max((MOST * others).ceil() as u32);
    let mut is_everywhere: Vec<bool> = evidence.texts.iter().map(|&pages| pages > most).collect();
    let mut places = vec![None; is_everywhere.len()];
    for block in page.blocks.iter().filter(|block| block.counts()) {
        let text = block.text as usize;
        if *places[text].get_or_insert(block.place) != block.place {
            is_everywhere[text] = false;
        }
    }
    let loses = |block: &BlockNote| block.counts() && is_everywhere[block.text as usize];
    let losses = page
        .blocks
        .iter()
        .map(|block| if loses(block) { config.listing } else { 0.0 });
    losses.collect()
}

/// Has headings lose no more for repetition than the next block that is none. The sections of a site's pages are called
/// the same, "Description" or "Examples", which says nothing against a section with a text of its own; and where a site
/// repeats what follows, as in a sidebar, the heading is of that.
fn spare_headings(blocks: &[BlockNote], losses: &mut [f32]) {
    let mut section = f32::INFINITY;
    for (block, loss) in blocks.iter().zip(losses).rev() {
        if block.is_heading {
            *loss = loss.min(section);
        } else if block.counts() {
            section = *loss;
        }
    }
}

/// Has a block lose no more for repetition than so many times what the one of its neighbours loses that loses more,
/// by the share to which its place is content: the notes of a documentation, "New in version 3.2" or "See also", are on
/// most of its pages, but each stands in another text, while what a site adds stands together, or first or last.
fn spare_between(blocks: &[BlockNote], share: impl Fn(&BlockNote) -> f32, times: f32, losses: &mut [f32]) {
    let counted = || blocks.iter().enumerate().filter(|(_, block)| block.counts());
    let own: Vec<f32> = counted().map(|(at, _)| losses[at]).collect();
    for ((at, block), loss) in counted().skip(1).zip(own.windows(3)) {
        let most = times * loss[0].max(loss[2]);
        losses[at] -= share(block) * (loss[1] - most).max(0.0);
    }
}

/// A place is content where the mean of its log odds is this.
const CONTENT: f32 = 0.25;

/// What the other pages have in a place.
struct Elsewhere {
    /// How much of the way to its mean a logit goes.
    pull: f32,
    mean: f32,
    /// What each block of a page with something of its own loses for the repetition in the place.
    loss: f32,
}

impl Elsewhere {
    /// From the sums over the other pages, of which there are so many; none where none of them has the place.
    fn of(place: &PathSums, others: u32, config: &EvidenceConfig) -> Option<Elsewhere> {
        (place.pages > 0).then(|| Elsewhere {
            pull: pull(place, config),
            mean: place.mean_logit(),
            loss: place.repeated_share(|pages| config.place.loss(pages, others as f32)),
        })
    }

    /// The share to which the place is content: none where it is as probably noise.
    fn content(&self) -> f32 {
        (self.mean / CONTENT).clamp(0.0, 1.0)
    }
}

/// How much of the way to its place's mean a logit goes.
fn pull(place: &PathSums, config: &EvidenceConfig) -> f32 {
    let pages = place.pages as f32;
    config.pull * pages / (pages + config.half_pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log_odds::logit;
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
        // Ten other pages. All words of the menu are on all pages.
        let weight = 0.7 * 10.0 / 15.0;
        let expected = [0.5 - 1.75 - 0.5, -1.0 + weight * 3.0];
        for (found, expected) in adjusted(PageKind::Single).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        assert_eq!(adjusted(PageKind::Listing)[0], 0.5 - 3.0);
    }

    #[test]
    fn a_listing_loses_what_most_pages_have_in_one_place() {
        let adjusted = |pages: u128, own: &PageNotes| {
            let (site, _) = site(pages);
            let config = EvidenceConfig::default();
            adjust(own, &site.evidence(own), PageKind::Listing, &config)
        };
        let mut own = page(1, -1.0);
        own.blocks[0].is_heading = true;
        assert_eq!(adjusted(11, &own)[0], 0.5 - 3.0);
        // Few pages are not most pages.
        assert_eq!(adjusted(10, &own)[0], 0.5);
        // What the menu has, too.
        let mut listing = own;
        listing.blocks[1].text = 0;
        assert_eq!(adjusted(11, &listing)[0], 0.5);
    }

    #[test]
    fn a_title_that_other_pages_show_stays_as_it_was() {
        let (mut site, mut own) = site(11);
        own.blocks[0].is_title = true;
        let adjusted = |site: &SiteSums| {
            adjust(
                &own,
                &site.evidence(&own),
                PageKind::Single,
                &EvidenceConfig::default(),
            )
        };
        let before = adjusted(&site);
        assert_eq!(before[0], 0.5);
        // Nor does it speak against what else stands in its place.
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
    fn a_heading_loses_no_more_for_repetition_than_what_it_heads() {
        let (site, mut own) = site(11);
        let adjusted = |own: &PageNotes| {
            adjust(
                own,
                &site.evidence(own),
                PageKind::Single,
                &EvidenceConfig::default(),
            )
        };
        let before = adjusted(&own);
        assert!(before[0] < -1.0);
        own.blocks[0].is_heading = true;
        assert_eq!(adjusted(&own), [0.5, before[1]]);
    }

    /// Blocks, of which `h` is a heading, `t` the title and `n` a number, and their losses.
    fn noted(blocks: &[(char, f32)]) -> (Vec<BlockNote>, Vec<f32>) {
        let note = |&(kind, loss): &(char, f32)| {
            let block = BlockNote {
                text: if kind == 'n' { NO_TEXT } else { 0 },
                place: 0,
                words: 1,
                is_title: kind == 't',
                is_heading: kind == 'h',
            };
            (block, loss)
        };
        blocks.iter().map(note).unzip()
    }

    #[test]
    fn what_a_heading_heads_is_no_heading_and_no_number() {
        let after = |blocks: &[(char, f32)]| {
            let (notes, mut losses) = noted(blocks);
            spare_headings(&notes, &mut losses);
            losses
        };
        assert_eq!(after(&[('h', 2.0), ('p', 1.0), ('p', 0.5)]), [1.0, 1.0, 0.5]);
        assert_eq!(after(&[('h', 1.0), ('p', 2.0)]), [1.0, 2.0]);
        let between = [('h', 2.0), ('h', 3.0), ('n', 0.0), ('t', 0.0), ('p', 1.5)];
        assert_eq!(after(&between), [1.5, 1.5, 0.0, 0.0, 1.5]);
        assert_eq!(after(&[('p', 0.0), ('h', 2.0)]), [0.0, 2.0]);
    }

    #[test]
    fn what_stands_between_unrepeated_blocks_loses_nothing() {
        let after = |blocks: &[(char, f32)], share: f32| {
            let (notes, mut losses) = noted(blocks);
            spare_between(&notes, |_| share, 3.0, &mut losses);
            losses
        };
        let note = [('p', 0.0), ('n', 0.0), ('p', 2.0), ('p', 0.5)];
        assert_eq!(after(&note, 1.0), [0.0, 0.0, 1.5, 0.5]);
        assert_eq!(after(&note, 0.5), [0.0, 0.0, 1.75, 0.5]);
        assert_eq!(after(&note, 0.0), [0.0, 0.0, 2.0, 0.5]);
        assert_eq!(after(&[('p', 0.0), ('p', 2.0), ('p', 0.0)], 1.0), [0.0, 0.0, 0.0]);
        // What stands together, first or last.
        for together in [[2.0, 2.0, 0.0], [0.0, 2.0, 2.0], [2.0, 0.0, 2.0]] {
            assert_eq!(after(&together.map(|loss| ('p', loss)), 1.0), together);
        }
        for few in [&[][..], &[('p', 1.0)], &[('p', 1.0), ('p', 0.0)]] {
            let losses: Vec<f32> = few.iter().map(|block| block.1).collect();
            assert_eq!(after(few, 1.0), losses);
        }
    }

    #[test]
    fn losses_go_by_the_share_of_pages() {
        let repetition = Repetition {
            few: 1.0,
            some: 2.0,
            many: 3.0,
        };
        let losses = [
            (0.0, 3.0),
            (1.0, 3.0),
            (1.0, 10.0),
            (2.0, 100.0),
            (5.0, 100.0),
            (20.0, 100.0),
        ];
        let losses = losses.map(|(pages, of)| repetition.loss(pages, of));
        assert_eq!(losses, [0.0, 3.0, 0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn never_repeated_reads_no_better_than_seldom() {
        let (mut site, own) = site(101);
        let before = adjust(
            &own,
            &site.evidence(&own),
            PageKind::Single,
            &EvidenceConfig::default(),
        );
        let mut other = page(1, 2.0);
        other.places[1] = 3;
        site.add(&other);
        let after = adjust(
            &own,
            &site.evidence(&own),
            PageKind::Single,
            &EvidenceConfig::default(),
        );
        assert_eq!(before[1], after[1]);
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
        own.places[1] = 9;
        known.add(&own);
        assert_eq!(
            adjust(&own, &known.evidence(&own), PageKind::Single, &config)[1],
            -3.0
        );
    }

    #[test]
    fn probabilities_that_do_not_move_stay_as_they_are() {
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
