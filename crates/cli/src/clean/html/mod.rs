//! Cleaned pages as HTML: one page as a document, or several as the articles of one document. They load nothing.

mod direction;
mod writer;

use crate::terminal::html::escape;

pub(crate) use direction::of_page as direction_of_page;
pub(crate) use writer::{KEPT, Style, write, write_behind_heading};

/// Attributes of a page in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) language: Option<String>,
    /// The direction of its text, a value of `dir`.
    pub(crate) direction: &'static str,
}

impl About {
    fn language(&self) -> String {
        let language = self.language.as_deref().map(escape);
        language
            .map(|code| format!(" lang=\"{code}\""))
            .unwrap_or_default()
    }

    fn direction(&self) -> String {
        format!(" dir=\"{}\"", self.direction)
    }
}

/// What stands before the text of a document. Of its only page, if it has only one, it has language and direction.
pub(crate) fn begin(title: &str, style: &str, only: Option<&About>) -> String {
    let language = only.map(About::language).unwrap_or_default();
    let direction = only.map(About::direction).unwrap_or_default();
    // Where letters decide the direction, those of the title do not count.
    let is_of_body = only.is_some_and(|about| about.direction == "auto");
    let (of_all, of_body) = match is_of_body {
        true => ("", &*direction),
        false => (&*direction, ""),
    };
    let mut begin = format!(
        "<!DOCTYPE html>\n<html{language}{of_all}><head><meta charset=\"utf-8\"><title>{}</title>",
        escape(title)
    );
    if !style.is_empty() {
        begin += &format!("\n<style>\n{style}</style>");
    }
    begin += &format!("</head>\n<body{of_body}>\n");
    begin
}

/// What stands behind it.
pub(crate) const END: &str = "</body></html>\n";

/// An article of a document with several pages: the name of the page, with a direction of its own, and its text.
pub(crate) fn article(name: &str, about: &About, body: &str) -> String {
    format!(
        "<article{}>\n<header dir=\"ltr\">{}</header>\n{body}</article>\n",
        about.language() + &about.direction(),
        escape(name)
    )
}

#[cfg(test)]
mod tests;
