//! Cues of the document: metadata, structured data, the address, and its elements.

use gleaner_html::{Attr, Tag};
use gleaner_page::Page;
use memchr::memmem;

use super::Facts;
use super::root::Root;

/// Maximum bytes of structured data searched.
const STRUCTURED: usize = 200_000;

/// Kinds of page in `og:type`, by number from 2; 1 is any other, 0 none.
const OG_TYPES: [&str; 8] = [
    "article", "website", "product", "profile", "blog", "video", "forum", "book",
];
/// Programs in `<meta name="generator">`, by number from 2; 1 is any other, 0 none.
const GENERATORS: [&str; 18] = [
    "wordpress",
    "drupal",
    "joomla",
    "blogger",
    "mediawiki",
    "discourse",
    "typo3",
    "hugo",
    "jekyll",
    "ghost",
    "docusaurus",
    "sphinx",
    "wix",
    "shopify",
    "squarespace",
    "elementor",
    "vbulletin",
    "powered by",
];
/// Kinds of things in JSON-LD and microdata, each with its bit: the type has one of the words in it.
const TYPES: [&[&str]; 9] = [
    &["Article", "BlogPosting", "Report"],
    &["Product", "Offer"],
    &["DiscussionForumPosting", "QAPage", "Question"],
    &["ItemList", "CollectionPage"],
    &["BreadcrumbList"],
    &["HowTo", "Recipe", "FAQPage"],
    &["Organization", "LocalBusiness", "Service"],
    &["NewsArticle", "ReportageNews"],
    &["BlogPosting"],
];

/// Number of codes of [`Cues::og_type`].
pub(crate) const OG_TYPE_CODES: u16 = OG_TYPES.len() as u16 + 2;
/// Number of codes of [`Cues::generator`].
pub(crate) const GENERATOR_CODES: u16 = GENERATORS.len() as u16 + 2;

/// Cues of the document.
#[derive(Clone, Debug)]
pub(crate) struct Cues {
    pub(crate) og_type: u8,
    pub(crate) generator: u8,
    /// A bit for each kind of thing in the structured data: article, product, discussion, list,
    /// breadcrumbs, instructions, organisation, news, posting.
    pub(crate) types: u16,
    /// Segments of the address's path.
    pub(crate) url_depth: u32,
    /// Hyphens in its last segment.
    pub(crate) url_dashes: u32,
    /// Three digits in a row in its path.
    pub(crate) url_digits: bool,
    pub(crate) url_query: bool,
    pub(crate) root: Root,
    /// Elements by name.
    pub(crate) tags: [u32; Tag::COUNT],
}

impl Default for Cues {
    fn default() -> Self {
        Cues {
            og_type: 0,
            generator: 0,
            types: 0,
            url_depth: 0,
            url_dashes: 0,
            url_digits: false,
            url_query: false,
            root: Root::default(),
            tags: [0; Tag::COUNT],
        }
    }
}

impl Cues {
    /// How many elements of a name there are.
    pub(crate) fn count(&self, tag: Tag) -> u32 {
        self.tags[tag as usize]
    }
}

impl Facts {
    /// Collects the cues.
    pub(super) fn measure_cues(&mut self, page: &Page, url: &str) {
        let mut cues = Cues {
            types: types(page) | types_of_microdata(page),
            ..Cues::default()
        };
        cues.read_url(url);
        for (at, element) in page.elements.iter().enumerate() {
            cues.tags[element.tag as usize] += 1;
            cues.root.read(page, at as u32, element.tag);
            if element.tag == Tag::Meta {
                cues.read_meta(page, at as u32);
            }
        }
        self.cues = cues;
    }
}

impl Cues {
    fn read_meta(&mut self, page: &Page, element: u32) {
        let Some(content) = page.attribute(element, Attr::Content) else {
            return;
        };
        let name = page
            .attribute(element, Attr::Property)
            .or_else(|| page.attribute(element, Attr::Name));
        let name = name.unwrap_or_default();
        if name.eq_ignore_ascii_case("og:type") {
            self.og_type = number(content, &OG_TYPES);
        } else if name.eq_ignore_ascii_case("generator") && self.generator < 2 {
            self.generator = number(content, &GENERATORS);
        }
    }

