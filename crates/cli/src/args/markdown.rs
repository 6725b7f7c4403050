//! How Markdown is written.

use clap::ValueEnum;
use gleaner_document::{Images, Links, MarkdownOptions};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkStyle {
    /// [text](address)
    Inline,
    /// Text
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImageStyle {
    /// ![alternative text](address), for images with an alternative text
    Inline,
    /// Nothing
    None,
}

/// The options as the library takes them.
pub(crate) fn markdown_options(links: LinkStyle, images: ImageStyle) -> MarkdownOptions {
    let links = match links {
        LinkStyle::Inline => Links::Inline,
        LinkStyle::None => Links::None,
    };
    let images = match images {
        ImageStyle::Inline => Images::Inline,
        ImageStyle::None => Images::None,
    };
    MarkdownOptions::default().links(links).images(images)
}
