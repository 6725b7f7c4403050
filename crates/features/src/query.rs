//! Query evidence: where on a page the terms of a search stand (Lutz and Heuser 2013, section 3).
//!
//! In: terms, which are the words of the labels and values of forms ([`Query`]), and a page. Out: for each
//! element how its text and that of its descendants answers to them ([`QueryEvidence`]).
//!
//! The results of a search hold what was searched for, and the names of the fields that were filled in;
//! menus and advertisements mostly do not. The terms come from a file, from the page's own address
//! ([`Query::add_url`]), or from the forms of the site's pages ([`form_terms`]).
//!
//! Terms are found by one automaton in one pass over the text; each element that has some reports them to its
//! ancestors. Terms, and their lengths, are bounded.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};
use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::{Page, PageConfig};

use crate::chars::{is_unspaced, words};

/// Maximum terms per query; more are left out, the last in the alphabet first.
const MOST_TERMS: usize = 20_000;

/// Maximum bytes per term; a longer word is no term.
const TERM_BYTES: usize = 100;

/// A query to a page: words of labels and values.
///
/// ```
/// use gleaner_features::Query;
///
/// let mut query = Query::new(["Job title", "gardener"]);
/// query.add_url("https://jobs.example/find?place=K%C3%B6ln+Deutz&page=2");
/// assert!(query.terms().eq(["deutz", "gardener", "job", "köln", "title"]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    terms: BTreeSet<String>,
}

/// What a query finds in an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueryEvidence {
    /// `QueryScore`: over the element and its descendants the number of terms in the text directly in each,
    /// divided by its distance, the number of elements from it to this one, both included.
    pub score: f64,
    /// Simple matches: terms in the text directly in the element.
    pub matches: u32,
    /// Elements from it up to `<body>`, which has none.
    pub to_body: u32,
}

impl Query {
    /// The words of some lines.
    pub fn new<'l>(lines: impl IntoIterator<Item = &'l str>) -> Query {
        let mut query = Query::default();
        lines.into_iter().for_each(|line| query.add(line));
        query
    }

    /// Adds the words of a line that have a letter.
    pub fn add(&mut self, line: &str) {
        for word in words(&line.to_lowercase()) {
            if word.len() <= TERM_BYTES && word.chars().any(char::is_alphabetic) {
                self.terms.insert(word.to_owned());
            }
        }
        while self.terms.len() > MOST_TERMS {
            self.terms.pop_last();
        }
    }

    /// Adds the values in the query string of an address.
    pub fn add_url(&mut self, url: &str) {
        let url = url.split('#').next().unwrap_or_default();
        let Some((_, query)) = url.split_once('?') else {
            return;
        };
        for pair in query.split(['&', ';']) {
            let value = pair.split_once('=').map_or(pair, |(_, value)| value);
            self.add(&decoded(value));
        }
    }

    /// Adds all terms of another query.
    pub fn extend(&mut self, other: &Query) {
        other.terms.iter().for_each(|term| self.add(term));
    }

    /// The terms, in order of the alphabet.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(String::as_str)
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// What the query finds in each element of a page.
    pub fn evidence(&self, page: &Page) -> Vec<QueryEvidence> {
        let mut evidence = distances(page);
        if self.is_empty() {
            return evidence;
        }
        let finder = Finder::new(self);
        for run in &page.runs {
            evidence[run.element as usize].matches += finder.count(page.run_text(run));
        }
        for at in 0..evidence.len() {
            let matches = evidence[at].matches;
            if matches == 0 {
                continue;
            }
            for (distance, up) in page.ancestors(at as u32).enumerate() {
                evidence[up as usize].score += f64::from(matches) / (distance as f64 + 1.0);
            }
        }
        evidence
    }
}

/// The words of a page's forms: labels, options, and values that are filled in. The page has to be parsed
/// with [`form_page_config`].
pub fn form_terms(page: &Page) -> Query {
    let mut query = Query::default();
    let in_form = inside(page, |tag| {
        matches!(tag, Tag::Form | Tag::Label | Tag::Select | Tag::Fieldset)
    });
    let says = inside(page, |tag| {
        matches!(
            tag,
            Tag::Label | Tag::Legend | Tag::Option | Tag::Optgroup | Tag::Textarea | Tag::Th | Tag::Dt
        )
    });
    for run in &page.runs {
        let element = run.element as usize;
        if in_form[element] && says[element] {
            query.add(page.run_text(run));
        }
    }
    for (at, element) in page.elements.iter().enumerate() {
        if element.tag == Tag::Input && in_form[at] && is_filled_in(page, at as u32) {
            let said = [Attr::Value, Attr::AriaLabel, Attr::Title];
            said.iter()
                .filter_map(|&name| page.attribute(at as u32, name))
                .for_each(|text| query.add(text));
        }
    }
    query
}

