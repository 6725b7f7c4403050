//! Sums over the subtree of each element, and densities from them.

use std::sync::LazyLock;

use gleaner_page::{NONE, Page, Tag};

use super::{BlockFacts, Facts, Holds, share};

/// What an element and its descendants hold of the blocks' text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) chars: u32,
    pub(crate) link_chars: u32,
    pub(crate) words: u32,
    pub(crate) link_words: u32,
    pub(crate) commas: u32,
    /// `<p>` elements, itself included.
    pub(crate) paragraphs: u32,
    /// `<a>` elements, itself included.
    pub(crate) links: u32,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.chars += other.chars;
        self.link_chars += other.link_chars;
        self.words += other.words;
        self.link_words += other.link_words;
        self.commas += other.commas;
        self.paragraphs += other.paragraphs;
        self.links += other.links;
    }

    /// The share of words inside links.
    pub(crate) fn link_share(&self) -> f32 {
        share(self.link_words, self.words)
    }
}

impl Facts {
    /// Sums up from the leaves. The sums of an element's own text are there already.
    pub(super) fn sum_subtrees(&mut self, page: &Page) {
        for (at, element) in page.elements.iter().enumerate().rev() {
            let sums = &mut self.sums[at];
            sums.paragraphs += u32::from(element.tag == Tag::P);
            sums.links += u32::from(element.tag == Tag::A);
            let own = *sums;
            if element.parent != NONE {
                self.sums[element.parent as usize].add(&own);
            }
        }
    }

    /// Measures the densities of the elements that have text, and counts those of the same kind.
    pub(super) fn compare_elements(&mut self, page: &Page) {
        self.density_sums.clear();
        self.density_sums.resize(self.sums.len(), 0.0);
        let Some(&whole) = self.sums.first() else {
            return;
        };
        let mut formula = CompositeDensity::new(whole);
        self.siblings.begin_page(page);
        for (at, element) in page.elements.iter().enumerate() {
            let sums = &self.sums[at];
            if sums.chars == 0 {
                continue;
            }
            let facts = &mut self.elements[at];
            if Holds::are_compared(&self.holds, at, element.parent) {
                facts.alike = self.siblings.count(element.parent, facts.kind_key);
            }
            facts.density = formula.of(sums, facts.below);
            if element.parent != NONE {
                self.density_sums[element.parent as usize] += facts.density;
            }
        }
    }

    /// Finds the elements that are most likely to hold the text, and how far each block is from them.
    pub(super) fn choose_elements(&mut self, page: &Page) {
        let readable = self.most_readable();
        let (mut densest, mut most) = (0, f32::MIN);
        for (at, &sum) in self.density_sums.iter().enumerate() {
            if sum > most {
                (densest, most) = (at as u32, sum);
            }
        }
        for (at, holds) in self.holds.iter().enumerate() {
            if *holds >= Holds::Block && self.sums[at].chars > 0 {
                let facts = &mut self.elements[at];
                facts.alike = self.siblings.alike(facts.alike);
            }
        }
        self.document.best_density_sum = most.max(f32::MIN_POSITIVE);
        self.document.densest = densest;
        // An element and how far it is from the densest: neighbours often have the same parent.
        let mut above = (NONE, 0);
        for block in &mut self.blocks {
            let [own, parent, ..] = block.up;
            block.in_readable = levels_below(page, own, readable);
            block.in_densest = levels_below(page, own, densest);
            block.to_densest = match u32::try_from(block.in_densest) {
                Ok(levels) => levels,
                Err(_) if holds(page, own, densest) => 0,
                Err(_) => {
                    if above.0 != parent {
                        above = (parent, levels_to(page, parent, densest));
                    }
                    above.1 + 1
                }
            };
        }
    }

    /// The element whose children and grandchildren hold most running text, as readability scores it; of equal ones
    /// the first, and [`NONE`] where there is none.
    fn most_readable(&mut self) -> u32 {
        let Facts {
            blocks,
            sums,
            paragraph_scores: scores,
            ..
        } = self;
        scores.clear();
        scores.resize(sums.len(), 0.0);
        let running = || blocks.iter().filter(|block| block.is_running_text(10, 0.5));
        for block in running() {
            let score = 1.0 + (block.text.words as f32 / 20.0).min(5.0);
            scores[block.up[1] as usize] += score;
            scores[block.up[2] as usize] += score / 2.0;
        }
        let (mut readable, mut best) = (NONE, 0.0);
        for at in running().flat_map(|block| [block.up[1], block.up[2]]) {
            let sums = &sums[at as usize];
            let score = scores[at as usize] * (1.0 - share(sums.link_chars, sums.chars));
            if score > best || (score == best && at < readable && readable != NONE) {
                (readable, best) = (at, score);
            }
        }
        readable
    }
}

impl BlockFacts {
    /// At least this many words, and less than this share of them inside links.
    pub(super) fn is_running_text(&self, words: u32, links: f32) -> bool {
        self.text.words >= words && (self.text.link_words as f32) < links * self.text.words as f32
    }
}

