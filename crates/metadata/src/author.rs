//! The author's name.

use super::marked::{Marked, has_word};
use gleaner_page::{Attr, Page, Tag};

/// Longer texts, in characters, are not names of authors.
const LONGEST: usize = 150;
/// Marked elements that are looked at.
const ELEMENTS: usize = 12;

/// What bylines begin with. Never a word that names begin with (`de`, `da`).
const PREFIXES: &[&str] = &[
    "by",
    "written by",
    "posted by",
    "article by",
    "author",
    "authored by",
    "words by",
    "reviewed by",
    "created by",
    "published by",
    "story by",
    "von",
    "geschrieben von",
    "verfasst von",
    "autor",
    "autorin",
    "par",
    "écrit par",
    "publié par",
    "auteur",
    "por",
    "escrito por",
    "publicado por",
    "scritto da",
    "door",
    "geschreven door",
    "av",
    "skriven av",
    "af",
    "od",
    "napisał",
    "napsal",
    "autor článku",
    "автор",
    "от",
    "oleh",
    "ditulis oleh",
    "yazan",
    "tác giả",
    "作者",
    "文",
    "撰文",
    "記者",
    "投稿者",
    "著者",
    "글",
];

/// What stands where a name is missing.
const NOBODY: &[&str] = &[
    "undefined",
    "null",
    "none",
    "unknown",
    "admin",
    "administrator",
    "anonymous",
    "guest",
    "author",
    "na",
    "name",
    "n a",
    "test",
    "editor",
    "user",
    "root",
    "webmaster",
];

/// A text as a name; nothing where it is none.
pub(super) fn name(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = without_prefix(&text).trim_matches([' ', ',', ':', '|', '·', '•', '–', '-', '—']);
    let is_address =
        name.contains("://") || name.contains('@') || name.starts_with("www.") || name.contains('{');
    let words = super::title::words(name);
    let sound = !is_address
        && words.chars().any(char::is_alphabetic)
        && name.chars().count() <= LONGEST
        && !NOBODY.contains(&words.as_str());
    sound.then(|| name.to_owned())
}

/// Without what bylines begin with.
fn without_prefix(text: &str) -> &str {
    let mut rest = text.trim();
    for prefix in PREFIXES {
        let Some(start) = rest.get(..prefix.len()) else {
            continue;
        };
        if start.to_lowercase() != *prefix {
            continue;
        }
        let after = &rest[prefix.len()..];
        // `von` is a part of names where it is not the first word of a line.
        let is_end =
            after.starts_with([' ', ':', '：', '\u{a0}']) || prefix.starts_with(|l: char| l >= '\u{2e80}');
        if is_end && !start.starts_with("von") {
            rest = after.trim_start_matches([' ', ':', '：', '\u{a0}']);
        }
    }
    rest
}

/// The author by elements that are marked as such: links and properties first, then classes.
pub(super) fn marked(marked: &Marked<'_>) -> Option<String> {
    let by_property = marked.with_value(&["author"], ELEMENTS, |name, value| {
        matches!(name, Attr::Rel | Attr::Itemprop) && is_token(value, "author")
    });
    // Of the whole page a class tells what it lists: posts of an author.
    let is_part =
        |element: &u32| !matches!(marked.page.elements[*element as usize].tag, Tag::Html | Tag::Body);
    let by_class = || {
        let mut found = marked.with_value(
            &["uthor", "yline", "sername", "reator"],
            ELEMENTS,
            |name, value| name == Attr::Class && has_word(value, is_byline),
        );
        found.retain(is_part);
        found
    };
    first_name(marked, &by_property).or_else(|| first_name(marked, &by_class()))
}

fn is_byline(word: &str) -> bool {
    matches!(
        word,
        "author" | "authors" | "byline" | "bylines" | "authorname" | "username" | "creator"
    )
}

/// The name in a line beside the heading that begins as bylines do.
pub(super) fn beside_heading(marked: &Marked<'_>) -> Option<String> {
    let lines = marked.beside_heading();
    lines
        .filter(|line| line.len() <= LONGEST_LINE && without_prefix(line).len() < line.trim().len())
        .find_map(byline)
}

