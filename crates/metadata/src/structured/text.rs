//! The text that a page carries in its structured data: an article's body, a product's description,
//! the items of a list; or in the state of the framework that would draw it.
//!
//! The text comes out as simple HTML (`h1`, `p`, `li`), because strings in such data are often HTML
//! themselves: who wants the text parses it as a page, and both are read by the same rules.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{StructuredData, Thing, state, types};
use gleaner_page::Page;

/// A text of fewer words is none.
const LEAST_WORDS: u32 = 20;
/// Bytes of the text as HTML; what is beyond is left out.
const MOST_BYTES: usize = 1 << 20;
/// How deep things hold others.
const DEPTH: usize = 8;

/// Where a page's text is found beside its visible elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextSource {
    /// `<script type="application/ld+json">`.
    JsonLd,
    /// A framework's state: `__NEXT_DATA__`, `window.__INITIAL_STATE__` and the like.
    State,
}

impl TextSource {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            TextSource::JsonLd => "json-ld",
            TextSource::State => "state",
        }
    }
}

/// A text in a page's structured data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructuredText {
    /// Where it was found.
    pub source: TextSource,
    /// The text as HTML of `h1`, `p` and `li`, to be parsed as a page.
    pub html: String,
}

impl StructuredText {
    /// Whether it replaces the page's visible text, of which `kept_words` are kept: only where that is (nearly)
    /// nothing.
    pub fn replaces(kept_words: u32) -> bool {
        kept_words < LEAST_WORDS
    }

    /// The text of a page's structured data, else that of its state.
    pub(crate) fn find(page: &Page, data: &StructuredData) -> Option<StructuredText> {
        let mut text = Text::default();
        for root in &data.roots {
            text.thing(root, 0);
        }
        text.finish(TextSource::JsonLd).or_else(|| {
            let mut text = Text::default();
            state::read(&page.state, &mut |line| text.push("p", line));
            text.finish(TextSource::State)
        })
    }
}

/// Things that are not the text of a page, whatever they are called.
const NO_TEXTS: &[&str] = &[
    "Person",
    "Organization",
    "Corporation",
    "BreadcrumbList",
    "ImageObject",
    "WebSite",
    "SearchAction",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
    "Brand",
    "Rating",
    "AggregateRating",
    "ContactPoint",
    "PostalAddress",
];

/// Fields that hold a text, in the order in which they are read, and the element they become.
const FIELDS: &[(&str, &str)] = &[
    ("headline", "h1"),
    ("name", "h1"),
    ("title", "h1"),
    ("description", "p"),
    ("articleBody", "p"),
    ("text", "p"),
    ("reviewBody", "p"),
    ("recipeIngredient", "li"),
    ("recipeInstructions", "p"),
];

/// Fields that hold other things with texts, in the order in which they are read.
const PARTS: &[&str] = &[
    "@graph",
    "mainEntity",
    "item",
    "itemListElement",
    "hasPart",
    "step",
    "recipeInstructions",
    "acceptedAnswer",
    "suggestedAnswer",
    "comment",
];

/// A text that is being put together.
#[derive(Default)]
struct Text {
    html: String,
    words: u32,
    seen: HashSet<u64>,
}

impl Text {
    /// The texts of a thing and of those that it holds.
    fn thing(&mut self, value: &Value, depth: usize) {
        if depth > DEPTH || self.html.len() >= MOST_BYTES {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.thing(value, depth + 1)),
            Value::Object(thing) if !types(thing).any(|name| NO_TEXTS.contains(&name)) => {
                self.fields(thing, depth);
            }
            _ => {}
        }
    }

    fn fields(&mut self, thing: &Thing, depth: usize) {
        let is_item = types(thing).any(|name| name == "ListItem");
        for (name, element) in FIELDS {
            // Lists name their items in the items themselves, too.
            let element = if is_item { "li" } else { element };
            match thing.get(*name) {
                Some(Value::String(line)) => self.push(element, line),
                Some(Value::Array(lines)) => {
                    let lines = lines.iter().filter_map(Value::as_str);
                    lines.for_each(|line| self.push(element, line));
                }
                _ => {}
            }
        }
        for name in PARTS {
            if let Some(part) = thing.get(*name) {
                self.thing(part, depth + 1);
            }
        }
    }

    /// Adds a line that is not there yet.
    fn push(&mut self, element: &str, line: &str) {
        let line = line.trim();
        let is_address = line.starts_with("http") || line.starts_with("//");
        if line.is_empty() || is_address || self.html.len() + line.len() > MOST_BYTES {
            return;
        }
        if !self.seen.insert(fingerprint(line)) {
            return;
        }
        self.words += count_words(line);
        self.html.push_str(&format!("<{element}>"));
        match is_html(line) {
            true => self.html.push_str(line),
            false => push_lines(&mut self.html, line),
        }
        self.html.push_str(&format!("</{element}>\n"));
    }

    fn finish(self, source: TextSource) -> Option<StructuredText> {
        (self.words >= LEAST_WORDS).then_some(StructuredText {
            source,
            html: self.html,
        })
    }
}

