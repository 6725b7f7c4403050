//! Cleaned pages as HTML: one page as a document, or several as the articles of one document. They load nothing.

mod counter;
mod direction;
mod nesting;
mod writer;

use crate::html::{append, escape};

pub(crate) use direction::of_page as direction_of_page;
pub(crate) use writer::{KEPT, Style, write};

/// What a document says of a page beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) language: Option<String>,
    /// The direction of its text, a value of `dir`.
    pub(crate) direction: &'static str,
}

impl About {
    fn attributes(&self) -> String {
        let language = self.language.as_deref().map(escape);
        let language = language
            .map(|code| format!(" lang=\"{code}\""))
            .unwrap_or_default();
        format!("{language} dir=\"{}\"", self.direction)
    }
}

/// What stands before the text of a document. The attributes are those of its only page, if it has only one.
pub(crate) fn begin(title: &str, style: &str, only: Option<&About>) -> String {
    let attributes = only.map(About::attributes).unwrap_or_default();
    let mut begin = format!(
        "<!DOCTYPE html>\n<html{attributes}><head><meta charset=\"utf-8\"><title>{}</title>",
        escape(title)
    );
    if !style.is_empty() {
        append(&mut begin, format_args!("\n<style>\n{style}</style>"));
    }
    begin + "</head>\n<body>\n"
}

/// What stands behind it.
pub(crate) const END: &str = "</body></html>\n";

/// A page of several: its name, which is told in the direction of names, and its text.
pub(crate) fn article(name: &str, about: &About, body: &str) -> String {
    format!(
        "<article{}>\n<header dir=\"ltr\">{}</header>\n{body}</article>\n",
        about.attributes(),
        escape(name)
    )
}
