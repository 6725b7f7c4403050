//! From a page to what it states about itself.
//!
//! In: a laid-out [`Page`], its address and the day of its capture. Out: [`Metadata`]: title, authors, day of
//! publication, language, the text of its structured data, and what it states about rights. They are read from the head, the structured data, the headings,
//! and bylines: elements that are marked as such, and short lines beside the heading that are like one. Nothing is guessed from
//! other text.
//!
//! Dates are read in one place, [`date`], for pages and for the posts of blogs: by the names of the months of many languages, and
//! by the order of numbers in the language of their place.
//!
//! The cost: one pass over the elements and one over the structured data; elements that are marked are found by their attributes,
//! a bounded number of each kind.
//!
//! ```
//! use gleaner_metadata::{Context, metadata};
//! use gleaner_page::{PageConfig, Parser};
//!
//! let html = b"<html lang=en><title>On lamps</title><h1>On lamps</h1><p>By Ada Lovelace and Jon Ek, 8 July 2016<p>They burn.";
//! let mut parser = Parser::new(PageConfig::default());
//! let found = metadata(parser.parse(html, None)?, &Context::default());
//! assert_eq!(found.authors, ["Ada Lovelace", "Jon Ek"]);
//! assert_eq!(found.published.map(|published| published.day.to_string()).as_deref(), Some("2016-07-08"));
//! # Ok::<(), gleaner_html::PageError>(())
//! ```

mod author;
pub mod date;
mod day;
mod heading;
mod label;
mod language;
mod marked;
mod phrases;
mod rights;
mod sources;
mod structured;
mod title;

use std::borrow::Cow;
use std::ops::Range;

use gleaner_html::{Attr, Tag, without_controls};
use gleaner_page::Page;

use self::author::Named;
pub use self::author::byline;
use self::date::Day;
use self::day::StatedDay;
pub use self::day::{DaySource, Published};
use self::heading::main_heading;
pub use self::label::published_in;
pub use self::language::Language;
use self::marked::Marked;
use self::rights::Collected;
pub use self::rights::{RightsPlace, RightsStatement};
pub use self::sources::{Source, SourceKind, Sources};
use self::structured::StructuredData;
pub use self::structured::{StructuredText, TextSource};
use self::title::TitleFrom;

/// What is known of a page beside the page itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// Its address; empty where it is not known.
    pub url: &'a str,
    /// The day of its capture: no page is published later than a day after it.
    pub captured: Option<Day>,
}

/// What a page states about itself; `None` where it states nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata<'a> {
    /// A heading that agrees with what the head gives as a title, else that (Open Graph's title,
    /// `<title>`, schema.org's headline) without the site's name.
    pub title: Option<Cow<'a, str>>,
    /// The blocks that show the title, the main heading of the page; an empty range if none do.
    pub heading: Range<u32>,
    /// The names of the authors, each once: from `<meta>`, schema.org's `author`, or a byline.
    pub authors: Vec<String>,
    /// The day of first publication.
    pub published: Option<Published>,
    /// The primary language subtag (`en`, `pt`, `zh`) of [`Language::from_page`].
    pub language: Option<String>,
    /// The text that its structured data holds.
    pub structured: Option<StructuredText>,
    /// What it states about rights, unread: licences, and what robots may do.
    pub rights: Vec<RightsStatement>,
}

const TITLES: &[&str] = &["og:title", "twitter:title", "dc.title"];
const SITES: &[&str] = &["og:site_name", "application-name", "apple-mobile-web-app-title"];
const AUTHORS: &[&str] = &[
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "parsely-author",
    "sailthru.author",
    "cxenseparse:author",
    "og:author",
    "byl",
    "authors",
    "citation_authors",
    "creator",
];
/// What states the day of first publication.
const DAYS: &[&str] = &[
    "article:published_time",
    "og:article:published_time",
    "article:published",
    "og:published_time",
    "datepublished",
    "dc.date.issued",
    "dcterms.issued",
    "dc.issued",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "prism.publicationdate",
    "pubdate",
    "pub_date",
    "publication_date",
    "publicationdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "published_date",
    "date_published",
    "parsely-pub-date",
    "sailthru.date",
    "og:pubdate",
    "og:publish_date",
    "cxenseparse:publishtime",
    "cxenseparse:recs:publishtime",
    "published",
];
/// What may state the day of a change as well.
const VAGUE_DAYS: &[&str] = &[
    "date",
    "dc.date",
    "dc.date.created",
    "dcterms.date",
    "dcterms.created",
    "datecreated",
    "created",
];
/// Ends of further names that state the day of first publication: `w-published-date`.
const DAY_ENDS: &[&str] = &[
    "publisheddate",
    "publishdate",
    "publicationdate",
    "datepublished",
    "firstpublished",
];
/// Parts of such names that state another day: `last-published-date`.
const OTHER_DAYS: &[&str] = &["last", "updat", "modif", "unpubl", "republ", "expir"];
/// Maximum values examined per kind.
const VALUES: usize = 50;