/// Plain text as HTML: a `<` is a character, a newline ends a line. References stay: JSON in pages
/// has them.
fn push_lines(html: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '<' => html.push_str("&lt;"),
            '\n' => html.push_str("<br>"),
            letter => html.push(letter),
        }
    }
}

/// Whether a string is HTML: it has an end tag or an element without one.
fn is_html(text: &str) -> bool {
    ["</", "<br", "<p>", "<li>", "<img"]
        .iter()
        .any(|tag| text.contains(tag))
}

/// Words, and for scripts without spaces a word for two letters.
fn count_words(text: &str) -> u32 {
    let words = text.split_whitespace().count();
    let unspaced = text.chars().filter(|&letter| letter >= '\u{2e80}').count();
    (words + unspaced / 2) as u32
}

/// FNV-1a: two lines with the same one are taken for the same.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &[&str], state: &[&str]) -> Option<StructuredText> {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let page = Page {
            structured_data: own(json),
            state: own(state),
            ..Page::default()
        };
        StructuredText::find(&page, &StructuredData::read(&page))
    }

    const SENTENCE: &str = "The lamp burns for nine hours on a cup of oil, and smells of nothing at all.";

    #[test]
    fn a_product_is_its_name_and_its_description() {
        let json = format!(
            r#"{{"@type": "Product", "brand": {{"@type": "Brand", "name": "Lanterna"}}, "image": "https://x.example/a.jpg",
                "description": "{SENTENCE} <b>New</b><br>oil", "name": "Lamp < 1 l",
                "review": [{{"reviewBody": "Splendid."}}], "offers": {{"description": "cheap"}}}}"#
        );
        let text = found(&[&json], &[]).unwrap();
        assert_eq!(text.source, TextSource::JsonLd);
        assert_eq!(
            text.html,
            format!("<h1>Lamp &lt; 1 l</h1>\n<p>{SENTENCE} <b>New</b><br>oil</p>\n")
        );
    }

    #[test]
    fn a_list_is_its_items_once() {
        let item = |name: &str| {
            format!(
                r#"{{"@type": "ListItem", "position": 1, "name": "{name}", "item": {{"@type": "Product", "name": "{name}", "url": "https://x.example"}}}}"#
            )
        };
        let items: Vec<String> = (0..30).map(|at| item(&format!("Lamp number {at}"))).collect();
        let json = format!(
            r#"{{"@type": "ItemList", "itemListElement": [{}]}}"#,
            items.join(",")
        );
        let html = found(&[&json], &[]).unwrap().html;
        assert_eq!(html.matches("<li>").count(), 30, "{html}");
        assert_eq!(html.matches("Lamp number 7<").count(), 1, "{html}");
        let crumbs = json.replace("ItemList\"", "BreadcrumbList\"");
        assert_eq!(found(&[&crumbs], &[]), None);
    }

    #[test]
    fn a_few_words_are_no_text() {
        assert_eq!(
            found(
                &[r#"{"@type": "Product", "name": "Lamp", "description": "A lamp."}"#],
                &[]
            ),
            None
        );
        assert_eq!(found(&[], &[]), None);
    }

    #[test]
    fn the_state_of_a_framework_has_texts_by_their_names() {
        let state = format!(
            r#"{{"props": {{"page": {{"description": "{SENTENCE}", "id": "{SENTENCE} id", "cookieText": "{SENTENCE} cookie"}},
                "rows": [{{"body": "<p>{SENTENCE} Twice.</p>"}}]}}}}"#
        );
        for script in [
            state.clone(),
            format!("window.__INITIAL_STATE__ = {state};"),
            format!(
                "self.__next_f.push([1,{}])",
                serde_json::to_string(&format!("a:I[1]\n2:{}\n", state.replace('\n', " "))).unwrap()
            ),
        ] {
            let text = found(&[], &[&script]).unwrap();
            assert_eq!(text.source, TextSource::State);
            assert_eq!(
                text.html,
                format!("<p>{SENTENCE}</p>\n<p><p>{SENTENCE} Twice.</p></p>\n"),
                "{script}"
            );
        }
        assert_eq!(
            found(
                &[],
                &["window.__NUXT__ = (function(a){return {body: a}}(1))", "{\"a\":"]
            ),
            None
        );
    }

    #[test]
    fn hostile_data_is_bounded() {
        let long = format!("\"{}\"", "word ".repeat(300_000));
        assert_eq!(found(&[&format!("{{\"text\": {long}}}")], &[]), None);
        let many = format!(
            "[{}]",
            (0..40_000)
                .map(|at| format!("{{\"name\":\"lamp {at}\"}}"))
                .collect::<Vec<_>>()
                .join(",")
        );
        assert!(found(&[&many], &[]).unwrap().html.len() <= MOST_BYTES + 100);
        let deep = format!("{}{}", "{\"item\":".repeat(90_000), "1");
        assert_eq!(found(&[&deep], &[&deep]), None);
    }
}
