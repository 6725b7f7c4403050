//! From bytes to documents.

use std::fmt;

use gleaner_content::Favor;
use gleaner_document as pipeline;
use gleaner_page::Limits;

use crate::document::Cleaned;
use crate::{Document, Error, Html, Model, Origin, Output};

/// Cleans pages. Its memory is kept from page to page, but for that of large pages; a clone shares the models.
///
/// ```
/// use gleaner::{Cleaner, Favor, Origin};
///
/// let mut cleaner = Cleaner::builder().favor(Favor::Recall).title(false).build()?;
/// let document = cleaner.clean("<h1>Tides</h1><p>The sea rises and falls.", &Origin::default())?;
/// assert_eq!(document.text(), "The sea rises and falls.\n");
/// # Ok::<(), gleaner::Error>(())
/// ```
#[derive(Clone)]
pub struct Cleaner {
    pipeline: pipeline::Cleaner,
}

/// The settings of a [`Cleaner`]; the defaults are those of `gleaner clean`.
#[derive(Clone, Debug)]
#[must_use]
pub struct CleanerBuilder {
    model: Model,
    text_model: Model,
    favor: Favor,
    #[cfg(feature = "html5ever")]
    uses_html5ever: bool,
    has_title: bool,
    structured_data: bool,
    byte_limit: usize,
    step_limit: u64,
}

impl Cleaner {
    /// Settings for a cleaner.
    pub fn builder() -> CleanerBuilder {
        let limits = Limits::default();
        CleanerBuilder {
            model: Model::default(),
            text_model: Model::of_texts(),
            favor: Favor::default(),
            #[cfg(feature = "html5ever")]
            uses_html5ever: false,
            has_title: true,
            structured_data: false,
            byte_limit: limits.bytes,
            step_limit: limits.steps,
        }
    }

    /// Cleans a page. `html` is its bytes, or a text that is decoded already.
    ///
    /// # Errors
    /// The body is no text at all: [`ErrorKind::Page`](crate::ErrorKind::Page).
    pub fn clean<'h>(&mut self, html: impl Into<Html<'h>>, origin: &Origin<'_>) -> Result<Document, Error> {
        let cleaned = self.read(html.into(), origin)?;
        let page = self.pipeline.page().clone();
        self.pipeline.shrink();
        Ok(Document::new(origin, page, cleaned))
    }

    /// Cleans a page and writes it, without the cost of a [`Document`].
    ///
    /// ```
    /// use gleaner::{Cleaner, Format, MarkdownOptions, Origin};
    ///
    /// let html = "<h1>Tides</h1><p>The sea rises and falls <b>twice</b> a day, as the moon and the sun pull at it.";
    /// let markdown = Format::Markdown(MarkdownOptions::default());
    /// let text = Cleaner::default().extract(html, &Origin::default(), markdown)?;
    /// assert!(text.starts_with("# Tides\n\n") && text.contains("**twice**"));
    /// # Ok::<(), gleaner::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`clean`](Cleaner::clean).
    pub fn extract<'h>(
        &mut self,
        html: impl Into<Html<'h>>,
        origin: &Origin<'_>,
        output: impl Into<Output>,
    ) -> Result<String, Error> {
        let document = self.read(html.into(), origin)?;
        let cleaned = Cleaned {
            url: origin.url,
            page: self.pipeline.page(),
            facts: &document.facts,
            content: &document.content,
        };
        let written = cleaned.write(output.into());
        self.pipeline.shrink();
        Ok(written)
    }

    fn read(&mut self, html: Html<'_>, origin: &Origin<'_>) -> Result<pipeline::Document, Error> {
        let content_type = match html.is_decoded {
            true => Some("text/html; charset=utf-8"),
            false => origin.content_type,
        };
        let origin = pipeline::Origin {
            url: origin.url,
            content_type,
            is_text: origin.is_text,
            query: None,
            captured: origin.captured,
        };
        Ok(self.pipeline.clean(html.bytes, &origin)?)
    }

    /// Forgets what a page left half done: for use after a panic that was caught.
    pub fn reset(&mut self) {
        self.pipeline.reset();
    }
}

impl Default for Cleaner {
    fn default() -> Cleaner {
        Cleaner::builder().build().expect("a test builds it")
    }
}

impl fmt::Debug for Cleaner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cleaner").finish_non_exhaustive()
    }
}

impl CleanerBuilder {
    /// The model of pages; else the built-in one.
    pub fn model(self, model: Model) -> Self {
        CleanerBuilder { model, ..self }
    }

    /// The model of plain texts; else the built-in one.
    pub fn text_model(self, text_model: Model) -> Self {
        CleanerBuilder { text_model, ..self }
    }

    /// Which mistake weighs more: noise that is kept, or content that is lost. Else both weigh alike.
    pub fn favor(self, favor: Favor) -> Self {
        CleanerBuilder { favor, ..self }
    }

    /// Whether html5ever parses the pages, in place of the parser of this crate. It takes several times as long; pages have
    /// the same blocks with both.
    #[cfg(feature = "html5ever")]
    pub fn html5ever(self, uses_html5ever: bool) -> Self {
        CleanerBuilder {
            uses_html5ever,
            ..self
        }
    }

    /// Whether the main heading, which shows the title of the page, is the first line of the text. Default: true.
    pub fn title(self, has_title: bool) -> Self {
        CleanerBuilder { has_title, ..self }
    }

    /// Whether a page that keeps fewer than 20 words gets the text of its structured data (JSON-LD, the state of a
    /// framework). Default: false.
    pub fn structured_data(self, structured_data: bool) -> Self {
        CleanerBuilder {
            structured_data,
            ..self
        }
    }

    /// Maximum bytes of a page; the rest is cut off. Default: 16 MiB.
    pub fn byte_limit(self, byte_limit: usize) -> Self {
        CleanerBuilder { byte_limit, ..self }
    }

    /// Maximum steps of work for a page; the rest is cut off. A tag, a text or an attribute usually takes one or two steps.
    pub fn step_limit(self, step_limit: u64) -> Self {
        CleanerBuilder { step_limit, ..self }
    }

    /// Makes the cleaner.
    ///
    /// # Errors
    /// A model cannot be used for what it was given for: [`ErrorKind::Model`](crate::ErrorKind::Model).
    pub fn build(self) -> Result<Cleaner, Error> {
        if !self.text_model.is_of_texts()? {
            return Err(Error::not_of_texts());
        }
        let model = self.model.favoring(self.favor)?;
        let options = pipeline::Options {
            text_model: Some(self.text_model.favoring(self.favor)?.inner()),
            limits: Some(Limits {
                bytes: self.byte_limit,
                steps: self.step_limit,
                ..model.limits()?
            }),
            #[cfg(feature = "html5ever")]
            parser: match self.uses_html5ever {
                true => gleaner_html::TreeBuilder::Html5ever,
                false => gleaner_html::TreeBuilder::Gleaner,
            },
            structured_data: self.structured_data,
            without_title: !self.has_title,
            ..pipeline::Options::default()
        };
        Ok(Cleaner {
            pipeline: pipeline::Cleaner::new(&model.inner(), options)?,
        })
    }
}
