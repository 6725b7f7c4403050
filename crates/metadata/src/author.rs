//! The names of the authors.

mod controls;
mod prefixes;
mod roles;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use gleaner_html::{Attr, Tag};
use gleaner_page::Page;
use rustc_hash::FxHashSet;

use self::controls::is_control;
use self::prefixes::{is_prefix, without_prefix};
use self::roles::{is_role, without_role};
use crate::date::read;
use crate::marked::{Marked, finder, has_word};
use crate::phrases::{lines, phrases};
use crate::{Language, title};

/// Maximum characters of a name.
const LONGEST: usize = 150;
/// Maximum marked elements examined per page.
const ELEMENTS: usize = 12;
/// Maximum authors per page.
const MOST: usize = 50;
/// Maximum lines per element that may be names.
const LINES: usize = 12;
/// Maximum blocks between the elements of one byline.
const NEAR: usize = 2;

/// What stands where a name is missing.
static PLACEHOLDERS: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    phrases(
        "undefined null none unknown admin administrator anonymous guest author authors na name n_a test editor user root \
    webmaster archive archives view_all_posts all_posts posts post threads updated read_more view_more_posts",
    )
    .collect()
});

/// Letters that stand for missing ones: what is left of a template.
const TEMPLATE: [&str; 4] = ["{", "}", "<%", "%>"];

/// A text as a name, without a role behind it; nothing where it is none.
pub(super) fn name(text: &str, language: Option<&Language>) -> Option<String> {
    let text = without_addresses(text);
    let name = without_prefix(&text, language)
        .trim_matches([' ', ',', ';', ':', '：', '|', '·', '•', '–', '-', '—', '&']);
    let in_brackets = name.strip_prefix('(').and_then(|name| name.strip_suffix(')'));
    let name = without_role(in_brackets.unwrap_or(name))?;
    let is_address = name.contains("://") || name.starts_with("www.");
    let words = title::words(name);
    let sound = !is_address
        && !TEMPLATE.iter().any(|mark| name.contains(mark))
        && words.chars().any(char::is_alphabetic)
        && name.chars().count() <= LONGEST
        && !PLACEHOLDERS.contains(&words)
        && !is_prefix(&words)
        && !is_control(&words);
    sound.then(|| name.to_owned())
}

/// A text with a space between its words, without addresses of mails and accounts, and the control before one.
fn without_addresses(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let all = words.len();
    words.retain(|word| !word.contains('@'));
    let is_shorter = words.len() < all;
    while is_shorter && words.len() > 1 && words.last().is_some_and(|last| is_control(&title::words(last))) {
        words.pop();
    }
    words.join(" ")
}

/// The names in a text that lists them, as a byline or the value of a `<meta>` element does.
pub(super) fn names(text: &str, language: Option<&Language>) -> Vec<String> {
    let Some(all) = name(text, language) else {
        return Vec::new();
    };
    let split = parts(&all, language);
    if split.is_empty() {
        return vec![all];
    }
    split
        .into_iter()
        .filter_map(|part| name(part, language))
        .collect()
}

/// Words that join names, by language; see there.
static JOINING: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    let of_language = |line: &'static str| {
        let (code, words) = line.split_once(':')?;
        Some((code, words.split_ascii_whitespace().collect()))
    };
    lines(include_str!("author/joining.txt"))
        .filter_map(of_language)
        .collect()
});

/// Whether a word joins names on a page of a language.
fn joins(word: &str, language: Option<&Language>) -> bool {
    let low = word.to_lowercase();
    let own = language.map_or("", |language| language.name.as_str());
    let lists = JOINING.iter().filter(|(code, _)| *code == "any" || *code == own);
    lists.flat_map(|(_, words)| words).any(|joining| *joining == low)
}

/// What follows a name behind a comma and belongs to it.
const TITLES: &[&str] = &[
    "md", "m.d.", "phd", "ph.d.", "ph.d", "dr", "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "esq", "esq.",
    "cpa", "rn", "mba", "ms", "ma", "msc", "bsc", "rd", "rdn", "dds", "dvm", "jd", "j.d.", "mph", "lcsw",
    "cfp", "cfa", "pe",
];

