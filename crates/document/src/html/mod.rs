//! Cleaned pages as HTML: one page as a document, or several as the articles of one document. They load nothing.

mod direction;
mod writer;

pub use gleaner_html::escape;
use gleaner_page::Page;

use crate::PageFacts;

pub use writer::{KEPT, Style, write, write_behind_heading};

/// Attributes of a page in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The language of its text, a value of `lang`.
    pub language: Option<String>,
    /// The direction of its text, a value of `dir`.
    pub direction: &'static str,
}

impl About {
    /// The attributes of a page.
    pub fn of_page(page: &Page, facts: &PageFacts) -> About {
        About {
            language: facts.metadata.language.clone(),
            direction: direction::of_page(page),
        }
    }

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

/// What stands before the text of a document: `head` is further elements of its head. Of its only page, if it has only one, it
/// has language and direction.
pub fn begin(title: &str, head: &str, only: Option<&About>) -> String {
    let language = only.map(About::language).unwrap_or_default();
    let direction = only.map(About::direction).unwrap_or_default();
    // Where letters decide the direction, those of the title do not count.
    let is_of_body = only.is_some_and(|about| about.direction == "auto");
    let (of_all, of_body) = match is_of_body {
        true => ("", &*direction),
        false => (&*direction, ""),
    };
    format!(
        "<!DOCTYPE html>\n<html{language}{of_all}><head><meta charset=\"utf-8\"><title>{}</title>{head}</head>\n\
         <body{of_body}>\n",
        escape(title)
    )
}

/// What stands behind it.
pub const END: &str = "</body></html>\n";

/// A document with one page.
pub fn document(title: &str, head: &str, about: &About, body: &str) -> String {
    begin(title, head, Some(about)) + body + END
}

/// An article of a document with several pages: the name of the page, with a direction of its own, and its text.
pub fn article(name: &str, about: &About, body: &str) -> String {
    format!(
        "<article{}>\n<header dir=\"ltr\">{}</header>\n{body}</article>\n",
        about.language() + &about.direction(),
        escape(name)
    )
}

#[cfg(test)]
mod tests;
