//! What a page's structured data (JSON-LD of schema.org) states about the page.
//!
//! JSON with small faults is read by [`lenient`]. Bounded: in bytes of what is parsed, in depth by the parsers, and in how many
//! things are looked at.

mod lenient;
mod state;
mod text;

use std::borrow::Cow;

use gleaner_html::without_references;
use serde_json::{Map, Value};

pub use self::text::{StructuredText, TextSource};

use gleaner_page::Page;

/// Maximum bytes of structured data, per script and per page.
const BYTES: usize = 1 << 20;
/// Maximum things examined per page.
const THINGS: usize = 500;
/// Authors of a text that are named.
const PERSONS: usize = 50;
/// Values in which the names of authors are looked for.
const NAMES: usize = 200;
/// How deep things are looked for.
const DEPTH: usize = 6;
/// Values among which a thing with an id is looked for.
const VALUES: usize = 10_000;

/// The structured data of a page.
#[derive(Debug, Default)]
pub(crate) struct StructuredData {
    roots: Vec<Value>,
}

/// A thing of schema.org: its fields.
pub(crate) type Thing = Map<String, Value>;

/// Types of things that are no page and no text, or another's: their fields are not about the page.
pub(crate) const OTHERS: &[&str] = &[
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
            match serde_json::from_str(body) {
                Ok(value) => roots.push(value),
                Err(_) => roots.extend(lenient::values(body)),
            }
        }
        StructuredData { roots }
    }

    /// What schema.org calls the page's headline.
    pub(crate) fn headline(&self) -> Option<Cow<'_, str>> {
        let things = self.things();
        let mut headlines = things.iter().filter_map(|thing| text(thing, "headline"));
        headlines.next().map(without_references)
    }

    /// The names of the authors, as the page gives them: of persons, or of organisations.
    pub(crate) fn authors(&self, organisations: bool) -> Vec<String> {
        let things = self.things();
        let named = |thing: &&Thing| {
            let names = ["author", "creator"]
                .into_iter()
                .filter_map(|field| thing.get(field));
            let mut left = NAMES;
            let mut lists = names.map(|value| self.names(value, organisations, &mut left));
            lists.find(|names| !names.is_empty())
        };
        let texts = things.iter().filter(|thing| is_text(thing)).find_map(named);
        texts
            .or_else(|| things.iter().find_map(named))
            .unwrap_or_default()
    }

    /// The licences of the page and of its texts: addresses or names.
    pub(crate) fn licences(&self) -> Vec<&str> {
        let things = self.things();
        let stated = things.iter().filter_map(|thing| thing.get("license"));
        let mut licences = Vec::new();
        stated.for_each(|value| add_licences(value, &mut licences));
        licences
    }

    /// The names of publishers and organisations.
    pub(crate) fn organisations(&self) -> Vec<&str> {
        let publishers = self
            .things()
            .into_iter()
            .filter_map(|thing| thing.get("publisher"));
        let in_graphs = self.roots.iter().flat_map(|root| match root.get("@graph") {
            Some(Value::Array(things)) => things.as_slice(),
            _ => std::slice::from_ref(root),
        });
        let is_organisation = |value: &&Value| {
            let thing = value.as_object();
            thing.is_some_and(|thing| types(thing).any(|name| name.ends_with("Organization")))
        };
        let organisations = in_graphs.take(THINGS).filter(is_organisation);
        let named = publishers.chain(organisations);
        named.filter_map(|value| value.get("name")?.as_str()).collect()
    }

    /// The days of first publication, as the page gives them, the best first: of its text at its address, else of its text
    /// alone. Of several texts with several days none is the page's.
    pub(crate) fn published(&self, url: &str) -> Vec<&str> {
        let things = self.things();
        let own = things.iter().filter(|thing| !url.is_empty() && is_at(thing, url));
        let texts: Vec<&&Thing> = things.iter().filter(|thing| is_text(thing)).collect();
        let of = |name: &str| -> Vec<&str> {
            let mut days: Vec<&str> = own
                .clone()
                .filter(|thing| is_text(thing))
                .filter_map(|thing| text(thing, name))
                .collect();
            let of_texts: Vec<&str> = texts.iter().filter_map(|thing| text(thing, name)).collect();
            if of_texts
                .iter()
                .all(|day| of_texts.iter().filter(|other| *other != day).count() < LISTED)
            {
                days.extend(of_texts);
                days.extend(things.iter().filter_map(|thing| text(thing, name)));
            }
            days
        };
        DATES.iter().flat_map(|name| of(name)).collect()
    }

    /// The things that are the page or its texts, in their order.
    fn things(&self) -> Vec<&Thing> {
        let mut things = Vec::new();
        for root in &self.roots {
            collect(root, 0, &mut things);
        }
        things
    }

    /// The names in schema.org's `author` or in a name: a string, an object `Person`, a reference to one, or a list of them. `left` is how
    /// many values are looked at.
    fn names(&self, value: &Value, organisations: bool, left: &mut usize) -> Vec<String> {
        let Some(rest) = left.checked_sub(1) else {
            return Vec::new();
        };
        *left = rest;
        match value {
            Value::String(name) if is_reference(name) => {
                let thing = self.thing_with(name);
                thing.map_or_else(Vec::new, |thing| self.names_of(thing, organisations, left))
            }
            Value::String(name) if name.trim().is_empty() => Vec::new(),
            Value::String(name) => vec![without_references(name).into_owned()],
            Value::Object(thing) => self.names_of(thing, organisations, left),
            Value::Array(list) => {
                let each = list.iter().take(PERSONS);
                each.flat_map(|value| self.names(value, organisations, left))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The names of a thing: its own, those of a list or a role that it is, or of the thing elsewhere that has its id.
    fn names_of(&self, thing: &Thing, organisations: bool, left: &mut usize) -> Vec<String> {
        if !organisations && types(thing).any(|name| name.ends_with("Organization")) {
            return Vec::new();
        }
        let mut of_field = |field: &str| {
            let names = thing
                .get(field)
                .map(|value| self.names(value, organisations, left));
            names.filter(|names| !names.is_empty())
        };
        let fields = [
            "name",
            "@value",
            "@list",
            "@set",
            "itemListElement",
            "item",
            "author",
        ];
        let own = fields.into_iter().find_map(&mut of_field);
        own.or_else(|| joined(thing).map(|name| vec![name]))
            .or_else(|| {
                let id = IDS.into_iter().find_map(|field| thing.get(field)?.as_str())?;
                let other = self.thing_with(id)?;
                *left = left.checked_sub(1)?;
                Some(self.names_of(other, organisations, left))
            })
            .unwrap_or_default()
    }

    /// The thing with an id that has a name, in any script.
    fn thing_with(&self, id: &str) -> Option<&Thing> {
        let mut left = VALUES;
        let mut roots = self.roots.iter();
        roots.find_map(|root| named_thing(root, id, 0, &mut left))
    }
}

/// Maximum licences examined per page.
const LICENCES: usize = 20;

/// Adds the licences in schema.org's `license`: a string, an object with an address or a name, or a list of them.
fn add_licences<'v>(value: &'v Value, licences: &mut Vec<&'v str>) {
    let each = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let of_thing = |thing: &'v Thing| {
        let mut fields = ["url", "@id", "@value", "name"].into_iter();
        fields.find_map(|name| text(thing, name))
    };
    let stated = each.iter().filter_map(|value| match value {
        Value::String(licence) => Some(licence.as_str()),
        Value::Object(thing) => of_thing(thing),
        _ => None,
    });
    let left = LICENCES.saturating_sub(licences.len());
    licences.extend(stated.take(left));
}

