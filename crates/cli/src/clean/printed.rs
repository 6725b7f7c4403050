//! A page in one of the formats.

use gleaner_document::html::{self, About};

use super::view;
use crate::args::CleanFormat;
use crate::terminal::plain;

/// A page in one of the formats, without what depends on whether there are others.
#[derive(Debug)]
pub(super) struct Printed {
    /// Its address, or its file.
    pub(super) name: String,
    /// Its address; empty where it is not known.
    pub(super) url: String,
    pub(super) title: String,
    pub(super) about: About,
    pub(super) text: String,
}

pub(super) fn whole(format: CleanFormat, page: &Printed) -> String {
    let text = &page.text;
    match format {
        CleanFormat::Text | CleanFormat::Markdown | CleanFormat::Json => text.clone(),
        CleanFormat::Cleaneval if page.url.is_empty() => text.trim_start().to_owned(),
        CleanFormat::Cleaneval => format!("URL: {}\n{text}", plain::line(&page.url)),
        CleanFormat::Html | CleanFormat::View => html::document(&page.title, head(format), &page.about, text),
    }
}

pub(super) fn head(format: CleanFormat) -> &'static str {
    match format {
        CleanFormat::View => view::STYLE,
        _ => "",
    }
}
