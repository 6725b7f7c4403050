//! The language of a page and of its elements.

use std::iter::once;

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::Page;

use crate::sources::{Source, SourceKind};

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
    pub fn from_page(page: &Page) -> Option<Language> {
        let root = page.elements.iter().position(|element| element.parent == NONE)?;
        let language = Language::from_element(page, root as u32);
        if language
            .as_ref()
            .is_some_and(|language| language.region.is_some())
        {
            return language;
        }
        let stated = Language::from_metas(page).map(|stated| Some(stated?.0));
        once(language)
            .chain(stated)
            .flatten()
            .reduce(Language::completed_by)
    }

    /// The language that an element itself declares, by `lang` or `xml:lang`.
    pub fn from_element(page: &Page, element: u32) -> Option<Language> {
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

    /// The language in which the numbers of a date on a page are read: a declared one, unless the text of the page contradicts.
    /// Themes declare English whatever is written in them. A text in another script has its own language, one in Latin letters
    /// that is not English has no known one; and an English text is English.
    pub fn for_numbers(declared: Option<Language>, page: &Page) -> Option<Language> {
        let declared = declared?;
        let is_english = matches!(declared.name.as_str(), "en" | "eng");
        match written(page) {
            Some(name) if is_english != (name == "en") => (!name.is_empty()).then(|| Language {
                name: name.to_owned(),
                region: None,
            }),
            _ => Some(declared),
        }
    }

    /// Where the page declares the language that [`Language::from_page`] gives.
    pub(crate) fn source(page: &Page) -> Option<Source> {
        let root = page.elements.iter().position(|element| element.parent == NONE)? as u32;
        if Language::from_element(page, root).is_some() {
            return Some(Source::of(SourceKind::Root, Some(root)));
        }
        let (_, element) = Language::from_metas(page).into_iter().flatten().next()?;
        Some(Source::of(SourceKind::Meta, Some(element)))
    }

    /// The first that each kind of `<meta>` states, and the element.
    fn from_metas(page: &Page) -> [Option<(Language, u32)>; STATEMENTS.len()] {
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
                let language = attribute(Attr::Content).and_then(Language::from_tags);
                stated[rank] = language.map(|language| (language, at as u32));
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

/// Minimum bytes of a block that is text, and maximum bytes examined per page.
const PROSE: usize = 60;
const SAMPLE: usize = 2000;
/// Letters that say in which script a text is written, and words that say whether it is English.
const LEAST_LETTERS: usize = 100;
const LEAST_WORDS: usize = 40;
/// Of a hundred words of an English text more than the first number are among [`ENGLISH`], of another language fewer than the
/// second.
const MANY: usize = 8;
const FEW: usize = 3;
const ENGLISH: [&str; 11] = [
    "the", "and", "of", "that", "with", "this", "from", "have", "you", "are", "which",
];

/// Scripts by their letters, with the language that stands for the order of numbers in them; Latin letters have none.
const SCRIPTS: [(std::ops::RangeInclusive<char>, &str); 10] = [
    ('a'..='\u{24f}', ""),
    ('\u{370}'..='\u{3ff}', "el"),
    ('\u{400}'..='\u{52f}', "ru"),
    ('\u{590}'..='\u{5ff}', "he"),
    ('\u{600}'..='\u{6ff}', "ar"),
    ('\u{900}'..='\u{97f}', "hi"),
    ('\u{e00}'..='\u{e7f}', "th"),
    ('\u{3041}'..='\u{30ff}', "ja"),
    ('\u{4e00}'..='\u{9fff}', "zh"),
    ('\u{ac00}'..='\u{d7a3}', "ko"),
];

/// The language in which the text of a page is written, as far as its letters and the commonest words of English say: empty
/// where it is in Latin letters and not English; `None` where there is too little text, or it may be either.
fn written(page: &Page) -> Option<&'static str> {
    let long = page.blocks.iter().map(|block| page.text(block));
    let mut left = SAMPLE;
    let sample: Vec<&str> = long
        .filter(|text| text.len() >= PROSE)
        .map_while(|text| {
            let own = &text[..text.floor_char_boundary(left)];
            left -= own.len();
            (!own.is_empty()).then_some(own)
        })
        .collect();
    let script = script(&sample)?;
    if !script.is_empty() {
        return Some(script);
    }
    let words = sample
        .iter()
        .flat_map(|text| text.split(|letter: char| !letter.is_alphabetic()));
    let (mut all, mut english) = (0, 0);
    for word in words.filter(|word| !word.is_empty()) {
        all += 1;
        let is_short = matches!(word.len(), 3..=5);
        english += usize::from(is_short && ENGLISH.iter().any(|own| own.eq_ignore_ascii_case(word)));
    }
    match english * 100 {
        _ if all < LEAST_WORDS => None,
        hundredfold if hundredfold > all * MANY => Some("en"),
        hundredfold if hundredfold < all * FEW => Some(""),
        _ => None,
    }
}

/// The script of more than half of the letters of a text. A text with kana is Japanese.
fn script(sample: &[&str]) -> Option<&'static str> {
    let mut counts = [0; SCRIPTS.len()];
    for letter in sample.iter().flat_map(|text| text.chars()) {
        let lower = letter.to_ascii_lowercase();
        if lower < 'a' {
            continue;
        }
        if let Some(at) = SCRIPTS.iter().position(|(letters, _)| letters.contains(&lower)) {
            counts[at] += 1;
        }
    }
    let all: usize = counts.iter().sum();
    let own = |name: &str| SCRIPTS.iter().zip(counts).find(|((_, own), _)| *own == name);
    let kana = own("ja").map_or(0, |(_, count)| count);
    if all >= LEAST_LETTERS && kana * 4 > all {
        return Some("ja");
    }
    let most = SCRIPTS.iter().zip(counts).find(|(_, count)| count * 2 > all);
    most.filter(|_| all >= LEAST_LETTERS).map(|((_, name), _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_page::{PageConfig, Parser};

    fn tag(language: Option<Language>) -> String {
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
            assert_eq!(tag(Language::from_tags(tags)), wanted, "{tags}");
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
            assert_eq!(tag(Language::from_page(page)), wanted, "{html}");
        }
    }

    #[test]
    fn the_text_decides_the_order_of_numbers_against_what_a_theme_declares() {
        let mut parser = Parser::new(PageConfig::default());
        let english = "The mill on the hill that was built from the stones of the old bridge is open, and you are welcome with the dog.";
        let german = "Die Mühle auf dem Hügel wurde aus den Steinen der alten Brücke gebaut und ist an jedem Sonntag für alle offen.";
        let russian = "Мельница на холме построена из камней старого моста и открыта каждое воскресенье для всех, кто придёт.";
        let japanese = "丘の上の風車は古い橋の石で造られ、毎週日曜日にだれでも見学することができます。犬を連れて来てもかまいません。";
        for (declared, text, wanted) in [
            ("en-US", english, "en-us"),
            ("en-US", german, ""),
            ("en-US", russian, "ru"),
            ("en", japanese, "ja"),
            ("de-AT", german, "de-at"),
            ("de-AT", english, "en"),
            ("bg", russian, "bg"),
            ("en-US", "Кратко.", "en-us"),
            ("", english, ""),
        ] {
            let html = format!("<p>{text}</p>").repeat(3);
            let page = parser
                .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
                .unwrap();
            let found = Language::for_numbers(Language::from_tags(declared), page);
            assert_eq!(tag(found), wanted, "{declared} {text}");
        }
    }
}
