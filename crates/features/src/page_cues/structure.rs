//! Cues for the kind of a page in its main heading, its cards and its repeated parts.

use gleaner_page::Page;
use rustc_hash::FxHashSet;

use super::signals::Marked;
use super::{eighths, level};
use crate::chars::words;
use crate::facts::{Around, BlockFacts, Facts};
use crate::words::to_lowercase;

/// Blocks behind the main heading searched for lines of a date or a price.
const NEAR: usize = 12;
/// Maximum blocks between the name of a product, if that is a link, and its price.
const NAME: usize = 3;
/// Minimum siblings of a kind that are repeated parts.
const REPEATED: u32 = 4;

/// Gives each cue. `marked` has the marks of each block, `heading` is the main heading.
pub(super) fn each(
    facts: &Facts,
    marked: &[Marked],
    heading: Option<usize>,
    take: &mut dyn FnMut(&'static str, u8),
) {
    main_heading(facts, marked, heading, take);
    cards(facts, marked, take);
    repeated_parts(facts, take);
}

/// The main heading: whether there is one, is a link, and where; what stands right behind it.
fn main_heading(facts: &Facts, marked: &[Marked], at: Option<usize>, take: &mut dyn FnMut(&'static str, u8)) {
    let flag = u8::from;
    let own = at.map(|at| &facts.blocks[at]);
    let before = facts.blocks[..at.unwrap_or(0)].iter();
    let behind = at.map_or(&[][..], |at| &marked[at + 1..]);
    let near = &behind[..behind.len().min(NEAR)];
    let has = |blocks: &[Marked], what: Marked| blocks.iter().any(|block| block.has(what));
    take("main-heading", flag(at.is_some()));
    take("main-heading-linked", flag(own.is_some_and(is_linked)));
    take(
        "words-before",
        level(before.map(|block| block.text.words).sum::<u32>() / 8),
    );
    take("date-behind", flag(has(near, Marked::DATE)));
    take("price-behind", flag(has(near, Marked::PRICE)));
    take("cart-behind", flag(has(near, Marked::CART)));
    take("reply-behind", flag(has(near, Marked::REPLY)));
    let headings = facts.blocks[..at.unwrap_or(0)]
        .iter()
        .filter(|block| block.around.has(Around::HEADER));
    take("headings-before", level(headings.count() as u32));
}

/// The first heading that has half of its words in the title of the page, and no date: titles of archives have the month.
pub(super) fn find_heading(page: &Page, facts: &Facts) -> Option<usize> {
    let mut small = String::new();
    to_lowercase(&page.title, &mut small);
    let title = small.clone();
    let title: FxHashSet<&str> = words(&title).collect();
    facts.blocks.iter().zip(&page.blocks).position(|(block, place)| {
        if !block.around.has(Around::HEADER) || block.date > 0 {
            return false;
        }
        to_lowercase(page.text(place), &mut small);
        let (mut all, mut known) = (0, 0);
        for word in words(&small) {
            all += 1;
            known += u32::from(title.contains(word));
        }
        all > 0 && known * 2 >= all && known * 4 >= title.len() as u32
    })
}

pub(super) fn is_linked(block: &BlockFacts) -> bool {
    block.text.link_words > 0 && block.text.link_words * 2 >= block.text.words
}

/// Prices behind a link, as cards of a list have them, and the others.
fn cards(facts: &Facts, marked: &[Marked], take: &mut dyn FnMut(&'static str, u8)) {
    let (mut on_cards, mut others) = (0, 0);
    for (at, mark) in marked.iter().enumerate() {
        if mark.has(Marked::PRICE) {
            let names = &facts.blocks[at.saturating_sub(NAME)..=at];
            match names.iter().any(is_linked) {
                true => on_cards += 1,
                false => others += 1,
            }
        }
    }
    take("card-prices", level(on_cards));
    take("other-prices", level(others));
}

/// What share of the words is in parts that have siblings of their kind, how many of them there are, and their size.
fn repeated_parts(facts: &Facts, take: &mut dyn FnMut(&'static str, u8)) {
    let (mut words, mut plain, mut long) = (0, 0, 0);
    let mut most: Option<&BlockFacts> = None;
    for block in &facts.blocks {
        if block.repeated >= REPEATED {
            words += block.text.words;
            plain += block.text.words - block.text.link_words.min(block.text.words);
            long += u32::from(block.is_long());
            if most.is_none_or(|most| block.repeated > most.repeated) {
                most = Some(block);
            }
        }
    }
    take("repeated-share", eighths(words, facts.document.words));
    let all_plain = facts.document.words - facts.document.link_words.min(facts.document.words);
    take("repeated-plain-share", eighths(plain, all_plain));
    take("repeated-long", eighths(long, facts.document.long));
    take("most-siblings", level(most.map_or(0, |block| block.repeated)));
}
