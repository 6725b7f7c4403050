//! From the tree of a page to its layout.
//!
//! In: the tree of a page ([`gleaner_html`]), or the bytes that it is built of. Out: a [`Page`], a flat arena of elements in
//! document order and the page's text blocks. A [`Page`] is filled again and again by a [`Parser`]; its memory is kept
//! from page to page. One walk over the finished tree lays it out flat and cuts it into blocks.
//!
//! The cost is linear in the page, whatever it holds: the limits of the tree hold, blocks and steps of work are bounded,
//! and what is cut off leaves a flag in [`Page::truncated`].
//!
//! ```
//! use gleaner_page::{PageConfig, Parser};
//!
//! let mut parser = Parser::new(PageConfig::default());
//! let page = parser.parse(b"<p>One <b>line</b><br>and another", Some("text/html; charset=utf-8"))?;
//! let lines: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
//! assert_eq!(lines, ["One line", "and another"]);
//! # Ok::<(), gleaner_html::PageError>(())
//! ```

mod blocks;
mod columns;
mod config;
mod joint;
mod parser;
mod plain;
mod state;
mod tree;
mod wet;
mod whole;

pub use blocks::protected::address as protected_address;
pub use blocks::{TableRows, is_class_of_formulas};
pub use columns::Tabs;
pub use config::{Limits, PageConfig, Unit};
pub use joint::Joint;
pub use parser::{PageBuilder, Parser};
pub use tree::{Block, Element, Formula, Image, Page, Run, TagEvent, Truncation};
