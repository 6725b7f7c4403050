//! What a page states about itself, and how it is written before a text.

use std::fmt::Write as _;

use gleaner_document::html::escape;
use gleaner_metadata as pipeline;

use crate::Day;

/// What a page states about itself; nothing where it states nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Metadata<'a> {
    /// The title of the page, without the name of the site.
    pub title: Option<&'a str>,
    /// The names of the authors, each once.
    pub authors: &'a [String],
    /// The day of first publication.
    pub published: Option<Day>,
    /// The language that the page declares: the primary subtag, such as `en`.
    pub language: Option<&'a str>,
}

impl<'a> From<&'a pipeline::Metadata<'_>> for Metadata<'a> {
    fn from(found: &'a pipeline::Metadata<'_>) -> Metadata<'a> {
        Metadata {
            title: found.title.as_deref(),
            authors: &found.authors,
            published: found.published.map(|published| published.day),
            language: found.language.as_deref(),
        }
    }
}

impl Metadata<'_> {
    /// It as front matter of YAML, which stands before a text: lines between two of three hyphens.
    pub(crate) fn front_matter(&self, url: &str) -> String {
        let mut lines = String::from("---\n");
        let mut add = |name: &str, value: &str| {
            lines += name;
            lines += ": ";
            lines += value;
            lines.push('\n');
        };
        if let Some(title) = self.title {
            add("title", &quoted(title));
        }
        if !self.authors.is_empty() {
            let names: Vec<String> = self.authors.iter().map(|name| quoted(name)).collect();
            add("authors", &format!("[{}]", names.join(", ")));
        }
        if let Some(day) = self.published {
            add("published", &day.to_string());
        }
        if let Some(language) = self.language {
            add("language", &quoted(language));
        }
        if !url.is_empty() {
            add("url", &quoted(url));
        }
        lines + "---\n"
    }

    /// It as `<meta>` elements, each in a line.
    pub(crate) fn elements(&self) -> String {
        let authors = self.authors.iter().map(|name| ("author", escape(name)));
        let day = self.published.map(|day| ("date", day.to_string()));
        let meta = |(name, value)| format!("\n<meta name=\"{name}\" content=\"{value}\">");
        authors.chain(day).map(meta).collect()
    }
}

/// A string of YAML in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\u{feff}' | '\u{2028}' | '\u{2029}' => escaped(&mut quoted, letter),
            letter if letter.is_control() => escaped(&mut quoted, letter),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

fn escaped(out: &mut String, letter: char) {
    write!(out, "\\u{:04x}", u32::from(letter)).expect("a string takes all");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_yaml_are_in_one_line() {
        assert_eq!(quoted("a \"b\" \\ c"), r#""a \"b\" \\ c""#);
        assert_eq!(quoted("a\nb\u{85}\u{2028}"), r#""a\u000ab\u0085\u2028""#);
        assert_eq!(quoted("潮の満ち干"), "\"潮の満ち干\"");
    }
}
