//! What a page comes to.

use std::ops::Range;

use gleaner_metadata::TextSource;
use gleaner_page::Page;

use crate::markdown::markdown;
use crate::{
    Decision, Layout, MarkdownOptions, Markup, PageFacts, ScoredBlocks, Structure, StructuredLines, html,
};

/// A cleaned page.
#[derive(Clone, Debug)]
pub struct Document {
    /// What is known of the page as a whole: metadata, charset, kind, limits met.
    pub facts: PageFacts,
    /// Its text and its blocks.
    pub content: Content,
}

/// The text of a page, and its blocks with their final labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// The text: of the blocks that are content, or of structured data.
    pub text: String,
    /// The blocks.
    pub layout: Layout,
    /// Their labels. Where structured data is the text, no block is content.
    pub decision: Decision,
    /// What structured data holds, where that is the text.
    pub structured: Option<(TextSource, StructuredLines)>,
    /// The expected word F1 of the text, from 0 to 1; none unless a model chose the blocks of the text, and some.
    pub confidence: Option<f32>,
    /// What Markdown needs of the page, if that is wanted.
    pub(crate) markup: Option<Markup>,
}

impl Content {
    /// The text is that of the blocks that are content.
    pub(crate) fn of_blocks(blocks: ScoredBlocks, confidence: Option<f32>) -> Content {
        Content {
            text: blocks.layout.kept_text(&blocks.decision.labels),
            layout: blocks.layout,
            decision: blocks.decision,
            structured: None,
            confidence,
            markup: blocks.markup,
        }
    }

    /// The text is that of structured data.
    pub(crate) fn of_structured_data(
        blocks: ScoredBlocks,
        source: TextSource,
        lines: StructuredLines,
    ) -> Content {
        Content {
            text: lines.text(),
            layout: blocks.layout,
            decision: blocks.decision.dropped(),
            structured: Some((source, lines)),
            confidence: None,
            markup: blocks.markup,
        }
    }

    /// The text as Markdown; none unless [`Options::markdown`](crate::Options::markdown) is set.
    pub fn markdown(&self) -> Option<String> {
        Some(self.written_markdown(self.markup.as_ref()?))
    }

    /// The text as Markdown, of the page that this is the content of, at its address.
    pub fn markdown_of(&self, page: &Page, url: &str, options: MarkdownOptions) -> String {
        match self.structured {
            Some(_) => self.written_markdown(&Markup::default()),
            None => self.written_markdown(&Markup::new(page, url, self.layout.joints(), options)),
        }
    }

    fn written_markdown(&self, markup: &Markup) -> String {
        match &self.structured {
            Some((_, lines)) => markdown(&Markup::default(), &lines.pieces().collect::<Vec<_>>(), None),
            None => {
                let pieces = self.layout.pieces(&self.decision.labels);
                markdown(markup, &pieces.collect::<Vec<_>>(), self.heading())
            }
        }
    }

    /// The text as simple HTML, of the page that this is the content of: what stands in the body of a document.
    pub fn html(&self, page: &Page) -> String {
        match &self.structured {
            Some((_, lines)) => html::write(page, &Structure::default(), &lines.shown_blocks(), &html::KEPT),
            None => {
                let structure = Structure::of(page, self.layout.joints());
                let blocks = self.shown_blocks(page);
                html::write_behind_heading(page, &structure, &blocks, self.heading(), &html::KEPT)
            }
        }
    }

    /// The blocks of the main heading, which is the first line of the text, if that has it.
    pub fn heading(&self) -> Option<Range<usize>> {
        self.layout.kept_heading(&self.decision.labels)
    }

    /// Where the text is from: `page`, or the name of a [`TextSource`].
    pub fn source(&self) -> &'static str {
        self.structured
            .as_ref()
            .map_or("page", |(source, _)| source.name())
    }

    /// How many words the text has.
    pub fn word_count(&self) -> u32 {
        match &self.structured {
            Some((_, lines)) => lines.word_count(),
            None => self.words(true),
        }
    }

    /// How many words the blocks have that are not content.
    pub fn dropped_words(&self) -> u32 {
        self.words(false)
    }

    /// How many blocks are content.
    pub fn kept_blocks(&self) -> usize {
        let labels = self.decision.labels.iter();
        labels.filter(|label| label.is_content()).count()
    }

    fn words(&self, of_content: bool) -> u32 {
        let blocks = self.layout.words().iter().zip(&self.decision.labels);
        let own = blocks.filter(|(_, label)| label.is_content() == of_content);
        own.map(|(words, _)| words).sum()
    }
}
