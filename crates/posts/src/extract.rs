//! From a page to its posts.

use gleaner_metadata::{byline, metadata};
use gleaner_page::Page;

use crate::find::{Candidate, Finding};
use crate::marks::{Bits, Marker};
use crate::outline::Outline;
use crate::platform::recognise;
use crate::printed;
use crate::rules::{Part, Rules};
use crate::scene::Scene;
use crate::select::Marked;
use crate::when::complete_by_neighbours;
use crate::{Dated, Found, Post, Truncation};
use gleaner_metadata::date::{Day, Partial, of_url};

/// Finds the posts of pages, one page after the other.
#[derive(Debug)]
pub struct Extractor {
    marker: Marker,
    marks: Vec<Bits>,
    outline: Outline,
}

/// What is known of a page beside the page itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct About<'a> {
    /// Its address; empty where it is not known.
    pub url: &'a str,
    /// Whether each of its blocks is content, as a labeller says.
    pub content: Option<&'a [bool]>,
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
    pub fn extract(&mut self, page: &Page, about: About<'_>) -> Found {
        if page.elements.is_empty() {
            return Found::default();
        }
        let has_all_names = self.marker.mark(page, &mut self.marks);
        self.outline.measure(page);
        let rules = self.marker.rules();
        let marked = Marked::new(page, &self.marks, &self.outline);
        let platform = recognise(&rules.platforms, page, &self.marks).map(str::to_owned);
        let content = about.content.filter(|content| content.len() == page.blocks.len());
        let posts = match rules.structure {
            true => posts(&Scene::new(marked, rules, about.url, content)),
            false => printed::posts(rules, marked),
        };
        let truncated = Truncation {
            names: !has_all_names,
            ..self.outline.work.met()
        };
        Found {
            platform,
            posts,
            truncated,
        }
    }

    /// The platform of a page alone.
    pub fn platform(&mut self, page: &Page) -> Option<&str> {
        self.marker.mark(page, &mut self.marks);
        recognise(&self.marker.rules().platforms, page, &self.marks)
    }
}

/// The posts of a page by rules and structure.
fn posts(scene: &Scene<'_>) -> Vec<Post> {
    let Finding { posts, is_single } = scene.posts();
    if is_single {
        return posts.iter().filter_map(|post| single(scene, post)).collect();
    }
    let mut told = Vec::with_capacity(posts.len());
    let mut dates = Vec::with_capacity(posts.len());
    for post in &posts {
        let link = scene.link(post, false);
        let printed = scene.printed(post);
        let partial = printed.as_ref().map(|date| date.partial).unwrap_or_default();
        dates.push((Scene::completed(printed, link.as_deref()), partial));
        told.push(Post {
            link,
            ..parts(scene, post)
        });
    }
    complete_by_neighbours(&mut dates);
    for (post, (date, _)) in told.iter_mut().zip(dates) {
        post.published = date;
    }
    told.retain(|post| !post.text.is_empty());
    told
}

/// The post of a page of its own: the page says of itself what the post does not.
fn single(scene: &Scene<'_>, post: &Candidate) -> Option<Post> {
    // Without the address, which is asked last.
    let known = metadata(scene.page, "");
    let own = parts(scene, post);
    let link = scene.link(post, true);
    let printed = scene.printed(post);
    let day = known
        .published
        .and_then(|(year, month, day)| Day::new(year as u16, month, day));
    let published = match day.filter(|day| agrees(*day, link.as_deref())) {
        Some(day) => Some(Dated {
            day: Some(day),
            text: printed.map(|date| date.text).unwrap_or_default(),
            completed: None,
        }),
        None => Scene::completed(printed, link.as_deref()),
    };
    let heading = scene.heading.map(|heading| scene.line(heading));
    // A heading that the head bears out is the page's, and so the post's.
    let is_borne = |title: &String| scene.head.bears(title);
    let given = own.title.clone().filter(is_borne).or(heading).or(own.title);
    let title = given.or_else(|| known.title.map(|title| title.into_owned()));
    (!own.text.is_empty()).then_some(Post {
        title,
        published,
        author: own.author.or_else(|| known.author.map(|name| name.into_owned())),
        link,
        text: own.text,
        comments: scene.comments(),
    })
}

/// Whether a day is the one that an address has, as far as that has one: what a page says of itself may
/// be of its last change.
fn agrees(day: Day, address: Option<&str>) -> bool {
    let of_address = address.and_then(of_url).and_then(Partial::whole);
    of_address.is_none_or(|other| (other.number() - day.number()).abs() <= 1)
}

/// Title, author and text of a post.
fn parts(scene: &Scene<'_>, post: &Candidate) -> Post {
    let is_own = |at: u32| {
        let runs = scene.runs(at);
        post.runs.start <= runs.start && runs.end <= post.runs.end
    };
    let line = |at: u32| Some(scene.line(at)).filter(|text| !text.is_empty());
    Post {
        title: post.title.and_then(line),
        author: scene
            .find(Part::Author, post.element, &is_own)
            .and_then(|at| byline(&scene.line(at))),
        text: scene.text_of(&post.body, post.title),
        ..Post::default()
    }
}

#[cfg(test)]
mod structure_tests;
#[cfg(test)]
mod tests;
