//! Text density of every element, and content extraction by it (Sun, Song and Liao 2011, in the form of Lutz and Heuser
//! 2013, section 2).
//!
//! In: a page. Out: for each element its numbers of characters and tags, in links and in all, its text density, its
//! composite text density and its density sum ([`ElementDensity`]); and the blocks that the extractor of the paper keeps
//! ([`Densities::content_blocks`]).
//!
//! Content has much text in few tags and few links. The *text density* of an element is its number of characters a tag. The
//! *composite* text density multiplies it by a logarithm that falls with the share of links. The *density sum* is the sum of
//! the composite text densities of the children: single elements are noisy, sums less so.
//!
//! One pass over the tree from the leaves up, in linear time and memory. The columns of the features module `density` use the
//! same formula in single precision, and another bound where a page has no links: trained models depend on those.

use gleaner_html::{NONE, Tag};
use gleaner_page::{Block, Page};

/// Densities that differ by less count as equal: sums of the same numbers in another order.
const NEAR: f64 = 1e-9;

/// The densities of an element, and the counts that they are computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementDensity {
    /// `C`: characters; white space between words counts as one.
    pub chars: u32,
    /// `CL`: characters in links.
    pub link_chars: u32,
    /// `T`: elements below it.
    pub tags: u32,
    /// `TL`: `<a>` elements, with itself.
    pub links: u32,
    /// Text density: characters a tag.
    pub text: f64,
    /// Composite text density; zero without characters.
    pub composite: f64,
    /// Density sum: the sum of the composite text densities of its children.
    pub sum: f64,
}

/// The densities of a page's elements.
///
/// ```
/// use gleaner_results::Densities;
/// use gleaner_page::{PageConfig, Parser};
///
/// let html = "<ul><li><a>Home</a><li><a>About</a></ul><div><p>Much stands here, and more.<p>And on.</div>";
/// let mut parser = Parser::new(PageConfig::default());
/// let page = parser.parse(html.as_bytes(), None)?;
/// let kept = Densities::new(page).content_blocks(page);
/// assert_eq!(kept, [false, false, true, true]);
/// # Ok::<(), gleaner_html::PageError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Densities {
    elements: Vec<ElementDensity>,
    /// For each element, the element with the largest density sum among it and its descendants; of several the first in the
    /// document.
    best: Vec<u32>,
}

/// Composite text density as the paper prints it: `C/T · log_B(C/CL · T/TL)` with
/// `B = ln(C/¬CL · CL + CL_b/C_b · C + e)`, where `b` is the body and `¬CL` what is not in links.
/// Denominators of zero are replaced by one, also `ln B` (which is zero without links).
pub fn composite_density(own: &ElementDensity, body: &ElementDensity) -> f64 {
    if own.chars == 0 {
        return 0.0;
    }
    let (chars, links) = (f64::from(own.chars), f64::from(own.link_chars));
    let tags = at_least_one(own.tags);
    let plain = at_least_one(own.chars - own.link_chars);
    let body_share = f64::from(body.link_chars) / at_least_one(body.chars);
    let base = (chars / plain * links + body_share * chars + std::f64::consts::E).ln();
    let ratio = chars / at_least_one(own.link_chars) * (tags / at_least_one(own.links));
    let divisor = match base.ln() {
        zero if zero <= 0.0 => 1.0,
        ln => ln,
    };
    chars / tags * (ratio.ln() / divisor)
}

/// Whether a density is at least another, but for rounding.
fn at_least(one: f64, other: f64) -> bool {
    one >= other - NEAR * (1.0 + other.abs())
}

fn at_least_one(count: u32) -> f64 {
    f64::from(count.max(1))
}

impl Densities {
    /// The densities of a page.
    pub fn new(page: &Page) -> Densities {
        let mut densities = Densities {
            elements: own_text(page),
            best: (0..page.elements.len() as u32).collect(),
        };
        densities.sum_up(page);
        densities
    }

    /// The densities of the elements, by their index on the page.
    pub fn elements(&self) -> &[ElementDensity] {
        &self.elements
    }

    /// From the last element to the first: children before their parents.
    fn sum_up(&mut self, page: &Page) {
        let body = self
            .elements
            .iter()
            .fold(ElementDensity::default(), |mut all, own| {
                all.chars += own.chars;
                all.link_chars += own.link_chars;
                all
            });
        for at in (0..self.elements.len()).rev() {
            let element = &page.elements[at];
            let own = &mut self.elements[at];
            own.tags = element.end.saturating_sub(at as u32 + 1);
            own.links += u32::from(element.tag == Tag::A);
            own.text = f64::from(own.chars) / at_least_one(own.tags);
            own.composite = composite_density(own, &body);
            let own = *own;
            if at_least(own.sum, self.sum_of(self.best[at])) {
                self.best[at] = at as u32;
            }
            if element.parent != NONE {
                self.add_to(element.parent as usize, &own, self.best[at]);
            }
        }
    }

