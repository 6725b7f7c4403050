//! The whole pipeline.

use std::sync::Arc;

use gleaner_content::{BlockReasons, BlockSize, Error, Explainer, Model, Tagged};
use gleaner_features::Extractor;
use gleaner_html::PageError;
use gleaner_metadata::StructuredText;
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_site::{Noter, PageNotes};

use crate::{
    Content, Decision, Document, Labeller, MarkdownOptions, Markup, Options, Origin, PageMethod, PageReader,
    ReadPage, ScoredBlocks, ScoredPage, StructuredLines,
};

/// Cleans pages: parses, measures and labels them, and puts their texts together.
///
/// Its memory is kept from page to page, unless a page is large. A thread has a cleaner of its own: a clone shares the
/// models.
pub struct Cleaner {
    setup: Arc<Setup>,
    workshop: Workshop,
}

/// What the clones of a cleaner share.
struct Setup {
    pages: LabellerSetup,
    /// For plain texts; none where they are labelled as pages are.
    texts: Option<LabellerSetup>,
    method: Option<Arc<dyn PageMethod>>,
    /// How pages are read.
    config: PageConfig,
    structured_data: bool,
    markdown: Option<MarkdownOptions>,
    without_title: bool,
    without_kinds: bool,
}

/// A labeller that has not labelled anything, and the extractor of its features.
struct LabellerSetup {
    extractor: Extractor,
    labeller: Labeller,
}

/// What a cleaner works in.
struct Workshop {
    pages: Pipeline,
    /// For plain texts; none before the first one.
    texts: Option<Pipeline>,
    noter: Noter,
    /// Reads the text of structured data.
    structured: Option<Parser>,
    last: Last,
}

struct Pipeline {
    reader: PageReader,
    labeller: Labeller,
}

/// The page that was read last.
#[derive(Clone, Copy, Default)]
struct Last {
    is_text: bool,
    is_large: bool,
}

/// Maximum bytes and blocks of a page whose memory is kept for other pages; that of larger ones is freed.
const KEPT_BYTES: usize = 4 << 20;
const KEPT_BLOCKS: usize = 1 << 15;

impl Cleaner {
    /// A cleaner with a model of pages.
    ///
    /// # Errors
    /// The features of a model are not those of this program.
    pub fn new(model: &Arc<Model>, options: Options) -> Result<Cleaner, Error> {
        let pages = LabellerSetup::new(model)?;
        let texts = match (&options.text_model, &options.method) {
            (Some(texts), _) => Some(LabellerSetup::new(texts)?),
            (None, Some(_)) => Some(LabellerSetup::new(model)?),
            (None, None) => None,
        };
        let mut config = match &options.method {
            Some(method) => method.page_config(),
            None => pages.extractor.config().page.clone(),
        };
        if let Some(limits) = options.limits {
            config.limits = limits;
        }
        config.parser = options.parser;
        let setup = Setup {
            pages,
            texts,
            config,
            method: options.method,
            structured_data: options.structured_data,
            markdown: options.markdown,
            without_title: options.without_title,
            without_kinds: options.without_kinds,
        };
        Ok(Cleaner {
            workshop: setup.workshop(),
            setup: Arc::new(setup),
        })
    }

    /// Cleans a page.
    ///
    /// # Errors
    /// The body is no text at all. A page over a limit is cut off, and [`PageFacts::truncated`](crate::PageFacts) says so.
    pub fn clean(&mut self, body: &[u8], origin: &Origin<'_>) -> Result<Document, PageError> {
        let page = self.read(body, origin)?;
        let ScoredPage { facts, blocks } = self.score(page);
        Ok(Document {
            facts,
            content: self.decide(blocks, None),
        })
    }

    /// The first step: parses a page and measures its blocks.
    ///
    /// # Errors
    /// As [`clean`](Cleaner::clean).
    pub fn read(&mut self, body: &[u8], origin: &Origin<'_>) -> Result<ReadPage, PageError> {
        self.shrink();
        let structured_data = self.setup.structured_data;
        let mut page = self.pipeline(origin.is_text).reader.read(body, origin)?;
        page.structured = page.structured.filter(|_| structured_data);
        self.workshop.last = Last {
            is_text: origin.is_text,
            is_large: body.len() > KEPT_BYTES || page.layout.len() > KEPT_BLOCKS,
        };
        let markup = |options| Markup::new(self.page(), origin.url, page.layout.joints(), options);
        page.markup = self.setup.markdown.map(markup);
        Ok(page)
    }

    /// The page that was read last.
    pub fn page(&self) -> &Page {
        let texts = self.workshop.texts.as_ref();
        let last = texts.filter(|_| self.workshop.last.is_text);
        last.unwrap_or(&self.workshop.pages).reader.page()
    }

    /// Notes what the site of the page that was read last may use as evidence, but for its logits:
    /// [`ScoredBlocks::logits`].
    pub fn note(&mut self, read: &ReadPage, notes: &mut PageNotes) {
        let Workshop {
            pages,
            texts,
            noter,
            last,
            ..
        } = &mut self.workshop;
        let pipeline = texts.as_ref().filter(|_| last.is_text).unwrap_or(pages);
        let title = read.facts.metadata.title.as_deref();
        noter.note(pipeline.reader.page(), read.layout.sizes(), title, notes);
    }

    /// Why each block of a page has its probability of content by the page itself; none where a method labels the page.
    pub fn explain(&mut self, page: &ReadPage) -> Option<Vec<BlockReasons>> {
        let model = self.pipeline(page.is_text).labeller.model();
        let sizes: Vec<BlockSize> = page.layout.block_sizes().collect();
        let is_by_model = page.labels.is_none();
        is_by_model.then(|| Explainer::new(model).explain(&page.columns, &sizes))
    }

