//! Boxes about the author, above and below posts: no post, and no part of one.

use std::sync::LazyLock;

use gleaner_html::Tag;

use crate::head::{HEADINGS, letters};
use crate::rules::RulePart;
use crate::scene::Scene;

/// Minimum letters of a paragraph in a box about the author; what is shorter is a byline.
const PARAGRAPH: u32 = 60;

/// Maximum size of a box, in multiples of the text of the rest of the page: else it is what the page is about.
const MOST: u32 = 2;

/// Maximum bytes and runs of the heading of a box, and maximum letters behind its phrase: a name.
const LONGEST_HEADING: usize = 160;
const MOST_RUNS: usize = 8;
const LONGEST_NAME: usize = 40;

/// What headings of these boxes begin with.
const PHRASES: &str = include_str!("author_box.txt");

/// Their letters.
static LETTERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lines = PHRASES.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_ascii_whitespace).map(letters).collect()
});

impl Scene<'_> {
    /// Skips the boxes about the author, by their names or by their headings.
    pub(crate) fn skip_author_boxes(&mut self) {
        for at in 0..self.page.elements.len() as u32 {
            // What stands in a box is skipped with it.
            let boxes = if self.skipped[at as usize] {
                Vec::new()
            } else {
                self.author_box(at)
            };
            for own in boxes {
                let below = own as usize..self.page.elements[own as usize].end as usize;
                self.skipped[below].fill(true);
            }
        }
    }

    /// The elements of the box about the author that an element is, or that it is the heading of.
    fn author_box(&self, element: u32) -> Vec<u32> {
        let is_named = self
            .marked
            .first(self.rules.of(RulePart::AuthorBox), element)
            .is_some();
        if is_named && self.is_author_box(&[element]) {
            return vec![element];
        }
        match self.is_heading_of_box(element) {
            true => self.under_heading_of_box(element),
            false => Vec::new(),
        }
    }

    /// Whether elements that may be a box about the author are one: they have a paragraph, and what the page is about
    /// is elsewhere.
    fn is_author_box(&self, elements: &[u32]) -> bool {
        let solid = |at: &u32| self.weights.solid(&self.runs(*at));
        let own: u32 = elements.iter().map(solid).sum();
        let all = self.weights.solid(&(0..self.page.runs.len()));
        let is_apart = |&at: &u32| !self.holds_content(at);
        own >= PARAGRAPH
            && own <= all.saturating_sub(own).saturating_mul(MOST)
            && elements.iter().all(is_apart)
    }

    /// Whether an element holds the page's heading, its main element or a post. (An `<article>` with the name of a box is
    /// a post for its tag alone.)
    fn holds_content(&self, element: u32) -> bool {
        let below = element..self.page.elements[element as usize].end;
        let mut looked_at = below.take_while(|_| self.outline.work.look());
        let is_own_tag = |at: u32| at == element && self.tag(at) == Tag::Article;
        let is_post =
            |at: u32| !is_own_tag(at) && self.marked.first(self.rules.of(RulePart::Post), at).is_some();
        looked_at.any(|at| Some(at) == self.heading || self.tag(at) == Tag::Main || is_post(at))
    }

    /// Whether an element is a heading that announces the author.
    fn is_heading_of_box(&self, element: u32) -> bool {
        let tag = self.tag(element);
        let is_heading = HEADINGS.contains(&tag) || matches!(tag, Tag::B | Tag::Strong | Tag::P);
        let runs = self.runs(element);
        if !is_heading || runs.is_empty() || runs.len() > MOST_RUNS {
            return false;
        }
        let parts = self.page.runs[runs].iter();
        if parts.map(|run| run.text.len()).sum::<usize>() > LONGEST_HEADING {
            return false;
        }
        let text = letters(&self.line(element));
        let rest = LETTERS
            .iter()
            .find_map(|phrase| text.strip_prefix(phrase.as_str()));
        rest.is_some_and(|name| name.chars().count() <= LONGEST_NAME)
    }

    /// The box under a heading: the element that begins with it, else what follows up to the next heading.
    fn under_heading_of_box(&self, heading: u32) -> Vec<u32> {
        let own = self.weights.all(&self.runs(heading));
        let is_alone = |&up: &u32| self.weights.all(&self.runs(up)) == own;
        let anchor = self
            .page
            .ancestors(heading)
            .take_while(is_alone)
            .last()
            .unwrap_or(heading);
        let Some(holder) = self.parent(anchor) else {
            return Vec::new();
        };
        let before = self.runs(holder).start..self.runs(heading).start;
        if self.weights.all(&before) == 0 && self.is_author_box(&[holder]) {
            return vec![holder];
        }
        let end = self.page.elements[holder as usize].end;
        let siblings = std::iter::successors(Some(anchor), |&at| {
            Some(self.page.elements[at as usize].end).filter(|&next| next < end)
        });
        let is_heading = |at: u32| at != anchor && HEADINGS.contains(&self.tag(at));
        let own = siblings.take_while(|&at| self.outline.work.look() && !is_heading(at));
        let own: Vec<u32> = own.collect();
        match self.is_author_box(&own) {
            true => own,
            false => Vec::new(),
        }
    }
}
