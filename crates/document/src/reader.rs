//! From the bytes of a page to its layout and features.

use std::sync::Arc;

use gleaner_columns::Columns;
use gleaner_features::{Extractor, PageCues, words};
use gleaner_html::PageError;
use gleaner_metadata::{Context, Metadata, metadata};
use gleaner_page::{Page, PageConfig, Parser};

use crate::{Layout, Origin, PageFacts, PageMethod, ReadPage, built_in};

/// Parses pages and measures their blocks. Its memory is kept from page to page.
pub struct PageReader {
    parser: Parser,
    measure: Measure,
    /// Whether the kinds of pages are predicted, by their cues.
    has_kinds: bool,
    cues: PageCues,
}

/// What is measured of blocks.
enum Measure {
    /// Their words alone.
    Words,
    /// The features that a model needs.
    Features(Box<Extractor>),
    /// The labels that a method gives them.
    Labels(Arc<dyn PageMethod>),
}

impl PageReader {
    /// Reads pages for a model or for training: with the features of an extractor, and without kinds.
    pub fn new(config: PageConfig, extractor: Extractor) -> PageReader {
        PageReader {
            parser: Parser::new(config),
            measure: Measure::Features(Box::new(extractor)),
            has_kinds: false,
            cues: PageCues::default(),
        }
    }

    /// Also predicts the kinds of pages.
    pub(crate) fn with_kinds(self) -> PageReader {
        PageReader {
            has_kinds: true,
            ..self
        }
    }

    /// Reads pages without features.
    pub fn without_features(config: PageConfig) -> PageReader {
        PageReader {
            parser: Parser::new(config),
            measure: Measure::Words,
            has_kinds: false,
            cues: PageCues::default(),
        }
    }

    /// Reads pages that a method labels.
    pub(crate) fn of_method(config: PageConfig, method: Arc<dyn PageMethod>) -> PageReader {
        PageReader {
            parser: Parser::new(config),
            measure: Measure::Labels(method),
            has_kinds: false,
            cues: PageCues::default(),
        }
    }

    /// Reads a page.
    ///
    /// # Errors
    /// The body is no text at all. What is over a limit is cut off, and [`PageFacts::truncated`] says so.
    pub fn read(&mut self, body: &[u8], origin: &Origin<'_>) -> Result<ReadPage, PageError> {
        let page = match origin.is_text {
            true => self.parser.parse_text(body, origin.content_type)?,
            false => self.parser.parse(body, origin.content_type)?,
        };
        let context = Context {
            url: origin.url,
            captured: origin.captured,
        };
        let (mut columns, mut labels, mut kinds) = (Columns::default(), None, None);
        let layout = match &mut self.measure {
            Measure::Words => Layout::new(page, word_counts(page)),
            Measure::Labels(method) => {
                labels = Some(method.labels(page, body, origin));
                Layout::new(page, word_counts(page))
            }
            Measure::Features(extractor) => {
                match origin.query {
                    Some(query) => extractor.extract_asking(page, origin.url, query, &mut columns),
                    None => extractor.extract(page, origin.url, &mut columns),
                }
                if self.has_kinds && !page.blocks.is_empty() {
                    extractor.page_cues(page, origin.url, &mut self.cues);
                    kinds = built_in::page_kinds().shares(&self.cues);
                }
                Layout::new(page, extractor.word_counts())
            }
        };
        let mut metadata = owned(metadata(page, &context));
        let structured = metadata.structured.take();
        let layout = layout.with_heading(metadata.heading.clone());
        Ok(ReadPage {
            facts: PageFacts {
                structured_data: structured.as_ref().map(|text| text.source),
                metadata,
                charset: page.charset,
                truncated: page.truncated,
                kinds,
            },
            layout,
            columns,
            is_text: origin.is_text,
            structured,
            markup: None,
            labels,
        })
    }

    /// The page that was read last.
    pub fn page(&self) -> &Page {
        self.parser.page()
    }
}

/// The words of each block, of scripts that write them apart.
fn word_counts(page: &Page) -> impl Iterator<Item = u32> {
    let texts = page.blocks.iter().map(|block| page.text(block));
    texts.map(|text| words(text).count() as u32)
}

fn owned(found: Metadata<'_>) -> Metadata<'static> {
    Metadata {
        title: found.title.map(|title| title.into_owned().into()),
        heading: found.heading,
        authors: found.authors,
        published: found.published,
        language: found.language,
        structured: found.structured,
        rights: found.rights,
    }
}
