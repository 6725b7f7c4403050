//! What a page's structured data (JSON-LD of schema.org) says of the page.
//!
//! Bounded: in bytes of what is parsed, in depth by the parser, and in how many things are looked at.

mod state;
mod text;

use serde_json::{Map, Value};

pub use self::text::{StructuredText, TextSource};

use gleaner_page::Page;

/// Structured data beyond this many bytes is not looked at, a script and all together.
const BYTES: usize = 1 << 20;
/// Things that are looked at.
const THINGS: usize = 500;
/// Authors of a text that are named.
const PERSONS: usize = 10;
/// How deep things are looked for.
const DEPTH: usize = 6;

/// The structured data of a page.
#[derive(Debug, Default)]
pub(crate) struct StructuredData {
    roots: Vec<Value>,
}

/// A thing of schema.org: its fields.
pub(crate) type Thing = Map<String, Value>;

/// Types of things that are no page and no text, or another's: what they say is not of the page.
const OTHERS: &[&str] = &[
    "Person",
    "Organization",
    "BreadcrumbList",
    "ImageObject",
    "VideoObject",
    "Comment",
    "Review",
    "Answer",
    "Offer",
    "AggregateRating",
    "Rating",
    "ListItem",
    "SearchAction",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
    "WebSite",
];

impl StructuredData {
    /// Parses what a page has.
    pub(crate) fn read(page: &Page) -> StructuredData {
        let mut left = BYTES;
        let mut roots = Vec::new();
        for body in &page.structured_data {
            if body.len() > left {
                continue;
            }
            left -= body.len();
            roots.extend(parse(body));
        }
        StructuredData { roots }
    }

    /// What schema.org calls the page's headline.
    pub(crate) fn headline(&self) -> Option<&str> {
        let things = self.things();
        things
            .iter()
            .find_map(|thing| thing.get("headline").and_then(Value::as_str))
    }

    /// The author's name, as the page gives it: a person's, or an organisation's.
    pub(crate) fn author(&self, organisation: bool) -> Option<String> {
        let things = self.things();
        let named = |thing: &&Thing| {
            thing
                .get("author")
                .and_then(|value| self.person(value, organisation))
        };
        let texts = things.iter().filter(|thing| is_text(thing)).find_map(named);
        texts.or_else(|| things.iter().find_map(named))
    }

    /// The day of publication, as the page gives it.
    pub(crate) fn published(&self) -> Option<&str> {
        let things = self.things();
        let find = |name: &str| {
            let of = |thing: &&&'_ Thing| thing.contains_key(name);
            let texts = things.iter().filter(|thing| is_text(thing)).find(of);
            texts.or_else(|| things.iter().find(of))?.get(name)?.as_str()
        };
        find("datePublished").or_else(|| find("dateCreated"))
    }

    /// The things that are the page or its texts, in their order.
    fn things(&self) -> Vec<&Thing> {
        let mut things = Vec::new();
        for root in &self.roots {
            collect(root, 0, &mut things);
        }
        things
    }

    /// The name of schema.org's `author`: a string, a Person, a reference to one, or a list of them.
    fn person(&self, value: &Value, organisation: bool) -> Option<String> {
        match value {
            Value::String(name) => Some(name.clone()),
            Value::Object(fields)
                if !organisation && types(fields).any(|name| name.ends_with("Organization")) =>
            {
                None
            }
            Value::Object(fields) => match fields.get("name") {
                Some(Value::String(name)) => Some(name.clone()),
                Some(Value::Array(names)) => names.first().and_then(Value::as_str).map(str::to_owned),
                _ => self.named(fields.get("@id")?.as_str()?),
            },
            Value::Array(list) => {
                let one = list.iter().filter(|value| !value.is_array()).take(PERSONS);
                let names: Vec<String> = one.filter_map(|value| self.person(value, organisation)).collect();
                (!names.is_empty()).then(|| names.join(", "))
            }
            _ => None,
        }
    }

