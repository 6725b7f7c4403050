//! What Markdown has of a page beside the text and the labels of its blocks.

mod images;
mod language;
mod notes;
mod spans;

use gleaner_html::{NONE, Tag};
use gleaner_page::{Joint, Page};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::Structure;

pub(crate) use images::LoneImage;
pub(crate) use notes::{BRACKETS, Note};
pub(crate) use spans::{Span, Style};

/// What Markdown has of a page beside the text and the labels of its blocks. It outlives the tree of the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Markup {
    pub(crate) structure: Structure,
    /// Emphasis, code and links, in the order of the text, and images, which have none of it.
    #[serde(with = "crate::packed::bulk")]
    spans: Vec<Span>,
    /// Where links lead; a span has the number of its own, counted from 1.
    targets: Vec<Target>,
    /// The images in lines of their own, in the order of the page.
    images: Vec<LoneImage>,
    /// The `<pre>` elements whose programming language the page names.
    languages: Vec<(u32, String)>,
}

/// Where a link leads, or what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Target {
    /// To an address.
    Address(String),
    /// To a footnote.
    Note(Note),
    /// An image.
    Image {
        /// Its alternative text.
        text: String,
        /// Its address; empty where that is not known.
        address: String,
    },
}

/// How Markdown is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkdownOptions {
    /// Whether links are written with their addresses.
    pub links: Links,
    /// Whether images are written.
    pub images: Images,
}

impl MarkdownOptions {
    /// The same with links as given.
    pub fn links(self, links: Links) -> MarkdownOptions {
        MarkdownOptions { links, ..self }
    }

    /// The same with images as given.
    pub fn images(self, images: Images) -> MarkdownOptions {
        MarkdownOptions { images, ..self }
    }
}

/// Whether images are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Images {
    /// As `![alternative text](address)`: those that have a text, and stand in a kept block or between two.
    Inline,
    /// None is.
    #[default]
    None,
}

/// Whether links are written with their addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// As `[text](address)`.
    Inline,
    /// Only their texts.
    #[default]
    None,
}

impl Markup {
    /// The markup of a page at this address, whose blocks hang together by these joints.
    pub(crate) fn new(page: &Page, url: &str, joints: &[Joint], options: MarkdownOptions) -> Markup {
        let base = base(page, url);
        let structure = Structure::of(page, joints);
        let is_with_links = options.links == Links::Inline;
        let (mut spans, mut targets) = spans::read(page, base.as_ref(), is_with_links);
        let images = match options.images {
            Images::Inline => images::add(page, base.as_ref(), &structure, &mut spans, &mut targets),
            Images::None => Vec::new(),
        };
        Markup {
            structure,
            spans,
            targets,
            images,
            languages: languages(page),
        }
    }

    /// The spans of a block.
    pub(crate) fn spans(&self, block: usize) -> &[Span] {
        let first = self.spans.partition_point(|span| (span.block as usize) < block);
        let own = self.spans[first..]
            .iter()
            .take_while(|span| span.block as usize == block);
        &self.spans[first..first + own.count()]
    }

    /// Where a link leads, by its number.
    pub(crate) fn target(&self, link: u32) -> Option<&Target> {
        self.targets.get((link as usize).checked_sub(1)?)
    }

    /// The images in lines of their own, in the order of the page.
    pub(crate) fn images(&self) -> &[LoneImage] {
        &self.images
    }

    /// The blocks that have a link, by its number.
    pub(crate) fn linked(&self, link: u32) -> impl Iterator<Item = usize> {
        let spans = self.spans.iter().filter(move |span| span.link == link);
        spans.map(|span| span.block as usize)
    }

    /// The footnotes of the page, with the numbers of their links.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (u32, &Note)> {
        let numbered = (1..).zip(&self.targets);
        numbered.filter_map(|(link, target)| match target {
            Target::Note(note) => Some((link, note)),
            Target::Address(_) | Target::Image { .. } => None,
        })
    }

    /// The programming language of a `<pre>`; empty where the page names none.
    pub(crate) fn language(&self, pre: u32) -> &str {
        let known = self.languages.iter().find(|(element, _)| *element == pre);
        known.map_or("", |(_, language)| language)
    }
}

/// The address that links of a page are relative to.
fn base(page: &Page, url: &str) -> Option<Url> {
    let own = Url::parse(url).ok();
    let mut elements = 0..page.elements.len() as u32;
    let element = elements.find(|&at| page.elements[at as usize].tag == Tag::Base);
    let href = element.and_then(|element| page.attribute(element, gleaner_html::Attr::Href));
    match (own, href) {
        (Some(own), Some(href)) => own.join(href).ok().or(Some(own)),
        (own, None) => own,
        (None, Some(href)) => Url::parse(href).ok(),
    }
}

fn languages(page: &Page) -> Vec<(u32, String)> {
    let mut languages: Vec<(u32, String)> = Vec::new();
    let mut last = NONE;
    for block in &page.blocks {
        if block.pre != NONE && block.pre != last {
            last = block.pre;
            let named = language::find(page, block.pre);
            languages.extend(named.map(|language| (block.pre, language)));
        }
    }
    languages
}
