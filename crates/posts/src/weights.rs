//! How much text stands where: sums over the runs of a page, so that a range costs two look-ups.

use std::ops::Range;

use gleaner_page::{Attr, Page, Tag};

use crate::outline::Outline;

/// Letters of text outside of links, and of all text, before each run of a page.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    plain: Vec<u32>,
    all: Vec<u32>,
}

/// What a letter of the scripts that have no spaces is worth: two of them are about a word.
const DENSE: u32 = 3;

/// A block that the labeller takes for noise counts this much less.
const NOISE: u32 = 8;

impl Weights {
    /// Weighs the text of a page; that of elements that are left out, and of hidden ones, weighs
    /// nothing. `content` says of each block whether it is content, where that is known.
    pub(crate) fn measure(
        page: &Page,
        outline: &Outline,
        content: Option<&[bool]>,
        left_out: &dyn Fn(u32) -> bool,
    ) -> Weights {
        let linked = linked(page);
        let mut weights = Weights::default();
        let (mut plain, mut all) = (0u32, 0u32);
        weights.plain.push(0);
        weights.all.push(0);
        for (at, run) in page.runs.iter().enumerate() {
            let element = &page.elements[run.element as usize];
            if !element.hidden && element.tag != Tag::Img && !left_out(run.element) {
                let is_noise = content.is_some_and(|content| !content[outline.block(at) as usize]);
                let own = letters(page.run_text(run)) / if is_noise { NOISE } else { 1 };
                all = all.saturating_add(own);
                if !linked[run.element as usize] {
                    plain = plain.saturating_add(own);
                }
            }
            weights.plain.push(plain);
            weights.all.push(all);
        }
        weights
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

/// Whether each element stands in a link.
fn linked(page: &Page) -> Vec<bool> {
    let mut linked = vec![false; page.elements.len()];
    for (at, element) in page.elements.iter().enumerate() {
        let around = linked.get(element.parent as usize).copied().unwrap_or_default();
        let own = element.tag == Tag::A && page.attribute(at as u32, Attr::Href).is_some();
        linked[at] = around || own;
    }
    linked
}
