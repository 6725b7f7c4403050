//! How Markdown is written.

use clap::{Args, ValueEnum};
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

#[derive(Debug, Args)]
pub(crate) struct MarkdownStyle {
    /// How links are written in Markdown
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) links: LinkStyle,

    /// How images are written in Markdown
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) images: ImageStyle,
}

impl MarkdownStyle {
    pub(crate) fn options(&self) -> MarkdownOptions {
        MarkdownOptions {
            links: match self.links {
                LinkStyle::Inline => Links::Inline,
                LinkStyle::None => Links::None,
            },
            images: match self.images {
                ImageStyle::Inline => Images::Inline,
                ImageStyle::None => Images::None,
            },
        }
    }
}