    /// The probability of content above which [`decide`](Cleaner::decide) keeps blocks; none where a method labels the page.
    ///
    /// # Panics
    /// There are not as many logits as blocks.
    pub fn threshold(&mut self, blocks: &ScoredBlocks, logits: Option<&[f32]>) -> Option<f32> {
        let labeller = &mut self.pipeline(blocks.is_text).labeller;
        blocks.is_by_model().then(|| labeller.threshold(blocks, logits))
    }

    /// The labels of a page by itself, with the probability of every label.
    pub fn tag(&mut self, page: &ReadPage) -> Tagged<'_> {
        self.pipeline(page.is_text).labeller.tag(page)
    }

    /// The second step: labels a page by itself.
    pub fn score(&mut self, page: ReadPage) -> ScoredPage {
        if let Some(labels) = page.labels {
            let blocks = ScoredBlocks {
                structured: page.structured,
                markup: page.markup,
                ..ScoredBlocks::of_labels(page.layout, Decision::certain(labels))
            };
            return ScoredPage {
                facts: page.facts,
                blocks,
            };
        }
        let pipeline = self.pipeline(page.is_text);
        let scored = pipeline.labeller.score(page);
        if scored.blocks.layout.len() > KEPT_BLOCKS {
            let fresh = self.setup.labeller(scored.blocks.is_text);
            self.pipeline(scored.blocks.is_text).labeller = fresh;
        }
        scored
    }

    /// The last step: the labels of a scored page given the evidence of its site, and its text, with the main heading of the
    /// page or without it. `logits` are the log odds that
    /// each block is content with that evidence, or not a number where they are those of [`ScoredBlocks::logits`]; none where
    /// all are.
    ///
    /// # Panics
    /// There are not as many logits as blocks.
    pub fn decide(&mut self, mut blocks: ScoredBlocks, logits: Option<&[f32]>) -> Content {
        if let Some(logits) = logits {
            let labeller = &mut self.pipeline(blocks.is_text).labeller;
            if let Some(decision) = labeller.decide(&blocks, logits) {
                blocks.decision = decision;
            }
        }
        let kept = blocks.layout.kept_size(&blocks.decision.labels);
        match blocks
            .structured
            .take()
            .filter(|_| StructuredText::replaces(kept))
        {
            Some(structured) => {
                let parser = self.structured_parser();
                let mut lines = StructuredLines::read(&structured, parser);
                if self.setup.without_title {
                    lines.drop_heading();
                }
                Content::of_structured_data(blocks, structured.source, lines)
            }
            None => {
                match self.setup.without_title {
                    true => blocks.layout.drop_heading(&mut blocks.decision),
                    false => blocks.layout.keep_heading(&mut blocks.decision),
                }
                let labeller = &self.pipeline(blocks.is_text).labeller;
                let confidence = blocks.confidence(labeller.model());
                Content::of_blocks(blocks, confidence)
            }
        }
    }

    /// Gives the memory of the page that was read last back if that is a large one, and forgets it; says whether it is. The next
    /// page does so, too.
    pub fn shrink(&mut self) -> bool {
        let is_large = self.workshop.last.is_large;
        if is_large {
            self.reset();
        }
        is_large
    }

    /// Gives memory back, and forgets what a page left half done: for after a panic.
    pub fn reset(&mut self) {
        self.workshop = self.setup.workshop();
    }

    fn structured_parser(&mut self) -> &mut Parser {
        let config = &self.setup.config;
        let make = || Parser::new(config.clone());
        self.workshop.structured.get_or_insert_with(make)
    }

    /// The pipeline of pages, or that of plain texts.
    fn pipeline(&mut self, is_text: bool) -> &mut Pipeline {
        match &self.setup.texts {
            Some(setup) if is_text => {
                let make = || self.setup.pipeline(setup, None);
                self.workshop.texts.get_or_insert_with(make)
            }
            _ => &mut self.workshop.pages,
        }
    }
}

impl Clone for Cleaner {
    fn clone(&self) -> Cleaner {
        Cleaner {
            setup: Arc::clone(&self.setup),
            workshop: self.setup.workshop(),
        }
    }
}

impl Setup {
    /// A pipeline with this labeller. A method reads and labels pages in its place.
    fn pipeline(&self, of: &LabellerSetup, method: Option<&Arc<dyn PageMethod>>) -> Pipeline {
        let config = self.config.clone();
        let reader = match method {
            Some(method) => PageReader::of_method(config, Arc::clone(method)),
            None if self.without_kinds => PageReader::new(config, of.extractor.clone()),
            None => PageReader::new(config, of.extractor.clone()).with_kinds(),
        };
        Pipeline {
            reader,
            labeller: of.labeller.clone(),
        }
    }

    fn workshop(&self) -> Workshop {
        Workshop {
            pages: self.pipeline(&self.pages, self.method.as_ref()),
            texts: None,
            noter: Noter::default(),
            structured: None,
            last: Last::default(),
        }
    }

    fn labeller(&self, is_text: bool) -> Labeller {
        let texts = self.texts.as_ref().filter(|_| is_text);
        texts.unwrap_or(&self.pages).labeller.clone()
    }
}

impl LabellerSetup {
    fn new(model: &Arc<Model>) -> Result<LabellerSetup, Error> {
        Ok(LabellerSetup {
            extractor: model.extractor()?,
            labeller: Labeller::new(Arc::clone(model)),
        })
    }
}
