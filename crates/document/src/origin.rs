//! Where a page is from, and how it is cleaned.

use std::sync::Arc;

use gleaner_content::{Label, Model};
use gleaner_features::Query;
use gleaner_html::TreeBuilder;
use gleaner_metadata::date::Day;
use gleaner_page::{Limits, Page, PageConfig};

use crate::MarkdownOptions;

/// Where a page is from: what is known of it beside its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// Its address; empty where it is not known.
    pub url: &'a str,
    /// The value of the HTTP header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// Whether it is a plain text (a WET record), not HTML.
    pub is_text: bool,
    /// The terms of the search whose result the page is; none to take them from the URL. Only models with the features
    /// of the module `query` use them.
    pub query: Option<&'a Query>,
    /// The day of its capture: no page is published later than a day after it.
    pub captured: Option<Day>,
}

/// How pages are cleaned, beside the model.
#[derive(Clone, Default)]
pub struct Options {
    /// The model of plain texts, which have no tags; none to label them with the model of pages.
    pub text_model: Option<Arc<Model>>,
    /// What labels pages in place of the model; plain texts are still labelled by a model.
    pub method: Option<Arc<dyn PageMethod>>,
    /// The limits of a page; none for those of the model's configuration.
    pub limits: Option<Limits>,
    /// What builds the trees of pages.
    pub parser: TreeBuilder,
    /// Whether the text of structured data is the text of a page of which (nearly) no block is kept.
    pub structured_data: bool,
    /// How Markdown is written, if [`Content::markdown`](crate::Content::markdown) is wanted.
    pub markdown: Option<MarkdownOptions>,
    /// Whether the main heading, which shows the title of the page, is left out of the text. Else it is the first line.
    pub without_title: bool,
    /// Whether the kinds of pages are left out: they are a part of the cost, and change no text.
    pub without_kinds: bool,
}

/// A method that labels the blocks of a page without a model, by the page alone.
pub trait PageMethod: Send + Sync {
    /// How pages are read for it.
    fn page_config(&self) -> PageConfig;

    /// The label of each block, in their order, given the page, the bytes that it was read from and their origin.
    fn labels(&self, page: &Page, body: &[u8], origin: &Origin<'_>) -> Vec<Label>;
}
