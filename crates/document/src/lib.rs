//! The pipeline of one page: bytes in; text, labelled blocks and metadata out.
//!
//! A [`Cleaner`] parses a page, measures the features of its blocks, labels them with a model and puts the text of the
//! content together. All commands use this crate; these steps are wired nowhere else.
//!
//! ```
//! use gleaner_document::{Cleaner, Options, Origin, built_in};
//!
//! let mut cleaner = Cleaner::new(&built_in::pages(), Options::default())?;
//! let html = "<title>Tides</title><ul><li><a href=/>Home</a><li><a href=/log>Log</a></ul><h1>Tides</h1>
//!     <p>The sea rises and falls twice a day, because the moon and the sun pull at it.</p>";
//! let origin = Origin { url: "https://sea.example/tides", ..Origin::default() };
//! let document = cleaner.clean(html.as_bytes(), &origin)?;
//! assert_eq!(document.facts.metadata.title.as_deref(), Some("Tides"));
//! assert!(document.content.text.contains("The sea rises") && !document.content.text.contains("Home"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The steps can be taken one by one, for work between them: [`Cleaner::read`] and [`Cleaner::score`] give a
//! [`ScoredPage`], which may be stored; with the evidence of its site, [`Cleaner::decide`] gives its [`Content`].
//! Training and evaluation take the halves of the pipeline: a [`PageReader`] gives layout and features, a [`Labeller`] labels.
//!
//! A page costs no allocation beyond its results, once a large enough page was seen.

pub mod built_in;
mod cleaner;
mod content;
mod heading;
pub mod html;
mod json;
mod labeller;
mod layout;
mod markdown;
mod markup;
mod origin;
pub mod packed;
mod reader;
mod scored;
mod shown_block;
mod structure;
mod structured;
mod text;
mod walk;

pub use cleaner::Cleaner;
pub use content::{Content, Document};
pub use json::{JsonDocument, JsonLine};
pub use labeller::Labeller;
pub use layout::Layout;
pub use markup::{Images, Links, MarkdownOptions, Markup};
pub use origin::{Options, Origin, PageMethod};
pub use reader::PageReader;
pub use scored::{Decision, PageFacts, ReadPage, ScoredBlocks, ScoredPage};
pub use shown_block::ShownBlock;
pub use structure::{Holder, HolderKind, Holders, Structure, integer};
pub use structured::StructuredLines;
pub use text::{LinePlace, Lines, Piece, assemble};
pub use walk::{Join, Leaf, Step, walk};