/// The names in a list, without roles behind them; none where it is no list. Each of several has two words at least, so that
/// `Lovelace, Ada` and `Costa e Silva` stay whole; names of East Asia have one.
fn parts<'t>(text: &'t str, language: Option<&Language>) -> Vec<&'t str> {
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, mark) in text.match_indices([',', ';', '、', '，', '；', '،', '/', '|']) {
        let is_title = |part: &str| TITLES.contains(&part.trim().to_lowercase().as_str());
        let next = text[at + mark.len()..]
            .split([',', ';'])
            .next()
            .unwrap_or_default();
        if !is_title(next) {
            parts.push(&text[start..at]);
            start = at + mark.len();
        }
    }
    parts.push(&text[start..]);
    let mut parts: Vec<&str> = parts
        .into_iter()
        .flat_map(|part| at_joining_words(part, language))
        .map(|part| without_joining_word(part.trim(), language))
        .filter(|part| !part.is_empty())
        .collect();
    let all = parts.len();
    let mut is_first = true;
    parts.retain(|part| std::mem::take(&mut is_first) || !is_role(part));
    let has_role = parts.len() < all;
    let is_one = has_role && parts.len() == 1;
    let is_list = parts.len() > 1 && parts.iter().all(|part| is_whole_name(part));
    match is_one || is_list {
        true => parts,
        false => Vec::new(),
    }
}

/// A part of a list without `and` before its last name.
fn without_joining_word<'t>(part: &'t str, language: Option<&Language>) -> &'t str {
    match part.split_once(' ') {
        Some((first, rest)) if joins(first, language) => rest.trim_start(),
        _ => part,
    }
}

