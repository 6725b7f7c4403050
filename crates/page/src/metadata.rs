//! What a page says of itself: title, author, date and language, from its head and its
//! structured data. Nothing is guessed from the text.

use std::borrow::Cow;

use serde_json::Value;

use crate::{Attr, NONE, Page, Tag};

/// What a page says of itself; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata<'a> {
    /// Open Graph's title, else `<title>`.
    pub title: Option<Cow<'a, str>>,
    /// The author's name from `<meta>`, else from schema.org's `author`.
    pub author: Option<Cow<'a, str>>,
    /// The day of publication as year, month, day: from `<meta>`, schema.org's `datePublished`,
    /// or a `<time>` marked as such.
    pub published: Option<(i16, u8, u8)>,
    /// The primary language subtag (`en`, `pt`, `zh`), lower case, that `<html lang>`,
    /// `Content-Language` or `og:locale` declare.
    pub language: Option<String>,
}

const TITLES: &[&str] = &["og:title", "twitter:title"];
const AUTHORS: &[&str] = &["author", "article:author", "dc.creator", "parsely-author", "byl"];
const DATES: &[&str] = &[
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "pubdate",
    "publishdate",
    "publish-date",
    "parsely-pub-date",
    "sailthru.date",
    "og:pubdate",
];
/// Structured data beyond this many bytes is not looked at.
const STRUCTURED_DATA_BYTES: usize = 1 << 18;

/// Reads what a page says of itself. One pass over its elements.
pub fn metadata(page: &Page) -> Metadata<'_> {
    let mut found = Candidates::default();
    for (index, element) in page.elements.iter().enumerate() {
        match element.tag {
            Tag::Meta => found.meta(page, index as u32),
            Tag::Time => found.time(page, index as u32),
            _ => {}
        }
    }
    let (author, published) = (found.author.1, found.published.1);
    let structured = if author.is_none() || published.is_none() {
        structured_data(page)
    } else {
        Structured::default()
    };
    let title = found
        .title
        .1
        .or(Some(page.title.as_str()))
        .map(str::trim)
        .filter(|title| !title.is_empty());
    Metadata {
        title: title.map(Cow::Borrowed),
        author: author.map(Cow::Borrowed).or(structured.author.map(Cow::Owned)),
        published: published.or(structured.published).or(found.time),
        language: declared_language(page).or(found.language),
    }
}

