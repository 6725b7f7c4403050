//! How much text stands where: sums over the runs of a page, so that a range costs two look-ups.

use std::ops::Range;

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::{Page, Run};

use crate::head::HEADINGS;
use crate::outline::Outline;

/// Letters of text outside of links, of that in lines that are like paragraphs, and of all text, before
/// each run of a page.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    plain: Vec<u32>,
    solid: Vec<u32>,
    all: Vec<u32>,
}

/// Minimum letters outside of links of a line that is like a paragraph; of a shorter one, one letter in
/// [`SHORT_LINE`] counts.
const PARAGRAPH: u32 = 60;
const SHORT_LINE: u32 = 4;

/// Elements between a card's link and its text.
const CARD: usize = 6;

/// What a letter of the scripts that have no spaces is worth: two of them are about a word.
const DENSE: u32 = 3;

/// Minimum ratio of hidden to shown text of a page that a script reveals.
const REVEALED: usize = 2;

/// Divisor of the weight of a block that the labeller takes for noise.
const NOISE: u32 = 8;

impl Weights {
    /// Weighs the text of a page; that of elements that are left out, and of hidden ones, weighs
    /// nothing, unless nearly all of the page is hidden until a script shows it. `content` is whether each block is content, where that is known.
    pub(crate) fn measure(
        page: &Page,
        outline: &Outline,
        content: Option<&[bool]>,
        left_out: &dyn Fn(u32) -> bool,
    ) -> Weights {
        let links = links(page);
        let is_hidden = |run: &Run| page.elements[run.element as usize].hidden;
        let (hidden, shown): (Vec<&Run>, Vec<&Run>) = page.runs.iter().partition(|run| is_hidden(run));
        let bytes = |runs: Vec<&Run>| runs.iter().map(|run| run.text.len()).sum::<usize>();
        let is_revealed = bytes(shown) * REVEALED < bytes(hidden);
        let mut weights = Weights {
            plain: vec![0],
            solid: Vec::new(),
            all: vec![0],
        };
        let (mut plain, mut all) = (0u32, 0u32);
        let (mut block, mut is_card_text) = (NONE, false);
        for (at, run) in page.runs.iter().enumerate() {
            if outline.block(at) != block {
                block = outline.block(at);
                is_card_text = is_text_of_card(page, block as usize, &links);
            }
            let element = &page.elements[run.element as usize];
            let is_text = element.tag != Tag::Img || page.formula(run.element).is_some();
            if (!element.hidden || is_revealed) && is_text && !left_out(run.element) {
                let is_noise = content.is_some_and(|content| !content[outline.block(at) as usize]);
                let own = letters(page.run_text(run)) / if is_noise { NOISE } else { 1 };
                all = all.saturating_add(own);
                let is_plain = links[run.element as usize] == NONE || is_card_text;
                if is_plain || is_address(page.run_text(run)) {
                    plain = plain.saturating_add(own);
                }
            }
            weights.plain.push(plain);
            weights.all.push(all);
        }
        weights.solid = weights.of_paragraphs(page);
        weights
    }

    /// The letters outside of links again, as far as they are in lines that are like paragraphs, or
    /// preformatted.
    fn of_paragraphs(&self, page: &Page) -> Vec<u32> {
        let mut sums = Vec::with_capacity(self.plain.len());
        sums.push(0);
        let mut sum = 0u32;
        for (at, block) in page.blocks.iter().enumerate() {
            let runs = block.runs.start as usize..block.runs.end as usize;
            let is_long = self.plain(&runs) >= PARAGRAPH || page.is_same_pre(at);
            for run in runs {
                let own = self.plain[run + 1] - self.plain[run];
                sum = sum.saturating_add(if is_long { own } else { own / SHORT_LINE });
                sums.push(sum);
            }
        }
        sums
    }

    /// The letters of some runs that are in no link, those of short lines a quarter.
    pub(crate) fn solid(&self, runs: &Range<usize>) -> u32 {
        between(&self.solid, runs)
    }

    /// The letters of some runs that are in no link.
    pub(crate) fn plain(&self, runs: &Range<usize>) -> u32 {
        between(&self.plain, runs)
    }

    /// All letters of some runs.
    pub(crate) fn all(&self, runs: &Range<usize>) -> u32 {
        between(&self.all, runs)
    }
}

fn between(sums: &[u32], runs: &Range<usize>) -> u32 {
    sums[runs.end.max(runs.start)] - sums[runs.start]
}

/// The letters and digits of a text; those of scripts without spaces count more.
pub(crate) fn letters(text: &str) -> u32 {
    let own = text.chars().filter(|letter| letter.is_alphanumeric());
    own.map(|letter| if letter >= '\u{2e80}' { DENSE } else { 1 })
        .sum()
}

/// Whether a text is an address: a link that shows where it leads is what a writer wrote, no part of a menu.
fn is_address(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("https://") || text.starts_with("http://")
}

/// The link around each element, or [`NONE`].
fn links(page: &Page) -> Vec<u32> {
    let mut links = vec![NONE; page.elements.len()];
    for (at, element) in page.elements.iter().enumerate() {
        let around = links.get(element.parent as usize).copied().unwrap_or(NONE);
        let is_link = element.tag == Tag::A && page.attribute(at as u32, Attr::Href).is_some();
        let own = if is_link { at as u32 } else { around };
        // A paragraph in a link that also holds a heading is the text of a card.
        let is_card = own != NONE && element.tag == Tag::P && holder_of_heading(page, at as u32);
        links[at] = if is_card { NONE } else { own };
    }
    links
}

/// Whether a line is as long as a paragraph, and in a link with the line before it: the text of a card that is one link.
/// A long heading is so only behind another.
fn is_text_of_card(page: &Page, block: usize, links: &[u32]) -> bool {
    let link_of = |run: u32| links[page.runs[run as usize].element as usize];
    let own = &page.blocks[block];
    let runs = &own.runs;
    let link = link_of(runs.start);
    let is_title = || {
        HEADINGS.contains(&page.elements[own.element as usize].tag) && !holder_of_heading(page, own.element)
    };
    link != NONE
        && block > 0
        && link_of(runs.end - 1) == link
        && link_of(runs.start - 1) == link
        && letters(page.text(own)) >= PARAGRAPH
        && !is_title()
}

/// Whether the nearest link around an element also holds a heading before it.
fn holder_of_heading(page: &Page, element: u32) -> bool {
    let link = page
        .ancestors(element)
        .take(CARD)
        .find(|&up| page.elements[up as usize].tag == Tag::A);
    link.is_some_and(|link| {
        (link..element)
            .take(CARD * CARD)
            .any(|at| HEADINGS.contains(&page.elements[at as usize].tag))
    })
}
