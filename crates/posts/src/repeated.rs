//! Posts that nothing names: headings that are alike, each with a text and a link or a date.

use std::ops::Range;

use gleaner_html::Attr;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::find::{Candidate, MOST_POSTS};
use crate::rules::Part;
use crate::scene::Scene;

/// Headings that are looked at.
const MOST_HEADINGS: usize = 2000;
/// Letters outside of links that a post has on average.
const SHORTEST: u32 = 30;
/// What the posts of a listing have of the page's text, in percent.
const SHARE: u64 = 50;
/// Of ten headings so many lead somewhere or have a date.
const MOST_OF_TEN: usize = 8;

/// A heading and what belongs to it.
struct Segment {
    heading: u32,
    /// The element that holds the heading, beside those of the others.
    anchor: u32,
    /// The element that holds all of it.
    element: u32,
    runs: Range<usize>,
}

impl Scene<'_> {
    /// The posts of a listing, of the headings that have the most text under them.
    pub(crate) fn repeated_posts(&self) -> Vec<Candidate> {
        let page = self.page.runs.len();
        let all = u64::from(self.weights.plain(&(0..page)));
        let groups = self.alike().into_iter().filter(|group| group.len() > 1);
        let segmented = groups.map(|group| self.segments(&group));
        let weighed = segmented.filter(|own| self.are_posts(own)).map(|own| {
            let weight = own.iter().map(|own| self.weights.plain(&own.runs)).sum::<u32>();
            (weight, own)
        });
        let sound = weighed.filter(|(weight, own)| {
            u64::from(*weight) * 100 >= all * SHARE && *weight >= SHORTEST * own.len() as u32
        });
        // Titles count before days; of equals the first: those of the outer headings.
        let ranked = sound.map(|(weight, own)| ((!self.is_day(own[0].heading), weight), own));
        let best = ranked.reduce(|best, other| if other.0 > best.0 { other } else { best });
        let segments = best.map(|(_, own)| own).unwrap_or_default();
        let work = &self.outline.work;
        work.at_most(MOST_POSTS, segments.into_iter(), |met| met.posts = true)
            .map(|own| self.of_segment(own))
            .collect()
    }

    /// Headings with one name, class and depth, in their order; the groups by their first ones.
    fn alike(&self) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut places = FxHashMap::default();
        let elements = 0..self.page.elements.len() as u32;
        let headings = elements.filter(|&at| {
            !self.page.elements[at as usize].hidden
                && !self.runs(at).is_empty()
                && self.find(Part::Heading, at, &|_| true).is_some()
        });
        let work = &self.outline.work;
        for at in work.at_most(MOST_HEADINGS, headings, |met| met.headings = true) {
            let element = &self.page.elements[at as usize];
            let class = self.page.attribute(at, Attr::Class).unwrap_or_default();
            let place = *places
                .entry((element.tag, class, element.depth))
                .or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(at);
        }
        groups
    }

    /// Cuts the page at headings: each has the largest element without another of them, and if that has
    /// no text of its own, what follows up to the next. Cards in rows are cousins, not siblings.
    fn segments(&self, headings: &[u32]) -> Vec<Segment> {
        let anchors: Vec<u32> = (0..headings.len()).map(|at| self.anchor(headings, at)).collect();
        let starts = anchors[1..].iter().map(|&next| self.runs(next).start);
        let ends = starts.chain([usize::MAX]);
        let cut = headings.iter().zip(&anchors).zip(ends);
        let segments = cut.map(|((&heading, &anchor), end)| {
            let own = self.runs(anchor);
            // What follows an element that has a text of its own is none of it.
            let is_whole = self.weights.plain(&own) >= SHORTEST + self.weights.plain(&self.runs(heading));
            let holder = self.parent(anchor).unwrap_or(anchor);
            let end = end.min(self.runs(holder).end).max(own.end);
            Segment {
                heading,
                anchor,
                element: if is_whole { anchor } else { holder },
                runs: if is_whole { own } else { own.start..end },
            }
        });
        segments.collect()
    }

    /// The largest element that holds one of some headings and none of the others.
    fn anchor(&self, headings: &[u32], at: usize) -> u32 {
        let is_alone = |&up: &u32| {
            let before = at.checked_sub(1).map(|before| headings[before]);
            let behind = headings.get(at + 1).copied();
            ![before, behind]
                .into_iter()
                .flatten()
                .any(|other| self.is_within(other, up))
        };
        let own = headings[at];
        let around = self.page.ancestors(own).take_while(is_alone);
        around.last().unwrap_or(own)
    }

    /// Whether headings are titles of posts: no two stand in one element, and nearly all lead to
    /// different pages, or have a date.
    fn are_posts(&self, segments: &[Segment]) -> bool {
        let anchors: FxHashSet<u32> = segments.iter().map(|own| own.anchor).collect();
        let links = segments.iter().filter_map(|own| self.linked(own.heading));
        let elsewhere = links.filter(|href| self.is_of_site(href));
        let targets = elsewhere.collect::<FxHashSet<_>>().len();
        let is_most = |count: usize| count * 10 >= segments.len() * MOST_OF_TEN;
        anchors.len() == segments.len()
            && !self.is_introduced(segments[0].runs.start)
            && (is_most(targets) || is_most(self.dated(segments)))
    }

    /// Whether a link leads to another page of the site.
    fn is_of_site(&self, href: &str) -> bool {
        fn host(url: &str) -> Option<&str> {
            url.split_once("//")?.1.split(['/', '?', '#']).next()
        }
        let is_page = !href.is_empty() && !href.starts_with('#');
        is_page && host(href).is_none_or(|other| host(self.url).is_none_or(|own| own == other))
    }

    /// How many segments have a day outside of their texts. One day above all of them is the page's.
    fn dated(&self, segments: &[Segment]) -> usize {
        let place = |own: &Segment| {
            let post = self.of_segment(Segment {
                runs: own.runs.clone(),
                ..*own
            });
            let date = self.printed(&post)?;
            date.partial.day.map(|_| date.place)
        };
        let places: Vec<usize> = segments.iter().filter_map(place).collect();
        let is_shared = places.iter().all(|place| *place == places[0]);
        if is_shared { 0 } else { places.len() }
    }

    /// Whether a heading is that of a day.
    fn is_day(&self, heading: u32) -> bool {
        self.read(&self.line(heading), self.runs(heading))
            .is_some_and(|date| date.day.is_some())
    }

    fn of_segment(&self, segment: Segment) -> Candidate {
        let behind = self.runs(segment.heading).end.min(segment.runs.end)..segment.runs.end;
        let body = self.body(segment.element, &behind);
        Candidate {
            element: segment.element,
            anchor: segment.anchor,
            runs: segment.runs,
            body,
            title: Some(segment.heading).filter(|&heading| !self.is_day(heading)),
        }
    }
}
