//! Posts that nothing names: headings that are alike, each with a text and a link or a date.

use std::ops::Range;

use gleaner_html::{Attr, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::find::{Candidate, MOST_POSTS, PARAGRAPH};
use crate::head::is_home;
use crate::rules::RulePart;
use crate::scene::Scene;

/// Maximum headings that are examined.
const MOST_HEADINGS: usize = 2000;
/// Minimum mean letters outside of links per post.
pub(crate) const SHORTEST: u32 = 30;
/// Minimum percentage of the page's text in the posts of a listing.
const SHARE: u64 = 50;
/// The same on a page that declares itself an article.
const OF_ARTICLE: u64 = 80;
/// The same of the only post of a page.
const LONE: u64 = 70;
/// Minimum headings of ten that have a link or a date.
const MOST_OF_TEN: usize = 8;

/// A heading and what belongs to it.
pub(crate) struct Segment {
    pub(crate) heading: u32,
    /// The element that holds the heading, beside those of the others.
    pub(crate) anchor: u32,
    /// The element that holds all of it.
    pub(crate) element: u32,
    pub(crate) runs: Range<usize>,
}

/// Where posts are looked for, and what they must have.
#[derive(Clone, Copy)]
struct Demand {
    /// The element around them.
    within: u32,
    /// Their share of its text, in percent.
    share: u64,
    /// Whether the element has the name of a post: then it is a list only if all titles lead to other pages, and no
    /// paragraph stands before the first.
    is_post: bool,
}

impl Scene<'_> {
    /// The posts of a listing: under headings; else under lines that may be titles; else the one post under a
    /// heading that leads to it.
    pub(crate) fn repeated_posts(&self) -> Vec<Candidate> {
        let demand = Demand {
            within: 0,
            share: if self.head.is_article { OF_ARTICLE } else { SHARE },
            is_post: false,
        };
        let posts = self.several_posts(demand);
        if posts.is_empty() {
            return self.lone_post().into_iter().collect();
        }
        posts
    }

    /// The posts in an element that has the name of one.
    pub(crate) fn posts_within(&self, element: u32) -> Vec<Candidate> {
        self.several_posts(Demand {
            within: element,
            share: OF_ARTICLE,
            is_post: true,
        })
    }

    /// Whether named posts are all that a page has, whatever it says: each leads to a page of its own.
    pub(crate) fn are_all_of_page(&self, posts: &[Candidate]) -> bool {
        let titles = posts.iter().filter_map(|post| post.title);
        let links = titles
            .filter_map(|title| self.linked(title))
            .filter(|href| self.is_of_site(href));
        let links: Vec<&str> = links.collect();
        let targets = links.iter().collect::<FxHashSet<_>>().len();
        let plain = |runs: &Range<usize>| u64::from(self.weights.plain(runs));
        let own: u64 = posts.iter().map(|post| plain(&post.runs)).sum();
        let all = plain(&(0..self.page.runs.len()));
        !self.head.is_single
            && links.len() == posts.len()
            && is_most(targets, posts.len())
            && own * 100 >= all * OF_ARTICLE
    }

    fn several_posts(&self, demand: Demand) -> Vec<Candidate> {
        let mut headings = self.headings(demand.within);
        headings.retain(|group| group.len() > 1);
        let segments = self
            .best(headings, demand)
            .or_else(|| self.best(self.title_lines(demand.within), demand));
        let work = &self.outline.work;
        work.at_most(MOST_POSTS, segments.into_iter().flatten(), |met| met.posts = true)
            .map(|own| self.of_segment(own))
            .collect()
    }

    /// The post under a single heading that leads to it: an element for one, or most of the page's text.
    fn lone_post(&self) -> Option<Candidate> {
        let mut lone = self.headings(0);
        lone.retain(|group| group.len() == 1);
        let demand = Demand {
            within: 0,
            share: LONE,
            is_post: false,
        };
        let heading = self.best(lone, demand)?.first()?.heading;
        let all = u64::from(self.weights.solid(&(0..self.page.runs.len())));
        let is_one = |post: &Candidate| {
            matches!(self.tag(post.element), Tag::Article | Tag::Main)
                || u64::from(self.weights.solid(&post.runs)) * 100 >= all * SHARE
        };
        self.post_under(heading).filter(is_one)
    }

    /// Of titles that are alike those that have the most text under them, and enough of all.
    fn best(&self, groups: Vec<Vec<u32>>, demand: Demand) -> Option<Vec<Segment>> {
        let all = u64::from(self.weights.plain(&self.runs(demand.within)));
        let segmented = groups.into_iter().map(|group| self.segments(&group));
        let weighed = segmented.filter(|own| self.are_posts(own, demand)).map(|own| {
            let weight = own.iter().map(|own| self.weights.plain(&own.runs)).sum::<u32>();
            (weight, own)
        });
        let sound = weighed.filter(|(weight, own)| {
            u64::from(*weight) * 100 >= all * demand.share && *weight >= SHORTEST * own.len() as u32
        });
        // Titles count before days; of equals the first: those of the outer headings.
        let ranked = sound.map(|(weight, own)| ((!self.is_day(own[0].heading), weight), own));
        let best = ranked.reduce(|best, other| if other.0 > best.0 { other } else { best });
        best.map(|(_, own)| own)
    }

    /// Headings in an element that are alike.
    fn headings(&self, within: u32) -> Vec<Vec<u32>> {
        let is_heading = |at: u32| {
            !self.page.elements[at as usize].hidden
                && !self.runs(at).is_empty()
                && self.find(RulePart::Heading, at, &|_| true).is_some()
        };
        let mut groups = self.alike(within, &is_heading);
        // Titles that are links stand among headings of texts that look like them.
        let of_links = |group: &Vec<u32>| -> Vec<u32> {
            let links = group.iter().filter(|&&at| self.linked(at).is_some());
            links.copied().collect()
        };
        let mixed = groups.iter().map(|group| (of_links(group), group.len()));
        let titles = mixed.filter(|(links, all)| links.len() > 1 && !is_most(links.len(), *all));
        let titles: Vec<Vec<u32>> = titles.map(|(links, _)| links).collect();
        groups.extend(titles);
        groups
    }

    /// Elements in another one with one name, class and depth, in their order; the groups by their first ones.
    pub(crate) fn alike(&self, within: u32, wanted: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut places = FxHashMap::default();
        let elements = within..self.page.elements[within as usize].end;
        let headings = elements.filter(|&at| wanted(at));
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
    pub(crate) fn segments(&self, headings: &[u32]) -> Vec<Segment> {
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

    /// Whether headings are titles of posts: none is the page's, and nearly all lead to different pages, or have a date.
    fn are_posts(&self, segments: &[Segment], demand: Demand) -> bool {
        let links = segments.iter().filter_map(|own| self.linked(own.heading));
        let elsewhere = links.filter(|href| self.is_of_site(href));
        let targets = elsewhere.collect::<FxHashSet<_>>().len();
        let leads_elsewhere = is_most(targets, segments.len());
        // What says that it is an article has headings of its own, with days of other things.
        let may_be_dated = !self.head.is_article && !demand.is_post;
        let is_dated = || may_be_dated && is_most(self.dated(segments), segments.len());
        !self.has_own_text(segments[0].runs.start, demand)
            && !segments.iter().any(|own| self.has_page_heading(own))
            && (leads_elsewhere || is_dated())
    }

    /// Whether a text stands before the first title that what follows is a part of.
    fn has_own_text(&self, first: usize, demand: Demand) -> bool {
        if !demand.is_post {
            return self.is_introduced(first);
        }
        let heading = self
            .heading
            .filter(|&heading| self.is_within(heading, demand.within));
        let start = heading.map_or(self.runs(demand.within).start, |heading| self.runs(heading).end);
        !self.head.is_listing && self.weights.solid(&(start..first.max(start))) >= PARAGRAPH
    }

    /// Whether the page's heading is that of a segment or stands in it: all of the page is under it.
    fn has_page_heading(&self, segment: &Segment) -> bool {
        let start = self.heading.map(|heading| self.runs(heading).start);
        start.is_some_and(|start| segment.runs.contains(&start))
    }

    /// Whether a link leads to another page of the site, not the front page.
    pub(crate) fn is_of_site(&self, href: &str) -> bool {
        fn host(url: &str) -> Option<&str> {
            url.split_once("//")?.1.split(['/', '?', '#']).next()
        }
        let is_page = !href.is_empty() && !href.starts_with('#') && !is_home(href);
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
    pub(crate) fn is_day(&self, heading: u32) -> bool {
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

pub(crate) fn is_most(count: usize, all: usize) -> bool {
    count * 10 >= all * MOST_OF_TEN
}