/// Whether a text may be the id of a thing: an address, a path, a fragment or the label of a node.
fn is_reference(text: &str) -> bool {
    text.starts_with(['#', '/']) || text.starts_with("_:") || text.contains("://")
}

/// Fields that say which thing is meant.
const IDS: [&str; 2] = ["@id", "url"];

/// Whether two ids are the same, one of which may leave out the address of the page.
fn is_same_id(one: &str, other: &str) -> bool {
    let is_end =
        |whole: &str, end: &str| end.starts_with(['#', '/']) && end.len() > 1 && whole.ends_with(end);
    one == other || is_end(one, other) || is_end(other, one)
}

/// The first thing below a value that has an id and a name.
fn named_thing<'v>(value: &'v Value, id: &str, depth: usize, left: &mut usize) -> Option<&'v Thing> {
    *left = left.checked_sub(1)?;
    let within = |value| named_thing(value, id, depth + 1, left);
    match value {
        _ if depth > DEPTH => None,
        Value::Array(values) => values.iter().find_map(within),
        Value::Object(thing) => {
            let mut own = IDS.iter().filter_map(|field| thing.get(*field)?.as_str());
            let has_name = || thing.contains_key("name") || joined(thing).is_some();
            let is_wanted = own.any(|own| is_same_id(own, id)) && has_name();
            match is_wanted {
                true => Some(thing),
                false => thing.values().find_map(within),
            }
        }
        _ => None,
    }
}

