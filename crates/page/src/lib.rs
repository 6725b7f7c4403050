//! From an HTTP body to text blocks.
//!
//! In: the bytes of a page and what the HTTP header says of its charset. Out: a [`Page`], a flat
//! arena of elements in document order and the page's text blocks. A [`Page`] is filled again and
//! again by a [`Parser`]; its memory is kept from page to page.
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
mod blocks;
mod builder;
mod charset;
mod config;
mod doctype;
mod error;
mod metadata;
mod parser;
#[cfg(test)]
mod reference;
mod references;
#[doc(hidden)]
pub mod stages;
mod tag;
mod token;
mod tokenizer;
mod tree;

pub use config::{Limits, PageConfig, Unit};
pub use error::PageError;
pub use metadata::{Metadata, metadata};
pub use parser::Parser;
pub use tag::Tag;
pub use tree::{Attr, Block, Element, NONE, Page, Run, TagEvent, Truncation};
