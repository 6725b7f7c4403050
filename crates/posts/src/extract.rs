//! From a page to its posts.

use gleaner_page::{Attr, NONE, Page};
use rustc_hash::FxHashSet;

use crate::date::{Partial, read};
use crate::marks::{Bits, Marker};
use crate::outline::Outline;
use crate::platform::recognise;
use crate::rules::{Part, Rules};
use crate::select::Marked;
use crate::text::{line, text};
use crate::{Dated, Day, Found, Post};

/// Posts that are looked for on one page.
const MOST_POSTS: usize = 1000;

/// Finds the posts of pages, one page after the other.
#[derive(Debug)]
pub struct Extractor {
    marker: Marker,
    marks: Vec<Bits>,
    outline: Outline,
}

impl Extractor {
    /// An extractor by some rules.
    pub fn new(rules: Rules) -> Extractor {
        Extractor {
            marker: Marker::new(rules),
            marks: Vec::new(),
            outline: Outline::default(),
        }
    }

    /// The platform and the posts of a page.
    pub fn extract(&mut self, page: &Page) -> Found {
        if page.elements.is_empty() {
            return Found::default();
        }
        self.marker.mark(page, &mut self.marks);
        self.outline.measure(page);
        let rules = self.marker.rules();
        let marked = Marked::new(page, &self.marks, &self.outline);
        let skipped = skipped(rules, &marked);
        let finder = Finder {
            rules,
            marked,
            skipped,
        };
        Found {
            platform: recognise(&rules.platforms, page, &self.marks).map(str::to_owned),
            posts: finder.posts(),
        }
    }

    /// The platform of a page alone.
    pub fn platform(&mut self, page: &Page) -> Option<&str> {
        self.marker.mark(page, &mut self.marks);
        recognise(&self.marker.rules().platforms, page, &self.marks)
    }
}

/// The elements that rules skip, with all below them.
fn skipped(rules: &Rules, marked: &Marked<'_>) -> Vec<bool> {
    let elements = &marked.page.elements;
    let mut skipped = vec![false; elements.len()];
    for (at, element) in elements.iter().enumerate() {
        let around = element.parent != NONE && skipped[element.parent as usize];
        skipped[at] = around || marked.first(rules.of(Part::Skip), at as u32).is_some();
    }
    skipped
}

/// The rules at work on one page.
struct Finder<'a> {
    rules: &'a Rules,
    marked: Marked<'a>,
    skipped: Vec<bool>,
}

impl Finder<'_> {
    /// The algorithm of the paper's section 4: elements that are posts, the text of each, its title,
    /// its date. Of two posts with one text element, such as a post and its body which is named like
    /// one, the outer counts.
    fn posts(&self) -> Vec<Post> {
        let mut taken = FxHashSet::default();
        let elements = 0..self.marked.page.elements.len() as u32;
        let posts = elements.filter_map(|element| {
            self.find(Part::Post, element)?;
            let body = self.find(Part::Text, element)?;
            taken.insert(body).then(|| self.post(element, body))
        });
        posts.take(MOST_POSTS).collect()
    }

    fn find(&self, part: Part, from: u32) -> Option<u32> {
        let wanted = |element: u32| !self.skipped[element as usize];
        self.marked.first_of(self.rules.of(part), from, &wanted)
    }

    fn post(&self, element: u32, body: u32) -> Post {
        let Marked { page, outline, .. } = self.marked;
        let found = |part| {
            let text = line(page, outline, self.find(part, element)?);
            Some(text).filter(|text| !text.is_empty())
        };
        Post {
            title: found(Part::Title),
            published: self.find(Part::Date, element).and_then(|at| self.dated(at)),
            author: found(Part::Author),
            text: text(page, outline, outline.runs(body), &|element| {
                self.skipped[element as usize]
            }),
        }
    }

    /// The date of an element: what it says to machines counts before what it says to people.
    fn dated(&self, element: u32) -> Option<Dated> {
        let Marked { page, outline, .. } = self.marked;
        let text = line(page, outline, element);
        let datetime = page.attribute(element, Attr::Datetime).and_then(Day::from_iso);
        let day = datetime.or_else(|| read(&text, false).and_then(Partial::whole));
        (day.is_some() || !text.is_empty()).then_some(Dated { day, text })
    }
}

#[cfg(test)]
mod tests;
