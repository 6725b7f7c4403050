//! A linear-chain conditional random field over the text blocks of a page.
//!
//! In: the feature columns of a page's blocks. Out: a label and its probability for each.

mod label;

pub use label::Label;
