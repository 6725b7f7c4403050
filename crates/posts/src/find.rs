//! Which elements of a page are its posts.

use std::ops::Range;

use gleaner_html::Tag;

use crate::body::Body;
use crate::rules::RulePart;
use crate::scene::Scene;

/// A post: where it is, and where its text and its title are.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The element that holds it, alone or with others.
    pub(crate) element: u32,
    /// The element that is its alone, or that begins it.
    pub(crate) anchor: u32,
    pub(crate) runs: Range<usize>,
    pub(crate) body: Body,
    pub(crate) title: Option<u32>,
}

/// The posts of a page, and whether it is the page of one post.
pub(crate) struct Finding {
    pub(crate) posts: Vec<Candidate>,
    pub(crate) is_single: bool,
}

impl Finding {
    fn list(posts: Vec<Candidate>) -> Finding {
        Finding {
            posts,
            is_single: false,
        }
    }
}

/// Posts that are looked for on one page.
pub(crate) const MOST_POSTS: usize = 1000;

/// A heading with more text before it within the post is one of the text's.
const BEFORE_TITLE: u32 = 100;

/// Letters between a page's heading and its posts.
const INTRODUCTION: u32 = 300;

/// Minimum letters of the text under a heading.
const SHORTEST: u32 = 15;

/// Minimum letters of a paragraph.
pub(crate) const PARAGRAPH: u32 = 60;

/// What stands with a heading is its text: minimum percentage of the text behind the heading ...
const PART: u64 = 20;
/// ... which does not apply below this number of letters.
const LITTLE: u64 = 400;

