//! Decode a body, build its tree.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use strum::{Display, EnumString, VariantNames};

use crate::arena::Arena;
use crate::builder::{Builder, BuilderState};
#[cfg(feature = "html5ever")]
use crate::by_html5ever;
use crate::charset::{decode, decode_again, decode_text};
use crate::error::{refuse_binary, refuse_known};
use crate::shadow::attach_shadow_roots;
use crate::tokenizer::tokenize;
use crate::{PageError, Tree, TreeLimits, TreeTruncation};

/// What makes a tree of a text. Both read by the HTML standard and give the same tree, but where a limit is met, and but for
/// one rule of [`TreeBuilder::Gleaner`]: a `<noscript>` ends the text of a frame in it that has no end tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum TreeBuilder {
    /// The tokenizer and the tree builder of this crate.
    #[default]
    Gleaner,
    /// Those of html5ever, with the feature `html5ever`. They take several times as long.
    #[cfg(feature = "html5ever")]
    Html5ever,
}

/// Reads pages one after the other and keeps its memory between them.
#[derive(Debug)]
pub struct HtmlParser {
    limits: TreeLimits,
    tree_builder: TreeBuilder,
    arena: Arena,
    state: BuilderState,
}

/// A page that was read.
#[derive(Debug)]
pub struct ParsedHtml<'p, 'b> {
    /// Limits that were met.
    pub truncated: TreeTruncation,
    /// Steps of work that the stage with most of them took, see [`TreeLimits::steps`].
    pub steps: u64,
    arena: &'p Arena,
    text: Cow<'b, str>,
    charset: &'static Encoding,
}

/// A plain text that was read.
#[derive(Debug)]
pub struct PlainText<'b> {
    /// The text, borrowed where it is UTF-8.
    pub text: Cow<'b, str>,
    /// The charset the bytes were decoded from, by its name in the Encoding Standard.
    pub charset: &'static str,
    /// Whether the body has more bytes than the limit.
    pub is_cut: bool,
}

impl ParsedHtml<'_, '_> {
    /// The tree.
    pub fn tree(&self) -> Tree<'_> {
        Tree::new(self.arena, &self.text)
    }

    /// The body, decoded: what was read of it.
    pub fn source(&self) -> &str {
        &self.text
    }

    /// The charset the bytes were decoded from, by its name in the Encoding Standard.
    pub fn charset(&self) -> &'static str {
        self.charset.name()
    }
}

impl HtmlParser {
    /// A parser with the given limits.
    pub fn new(limits: TreeLimits) -> HtmlParser {
        HtmlParser {
            limits,
            tree_builder: TreeBuilder::default(),
            arena: Arena::default(),
            state: BuilderState::default(),
        }
    }

    /// The parser with another tree builder.
    ///
    /// ```
    /// use gleaner_html::{HtmlParser, TreeBuilder, TreeLimits};
    ///
    /// let mut parser = HtmlParser::new(TreeLimits::default()).with(TreeBuilder::Html5ever);
    /// let html = parser.parse_str("<p>One<p>Two");
    /// let texts: Vec<_> = html.tree().nodes().map(|node| html.tree().text(node)).filter(|text| !text.is_empty()).collect();
    /// assert_eq!(texts, ["One", "Two"]);
    /// ```
    pub fn with(mut self, tree_builder: TreeBuilder) -> HtmlParser {
        self.tree_builder = tree_builder;
        self
    }

    /// Reads an HTML body. `content_type` is the value of the HTTP header of that name.
    ///
    /// # Errors
    ///
    /// Only for a body that is no text at all. What is over a limit is cut off, with a flag in
    /// [`ParsedHtml::truncated`].
    pub fn parse<'p, 'b>(
        &'p mut self,
        body: &'b [u8],
        content_type: Option<&str>,
    ) -> Result<ParsedHtml<'p, 'b>, PageError> {
        refuse_known(body)?;
        let cut = self.limits.cut(body);
        let mut decoded = decode(cut, content_type);
        refuse_binary(&decoded.text, decoded.charset)?;
        let is_xml = content_type.is_some_and(is_xml);
        let (mut truncated, mut steps) = self.build(&decoded.text, is_xml);
        if let Some(again) = decode_again(cut, &decoded, &self.arena) {
            decoded = again;
            let before = steps;
            (truncated, steps) = self.build(&decoded.text, is_xml);
            steps = steps.max(before);
        }
        truncated.bytes = cut.len() < body.len();
        Ok(ParsedHtml {
            truncated,
            steps,
            arena: &self.arena,
            text: decoded.text,
            charset: decoded.charset,
        })
    }

    /// Reads HTML that is decoded already. There is no limit of bytes but [`TreeLimits::MOST_BYTES`].
    pub fn parse_str<'p, 'b>(&'p mut self, text: &'b str) -> ParsedHtml<'p, 'b> {
        let cut = &text[..text.floor_char_boundary(TreeLimits::MOST_BYTES)];
        let (mut truncated, steps) = self.build(cut, false);
        truncated.bytes = cut.len() < text.len();
        ParsedHtml {
            truncated,
            steps,
            arena: &self.arena,
            text: Cow::Borrowed(cut),
            charset: UTF_8,
        }
    }

    /// Builds the tree of a text; returns the limits that were met, and the steps of work.
    fn build(&mut self, text: &str, is_xml: bool) -> (TreeTruncation, u64) {
        let limits = &self.limits;
        let (mut truncated, steps, shadow_roots) = match self.tree_builder {
            TreeBuilder::Gleaner => {
                let builder = Builder::new(&mut self.arena, text, &mut self.state, limits).of_xml(is_xml);
                let (truncated, steps) = tokenize(builder, limits);
                (truncated, steps, &self.state.shadow_roots)
            }
            #[cfg(feature = "html5ever")]
            TreeBuilder::Html5ever => {
                let built = by_html5ever::build(&mut self.arena, text, limits, is_xml);
                self.state.shadow_roots = built.shadow_roots;
                (built.truncated, built.steps, &self.state.shadow_roots)
            }
        };
        let moving = attach_shadow_roots(&mut self.arena, text, shadow_roots, limits);
        truncated.steps |= moving.is_over();
        (truncated, steps.max(moving.taken()))
    }
}

/// Decodes a plain text, such as a WET record, in which nothing declares a charset but the HTTP header and a byte order
/// mark.
///
/// # Errors
///
/// As [`HtmlParser::parse`].
pub fn read_text<'b>(
    body: &'b [u8],
    content_type: Option<&str>,
    limits: &TreeLimits,
) -> Result<PlainText<'b>, PageError> {
    refuse_known(body)?;
    let cut = limits.cut(body);
    let decoded = decode_text(cut, content_type);
    refuse_binary(&decoded.text, decoded.charset)?;
    Ok(PlainText {
        text: decoded.text,
        charset: decoded.charset.name(),
        is_cut: cut.len() < body.len(),
    })
}

/// Whether a `Content-Type` is of XML: `application/xhtml+xml`, `text/xml`. All else is read as HTML alone.
fn is_xml(content_type: &str) -> bool {
    let media = content_type.split([';', ',']).next().unwrap_or_default().trim();
    let end = media
        .len()
        .checked_sub(3)
        .and_then(|at| media.split_at_checked(at));
    end.is_some_and(|(before, end)| end.eq_ignore_ascii_case("xml") && before.ends_with(['/', '+']))
}