/// The parts of a text between words that join names, where both sides of each are whole names.
fn at_joining_words<'t>(text: &'t str, language: Option<&Language>) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(' ') {
        let rest = &text[at + 1..];
        let word = rest.split(' ').next().unwrap_or_default();
        let after = rest[word.len()..].trim_start();
        let is_join = at >= start && !after.is_empty() && joins(word, language);
        let next = after.split(' ').take_while(|next| !joins(next, language)).count();
        if is_join && is_whole_name(&text[start..at]) && (next > 1 || is_dense(after)) {
            parts.push(&text[start..at]);
            start = text.len() - after.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

fn is_whole_name(part: &str) -> bool {
    let words = part.split_whitespace().count();
    is_dense(part) || ((2..=6).contains(&words) && !part.contains(|letter: char| letter.is_ascii_digit()))
}

/// Whether a text is written without spaces.
fn is_dense(text: &str) -> bool {
    text.chars().count() >= 2 && text.chars().all(|letter| letter >= '\u{2e80}' || letter == ' ')
}

/// Finds the word of properties, and parts of the words of [`is_byline`], whatever letter they begin with.
static BYLINE_PARTS: LazyLock<AhoCorasick> =
    LazyLock::new(|| finder(&["uthor", "yline", "sername", "reator"]));

/// Adds names that are not there yet.
pub(super) fn add(all: &mut Vec<String>, names: impl IntoIterator<Item = String>) {
    for name in names {
        let words = title::words(&name);
        if all.len() < MOST && !all.iter().any(|other| title::words(other) == words) {
            all.push(name);
        }
    }
}

/// The authors by elements that are marked as such: links and properties first, then classes.
pub(super) fn marked(marked: &Marked<'_>, language: Option<&Language>) -> Named {
    let values = marked.values_with(&BYLINE_PARTS);
    let by_property = marked.with_value(&values, ELEMENTS, |name, value| {
        matches!(name, Attr::Rel | Attr::Itemprop) && is_token(value, "author")
    });
    // The class of the whole page names what it lists: posts of an author.
    let is_part =
        |element: &u32| !matches!(marked.page.elements[*element as usize].tag, Tag::Html | Tag::Body);
    let mut by_class = marked.with_value(&values, ELEMENTS, |name, value| {
        name == Attr::Class && has_word(value, is_byline)
    });
    by_class.retain(is_part);
    let reader = Bylines { marked, language };
    let found = reader.together(&by_property);
    match found.names.is_empty() {
        true => reader.together(&by_class),
        false => reader.completed(found, &by_class),
    }
}

/// Names, and the element that has the first of them.
#[derive(Default)]
pub(super) struct Named {
    pub(super) names: Vec<String>,
    pub(super) element: Option<u32>,
}

impl Named {
    /// Names that no element has.
    pub(super) fn elsewhere(names: Vec<String>) -> Named {
        Named { names, element: None }
    }
}

fn is_byline(word: &str) -> bool {
    matches!(
        word,
        "author" | "authors" | "byline" | "bylines" | "authorname" | "username" | "creator"
    )
}

/// The names in a line beside the heading that begins as bylines do.
pub(super) fn beside_heading(marked: &Marked<'_>, language: Option<&Language>) -> Named {
    let reader = Bylines { marked, language };
    let mut lines = marked
        .beside_heading()
        .filter(|line| is_byline_line(line.text, language));
    let found = lines.find_map(|line| {
        let of_links = reader.of_links(line.element);
        let names = match of_links.is_empty() {
            true => byline(line.text, language)
                .map(|line| names(&line, language))
                .unwrap_or_default(),
            false => of_links,
        };
        let element = Some(line.element);
        Some(Named { names, element }).filter(|found| !found.names.is_empty())
    });
    found.unwrap_or_default()
}

/// Whether a text in an element of its own is a control or a role beside a name.
fn is_beside_name(text: &str) -> bool {
    let text = text.trim();
    is_control(&title::words(text)) || without_role(text).is_none()
}

/// Whether a line begins as bylines do.
pub(super) fn is_byline_line(line: &str, language: Option<&Language>) -> bool {
    let line = line.trim();
    line.len() <= LONGEST_LINE && without_prefix(line, language).len() < line.len()
}

/// Bytes of a line that is a byline.
const LONGEST_LINE: usize = 160;

/// The bylines of a page.
struct Bylines<'a> {
    marked: &'a Marked<'a>,
    language: Option<&'a Language>,
}

impl Bylines<'_> {
    /// The names of the first element that has one, and of those of the same kind close behind it.
    fn together(&self, elements: &[u32]) -> Named {
        let mut all = Vec::new();
        let mut first: Option<u32> = None;
        let mut last: Option<usize> = None;
        for &element in elements {
            let block = self.marked.block(element);
            let is_far = last
                .zip(block)
                .is_some_and(|(last, block)| block.saturating_sub(last) > NEAR);
            if is_far {
                break;
            }
            if first.is_some_and(|first| self.kind(first) != self.kind(element)) {
                continue;
            }
            let names = self.of_element(element);
            if !names.is_empty() {
                add(&mut all, names);
                first = first.or(Some(element));
                last = block;
            }
        }
        Named {
            names: all,
            element: first,
        }
    }

    /// What elements of one list share.
    fn kind(&self, element: u32) -> (Tag, Option<&str>) {
        let page = self.marked.page;
        (
            page.elements[element as usize].tag,
            page.attribute(element, Attr::Class),
        )
    }

    /// The names of the byline that has some names, where it has more.
    fn completed(&self, found: Named, bylines: &[u32]) -> Named {
        let lists = bylines.iter().map(|&element| Named {
            names: self.of_element(element),
            element: Some(element),
        });
        let mut whole = lists.filter(|Named { names, .. }| {
            names.len() > found.names.len() && found.names.iter().all(|name| names.contains(name))
        });
        whole.next().unwrap_or(found)
    }

    fn of_element(&self, element: u32) -> Vec<String> {
        let named = named_within(self.marked.page, element);
        if !named.is_empty() {
            let texts = named.iter().map(|&at| self.marked.text(at));
            let mut all = Vec::new();
            add(&mut all, texts.filter_map(|text| name(&text, self.language)));
            return all;
        }
        let is_wanted = |tag: Tag, text: &str| tag != Tag::Img && !is_beside_name(text);
        let mut lines = self.marked.lines_of(element, &is_wanted).take(LINES);
        if self.is_list(element) {
            let mut all = Vec::new();
            let own = lines.filter_map(|line| byline(line, self.language));
            add(&mut all, own.flat_map(|line| names(&line, self.language)));
            return all;
        }
        let of_links = self.of_links(element);
        if !of_links.is_empty() {
            return of_links;
        }
        // A first line may be the prefix alone.
        let found = lines
            .by_ref()
            .take(2)
            .find_map(|line| byline(line, self.language));
        found.map(|line| names(&line, self.language)).unwrap_or_default()
    }

    /// Whether an element lists authors, a line each.
    fn is_list(&self, element: u32) -> bool {
        let page = self.marked.page;
        let class = page.attribute(element, Attr::Class).unwrap_or_default();
        let is_list = matches!(page.elements[element as usize].tag, Tag::Ul | Tag::Ol);
        is_list || has_word(class, |word| word == "authors")
    }

    /// The names of the links of a byline, of which nothing but prefixes and words that join names stand before.
    fn of_links(&self, element: u32) -> Vec<String> {
        let mut all = Vec::new();
        let mut end: Option<(usize, &str)> = None;
        for link in self.marked.links(element) {
            let Some((place, line)) = self.marked.line_of(link) else {
                continue;
            };
            let own = match self.marked.line_of(element) {
                Some((own, first)) if std::ptr::eq(first, line) => own.start,
                _ => 0,
            };
            let from = end
                .filter(|(_, last)| std::ptr::eq(*last, line))
                .map_or(own, |(end, _)| end);
            let between = line.get(from..place.start).unwrap_or_default();
            if !self.is_nothing(between) {
                break;
            }
            let Some(found) = line
                .get(place.clone())
                .and_then(|text| byline(text, self.language))
            else {
                continue;
            };
            // A link that nothing joins to a name is another thing.
            let is_joined = between
                .trim()
                .chars()
                .any(|letter| letter.is_alphanumeric() || ",;&+、，/|".contains(letter));
            let is_other_line = end.is_some_and(|(_, last)| !std::ptr::eq(last, line));
            if !all.is_empty() && (is_other_line || !is_joined) {
                break;
            }
            add(&mut all, names(&found, self.language));
            end = Some((place.end, line));
        }
        all
    }

    /// Whether a text before a name only introduces it.
    fn is_nothing(&self, text: &str) -> bool {
        let text = text.trim();
        let with_name = format!("{text} Xy Zw");
        let words = text.split_whitespace();
        let mut other = words.filter(|word| {
            word.chars().any(char::is_alphanumeric) && !joins(word.trim_matches([',', ';']), self.language)
        });
        other.next().is_none() || without_prefix(&with_name, self.language).trim() == "Xy Zw"
    }
}

