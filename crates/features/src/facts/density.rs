//! Sums over the subtree of each element, and densities from them.

use gleaner_columns::{logarithm, widest};
use gleaner_html::{NONE, Tag};
use gleaner_page::Page;

use super::{BlockFacts, Facts, Holds, share};

/// What an element and its descendants hold of the blocks' text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementSums {
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

impl ElementSums {
    fn add(&mut self, other: &ElementSums) {
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
        let Some(whole) = self.sums.first() else {
            return;
        };
        self.densities.asked.clear();
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
            self.densities.push(at as u32, sums, facts.below);
        }
        for (at, density) in self.densities.measure(whole) {
            self.elements[at as usize].density = density;
            let parent = page.elements[at as usize].parent;
            if parent != NONE {
                self.density_sums[parent as usize] += density;
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

/// Elements whose densities are computed at a time: as many as a vector has lanes, or a whole number of vectors.
const LANES: usize = 16;

/// The counts of elements with text from which composite text density follows, and its value.
#[derive(Clone, Debug, Default)]
pub(super) struct CompositeDensities {
    asked: Vec<Asked>,
    found: Vec<f32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    element: u32,
    chars: u32,
    link_chars: u32,
    /// Tags inside.
    below: u32,
    links: u32,
}

impl CompositeDensities {
    #[inline]
    fn push(&mut self, element: u32, own: &ElementSums, below: u32) {
        self.asked.push(Asked {
            element,
            chars: own.chars,
            link_chars: own.link_chars,
            below,
            links: own.links,
        });
    }

    /// The densities of the elements of a document that has this as a whole.
    fn measure(&mut self, whole: &ElementSums) -> impl Iterator<Item = (u32, f32)> {
        let share = whole.link_chars as f32 / least_one(whole.chars);
        self.found.clear();
        self.found.resize(self.asked.len(), 0.0);
        widest(
            #[inline(always)]
            || {
                for (asked, found) in self.asked.chunks(LANES).zip(self.found.chunks_mut(LANES)) {
                    let mut lanes = Lanes::default();
                    for (lane, own) in asked.iter().enumerate() {
                        lanes.fill(lane, own);
                    }
                    found.copy_from_slice(&lanes.densities(share)[..found.len()]);
                }
            },
        );
        let elements = self.asked.iter().map(|asked| asked.element);
        elements.zip(self.found.iter().copied())
    }
}

/// The counts of some elements, lane by lane of vectors.
#[derive(Default)]
struct Lanes {
    chars: [u32; LANES],
    link_chars: [u32; LANES],
    below: [u32; LANES],
    links: [u32; LANES],
}

impl Lanes {
    #[inline(always)]
    fn fill(&mut self, lane: usize, own: &Asked) {
        self.chars[lane] = own.chars;
        self.link_chars[lane] = own.link_chars;
        self.below[lane] = own.below;
        self.links[lane] = own.links;
    }

    /// Composite text density (Sun, Song and Liao 2011; Lutz and Heuser 2013, section 2): characters
    /// a tag, times a logarithm that falls with the share of links. In single precision, which is
    /// quicker, and bounded where there are no links: models are trained on these numbers.
    /// `share` is that of the characters in links in the whole document.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "one step of all lanes after the other is what becomes vectors"
    )]
    fn densities(&self, share: f32) -> [f32; LANES] {
        let [mut ratios, mut bases, mut texts] = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            let (chars, tags) = (self.chars[lane] as f32, least_one(self.below[lane]));
            let link_chars = self.link_chars[lane];
            let plain = least_one(self.chars[lane] - link_chars);
            let ratio = chars / least_one(link_chars) * tags / least_one(self.links[lane]);
            ratios[lane] = ratio.max(1e-9);
            bases[lane] = chars / plain * link_chars as f32 + share * chars + std::f32::consts::E;
            texts[lane] = chars / tags;
        }
        for lane in 0..LANES {
            bases[lane] = logarithm(bases[lane]);
        }
        for lane in 0..LANES {
            bases[lane] = logarithm(bases[lane]).max(1e-3);
        }
        for lane in 0..LANES {
            ratios[lane] = logarithm(ratios[lane]);
        }
        for lane in 0..LANES {
            texts[lane] *= ratios[lane] / bases[lane];
        }
        texts
    }
}

#[inline(always)]
fn least_one(count: u32) -> f32 {
    count.max(1) as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The density of one element that has this, with `tags` tags inside, in a document that has that.
    fn density(own: &ElementSums, below: u32, whole: &ElementSums) -> f32 {
        let mut densities = CompositeDensities::default();
        densities.push(7, own, below);
        let found: Vec<(u32, f32)> = densities.measure(whole).collect();
        assert_eq!(found[0].0, 7);
        found[0].1
    }

    /// The formula as the paper prints it (Sun, Song and Liao 2011, equation 6), for an element that has links.
    fn in_double(own: &ElementSums, tags: u32, whole: &ElementSums) -> f64 {
        let at_least_one = |count: u32| f64::from(count.max(1));
        let (chars, links) = (f64::from(own.chars), f64::from(own.link_chars));
        if own.chars == 0 {
            return 0.0;
        }
        let share = f64::from(whole.link_chars) / at_least_one(whole.chars);
        let base =
            (chars / at_least_one(own.chars - own.link_chars) * links + share * chars + std::f64::consts::E)
                .ln();
        let ratio = chars / at_least_one(own.link_chars) * at_least_one(tags) / at_least_one(own.links);
        chars / at_least_one(tags) * ratio.log(base)
    }

    proptest! {
        #[test]
        fn with_links_it_is_the_density_of_the_paper(
            (plain, link_chars) in (0u32..5000, 1u32..2000),
            (rest, rest_of_links) in (0u32..100_000, 0u32..50_000),
            (tags, links) in (0u32..300, 0u32..100),
        ) {
            let own = ElementSums { chars: plain + link_chars, link_chars, links, ..ElementSums::default() };
            let whole = ElementSums {
                chars: own.chars + rest + rest_of_links,
                link_chars: link_chars + rest_of_links,
                ..ElementSums::default()
            };
            let expected = in_double(&own, tags, &whole);
            let found = f64::from(density(&own, tags, &whole));
            let scale = expected.abs() + f64::from(own.chars) / f64::from(tags.max(1));
            prop_assert!((found - expected).abs() < 1e-4 * scale, "{found} {expected}");
        }
    }

    #[test]
    fn denominators_of_zero_are_one() {
        let own = ElementSums {
            chars: 100,
            ..ElementSums::default()
        };
        // 100 * ln(100) / ln(ln(e)): the inner logarithm is bounded away from zero.
        assert!((density(&own, 0, &own) - 100.0 * 100f32.ln() / 1e-3).abs() < 1e3);
    }
}
