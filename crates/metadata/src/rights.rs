//! What a page states about rights, unchanged: `<meta>` elements for robots, links to licences, the licences of its
//! structured data, and scripts that are a licence.
//!
//! Nothing is interpreted here: what a statement means is decided by the crate `gleaner-curate`, together with the headers of
//! the response and the files of the site.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use gleaner_html::{Attr, Tag};
use gleaner_page::Page;
use serde::{Deserialize, Serialize};

use crate::cut;
use crate::marked::{finder, has_word};
use crate::structured::{OTHERS, StructuredData};

/// A statement about rights on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightsStatement {
    /// Where it stands.
    pub place: RightsPlace,
    /// Of [`RightsPlace::Meta`] its name, in lower case; of [`RightsPlace::Link`] the media type of its target. Else empty.
    pub name: String,
    /// The content of the `<meta>`, the target of the link, or the text of the script: unchanged, but for white space around
    /// it.
    pub value: String,
}

/// Where a page states something about rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RightsPlace {
    /// `<meta name=robots>`, a name of one crawler, `tdm-reservation`, `dcterms.license` and the like; `http-equiv` likewise.
    Meta,
    /// `<link rel=license>`.
    Link,
    /// `<a rel=license>`.
    Anchor,
    /// `<a>` without `rel=license` in a footer, to a licence of Creative Commons.
    Footer,
    /// The same elsewhere in the text, or the licence of a picture: it may be about something else.
    Text,
    /// An element with `itemprop=license` or RDFa's `property="cc:license"`.
    Microdata,
    /// JSON-LD: schema.org's `license` of the page or of its text.
    Structured,
    /// `<script type="application/rsl+xml">`.
    Script,
}

/// Maximum statements per page.
const STATEMENTS: usize = 50;
/// Maximum bytes of a value that is kept; scripts are bounded when the page is laid out.
const LONGEST: usize = 1000;
/// Maximum elements around a link that are examined.
const LEVELS: usize = 12;

/// Names of `<meta>` elements about rights, beside those of crawlers.
const NAMES: &[&str] = &[
    "robots",
    "x-robots-tag",
    "tdm-reservation",
    "tdm-policy",
    "content-usage",
    "content-signal",
    "license",
    "dc.rights",
    "dc.rights.license",
    "dcterms.license",
    "dcterms.rights",
];
/// Names of crawlers that are not of the form `...bot`.
const CRAWLERS: &[&str] = &[
    "anthropic-ai",
    "applebot-extended",
    "bytespider",
    "claude-web",
    "cohere-ai",
    "diffbot",
    "google-extended",
    "meta-externalagent",
    "omgili",
    "slurp",
    "teoma",
];
/// Words of classes and ids of boxes with the licence of a whole page.
const FOOTERS: &[&str] = &["footer", "copyright", "colophon", "license", "licence", "legal"];

/// What an attribute of a link to a licence has, in the ways of writing that pages have: `rel=license`, or the host of
/// Creative Commons.
static MARKS: LazyLock<AhoCorasick> =
    LazyLock::new(|| finder(&["icense", "ICENSE", "ommons.org", "OMMONS.ORG"]));
/// Maximum places of these examined per page.
const PLACES: usize = 1000;

/// The statements of a page so far.
#[derive(Debug, Default)]
pub(crate) struct Collected(Vec<RightsStatement>);

impl Collected {
    /// Reads a `<meta>` element.
    pub(crate) fn meta(&mut self, page: &Page, element: u32) {
        let attribute = |name| page.attribute(element, name);
        let Some(content) = attribute(Attr::Content) else {
            return;
        };
        let names = [Attr::Name, Attr::Property, Attr::HttpEquiv];
        let name = names.into_iter().filter_map(attribute).map(str::trim);
        if let Some(name) = name.into_iter().find(|name| is_rights_name(name)) {
            self.add(RightsPlace::Meta, name, content);
        } else if attribute(Attr::Itemprop).is_some_and(is_licence) && is_about_page(page, element) {
            self.add(RightsPlace::Microdata, "", content);
        }
    }

    /// Reads the links to licences. They are found by the values of their attributes, since most pages have none.
    pub(crate) fn links(&mut self, page: &Page) {
        let Page {
            attributes,
            values,
            elements,
            ..
        } = page;
        let mut from = 0;
        for place in MARKS.find_iter(values.as_bytes()).take(PLACES) {
            if place.start() < from {
                continue;
            }
            let attribute = attributes.partition_point(|(_, value)| value.end as usize <= place.start());
            let element = elements.partition_point(|element| element.attributes.end as usize <= attribute);
            let Some(own) = elements.get(element) else {
                return;
            };
            if matches!(own.tag, Tag::A | Tag::Area | Tag::Link) {
                self.link(page, element as u32);
                let last = attributes.get(own.attributes.end as usize - 1);
                from = last.map_or(from, |(_, value)| value.end as usize);
            }
        }
    }

