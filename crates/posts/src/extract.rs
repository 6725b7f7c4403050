//! From a page to its posts.

use gleaner_metadata::{Context, DaySource, Published, byline, metadata};
use gleaner_page::Page;

use crate::find::{Candidate, Finding};
use crate::marks::{Bits, Marker};
use crate::outline::Outline;
use crate::platform::recognise;
use crate::printed;
use crate::rules::{RulePart, Rules};
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
    /// Whether each of its blocks is content, by a labeller.
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
    let mut found = Vec::with_capacity(posts.len());
    let mut dates = Vec::with_capacity(posts.len());
    for post in &posts {
        let link = scene.link(post, false);
        let printed = scene.printed(post);
        let partial = printed.as_ref().map(|date| date.partial).unwrap_or_default();
        dates.push((Scene::completed(printed, link.as_deref()), partial));
        found.push(Post {
            link,
            ..parts(scene, post)
        });
    }
    complete_by_neighbours(&mut dates);
    for (post, (date, _)) in found.iter_mut().zip(dates) {
        post.published = date;
    }
    found.retain(|post| !post.text.is_empty());
    found
}

/// The post of a page of its own. What the post lacks is taken from the page's metadata; its day is the page's.
fn single(scene: &Scene<'_>, post: &Candidate, captured: Option<Day>) -> Option<Post> {
    let own = parts(scene, post);
    let link = scene.link(post, true);
    let context = Context {
        url: link.as_deref().unwrap_or_default(),
        captured,
    };
    let known = metadata(scene.page, &context);
    let heading = scene.heading.map(|heading| scene.line(heading));
    // A heading that agrees with the head is the page's title, and so the post's.
    let agrees = |title: &String| scene.head.agrees_with(title);
    let given = own.title.clone().filter(agrees).or(heading).or(own.title);
    let title = given.or_else(|| known.title.map(|title| title.into_owned()));
    let author = || Some(known.authors.join(", ")).filter(|names| !names.is_empty());
    let published = dated(known.published, scene.printed(post), &context);
    (!own.text.is_empty()).then(|| Post {
        title,
        published,
        author: own.author.or_else(author),
        link,
        text: own.text,
        comments: scene.comments(),
    })
}

/// The day of a page as that of its post, with what is printed; where the page has none, the printed one.
fn dated(published: Option<Published>, printed: Option<Printed>, context: &Context<'_>) -> Option<Dated> {
    let is_whole = printed
        .as_ref()
        .is_some_and(|printed| printed.partial.whole().is_some());
    let Some(Published { day, source, .. }) = published else {
        let latest = context.captured.map(|captured| captured.number() + 1);
        let own = Scene::completed(printed, Some(context.url))?;
        let day = own
            .day
            .filter(|day| latest.is_none_or(|latest| day.number() <= latest));
        let completed = own.completed.filter(|_| day.is_some());
        return Some(Dated {
            day,
            completed,
            ..own
        });
    };
    Some(Dated {
        day: Some(day),
        completed: (source == DaySource::Address && !is_whole).then_some(Completed::Address),
        text: printed.map(|printed| printed.text).unwrap_or_default(),
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
            .find(RulePart::Author, post.element, &is_own)
            .and_then(|at| byline(&scene.line(at), scene.head.language.as_ref())),
        text: scene.text_of(&post.body, post.title),
        ..Post::default()
    }
}

#[cfg(test)]
mod list_tests;
#[cfg(test)]
mod shape_tests;
#[cfg(test)]
mod structure_tests;
#[cfg(test)]
mod tests;