/// The best of each so far, with its rank in the lists above.
#[derive(Default)]
struct Candidates<'a> {
    title: (usize, Option<&'a str>),
    author: (usize, Option<&'a str>),
    published: (usize, Option<(i16, u8, u8)>),
    time: Option<(i16, u8, u8)>,
    language: Option<String>,
}

impl<'a> Candidates<'a> {
    fn meta(&mut self, page: &'a Page, element: u32) {
        let Some(content) = page
            .attribute(element, Attr::Content)
            .map(str::trim)
            .filter(|text| !text.is_empty())
        else {
            return;
        };
        let attribute = |name| page.attribute(element, name);
        if attribute(Attr::HttpEquiv).is_some_and(|name| name.eq_ignore_ascii_case("content-language")) {
            self.language = self.language.take().or_else(|| primary_subtag(content));
        }
        for name in [Attr::Property, Attr::Name, Attr::Itemprop]
            .into_iter()
            .filter_map(attribute)
        {
            better(&mut self.title, rank(TITLES, name), || Some(content));
            better(&mut self.author, rank(AUTHORS, name), || {
                Some(content).filter(|text| !is_url(text))
            });
            better(&mut self.published, rank(DATES, name), || date(content));
            if name.eq_ignore_ascii_case("og:locale") {
                self.language = self.language.take().or_else(|| primary_subtag(content));
            }
        }
    }

    fn time(&mut self, page: &'a Page, element: u32) {
        let marked = page
            .attribute(element, Attr::Itemprop)
            .is_some_and(|name| name.eq_ignore_ascii_case("datePublished"))
            || page.attribute(element, Attr::Class).is_some_and(|class| {
                class
                    .split_ascii_whitespace()
                    .any(|token| matches!(token, "published" | "dt-published" | "entry-date"))
            });
        if marked && self.time.is_none() {
            self.time = page.attribute(element, Attr::Datetime).and_then(date);
        }
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

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://") || text.starts_with('@')
}

fn declared_language(page: &Page) -> Option<String> {
    let root = page.elements.iter().position(|element| element.parent == NONE)?;
    page.attribute(root as u32, Attr::Lang).and_then(primary_subtag)
}

/// `en` of `en-GB`, `pt` of `pt_BR`; nothing of what is no language tag.
fn primary_subtag(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_', ',', ';', ' ']).next()?;
    let sound = (2..=3).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    sound.then(|| primary.to_ascii_lowercase())
}

/// The date at the beginning of an ISO 8601 date or time: `2024-05-01T10:00:00Z`, `20240501`.
fn date(text: &str) -> Option<(i16, u8, u8)> {
    let text = text.trim().as_bytes();
    let number = |from: usize, to: usize| -> Option<u16> {
        let digits = text.get(from..to)?;
        digits.iter().all(u8::is_ascii_digit).then(|| {
            digits
                .iter()
                .fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'))
        })
    };
    let year = number(0, 4)?;
    let (month, day) = match text.get(4)? {
        b'-' | b'/' | b'.' => (number(5, 7)?, number(8, 10)?),
        _ => (number(4, 6)?, number(6, 8)?),
    };
    let sound = (1990..=2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day);
    sound.then_some((year as i16, month as u8, day as u8))
}

fn days_in(year: u16, month: u16) -> u16 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[derive(Default)]
struct Structured {
    author: Option<String>,
    published: Option<(i16, u8, u8)>,
}

fn structured_data(page: &Page) -> Structured {
    let mut found = Structured::default();
    for body in &page.structured_data {
        let worth_it = body.len() <= STRUCTURED_DATA_BYTES
            && (body.contains("datePublished") || body.contains("\"author\""));
        if let Some(value) = worth_it
            .then(|| serde_json::from_str::<Value>(body).ok())
            .flatten()
        {
            found.visit(&value, 0);
        }
    }
    found
}

impl Structured {
    fn visit(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Array(values) if depth < 8 => values.iter().for_each(|value| self.visit(value, depth + 1)),
            Value::Object(fields) if depth < 8 => {
                let text = |key: &str| fields.get(key).and_then(Value::as_str);
                self.published = self.published.or_else(|| text("datePublished").and_then(date));
                if self.author.is_none() {
                    self.author = fields.get("author").and_then(person);
                }
                fields
                    .get("@graph")
                    .into_iter()
                    .for_each(|graph| self.visit(graph, depth + 1));
                fields
                    .get("mainEntity")
                    .into_iter()
                    .for_each(|entity| self.visit(entity, depth + 1));
            }
            _ => {}
        }
    }
}

/// The name of schema.org's `author`: a string, a Person, or a list whose first counts.
fn person(value: &Value) -> Option<String> {
    let name = match value {
        Value::String(name) => Some(name.as_str()),
        Value::Object(fields) => fields.get("name").and_then(Value::as_str),
        Value::Array(list) => return list.first().and_then(person),
        _ => None,
    };
    name.map(str::trim)
        .filter(|name| !name.is_empty() && !is_url(name))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_or_refused() {
        assert_eq!(date("2024-05-01T10:00:00Z"), Some((2024, 5, 1)));
        assert_eq!(date(" 20240229 "), Some((2024, 2, 29)));
        assert_eq!(date("2023/02/29"), None);
        assert_eq!(date("May 1, 2024"), None);
        assert_eq!(date("2024"), None);
    }

    #[test]
    fn languages_are_primary_subtags() {
        assert_eq!(primary_subtag("pt_BR").as_deref(), Some("pt"));
        assert_eq!(primary_subtag("EN-gb").as_deref(), Some("en"));
        assert_eq!(primary_subtag("english"), None);
        assert_eq!(primary_subtag(""), None);
    }

    #[test]
    fn a_head_is_read() {
        let html = br#"<html lang="en-GB"><head><title>Short | Site</title>
            <meta property="og:title" content="Short"><meta name=author content="https://x.example/a">
            <meta name="date" content="2021-03-04"><meta property="article:published_time" content="2021-03-05T10:00">
            <script type="application/ld+json">{"author": {"name": "Jan Novak"}}</script></head><body><p>Text"#;
        let mut parser = crate::Parser::new(crate::PageConfig::default());
        let page = parser.parse(html, None).unwrap();
        let found = metadata(page);
        assert_eq!(found.title.as_deref(), Some("Short"));
        assert_eq!(found.author.as_deref(), Some("Jan Novak"));
        assert_eq!(found.published, Some((2021, 3, 5)));
        assert_eq!(found.language.as_deref(), Some("en"));
    }

    #[test]
    fn the_author_of_structured_data_is_a_name() {
        let value = serde_json::json!([{"@graph": [{"author": [{"@type": "Person", "name": " Ada "}], "datePublished": "2020-01-02"}]}]);
        let mut found = Structured::default();
        found.visit(&value, 0);
        assert_eq!(
            (found.author.as_deref(), found.published),
            (Some("Ada"), Some((2020, 1, 2)))
        );
    }
}
