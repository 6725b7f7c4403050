//! A cleaned page as JSON.

use gleaner_content::Label;
use gleaner_page::{Metadata, Page};
use serde::Serialize;

use crate::shown::Shown;

/// A page; the fields are those of the documents and blocks tables.
#[derive(Default, Serialize)]
pub(super) struct Document<'a> {
    pub(super) file: &'a str,
    pub(super) url: &'a str,
    pub(super) charset: &'a str,
    pub(super) title: Option<&'a str>,
    pub(super) author: Option<&'a str>,
    pub(super) published: Option<String>,
    pub(super) language: Option<&'a str>,
    pub(super) page_kind: Option<&'a str>,
    pub(super) page_kind_probability: Option<f32>,
    pub(super) truncated: Vec<&'a str>,
    pub(super) text: String,
    pub(super) text_source: &'a str,
    pub(super) structured_data: Option<&'a str>,
    pub(super) blocks: Vec<BlockFields<'a>>,
}

#[derive(Serialize)]
pub(super) struct BlockFields<'a> {
    block: usize,
    label: Label,
    confidence: f32,
    path: &'a str,
    text: &'a str,
}

impl<'a> Document<'a> {
    /// The metadata of the page, and its blocks.
    pub(super) fn of(page: &Page, found: &'a Metadata<'_>, blocks: &'a [Shown<'_>]) -> Document<'a> {
        let block = |(block, shown): (usize, &'a Shown<'_>)| BlockFields {
            block,
            label: shown.label,
            confidence: shown.confidence,
            path: &shown.path,
            text: shown.text,
        };
        Document {
            charset: page.charset,
            title: found.title.as_deref(),
            author: found.author.as_deref(),
            published: found
                .published
                .map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
            language: found.language.as_deref(),
            truncated: page.truncated.names().collect(),
            structured_data: found.structured.as_ref().map(|text| text.source.name()),
            blocks: blocks.iter().enumerate().map(block).collect(),
            ..Document::default()
        }
    }
}
