//! Labelling the blocks of pages by hand, on a terminal.
//!
//! In: pages of WARC and HTML files ([`Session`]), a model that makes suggestions, and keys. Out:
//! annotation files ([`gleaner_gold::annotation`]), which are gold to train on and to score against.
//!
//! An [`App`] is the program without its terminal: it receives keys and draws into a buffer of cells, also in tests. An
//! [`Editor`] is the state of one page: labels, selection, undo. Pages come through the trait [`Pages`]. A [`Session`] finds
//! the annotation file of each page, transfers its labels to the current blocks of the page, and saves after every key that
//! changed a label, before the screen shows it.
//!
//! Active learning: a block's [`uncertainty()`] is the entropy of its label, a page's is the mean over its
//! words ([`page_uncertainty`]). Pages and blocks can be offered in that order, the largest first.
//!
//! The cost of a key depends on the lines of the screen, not on the length of the page, except for a search and for the
//! order of uncertainty, which look at every block. A file is written whole at every change. The start reads all input
//! files, and parses every page if the most uncertain pages come first.
//!
//! ```
//! use gleaner_annotate::{Block, Edit, Editor, Motion};
//! use gleaner_content::Label;
//!
//! let blocks = ["Home", "A diary of the tides"].map(|text| Block::new(text, "html/body/p".into()));
//! let mut editor = Editor::new(blocks.into(), vec![None; 2]);
//! editor.edit(Edit::Label(Label::Other));
//! editor.edit(Edit::Label(Label::Header));
//! assert!(editor.is_complete());
//! editor.edit(Edit::Undo);
//! assert_eq!((editor.done(), editor.cursor()), (1, 1));
//! assert!(editor.go(Motion::NextOpen) == false);
//! ```

mod annotation_store;
mod app;
mod block;
mod certainty;
mod date;
mod editor;
mod error;
mod history;
mod keys;
mod labeller;
mod lines;
mod notes;
mod pages;
mod scroll;
mod search;
mod session;
mod source;
mod view;

pub use app::{App, Next, Options};
pub use block::{Block, Suggestion};
pub use certainty::{page_uncertainty, uncertainty};
pub use editor::{Edit, Edited, Editor, Motion};
pub use error::Error;
pub use keys::Key;
pub use notes::Notes;
pub use pages::{About, Opened, Pages};
pub use session::{Session, SessionConfig};
