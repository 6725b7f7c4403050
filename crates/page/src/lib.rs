//! From an HTTP body to text blocks.
//!
//! In: the bytes of a page and what the HTTP header says of its charset. Out: a [`Page`], a flat
//! arena of elements in document order and the page's text blocks. A [`Page`] is filled again and
//! again by a [`Parser`]; its memory is kept from page to page.
//!
//! The charset is found as browsers find it, unless the bytes contradict; UTF-8 is borrowed, not copied. Tokenizer and tree
//! builder follow the HTML standard to the letter, without scripting (but that a `<noscript>` ends the text of
//! a frame in it, as it does where scripts run), and leave out what nobody
//! reads here: errors, comments, most attributes. Texts stay in the source until they become
//! blocks; a script is one leap to its end tag. The trees are those of html5ever, which is the
//! reference of the tests: on random pages, on html5lib's cases and on real pages. Parts that
//! React sends later are put in their place. One walk over the finished tree lays it out flat and cuts it into blocks.
//!
//! The cost is linear in the page, whatever it holds: depth, elements, blocks, attributes, bytes
//! and steps of work are bounded, and what is cut off leaves a flag in [`Page::truncated`]. No clock is read: a page
//! is the same on a busy machine. On pages of the
//! present web it is about a CPU-millisecond a megabyte, most of it for tags; on old pages that
//! are nearly all tags, three.
//!
//! ```
//! use gleaner_page::{PageConfig, Parser};
//!
//! let mut parser = Parser::new(PageConfig::default());
//! let page = parser.parse(b"<p>One <b>line</b><br>and another", Some("text/html; charset=utf-8"))?;
//! let lines: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
//! assert_eq!(lines, ["One line", "and another"]);
//! # Ok::<(), gleaner_page::PageError>(())
//! ```

mod arena;
mod attributes;
mod blocks;
mod builder;
mod charset;
mod config;
mod controls;
mod doctype;
mod envelope;
mod error;
mod joint;
mod parser;
mod plain;
#[cfg(test)]
mod reference;
mod references;
#[doc(hidden)]
pub mod stages;
mod state;
mod steps;
mod streamed;
mod tag;
mod terminals;
mod token;
mod tokenizer;
mod tree;
mod wet;

pub use charset::decode_body;
pub use config::{Limits, PageConfig, Unit};
pub use controls::without_controls;
pub use envelope::{PageFile, page_file};
pub use error::PageError;
pub use joint::Joint;
pub use parser::Parser;
pub use tag::Tag;
pub use tree::{Attr, Block, Element, NONE, Page, Run, TagEvent, Truncation};
