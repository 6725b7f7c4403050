//! What is done to tokens between html5ever's tokenizer and its tree builder.

use html5ever::LocalName;
use html5ever::tokenizer::{EndTag, Tag as TagToken, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;

use super::sink::Sink;
use crate::Tag;
use crate::token::without_prefix;

/// Hands tokens to the tree builder, but for errors, and for what comes when the page is full. The tree builder counts
/// errors as tokens when it looks for the newline after `<pre>`; the standard does not.
pub(super) struct Tokens<'a> {
    builder: TreeBuilder<u32, Sink<'a>>,
    /// The document is XML: `<script/>` is a whole element.
    is_xml: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(builder: TreeBuilder<u32, Sink<'a>>, is_xml: bool) -> Tokens<'a> {
        Tokens { builder, is_xml }
    }

    pub(super) fn into_sink(self) -> Sink<'a> {
        self.builder.sink
    }

    /// A start tag that is a whole element, and its end tag.
    fn whole_element(&self, start: TagToken, line: u64) -> TokenSinkResult<u32> {
        let end = TagToken {
            kind: EndTag,
            attrs: Vec::new(),
            self_closing: false,
            ..start.clone()
        };
        self.builder.sink.forget_last();
        let result = self.builder.process_token(Token::TagToken(start), line);
        match self.builder.sink.has_just_made(&end.name) {
            true => self.builder.process_token(Token::TagToken(end), line),
            false => result,
        }
    }
}

impl TokenSink for Tokens<'_> {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        let sink = &self.builder.sink;
        match token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::EOFToken => return self.builder.process_token(token, line),
            _ => sink.count_token(),
        }
        if sink.is_full() {
            return TokenSinkResult::Continue;
        }
        let Token::TagToken(mut tag) = token else {
            return self.builder.process_token(token, line);
        };
        let own = without_prefix(Tag::Other, tag.name.as_bytes()).1.len();
        if own < tag.name.len() {
            tag.name = LocalName::from(&tag.name[tag.name.len() - own..]);
        }
        match self.is_xml && is_whole(&tag) {
            true => self.whole_element(tag, line),
            false => self.builder.process_token(Token::TagToken(tag), line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Whether a tag says that its element ends with it. Void elements have no end tag in any case.
fn is_whole(tag: &TagToken) -> bool {
    tag.self_closing && tag.kind != EndTag && !Tag::from_name(&tag.name).is_void()
}