/// Bytes of a line that is a byline.
const LONGEST_LINE: usize = 160;

fn first_name(marked: &Marked<'_>, elements: &[u32]) -> Option<String> {
    elements.iter().find_map(|&element| {
        let text = match named_within(marked.page, element) {
            Some(named) => marked.text(named),
            None => marked.first_text(element),
        };
        byline(&text)
    })
}

/// The element within another that schema.org calls its name.
fn named_within(page: &Page, element: u32) -> Option<u32> {
    let is_name = |&at: &u32| {
        page.attribute(at, Attr::Itemprop)
            .is_some_and(|value| is_token(value, "name"))
    };
    (element..page.elements[element as usize].end).find(is_name)
}

/// The name in a byline, which may go on with a day or a place: `By Ada Lovelace | 1 May 2024`.
///
/// ```
/// use gleaner_metadata::byline;
///
/// assert_eq!(byline("Posted by Ada Lovelace on Friday, May 1, 2024").as_deref(), Some("Ada Lovelace"));
/// assert_eq!(byline("qqh037 at 10:30").as_deref(), Some("qqh037"));
/// assert_eq!(byline("1 May 2024"), None);
/// ```
pub fn byline(text: &str) -> Option<String> {
    let text = without_prefix(text);
    let mut within = false;
    let end = text.find(|letter: char| {
        let begins_number = letter.is_numeric() && !within;
        within = letter.is_alphanumeric();
        begins_number || "|·•–—".contains(letter)
    });
    let mut first = text[..end.unwrap_or(text.len())].trim_end();
    // A date may begin with its month or its weekday, and be told off by a word.
    while let Some(last) = first.split_whitespace().next_back()
        && is_told_off(last, end.is_some())
    {
        first = first[..first.len() - last.len()].trim_end();
    }
    let words = first.split_whitespace().count();
    name(first).filter(|name| (1..=6).contains(&words) && name.chars().count() <= 50)
}

/// Whether a last word is not the name's: `at` in `Ada at`, and before a number what a date begins with.
fn is_told_off(word: &str, before_number: bool) -> bool {
    let word = word.trim_end_matches([',', ':', '.']).to_lowercase();
    let is_day = DAYS.contains(&word.as_str()) || super::day::month(&word).is_some();
    matches!(word.as_str(), "" | "at" | "on" | "/") || (before_number && is_day)
}

/// The days of the week, as bylines have them.
const DAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
];

fn is_token(value: &str, token: &str) -> bool {
    value
        .split_ascii_whitespace()
        .any(|own| own.eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_what_is_none() {
        assert_eq!(name(" By  Ada\n Lovelace ").as_deref(), Some("Ada Lovelace"));
        assert_eq!(name("作者：王小明").as_deref(), Some("王小明"));
        assert_eq!(name("Автор: Анна Иванова").as_deref(), Some("Анна Иванова"));
        assert_eq!(name("Parisa da Silva").as_deref(), Some("Parisa da Silva"));
        for none in [
            "",
            "https://x.example/ada",
            "undefined",
            "ada@x.example",
            "—",
            &"long ".repeat(40),
        ] {
            assert_eq!(name(none), None, "{none}");
        }
    }

    #[test]
    fn a_byline_ends_where_a_day_begins() {
        assert_eq!(byline("by Ada Lovelace · 5 min").as_deref(), Some("Ada Lovelace"));
        assert_eq!(byline("Written by Ada 1 May 2024").as_deref(), Some("Ada"));
        assert_eq!(byline("waliesishabi at").as_deref(), Some("waliesishabi"));
        assert_eq!(byline("will /").as_deref(), Some("will"));
        assert_eq!(
            byline("msmash on Friday April 5, 2019").as_deref(),
            Some("msmash")
        );
        assert_eq!(byline("Ejp55230").as_deref(), Some("Ejp55230"));
        assert_eq!(
            byline("Ada has written for this site since it began, and before"),
            None
        );
    }
}