    fn read_url(&mut self, url: &str) {
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = path.split_once('/').map_or("", |(_, path)| path);
        let (path, query) = path
            .split_once('?')
            .map_or((path, false), |(path, _)| (path, true));
        let path = path.split('#').next().unwrap_or_default().trim_matches('/');
        self.url_query = query;
        self.url_depth = path.split('/').filter(|segment| !segment.is_empty()).count() as u32;
        self.url_dashes = path
            .rsplit('/')
            .next()
            .map_or(0, |last| last.matches('-').count() as u32);
        self.url_digits = path
            .as_bytes()
            .windows(3)
            .any(|three| three.iter().all(u8::is_ascii_digit));
    }
}

/// The number of the first name that the text starts with, whatever its case.
fn number(text: &str, names: &[&str]) -> u8 {
    let text = text.trim();
    let starts = |name: &&str| {
        text.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    match names.iter().position(starts) {
        Some(at) => at as u8 + 2,
        None => u8::from(!text.is_empty()),
    }
}

/// The kinds of things in the structured data, a bit each.
fn types(page: &Page) -> u16 {
    let (mut bits, mut before) = (0, "");
    for data in &page.structured_data {
        let data = &data[..data.floor_char_boundary(STRUCTURED)];
        for at in memmem::find_iter(data.as_bytes(), b"\"@type\"") {
            let value = type_value(&data[at + b"\"@type\"".len()..]);
            // The parts of a list are all of the same kind.
            if value == before {
                continue;
            }
            before = value;
            bits |= bits_of(value);
        }
    }
    bits
}

/// The kinds of things in `itemtype`.
fn types_of_microdata(page: &Page) -> u16 {
    let (mut bits, mut before) = (0, "");
    let itemtypes = page.attributes.iter().filter(|(name, _)| *name == Attr::Itemtype);
    for (_, value) in itemtypes {
        let value = &page.values[value.start as usize..value.end as usize];
        if value != before {
            before = value;
            bits |= bits_of(value);
        }
    }
    bits
}

/// The kinds that a type is of.
fn bits_of(of_type: &str) -> u16 {
    let has = |words: &&[&str]| words.iter().any(|word| of_type.contains(word));
    let bit = |(at, words)| u16::from(has(words)) << at;
    TYPES.iter().enumerate().map(bit).sum()
}

/// The value after a key: up to its closing quote, or of a list up to its end.
fn type_value(rest: &str) -> &str {
    let value = rest.trim_start_matches([' ', '\t', '\n', '\r', ':']);
    let value = &value[..value.floor_char_boundary(200)];
    let (value, end) = match value.strip_prefix('[') {
        Some(list) => (list, ']'),
        None => (value.strip_prefix('"').unwrap_or_default(), '"'),
    };
    value.split(end).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let mut cues = Cues::default();
        cues.read_url("http://a.example/2024/some-long-title/?page=2#x-y");
        assert_eq!(
            (cues.url_depth, cues.url_dashes, cues.url_digits, cues.url_query),
            (2, 2, true, true)
        );
        cues = Cues::default();
        cues.read_url("http://a.example");
        assert_eq!(
            (cues.url_depth, cues.url_dashes, cues.url_digits, cues.url_query),
            (0, 0, false, false)
        );
    }

    #[test]
    fn names_are_numbered() {
        assert_eq!(number("WordPress 6.1", &GENERATORS), 2);
        assert_eq!((number("mine", &GENERATORS), number(" ", &GENERATORS)), (1, 0));
    }

    #[test]
    fn types_of_structured_data() {
        let page = |data: &str| Page {
            structured_data: vec![data.to_owned()],
            ..Page::default()
        };
        assert_eq!(
            types(&page(
                r#"{"@type" : "NewsArticle","x":{"@type":["Thing", "Product"]}}"#
            )),
            0b1000_0011
        );
        assert_eq!(types(&page(r#"{"@type":"Thing","name":"Product"}"#)), 0);
        let microdata = "https://schema.org/Product/schema.org/BlogPosting";
        let page_of = |values: &[std::ops::Range<u32>]| Page {
            attributes: values
                .iter()
                .map(|value| (Attr::Itemtype, value.clone()))
                .collect(),
            values: microdata.to_owned(),
            ..Page::default()
        };
        assert_eq!(
            types_of_microdata(&page_of(&[0..26, 26..49, 26..49])),
            0b1_0000_0011
        );
        assert_eq!(types_of_microdata(&page_of(&[0..19, 0..19])), 0);
        for broken in [
            "\"@type\"",
            "\"@type\":",
            "\"@type\":\"",
            "\"@type\":[",
            "\"@type\":é\"",
        ] {
            assert_eq!(types(&page(broken)), 0);
        }
    }
}
