//! From a page to what it states about itself.
//!
//! What a page says of itself: title, author, day and language, from its head, its structured data,
//! its headings, and bylines: elements that are marked as such, and short lines beside the heading
//! that are like one. Nothing is guessed from other text.

mod author;
pub mod date;
mod day;
mod language;
mod marked;
mod structured;
mod title;

use std::borrow::Cow;

pub use self::author::byline;
pub use self::day::{CalendarDay, iso_numbers};
pub use self::language::Language;
use self::marked::Marked;
use crate::structured::StructuredData;
pub use crate::structured::{StructuredText, TextSource};
use gleaner_page::{Attr, Page, Tag, without_controls};

/// What a page says of itself; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata<'a> {
    /// A heading that agrees with what the head gives as a title, else that (Open Graph's title,
    /// `<title>`, schema.org's headline) without the site's name.
    pub title: Option<Cow<'a, str>>,
    /// The author's name: from `<meta>`, schema.org's `author`, or a byline.
    pub author: Option<Cow<'a, str>>,
    /// The day of publication: from `<meta>`, schema.org's `datePublished`, a `<time>`, the address,
    /// or a byline.
    pub published: Option<CalendarDay>,
    /// The primary language subtag (`en`, `pt`, `zh`) of [`Language::of_page`].
    pub language: Option<String>,
    /// The text that its structured data holds.
    pub structured: Option<StructuredText>,
}

const TITLES: &[&str] = &["og:title", "twitter:title", "dc.title"];
const SITES: &[&str] = &["og:site_name", "application-name", "apple-mobile-web-app-title"];
const AUTHORS: &[&str] = &["author", "article:author", "dc.creator", "parsely-author", "byl"];
const DAYS: &[&str] = &[
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "dcterms.issued",
    "citation_publication_date",
    "citation_date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "parsely-pub-date",
    "sailthru.date",
    "og:pubdate",
    "og:publish_date",
    "cxenseparse:publishtime",
    "published",
    "datecreated",
];

/// Bytes of a title that are kept.
const LONGEST_TITLE: usize = 2000;

/// Reads what a page says of itself, at the address that it was found at. One pass over its
/// elements, and one over its structured data.
pub fn metadata<'a>(page: &'a Page, url: &str) -> Metadata<'a> {
    let found = Candidates::read(page);
    let data = StructuredData::read(page);
    let marked = Marked::new(page);
    let (author, published) = (found.author.1, found.published.1);
    let author = author.and_then(author::name);
    let title = title::choose(
        &found.titles(page, data.headline()),
        &marked.headings,
        &found.site(url),
    );
    Metadata {
        title: title.map(clean),
        author: author
            .or_else(|| data.author(false).and_then(|name| author::name(&name)))
            .or_else(|| author::marked(&marked))
            .or_else(|| author::beside_heading(&marked))
            .or_else(|| data.author(true).and_then(|name| author::name(&name)))
            .map(|name| clean(Cow::Owned(name))),
        published: published
            .or_else(|| data.published().and_then(day::iso))
            .or_else(|| day::marked(&marked))
            .or_else(|| day::of_url(url))
            .or_else(|| day::written(&marked))
            .or_else(|| day::beside_heading(&marked)),
        language: Language::of_page(page).map(|language| language.name),
        structured: StructuredText::find(page, &data),
    }
}

/// A text without controls, which structured data may have as escapes.
fn clean(text: Cow<'_, str>) -> Cow<'_, str> {
    match without_controls(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => Cow::Owned(clean),
    }
}

/// The best of each so far, with its rank in the lists above.
#[derive(Default)]
struct Candidates<'a> {
    title: (usize, Option<&'a str>),
    site: (usize, Option<&'a str>),
    author: (usize, Option<&'a str>),
    published: (usize, Option<CalendarDay>),
}

impl<'a> Candidates<'a> {
    fn read(page: &'a Page) -> Candidates<'a> {
        let mut found = Candidates::default();
        for (index, element) in page.elements.iter().enumerate() {
            if element.tag == Tag::Meta {
                found.meta(page, index as u32);
            }
        }
        found
    }

    fn meta(&mut self, page: &'a Page, element: u32) {
        let Some(content) = page
            .attribute(element, Attr::Content)
            .map(str::trim)
            .filter(|text| !text.is_empty())
        else {
            return;
        };
        let attribute = |name| page.attribute(element, name);
        for name in [Attr::Property, Attr::Name, Attr::Itemprop]
            .into_iter()
            .filter_map(attribute)
        {
            better(&mut self.title, rank(TITLES, name), || Some(content));
            better(&mut self.site, rank(SITES, name), || Some(content));
            better(&mut self.author, rank(AUTHORS, name), || {
                Some(content).filter(|text| author::name(text).is_some())
            });
            better(&mut self.published, rank(DAYS, name), || day::iso(content));
        }
    }

    /// The titles that the head gives, the best first.
    fn titles<'t>(&self, page: &'t Page, headline: Option<&'t str>) -> Vec<&'t str>
    where
        'a: 't,
    {
        [self.title.1, Some(page.title.as_str()), headline]
            .into_iter()
            .flatten()
            .map(|title| cut(title.trim(), LONGEST_TITLE))
            .filter(|title| !title.is_empty())
            .collect()
    }

    /// What the site may be called.
    fn site<'t>(&self, url: &'t str) -> title::Site<'t>
    where
        'a: 't,
    {
        title::Site::new(self.site.1, url)
    }
}

/// Puts a value in the place of one of lower rank (ranks begin at 1; 0 is nothing yet).
fn better<T>(best: &mut (usize, Option<T>), rank: Option<usize>, value: impl FnOnce() -> Option<T>) {
    if let Some(rank) = rank
        && (best.1.is_none() || rank < best.0)
        && let Some(value) = value()
    {
        *best = (rank, Some(value));
    }
}

fn rank(names: &[&str], name: &str) -> Option<usize> {
    names
        .iter()
        .position(|candidate| candidate.eq_ignore_ascii_case(name))
        .map(|index| index + 1)
}

/// The beginning of a text, of so many bytes at most.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rfind(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests;
