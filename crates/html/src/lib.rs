//! From the bytes of a page to its tree.
//!
//! In: the body of an HTTP response and its `Content-Type`. Out: [`ParsedHtml`], which holds a [`Tree`]: nodes in a flat
//! arena, linked by index, with the tag, the text and the attributes that this project reads. An [`HtmlParser`] is used
//! for one page after the other and keeps its memory.
//!
//! The charset is found as browsers find it, unless the bytes contradict; UTF-8 is borrowed, not copied. Tokenizer and
//! tree builder follow the HTML standard, without scripting. There is one exception: a `<noscript>` ends the text of a
//! frame in it, as it does where scripts run. Errors, comments and most attributes are left out. Text stays in the
//! source and is not copied unless it has character references; a script is one leap to its end tag. The trees are those
//! of html5ever, which is the reference of the tests: on random pages, on html5lib's cases and on real pages. Declarative
//! shadow roots are put in the place of their hosts' children.
//!
//! The cost is linear in the page: bytes, depth, elements, attributes and steps of work are bounded. What is cut off
//! leaves a flag in [`ParsedHtml::truncated`]. No clock is read, so that a page gives the same tree on a busy machine.
//!
//! ```
//! use gleaner_html::{Attr, HtmlParser, Tag, TreeLimits};
//!
//! let mut parser = HtmlParser::new(TreeLimits::default());
//! let html = parser.parse(b"<title>A</title><p>One <a href='/b?c&amp;d'>link</a>", Some("text/html; charset=utf-8"))?;
//! let tree = html.tree();
//!
//! let links = tree.nodes().filter(|&node| tree.tag(node) == Tag::A);
//! let links: Vec<_> = links.map(|node| (tree.attribute(node, Attr::Href), tree.tag(tree.parent(node)))).collect();
//! assert_eq!(links, [(Some("/b?c&d"), Tag::P)]);
//!
//! let text: String = tree.nodes().map(|node| tree.text(node)).collect();
//! assert_eq!(text, "AOne link");
//! assert_eq!(html.charset(), "UTF-8");
//! # Ok::<(), gleaner_html::PageError>(())
//! ```

mod arena;
mod attr;
mod attributes;
mod builder;
#[cfg(feature = "html5ever")]
mod by_html5ever;
mod charset;
mod controls;
mod doctype;
mod envelope;
mod error;
mod escape;
mod limits;
mod names;
mod parser;
#[cfg(test)]
mod reference;
mod references;
mod shadow;
mod steps;
mod tag;
mod token;
mod tokenizer;
mod tree;

pub use arena::LeadingWhite;
pub use attr::{Attr, AttrSet};
pub use charset::decode_body;
pub use controls::{has_controls, is_dropped, letter_of_control, without_controls};
pub use envelope::{PageFile, page_file};
pub use error::PageError;
pub use escape::escape;
pub use limits::{TreeLimits, TreeTruncation};
pub use parser::{HtmlParser, ParsedHtml, PlainText, TreeBuilder, read_text};
pub use references::without_references;
pub use steps::Steps;
pub use tag::{Tag, TagSet};
pub use tree::{DOCUMENT, NONE, NodeKind, Tree};
