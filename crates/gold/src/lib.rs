//! Gold text aligned to blocks, and scores against it.
//!
//! In: gold files (JSON lines, a page a line: [`read`]; or CleanEval's own: [`Folder`]) and the pages they are about. Out: a label
//! for each block ([`align`]), from which labellers are trained, and scores of kept text against
//! the gold ([`word_score`], [`cleaneval_score`], [`PageScore`], [`Summary`]), and of labels and
//! probabilities against the aligned ones ([`Confusion`], [`Reliability`]).
//!
//! The alignment is a longest common subsequence of words ([`common_subsequence`]), and CleanEval's
//! scores go by an edit distance ([`edit_alignment`]), both bit-parallel: the product of both lengths
//! by 64 in steps, at most 32 MiB of rows.
//!
//! ```
//! use gleaner_page::Page;
//!
//! assert!(gleaner_gold::align(&Page::default(), "Some gold.", None).is_empty());
//! assert_eq!(gleaner_gold::word_score("some text", "some gold").f1, 0.5);
//! ```

mod align;
pub mod annotation;
mod calibration;
mod cleaneval;
mod edit;
mod error;
mod feed;
mod folder;
mod labels;
mod lcs;
mod markup;
mod page;
mod score;
mod segments;
mod symbols;

pub use align::align;
pub use annotation::Annotation;
pub use calibration::{BINS, Bin, Reliability};
pub use cleaneval::{CleanevalScore, cleaneval_score, cleaneval_text, kept_segments, text_only_score};
pub use edit::{Alignment, edit_alignment};
pub use error::Error;
pub use feed::{FeedPage, FeedPost, read_feed};
pub use folder::{Folder, Pair, page_name};
pub use labels::{Agreement, Confusion};
pub use lcs::{common_length, common_subsequence};
pub use page::{GoldPage, read};
pub use score::{PageScore, Score, Summary, keep_all_score, kept_text, label_score, lcs_score, word_score};
pub use segments::{Segment, segments};