impl Scene<'_> {
    /// Finds the posts.
    pub(crate) fn posts(&self) -> Finding {
        let mut posts = self.named_posts();
        let own = |post: &Candidate| {
            self.heading
                .is_some_and(|heading| self.is_within(heading, post.element))
        };
        // A page that is called like one of its posts is that post's.
        if let Some(at) = posts.iter().position(own) {
            let post = posts.swap_remove(at);
            return self.list_within(&post).unwrap_or_else(|| Finding {
                posts: vec![post],
                is_single: true,
            });
        }
        if posts.len() > 1 && self.is_listing(&posts) {
            return Finding::list(posts);
        }
        let list = match &posts[..] {
            [] => Some(self.repeated_posts())
                .filter(|repeated| !repeated.is_empty())
                .map(Finding::list),
            [only] => self.list_within(only),
            _ => None,
        };
        list.unwrap_or_else(|| self.of_one_post(posts))
    }

    /// Whether several named posts are what the page has. One that is an article of its own, by what it says or by a
    /// text under its heading, shows others beside it.
    fn is_listing(&self, posts: &[Candidate]) -> bool {
        let is_article = self.heading.is_some() && self.head.is_article;
        (!is_article && !self.is_introduced(posts[0].runs.start)) || self.are_all_of_page(posts)
    }

    /// The posts that a named one holds: an element around a list may have the name of a post.
    fn list_within(&self, post: &Candidate) -> Option<Finding> {
        let list = (!self.head.is_single).then(|| self.posts_within(post.element));
        list.filter(|own| own.len() > 1).map(Finding::list)
    }

    /// The post of a page that says that it has one, or that has no more by the rules: the named one
    /// with the most text, unless far more stands under the heading.
    fn of_one_post(&self, posts: Vec<Candidate>) -> Finding {
        let weight = |post: &Candidate| self.weights.solid(&post.body.runs);
        let has_text = |post: &Candidate| !self.text_of(&post.body, post.title).is_empty();
        let named = posts.into_iter().rev().filter(has_text).max_by_key(weight);
        let unnamed = self.unnamed_post();
        let post = match (named, unnamed) {
            (Some(named), Some(unnamed)) => {
                let is_part = self.is_within(named.element, unnamed.body.element)
                    || self.is_within(unnamed.body.element, named.element);
                let is_more = weight(&unnamed) > 3 * weight(&named);
                let is_other = !is_part || self.is_introduced(named.runs.start);
                Some(if is_more && is_other { unnamed } else { named })
            }
            (named, unnamed) => named.or(unnamed),
        };
        Finding {
            is_single: post.as_ref().is_none_or(|post| !self.is_teaser(post)),
            posts: post.into_iter().collect(),
        }
    }

    /// Whether a title leads to another page: it is a link, and does not agree with the title in the head.
    fn is_teaser(&self, post: &Candidate) -> bool {
        let is_linked = |&title: &u32| self.linked(title).is_some_and(|href| !href.starts_with('#'));
        let title = post.title.filter(is_linked);
        title.is_some_and(|title| !self.head.agrees_with(&self.line(title)))
    }

    /// The elements that rules call posts and that have a text. Of posts within posts the outer ones
    /// count, but for one that holds several with titles: that is a list of them.
    fn named_posts(&self) -> Vec<Candidate> {
        let all = |_: u32| true;
        let elements = 0..self.page.elements.len() as u32;
        let named: Vec<u32> = elements
            .filter(|&at| self.find(RulePart::Post, at, &all).is_some())
            .collect();
        let mut posts = Vec::new();
        let mut at = 0;
        while at < named.len() {
            if posts.len() >= MOST_POSTS {
                self.outline.work.meet(|met| met.posts = true);
                break;
            }
            let element = named[at];
            let end = self.page.elements[element as usize].end;
            let inner = named.partition_point(|&other| other < end);
            at += 1;
            if self.is_list(element, &named[at..inner]) {
                continue;
            }
            if let Some(post) = self.candidate(element) {
                posts.push(post);
            }
            at = inner;
        }
        posts
    }

    /// Whether what stands within a named element makes it a list of posts: several with titles, and
    /// most of its text.
    fn is_list(&self, element: u32, inner: &[u32]) -> bool {
        let (mut titled, mut text) = (0, 0);
        let mut end = 0;
        for &within in inner {
            if within >= end {
                titled += usize::from(self.candidate_title(within, None).is_some());
                text += self.weights.solid(&self.runs(within));
                end = self.page.elements[within as usize].end;
            }
        }
        titled > 1 && text >= self.weights.solid(&self.runs(element)) / 2
    }

    /// Whether a text stands between the page's heading and a place behind it: that of an article, which
    /// what follows is a part of, or another's.
    pub(crate) fn is_introduced(&self, run: usize) -> bool {
        !self.head.is_listing && self.introduction(run) > INTRODUCTION
    }

    /// The letters of text between the page's heading and a place behind it.
    pub(crate) fn introduction(&self, run: usize) -> u32 {
        self.heading.map_or(0, |heading| {
            let behind = self.runs(heading).end;
            self.weights.solid(&(behind..run.max(behind)))
        })
    }

    fn candidate(&self, element: u32) -> Option<Candidate> {
        let runs = self.runs(element);
        let body = self.body(element, &runs);
        let title = self.candidate_title(element, Some(&body));
        let has_text = self.weights.all(&body.runs) > 0;
        (has_text && (body.is_named || title.is_some() || self.heading.is_some())).then_some(Candidate {
            element,
            anchor: element,
            runs,
            body,
            title,
        })
    }

    /// The title of a post: a heading that stands before its text.
    fn candidate_title(&self, element: u32, body: Option<&Body>) -> Option<u32> {
        let start = self.runs(element).start;
        let wanted = |at: u32| {
            let runs = self.runs(at);
            let is_outside = body.is_none_or(|body| !body.is_named || !self.is_within(at, body.element));
            let before = start..runs.start.max(start);
            !runs.is_empty() && is_outside && self.weights.plain(&before) <= BEFORE_TITLE
        };
        let own = self
            .heading
            .filter(|&at| self.is_within(at, element) && wanted(at));
        own.or_else(|| self.find(RulePart::Title, element, &wanted))
    }

    /// The post of a page that names none: what stands under its heading, or most of its text.
    fn unnamed_post(&self) -> Option<Candidate> {
        match self.heading {
            Some(heading) => self.post_under(heading),
            None => self.post_from(self.content_element()?, 0..0, None),
        }
    }

    /// What stands under a heading.
    pub(crate) fn post_under(&self, heading: u32) -> Option<Candidate> {
        self.post_from(self.parent(heading)?, self.runs(heading), Some(heading))
    }

    /// The post in the innermost element around another one that holds a text behind a title.
    fn post_from(&self, first: u32, title: Range<usize>, heading: Option<u32>) -> Option<Candidate> {
        let start = self.behind_byline(title.end);
        let under = |at: u32| {
            let own = self.runs(at);
            start.max(own.start)..own.end.max(start)
        };
        let all = u64::from(self.weights.solid(&under(0)));
        let holds_text = |at: &u32| {
            let runs = under(*at);
            let solid = self.weights.solid(&runs);
            let is_part = u64::from(solid) * 100 >= all * PART;
            // These hold all of a post.
            let is_whole = matches!(self.tag(*at), Tag::Article | Tag::Main) && solid >= PARAGRAPH;
            self.weights.plain(&runs) >= SHORTEST && (all < LITTLE || is_part || is_whole)
        };
        let at = self.page.ancestors(first).find(holds_text)?;
        let runs = under(at);
        Some(Candidate {
            element: at,
            anchor: heading.unwrap_or(at),
            body: self.body(at, &runs),
            runs: title.start.max(self.runs(at).start)..runs.end,
            title: heading,
        })
    }

    /// Where the lines with days end that follow a title: what stands with it is no text if it is one of these.
    fn behind_byline(&self, title: usize) -> usize {
        let page = title..self.page.runs.len();
        let mut end = title;
        while let Some(block) = self.block_at(&page, end).filter(|block| self.is_byline(block)) {
            end = block.end;
        }
        end
    }

    /// The element for the content of a page, of those that say so.
    fn content_element(&self) -> Option<u32> {
        let of = |tag| self.page.elements.iter().position(|element| element.tag == tag);
        let found = of(Tag::Main)
            .or_else(|| of(Tag::Article))
            .or_else(|| of(Tag::Body))?;
        Some(found as u32)
    }
}
