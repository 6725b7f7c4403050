//! Labelling the blocks of pages by hand, on a terminal.
//!
//! In: pages of WARC and HTML files ([`Desk`]), a model that makes suggestions, and keys. Out:
//! annotation files ([`gleaner_gold::annotation`]), which are gold to train on and to score against.
//!
//! An [`App`] is the whole program but for its terminal: it is handed keys, draws into a buffer of
//! cells, and is tested so. An [`Editor`] is the state of one page: labels, selection, undo. Pages come
//! through [`Pages`]; a [`Desk`] finds the annotation file of each, brings its labels to the page as it is
//! cut now, and saves after every key that changed something, before the screen shows it.
//!
//! Active learning: a block's [`uncertainty()`] is the entropy of its label, a page's is the mean over its
//! words ([`page_uncertainty`]). Pages and blocks can be offered in that order, the largest first.
//!
//! A key costs the lines of the screen, whatever the length of the page, but for a search and for the
//! order of uncertainty, which look at every block; and a file is written whole at every change. Looking
//! for pages costs a reading of the files, and a parse of every page where their order is asked for.
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

mod app;
mod block;
mod certainty;
mod date;
mod desk;
mod editor;
mod error;
mod history;
mod keys;
mod labeller;
mod lines;
mod notes;
mod pages;
mod search;
mod shelf;
mod source;
mod view;

pub use app::{App, Next, Options};
pub use block::{Block, Suggestion};
pub use certainty::{page_uncertainty, uncertainty};
pub use desk::{Desk, Work};
pub use editor::{Edit, Edited, Editor, Motion};
pub use error::Error;
pub use keys::Key;
pub use notes::Notes;
pub use pages::{About, Opened, Pages};