    fn link(&mut self, page: &Page, element: u32) {
        let own = &page.elements[element as usize];
        let (mut target, mut is_marked, mut is_property) = ("", false, false);
        for (name, value) in &page.attributes[own.attributes.start as usize..own.attributes.end as usize] {
            let value = &page.values[value.start as usize..value.end as usize];
            match name {
                Attr::Href => target = value.trim(),
                Attr::Rel => is_marked = is_licence(value),
                Attr::Itemprop | Attr::Property => is_property |= is_licence(value),
                _ => {}
            }
        }
        if target.is_empty() || !(is_marked || is_property || is_creative_commons(target)) {
            return;
        }
        if own.tag == Tag::Link && is_marked {
            let media_type = page.attribute(element, Attr::Type).unwrap_or_default();
            self.add(RightsPlace::Link, media_type.trim(), target);
        } else if own.tag != Tag::Link || is_property {
            let place = place(page, element, is_marked, is_property);
            self.add(place, "", target);
        }
    }

    /// Also reads the structured data and the scripts of the page.
    pub(crate) fn with_scripts(mut self, page: &Page, data: &StructuredData) -> Vec<RightsStatement> {
        for licence in data.licences() {
            self.add(RightsPlace::Structured, "", licence);
        }
        for script in &page.licences {
            self.push(RightsPlace::Script, "", script.trim());
        }
        self.0
    }

    fn add(&mut self, place: RightsPlace, name: &str, value: &str) {
        self.push(place, name, cut(value.trim(), LONGEST));
    }

    /// Adds a statement that is not there yet.
    fn push(&mut self, place: RightsPlace, name: &str, value: &str) {
        let statement = RightsStatement {
            place,
            name: cut(name, LONGEST).to_ascii_lowercase(),
            value: value.to_owned(),
        };
        if !value.is_empty() && self.0.len() < STATEMENTS && !self.0.contains(&statement) {
            self.0.push(statement);
        }
    }
}

/// Where a link to a licence stands.
fn place(page: &Page, element: u32, is_marked: bool, is_property: bool) -> RightsPlace {
    let around = || page.ancestors(element).take(LEVELS);
    let is_of_picture = |up: u32| matches!(page.elements[up as usize].tag, Tag::Figure | Tag::Figcaption);
    match () {
        () if around().any(is_of_picture) => RightsPlace::Text,
        () if is_marked => RightsPlace::Anchor,
        () if is_property && is_about_page(page, element) => RightsPlace::Microdata,
        () if is_property => RightsPlace::Text,
        () if around().any(|up| is_footer(page, up)) => RightsPlace::Footer,
        () => RightsPlace::Text,
    }
}

/// Whether an element is a footer, or a box about the rights in the page.
fn is_footer(page: &Page, element: u32) -> bool {
    let names = [Attr::Class, Attr::Id].into_iter();
    let mut names = names.filter_map(|name| page.attribute(element, name));
    page.elements[element as usize].tag == Tag::Footer
        || names.any(|names| has_word(names, |word| FOOTERS.contains(&word)))
}

/// Whether the item that a property belongs to is the page or a text, and not a picture or an author.
fn is_about_page(page: &Page, element: u32) -> bool {
    let mut around = page.ancestors(element).take(LEVELS);
    let kind = around.find_map(|up| page.attribute(up, Attr::Itemtype));
    kind.is_none_or(|kind| {
        let name = kind.trim().rsplit(['/', '#', ':']).next().unwrap_or_default();
        !OTHERS.contains(&name)
    })
}

/// Whether a `<meta>` element of a name is about rights.
fn is_rights_name(name: &str) -> bool {
    let has = |names: &[&str]| names.iter().any(|other| other.eq_ignore_ascii_case(name));
    is_bot(name.as_bytes()) || has(NAMES) || has(CRAWLERS)
}

/// Whether a name has a word that ends in `bot`: `googlebot-news`.
fn is_bot(name: &[u8]) -> bool {
    let mut parts = name.windows(b"bot".len()).enumerate();
    parts.any(|(at, part)| {
        let next = name.get(at + part.len());
        part.eq_ignore_ascii_case(b"bot") && next.is_none_or(|next| !next.is_ascii_alphanumeric())
    })
}

/// Whether a list of relations or properties has that of a licence, with or without a prefix: `license`, `cc:license`.
fn is_licence(names: &str) -> bool {
    names.split_ascii_whitespace().any(|name| {
        let name = name.rsplit(':').next().unwrap_or_default();
        name.eq_ignore_ascii_case("license")
    })
}

