//! Where the facts about a page stand on it.

use gleaner_html::Tag;
use gleaner_page::Page;

use crate::{Context, DaySource, Language, Metadata, read};

/// Where a page states a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// What states it.
    pub kind: SourceKind,
    /// The element; none for structured data and the address.
    pub element: Option<u32>,
}

/// What states a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A `<meta>` element.
    Meta,
    /// `<title>`.
    Title,
    /// A heading that agrees with the head.
    Heading,
    /// Structured data: JSON-LD.
    Structured,
    /// An element with a mark: `rel`, `itemprop`, `class`, `datetime`.
    Marked,
    /// Printed text.
    Printed,
    /// The address.
    Address,
    /// The attribute `lang` of the root.
    Root,
}

/// Where a page states what it says about itself; `None` for what it does not state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Its title.
    pub title: Option<Source>,
    /// Its authors.
    pub authors: Option<Source>,
    /// The day of first publication.
    pub published: Option<Source>,
    /// Its language.
    pub language: Option<Source>,
}

impl Source {
    pub(crate) fn of(kind: SourceKind, element: Option<u32>) -> Source {
        Source { kind, element }
    }
}

impl SourceKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Meta => "meta",
            SourceKind::Title => "title",
            SourceKind::Heading => "heading",
            SourceKind::Structured => "structured-data",
            SourceKind::Marked => "marked",
            SourceKind::Printed => "printed",
            SourceKind::Address => "address",
            SourceKind::Root => "root",
        }
    }
}

impl From<DaySource> for SourceKind {
    fn from(source: DaySource) -> SourceKind {
        match source {
            DaySource::Head => SourceKind::Meta,
            DaySource::Structured => SourceKind::Structured,
            DaySource::Marked => SourceKind::Marked,
            DaySource::Address => SourceKind::Address,
            DaySource::Printed => SourceKind::Printed,
        }
    }
}

impl Sources {
    /// Reads the page as [`metadata`](crate::metadata) does.
    pub fn of(page: &Page, context: &Context<'_>) -> Sources {
        let (Metadata { published, .. }, [title, authors]) = read(page, context);
        let title = title.map(|source| match source.kind {
            SourceKind::Title => Source::of(SourceKind::Title, first(page, Tag::Title)),
            _ => source,
        });
        Sources {
            title,
            authors,
            published: published.map(|day| Source::of(day.source.into(), day.element)),
            language: Language::source(page),
        }
    }
}

fn first(page: &Page, tag: Tag) -> Option<u32> {
    let mut elements = page.elements.iter();
    let first = elements.position(|element| element.tag == tag);
    first.map(|first| first as u32)
}

#[cfg(test)]
mod tests {
    use gleaner_page::{PageConfig, Parser};

    use super::*;

    /// The sources of title, authors, day and language, each with the name of its element.
    fn sources(html: &str, url: &str) -> [String; 4] {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .unwrap();
        let context = Context {
            url,
            ..Context::default()
        };
        let Sources {
            title,
            authors,
            published,
            language,
        } = Sources::of(page, &context);
        [title, authors, published, language].map(|source| {
            let Some(Source { kind, element }) = source else {
                return String::new();
            };
            let tag = element.map(|at| format!(" {:?}", page.elements[at as usize].tag));
            format!("{}{}", kind.name(), tag.unwrap_or_default())
        })
    }

    #[test]
    fn facts_stand_in_the_head_in_marks_in_text_or_in_the_address() {
        let text = "<p>They burn with a low flame, and it is said that they are never put out.";
        for (html, url, expected) in [
            (
                "<html lang=en><title>On lamps</title><h1>On lamps</h1><p>By Ada Lovelace, 8 July 2016",
                "",
                ["heading H1", "printed P", "printed P", "root Html"],
            ),
            (
                "<meta property=og:title content='On lamps'><meta name=author content='Ada Lovelace'>\
                 <meta property=article:published_time content=2016-07-08><meta property=og:locale content=en_US>",
                "",
                ["meta Meta", "meta Meta", "meta Meta", "meta Meta"],
            ),
            (
                "<title>On lamps</title><h1>The lamp shop</h1><h1>Oil</h1><a rel=author href=/a>Ada Lovelace</a>\
                 <time itemprop=datePublished datetime=2016-07-08>Friday</time>",
                "",
                ["title Title", "marked A", "marked Time", ""],
            ),
            (
                "<script type=application/ld+json>{\"@type\": \"Article\", \"headline\": \"On lamps\", \"datePublished\": \"2016-07-08\",
                 \"author\": {\"@type\": \"Person\", \"name\": \"Ada Lovelace\"}}</script>",
                "",
                ["structured-data", "structured-data", "structured-data", ""],
            ),
            ("", "https://lamps.example/2016/07/08/on-lamps", ["", "", "address", ""]),
        ] {
            assert_eq!(sources(&format!("{html}{text}"), url), expected, "{html}");
        }
    }
}
