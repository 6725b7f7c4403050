//! The text of web pages, without menus, notices and lists of links.
//!
//! In: the bytes of a page. Out: a [`Document`] with its text, its blocks with labels and probabilities, its title, authors,
//! day and language, and its kind.
//!
//! ```
//! use gleaner::{Cleaner, Origin};
//!
//! let html = "<title>Tides</title><ul><li><a href=/>Home</a><li><a href=/log>Log</a></ul><h1>Tides</h1>
//!     <p>The sea rises and falls <a href=/moon>twice a day</a>, because the moon and the sun pull at it.</p>";
//! let mut cleaner = Cleaner::default();
//! let document = cleaner.clean(html, &Origin::url("https://sea.example/tides"))?;
//! assert_eq!(
//!     document.text(),
//!     "Tides\n\nThe sea rises and falls twice a day, because the moon and the sun pull at it.\n"
//! );
//! assert_eq!(document.metadata().title, Some("Tides"));
//! # Ok::<(), gleaner::Error>(())
//! ```
//!
//! # How pages are cleaned
//!
//! A trained model first predicts the kind of the page, then labels each text block as a header, a paragraph, an item of a
//! list, a continuation or noise ([`Label`]). The text is that of all blocks but noise, with the main heading first. The models
//! are part of the crate; [`Cleaner::builder`] takes others. The command `gleaner build` uses the same pipeline, and
//! adds what the pages of a site have in common.
//!
//! A [`Cleaner`] keeps its memory from page to page: use one for many pages, one a thread. A clone shares the models.
//!
//! # Errors and limits
//!
//! Broken HTML is read as browsers read it. A body that is no text at all (an image, an archive) is an [`Error`]. A page
//! over a limit is cut off, and [`Document::truncated`] names the limit.
//!
//! # Features
//!
//! - `serde`: [`Document`] implements `serde::Serialize`, as JSON lines of `gleaner clean --format json`; so do [`Metadata`] and
//!   [`Block`].
//! - `html5ever`: the parser of the Servo project, beside the one built in ([`CleanerBuilder`]).

mod cleaner;
mod document;
mod error;
mod format;
mod metadata;
mod model;
mod origin;

pub use cleaner::{Cleaner, CleanerBuilder};
pub use document::{Block, Document, PageKind};
pub use error::{Error, ErrorKind};
pub use format::{Format, Output};
pub use gleaner_content::{Favor, Label};
pub use gleaner_document::{Images, Links, MarkdownOptions};
pub use gleaner_metadata::date::Day;
pub use gleaner_posts::{Comment, Completed, Dated, Post};
pub use metadata::Metadata;
pub use model::Model;
pub use origin::{Html, Origin};

/// The examples of docs/rust.md run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct Documents;

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
