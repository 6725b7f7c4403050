//! The language of a page and of its elements.

use std::iter::once;

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::Page;

/// A language and, where it is stated, its region, both in lower case: `en` and `gb`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// The primary subtag: `en` of `en-GB`, `pt` of `pt_BR`.
    pub name: String,
    /// The region subtag: two letters or three digits.
    pub region: Option<String>,
}

/// Names of `<meta>` elements that state the language, the most trusted first.
const STATEMENTS: [&str; 5] = [
    "content-language",
    "language",
    "dc.language",
    "dcterms.language",
    "og:locale",
];
/// Tags that state that no language is known, that there are several, or that there is none.
const NO_LANGUAGES: [&str; 3] = ["und", "mul", "zxx"];

impl Language {
    /// The first language in a list of tags, such as `en-GB`, `pt_BR` or `en, en-US`; the region is the first that a tag
    /// of the same language has. `None` where there is no language tag.
    ///
    /// ```
    /// use gleaner_metadata::Language;
    ///
    /// let language = Language::from_tags("en, en-US").unwrap();
    /// assert_eq!((language.name.as_str(), language.region.as_deref()), ("en", Some("us")));
    /// assert_eq!(Language::from_tags("English"), None);
    /// ```
    pub fn from_tags(tags: &str) -> Option<Language> {
        tags.split(|letter: char| matches!(letter, ',' | ';') || letter.is_whitespace())
            .filter_map(Language::from_tag)
            .reduce(Language::completed_by)
    }

    /// The language that a page declares: in `lang` or `xml:lang` of its root, else in `<meta>`. A region that the first
    /// of these leaves open is taken from the next one of the same language.
    pub fn of_page(page: &Page) -> Option<Language> {
        let root = page.elements.iter().position(|element| element.parent == NONE)?;
        let language = Language::of_element(page, root as u32);
        if language
            .as_ref()
            .is_some_and(|language| language.region.is_some())
        {
            return language;
        }
        let stated = Language::of_metas(page);
        once(language)
            .chain(stated)
            .flatten()
            .reduce(Language::completed_by)
    }

    /// The language that an element itself declares, by `lang` or `xml:lang`.
    pub fn of_element(page: &Page, element: u32) -> Option<Language> {
        [Attr::Lang, Attr::XmlLang]
            .into_iter()
            .filter_map(|name| page.attribute(element, name))
            .find_map(Language::from_tags)
    }

    /// With the region of another where it has none itself and both are the same language.
    pub fn completed_by(mut self, other: Language) -> Language {
        if self.region.is_none() && self.name == other.name {
            self.region = other.region;
        }
        self
    }

    /// The first that each kind of `<meta>` states.
    fn of_metas(page: &Page) -> [Option<Language>; STATEMENTS.len()] {
        let mut stated = [const { None }; STATEMENTS.len()];
        for (at, _) in page
            .elements
            .iter()
            .enumerate()
            .filter(|(_, element)| element.tag == Tag::Meta)
        {
            let attribute = |name| page.attribute(at as u32, name);
            let names = [Attr::HttpEquiv, Attr::Name, Attr::Property, Attr::Itemprop];
            let statement = |name: &str| {
                STATEMENTS
                    .iter()
                    .position(|own| own.eq_ignore_ascii_case(name.trim()))
            };
            if let Some(rank) = names.into_iter().filter_map(attribute).find_map(statement)
                && stated[rank].is_none()
            {
                stated[rank] = attribute(Attr::Content).and_then(Language::from_tags);
            }
        }
        stated
    }

    fn from_tag(tag: &str) -> Option<Language> {
        let tag = tag.to_ascii_lowercase();
        let mut subtags = tag.split(['-', '_', '.']);
        let name = subtags.next()?;
        let is_name = (2..=3).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_region = |subtag: &&str| match subtag.len() {
            2 => subtag.bytes().all(|byte| byte.is_ascii_alphabetic()),
            3 => subtag.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        };
        // A subtag of one letter begins an extension.
        let region = subtags.take_while(|subtag| subtag.len() > 1).find(is_region);
        (is_name && !NO_LANGUAGES.contains(&name)).then(|| Language {
            name: name.to_owned(),
            region: region.map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_page::{PageConfig, Parser};

    fn written(language: Option<Language>) -> String {
        language.map_or_else(String::new, |Language { name, region }| match region {
            Some(region) => format!("{name}-{region}"),
            None => name,
        })
    }

    #[test]
    fn tags_have_a_language_and_a_region() {
        for (tags, wanted) in [
            ("pt_BR", "pt-br"),
            ("EN-gb", "en-gb"),
            ("en-Latn-US", "en-us"),
            ("en_US.UTF-8", "en-us"),
            ("en-001", "en-001"),
            ("en-u-hc-h12", "en"),
            ("zh-Hant", "zh"),
            (" en, en-US;q=0.5", "en-us"),
            ("de, en-US", "de"),
            ("english, en", "en"),
            ("english", ""),
            ("x-default", ""),
            ("und", ""),
            ("{{lang}}", ""),
            ("", ""),
        ] {
            assert_eq!(written(Language::from_tags(tags)), wanted, "{tags}");
        }
    }

    #[test]
    fn a_page_declares_its_language_in_many_ways() {
        let mut parser = Parser::new(PageConfig::default());
        for (html, wanted) in [
            (
                "<html lang=en-GB><meta property=og:locale content=en_US>",
                "en-gb",
            ),
            ("<html lang=en><meta property=og:locale content=en_GB>", "en-gb"),
            ("<html lang=en><meta property=og:locale content=de_DE>", "en"),
            (
                "<html lang=''><meta http-equiv=Content-Language content=fr-CA>",
                "fr-ca",
            ),
            ("<html xml:lang=en-AU>", "en-au"),
            ("<html xml:lang=fr lang=en-AU>", "en-au"),
            (
                "<meta name=language content=English><meta name=DC.Language content=nl>",
                "nl",
            ),
            (
                "<meta property=og:locale content=en_US><meta name=Language content=sv>",
                "sv",
            ),
            ("<meta name=dcterms.language content='en, en-NZ'>", "en-nz"),
            ("<p lang=de>Not the page's</p>", ""),
        ] {
            let page = parser
                .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
                .unwrap();
            assert_eq!(written(Language::of_page(page)), wanted, "{html}");
        }
    }
}
