//! A page's tree by html5ever: the same tree from another tokenizer and another tree builder.

mod sink;
mod tokens;

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use self::sink::Sink;
use self::tokens::Tokens;
use crate::arena::Arena;
use crate::{TreeLimits, TreeTruncation};

/// A tree that was built.
pub(crate) struct Built {
    pub(crate) truncated: TreeTruncation,
    pub(crate) steps: u64,
    /// Templates that are the content of the element around them, see [`crate::shadow`].
    pub(crate) shadow_roots: Vec<u32>,
}

/// Fills an arena. Of one thing html5ever knows nothing: that a `<noscript>` ends the text of a frame in it, if that
/// frame has no end tag.
pub(crate) fn build(arena: &mut Arena, text: &str, limits: &TreeLimits, is_xml: bool) -> Built {
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let builder = TreeBuilder::new(Sink::new(arena, limits), options);
    let options = TokenizerOpts {
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let tokenizer = Tokenizer::new(Tokens::new(builder, is_xml), options);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    while tokenizer.feed(&input) != TokenizerResult::Done {}
    tokenizer.end();
    tokenizer.sink.into_sink().built()
}