/// How far an element is below another: 0 for the same, -1 if it is not inside.
pub(super) fn levels_below(page: &Page, element: u32, above: u32) -> i32 {
    let Some(outer) = page.elements.get(above as usize) else {
        return -1;
    };
    if !(above..outer.end).contains(&element) {
        return -1;
    }
    i32::from(page.elements[element as usize].depth) - i32::from(outer.depth)
}

/// How many elements up from one there is another that holds a third.
fn levels_to(page: &Page, element: u32, inner: u32) -> u32 {
    let mut levels = page.ancestors(element);
    levels.position(|up| holds(page, up, inner)).unwrap_or(0) as u32
}

/// Whether an element is another or holds it.
fn holds(page: &Page, element: u32, inner: u32) -> bool {
    (element..page.elements[element as usize].end).contains(&inner)
}

/// Composite text density (Sun, Song and Liao 2011; Lutz and Heuser 2013, section 2): characters
/// a tag, times a logarithm that falls with the share of links. That of [`composite_density`] in single
/// precision, which is quicker, and other where there are no links: models are trained on these numbers.
///
/// [`composite_density`]: crate::composite_density
struct CompositeDensity {
    whole: Sums,
    /// Numbers of characters, and of those in links, with what [`base`](Self::base) is for them: many elements have
    /// the same.
    known: [(u32, u32, f32); KNOWN],
}

/// How many of them are remembered.
const KNOWN: usize = 128;

impl CompositeDensity {
    /// For a document that has this.
    fn new(whole: Sums) -> CompositeDensity {
        CompositeDensity {
            whole,
            known: [(0, 0, 0.0); KNOWN],
        }
    }

    /// The density of an element that has this, with `below` tags inside.
    fn of(&mut self, own: &Sums, below: u32) -> f32 {
        if own.chars == 0 {
            return 0.0;
        }
        let (chars, tags) = (own.chars as f32, least_one(below));
        let ratio = chars / least_one(own.link_chars) * tags / least_one(own.links);
        chars / tags * (logarithm(ratio.max(1e-9)) / self.base(own))
    }

    /// The logarithm of the logarithm's base.
    fn base(&mut self, own: &Sums) -> f32 {
        let known = &mut self.known[(own.chars << 1 | u32::from(own.link_chars > 0)) as usize % KNOWN];
        if (known.0, known.1) != (own.chars, own.link_chars) {
            let (chars, links) = (own.chars as f32, own.link_chars as f32);
            let plain = least_one(own.chars - own.link_chars);
            let base = (chars / plain * links
                + self.whole.link_chars as f32 / least_one(self.whole.chars) * chars
                + std::f32::consts::E)
                .ln();
            *known = (own.chars, own.link_chars, base.ln().max(1e-3));
        }
        known.2
    }
}

/// The natural logarithm. Those of small whole numbers are remembered: an element with a short text and no elements inside
/// asks for no others.
fn logarithm(number: f32) -> f32 {
    let whole = number as usize;
    match REMEMBERED.get(whole) {
        Some(&logarithm) if whole as f32 == number => logarithm,
        _ => number.ln(),
    }
}

static REMEMBERED: LazyLock<[f32; 512]> = LazyLock::new(|| std::array::from_fn(|whole| (whole as f32).ln()));

fn least_one(count: u32) -> f32 {
    count.max(1) as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ElementDensity, composite_density};

    proptest! {
        #[test]
        fn with_links_it_is_the_density_of_the_paper(
            (plain, link_chars) in (0u32..5000, 1u32..2000),
            (rest, rest_of_links) in (0u32..100_000, 0u32..50_000),
            (tags, links) in (0u32..300, 0u32..100),
        ) {
            let own = Sums { chars: plain + link_chars, link_chars, links, ..Sums::default() };
            let whole = Sums {
                chars: own.chars + rest + rest_of_links,
                link_chars: link_chars + rest_of_links,
                ..Sums::default()
            };
            let in_double = |sums: &Sums, tags| ElementDensity {
                chars: sums.chars,
                link_chars: sums.link_chars,
                tags,
                links: sums.links,
                ..ElementDensity::default()
            };
            let expected = composite_density(&in_double(&own, tags), &in_double(&whole, 0));
            let found = f64::from(CompositeDensity::new(whole).of(&own, tags));
            let scale = expected.abs() + f64::from(own.chars) / f64::from(tags.max(1));
            prop_assert!((found - expected).abs() < 1e-4 * scale, "{found} {expected}");
        }
    }

    #[test]
    fn remembered_logarithms_are_the_same() {
        for number in [0.0, 0.5, 1.0, 1.5, 7.0, 511.0, 511.5, 512.0, 1e9, f32::MAX] {
            assert_eq!(logarithm(number).to_bits(), number.ln().to_bits(), "{number}");
        }
    }

    #[test]
    fn denominators_of_zero_are_one() {
        let own = Sums {
            chars: 100,
            ..Sums::default()
        };
        // 100 * ln(100) / ln(ln(e)): the inner logarithm is bounded away from zero.
        assert!((CompositeDensity::new(own).of(&own, 0) - 100.0 * 100f32.ln() / 1e-3).abs() < 1e3);
        assert_eq!(CompositeDensity::new(own).of(&Sums::default(), 3), 0.0);
    }
}