/// Fields with the day of first publication, the best first.
const DATES: [&str; 3] = ["datePublished", "dateCreated", "datePosted"];
/// Texts with other days beside one: the page is a list of them.
const LISTED: usize = 2;

/// The text in a field of a thing.
fn text<'v>(thing: &'v Thing, name: &str) -> Option<&'v str> {
    match thing.get(name)? {
        Value::String(text) => Some(text),
        Value::Array(texts) => texts.first()?.as_str(),
        Value::Object(text) => text.get("@value")?.as_str(),
        _ => None,
    }
}

/// Whether a thing gives an address as its own.
fn is_at(thing: &Thing, url: &str) -> bool {
    let bare = |url: &str| {
        let url = url.split_once("://").map_or(url, |(_, rest)| rest);
        let url = url.split('#').next().unwrap_or_default();
        url.trim_end_matches('/').to_owned()
    };
    let own = bare(url);
    let at = |value: &Value| value.as_str().is_some_and(|other| bare(other) == own);
    let fields = ["url", "@id", "mainEntityOfPage"]
        .into_iter()
        .filter_map(|name| thing.get(name));
    fields
        .into_iter()
        .any(|value| at(value) || value.get("@id").is_some_and(at))
}

/// The given and the family name, joined.
fn joined(person: &Thing) -> Option<String> {
    let field = |name: &str| person.get(name).and_then(Value::as_str).map(str::trim);
    let names = [field("givenName"), field("additionalName"), field("familyName")];
    let names: Vec<&str> = names
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty())
        .collect();
    (!names.is_empty()).then(|| names.join(" "))
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
        assert_eq!(data.authors(false), ["Ada"]);
        assert_eq!(data.published("")[0], "2020-01-02");
        let data = of(&[
            r##"{"@graph": [{"@type": "Article", "author": {"@id": "#ada"}}, {"@type": "Person", "@id": "#ada", "name": "Ada"}]}"##,
        ]);
        assert_eq!(data.authors(false), ["Ada"]);
    }

    #[test]
    fn facts_about_others_are_not_facts_about_the_page() {
        let data = of(&[
            r#"{"@type": "Review", "author": "Mallory", "datePublished": "2001-01-01"}"#,
            r#"{"@type": "WebPage", "datePublished": "2019-01-01", "mainEntity": {"@type": "https://schema.org/NewsArticle", "headline": "H", "author": "Ada", "datePublished": "2020-01-02"}}"#,
        ]);
        assert_eq!(
            (
                data.headline().as_deref(),
                data.authors(false),
                data.published("")[0]
            ),
            (Some("H"), vec!["Ada".to_owned()], "2020-01-02")
        );
    }

    #[test]
    fn lists_of_authors_are_read_and_names_are_joined() {
        let data = of(&[
            r##"{"@graph": [{"@type": "Article", "author": [{"@type": "Person", "givenName": "Ada", "familyName": "Lovelace"},
                {"@type": "Organization", "name": "Lanterna"}, {"@id": "#jon"}, "Mia Holt"], "publisher": {"name": "Lanterna"}},
                {"@type": "Person", "@id": "#jon", "name": "Jon Ek"}]}"##,
        ]);
        assert_eq!(data.authors(false), ["Ada Lovelace", "Jon Ek", "Mia Holt"]);
        assert_eq!(data.authors(true).len(), 4);
        assert_eq!(data.organisations(), ["Lanterna"]);
    }

    #[test]
    fn persons_are_found_by_their_ids_in_any_script() {
        let article = |author: &str| format!(r#"{{"@type": "NewsArticle", "author": {author}}}"#);
        let person = r##"{"@type": "Person", "@id": "https://a.example/#ada", "name": "Ada Lovelace"}"##;
        for author in [
            r##"{"@id": "https://a.example/#ada"}"##,
            r##"{"@id": "#ada"}"##,
            r##""#ada""##,
            r##"[{"@type": "Person", "@id": "#ada", "url": "/ada"}]"##,
            r##"{"@list": [{"@id": "#ada"}]}"##,
            r##"{"@type": "Role", "author": {"@id": "#ada"}}"##,
        ] {
            let graph = format!(r#"{{"@graph": [{{"@type": "WebSite"}}, {person}]}}"#);
            let page = format!(r#"[{{"@type": "ProfilePage", "mainEntity": {person}}}]"#);
            for other in [person, &graph, &page] {
                let article = article(author);
                assert_eq!(
                    of(&[&article, other]).authors(false),
                    ["Ada Lovelace"],
                    "{author} {other}"
                );
                assert_eq!(
                    of(&[other, &article]).authors(false),
                    ["Ada Lovelace"],
                    "{author} {other}"
                );
            }
        }
        let gazette = r##"{"@type": "NewsMediaOrganization", "@id": "#ada", "name": "Lanterna"}"##;
        let data = of(&[&article(r##"{"@id": "#ada"}"##), gazette]);
        assert!(data.authors(false).is_empty());
        assert_eq!(data.authors(true), ["Lanterna"]);
        for reference in [r##"{"@id": "#jon"}"##, r##""#jon""##, r##"{"@id": "#"}"##] {
            assert!(
                of(&[&article(reference), person]).authors(true).is_empty(),
                "{reference}"
            );
        }
    }

    #[test]
    fn names_are_strings_objects_and_lists() {
        for (author, wanted) in [
            (
                r#"{"name": {"@type": "Person", "name": "Ada Lovelace"}}"#,
                "Ada Lovelace",
            ),
            (
                r#"{"name": {"@value": "Ada Lovelace", "@language": "en"}}"#,
                "Ada Lovelace",
            ),
            (
                r#"{"name": ["Ada Lovelace", {"name": "Jon Ek"}]}"#,
                "Ada Lovelace|Jon Ek",
            ),
            (
                r#"{"@set": ["Ada Lovelace", {"name": ["Jon Ek"]}]}"#,
                "Ada Lovelace|Jon Ek",
            ),
            (r#"{"name": "Ann O&#039;Shea"}"#, "Ann O'Shea"),
            (
                r#"{"name": "", "givenName": "Ada", "familyName": "Lovelace"}"#,
                "Ada Lovelace",
            ),
        ] {
            let data = of(&[&format!(r#"{{"@type": "Article", "author": {author}}}"#)]);
            assert_eq!(data.authors(false).join("|"), wanted, "{author}");
        }
    }

    #[test]
    fn names_that_lead_in_circles_end() {
        let list = vec![r##"{"@id": "#a"}"##; 60].join(",");
        let circle =
            format!(r##"{{"@type": "Article", "@id": "#a", "author": [{list}], "name": [{list}]}}"##);
        assert!(of(&[&circle]).authors(true).is_empty());
    }

    #[test]
    fn a_list_of_texts_has_the_day_of_the_one_at_the_address() {
        let text = |at: usize| {
            format!(
                r#"{{"@type": "BlogPosting", "url": "https://a.example/{at}/", "datePublished": "2020-01-0{at}"}}"#
            )
        };
        let all = format!("[{}]", [text(1), text(2), text(3)].join(","));
        let data = of(&[&all]);
        assert_eq!(data.published("https://a.example/2"), ["2020-01-02"]);
        assert!(data.published("https://a.example/").is_empty());
        assert_eq!(of(&[&text(1)]).published("https://b.example/")[0], "2020-01-01");
    }

    #[test]
    fn json_is_read_as_pages_have_it() {
        assert_eq!(
            of(&["<!-- {\"headline\": \"a\nb\"}; -->"]).headline().as_deref(),
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
