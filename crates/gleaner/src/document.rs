//! Cleaned pages.

use std::cell::RefCell;

use gleaner_content::Label;
use gleaner_document::{Content, MarkdownOptions, PageFacts, ShownBlock, html};
use gleaner_page::Page;
use gleaner_posts::{About, Extractor, Post, Rules};

use crate::{Day, Format, Metadata, Origin, Output};

/// A cleaned page. It owns all that it has; formats, blocks and posts are made when they are called for.
#[derive(Clone, Debug)]
pub struct Document {
    url: String,
    captured: Option<Day>,
    page: Page,
    facts: PageFacts,
    content: Content,
}

/// A text block of a page, kept or dropped.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Block<'a> {
    /// Its text, white space collapsed.
    pub text: &'a str,
    /// Its label; [`Label::is_content`] says whether the block is part of the text.
    pub label: Label,
    /// The probability of the label, from 0 to 1.
    pub confidence: f32,
    /// The names of the elements around it, from outermost to innermost: `html/body/div/p`.
    pub path: String,
}

/// The kind of a page, such as `article`, `forum` or `product`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PageKind {
    /// Its name.
    pub name: &'static str,
    /// Its probability, from 0 to 1.
    pub probability: f32,
}

impl Document {
    pub(crate) fn new(origin: &Origin<'_>, page: Page, cleaned: gleaner_document::Document) -> Document {
        Document {
            url: origin.url.to_owned(),
            captured: origin.captured,
            page,
            facts: cleaned.facts,
            content: cleaned.content,
        }
    }

    /// The text: the main heading first, if the page shows one, then all blocks but noise, in the order of the page. It is
    /// empty where nothing is kept.
    pub fn text(&self) -> &str {
        &self.content.text
    }

    /// The text in a format.
    pub fn write(&self, output: impl Into<Output>) -> String {
        self.cleaned().write(output.into())
    }

    /// The text as Markdown: CommonMark with the tables of GitHub, and formulas between dollar signs.
    pub fn to_markdown(&self, options: MarkdownOptions) -> String {
        self.write(Format::Markdown(options))
    }

    /// The text as a simple HTML document.
    pub fn to_html(&self) -> String {
        self.write(Format::Html)
    }

    /// What the page states about itself.
    pub fn metadata(&self) -> Metadata<'_> {
        Metadata::from(&self.facts.metadata)
    }

    /// The address that it was cleaned with; empty where none was given.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The most probable kind of the page; none for a page without blocks.
    pub fn kind(&self) -> Option<PageKind> {
        let kind = self.facts.kind();
        kind.map(|(name, probability)| PageKind { name, probability })
    }

    /// The word F1 that the model expects of the text, from 0 to 1; none where nothing is kept.
    pub fn confidence(&self) -> Option<f32> {
        self.content.confidence
    }

    /// All blocks of the page, kept and dropped, in its order.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Block<'_>> {
        let blocks = self.content.shown_blocks(&self.page).into_iter();
        blocks.map(|block: ShownBlock<'_>| Block {
            text: block.text,
            label: block.label,
            confidence: block.confidence,
            path: block.path,
        })
    }

    /// The posts of the page, as `gleaner posts` finds them. A page that is no blog may count as one post.
    pub fn posts(&self) -> Vec<Post> {
        thread_local! {
            static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::new(Rules::default_rules()));
        }
        let about = About {
            url: &self.url,
            captured: self.captured,
            ..About::default()
        };
        EXTRACTOR.with_borrow_mut(|extractor| extractor.extract(&self.page, about).posts)
    }

    /// The charset that the bytes were decoded from, by its name in the Encoding Standard.
    pub fn charset(&self) -> &'static str {
        self.facts.charset
    }

    /// The limits that the page met: `bytes`, `depth`, `blocks`, `attributes`, `steps`. What is beyond is cut off.
    pub fn truncated(&self) -> impl Iterator<Item = &'static str> {
        self.facts.truncated.names()
    }

    /// Where the text is from: `page`, or the kind of structured data that it was taken from.
    pub fn text_source(&self) -> &'static str {
        self.content.source()
    }

    /// The kind of structured data that holds a text of the page, whether or not it was used.
    pub fn structured_data(&self) -> Option<&'static str> {
        self.facts.structured_data.map(gleaner_metadata::TextSource::name)
    }

    /// How many words the text has.
    pub fn word_count(&self) -> u32 {
        self.content.word_count()
    }

    pub(crate) fn cleaned(&self) -> Cleaned<'_> {
        Cleaned {
            url: &self.url,
            page: &self.page,
            facts: &self.facts,
            content: &self.content,
        }
    }
}

/// A cleaned page whose parts lie where they were made.
#[derive(Clone, Copy)]
pub(crate) struct Cleaned<'a> {
    pub(crate) url: &'a str,
    pub(crate) page: &'a Page,
    pub(crate) facts: &'a PageFacts,
    pub(crate) content: &'a Content,
}

impl Cleaned<'_> {
    pub(crate) fn write(self, output: Output) -> String {
        let text = match output.format {
            Format::Text => self.content.text.clone(),
            Format::Markdown(options) => self.content.markdown_of(self.page, self.url, options),
            Format::Html => return self.html(output.has_metadata),
            #[cfg(feature = "serde")]
            Format::Json => return self.json(),
        };
        match output.has_metadata {
            true => Metadata::from(&self.facts.metadata).front_matter(self.url) + &text,
            false => text,
        }
    }

    fn html(self, has_metadata: bool) -> String {
        let metadata = Metadata::from(&self.facts.metadata);
        let about = html::About::of_page(self.page, self.facts);
        let head = match has_metadata {
            true => metadata.elements(),
            false => String::new(),
        };
        let title = metadata.title.unwrap_or(self.url);
        html::begin(title, &head, Some(&about)) + &self.content.html(self.page) + html::END
    }

    #[cfg(feature = "serde")]
    fn json(self) -> String {
        let blocks = self.content.shown_blocks(self.page);
        let document = gleaner_document::JsonDocument::new(self.url, self.facts, self.content, &blocks);
        serde_json::to_string(&document).expect("strings and numbers can be written") + "\n"
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Document {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let blocks = self.content.shown_blocks(&self.page);
        gleaner_document::JsonDocument::new(&self.url, &self.facts, &self.content, &blocks)
            .serialize(serializer)
    }
}