/// How pages are parsed for their forms: options and fields are left in.
pub fn form_page_config() -> PageConfig {
    let mut config = PageConfig {
        alt: false,
        ..PageConfig::default()
    };
    let fields = [
        Tag::Select,
        Tag::Option,
        Tag::Optgroup,
        Tag::Textarea,
        Tag::Datalist,
    ];
    config
        .delete
        .retain(|name| !fields.iter().any(|field| field.name() == name));
    config
}

/// Whether users fill the field in: it is no button, and is shown.
fn is_filled_in(page: &Page, input: u32) -> bool {
    let kind = page.attribute(input, Attr::Type).unwrap_or_default();
    !["hidden", "submit", "button", "image", "reset", "password", "file"]
        .iter()
        .any(|other| kind.eq_ignore_ascii_case(other))
}

/// Which elements are one of these, or stand in one.
fn inside(page: &Page, is_wanted: impl Fn(Tag) -> bool) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let above = element.parent != NONE && found[element.parent as usize];
        found.push(above || is_wanted(element.tag));
    }
    found
}

/// Evidence that has only the distance to the body.
fn distances(page: &Page) -> Vec<QueryEvidence> {
    let body = page.elements.iter().find(|element| element.tag == Tag::Body);
    let depth = body.map_or(0, |body| body.depth);
    let distance = |element: &gleaner_page::Element| QueryEvidence {
        to_body: u32::from(element.depth.saturating_sub(depth)),
        ..QueryEvidence::default()
    };
    page.elements.iter().map(distance).collect()
}

/// All terms at once.
struct Finder {
    automaton: AhoCorasick,
    /// Whether a term is of a script without spaces: it is found within words, too.
    unspaced: Vec<bool>,
}

impl Finder {
    fn new(query: &Query) -> Finder {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&query.terms)
            .expect("the number and the length of terms are bounded");
        Finder {
            automaton,
            unspaced: query.terms().map(|term| term.contains(is_unspaced)).collect(),
        }
    }

    /// How many terms stand in a text as whole words.
    fn count(&self, text: &str) -> u32 {
        let text = text.to_lowercase();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let found = self.automaton.find_iter(&text).filter(|found| {
            self.unspaced[found.pattern()]
                || !(is_word(text[..found.start()].chars().next_back())
                    || is_word(text[found.end()..].chars().next()))
        });
        found.count() as u32
    }
}

/// A value of a query string: `+` is a space, `%41` an `A`.
fn decoded(value: &str) -> String {
    let bytes = value.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex = bytes
            .get(at + 1..at + 3)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        let coded = hex.filter(|_| bytes[at] == b'%');
        match coded.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_addresses_are_decoded() {
        assert_eq!(decoded("a+b%20c%zz%4"), "a b c%zz%4");
        assert_eq!(decoded("K%C3%B6ln"), "Köln");
        let mut query = Query::default();
        query.add_url("http://a.example/?q=one&page=20#x=two");
        query.add_url("http://a.example/q=three");
        assert!(query.terms().eq(["one"]));
    }

    #[test]
    fn terms_are_whole_words_but_for_scripts_without_spaces() {
        let count = |term: &str, text: &str| Finder::new(&Query::new([term])).count(text);
        assert_eq!(count("cat", "Cat, CATS and a concat: cat_ cat"), 2);
        assert_eq!(count("上海", "我在上海工作"), 1);
    }

    #[test]
    fn terms_are_bounded() {
        let mut query = Query::default();
        query.add(&"x".repeat(TERM_BYTES + 1));
        assert!(query.is_empty());
        let lines: Vec<String> = (0..MOST_TERMS + 10).map(|at| format!("w{at}")).collect();
        assert_eq!(
            Query::new(lines.iter().map(String::as_str)).terms().count(),
            MOST_TERMS
        );
    }
}
