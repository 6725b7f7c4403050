//! From an HTTP body to text blocks.
//!
//! In: the bytes of a page and what the HTTP header says of its charset. Out: a [`Page`], a flat
//! arena of elements in document order and the page's text blocks. A [`Page`] is meant to be
//! filled again and again; its memory is kept from page to page.

mod tag;
mod tree;

pub use tag::Tag;
pub use tree::{Attr, Block, Element, NONE, Page, Run, TagEvent, Truncation};
