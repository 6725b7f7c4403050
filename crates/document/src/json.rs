//! A cleaned page as JSON.

use gleaner_content::Label;
use gleaner_metadata::TextSource;
use serde::Serialize;

use crate::{Content, PageFacts, ShownBlock};

/// A cleaned page as `gleaner clean --format json` prints it; the fields are those of the tables `documents` and `blocks`.
#[derive(Clone, Debug, Serialize)]
pub struct JsonDocument<'a> {
    url: &'a str,
    charset: &'a str,
    title: Option<&'a str>,
    authors: &'a [String],
    published: Option<String>,
    language: Option<&'a str>,
    page_kind: Option<&'a str>,
    page_kind_probability: Option<f32>,
    truncated: Vec<&'a str>,
    text: &'a str,
    text_source: &'a str,
    structured_data: Option<&'a str>,
    blocks: Vec<JsonBlock<'a>>,
}

/// A line of `gleaner clean --format json`: the file that the page was read from, and the page.
#[derive(Clone, Debug, Serialize)]
pub struct JsonLine<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The page.
    #[serde(flatten)]
    pub document: JsonDocument<'a>,
}

#[derive(Clone, Debug, Serialize)]
struct JsonBlock<'a> {
    block: usize,
    label: Label,
    confidence: f32,
    path: &'a str,
    text: &'a str,
}

impl<'a> JsonDocument<'a> {
    /// The fields of a page at this address with [these blocks](Content::shown_blocks).
    pub fn new(
        url: &'a str,
        facts: &'a PageFacts,
        content: &'a Content,
        blocks: &'a [ShownBlock<'_>],
    ) -> JsonDocument<'a> {
        let found = &facts.metadata;
        let kind = facts.kind();
        let block = |(block, shown): (usize, &'a ShownBlock<'_>)| JsonBlock {
            block,
            label: shown.label,
            confidence: shown.confidence,
            path: &shown.path,
            text: shown.text,
        };
        JsonDocument {
            url,
            charset: facts.charset,
            title: found.title.as_deref(),
            authors: &found.authors,
            published: found.published.map(|published| published.day.to_string()),
            language: found.language.as_deref(),
            page_kind: kind.map(|(name, _)| name),
            page_kind_probability: kind.map(|(_, probability)| probability),
            truncated: facts.truncated.names().collect(),
            text: &content.text,
            text_source: content.source(),
            structured_data: facts.structured_data.map(TextSource::name),
            blocks: blocks.iter().enumerate().map(block).collect(),
        }
    }
}