/// The elements within another that schema.org calls its name.
fn named_within(page: &Page, element: u32) -> Vec<u32> {
    let is_name = |&at: &u32| {
        page.attribute(at, Attr::Itemprop)
            .is_some_and(|value| is_token(value, "name"))
    };
    let within = element..page.elements[element as usize].end;
    within.filter(is_name).take(ELEMENTS).collect()
}

/// The names in a byline, which may continue with a day or a place: `By Ada Lovelace | 1 May 2024`.
///
/// ```
/// use gleaner_metadata::{Language, byline};
///
/// let english = Language::from_tags("en");
/// let name = |text| byline(text, english.as_ref());
/// assert_eq!(name("Posted by Ada Lovelace on Friday, May 1, 2024").as_deref(), Some("Ada Lovelace"));
/// assert_eq!(name("qqh037 at 10:30").as_deref(), Some("qqh037"));
/// assert_eq!(name("1 May 2024"), None);
/// ```
pub fn byline(text: &str, language: Option<&Language>) -> Option<String> {
    let text = without_prefix(text.trim(), language);
    let mut within = false;
    let end = text.find(|letter: char| {
        let begins_number = letter.is_numeric() && !within;
        within = letter.is_alphanumeric();
        begins_number || "|·•–—".contains(letter)
    });
    let mut first = text[..end.unwrap_or(text.len())].trim_end();
    // A date may begin with its month or its weekday, behind a word such as `on`.
    while let Some(last) = first.split_whitespace().next_back()
        && is_no_part_of_name(last, end.is_some())
    {
        first = first[..first.len() - last.len()].trim_end();
    }
    let is_list = !parts(first, language).is_empty();
    let words = first.split_whitespace().count();
    let is_short = (1..=6).contains(&words) && first.chars().count() <= 50;
    name(first, language).filter(|_| is_short || (is_list && first.len() <= LONGEST_LINE))
}

/// Whether a last word is not the name's: `at` in `Ada at`, and before a number what a date begins with.
fn is_no_part_of_name(word: &str, before_number: bool) -> bool {
    let word = word.trim_end_matches([',', ':', '.', '(']).to_lowercase();
    let is_month = || read(&format!("{word} 1"), &|| None).is_some();
    let is_day = || DAYS.split(' ').any(|day| day == word) || is_month();
    let is_on = || matches!(word.as_str(), "am" | "le" | "el" | "em" | "op" | "den" | "dne");
    matches!(word.as_str(), "" | "at" | "on" | "/") || (before_number && (is_on() || is_day()))
}

/// The days of the week, as bylines have them.
const DAYS: &str = "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun";

fn is_token(value: &str, token: &str) -> bool {
    value
        .split_ascii_whitespace()
        .any(|own| own.eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests;
