//! A page in one of the formats.

use crate::args::CleanFormat;
use crate::page_html::{self, About};
use crate::{page_view, plain};

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

/// A page by itself.
pub(super) fn whole(format: CleanFormat, page: &Printed) -> String {
    let text = &page.text;
    match format {
        CleanFormat::Text | CleanFormat::Markdown | CleanFormat::Json => text.clone(),
        CleanFormat::Cleaneval if page.url.is_empty() => text.trim_start().to_owned(),
        CleanFormat::Cleaneval => format!("URL: {}\n{text}", plain::line(&page.url)),
        CleanFormat::Html | CleanFormat::View => {
            let begin = page_html::begin(&page.title, style(format), Some(&page.about));
            format!("{begin}{text}{}", page_html::END)
        }
    }
}

pub(super) fn style(format: CleanFormat) -> &'static str {
    match format {
        CleanFormat::View => page_view::STYLE,
        _ => "",
    }
}
