//! A page with what is computed once to find its posts.

use std::ops::Range;

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::Page;
use url::Url;

use crate::head::{HEADINGS, Head, MOST_HEADINGS, is_home};
use crate::outline::Outline;
use crate::rules::{RulePart, Rules};
use crate::select::Marked;
use crate::text::{one_line, text};
use crate::weights::Weights;

/// A page, with the results of rules and structure for its elements.
pub(crate) struct Scene<'a> {
    pub(crate) page: &'a Page,
    pub(crate) url: &'a str,
    pub(crate) rules: &'a Rules,
    pub(crate) outline: &'a Outline,
    pub(crate) marked: Marked<'a>,
    /// By element: no part of a post, and nothing of a post is in it.
    pub(crate) skipped: Vec<bool>,
    /// By element: of a post, but not of its text.
    pub(crate) apart: Vec<bool>,
    pub(crate) weights: Weights,
    pub(crate) head: Head,
    /// The heading that has the page's title.
    pub(crate) heading: Option<u32>,
}

/// What stands apart is short; a long text is one, whatever its name. An `<aside>` says so itself, and may hold a life.
const LONGEST_APART: u32 = 300;
const LONGEST_ASIDE: u32 = 600;

impl<'a> Scene<'a> {
    pub(crate) fn new(
        marked: Marked<'a>,
        rules: &'a Rules,
        url: &'a str,
        content: Option<&[bool]>,
    ) -> Scene<'a> {
        let Marked { page, outline, .. } = marked;
        let head = Head::read(page);
        let heading = heading(page, url, &head, outline);
        let skipped = skipped(rules, &marked, heading);
        let weights = Weights::measure(page, outline, content, &|at| skipped[at as usize]);
        let mut scene = Scene {
            page,
            url,
            rules,
            outline,
            marked,
            skipped,
            apart: Vec::new(),
            weights,
            head,
            heading,
        };
        scene.skip_author_boxes();
        scene.apart = scene.find_apart();
        scene.weights = Weights::measure(page, outline, content, &|at| {
            scene.skipped[at as usize] || scene.apart[at as usize]
        });
        scene
    }

    /// Elements that stand apart by rules; none that holds a post.
    fn find_apart(&self) -> Vec<bool> {
        let elements = &self.page.elements;
        let is = |part, at: usize| self.marked.first(self.rules.of(part), at as u32).is_some();
        let posts: Vec<u32> = (0..elements.len() as u32)
            .filter(|&at| is(RulePart::Post, at as usize))
            .collect();
        let is_short = |at: u32| {
            let longest = if self.tag(at) == Tag::Aside {
                LONGEST_ASIDE
            } else {
                LONGEST_APART
            };
            self.weights.plain(&self.runs(at)) <= longest
        };
        let mut apart = vec![false; elements.len()];
        for (at, element) in elements.iter().enumerate() {
            let around = element.parent != NONE && apart[element.parent as usize];
            let next = posts.partition_point(|&post| post < at as u32);
            let holds_post = || posts.get(next).is_some_and(|&post| post < element.end);
            apart[at] = around || (is(RulePart::Apart, at) && is_short(at as u32) && !holds_post());
        }
        apart
    }

    /// The runs below an element.
    pub(crate) fn runs(&self, element: u32) -> Range<usize> {
        self.outline.runs(element)
    }

    /// Whether an element is another one or stands in it.
    pub(crate) fn is_within(&self, element: u32, around: u32) -> bool {
        (around..self.page.elements[around as usize].end).contains(&element)
    }

    pub(crate) fn tag(&self, element: u32) -> Tag {
        self.page.elements[element as usize].tag
    }

    pub(crate) fn parent(&self, element: u32) -> Option<u32> {
        Some(self.page.elements[element as usize].parent).filter(|&parent| parent != NONE)
    }

    /// The text of an element on one line, without what is skipped.
    pub(crate) fn line(&self, element: u32) -> String {
        let left_out = |at: u32| self.skipped[at as usize] && !self.skipped[element as usize];
        one_line(&text(self.page, self.outline, self.runs(element), &left_out))
    }

    /// The first element that the rules of a part lead to, of those that are not skipped and are
    /// wanted.
    pub(crate) fn find(&self, part: RulePart, from: u32, wanted: &dyn Fn(u32) -> bool) -> Option<u32> {
        let wanted = |element: u32| !self.skipped[element as usize] && wanted(element);
        self.marked.first_of(self.rules.of(part), from, &wanted)
    }
}

/// The heading that has the page's title: a link to the page, but one that only repeats the heading that agrees with the
/// head, as a list of recent posts does.
fn heading(page: &Page, url: &str, head: &Head, outline: &Outline) -> Option<u32> {
    let agreeing = head.heading(page, outline);
    let own = own_heading(page, url).filter(|_| !head.is_exact(page, agreeing, outline));
    own.or(agreeing)
}

/// The heading that is a link to its own page: that page's, whatever the head says.
fn own_heading(page: &Page, url: &str) -> Option<u32> {
    let own = Url::parse(url)
        .ok()
        .filter(|url| !is_home(url.path()) && url.query().is_none())?;
    let leads_here = |at: u32| {
        let below = at..page.elements[at as usize].end;
        let links = below.filter(|&at| page.elements[at as usize].tag == Tag::A);
        let mut hrefs = links.filter_map(|at| page.attribute(at, Attr::Href));
        hrefs.any(|href| {
            let is_path = !href.trim().is_empty() && !href.contains('#');
            is_path
                && own
                    .join(href.trim())
                    .is_ok_and(|other| is_same_page(&own, &other))
        })
    };
    let headings = 0..page.elements.len() as u32;
    headings
        .filter(|&at| HEADINGS.contains(&page.elements[at as usize].tag))
        .take(MOST_HEADINGS)
        .find(|&at| !page.elements[at as usize].hidden && leads_here(at))
}

/// Whether two addresses are of one page, written with or without the name of an index.
fn is_same_page(one: &Url, other: &Url) -> bool {
    fn path(url: &Url) -> &str {
        let path = url.path();
        path.strip_suffix("index.html")
            .unwrap_or(path)
            .trim_end_matches('/')
    }
    one.host_str() == other.host_str() && path(one) == path(other) && other.query().is_none()
}

/// The elements that rules skip, with all below them. What holds the page's heading or `<main>` frames
/// the content, whatever it is called.
pub(crate) fn skipped(rules: &Rules, marked: &Marked<'_>, heading: Option<u32>) -> Vec<bool> {
    let elements = &marked.page.elements;
    let of_tag = |tag| {
        let place = elements.iter().position(|element| element.tag == tag);
        place.map(|at| at as u32)
    };
    let kept = [heading, of_tag(Tag::Main)];
    let mut skipped = vec![false; elements.len()];
    for (at, element) in elements.iter().enumerate() {
        let around = element.parent != NONE && skipped[element.parent as usize];
        let within = at as u32..element.end;
        let is_frame = || kept.iter().flatten().any(|kept| within.contains(kept));
        skipped[at] = around || (marked.first(rules.of(RulePart::Skip), at as u32).is_some() && !is_frame());
    }
    skipped
}