/// Whether an address is that of a licence of Creative Commons.
fn is_creative_commons(address: &str) -> bool {
    const HOST: &str = "creativecommons.org/";
    let without = |text: &'_ str, start: &str| {
        let head = text.get(..start.len())?;
        head.eq_ignore_ascii_case(start).then_some(start.len())
    };
    let mut rest = address;
    for start in ["http:", "https:", "//", "www."] {
        rest = &rest[without(rest, start).unwrap_or(0)..];
    }
    let path = without(rest, HOST).map(|end| rest[end..].trim_start_matches('/'));
    path.is_some_and(|path| {
        ["licenses/", "publicdomain/"]
            .iter()
            .any(|start| path.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use gleaner_page::{PageConfig, Parser};

    use super::*;
    use crate::{Context, metadata};

    /// The statements of a page, as text.
    fn stated(html: &str) -> Vec<String> {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .unwrap();
        let statements = metadata(page, &Context::default()).rights;
        let line = |statement: &RightsStatement| {
            let RightsStatement { place, name, value } = statement;
            format!("{place:?} {name} {value}")
        };
        statements.iter().map(line).collect()
    }

    const BY: &str = "https://creativecommons.org/licenses/by/4.0/";

    #[test]
    fn meta_elements_are_those_for_robots_and_those_about_licences() {
        let html = "<meta name=Robots content=' noindex, NOAI '><meta name=googlebot-news content=nosnippet><meta name=slurp content=noindex>\
            <meta name=tdm-reservation content=1><meta http-equiv=X-Robots-Tag content=noai><meta name=description content=noindex><meta name=bottom content=all>\
            <meta property=DCTERMS.license content=https://a.example/l><meta name=robots><meta name=robots content=' noindex, NOAI '>";
        assert_eq!(
            stated(html),
            [
                "Meta robots noindex, NOAI",
                "Meta googlebot-news nosnippet",
                "Meta slurp noindex",
                "Meta tdm-reservation 1",
                "Meta x-robots-tag noai",
                "Meta dcterms.license https://a.example/l",
            ]
        );
    }

    #[test]
    fn a_link_is_a_licence_by_its_relation_or_by_its_target() {
        for (html, wanted) in [
            (
                format!("<link rel='stylesheet License' href='{BY}'>"),
                format!("Link  {BY}"),
            ),
            (
                "<link rel=license type=Application/RSL+xml href=/rsl.xml>".to_owned(),
                "Link application/rsl+xml /rsl.xml".to_owned(),
            ),
            (
                format!("<p>A <a rel='noopener license' href=' {BY} '>licence</a>"),
                format!("Anchor  {BY}"),
            ),
            (
                format!("<footer><p><a href={BY}>CC</a></footer>"),
                format!("Footer  {BY}"),
            ),
            (
                format!("<div id=site-footer><p><a href={BY}>CC</a></div>"),
                format!("Footer  {BY}"),
            ),
            (format!("<p>They use <a href={BY}>CC</a>"), format!("Text  {BY}")),
            (
                "<a href=//www.CreativeCommons.org/publicdomain/zero/1.0/>CC0</a>".to_owned(),
                "Text  //www.CreativeCommons.org/publicdomain/zero/1.0/".to_owned(),
            ),
            (
                format!("<figure><img src=a><figcaption><a rel=license href={BY}>CC</a></figure>"),
                format!("Text  {BY}"),
            ),
            (
                format!("<a rel='cc:license' href={BY}>CC</a>"),
                format!("Anchor  {BY}"),
            ),
            (
                format!("<p itemscope><a itemprop=license href={BY}>CC</a>"),
                format!("Microdata  {BY}"),
            ),
            (
                format!("<meta itemprop=license content='{BY}'>"),
                format!("Microdata  {BY}"),
            ),
            (
                format!(
                    "<p itemscope itemtype=https://schema.org/ImageObject><a itemprop=license href={BY}>CC</a>"
                ),
                format!("Text  {BY}"),
            ),
        ] {
            assert_eq!(stated(&html), [wanted], "{html}");
        }
        for html in [
            "<a href=https://creativecommons.org/about/>CC</a>",
            "<a href=https://a.example/creativecommons.org/licenses/by/4.0/>CC</a>",
            "<a rel=license>no target</a><a rel=licensed href=/a>other</a>",
            "<link rel=stylesheet href=https://creativecommons.org/licenses/a.css>",
        ] {
            assert_eq!(stated(html), [""; 0], "{html}");
        }
    }

    #[test]
    fn structured_data_and_scripts_have_licences() {
        let html = r#"<script type="application/ld+json">{"@graph": [{"@type": "Article", "license": ["https://a.example/1", {"@id": "https://a.example/2"}]},
            {"@type": "ImageObject", "license": "https://a.example/picture"}]}</script>
            <script type="application/rsl+xml"> <rsl/> </script><p>Text"#;
        assert_eq!(
            stated(html),
            [
                "Structured  https://a.example/1",
                "Structured  https://a.example/2",
                "Script  <rsl/>",
            ]
        );
    }

    #[test]
    fn statements_are_bounded() {
        let link = |at: usize| format!("<a rel=license href=/{at}{}>x</a>", "y".repeat(2000));
        let html: String = (0..100).map(link).collect();
        let statements = stated(&html);
        assert_eq!(statements.len(), STATEMENTS);
        assert!(statements.iter().all(|statement| statement.len() <= LONGEST + 20));
    }
}