    /// The name of the thing in a graph that has an id.
    fn named(&self, id: &str) -> Option<String> {
        let in_graph = |root: &Value| -> Option<String> {
            let graph = root.get("@graph")?.as_array()?;
            let own = graph
                .iter()
                .take(THINGS)
                .find(|thing| thing.get("@id").and_then(Value::as_str) == Some(id))?;
            own.get("name")?.as_str().map(str::to_owned)
        };
        self.roots.iter().find_map(in_graph)
    }
}

/// Collects the things that are the page or its texts.
fn collect<'v>(value: &'v Value, depth: usize, things: &mut Vec<&'v Thing>) {
    if depth > DEPTH || things.len() >= THINGS {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, depth + 1, things)),
        Value::Object(thing) => {
            let is_other = types(thing).any(|name| OTHERS.contains(&name));
            if !is_other {
                things.push(thing);
                for part in ["@graph", "mainEntity", "mainEntityOfPage"] {
                    if let Some(part) = thing.get(part) {
                        collect(part, depth + 1, things);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The names of a thing's types, without their vocabulary.
pub(crate) fn types(thing: &Thing) -> impl Iterator<Item = &str> {
    let (one, many) = match thing.get("@type") {
        Some(Value::String(name)) => (Some(name.as_str()), &[][..]),
        Some(Value::Array(names)) => (None, names.as_slice()),
        _ => (None, &[][..]),
    };
    let many = many.iter().filter_map(Value::as_str);
    one.into_iter()
        .chain(many)
        .map(|name| name.rsplit(['/', ':', '#']).next().unwrap_or(name))
}

/// Whether a thing is a text: an article, a post, a question, a recipe.
fn is_text(thing: &Thing) -> bool {
    types(thing).any(|name| {
        [
            "Article", "Posting", "Report", "Question", "Recipe", "HowTo", "Message",
        ]
        .iter()
        .any(|end| name.ends_with(end))
    })
}

/// Parses JSON as pages have it: controls within strings, a wrapping comment, a semicolon behind.
fn parse(body: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(body) {
        return Some(value);
    }
    let start = body.find(['{', '['])?;
    let end = body.rfind(['}', ']'])?;
    let clean: String = body
        .get(start..=end)?
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    serde_json::from_str(&clean).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bodies: &[&str]) -> StructuredData {
        StructuredData::read(&Page {
            structured_data: bodies.iter().map(|&body| body.to_owned()).collect(),
            ..Page::default()
        })
    }

    #[test]
    fn the_author_is_a_name() {
        let data = of(&[
            r#"[{"@graph": [{"author": [{"@type": "Person", "name": "Ada"}], "datePublished": "2020-01-02"}]}]"#,
        ]);
        assert_eq!(data.author(false).as_deref(), Some("Ada"));
        assert_eq!(data.published(), Some("2020-01-02"));
        let data = of(&[
            r##"{"@graph": [{"@type": "Article", "author": {"@id": "#ada"}}, {"@type": "Person", "@id": "#ada", "name": "Ada"}]}"##,
        ]);
        assert_eq!(data.author(false).as_deref(), Some("Ada"));
    }

    #[test]
    fn what_is_said_of_others_is_not_said_of_the_page() {
        let data = of(&[
            r#"{"@type": "Review", "author": "Mallory", "datePublished": "2001-01-01"}"#,
            r#"{"@type": "WebPage", "datePublished": "2019-01-01", "mainEntity": {"@type": "https://schema.org/NewsArticle", "headline": "H", "author": "Ada", "datePublished": "2020-01-02"}}"#,
        ]);
        assert_eq!(
            (data.headline(), data.author(false).as_deref(), data.published()),
            (Some("H"), Some("Ada"), Some("2020-01-02"))
        );
    }

    #[test]
    fn json_is_read_as_pages_have_it() {
        assert_eq!(
            of(&["<!-- {\"headline\": \"a\nb\"}; -->"]).headline(),
            Some("a b")
        );
        for broken in ["", "{", "}{", "[[", "null", "{\"headline\": 1}"] {
            assert_eq!(of(&[broken]).headline(), None, "{broken}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(of(&[&deep]).headline(), None);
        let many = format!("[{}]", vec!["{}"; 10_000].join(","));
        assert_eq!(of(&[&many]).things().len(), THINGS);
    }
}
