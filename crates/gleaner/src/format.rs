//! Formats that a cleaned page is written in.

use gleaner_document::MarkdownOptions;

/// A format that a cleaned page is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// The text: a block a paragraph.
    #[default]
    Text,
    /// CommonMark with the tables of GitHub, and formulas between dollar signs.
    Markdown(MarkdownOptions),
    /// A simple HTML document: headings, paragraphs, lists, quotations, tables, preformatted text.
    Html,
    /// A line of JSON with the metadata and all blocks. Needs the feature `serde`.
    #[cfg(feature = "serde")]
    Json,
}

/// A [`Format`], and whether metadata is written, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub(crate) format: Format,
    pub(crate) has_metadata: bool,
}

impl Format {
    /// The same with the metadata of the page: before text and Markdown as front matter of YAML, in HTML as `<meta>` elements.
    /// JSON always has it.
    pub fn with_metadata(self, has_metadata: bool) -> Output {
        Output {
            format: self,
            has_metadata,
        }
    }
}

impl From<Format> for Output {
    fn from(format: Format) -> Output {
        format.with_metadata(false)
    }
}