    /// Adds the counts of a child to its parent. The parent has no densities yet, so that its sum is not compared.
    fn add_to(&mut self, parent: usize, child: &ElementDensity, best: u32) {
        let is_first = self.best[parent] == parent as u32;
        if is_first || at_least(self.sum_of(best), self.sum_of(self.best[parent])) {
            self.best[parent] = best;
        }
        let parent = &mut self.elements[parent];
        parent.chars += child.chars;
        parent.link_chars += child.link_chars;
        parent.links += child.links;
        parent.sum += child.composite;
    }

    fn sum_of(&self, element: u32) -> f64 {
        self.elements[element as usize].sum
    }

    /// Whether each element is in content, by the extractor of Sun et al. The threshold is the smallest composite density on
    /// the path from the element with the largest density sum up to `<body>`. From `<body>` down, for each element that
    /// reaches the threshold, the element with the largest density sum among it and its descendants is content with all
    /// its descendants.
    pub fn content_elements(&self, page: &Page) -> Vec<bool> {
        let mut content = vec![false; page.elements.len()];
        let is_body = |at: &usize| page.elements[*at].tag == Tag::Body;
        let body = (0..page.elements.len()).find(is_body).unwrap_or(0);
        let Some(threshold) = self.threshold(page, body) else {
            return content;
        };
        let mut waiting = vec![body];
        while let Some(at) = waiting.pop() {
            if content[at] || !at_least(self.elements[at].composite, threshold) {
                continue;
            }
            let best = self.best[at] as usize;
            if !content[best] {
                content[best..page.elements[best].end as usize].fill(true);
            }
            waiting.extend(children(page, at));
        }
        content
    }

    /// The threshold; none if the page has no elements.
    fn threshold(&self, page: &Page, body: usize) -> Option<f64> {
        let &best = self.best.get(body)?;
        let path = page.ancestors(best).take_while(|&up| up as usize >= body);
        path.map(|up| self.elements[up as usize].composite)
            .min_by(f64::total_cmp)
    }

    /// Whether each block is content: at least half of its text is in elements of content.
    pub fn content_blocks(&self, page: &Page) -> Vec<bool> {
        let content = self.content_elements(page);
        let is_content = |block: &Block| {
            let (mut inside, mut all) = (0, 0);
            for run in page.runs(block) {
                all += run.text.len();
                inside += usize::from(content[run.element as usize]) * run.text.len();
            }
            2 * inside >= all
        };
        page.blocks.iter().map(is_content).collect()
    }
}

/// The characters directly in each element.
fn own_text(page: &Page) -> Vec<ElementDensity> {
    let mut in_link: Vec<bool> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let above = element.parent != NONE && in_link[element.parent as usize];
        in_link.push(above || element.tag == Tag::A);
    }
    let mut own = vec![ElementDensity::default(); page.elements.len()];
    for run in &page.runs {
        let chars = page.run_text(run).chars().count() as u32;
        let element = &mut own[run.element as usize];
        element.chars += chars;
        element.link_chars += u32::from(in_link[run.element as usize]) * chars;
    }
    own
}

/// The children of an element, in document order.
fn children(page: &Page, element: usize) -> impl Iterator<Item = usize> + '_ {
    let end = page.elements[element].end as usize;
    let next = move |&at: &usize| Some(page.elements[at].end as usize).filter(|&next| next < end);
    std::iter::successors(Some(element + 1).filter(|&first| first < end), next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composite_density_is_the_papers_formula() {
        let body = ElementDensity {
            chars: 1000,
            link_chars: 100,
            ..ElementDensity::default()
        };
        let own = ElementDensity {
            chars: 200,
            link_chars: 20,
            tags: 4,
            links: 2,
            ..ElementDensity::default()
        };
        let base: f64 = (200.0 / 180.0 * 20.0 + 100.0 / 1000.0 * 200.0 + std::f64::consts::E).ln();
        let expected = 200.0 / 4.0 * (200.0f64 / 20.0 * 4.0 / 2.0).log(base);
        assert!((composite_density(&own, &body) - expected).abs() < 1e-9);
    }

    #[test]
    fn denominators_of_zero_are_one() {
        let own = ElementDensity {
            chars: 100,
            ..ElementDensity::default()
        };
        // Without links the base is ln(e) = 1, and its logarithm zero.
        assert!((composite_density(&own, &own) - 100.0 * 100f64.ln()).abs() < 1e-9);
        assert_eq!(composite_density(&ElementDensity::default(), &own), 0.0);
        let link = ElementDensity {
            chars: 10,
            link_chars: 10,
            links: 1,
            ..ElementDensity::default()
        };
        assert_eq!(composite_density(&link, &own), 0.0);
    }

    #[test]
    fn a_page_without_text_has_no_content() {
        let densities = Densities::new(&Page::default());
        assert!(densities.elements().is_empty() && densities.content_blocks(&Page::default()).is_empty());
    }
}
