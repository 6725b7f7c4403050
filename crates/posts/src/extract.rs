//! From a page to its posts.

use gleaner_metadata::{Context, DaySource, Published, byline, metadata};
use gleaner_page::Page;

use crate::find::{Candidate, Finding};
use crate::marks::{Bits, Marker};
use crate::outline::Outline;
use crate::platform::recognise;
use crate::printed;
use crate::rules::{Part, Rules};
use crate::scene::Scene;
use crate::select::Marked;
use crate::when::{Printed, complete_by_neighbours};
use crate::{Completed, Dated, Found, Post, Truncation};
use gleaner_metadata::date::Day;

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
    /// The day of its capture: no post is published later than a day after it.
    pub captured: Option<Day>,
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
            true => posts(&Scene::new(marked, rules, about.url, content), about.captured),
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
fn posts(scene: &Scene<'_>, captured: Option<Day>) -> Vec<Post> {
    let Finding { posts, is_single } = scene.posts();
    if is_single {
        return posts
            .iter()
            .filter_map(|post| single(scene, post, captured))
            .collect();
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

/// The post of a page of its own: the page says of itself what the post does not, and the day of the page is the post's.
fn single(scene: &Scene<'_>, post: &Candidate, captured: Option<Day>) -> Option<Post> {
    let own = parts(scene, post);
    let link = scene.link(post, true);
    let context = Context {
        url: link.as_deref().unwrap_or_default(),
        captured,
    };
    let known = metadata(scene.page, &context);
    let heading = scene.heading.map(|heading| scene.line(heading));
    // A heading that the head bears out is the page's, and so the post's.
    let is_borne = |title: &String| scene.head.bears(title);
    let given = own.title.clone().filter(is_borne).or(heading).or(own.title);
    let title = given.or_else(|| known.title.map(|title| title.into_owned()));
    let author = || Some(known.authors.join(", ")).filter(|names| !names.is_empty());
    (!own.text.is_empty()).then(|| Post {
        title,
        published: dated(known.published, scene.printed(post), captured),
        author: own.author.or_else(author),
        link,
        text: own.text,
        comments: scene.comments(),
    })
}

/// The day of a page as that of its post, with what is printed. Where the page has none, it is the post's own.
fn dated(published: Option<Published>, printed: Option<Printed>, captured: Option<Day>) -> Option<Dated> {
    let is_whole = printed
        .as_ref()
        .is_some_and(|printed| printed.partial.whole().is_some());
    let is_of_address = published.is_some_and(|published| published.source == DaySource::Address);
    let is_possible = |day: &Day| captured.is_none_or(|captured| day.number() <= captured.number() + 1);
    let own = printed
        .as_ref()
        .and_then(|printed| printed.partial.whole())
        .filter(is_possible);
    let day = published.map(|published| published.day).or(own);
    let text = printed.map(|printed| printed.text).unwrap_or_default();
    (day.is_some() || !text.is_empty()).then_some(Dated {
        day,
        completed: (is_of_address && !is_whole).then_some(Completed::Address),
        text,
    })
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
            .and_then(|at| byline(&scene.line(at), scene.head.language.as_ref())),
        text: scene.text_of(&post.body, post.title),
        ..Post::default()
    }
}

#[cfg(test)]
mod structure_tests;
#[cfg(test)]
mod tests;