/// Bytes of a title that are kept.
const LONGEST_TITLE: usize = 2000;

/// Reads what a page states about itself. One pass over its elements, and one over its structured data.
pub fn metadata<'a>(page: &'a Page, context: &Context<'_>) -> Metadata<'a> {
    read(page, context).0
}

/// The same, and where the title and the authors stand.
fn read<'a>(page: &'a Page, context: &Context<'_>) -> (Metadata<'a>, [Option<Source>; 2]) {
    let found = Candidates::read(page);
    let data = StructuredData::read(page);
    let language = Language::from_page(page);
    let mut marked = Marked::new(page);
    let headline = data.headline();
    let given = found.titles(page, headline.as_deref());
    let links = marked.front_links();
    let names = data
        .organisations()
        .into_iter()
        .chain(links.iter().map(String::as_str));
    let site = title::Site::new(found.site.1.into_iter().chain(names), context.url);
    let texts: Vec<&str> = given.iter().map(|(title, _)| *title).collect();
    let chosen = title::choose(&texts, &marked.headings, &site, &|| marked.lesser_headings());
    let (title, from) = chosen.unzip();
    let mut heading = 0..0;
    if let Some(title) = &title {
        marked.set_title(title);
        heading = main_heading(&marked, title, &texts);
    }
    let of_title = from.map(|from| match from {
        TitleFrom::Heading => Source::of(SourceKind::Heading, marked.heading),
        TitleFrom::Given(place) => given[place].1,
    });
    let stated = day::Stated {
        values: found.days(&data, context.url),
        language: language.as_ref(),
    };
    let (Named { names, element }, kind) = found.authors(&data, &marked, language.as_ref());
    let of_authors = (!names.is_empty()).then_some(Source::of(kind, element));
    let authors = names.into_iter();
    let metadata = Metadata {
        title: title.map(clean),
        heading,
        authors: authors.map(|name| clean(Cow::Owned(name)).into_owned()).collect(),
        published: day::of_page(&marked, &stated, context),
        language: language.map(|language| language.name),
        structured: StructuredText::find(page, &data),
        rights: found.rights.with_scripts(page, &data),
    };
    (metadata, [of_title, of_authors])
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
    title: (usize, Option<Stated<'a>>),
    site: (usize, Option<&'a str>),
    /// With their ranks, in the order of the page.
    authors: Vec<(usize, Stated<'a>)>,
    days: Vec<(usize, Stated<'a>)>,
    vague_days: Vec<(usize, Stated<'a>)>,
    rights: Collected,
}

/// What a `<meta>` element states.
#[derive(Clone, Copy)]
struct Stated<'a> {
    text: &'a str,
    element: u32,
}

impl<'a> Candidates<'a> {
    fn read(page: &'a Page) -> Candidates<'a> {
        let mut found = Candidates::default();
        for (index, element) in page.elements.iter().enumerate() {
            if element.tag == Tag::Meta {
                found.meta(page, index as u32);
                found.rights.meta(page, index as u32);
            }
        }
        found.rights.links(page);
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
            let stated = Stated {
                text: content,
                element,
            };
            better(&mut self.title, rank(TITLES, name), || Some(stated));
            better(&mut self.site, rank(SITES, name), || Some(content));
            let lists = [
                (&mut self.authors, rank(AUTHORS, name)),
                (&mut self.days, rank(DAYS, name).or_else(|| rank_by_end(name))),
                (&mut self.vague_days, rank(VAGUE_DAYS, name)),
            ];
            for (list, rank) in lists {
                let rank = rank.filter(|_| list.len() < VALUES);
                list.extend(rank.map(|rank| (rank, stated)));
            }
        }
    }

    /// The titles that the head gives, the best first, and where they stand.
    fn titles<'t>(&self, page: &'t Page, headline: Option<&'t str>) -> Vec<(&'t str, Source)>
    where
        'a: 't,
    {
        let of_meta = self.title.1.map(|stated| {
            let source = Source::of(SourceKind::Meta, Some(stated.element));
            (stated.text, source)
        });
        let of_title = (page.title.as_str(), Source::of(SourceKind::Title, None));
        let of_data = headline.map(|title| (title, Source::of(SourceKind::Structured, None)));
        [of_meta, Some(of_title), of_data]
            .into_iter()
            .flatten()
            .map(|(title, source)| (cut(title.trim(), LONGEST_TITLE), source))
            .filter(|(title, _)| !title.is_empty())
            .collect()
    }

    /// What states the day of publication, the best first.
    fn days<'t>(&'t self, data: &'t StructuredData, url: &str) -> Vec<StatedDay<'t>> {
        let by_rank = |list: &[(usize, Stated<'a>)]| {
            let mut list = list.to_vec();
            list.sort_by_key(|(rank, _)| *rank);
            list.into_iter().map(|(_, stated)| StatedDay {
                text: stated.text,
                source: DaySource::Head,
                element: Some(stated.element),
            })
        };
        let of_data = data.published(url).into_iter();
        let of_data = of_data.map(|text| StatedDay {
            text,
            source: DaySource::Structured,
            element: None,
        });
        by_rank(&self.days)
            .chain(of_data)
            .chain(by_rank(&self.vague_days))
            .collect()
    }

    /// The authors: several of the structured data, those of the best `<meta>` elements, one of the structured data, those
    /// of bylines; and where no person is named, publishers.
    fn authors(
        &self,
        data: &StructuredData,
        marked: &Marked<'_>,
        language: Option<&Language>,
    ) -> (Named, SourceKind) {
        let of = |texts: Vec<String>| {
            let mut all = Vec::new();
            for text in texts {
                author::add(&mut all, author::names(&text, language));
            }
            all
        };
        let publishers = || data.organisations().into_iter().chain(self.site.1);
        let is_publisher = |name: &String| {
            let words = title::words(name);
            publishers().any(|publisher| title::words(publisher) == words)
        };
        let Named { names, element } = self.stated_authors(language);
        let (organisations, persons): (Vec<String>, Vec<String>) = names.into_iter().partition(is_publisher);
        let stated = |names| Named { names, element };
        let of_data: Vec<String> = of(data.authors(false))
            .into_iter()
            .filter(|name| !is_publisher(name))
            .collect();
        if of_data.len() > 1 && of_data.len() >= persons.len() {
            return (Named::elsewhere(of_data), SourceKind::Structured);
        }
        if !persons.is_empty() {
            return (stated(persons), SourceKind::Meta);
        }
        let ways: [(&dyn Fn() -> Named, SourceKind); 5] = [
            (&|| Named::elsewhere(of_data.clone()), SourceKind::Structured),
            (&|| author::marked(marked, language), SourceKind::Marked),
            (&|| author::beside_heading(marked, language), SourceKind::Printed),
            (&|| stated(organisations.clone()), SourceKind::Meta),
            (
                &|| Named::elsewhere(of(data.authors(true))),
                SourceKind::Structured,
            ),
        ];
        let mut found = ways.into_iter().map(|(way, kind)| (way(), kind));
        let found = found.find(|(named, _)| !named.names.is_empty());
        found.unwrap_or((Named::default(), SourceKind::Meta))
    }

    /// The authors that `<meta>` elements name: all of the best kind that has one.
    fn stated_authors(&self, language: Option<&Language>) -> Named {
        let mut ranks: Vec<usize> = self.authors.iter().map(|(rank, _)| *rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let of_rank = |wanted: usize| {
            let mut found = Named::default();
            for (_, stated) in self.authors.iter().filter(|(rank, _)| *rank == wanted) {
                let is_first = found.names.is_empty();
                author::add(&mut found.names, author::names(stated.text, language));
                if is_first && !found.names.is_empty() {
                    found.element = Some(stated.element);
                }
            }
            found
        };
        let mut found = ranks.into_iter().map(of_rank);
        found.find(|named| !named.names.is_empty()).unwrap_or_default()
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

/// The rank of a name that states the day of first publication by its end: behind those of [`DAYS`].
fn rank_by_end(name: &str) -> Option<usize> {
    let mut parts = name.as_bytes().windows(b"publ".len());
    if !parts.any(|part| part.eq_ignore_ascii_case(b"publ")) {
        return None;
    }
    let letters = name.bytes().filter(u8::is_ascii_alphabetic);
    let plain: String = letters
        .map(|letter| char::from(letter.to_ascii_lowercase()))
        .collect();
    let is_day = DAY_ENDS.iter().any(|end| plain.ends_with(end));
    let is_other = || OTHER_DAYS.iter().any(|part| plain.contains(part));
    (is_day && !is_other()).then_some(DAYS.len() + 1)
}

/// The beginning of a text, of `most` bytes at most.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rfind(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests;
